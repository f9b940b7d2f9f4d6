"""Positions of an environment, as objects for `po.wrap`.

Where the environment draws random numbers, an action leads to a chance position. Its outcomes are sampled from the
environment itself, each with generators that the search has set: equal ones are counted, and the counts are their
probabilities. The generator of the real environment is never read.
"""

import hashlib
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from playout.core.rules import CHANCE, TERMINAL
from playout.game.wrap.checks import no_actions

from .generators import WORD
from .simulator import Simulator, refuse_nan

FIRST_SAMPLES = 16  # if more than half of these are different, there are no more: chance is continuous
FEW_SAMPLES = 32  # of an action whose outcome was always the same, or where positions don't come back
UNLED = 0.05  # the prior weight of an action that the table does not lead to; those it leads to have 1
MOST_KEPT = 100_000  # actions whose outcomes are remembered


class Seen(NamedTuple):
    """What a step led to."""

    state: Any
    key: bytes
    player: int
    legal: tuple[int, ...]
    rewards: tuple[float, ...]
    done: bool
    observation: Any


class World:
    """What the positions of one environment share."""

    def __init__(self, sim: Simulator, *, samples: int, seed: int, discount: float, limit: int | None) -> None:
        self.sim, self.samples, self.seed, self.discount, self.limit = sim, samples, seed, discount, limit
        self.counts_time = limit is not None or discount != 1.0
        self.redraw: Any = None  # redraws what the player can't see: `redraw(env)`
        self.leads: dict[bytes, Sequence[int]] = {}  # the actions that playouts prefer (`adapters/table.py`)
        self.depth: int | None = None  # steps of a playout at most
        self.tabular = False  # positions come back, so that playouts go through what is remembered
        self.known: dict[tuple[bytes, int], list[tuple[Seen, float]]] = {}

    def look(self) -> Seen:
        """Where the simulator stands."""
        sim = self.sim
        state = sim.copies.save()
        key = repr(sim.seen).encode() if self.redraw else sim.copies.key(state) if self.keyed else b""
        return Seen(state, key, sim.player, tuple(sim.legal), sim.rewards, sim.done, sim.seen)

    @property
    def keyed(self) -> bool:
        """Whether outcomes are looked up by the position's key; otherwise it is made when positions are compared."""
        return self.tabular or self.sim.random

    def after(self, state: Any, key: bytes, action: int) -> Seen:
        """Where a step leads that draws no random numbers."""
        if self.tabular and (known := self.known.get((key, action))) is not None:
            return known[0][0]
        self.sim.put(state)
        self.sim.step(action)
        refuse_nan(self.sim.title, action, self.sim.seen)
        found = self.look()
        if self.tabular:
            self._keep(key, action, [(found, 1.0)])
        return found

    def outcomes(self, state: Any, key: bytes, action: int) -> list[tuple[Seen, float]]:
        """What a step may lead to, with probabilities: sampled, and remembered.

        The samples follow from the position and the action alone, so that it does not matter when they are drawn.
        """
        if (known := self.known.get((key, action))) is not None:
            return known
        if not self.sim.random:
            return [(self.after(state, key, action), 1.0)]
        digest = hashlib.blake2b(key, digest_size=8, salt=self.seed.to_bytes(8, "little")).digest()
        draw = random.Random(int.from_bytes(digest, "little") ^ (action * 0x9E3779B97F4A7C15 & WORD))
        counts: dict[tuple[bytes, tuple[float, ...], bool], list[Any]] = {}
        drawn, most = 0, self.samples if self.tabular else min(self.samples, FEW_SAMPLES)
        while drawn < most:
            if drawn == FIRST_SAMPLES and len(counts) > FIRST_SAMPLES // 2:
                break
            if drawn == FEW_SAMPLES and len(counts) == 1:
                break
            self.begin(state, draw.getrandbits(64))
            self.sim.step(action)
            found = self.look()
            entry = counts.setdefault((found.key, found.rewards, found.done), [found, 0])
            entry[1] += 1
            drawn += 1
        result = [(found, count / drawn) for found, count in counts.values()]
        refuse_nan(self.sim.title, action, result[0][0].observation)
        self._keep(key, action, result)
        return result

    def _keep(self, key: bytes, action: int, found: list[tuple[Seen, float]]) -> None:
        if len(self.known) >= MOST_KEPT:
            self.known.clear()
        self.known[key, action] = found

    def begin(self, state: Any, seed: int) -> None:
        """Put a state into the simulator, with other random numbers than the environment's own."""
        self.sim.put(state)
        self.sim.reseed(seed)
        if self.redraw is not None:
            self.redraw(self.sim.copies.sim)


