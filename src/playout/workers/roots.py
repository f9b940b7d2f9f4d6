"""The trees of one search grown by workers: bit for bit those that threads grow.

A tree depends on its seed and its count of simulations alone, so a stage of `ForestRun` is one job for each tree: the
tree travels to a worker and comes back with more simulations. A worker that dies has changed nothing.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from playout.core.copying import copied
from playout.core.tree import Tree
from playout.errors import SettingsError
from playout.game import Game
from playout.search import Search
from playout.search.forest import GrownTree
from playout.search.forest_run import ForestRun, GrowingTree
from playout.search.limits import Limits
from playout.search.result import Result
from playout.settings import Settings

from .site import check_can_travel
from .workers import Workers


@dataclass(frozen=True)
class RootsSetup:
    """A search with several roots, as it is sent to workers."""

    game: Game
    settings: Settings
    position: str | None = None
    seed: int = 0

    def search(self) -> Search:
        """The search before its first simulation, in the process that calls this."""
        return Search(self.game, self.settings, position=self.position, seed=self.seed)

    def worker(self) -> "RootsWorker":
        """What grows the trees, in the process that calls this."""
        return RootsWorker(self.search())

    def run(
        self,
        search: Search,
        limits: Limits,
        *,
        workers: int | None = None,
        ray: str | None = None,
        progress: Callable[[Search, float], None] | None = None,
    ) -> Result:
        """Run a fresh search of this setup by workers, in processes or on a cluster, and return its result."""
        self._check(search, ray)
        count = len(search.grown) if workers is None else min(workers, len(search.grown))
        crew = Workers(self.worker, count, "the search", ray=ray, ahead=1)
        search.grow = partial(FarForestRun, crew)
        try:
            crew.wait(partial(_check_interrupt, search))
            return search.run(limits, progress=progress)
        finally:
            search.grow = ForestRun
            crew.close()

    def _check(self, search: Search, ray: str | None) -> None:
        where = "--ray" if ray is not None else "workers"
        if len(search.grown) < 2:
            raise SettingsError(
                f"{where}: this search grows one tree, which stays on one machine; give roots=2 or more"
            )
        if search.simulations:
            raise SettingsError(f"{where}: this search has {search.simulations} simulations already; begin a new one")
        if self.game.keeps_objects:
            raise SettingsError(
                f"{where}: {self.game.title} is made of Python objects, whose trees can't be sent; write a po.Game"
            )
        if any(tree.runner.cuts_batches for tree in search.grown):
            raise SettingsError(
                f"{where}: this search asks its network for batches of positions, so that its trees depend on where a "
                f"run is cut; give batch=1"
            )
        check_can_travel(self, self.game.title)


class RootsWorker:
    """Grows any of the trees from where it was left."""

    def __init__(self, search: Search) -> None:
        self.grown = search.grown
        self.fresh = [copied(tree.runner.tree) for tree in self.grown]
        search.runner.compile()

    def play(self, number: int, tree: Tree | None, stop_at: int, limits: Limits) -> tuple[str, Tree]:
        """The limit that ended a tree's run, if one did, and the tree with `stop_at` simulations."""
        runner = self.grown[number].runner
        runner.tree = copied(self.fresh[number] if tree is None else tree)  # what comes from a cluster can't be written
        began = time.perf_counter()
        runner.control.deadline = None if limits.seconds is None else began + limits.seconds
        runner.reserve(limits, len(self.grown))
        growing = GrowingTree(runner, limits, began)
        growing.stop_at = stop_at
        while growing.has_work:
            growing.advance()
        return growing.ended_by, copied(runner.tree)

    def close(self) -> None:
        """Nothing to close."""


class FarForestRun(ForestRun):
    """A run whose trees grow elsewhere."""

    def __init__(self, crew: Workers, trees: Sequence[GrownTree], *arguments: Any) -> None:
        super().__init__(trees, *arguments)
        self.crew = crew

    def _round(self) -> None:
        """Grow the waiting trees to the end of the stage."""
        waiting = list(self.waiting)
        waves = self.crew.waves(len(waiting))
        jobs = [self._job(growing, waves) for growing in waiting]
        try:
            answers = self.crew.share(jobs, self._look)
        except _StopError:
            for growing in waiting:
                growing.ended_by = "stop"
        else:
            for growing, (ended_by, tree) in zip(waiting, answers, strict=True):
                growing.ended_by, growing.runner.tree = ended_by, copied(tree)
        self.waiting.clear()

    def _job(self, growing: GrowingTree, waves: int) -> tuple[Any, ...]:
        number, runner = self.growing.index(growing), growing.runner
        share, done = self.shares[number], runner.simulations
        assert share is not None  # else it has no work
        if share.simulations is not None:
            share = replace(share, simulations=share.simulations - (done - self.before[number]))
        if share.seconds is not None:
            left = share.seconds - (time.perf_counter() - self.began)
            share = replace(share, seconds=max(1e-3, left / waves))
        return number, runner.tree if done else None, growing.stop_at, share

    def _look(self) -> None:
        if any(runner.control.is_stopped for runner in self.runners):
            raise _StopError


def _check_interrupt(search: Search) -> None:
    """Ctrl-C before the first simulation: there is no result to show, and the run would forget it."""
    if any(tree.runner.control.is_stopped for tree in search.grown):
        raise KeyboardInterrupt


class _StopError(Exception):
    """`Search.stop` was called."""
