"""Interrupting rules: compiled code sees neither Ctrl-C nor a time limit, so loops in users' rules ask here.

`core/guard.py` compiles these loops such that each calls `poll` after every `POLL_EVERY` rounds. The code that enters
a kernel says with `watched` when to stop.
"""

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

POLL_EVERY = 1 << 16  # rounds of a loop, a power of two
MOST_ROUNDS = 1 << 32  # rounds in one call of a rule after which it will never return: some seconds at the least
MOST_SECONDS = 5.0  # of processor time in one call of a rule in plain Python, likewise


class RuleInterrupted(Exception):
    """A loop in a rule was told to stop; the `Watch` of the thread knows why."""


class Interruption(BaseException):
    """Raised in Python code of a user's that does not return; no `Exception`, which the code itself might catch."""


class CtrlC(KeyboardInterrupt):  # not an error
    """Ctrl-C that arrived while rules ran; another `KeyboardInterrupt` there was raised by a rule."""


class RuleExit(Exception):  # what it stands for need not be an error
    """A rule raised what would end the program, such as its `__cause__`: `SystemExit`."""


def as_exception(error: BaseException) -> BaseException:
    """What a user's function raised; as a `RuleExit` where that is meant for the whole program and not for a caller."""
    if isinstance(error, Exception | Interruption | CtrlC | GeneratorExit):
        return error
    exit = RuleExit(f"{type(error).__name__}: {error}").with_traceback(error.__traceback__)
    exit.__cause__ = error
    return exit


class Watch:
    """When the rules that a thread runs are to be interrupted; an inner watch heeds the outer one, too.

    `reason` says afterwards why one was; `ctrl_c` is True where Ctrl-C was the reason.
    """

    def __init__(self, should_stop: Callable[[], str | None], outer: "Watch | None") -> None:
        self._should_stop, self._outer = should_stop, outer
        self.reason: str | None = None
        self.ctrl_c = False

    def should_stop(self) -> str | None:
        return self._should_stop() or (self._outer.should_stop() if self._outer else None)


_current = threading.local()


@contextlib.contextmanager
def watched(should_stop: Callable[[], str | None] = lambda: None) -> Iterator[Watch]:
    """While this thread runs rules, interrupt them when `should_stop` gives a reason, or at Ctrl-C."""
    before = getattr(_current, "watch", None)
    _current.watch = watch = Watch(should_stop, before)
    try:
        with _ctrl_c_reaches(watch):
            yield watch
    finally:
        _current.watch = before


@contextlib.contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Inside this block, a rule in plain Python may use so many seconds of this thread's processor time."""
    before = getattr(_current, "seconds", None)
    _current.seconds = seconds
    try:
        yield
    finally:
        _current.seconds = before


def python_seconds() -> float:
    """How many seconds of processor time a rule in plain Python has to return."""
    seconds: float | None = getattr(_current, "seconds", None)
    return MOST_SECONDS if seconds is None else seconds


def poll(rounds: int) -> int:
    """Whether a loop that has gone round `rounds` times in this call of its rule must stop."""
    watch: Watch | None = getattr(_current, "watch", None)
    if watch is None:
        return int(rounds >= MOST_ROUNDS)
    if watch.ctrl_c:
        return 1
    watch.reason = watch.should_stop()
    if watch.reason is None and rounds >= MOST_ROUNDS:
        watch.reason = f"a loop in it went round {rounds:,} times"
    return int(watch.reason is not None)


def raise_in(thread: int, error: type[BaseException]) -> None:
    """Raise an exception in another thread, at its next jump or call in Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def take_raised(error: type[BaseException]) -> None:
    """Take an exception that `raise_in` may have raised in this thread and that has not come yet.

    Another one is raised in its place, and caught. Python can also call one off, but keeps looking for it from then on,
    and hangs under a profiler (3.11).
    """
    try:
        raise_in(threading.get_ident(), error)
        while True:
            pass
    except error:
        pass


def pass_on_ctrl_c(handler: Callable[..., Any], number: int, frame: Any) -> None:
    """Call the handler of Ctrl-C that was there before ours; what it raises is marked as coming from there."""
    try:
        handler(number, frame)
    except KeyboardInterrupt as interrupt:
        raise CtrlC(*interrupt.args) from None


callback = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(poll)


@contextlib.contextmanager
def _ctrl_c_reaches(watch: Watch) -> Iterator[None]:
    """Note Ctrl-C where it arrives in `poll`: an exception raised there could not leave compiled code."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        yield
        return

    def note(number: int, frame: Any) -> None:
        at = frame
        while at is not None and at.f_code is not poll.__code__:
            at = at.f_back
        if at is not None:
            watch.ctrl_c = True
        else:
            pass_on_ctrl_c(before, number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