class EnvPosition:
    """A position of an environment. With a `pending` action, chance moves next."""

    __slots__ = ("pending", "seen", "time", "world")
    not_state = ("world",)  # shared by all positions, and no part of any

    def __init__(self, world: World, seen: Seen, time: int, pending: int | None = None) -> None:
        self.world, self.seen, self.time, self.pending = world, seen, time, pending

    @property
    def players(self) -> int:
        return self.world.sim.players

    def current_player(self) -> int:
        if self.pending is not None:
            return CHANCE
        limit = self.world.limit
        return TERMINAL if self.seen.done or (limit is not None and self.time >= limit) else self.seen.player

    def legal_actions(self) -> Sequence[int]:
        return self.seen.legal

    def play(self, action: int) -> "EnvPosition":
        world, seen = self.world, self.seen
        if self.pending is not None:
            return EnvPosition(world, world.outcomes(seen.state, seen.key, self.pending)[action][0], self.time + 1)
        if world.sim.random:
            return EnvPosition(world, seen, self.time, action)
        return EnvPosition(world, world.after(seen.state, seen.key, action), self.time + 1)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        assert self.pending is not None
        found = self.world.outcomes(self.seen.state, self.seen.key, self.pending)
        return [(number, weight) for number, (_, weight) in enumerate(found)]

    def rewards(self) -> tuple[float, ...]:
        if self.pending is not None:
            return (0.0,) * self.players
        return scaled(self.seen.rewards, self.world.discount, self.time)

    def priors(self) -> list[float]:
        best = self.world.leads.get(self.seen.key)
        return [1.0 if not best or action in best else UNLED for action in self.seen.legal]

    def action_text(self, action: int) -> str:
        return str(action) if self.pending is not None else self.world.sim.text_of(action)

    def mutable_copy(self) -> "EnvCursor | TableCursor":
        return TableCursor(self) if self.world.tabular else EnvCursor(self)

    def __deepcopy__(self, memo: Any) -> "EnvPosition":
        return self  # it never changes

    def _same(self) -> tuple[Any, ...]:
        key = self.seen.key or self.world.sim.copies.key(self.seen.state)
        return (key, self.pending, self.seen.done, self.time if self.world.counts_time else None)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EnvPosition) and self._same() == other._same()

    def __hash__(self) -> int:
        return hash(self._same())

    def __str__(self) -> str:
        text = " ".join(str(self.seen.observation).split()) if self.seen.observation is not None else "start"
        after = "" if self.pending is None else f", after {self.world.sim.text_of(self.pending)}"
        return f"{text} at step {self.time}{after}"


def scaled(rewards: tuple[float, ...], discount: float, time: int) -> tuple[float, ...]:
    """The rewards of the step that ends at `time`, seen from the start: discount^(time - 1) each."""
    if discount == 1.0 or time < 1:
        return rewards
    factor = discount ** (time - 1)
    return tuple([factor * reward for reward in rewards])


