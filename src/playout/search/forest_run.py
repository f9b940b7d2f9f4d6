"""One run of several trees: threads take turns with the trees, chunk by chunk, up to fixed counts of simulations.

Proofs and early stops are only looked for when all trees have reached such a count. What a run finds then does not
depend on how fast the threads are, nor on how many there are; only a limit of seconds and `stop` end it in between.
"""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.common.runtime import COMPILED, cores
from playout.core import answer
from playout.core import tree as core

from .chunks import ENDLESS, ChunkedRun
from .forest import GrownTree, divided
from .limits import Limits
from .merge import MergedRoot, is_proven, merged_result
from .result import Result
from .runner import Runner

if TYPE_CHECKING:
    from .search import Search

FIRST_STAGE = 1024  # simulations of each tree after which the trees are compared; then after twice as many, and so on
FIRST_SLOW_STAGE = 16  # the same where Python code answers, which may take a second for each
LOOK_SECONDS = 0.1  # between two calls of `progress`, for which all threads pause; and between two looks at Ctrl-C


def asks_python(runner: Runner) -> bool:
    """Whether simulations wait for a Python object, a function or a network, which only one tree at a time asks."""
    return runner.game.keeps_objects or runner.batches is not None


def threads_for(runner: Runner, trees: int) -> int:
    """How many trees grow at once."""
    return 1 if asks_python(runner) or not COMPILED else min(trees, cores())


class GrowingTree:
    """One of the trees in a run."""

    def __init__(self, runner: Runner, limits: Limits | None, began: float) -> None:
        self.runner = runner
        self.run = None if limits is None else ChunkedRun(runner, limits, began, early_stop=False)
        self.ended_by = "" if self.run is not None else "simulations"
        self.stop_at = ENDLESS  # the end of the stage

    def advance(self) -> bool:
        """Run one chunk; returns whether the tree has more to do in this stage."""
        runner = self.runner
        assert self.run is not None
        with runner.game.using_random(runner.random, runner.control.overdue):
            self.ended_by = self.run.advance(self.stop_at) or ""
        return self.has_work

    @property
    def has_work(self) -> bool:
        """Whether it has not reached the end of the stage, nor of the run."""
        return not self.ended_by and self.runner.simulations < self.stop_at


