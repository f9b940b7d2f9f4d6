"""Interrupt a user's Python function that does not return."""

import contextlib
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from .watch import Interruption, as_exception, raise_in, take_raised

MOST_WAITS = 20  # times its seconds on the clock for a function that sleeps, which uses no processor time


class NeverReturnedError(Interruption):
    """Raised inside a function that took too long."""


class Watchdog:
    """Calls functions and interrupts those that use more than `seconds` of processor time.

    Processor time, so that a function is not blamed for a busy machine; where a thread's processor time can't be read,
    time on the clock. Compiled code can't be interrupted this way.

    >>> with Watchdog(5.0) as watchdog:
    ...     watchdog.call(max, 1, 2)
    2
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._call: list[float] | None = None  # the current call: when first seen, by processor time and clock
        self._caller = 0  # its thread
        self._interrupted = False  # an exception was sent into the call
        self._thread = threading.Thread(target=self._watch, name="playout-watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._closing.set()
        self._thread.join()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function; `NeverReturnedError` if it was interrupted."""
        self._caller = threading.get_ident()
        self._call = []  # empty, since reading the clocks here would take longer than most functions
        try:
            return function(*arguments)
        except BaseException as error:  # noqa: BLE001  # a user's function may raise anything
            raise as_exception(error)  # noqa: B904  # it has its own cause
        finally:
            self._end()

    def _end(self) -> None:
        """Stop watching. If an exception is still on its way after the function has returned, consume it here."""
        while self._call is not None:
            with contextlib.suppress(NeverReturnedError), self._lock:
                if self._interrupted:
                    self._interrupted = False
                    take_raised(NeverReturnedError)
                self._call = None

    def _watch(self) -> None:
        """Interrupt, and do so again if the exception was lost, for example in a callback of Python's own."""
        while not self._closing.wait(max(0.02, min(0.1, self.seconds / 4))):
            with self._lock:
                if self._call is None:
                    continue
                now = (_used(self._caller), time.monotonic())
                if not self._call:
                    self._call += now
                used, waited = now[0] - self._call[0], now[1] - self._call[1]
                if used > self.seconds or waited > MOST_WAITS * self.seconds:
                    self._interrupted = True
                    raise_in(self._caller, NeverReturnedError)


def _used(thread: int) -> float:
    """The processor time of a thread, or the clock where that is not available."""
    with contextlib.suppress(AttributeError, OSError):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.monotonic()