class EnvCursor:
    """A position that playouts change in place: the simulator itself. Only one is in use at a time."""

    __slots__ = ("pending", "sim", "stop", "time", "world")

    def __init__(self, start: EnvPosition) -> None:
        self.world, self.time, self.pending = start.world, start.time, start.pending
        self.stop = self.world.limit  # a playout that is cut off counts what it got so far
        if self.world.depth is not None and (self.stop is None or self.time + self.world.depth < self.stop):
            self.stop = self.time + self.world.depth
        self.sim, seen = start.world.sim, start.seen
        if self.sim.random:
            self.world.begin(seen.state, random.getrandbits(64))
        else:
            self.sim.put(seen.state)
        self.sim.player, self.sim.legal, self.sim.done = seen.player, seen.legal, seen.done
        self.sim.rewards, self.sim.seen = seen.rewards, seen.observation

    def current_player(self) -> int:
        stop = self.stop
        return TERMINAL if self.sim.done or (stop is not None and self.time >= stop) else self.sim.player

    def legal_actions(self) -> Sequence[int]:
        return self.sim.legal if self.pending is None else (self.pending,)

    def step(self, action: int) -> None:
        self.sim.step(action)
        self.time += 1
        self.pending = None
        if self.world.redraw is not None and not self.sim.done:
            self.world.redraw(self.sim.copies.sim)

    def rewards(self) -> tuple[float, ...]:
        return scaled(self.sim.rewards, self.world.discount, self.time)

    def finish(self, draw: Callable[[], float], limit: int, discount: float) -> tuple[list[float], int]:
        """A random playout in one call, the same as step by step: its returns and its length."""
        world, sim, scale, length = self.world, self.sim, 1.0, 0
        most = limit if self.stop is None else min(limit, self.stop - self.time)
        totals, players, own, redraw = [0.0] * sim.players, range(sim.players), world.discount, world.redraw
        step = sim.step if sim.noted else sim.advance
        while length < most and not sim.done:
            legal = sim.legal if self.pending is None else (self.pending,)
            if not legal:
                raise no_actions(self, legal, sim.player)
            step(legal[int(draw() * len(legal))])
            self.pending = None
            length += 1
            if redraw is not None and not sim.done:
                redraw(sim.copies.sim)
            rewards = sim.rewards if own == 1.0 else scaled(sim.rewards, own, self.time + length)
            for p in players:
                totals[p] += scale * rewards[p]
            scale *= discount
        self.time += length
        return totals, length

    def mutable_copy(self) -> EnvPosition:
        """What a recorded playout keeps: it stays as it is while the simulator goes on."""
        return EnvPosition(self.world, self.world.look(), self.time, self.pending)

    def __str__(self) -> str:
        return str(self.mutable_copy())


class TableCursor:
    """A position that playouts change in place, through the outcomes that are remembered."""

    __slots__ = ("limit", "pending", "seen", "time", "world")

    def __init__(self, start: EnvPosition) -> None:
        self.world, self.seen, self.time, self.pending = start.world, start.seen, start.time, start.pending
        self.limit = self.world.limit

    def current_player(self) -> int:
        seen = self.seen
        return TERMINAL if seen.done or (self.limit is not None and self.time >= self.limit) else seen.player

    def legal_actions(self) -> Sequence[int]:
        if self.pending is not None:
            return (self.pending,)
        return self.world.leads.get(self.seen.key) or self.seen.legal

    def step(self, action: int) -> None:
        world, seen = self.world, self.seen
        found = world.known.get((seen.key, action)) or world.outcomes(seen.state, seen.key, action)
        if len(found) == 1:
            self.seen = found[0][0]
        else:
            rest = random.random()
            for after, weight in found:
                self.seen = after
                rest -= weight
                if rest < 0.0:
                    break
        self.time += 1
        self.pending = None

    def rewards(self) -> tuple[float, ...]:
        return scaled(self.seen.rewards, self.world.discount, self.time)

    def mutable_copy(self) -> EnvPosition:
        """What a recorded playout keeps."""
        return EnvPosition(self.world, self.seen, self.time, self.pending)

    def __str__(self) -> str:
        return str(self.mutable_copy())
