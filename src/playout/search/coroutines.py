"""`Search.run_async`: leaves evaluated by coroutines, several at a time."""

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from playout.common.raised import described
from playout.core import tree as core
from playout.errors import EvaluatorError, SettingsError
from playout.evaluators import LeafPolicy, LeafValue
from playout.evaluators.answers import split

from .ask import MOST_LEAVES, Leaf
from .limits import Limits
from .result import Result, result_of

if TYPE_CHECKING:
    from .search import Search

EvaluateLeaf = Callable[[Leaf], Awaitable[tuple[LeafPolicy | None, LeafValue]]]


async def run_async(
    search: "Search",
    evaluate: EvaluateLeaf | None,
    limits: dict[str, Any],
    at_once: int,
    timeout: float | None,
    failures: int,
) -> Result:
    """Keep `at_once` leaves under evaluation by a coroutine until a limit is reached; see `Search.run_async`."""
    if evaluate is None:
        batches = search.runner.batches
        if batches is None or batches.evaluator.observes:
            return await _in_a_thread(search, limits)
        if not batches.evaluator.is_coroutine:
            batches.check_evaluator()
        evaluate = batches.evaluator.function
        timeout = timeout if timeout is not None else batches.evaluator.timeout
    if not callable(evaluate):
        raise SettingsError(f"run_async: the evaluator is {evaluate!r}, expected a coroutine function of a leaf")
    return await _Coroutines(search, evaluate, limits, at_once, timeout, failures).run()


async def _in_a_thread(search: "Search", limits: dict[str, Any]) -> Result:
    """A plain run in another thread; cancelling it stops the run."""
    task = asyncio.ensure_future(asyncio.to_thread(search.run, **limits))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        search.stop()
        with contextlib.suppress(Exception):
            await task
        raise


class _Coroutines:
    """One `run_async`: leaves are sent, and answers received in any order."""

    def __init__(
        self,
        search: "Search",
        evaluate: EvaluateLeaf,
        limits: dict[str, Any],
        at_once: int,
        timeout: float | None,
        failures: int,
    ) -> None:
        self.search, self.evaluate, self.timeout = search, evaluate, timeout
        self.limits, self.failures_left = Limits(**limits), failures
        if not isinstance(at_once, int) or isinstance(at_once, bool) or not 1 <= at_once <= MOST_LEAVES:
            raise SettingsError(f"run_async: at_once is {at_once!r}, expected a number from 1 to {MOST_LEAVES}")
        if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
            raise SettingsError(f"run_async: timeout is {timeout!r}, expected seconds above 0")
        if not isinstance(failures, int) or isinstance(failures, bool) or failures < 0:
            raise SettingsError(f"run_async: failures is {failures!r}, expected a whole number of at least 0")
        self.at_once, self.tasks = at_once, dict[asyncio.Future[Any], Leaf]()

    async def run(self) -> Result:
        asking = self.search.asking
        if asking.in_coroutines:
            raise SettingsError("run_async: this search is in another run_async; wait for its end, or stop() it")
        asking.in_coroutines = True
        try:
            return await self._run()
        finally:
            asking.in_coroutines = False

    async def _run(self) -> Result:
        search = self.search
        search.runner.control.start_over()
        began, before = time.perf_counter(), search.tree.counters.copy()
        start = int(before[core.SIMULATIONS])
        if self.limits.simulations is not None:
            search.past.aim(self.limits.simulations)
        try:
            while True:
                reason = self._reason(began, start)
                if reason is None:
                    done = search.simulations
                    self._send(start)
                    if not self.tasks:
                        if search.simulations > done:
                            await asyncio.sleep(0)  # no simulation needed an answer
                            continue
                        if others := len(search.asked):
                            raise SettingsError(
                                f"run_async: nothing can be searched before the leaves that `ask` gave out are "
                                f"answered ({others}); `tell` or `take_back` them first"
                            )
                        proven = search.tree.nodes[core.ROOT]["proof"] > core.NO_PROOF and search.params.solver
                        reason = "proven" if proven else "full"
                if reason is not None:
                    break
                await self._receive(began)
        finally:
            await self._take_back()
        return result_of(search, time.perf_counter() - began, before, reason)

    def _reason(self, began: float, start: int) -> str | None:
        limits, search = self.limits, self.search
        if limits.simulations is not None and search.simulations - start >= limits.simulations:
            return "simulations"
        if limits.seconds is not None and time.perf_counter() - began >= limits.seconds:
            return "seconds"
        if limits.nodes is not None and int(search.tree.counters[core.POSITIONS]) >= limits.nodes:
            return "nodes"
        if limits.bytes is not None and core.used_bytes(search.tree) >= limits.bytes:
            return "bytes"
        return "stop" if search.runner.control.is_stopped else None

    def _send(self, start: int) -> None:
        free, stop_at = self.at_once - len(self.tasks), None
        if self.limits.simulations is not None:
            stop_at = start + self.limits.simulations
            free = min(free, stop_at - self.search.simulations - len(self.tasks))
        if free > 0:
            runner = self.search.runner
            with runner.control.busy("run_async"):
                runner.check_root()
                leaves = self.search.asking.ask(free, stop_at)
            for leaf in leaves:
                self.tasks[asyncio.ensure_future(self._evaluated(leaf))] = leaf

    async def _evaluated(self, leaf: Leaf) -> Any:
        answer = self.evaluate(leaf)
        if not inspect.isawaitable(answer):
            raise EvaluatorError(f"the evaluator of {leaf!r} returned {answer!r}, expected a coroutine to await")
        return await asyncio.wait_for(answer, self.timeout)

    async def _receive(self, began: float) -> None:
        left = None
        if self.limits.seconds is not None:
            left = max(0.0, self.limits.seconds - (time.perf_counter() - began))
        done, _ = await asyncio.wait(self.tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        for task in sorted(done, key=lambda task: self.tasks[task].number):
            leaf = self.tasks.pop(task)
            try:
                policy, value = split(task.result(), f"the evaluator of {leaf!r}")
                self.search.tell(leaf, value, policy)
            except Exception as error:  # whatever a user's coroutine raises; the leaf is taken back
                self.search.take_back([leaf])
                self.failures_left -= 1
                if self.failures_left < 0:
                    if isinstance(error, EvaluatorError):
                        raise
                    what = f"raised {described(error)}"
                    if isinstance(error, TimeoutError) and self.timeout is not None:
                        what = f"gave no answer within {self.timeout:g} s"
                    raise EvaluatorError(f"the evaluator {what} for {leaf!r}") from error

    async def _take_back(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.tasks:
            await asyncio.gather(*self.tasks, return_exceptions=True)
            self.search.take_back(list(self.tasks.values()))
