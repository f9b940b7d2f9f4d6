"""Games of a network against itself: many searches in one process, their leaves evaluated in one call.

The searches go in step: each collects a few leaves, one batch answers all of them, each backs its own up. What a table
of games plays depends on its seed alone, not on time or on other tables. Proofs are on: a proven value is the right
one, so that a position learns from it instead of how the game happened to go on.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.core import endings
from playout.core import tree as core
from playout.core.answer import best_edge
from playout.errors import GameError
from playout.evaluators.answers import checked
from playout.game import CHANCE, Game, Position
from playout.game.faults import rule_origin
from playout.play.chance import draw_outcome, seed_of
from playout.policies import PUCT, Parent
from playout.search import Search
from playout.settings import Noise, Outside, Settings

from .gumbel import Halving
from .recipe import Recipe, value_kind
from .replay import Samples

CACHE = 1 << 16  # answers that the games of a table share
LOOKED, LOOK_SECONDS = 200, 1.0  # positions whose observations are looked at before a training, at most
RAMP = 8  # a batch takes at most one leaf of a game for each so many visits

Network = Callable[[Any], tuple[Any, Any]]


@dataclass
class Turn:
    """A position of a game in play, and what is learnt from it."""

    player: int
    rewards: Any = None  # [P]: what the action chosen here brought at once
    proven: Any = None  # [P]: what everybody gets from here on, if that was proven
    planes: Any = None  # None: nothing is learnt from this position
    policy: Any = None
    value: float = 0.0  # what the search thought it is worth to the player
    strayed: bool = False  # another action was played than the one that the search thought best


@dataclass
class Table:
    """What a table has played."""

    samples: Samples
    figures: dict[str, float] = field(default_factory=dict)


def play_table(
    game: Game,
    recipe: Recipe,
    network: Network | None,
    games: int,
    seed: int,
    count: Callable[[int, int], None] = lambda games, evaluations: None,
) -> Table:
    """So many games of a network against itself; without one, of plain UCT. `count` is told how many are done."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # uncompiled, as compiled
        return _Table(game, recipe, network, games, seed, count).play()


def check_finite(game: Game, planes: Any, where: str) -> None:
    bad = planes[~np.isfinite(planes)]
    if len(bad):
        raise GameError(
            f"{game.title}.observe wrote {bad[0]} {where}, expected finite numbers; `playout doctor` tells more"
        )


def check_observations(game: Game) -> None:
    """Play at random and call `observe` uncompiled: that sees an index out of bounds, which may crash compiled code."""
    random, position = np.random.default_rng(0), game.position()
    looked, until = 0, time.monotonic() + LOOK_SECONDS
    with np.errstate(all="ignore"):
        while looked < LOOKED and time.monotonic() < until:
            if position.is_terminal:
                if not looked:
                    return  # it is over at the start: whoever plays it will say so
                position = game.position()
            chosen = [action for action, weight in position.outcomes() if weight > 0]
            if position.player != CHANCE:
                looked += 1
                check_observation(position)
                chosen = position.actions()
            position = position.play(chosen[int(random.integers(len(chosen)))])


def check_observation(position: Position) -> None:
    game, where = position.game, f"in {position.text or 'the start'}"
    planes = np.zeros(game.planes, np.float32)
    try:
        game.rules.functions["observe"](game.rules.view(position.buffer.copy()), position.player, planes)
    except IndexError as error:
        raise GameError(
            f"{game.title}.observe raised {described(error)}, at {rule_origin(game, error)[1]}, {where}; it may write "
            f"where `planes` = {tuple(game.planes)} has room"
        ) from error
    except Exception:  # noqa: BLE001  # compiled it may be fine; if it is not, self-play says so
        return
    check_finite(game, planes.ravel(), where)


