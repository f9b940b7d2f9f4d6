"""Making the calls: retries with back-off, a rate limit, time-outs, several at once.

`run_here` calls plain functions one after the other in the caller's thread. `run_loop` is for everything else:
coroutines run in its event loop, plain functions in a thread each, which a time-out leaves behind.
"""

import asyncio
import functools
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.common.declare import check_fields, number, setting, whole
from playout.common.raised import described, users_line
from playout.errors import GeneratorError

from .answers import MOST_TOKENS
from .tree import GeneratedNode

if TYPE_CHECKING:
    from .books import Books

LONGEST_PAUSE = 3600.0  # seconds of back-off; said in Pace.backoff
MOST_AT_ONCE = 4096


@setting
class Pace:
    """How generators are called."""

    at_once: int = whole(default=1, least=1, most=MOST_AT_ONCE, meaning="calls under way at a time, at most")
    timeout: float | None = number(default=None, above=0.0, none="none", meaning="seconds for one attempt")
    retries: int = whole(default=2, least=0, most=100, meaning="attempts after the first, where a generator raises")
    backoff: float = number(
        default=1.0,
        least=0.0,
        most=3600.0,
        meaning="seconds before the first retry; twice as many before each further one, up to an hour",
    )
    rate: float | None = number(default=None, above=0.0, none="none", meaning="attempts a second, at most")
    failures: int = whole(
        default=0, least=0, meaning="calls of a run that may fail for good before it ends with an error"
    )

    def check(self) -> None:
        """Raise `SettingsError` where a field has a value that it can't have."""
        check_fields("pace", self)


@dataclass(slots=True, eq=False)
class Call:
    """A call of a generator. A generator with a parameter `call` gets it."""

    number: int
    key: str  # the same when the call is made again, after a crash too: for services that know such keys
    generator: str
    parent: GeneratedNode
    seed: int  # for generators that draw at random, and should draw the same when asked again
    phase: str = "generate"  # or "evaluate"
    state: Any = None  # what is to be evaluated
    cost: float = 0.0  # of the answer that is to be evaluated
    attempted: bool = False
    wasted: float = 0.0  # cost and tokens of failed attempts, which the answer is charged with
    wasted_tokens: int = 0

    def charge(self, error: BaseException) -> None:
        """Note what a failed attempt cost, if its exception says so."""
        if isinstance(error, GeneratorError):
            if isinstance(error.cost, int | float) and 0 <= error.cost < float("inf"):
                self.wasted += float(error.cost)
            if isinstance(error.tokens, int) and 0 <= error.tokens <= MOST_TOKENS:
                self.wasted_tokens += int(error.tokens)

    def to_judge(self, state: Any, cost: float) -> None:
        """Go on to the evaluation of the state that was generated, which is a call with a key of its own."""
        self.phase, self.state, self.cost = "evaluate", state, cost
        self.wasted, self.wasted_tokens = 0.0, 0
        self.key += "e"


class Meter:
    """Lets at most `rate` attempts a second begin."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1.0 / rate
        self._next = 0.0

    def pause(self) -> float:
        """How long the next attempt has to wait."""
        return max(0.0, self._next - time.monotonic())

    def reserve(self) -> None:
        """Take the next free moment of the rate for an attempt."""
        self._next = max(time.monotonic(), self._next) + self._gap


def is_coroutine(function: Any) -> bool:
    """Whether calling something gives a coroutine."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def with_call(function: Any) -> Callable[[Any, Call], tuple[tuple[Any, ...], dict[str, Any]]]:
    """How to pass a state and its call to a function: the call only if it has a parameter named `call`."""
    try:
        found = inspect.signature(function).parameters.get("call")
    except (TypeError, ValueError):  # built in, without a signature
        found = None
    if found is None or found.kind in (found.VAR_POSITIONAL, found.VAR_KEYWORD):
        return lambda state, call: ((state,), {})
    if found.kind is found.POSITIONAL_ONLY:
        return lambda state, call: ((state, call), {})
    return lambda state, call: ((state,), {"call": call})


def raised(who: str, error: BaseException) -> str:
    """Message for an exception from a user's function."""
    line = users_line(error)
    return f"{who} raised {described(error)}{f' ({line})' if line else ''}"


def hung(who: str, timeout: float) -> str:
    """Message for a function that took too long."""
    return f"{who} did not answer within {timeout:g} s (timeout)"


class CallRun:
    """One run: its limits, and the calls that failed in it."""

    def __init__(self, search: "Books", until: float | None, progress: Callable[..., None] | None) -> None:
        self.search, self.until, self._progress = search, until, progress
        self.failed = 0
        self.message = ""
        self.out_of_time = False

    def too_late(self, pause: float = 0.0) -> bool:
        """Whether the run's seconds are over, or will be after a pause."""
        return self.until is not None and time.monotonic() + pause >= self.until

    def fail(self, call: Call, message: str, cost: float, seconds: float) -> None:
        """Count a call that failed for good."""
        self.search.fail(call, message, cost, seconds)
        self.failed += 1
        self.message = message

    def patience(self) -> float | None:
        """How long to wait for calls under way: until the run's seconds are over, if no time-out ends them."""
        if self.until is None or self.search.pace.timeout is not None:
            return None
        return max(0.0, self.until - time.monotonic())

    def report(self, call: Call) -> None:
        """Tell the caller of the run about a call that is answered or failed, when all is counted."""
        if self._progress is not None and not self.search.is_open(call):
            self._progress(self.search)

    @property
    def is_over(self) -> bool:
        """Whether to begin no further call."""
        return self.out_of_time or self.failed > self.search.pace.failures

    def raise_failures(self) -> None:
        """End with an error, if too many calls failed."""
        if self.failed > self.search.pace.failures:
            more = f" ({self.failed} calls failed)" if self.failed > 1 else ""
            raise GeneratorError(f"{self.message}{more}; the search is intact and can go on")

    def pauses(self, attempt: int) -> Iterator[float]:
        """How long to wait before an attempt: first the back-off, then what the rate asks for when that is over. Ends
        with `out_of_time` where a pause is longer than the run."""
        if attempt:
            back_off = min(LONGEST_PAUSE, self.search.pace.backoff * 2.0 ** (attempt - 1))
            if self._is_too_long(back_off):
                return
            yield back_off
        pause = self.search.meter.pause()
        if not self._is_too_long(pause):
            self.search.meter.reserve()
            yield pause

    def _is_too_long(self, pause: float) -> bool:
        self.out_of_time = self.out_of_time or (pause > 0 and self.too_late(pause))
        return self.out_of_time


