"""Compile what searches need ahead of time: for `playout warm`, for the workbench, and before the tests."""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from numba.core.errors import NumbaExperimentalFeatureWarning

from playout import games
from playout.common.runtime import cores
from playout.core.jit import COMPILED
from playout.errors import GameError, SettingsError
from playout.search import Search
from playout.search.compiling import compiling, is_first
from playout.search.runner import Runner
from playout.settings import Settings, preset_for
from playout.settings.options import make_settings
from playout.workers.workers import Workers

FEW = 20  # simulations: enough for a tree whose best move can be played
STEP = "playout.core.select.select"  # which only a step calls from Python
SMALL = "tictactoe"  # its rules compile fastest


@dataclass(frozen=True)
class Task:
    """Searches that are run, stepped or played on, or other work, so that its code gets compiled."""

    name: str
    game: str = SMALL
    options: tuple[tuple[tuple[str, str], ...], ...] = ((),)  # of each search
    preset: str | None = "default"  # None: the game's own
    stepped: bool = False
    work: Callable[[], None] | None = None  # what to do instead of searching

    def searches(self) -> Iterator[Search]:
        """One search for each set of options."""
        game = games.load(self.game)
        for given in self.options:
            yield Search(game, make_settings(preset_for(game, self.preset), dict(given)))


@dataclass(frozen=True)
class Done:
    """The outcome of a task; `skipped` says why it could not be compiled."""

    task: Task
    functions: int
    seconds: float
    skipped: str = ""


POLICIES = ((("policy", "uct"),), (("policy", "puct"),))
TREES = [Task("trees", options=POLICIES), Task("steps", options=POLICIES, stepped=True)]
GRAPH, OPEN = ((("transpositions", "on"),),), ((("open_loop", "on"),),)
OTHERS = [
    Task("graphs", options=GRAPH),
    Task("steps in graphs", options=GRAPH, stepped=True),
    Task("open loops", "game2048", OPEN),
    Task("steps in open loops", "game2048", OPEN, stepped=True),
    Task("threads", options=((("threads", "2"),),)),
    Task("networks", preset="network"),
    Task("steps with networks", preset="network", stepped=True),
]


def compile_kernel() -> None:
    """Compile the kernel of all searches in trees, which takes longest, without what a search needs before it."""
    game = games.load(SMALL)
    runner = Runner(game, Settings(), 0)
    runner.tree = runner.new_tree(game.position(), 0)
    runner.compile()


# Two halves of `TREES`, for two processes at the same time.
GROUPS = {
    "kernel": [Task("kernel", work=compile_kernel), Task("steps with puct", options=POLICIES[1:], stepped=True)],
    "others": [Task("steps with uct", options=POLICIES[:1], stepped=True), *TREES],
}


def tasks(names: Sequence[str] = (), everything: bool = False) -> list[Task]:
    """What to compile: the search in trees and the rules of these games; with `everything`, all games and searches."""
    for name in names:
        games.load(name)  # errors come before anything is compiled
    wanted = [*names, *(name for name in games.names() if everything and name not in names)]
    return [*TREES, *(OTHERS if everything else ()), *(Task(name, name, preset=None) for name in wanted)]


def run_task(task: Task) -> Done:
    """Compile in this process."""
    before, began = compiling.functions, time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
            if task.work is not None:
                task.work()
            else:
                for search in task.searches():
                    _use(search, task.stepped)
    except (SettingsError, GameError) as error:  # no ONNX Runtime, a game that fails
        return Done(task, compiling.functions - before, time.perf_counter() - began, str(error))
    return Done(task, compiling.functions - before, time.perf_counter() - began)


def _use(search: Search, stepped: bool) -> None:
    if stepped:
        search.step()
        return
    result = search.run(FEW)
    if result.best is not None:
        search.play(result.best)
        if not search.position.is_terminal and search.position.player >= 0:
            search.run(1)


class CompileWorker:
    """A process that compiles for `warm`."""

    def play(self, task: Task) -> Done:
        """Compile one task."""
        return run_task(task)

    def close(self) -> None:
        """Nothing to close."""


def warm(wanted: Sequence[Task], finished: Callable[[Done], None], processes: int | None = None) -> None:
    """Compile tasks in processes, or with one process in this one; `finished` gets each outcome."""
    count, compiling.quiet = min(processes or cores(), len(wanted)), True
    if count == 1 or not COMPILED:
        for task in wanted:
            finished(run_task(task))
        return

    def told(done: Done) -> bool:
        finished(done)
        return False

    Workers(CompileWorker, count, "the warm-up").play(((task,) for task in wanted), told)


def compile_group(name: str) -> None:
    """Compile the tasks of a group in this process."""
    warm(GROUPS[name], lambda done: None, 1)


def be_modest() -> None:
    """Lower this process's priority."""
    if hasattr(os, "nice"):
        os.nice(10)


def is_needed() -> bool:
    """Whether a first run or step would have to wait for the compiler."""
    return COMPILED and (is_first() or is_first(STEP))
