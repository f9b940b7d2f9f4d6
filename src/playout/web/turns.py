"""Fair shares: a few turns at a time for many runs, each for a short while, one after another."""

import threading
import time
from collections import deque


class Turn:
    """One run's place in the queue. `wake` is set when the turn is granted, or by whoever else wants its thread."""

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.granted = False
        self.since = 0.0


class Turns:
    """So many turns at once, each for so many seconds while others wait; first come, first served.

    >>> turns, first, second = Turns(1), Turn(), Turn()
    >>> turns.ask(first), turns.ask(second)
    (None, None)
    >>> first.granted, second.granted
    (True, False)
    >>> turns.leave(first)
    >>> second.granted
    True
    """

    def __init__(self, slots: int, seconds: float = 0.05) -> None:
        self.seconds, self._free = seconds, slots
        self._waiting: deque[Turn] = deque()
        self._lock = threading.Lock()

    def ask(self, turn: Turn) -> None:
        """Get in line, unless it is there already."""
        with self._lock:
            if turn.granted or turn in self._waiting:
                return
            if self._free > 0:
                self._free -= 1
                self._grant(turn)
            else:
                self._waiting.append(turn)

    def is_over(self, turn: Turn) -> bool:
        """Whether it is somebody else's turn now."""
        return turn.granted and bool(self._waiting) and time.monotonic() - turn.since >= self.seconds

    def leave(self, turn: Turn) -> None:
        """Give the turn, or the place in the queue, to the next one."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
            if not turn.granted:
                return
            turn.granted = False
            if self._waiting:
                self._grant(self._waiting.popleft())
            else:
                self._free += 1

    def _grant(self, turn: Turn) -> None:
        turn.granted, turn.since = True, time.monotonic()
        turn.wake.set()