def run_here(run: CallRun, next_call: Callable[[], Call | None]) -> None:
    """Make calls one after the other until there is none."""
    while not run.is_over and (call := next_call()) is not None:
        complete = False
        try:
            while not complete:
                complete = run.search.needs_no_judge(call) or _serve_here(run, call)
        except BaseException:
            run.search.postpone(call)  # nothing if its answer is there already
            raise
        run.report(call)
    run.raise_failures()


def _serve_here(run: CallRun, call: Call) -> bool:
    """One phase of a call; whether the call is complete."""
    search = run.search
    message, seconds = "", 0.0
    for attempt in range(search.pace.retries + 1):
        for pause in run.pauses(attempt):
            time.sleep(pause)
        if run.out_of_time:
            search.postpone(call)
            return True
        function, arguments, named, who = search.begin(call)
        began = time.perf_counter()
        try:
            raw = function(*arguments, **named)
        except (Exception, SystemExit, asyncio.CancelledError) as error:  # noqa: BLE001  # users' code raises anything
            message = raised(who, error)
            seconds = time.perf_counter() - began
            call.charge(error)
            continue
        return _receive(run, call, raw, time.perf_counter() - began)
    run.fail(call, message, 0.0, seconds)
    return True


def _receive(run: CallRun, call: Call, raw: Any, seconds: float) -> bool:
    """Hand an answer to the search; whether the call is complete."""
    try:
        return run.search.receive(call, raw, seconds)
    except GeneratorError as error:
        cost = getattr(raw, "cost", None)
        if not isinstance(cost, int | float) or not 0 <= cost < float("inf"):
            cost = run.search.prices.get(call.generator if call.phase == "generate" else "evaluate", 0.0)
        run.fail(call, str(error), float(cost), seconds)
        return True


async def run_loop(run: CallRun, next_call: Callable[[], Call | None]) -> None:
    """Keep calls under way, as many at once as the pace says, until there is none; then wait for the last ones."""
    search, tasks = run.search, set[asyncio.Task[None]]()
    try:
        while True:
            while not run.is_over and len(tasks) < search.pace.at_once and (call := next_call()) is not None:
                tasks.add(asyncio.create_task(_serve(run, call)))
            if not tasks:
                break
            done, tasks = await asyncio.wait(tasks, timeout=run.patience(), return_when=asyncio.FIRST_COMPLETED)
            errors = [asyncio.CancelledError() if task.cancelled() else task.exception() for task in done]
            for error in filter(None, errors):  # all are looked at, and the first is raised
                raise error
            if not done:
                run.out_of_time = True
                break
    finally:
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.gather(*tasks, return_exceptions=True)
    run.raise_failures()


async def _serve(run: CallRun, call: Call) -> None:
    """A call with all its phases and attempts."""
    search = run.search
    complete = False
    while not complete:
        try:
            complete = search.needs_no_judge(call) or await _serve_phase(run, call)
        except BaseException:
            search.postpone(call)  # nothing if its answer is there already
            raise
    run.report(call)


async def _serve_phase(run: CallRun, call: Call) -> bool:
    search = run.search
    message, seconds = "", 0.0
    limit = search.pace.timeout
    for attempt in range(search.pace.retries + 1):
        for pause in run.pauses(attempt):
            if pause:
                await asyncio.sleep(pause)
        if run.out_of_time:
            search.postpone(call)
            return True
        function, arguments, named, who = search.begin(call)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(limit) as timer:
                if is_coroutine(function):
                    raw = await function(*arguments, **named)
                else:
                    raw = await _in_thread(functools.partial(function, *arguments, **named))
        except (Exception, SystemExit, asyncio.CancelledError) as error:
            task = asyncio.current_task()
            if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                raise  # the run is being ended, not the user's code
            ours = limit is not None and timer.expired() and isinstance(error, TimeoutError)
            message = hung(who, limit or 0.0) if ours else raised(who, error)
            call.charge(error)
        else:
            return _receive(run, call, raw, time.perf_counter() - began)
        seconds = time.perf_counter() - began
    run.fail(call, message, 0.0, seconds)
    return True


async def _in_thread(function: Callable[[], Any]) -> Any:
    """Call a plain function in a thread of its own, which nothing waits for if it takes too long."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def deliver(value: Any, error: BaseException | None) -> None:
        if not future.done():
            future.set_result((value, error))

    def work() -> None:
        value, wrong = None, None
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001  # raised again where it is waited for
            wrong = error
        try:
            loop.call_soon_threadsafe(deliver, value, wrong)
        except RuntimeError:  # the loop is closed: the run ended long ago
            return

    threading.Thread(target=work, name="playout-call", daemon=True).start()
    value, wrong = await future
    if wrong is not None:
        raise wrong
    return value
