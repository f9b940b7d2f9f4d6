"""Making the calls: retries with back-off, a rate limit, time-outs, several at once.

`run_here` calls plain functions one after the other in the caller's thread. `run_loop` is for everything else:
coroutines run in its event loop, plain functions in a thread each, which a time-out leaves behind.
"""

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playout.common.declare import check_fields, number, setting, whole
from playout.common.raised import described, users_line
from playout.errors import GeneratorError

from .tree import GeneratedNode

if TYPE_CHECKING:
    from .books import Books

LONGEST_PAUSE = 60.0
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
        meaning="seconds before the first retry; twice as many before each further one",
    )
    rate: float | None = number(default=None, above=0.0, none="none", meaning="attempts a second, at most")
    failures: int = whole(
        default=0, least=0, meaning="calls of a run that may fail for good before it ends with an error"
    )

    def check(self) -> None:
        """Raise `SettingsError` where a field can't be what it is."""
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

    def to_judge(self, state: Any, cost: float) -> None:
        """Go on to the evaluation of the state that was generated, which is a call with a key of its own."""
        self.phase, self.state, self.cost = "evaluate", state, cost
        self.key += "e"


class Meter:
    """Lets at most `rate` attempts a second begin."""

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1.0 / rate
        self._next = 0.0

    def pause(self) -> float:
        """How long the next attempt has to wait; it is expected to begin then."""
        now = time.monotonic()
        begins = max(now, self._next)
        self._next = begins + self._gap
        return begins - now


def is_coroutine(function: Any) -> bool:
    """Whether calling something gives a coroutine."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def wants_call(function: Any) -> bool:
    """Whether a function has a parameter named `call`."""
    try:
        return "call" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def raised(who: str, error: BaseException) -> str:
    """Message for an exception from a user's function."""
    line = users_line(error)
    return f"{who} raised {described(error)}{f' ({line})' if line else ''}"


def hung(who: str, timeout: float | None) -> str:
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
        """A call failed for good."""
        self.search.fail(call, message, cost, seconds)
        self.failed += 1
        self.message = message

    def postpone(self, call: Call) -> None:
        """Leave a call to the next run, since its turn would come after the end of this one."""
        self.search.postpone(call)
        self.out_of_time = True

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

    def pause_before(self, attempt: int) -> float:
        """How long to wait before an attempt."""
        pace = self.search.pace
        back_off = min(LONGEST_PAUSE, pace.backoff * 2.0 ** (attempt - 1)) if attempt else 0.0
        return max(back_off, self.search.meter.pause())


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
        pause = run.pause_before(attempt)
        if pause:
            if run.too_late(pause):
                run.postpone(call)
                return True
            time.sleep(pause)
        function, arguments, who = search.begin(call)
        began = time.perf_counter()
        try:
            raw = function(*arguments)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a user's function may raise anything
            message = raised(who, error)
            seconds = time.perf_counter() - began
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
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
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
    for attempt in range(search.pace.retries + 1):
        pause = run.pause_before(attempt)
        if pause:
            if run.too_late(pause):
                run.postpone(call)
                return True
            await asyncio.sleep(pause)
        function, arguments, who = search.begin(call)
        began = time.perf_counter()
        made: Awaitable[Any] = function(*arguments) if is_coroutine(function) else _in_thread(function, arguments)
        try:
            raw = await asyncio.wait_for(made, search.pace.timeout)
        except TimeoutError as error:
            ours = users_line(error) is None
            message = hung(who, search.pace.timeout) if ours else raised(who, error)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a user's function may raise anything
            message = raised(who, error)
        else:
            return _receive(run, call, raw, time.perf_counter() - began)
        seconds = time.perf_counter() - began
    run.fail(call, message, 0.0, seconds)
    return True


async def _in_thread(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a plain function in a thread of its own, which nothing waits for if it takes too long."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def deliver(value: Any, error: BaseException | None) -> None:
        if not future.done():
            future.set_result((value, error))

    def work() -> None:
        value, wrong = None, None
        try:
            value = function(*arguments)
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
