"""The Python-object game: every library, two dictionary searches and ours on the one object of objects.py."""

from __future__ import annotations

import random
import time
from functools import partial

from . import soundness
from .libraries import DIRECT, LIBRARIES, WALKING, Library
from .measure import Check, Contender, Options, Row, interleave, rate
from .objects import TicTacToe

SIMULATIONS = 10_000
WALKING_SIMULATIONS = 5_000  # one run of it takes longer than all the others together
QUICK = 2_000
ROUNDS = 3


def measure(options: Options) -> list[Row]:
    simulations = options.pick(SIMULATIONS, QUICK)
    walking_simulations = options.pick(WALKING_SIMULATIONS, QUICK)
    row = Row(f"Python-object tic-tac-toe (Node kind), {simulations:,} simulations", "simulations/s")
    row.notes.append(f"'{WALKING.name}' does {walking_simulations:,}: the larger its tree, the slower")
    usable: list[Library] = [DIRECT]
    for library in LIBRARIES:
        if reason := library.missing():
            row.notes.append(reason)
        else:
            usable.append(library)
    contenders = [Contender(WALKING.name, partial(_rate, WALKING, walking_simulations), rounds=1)]
    contenders += [Contender(library.name, partial(_rate, library, simulations)) for library in usable]
    if not options.peers_only:
        from . import ours

        ours.warm_up(ours.wrapped(TicTacToe()))
        contenders.append(Contender(ours.NAME, partial(_rate_of_ours, simulations)))
    best = interleave(contenders, options.pick(ROUNDS, 2))
    row.ours = best.pop("playout", None)
    row.peers = best
    wrong, notes = _soundness(usable, options.pick(40, 10))
    row.notes += notes
    libraries = [library.name for library in usable if library is not DIRECT]
    if row.ours is not None and libraries:
        fastest = max(libraries, key=best.__getitem__)
        row.checks.append(Check(f"x the fastest library, {fastest}", row.ours / best[fastest], 1.5))
        sound = [name for name in libraries if name not in wrong]
        if fastest in wrong and sound:
            fastest = max(sound, key=best.__getitem__)
            row.notes.append(f"{row.ours / best[fastest]:.2f} x the fastest that plays right, {fastest}")
    return [row]


def _rate(library: Library, simulations: int) -> float:
    random.seed(1)
    begin = time.perf_counter()
    answer = library.search(TicTacToe(), simulations)
    return answer.simulations / (time.perf_counter() - begin)


def _rate_of_ours(simulations: int) -> float:
    from . import ours

    search = ours.wrapped(TicTacToe())
    return rate(simulations, lambda: search.run(simulations=simulations))


def _soundness(libraries: list[Library], positions: int) -> tuple[set[str], list[str]]:
    """Which libraries play wrongly, and a line about each: their speed does not count."""
    wrong, notes = set(), []
    for library in libraries:
        kept = soundness.kept(library.search, positions)
        if kept < positions:
            wrong.add(library.name)
            notes.append(f"{library.name} plays wrongly: it finds {kept} of {positions} only moves")
        done = library.search(TicTacToe(), SIMULATIONS).simulations
        if done < SIMULATIONS:
            wrong.add(library.name)
            notes.append(f"{library.name} gets stuck: asked for {SIMULATIONS:,} simulations, it ends after {done:,}")
    return wrong, notes
