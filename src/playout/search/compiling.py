"""Notice when Numba compiles for a search instead of reading from disk: tell the user once, and count."""

import math
import os
import sys
import time
from contextlib import suppress
from typing import Any

from numba.core import event

from playout.core.cache import cache_folder
from playout.core.jit import COMPILED

SECONDS, SOME_SECONDS = 15, 5  # about: for the first search of all; for a new game, or another kind of search
BETWEEN = 0.5  # the most seconds between two functions of one compilation
WORTH_SAYING = 1.0  # seconds of compiling after which the user is told
KERNEL = "playout.core.simulate.run"
OURS = "PLAYOUT_WORKER"  # set in the environment of worker processes, which stay quiet


class Compiling(event.Listener):  # type: ignore[misc]  # Numba is untyped
    """Counts the functions compiled for searches in this process. One that compiles others counts as one."""

    def __init__(self) -> None:
        self.functions, self.seconds = 0, 0.0
        self.quiet = not COMPILED or bool(os.environ.get(OURS))
        self._depth, self._began, self._ended = 0, 0.0, -math.inf
        self._since = 0.0  # when the first of the functions began that are compiled one after the other
        self._elsewhere: int | None = None  # seconds that it takes another process to compile

    @property
    def about(self) -> int | None:
        """About how many seconds compiling takes, while it is under way; None otherwise."""
        if self._elsewhere is not None:
            return self._elsewhere
        is_on = self._depth > 0 or time.perf_counter() - self._ended < BETWEEN
        return _seconds() if is_on else None

    @property
    def elapsed(self) -> float | None:
        """For how many seconds compiling has been under way; None: it is not."""
        return time.perf_counter() - self._since if self.about is not None else None

    def expect(self, seconds: int) -> None:
        """From now on, tell that another process compiles, which takes about so long: here nothing is compiled."""
        self._elsewhere, self._since = seconds, time.perf_counter()

    @property
    def is_elsewhere(self) -> bool:
        """Whether another process compiles, and searches run uncompiled here."""
        return self._elsewhere is not None

    def on_start(self, found: Any) -> None:
        """Called by Numba before it compiles a function."""
        if self._depth == 0:
            if not _is_ours(found.data["dispatcher"]):
                return
            self._began = time.perf_counter()
            if self._began - self._ended >= BETWEEN:
                self._since = self._began
        self._depth += 1
        self.say()

    def on_end(self, found: Any) -> None:
        """Called by Numba after it compiled a function."""
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            self.functions += 1
            self._ended = time.perf_counter()
            self.seconds += self._ended - self._began

    def say(self) -> None:
        """Print one line, once, before a long wait: if the kernel is missing, or after a second of compiling."""
        if self.quiet or not (self.seconds > WORTH_SAYING or is_first()):
            return
        self.quiet = True
        if is_watched():
            with suppress(OSError, ValueError):
                sys.stderr.write(f"playout: compiling the search once, about {_seconds()} s …\n")
                sys.stderr.flush()


def _seconds() -> int:
    return SECONDS if is_first() else SOME_SECONDS


def is_first(kernel: str = KERNEL) -> bool:
    """Whether this version has not compiled a kernel yet."""
    return not any(cache_folder().glob(f"{kernel}-*.nbi"))


def is_watched() -> bool:
    """Whether a person reads stderr: at a terminal, or in a notebook."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or "ipykernel" in sys.modules)


def _is_ours(dispatcher: Any) -> bool:
    """Whether a function is a kernel, a rule or a part: those have our cache."""
    return type(getattr(dispatcher, "_cache", None)).__module__ == cache_folder.__module__


compiling = Compiling()
if COMPILED:
    event.register("numba:compile", compiling)
