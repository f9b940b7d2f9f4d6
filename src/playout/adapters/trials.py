"""Find out by trial which way of copying reproduces an environment, and whether it draws random numbers."""

import contextlib
import copy
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import GameError, PlayoutError, SettingsError

from .copies import (
    INTERFACES,
    MISSING,
    Attributes,
    Deepcopy,
    Interface,
    ReplayCopies,
    StateCopies,
    fingerprint,
    is_fixed,
    same,
)
from .generators import state_of
from .simulator import Simulator

WAYS = ("attributes", "interface", "deepcopy", "replay")
WALKS, LENGTH = 3, 40  # of a trial
TIMED = 20  # copies that are timed
WALKED = 400  # steps of the walk that finds out whether positions come back
ENDINGS, LONGEST = 20, 200  # random episodes that tell how long playouts should be, and their most steps
OFTEN = 8  # positions of a random walk that are all looked at; later, one of as many


class NotReproducedError(Exception):
    """Why one way of copying does not work."""


class NotOfferedError(NotReproducedError):
    """Why a way of copying can't be tried at all."""


def choose_copies(
    sim: Simulator,
    env: Any,
    makers: Sequence[Callable[[], Any]],
    *,
    wanted: str | None,
    start: int | None,
    history: Sequence[Any] | None,
    look: Callable[[], None],
) -> str:
    """Give a simulator the first way of copying that reproduces the environment; returns what it is and costs.

    `makers` make a second instance, `look` reads what the simulator shows where it stands; `start` is the seed of the
    last reset and `history` the actions since then (None: not known).
    """
    if wanted is not None and wanted not in WAYS:
        raise SettingsError(f"{sim.title}: copies is {wanted!r}, expected one of {', '.join(WAYS)}, or None")
    reasons: dict[str, list[str]] = {}
    faults, is_copying = list[str](), False  # what the environment's steps did wrong; whether anything else did
    for way in WAYS if wanted is None else (wanted,):
        for made in makers:
            try:
                _set_up(sim, way, env, made(), start, history)
                took = _tried(sim, env, look)
                return f"{way}: {sim.copies.means}, {took * 1e6:.3g} µs a copy"
            except NotReproducedError as error:
                reason = str(error)
                is_copying |= not isinstance(error, NotOfferedError)
            except GameError as error:
                reason = str(error)
                faults.append(reason)
            except (Exception, PlayoutError) as error:  # noqa: BLE001  # the environment's own code, of any kind
                reason, is_copying = f"raised {described(error)}", True
            if way not in reasons.setdefault(reason, []):
                reasons[reason].append(way)
    if faults and not is_copying:
        raise GameError(faults[0])
    why = "; ".join(f"{', '.join(ways)}: {reason}" for reason, ways in reasons.items())
    raise GameError(f"{sim.title} can't be copied, so it can't be searched; {why}")


def _set_up(sim: Simulator, way: str, env: Any, made: Any, start: int | None, history: Sequence[Any] | None) -> None:
    if way == "attributes":
        sim.copies = StateCopies(made, sim.layers_of)
        sim.copies = Attributes(made, sim.layers_of, _changing(sim, env))
    elif way == "interface":
        inner = sim.layers_of(env)[-1]
        methods = next((pair for pair in INTERFACES if all(callable(getattr(inner, n, None)) for n in pair)), None)
        if methods is None:
            raise NotOfferedError("the environment has none, such as get_state() and set_state(state)")
        sim.copies = Interface(made, sim.layers_of, methods)
        sim.reset(0)
    elif way == "deepcopy":
        sim.copies = Deepcopy(copy.deepcopy(sim.layers_of(env)[0]), sim.layers_of)
    else:
        if start is None:
            raise NotOfferedError("the seed of the last reset is not known; call env.reset(seed=…)")
        sim.copies = ReplayCopies(made, sim.layers_of, history or (), lambda actions: sim.play_again(start, actions))
        sim.reset(start)
    sim.copies.find_generators()


def _changing(sim: Simulator, env: Any) -> list[tuple[int, str]]:
    """The attributes that differ between the environment and a second instance, or change when that is played."""
    layers, real = sim.layers_of(sim.copies.sim), sim.layers_of(env)
    if [type(layer) for layer in layers] != [type(layer) for layer in real]:
        raise NotReproducedError("a second instance has other wrappers")
    first: dict[tuple[int, str], bytes] = {}
    changed: dict[tuple[int, str], None] = {}

    def compare() -> None:
        for i, layer in enumerate(layers):
            for name in {**vars(layer), **{n: None for j, n in first if j == i}}:
                value = vars(layer).get(name, MISSING)
                if (i, name) not in changed and not is_fixed(name, value):
                    now = fingerprint(value)
                    if first.setdefault((i, name), now) != now:
                        changed[i, name] = None

    for number, _ in enumerate(sim.wander(0)):
        if number < OFTEN or number % OFTEN == 0:  # fingerprints of large attributes take long
            compare()
    for i, layer in enumerate(real):
        for name, value in vars(layer).items():
            if (i, name) in changed or is_fixed(name, value):
                continue
            if not same(vars(layers[i]).get(name, MISSING), value):
                changed[i, name] = None
        for name in vars(layers[i]).keys() - vars(layer).keys():
            changed[i, name] = None
    return [place for place in changed if not is_fixed(place[1], vars(layers[place[0]]).get(place[1], MISSING))]


