"""Interrupt a user's Python function that does not return."""

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

MOST_WAITS = 20  # a function that sleeps uses no processor time: it gets so many times its seconds


class NeverReturnedError(BaseException):
    """Raised inside a function that took too long; not an `Exception`, which the function itself might catch."""


class Watchdog:
    """Calls functions and interrupts those that use more than `seconds` of processor time.

    Processor time, so that a busy machine is not taken for a slow function; where a thread's can't be read, time on the
    clock. Compiled code can't be interrupted from here.

    >>> with Watchdog(5.0) as watchdog:
    ...     watchdog.call(max, 1, 2)
    2
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._lock, self._closing = threading.Lock(), threading.Event()
        self._call: tuple[int, float, float] | None = None  # thread, its processor time and the clock at the beginning
        self._thread = threading.Thread(target=self._watch, name="playout-doctor-watchdog", daemon=True)

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._closing.set()
        self._thread.join()

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns; `NeverReturnedError` when it was interrupted."""
        thread = threading.get_ident()
        self._call = (thread, _used(thread), time.monotonic())
        try:
            return function(*arguments)
        finally:
            self._end(thread)

    def _end(self, thread: int) -> None:
        """Stop watching. An exception may be on its way although the function has returned: it is called off."""
        while self._call is not None:
            with contextlib.suppress(NeverReturnedError), self._lock:
                _raise_in(thread, None)
                self._call = None

    def _watch(self) -> None:
        """Interrupt, and do so again where the exception was lost: in a callback of Python's own, say."""
        while not self._closing.wait(max(0.02, min(0.1, self.seconds / 4))):
            with self._lock:
                if self._call is None:
                    continue
                thread, used, began = self._call
                waited = time.monotonic() - began
                if _used(thread) - used > self.seconds or waited > MOST_WAITS * self.seconds:
                    _raise_in(thread, NeverReturnedError)


def _used(thread: int) -> float:
    """The processor time of a thread, or the clock where that is not to be had."""
    with contextlib.suppress(AttributeError, OSError):
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    return time.monotonic()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