class _Table:
    def __init__(
        self, game: Game, recipe: Recipe, network: Any, games: int, seed: int, count: Callable[[int, int], None]
    ) -> None:
        self.game, self.recipe, self.network = game, recipe, network
        self.games, self.seed, self.count = games, seed, count
        self.begun, self.done, self.moves, self.evaluations = 0, 0, 0, 0
        self.network_seconds = 0.0
        self.lines: dict[int, list[Turn]] = {}  # finished games, by number
        self.kind = value_kind(game)
        if network is None:
            self.quiet = self.loud = Settings()
        else:
            evaluator = Outside(network, batch=recipe.leaves, cache=0)
            self.quiet = Settings(policy=PUCT(1.25, growth=1.0), evaluator=evaluator, unvisited=Parent())
            noise = Noise(recipe.noise, recipe.alpha) if recipe.noise and not recipe.gumbel else None
            self.loud = self.quiet.replace(noise=noise)
            actions, size = game.max_actions, CACHE
            self.cache = {
                "cache_keys": np.zeros(size, np.uint64),
                "cache_weights": np.zeros((size, actions), np.float32),
                "cache_values": np.zeros((size, game.players)),
            }

    def play(self) -> Table:
        began = time.perf_counter()
        seats = [s for _ in range(min(self.recipe.seats, self.games)) if (s := self.next_game()) is not None]
        if self.network is None:
            for seat in seats:
                seated: _Seat | None = seat
                while seated is not None:
                    seated.search.run(self.recipe.teacher)
                    seated = self.moved(seated)
        else:
            self.play_in_step(seats)
        return self.result(time.perf_counter() - began)

    def play_in_step(self, seats: "list[_Seat]") -> None:
        width = int(np.prod(self.game.planes))
        planes = np.zeros((len(seats) * self.recipe.leaves, width), np.float32)
        while seats:
            rows, places = 0, list[tuple[_Seat, Any, int]]()
            for seat in seats:
                slots = seat.gather()
                if len(slots):
                    planes[rows : rows + len(slots)] = seat.search.batches.arrays.planes[slots]
                    places.append((seat, slots, rows))
                    rows += len(slots)
            if rows:
                self.check_seen(planes[:rows], places)
                began = time.perf_counter()
                policy, values = self.network(planes[:rows].reshape(rows, *self.game.planes))
                policy, values = checked(policy, values, rows, self.game, "the network")
                self.network_seconds += time.perf_counter() - began
                self.evaluations += rows
                self.count(0, rows)
                for seat, slots, first in places:
                    last = first + len(slots)
                    seat.search.batches.settle(slots, policy[first:last], values[first:last])
            seats = [s for seat in seats if (s := self.moved(seat) if seat.is_ready() else seat) is not None]

    def check_seen(self, planes: Any, places: "list[tuple[_Seat, Any, int]]") -> None:
        """A network would answer with nonsense, and be blamed for it."""
        if np.isfinite(planes).all():
            return
        row = int(np.flatnonzero(~np.isfinite(planes).all(axis=1))[0])
        seat = next(seat for seat, slots, first in places if first <= row < first + len(slots))
        check_finite(self.game, planes[row], f"some actions after {seat.search.position.text or 'the start'}")

    def moved(self, seat: "_Seat") -> "_Seat | None":
        """The same seat after its move, at a new game if the old one is over; None: there are no more."""
        if not seat.move():
            return seat
        self.lines[seat.number] = seat.turns
        self.done += 1
        self.count(1, 0)
        return self.next_game()

    def next_game(self) -> "_Seat | None":
        if self.begun >= self.games:
            return None
        self.begun += 1
        return _Seat(self, self.begun - 1)

    def worth(self, turn: Turn, after: Any) -> Any:
        """What everybody gets from a turn on: as proven, or as the game went on.

        Where another action was played than the search would have, for variety, how the game went on tells of that
        action only: what the search thought of its own choice counts instead, for the turn and for those before it.
        """
        if turn.proven is not None:
            return turn.proven
        if turn.strayed and self.kind == "scalar":
            worth = np.full(self.game.players, (self.game.sums_to or 0.0) - turn.value)
            worth[turn.player] = turn.value
            return worth
        return turn.rewards + after

    def learnt(self, turn: Turn, after: Any) -> float:
        """The value to learn: proven, or between how the game went and what the search thought."""
        went = float(after[turn.player])
        return went if turn.proven is not None else went + self.recipe.blend * (turn.value - went)

    def result(self, seconds: float) -> Table:
        planes, policies, values, entropy, lengths, firsts = [], [], [], list[float](), list[int](), list[float]()
        players = self.game.players
        for number in sorted(self.lines):
            after, total = np.zeros(players), np.zeros(players)
            turns = self.lines[number]
            for turn in reversed(turns):
                after = self.worth(turn, after)
                total += turn.rewards
                if turn.planes is not None:
                    planes.append(turn.planes)
                    policies.append(turn.policy)
                    values.append([self.learnt(turn, after)] if self.kind == "scalar" else after)
                    seen = turn.policy[turn.policy > 0]
                    entropy.append(float(-(seen * np.log(seen)).sum()))
            lengths.append(len(turns))
            firsts.append(float(total[0]))
        width = int(np.prod(self.game.planes))
        samples = Samples(
            np.array(planes, np.float32).reshape(len(planes), width),
            np.array(policies, np.float32).reshape(len(planes), self.game.policy_size),
            np.array(values, np.float32).reshape(len(planes), 1 if self.kind == "scalar" else players),
        )
        if not np.isfinite(samples.values).all():
            bad = samples.values[~np.isfinite(samples.values)][0]
            raise GameError(
                f"{self.game.title}: a game brought {bad} in all, expected finite numbers that fit into 32 bits; "
                f"`playout doctor` looks at the rewards of `apply`"
            )
        figures = {
            "games": float(len(lengths)),
            "moves": float(sum(lengths)),
            "samples": float(len(planes)),
            "evaluations": float(self.evaluations),
            "seconds": seconds,
            "network_seconds": self.network_seconds,
            "entropy": float(np.mean(entropy)) if entropy else 0.0,
            "first": float(np.mean(firsts)) if firsts else 0.0,
        }
        return Table(samples, figures)