def _tried(sim: Simulator, env: Any, look: Callable[[], None]) -> float:
    """Try a way of copying: seconds for a copy, or `NotReproducedError`. Sets `sim.random`."""
    copies = sim.copies
    before = copies.key(copies.take(env))
    start = copies.take(env)
    copies.put(start)
    if isinstance(copies, Interface):
        if not same(copies.take(env), copies.save()):
            raise NotReproducedError("the state is another one after it was set")
    elif names := _differences(sim.layers_of(env), sim.layers_of(copies.sim)):
        raise NotReproducedError(f"the attribute '{names[0]}' of the copy differs from the environment's")
    sim.random, used = True, False
    for walk in range(WALKS):
        with _global_seed(1):
            first, kept, drew = _walk(sim, start, look, walk, 0)
        with _global_seed(1):
            again, _, _ = _walk(sim, start, look, walk, 0)
        with _global_seed(2):
            other, _, _ = _walk(sim, start, look, walk, 0)
        used |= drew
        if first != again:
            raise NotReproducedError(f"the same actions lead elsewhere after {_first_difference(first, again)} steps")
        if first != other:
            raise NotReproducedError(
                "it draws from the global generators, `random` or `np.random`, which a search can't reseed for it "
                "alone; let it draw from self.np_random"
            )
        if kept is not None:
            state, at = kept
            rest, _, _ = _walk(sim, state, None, walk, at)
            if rest != first[at:]:
                raise NotReproducedError("a state kept in the middle of an episode does not lead to the same end")
    if copies.key(copies.take(env)) != before:
        raise NotReproducedError("the environment itself changes when its copy is stepped")
    sim.random = used
    began = time.perf_counter()
    for _ in range(TIMED):
        copies.put(start)
        copies.save()
    return (time.perf_counter() - began) / TIMED


def comes_back(sim: Simulator, key: Callable[[], bytes]) -> bool:
    """Whether positions come back: in the second half of a random walk, many are known from the first."""
    known: set[bytes] = set()
    met = there = 0
    draw = random.Random(0)
    with contextlib.suppress(GameError):  # some can't be reset
        sim.reset(0)
        for number in range(WALKED):
            if sim.done:
                sim.reset(number)
            else:
                sim.step(draw.choice(list(sim.legal)))
            if sim.done:
                continue
            if number >= WALKED // 2:
                there += 1
                met += key() in known
            known.add(key())
        sim.copies.find_generators()  # a reset makes new ones
    return met > 0.3 * there


def playout_depth(sim: Simulator) -> int | None:
    """How long playouts should be: half as long as random play lasts, where its end is a failure; None: no limit.

    Random play ends by its own mistakes, so what comes after says more about it than about the position. The end is a
    failure if the last step brings no more than the others; a goal brings more, or saves a cost.
    """
    lengths: list[int] = []
    last = others = 0.0
    draw = random.Random(0)
    try:
        for episode in range(ENDINGS):
            sim.reset(episode)
            sim.copies.find_generators()  # a reset makes new ones
            for length in range(1, LONGEST + 1):
                others += sim.rewards[0] if length > 1 else 0.0
                sim.step(draw.choice(list(sim.legal)))
                if sim.done:
                    break
            else:
                return None
            last += sim.rewards[0]
            lengths.append(length)
    except GameError:  # some can't be reset
        return None
    steps = sum(lengths)
    goal = steps > ENDINGS and last / ENDINGS > others / (steps - ENDINGS)
    return None if goal else max(1, round(steps / ENDINGS / 2))


def _differences(real: list[Any], layers: list[Any]) -> list[str]:
    found = []
    for one, other in zip(real, layers, strict=True):
        for name, value in vars(one).items():
            if not is_fixed(name, value) and not same(value, vars(other).get(name, MISSING)):
                found.append(name)
    return found


def _walk(
    sim: Simulator, state: Any, look: Callable[[], None] | None, walk: int, at: int
) -> tuple[list[bytes], tuple[Any, int] | None, bool]:
    """Random actions from a state: what was seen at each step, a state kept on the way, and whether it drew random
    numbers. `at` is the number of the step that the state belongs to; `look` is None where what it shows is known."""
    sim.put(state[0] if at else state)
    if at:
        _, sim.player, sim.legal, sim.done = state
    elif look is not None:
        look()
    found, kept, drew, middle = [], None, False, random.Random(walk).randrange(1, 8)
    for step in range(at, LENGTH):
        if sim.done:
            break
        if step == middle and not at:
            kept = ((sim.copies.save(), sim.player, tuple(sim.legal), sim.done), step)
        draw = random.Random(1000 * walk + step)
        sim.reseed(draw.getrandbits(64))
        before = state_of(sim.copies.generators)
        sim.step(draw.choice(list(sim.legal)))
        drew |= state_of(sim.copies.generators) != before
        found.append(fingerprint((sim.seen, sim.rewards, sim.done, tuple(sim.legal), sim.player)))
    return found, kept, drew


def _first_difference(one: list[bytes], other: list[bytes]) -> int:
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


@contextlib.contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Set the global generators, and restore them afterwards."""
    own, theirs = random.getstate(), np.random.get_state()  # noqa: NPY002  # the global one is what is tested
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(own)
        np.random.set_state(theirs)  # noqa: NPY002
