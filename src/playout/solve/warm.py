"""What `playout warm` compiles for nested search."""

from collections.abc import Sequence
from functools import partial

from playout import games
from playout.play.warm import Task

from .methods import NMCS, NRPA
from .solver import Solver

FEW = 20  # playouts


def solve_a_little(name: str) -> None:
    """Run both methods on a game; Python objects can't be solved with NRPA, and have nothing to compile for it."""
    game = games.load(name)
    for method in (NMCS(levels=1),) if game.keeps_objects else (NRPA(levels=1), NMCS(levels=1)):
        Solver(game, method, runs=1).run(playouts=FEW)


def can_be_solved(name: str) -> bool:
    """Whether nested search takes the game."""
    game = games.load(name)
    return game.players == 1 and not game.has("chance_outcomes")


def nested_tasks(names: Sequence[str], everything: bool) -> list[Task]:
    """One task for each game of one player without chance: those named, or all with `everything`."""
    wanted = [*names, *(name for name in games.names() if everything and name not in names)]
    return [Task(f"solving {name}", work=partial(solve_a_little, name)) for name in wanted if can_be_solved(name)]
