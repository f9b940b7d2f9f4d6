"""What Numba really compiles for a search, as opposed to what it finds on disk: a line for who waits, and a count."""

import math
import os
import sys
import time
from contextlib import suppress
from typing import Any

from numba.core import event

from playout.core.cache import cache_folder
from playout.core.jit import COMPILED

SECONDS, SOME_SECONDS = 15, 5  # for the first search of all, about; for a new game, or another kind of search
BETWEEN = 0.5  # seconds between two functions, at most
WORTH_SAYING = 1.0  # seconds of compiling after which a line is due
KERNEL = "playout.core.simulate.run"
OURS = "PLAYOUT_WORKER"  # in the environment of processes that work for another one, which does the talking


class Compiling(event.Listener):  # type: ignore[misc]  # Numba is untyped
    """Counts the functions of searches that are compiled in this process. Calls for each other are counted as one."""

    def __init__(self) -> None:
        self.functions, self.seconds = 0, 0.0
        self.quiet = not COMPILED or bool(os.environ.get(OURS))
        self._depth, self._began, self._ended = 0, 0.0, -math.inf

    @property
    def about(self) -> int | None:
        """How many seconds it takes, about, while the compiler is at work; None while it is not."""
        is_on = self._depth > 0 or time.perf_counter() - self._ended < BETWEEN
        return _seconds() if is_on else None

    def on_start(self, found: Any) -> None:
        if self._depth == 0:
            if not _is_ours(found.data["dispatcher"]):
                return
            self._began = time.perf_counter()
        self._depth += 1
        self.say()

    def on_end(self, found: Any) -> None:
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            self.functions += 1
            self._ended = time.perf_counter()
            self.seconds += self._ended - self._began

    def say(self) -> None:
        """One line, once, before the wait: where the kernel is still missing, or when a second has gone by."""
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
    """Whether no search has been compiled yet by this version, or another of its functions."""
    return not any(cache_folder().glob(f"{kernel}-*.nbi"))


def is_watched() -> bool:
    """Whether a person reads what is written to stderr: at a terminal, or in a notebook."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or "ipykernel" in sys.modules)


def _is_ours(dispatcher: Any) -> bool:
    """Kernels, rules and parts have our cache; what else a program compiles is its own affair."""
    return type(getattr(dispatcher, "_cache", None)).__module__ == cache_folder.__module__


compiling = Compiling()
if COMPILED:
    event.register("numba:compile", compiling)
