"""Who may use a search, and when it has to stop."""

import contextlib
import threading
import time
from collections.abc import Iterator

import numpy as np

from playout.errors import BusyError

GRACE = 0.5  # seconds that a rule may go on after its search should have ended


class Control:
    """The lock, the stop flag and the deadline of one search."""

    def __init__(self) -> None:
        self._lock, self._owner = threading.Lock(), 0
        self._stop = threading.Event()
        self._stopped_at: float | None = None
        self.deadline: float | None = None  # of the current run, by time.perf_counter()

    @contextlib.contextmanager
    def busy(self, what: str) -> Iterator[None]:
        """Hold the search for the call named `what`; a second caller gets a `BusyError`."""
        if not self._lock.acquire(blocking=False):
            if self.is_mine:
                raise BusyError(f"{what}: this search is running, and `progress` may only look at it; wait for the end")
            raise BusyError(f"{what}: this search is already at work in another thread; wait for it, or call stop()")
        try:
            self._owner, self._stopped_at = threading.get_ident(), None  # a stop is for what was under way then
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # uncompiled, as compiled
                yield
        finally:
            self._owner = 0
            self._lock.release()

    @property
    def is_mine(self) -> bool:
        """Whether the calling thread holds the search."""
        return self._owner == threading.get_ident()

    def stop(self) -> None:
        """Ask the current run to end."""
        self._stopped_at = time.perf_counter()
        self._stop.set()

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called since `start_over`."""
        return self._stop.is_set()

    def start_over(self) -> None:
        """Forget an earlier `stop`."""
        self._stop.clear()
        self._stopped_at = None

    def overdue(self) -> str | None:
        """Why a rule that is still running should be interrupted; None: it may go on."""
        now = time.perf_counter()
        if self._stopped_at is not None and now > self._stopped_at + GRACE:
            return "the search was stopped"
        if self.deadline is not None and now > self.deadline + GRACE:
            return "the time of the search was up"
        return None
