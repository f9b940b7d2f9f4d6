"""Interrupting rules: compiled code sees neither Ctrl-C nor a time limit, so loops in users' rules ask here.

`core/guard.py` compiles these loops so that each calls `poll` every `POLL_EVERY` rounds. The code that enters a kernel
says with `watched` when to stop.
"""

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

POLL_EVERY = 1 << 16  # rounds of a loop, a power of two
MOST_ROUNDS = 1 << 32  # rounds in one call of a rule after which it counts as endless: at least some seconds
MOST_SECONDS = 5.0  # of processor time in one call of a rule in plain Python, likewise


class RuleInterrupted(Exception):
    """A loop in a rule was told to stop; the thread's `RuleWatch` knows why."""


class Interruption(BaseException):
    """Raised in a user's Python code that does not return. Not an `Exception`, which that code might catch."""


class CtrlC(KeyboardInterrupt):  # not an error
    """Ctrl-C was pressed while rules ran. Any other `KeyboardInterrupt` there was raised by a rule."""


class RuleExit(Exception):  # the cause need not be an error
    """A rule raised something that would end the program, such as `SystemExit`; it is the `__cause__`."""


def as_exception(error: BaseException) -> BaseException:
    """What a user's function raised, as a `RuleExit` if it would end the whole program."""
    if isinstance(error, Exception | Interruption | CtrlC | GeneratorExit):
        return error
    exit = RuleExit(f"{type(error).__name__}: {error}").with_traceback(error.__traceback__)
    exit.__cause__ = error
    return exit


class RuleWatch:
    """When to interrupt the rules that a thread runs. An inner watch also asks the outer one.

    After an interruption, `reason` says why; `ctrl_c` is True if Ctrl-C was the reason.
    """

    def __init__(self, should_stop: Callable[[], str | None], outer: "RuleWatch | None") -> None:
        self._should_stop, self._outer = should_stop, outer
        self.reason: str | None = None
        self.ctrl_c = False

    def should_stop(self) -> str | None:
        return self._should_stop() or (self._outer.should_stop() if self._outer else None)


_current = threading.local()


@contextlib.contextmanager
def watched(should_stop: Callable[[], str | None] = lambda: None) -> Iterator[RuleWatch]:
    """In this block, interrupt the rules of this thread when `should_stop` returns a reason, or at Ctrl-C."""
    before = getattr(_current, "watch", None)
    _current.watch = watch = RuleWatch(should_stop, before)
    try:
        with _ctrl_c_reaches(watch):
            yield watch
    finally:
        _current.watch = before


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """In this block, a rule in plain Python may use `seconds` of this thread's processor time."""
    before = getattr(_current, "seconds", None)
    _current.seconds = seconds
    try:
        yield
    finally:
        _current.seconds = before


def python_seconds() -> float:
    """The seconds of processor time that a rule in plain Python may use."""
    seconds: float | None = getattr(_current, "seconds", None)
    return MOST_SECONDS if seconds is None else seconds


def poll(rounds: int) -> int:
    """Whether a loop that has made `rounds` rounds in this call of its rule must stop."""
    watch: RuleWatch | None = getattr(_current, "watch", None)
    if watch is None:
        return int(rounds >= MOST_ROUNDS)
    if watch.ctrl_c:
        return 1
    watch.reason = watch.should_stop()
    if watch.reason is None and rounds >= MOST_ROUNDS:
        watch.reason = f"a loop in it went round {rounds:,} times"
    return int(watch.reason is not None)


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread, at the next jump or call of its Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def take_raised(error: type[BaseException]) -> None:
    """Consume an exception that `raise_in` may have sent to this thread and that has not arrived yet.

    Another one replaces it, and is caught here. Python can also cancel one, but then keeps checking for it, and hangs
    under a profiler (3.11).
    """
    try:
        raise_in(threading.get_ident(), error)
        while True:
            pass
    except error:
        pass


def pass_on_ctrl_c(handler: Callable[..., Any], number: int, frame: Any) -> None:
    """Call the previous Ctrl-C handler; a `KeyboardInterrupt` that it raises becomes a `CtrlC`."""
    try:
        handler(number, frame)
    except KeyboardInterrupt as interrupt:
        raise CtrlC(*interrupt.args) from None


callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(poll)


@contextlib.contextmanager
def ctrl_c_handled_by(handler: Callable[[Callable[..., Any], int, Any], None]) -> Iterator[None]:
    """In this block, Ctrl-C calls `handler(previous handler, signal number, frame)`. Only the main thread gets it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: handler(before, number, frame))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ctrl_c_reaches(watch: RuleWatch) -> contextlib.AbstractContextManager[None]:
    """Note Ctrl-C if it arrives in `poll`, since an exception raised there could not leave compiled code."""

    def note(before: Callable[..., Any], number: int, frame: Any) -> None:
        at = frame
        while at is not None and at.f_code is not poll.__code__:
            at = at.f_back
        if at is not None:
            watch.ctrl_c = True
        else:
            pass_on_ctrl_c(before, number, frame)

    return ctrl_c_handled_by(note)