class ForestRun:
    """One call of `Search.run` with several trees."""

    def __init__(
        self, trees: Sequence[GrownTree], limits: Limits, early_stop: bool, progress: Callable[[float], None] | None
    ) -> None:
        first = trees[0].runner
        self.limits, self.progress, self.began = limits, progress, time.perf_counter()
        self.params = first.params if early_stop else first.params._replace(early_stop=0)
        self.runners = [tree.runner for tree in trees]
        self.before = [runner.simulations for runner in self.runners]
        self.shares = divided(limits, trees)
        self.growing = [
            GrowingTree(runner, share, self.began) for runner, share in zip(self.runners, self.shares, strict=True)
        ]
        self.threads = threads_for(first, len(trees))
        self.waiting: deque[GrowingTree] = deque()
        self.errors: list[BaseException] = []  # the first one comes first
        self.round_ends = math.inf
        self.at_work = threading.Condition()
        self.workers, self.is_cancelled = 0, False  # threads that grow trees, guarded by `at_work`

    @property
    def done(self) -> int:
        """The simulations of this run so far."""
        return sum(runner.simulations for runner in self.runners) - sum(self.before)

    def go(self) -> str:
        """Run until a limit is reached; returns which one."""
        while not (reason := self._reason()):
            self._next_stage()
            if not self.waiting:
                break
            while self.waiting:
                self._tell()
                self._round()
        self._tell()
        return reason or self._limit_reached()

    def _reason(self) -> str:
        """Why the run ends now, looked for between stages: "" if it goes on, or if its limits end it."""
        if any(growing.ended_by == "stop" for growing in self.growing):
            return "stop"
        trees = [runner.tree for runner in self.runners]
        if is_proven(self.params, trees):
            return "proven"
        if self.params.early_stop and self.done and not all(growing.ended_by for growing in self.growing):
            more = self._remaining()
            if more and answer.is_decided(self.params, MergedRoot.of(self.params, trees).tree, more):
                return "decided"
        return ""

    def _remaining(self) -> int | None:
        """The simulations that this run may still do, at the rate so far where time limits it; None: any number."""
        if self.limits.simulations is not None:
            return self.limits.simulations - self.done
        if self.limits.seconds is None:
            return None
        now = max(1e-9, time.perf_counter() - self.began)
        return int(self.done / now * max(0.0, self.limits.seconds - now)) + 1

    def _limit_reached(self) -> str:
        """The limit that ended a tree, those that are not simulations first."""
        found = {growing.ended_by for growing in self.growing}
        return next((reason for reason in ("full", "bytes", "nodes", "seconds") if reason in found), "simulations")

    def _next_stage(self) -> None:
        """Set the count of simulations up to which all trees grow next, and queue those that have less."""
        open_trees = [growing for growing in self.growing if not growing.ended_by]
        level = FIRST_SLOW_STAGE if asks_python(self.runners[0]) else FIRST_STAGE
        while level <= min((growing.runner.simulations for growing in open_trees), default=0):
            level *= 2
        for growing in open_trees:
            growing.stop_at = ENDLESS if growing.runner.cuts_batches else level
        self.waiting = deque(growing for growing in open_trees if growing.has_work)

    def _round(self) -> None:
        """Grow the waiting trees to the end of the stage, or until it is time to call `progress`."""
        self.round_ends = math.inf if self.progress is None else time.perf_counter() + LOOK_SECONDS
        count = min(self.threads, len(self.waiting))
        if self.threads == 1:
            self._work()
        else:
            self._in_threads([threading.Thread(target=self._work, name=f"playout-tree-{i}") for i in range(count)])
        if self.errors:
            raise self.errors[0]

    def _in_threads(self, threads: list[threading.Thread]) -> None:
        """Run threads to their end; Ctrl-C, which may come anywhere here, ends them early."""
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive():
                    thread.join(LOOK_SECONDS)  # some systems deliver Ctrl-C only in between
        except BaseException:
            with self.at_work:
                self.is_cancelled = True  # for a thread that was just starting
            self._stop()
            with self.at_work:
                self.at_work.wait_for(lambda: self.workers == 0)
            for thread in filter(threading.Thread.is_alive, threads):
                thread.join()
            raise

    def _work(self) -> None:
        """Grow one waiting tree after the other, a chunk each. Runs in each thread."""
        with self.at_work:
            if self.is_cancelled:
                return
            self.workers += 1
        try:
            while not self.errors and time.perf_counter() < self.round_ends:
                try:
                    growing = self.waiting.popleft()
                except IndexError:  # the other threads have the rest
                    return
                if growing.advance():
                    self.waiting.append(growing)
                elif growing.ended_by == "proven" and growing.runner.cuts_batches:  # there are no stages to end
                    self.waiting.clear()
        except BaseException as error:  # noqa: BLE001  # raised again where `run` was called
            self.errors.append(error)
            self._stop()
        finally:
            with self.at_work:
                self.workers -= 1
                self.at_work.notify_all()

    def _stop(self) -> None:
        for runner in self.runners:
            runner.control.stop()

    def _tell(self) -> None:
        if self.progress is not None:
            trees = [runner.tree for runner in self.runners]
            self.progress(self.limits.share(trees, self.done, time.perf_counter() - self.began))


def run_forest(search: "Search", limits: Limits, early_stop: bool, progress: Callable[[float], None] | None) -> Result:
    """A run of a search with several trees, which is held, checked and compiled; the result of all together."""
    trees, before = search.grown, [tree.counters.copy() for tree in search.trees]
    run = search.grow(trees, limits, early_stop, progress)
    for tree, share in zip(trees, run.shares, strict=True):
        if share is not None:
            tree.runner.reserve(share, len(trees))
        tree.runner.control.deadline = None if limits.seconds is None else run.began + limits.seconds
    try:
        reason = run.go()
    finally:
        for tree, counters in zip(trees, before, strict=True):
            tree.runner.control.deadline = None
            tree.past.note_run(tree.runner.simulations - int(counters[core.SIMULATIONS]))
    return merged_result(search, time.perf_counter() - run.began, before, reason)
