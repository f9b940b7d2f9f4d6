"""Nested search (NRPA and NMCS) for games of one player without chance: planning and optimisation."""

from pathlib import Path
from typing import Any

from playout.common.arguments import path_from, refuses_unknown_names
from playout.errors import SettingsError
from playout.game import Position

from .files import describe
from .methods import METHODS, NMCS, NRPA
from .solution import Solution
from .solver import CTRL_C, SECONDS, Progress, Solver

__all__ = ["CTRL_C", "METHODS", "NMCS", "NRPA", "SECONDS", "Solution", "Solver", "solve"]


@refuses_unknown_names
def solve(
    game: Any,
    method: str | NRPA | NMCS | None = None,
    *,
    seconds: float | None = None,
    playouts: int | None = None,
    target: float | None = None,
    position: str | Position | None = None,
    runs: int | None = None,
    threads: int | None = None,
    seed: int | None = 0,
    file: str | Path | None = None,
    progress: Progress | None = None,
    ray: str | None = None,
) -> Solution:
    """Find a line of high return in a game of one player without chance, by nested search.

    Args:
        game: a `Game` of one player, or a Python object for `wrap`.
        method: "nrpa" or `NRPA(…)`, which learns a policy by the codes of actions; "nmcs" or `NMCS(…)`.
        seconds: how long; 10 when there is no limit at all.
        playouts: how many, of all runs together.
        target: end as soon as a line is worth this much.
        position: where to begin; by default at the start.
        runs: independent runs, of which the best line counts; by default as many as cores.
        threads: how many of them at once; by default as many as cores.
        seed: the same seed, runs and playouts give the same line, whatever the number of cores; None: any.
        file: where the search is kept, to go on from with the same call; what it holds replaces `method`, `runs` and
            `seed`, which must agree if they are given.
        progress: called now and then with the solver and the share of the limits that is used up.
        ray: the address of a Ray cluster (`HOST:PORT`, `auto`, `local`) that does the runs.

    Returns:
        The best line found, which was played again by the game's rules. Ctrl-C returns the best line so far.
    """
    path = None if file is None else path_from(file, "solve")
    if path is None or not path.exists():
        solver = Solver(game, method, position=position, seed=seed, runs=runs)
    else:
        solver = Solver.load(path, game)
        asked = Solver(game, method, position=position, seed=seed, runs=solver.runs if runs is None else runs)
        if difference := describe(path, solver, asked, method is not None):
            raise SettingsError(difference)
    return solver.run(seconds, playouts, target=target, threads=threads, progress=progress, file=path, ray=ray)
