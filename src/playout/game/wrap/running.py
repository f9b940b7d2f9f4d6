"""Around Python code that a search calls: random numbers, errors, Ctrl-C, and methods that hang."""

import contextlib
import gc
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playout.common.raised import described
from playout.core.callback import FAILED
from playout.core.watch import (
    CtrlC,
    Interruption,
    RuleExit,
    as_exception,
    ctrl_c_handled_by,
    pass_on_ctrl_c,
    raise_in,
    take_raised,
)
from playout.errors import GameError
from playout.game.faults import Hang

from .checks import shown

one_at_a_time = threading.RLock()  # `random` and the garbage collector are shared by the whole process
NO_FULL_COLLECTION = 1 << 30
LOOK_EVERY = 0.05  # seconds between two checks for a method that hangs
GRACE = 0.5  # seconds that a method must have been running before it may be interrupted
OURS = str(Path(__file__).resolve().parent)


class Interrupted(Interruption):
    """Raised in a method of an object that has not returned by the end of its search."""


class Randomness:
    """A search's own random numbers for Python code, including the global generator of `random`."""

    def __init__(self, seed: int) -> None:
        self.own = random.Random(seed)
        self.shared = random.Random(seed + 1).getstate()


class Running:
    """The part of a game of objects that runs need: errors, interrupts and random numbers."""

    title: str

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._error: BaseException | None = None
        self._reason = ""  # why a method is interrupted
        self._interrupting = threading.Lock()
        self.random = Randomness(0).own

    def caught(self, function: Callable[[int, int], int]) -> Callable[[int, int], int]:
        """Wrap a callback: an exception can't pass through compiled code, so it is kept and raised after the kernel."""

        def call(first: int, second: int) -> int:
            found = FAILED
            try:
                try:
                    found = function(first, second)
                except BaseException as error:  # noqa: BLE001  # Ctrl-C too: it is raised again in `take_error`
                    self._note(error)
                return found if self._error is None else self._settled(found)
            except Interrupted as error:  # it arrived just after the method had returned
                self._note(error)
                return FAILED

        return call

    def _note(self, error: BaseException) -> None:
        if isinstance(error, Interrupted):
            self._error = self._hung(error)
        elif self._error is None:
            found = as_exception(error)
            if isinstance(found, RuleExit):
                found = self._exited(error)
            elif isinstance(found, KeyboardInterrupt) and not found.args:
                what, where, _ = _stopped_in(error)
                found = type(found)(f"{what} was running{where}") if what else found
            self._error = found

    def _settled(self, found: int) -> int:
        """End a callback that another thread may be interrupting; its exception must not arrive later."""
        with self._interrupting:
            take_raised(Interrupted)
            return found if self._error is None else FAILED

    def take_error(self) -> BaseException:
        error, self._error = self._error, None
        return error or GameError(f"{self.title}: a Python function called from the search has failed")

    # Ctrl-C, and the end of a search whose object does not return.

    def interrupt(self, thread: int, reason: str) -> bool:
        """End a method of the object that runs in a thread, given by its identity; returns whether one ran.

        The run there ends with a `GameError` that names the method, the object and the reason. A method that waits in
        C code, as in `time.sleep`, ends when that call returns.
        """
        with self._interrupting:
            if not _in_method(sys._current_frames().get(thread)):
                return False
            self._reason = reason
            before, self._error = self._error, Hang(f"{self.title}: a method was interrupted: {reason}")
            # From here on the thread can't leave the callback unnoticed: its last line checks `_error`.
            if not _in_method(sys._current_frames().get(thread)):
                self._error = before
                return False
            raise_in(thread, Interrupted)
            return True

    def _exited(self, error: BaseException) -> GameError:
        """The error for a method that raised an exit, such as `SystemExit`."""
        what, _, line = _stopped_in(error)
        place = f", at {line}" if line else ""
        found = GameError(f"{what or self.title} raised {described(error)}{raised_at(error)}{place}")
        found.__cause__ = error
        return found

    def _hung(self, error: BaseException) -> GameError:
        what, where, line = _stopped_in(error)
        if not what:
            return Hang(f"{self.title}: a method was interrupted: {self._reason}")
        return Hang(
            f"{what} was still running{where} and was interrupted: {self._reason}; does the code at {line} end there?"
        )

    @contextlib.contextmanager
    def _watched(self, overdue: Callable[[], str | None] | None) -> Iterator[None]:
        """Interrupt a method of this thread that was running for a while when `overdue` gives a reason."""
        if overdue is None:
            yield
            return
        thread, done = threading.get_ident(), threading.Event()

        def watch() -> None:
            seen, since = None, 0.0
            while not done.wait(LOOK_EVERY):
                frame = _method(sys._current_frames().get(thread))
                if frame is None or frame is not seen:  # `seen` keeps the frame alive, so its identity can't be reused
                    seen, since = frame, time.monotonic()
                elif time.monotonic() >= since + GRACE and (reason := overdue()):
                    self.interrupt(thread, reason)

        watcher = threading.Thread(target=watch, name="playout objects", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()

    @contextlib.contextmanager
    def _noting_interrupts(self) -> Iterator[None]:
        """Ctrl-C inside a method is raised there; elsewhere it is kept for the next call, since compiled code would
        lose it. A second Ctrl-C goes to the previous handler."""

        def note(before: Callable[..., Any], number: int, frame: Any) -> None:
            if _in_method(frame):
                raise CtrlC
            if self._error is None:
                self._error = CtrlC()
            else:
                pass_on_ctrl_c(before, number, frame)

        try:
            with ctrl_c_handled_by(note):
                yield
        finally:
            in_main = threading.current_thread() is threading.main_thread()
            if in_main and isinstance(pressed := self._error, KeyboardInterrupt):
                self._error = None
                raise KeyboardInterrupt(*pressed.args) from None

    # Random numbers.

    def new_random(self, seed: int) -> Any:
        return Randomness(seed)

    @contextlib.contextmanager
    def entering(self) -> Iterator[None]:
        """Around compiled code, which shares its arrays with the callbacks."""
        with one_at_a_time, self._noting_interrupts():
            yield

    @contextlib.contextmanager
    def using_random(self, source: Any, overdue: Callable[[], str | None] | None = None) -> Iterator[None]:
        """Use this search's random numbers, also in `random`, and restore `random` afterwards. A method that does not
        return is interrupted at Ctrl-C, and when `overdue` gives a reason.

        Full garbage collections are put off: one takes as long as thousands of simulations, and new positions would
        trigger them again and again. Young objects are still collected.
        """
        with one_at_a_time, self._noting_interrupts(), self._watched(overdue):
            before, own, thresholds = random.getstate(), self.random, gc.get_threshold()
            random.setstate(source.shared)
            self.random = source.own
            gc.set_threshold(thresholds[0], thresholds[1], NO_FULL_COLLECTION)
            try:
                yield
            finally:
                gc.set_threshold(*thresholds)
                source.shared, self.random = random.getstate(), own
                random.setstate(before)


def _stopped_in(error: BaseException) -> tuple[str, str, str]:
    """The method that an exception ended, its object, and the line; "" where it was not a method.

    It is the first frame in the traceback outside this package. The object's own text may hang too, and then be
    interrupted as well.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(OURS):
        trace = trace.tb_next
    if trace is None:
        return "", "", ""
    frame, where = trace.tb_frame, ""
    with contextlib.suppress(BaseException):
        where = f" at {shown(frame.f_locals['self'])}"
    return f"{frame.f_code.co_qualname}()", where, f"{frame.f_code.co_filename}:{trace.tb_lineno}"


def raised_at(error: BaseException) -> str:
    """The object whose method raised an exception, as in " in 3 stones"; "" where none did."""
    trace, called = error.__traceback__, False
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        if called and not frame.f_code.co_filename.startswith(OURS):
            return f" in {shown(frame.f_locals['self'])}" if "self" in frame.f_locals else ""
        called = frame.f_code.co_filename.startswith(OURS)
    return ""


def _in_method(frame: Any) -> bool:
    """Whether a frame is inside a callback, so that an exception raised there is caught."""
    while frame is not None:
        above = frame.f_back  # the thread keeps running: read it once
        if above is None:
            return False
        if above.f_code.co_qualname == CALL and above.f_code.co_filename == __file__:
            return bool(frame.f_code.co_filename != __file__)
        frame = above
    return False


def _method(frame: Any) -> Any:
    """The frame of the object's method that a callback called, whatever that calls in turn; None: there is none."""
    found = None
    while frame is not None and not (frame.f_code.co_qualname == CALL and frame.f_code.co_filename == __file__):
        if not frame.f_code.co_filename.startswith(OURS):
            found = frame
        elif found is None:  # a method written in C, or our own code
            return None
        frame = frame.f_back
    return None if frame is None else found


CALL = f"{Running.caught.__qualname__}.<locals>.call"