class _Seat:
    """One game in play."""

    def __init__(self, table: _Table, number: int) -> None:
        self.table, self.number, self.recipe = table, number, table.recipe
        self.random = np.random.default_rng(seed_of(table.seed, number))
        self.turns: list[Turn] = []
        self.moves = 0
        position = self.past_chance(self.opening())
        self.search = Search(table.game, table.quiet, position=position, seed=seed_of(table.seed, "search", number))
        if table.network is not None:
            batches = self.search.batches
            batches.arrays = batches.arrays._replace(**table.cache)
        self.begin_turn()

    def opening(self) -> Position:
        """The start, or in a share of the games a position some random actions later."""
        start = self.table.game.position()
        if self.recipe.openings == 0 or self.random.random() >= self.recipe.opened:
            return start
        for _ in range(10):
            position, made = start, 0
            wanted = int(self.random.integers(1, self.recipe.openings + 1))
            while made < wanted and not position.is_terminal:
                if position.player == CHANCE:
                    position = position.play(self.outcome(position))
                else:
                    actions = position.actions()
                    position = position.play(actions[int(self.random.integers(len(actions)))])
                    made += 1
            if not self.past_chance(position).is_terminal:
                self.moves = made
                return position
        return start

    def outcome(self, position: Position) -> int:
        return draw_outcome(position, self.random)

    def past_chance(self, position: Position) -> Position:
        while position.player == CHANCE:
            position = position.play(self.outcome(position))
        return position

    # One turn.

    def choose_effort(self) -> None:
        """Before a turn begins: whether it is searched in full, with noise, and learnt from."""
        self.full = self.table.network is None or self.random.random() >= self.recipe.cheap
        self.search.settings = self.table.loud if self.full else self.table.quiet

    def begin_turn(self) -> None:
        if not self.turns:
            self.choose_effort()
        search, node = self.search, self.search.tree.nodes[core.ROOT]
        wanted = self.recipe.simulations if self.full else self.recipe.cheap_simulations
        self.halving: Halving | None = None
        # The first simulation of a new root evaluates the root itself: there must be one more.
        self.stop_at = max(1 if node["visits"] > 0 else 2, wanted // 4, wanted - int(node["visits"]))
        self.solved = False
        if self.table.network is not None and self.recipe.gumbel and node["visits"] > 0:
            self.begin_halving()
        planes = None
        if self.full:
            planes = search.position.observe().ravel()
            check_finite(self.table.game, planes, f"in {search.position.text or 'the start'}")
        self.turns.append(Turn(search.position.player, planes=planes))

    def begin_halving(self) -> None:
        node, block = self.root()
        logits = np.log(np.maximum(block["prior"], 1e-12))
        noise = self.random.gumbel(size=len(block)) if self.full else np.zeros(len(block))
        order = np.argsort(block["action"], kind="stable")  # edges change places in the tree; actions stay
        self.actions = block["action"][order].copy()
        self.halving = Halving(
            logits[order],
            self.recipe.considered,
            max(1, self.stop_at - self.search.simulations),
            noise,
            float(self.scaled(np.array([float(node["value"])]))[0]),
        )

    def root(self) -> tuple[Any, Any]:
        tree = self.search.tree
        node = tree.nodes[core.ROOT]
        first = int(node["first_edge"])
        return node, tree.edges[first : first + int(node["count"])]

    def scaled(self, values: Any) -> Any:
        """Values from 0 to 1, by the game's range or by what was seen."""
        limits = self.table.game.range or tuple(float(b) for b in self.search.tree.bounds[:2])
        low, high = limits
        return np.clip((values - low) / (high - low), 0.0, 1.0) if high > low else np.full(len(values), 0.5)

    def statistics(self) -> tuple[Any, Any]:
        """Visits and scaled values of the root's actions, in their order."""
        _, block = self.root()
        order = np.argsort(block["action"], kind="stable")
        return block["visits"][order].astype(np.int64), self.scaled(block["value"][order].astype(np.float64))

    def gather(self) -> Any:
        """Leaves that wait for an answer: their places. None where the turn needs no more."""
        search = self.search
        if search.tree.nodes[core.ROOT]["visits"] == 0:
            slots = self.collect(1, search.simulations + 1, -1)
            if len(slots) or self.solved:
                return slots
            search._add_noise()  # the answer was in the cache: nobody else does it
        if self.recipe.gumbel:
            if self.halving is None:
                self.begin_halving()
            return self.gather_halving()
        visits = int(search.tree.nodes[core.ROOT]["visits"])
        return self.collect(min(self.recipe.leaves, 1 + visits // RAMP), self.stop_at, -1)

    def gather_halving(self) -> Any:
        found = list[int]()
        halving, search = self.halving, self.search
        assert halving is not None
        while len(found) < self.recipe.leaves and not halving.done and not self.solved:
            if found and halving.pass_is_over:
                break  # the next round is about what these will say
            action = self.actions[halving.next(*self.statistics())]
            done = search.simulations + int(search.batches.arrays.info[core.WAITING])
            found += self.collect(1, done + 1, self.edge_of(int(action))).tolist()
        return np.array(found, np.int32)

    def edge_of(self, action: int) -> int:
        """The root's edge of an action, brought to the front of those without a visit if it has none."""
        node, block = self.root()
        at = int(np.flatnonzero(block["action"] == action)[0])
        opened = int(node["opened"])
        if at > opened:  # neither was visited: only these two fields differ
            for name in ("action", "prior"):
                block[name][[at, opened]] = block[name][[opened, at]]
            at = opened
        return int(node["first_edge"]) + at

    def collect(self, wanted: int, stop_at: int, forced: int) -> Any:
        search, batches = self.search, self.search.batches
        found = list[int]()
        while len(found) < wanted:
            status, detail = batches.collect(wanted - len(found), stop_at, self.table.game.policy_size, forced)
            found += batches.arrays.fresh[: int(batches.arrays.info[core.FRESH])].tolist()
            if status in (endings.GROW, endings.DEEPER):
                search._serve(status, detail)
                continue
            if status in (endings.SOLVED, endings.FULL, endings.DECIDED):
                self.solved = True
            elif status not in (endings.DONE, endings.NO_SLOT):
                search._serve(status, detail)
                raise GameError(f"{self.table.game.title}: the search came back with status {status} in self-play")
            break
        return np.array(found, np.int32)

    def is_ready(self) -> bool:
        if self.solved:
            return int(self.search.batches.arrays.info[core.WAITING]) == 0
        if self.halving is not None:
            return self.halving.done
        return self.search.simulations >= self.stop_at

    def move(self) -> bool:
        """Note what the search has found and play on; whether the game is over."""
        search, turn = self.search, self.turns[-1]
        weights = self.weights()
        _, block = self.root()
        if self.full:
            turn.policy = self.as_policy(block["action"], weights)
        node = search.tree.nodes[core.ROOT]
        favourite = self.favourite(weights)
        turn.value = float(block["value"][favourite] if block["visits"][favourite] > 0 else node["value"])
        if node["proof"] > core.NO_PROOF and search.params.solver:
            turn.proven = search.tree.proofs[node["proof"]].copy()
        action = int(self.choice(block, weights))
        turn.strayed = action != int(block["action"][favourite])
        self.moves += 1
        self.choose_effort()
        after = search.play(action)
        turn.rewards = after.rewards.copy()
        while after.player == CHANCE:
            after = search.play(self.outcome(after))
            turn.rewards = turn.rewards + after.rewards
        if after.is_terminal or self.moves >= self.recipe.max_moves:
            return True
        self.begin_turn()
        return False

    def weights(self) -> Any:
        """What the search thinks of the root's edges, in their order in the tree: shares that sum to one.

        Visits, or Gumbel's improved policy. Where the position is proven, only actions that are proven to be as good.
        With one player, an action that is proven gets no more visits: if it is the answer, it counts as the most
        visited one.
        """
        node, block = self.root()
        shares = block["visits"].astype(np.float64)
        if self.table.game.players == 1 and block["child"][best := self.favourite(shares)] < 0:
            shares[best] = shares.max()
        if self.halving is not None and not self.solved:
            order = np.argsort(block["action"], kind="stable")
            shares = np.zeros(len(block))
            shares[order] = self.halving.policy(*self.statistics())
        if node["proof"] > core.NO_PROOF and self.search.params.solver:
            value = float(self.search.tree.proofs[node["proof"], node["player"]])
            good = (block["child"] < 0) | (block["child"] == core.END)
            good &= np.abs(block["value"] - value) < 1e-9
            if good.any():
                shares = np.where(good, shares + 1e-3, 0.0)
        if shares.sum() <= 0.0:
            shares = block["prior"].astype(np.float64) + 1e-9
        return shares / shares.sum()

    def as_policy(self, actions: Any, weights: Any) -> Any:
        policy, position = np.zeros(self.table.game.policy_size, np.float32), self.search.position
        for action, weight in zip(actions.tolist(), weights.tolist(), strict=True):
            policy[position.action_index(action)] += weight
        return policy

    def choice(self, block: Any, weights: Any) -> int:
        if self.halving is not None and not self.solved:
            return int(self.actions[self.halving.best(*self.statistics())])
        if self.moves < self.recipe.temperature_moves:
            return int(block["action"][int(self.random.choice(len(block), p=weights))])
        return int(block["action"][self.favourite(weights)])

    def favourite(self, weights: Any) -> int:
        """Where in its block the root has the action that the search would play."""
        best = -1
        if self.halving is None or self.solved:
            best = int(best_edge(self.search.params, self.search.tree, core.ROOT))  # type: ignore[no-untyped-call]
        node, _ = self.root()
        return best - int(node["first_edge"]) if best >= 0 else int(np.argmax(weights))
