"""Round-robin scheduler: a few runs compute at a time, each for a short while.

A run that does not end its turn, because a rule of the game hangs or one simulation takes very long, loses its slot to
the next one, so that it does not block the others.
"""

import threading
import time
from collections import deque
from collections.abc import Callable

STUCK = 2.0  # seconds of one turn after which a run loses its slot


class QueuePlace:
    """A run's place in the queue. `wake` is set when its turn is granted, and by others who need its thread."""

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.granted = False
        self.stuck = False  # its slot was given to another run
        self.since = 0.0


class Turns:
    """`slots` runs at once, `seconds` each while others wait; first come, first served.

    >>> turns, first, second = Turns(1), QueuePlace(), QueuePlace()
    >>> turns.ask(first), turns.ask(second)
    (None, None)
    >>> first.granted, second.granted
    (True, False)
    >>> turns.leave(first)
    >>> second.granted
    True
    """

    def __init__(self, slots: int, seconds: float = 0.05, stuck: float = STUCK) -> None:
        self.seconds, self.stuck, self._free = seconds, stuck, slots
        self._waiting: deque[QueuePlace] = deque()
        self._granted: list[QueuePlace] = []
        self._lock = threading.Lock()
        self.may_grow: Callable[[], bool] = lambda: True  # whether there is memory for larger trees

    def ask(self, turn: QueuePlace) -> None:
        """Join the queue, unless already in it. Whatever waits asks again now and then, in case others are stuck."""
        with self._lock:
            if turn.granted:
                return
            if turn not in self._waiting:
                self._waiting.append(turn)
            for other in self._granted:
                if not other.stuck and time.monotonic() - other.since >= self.stuck:
                    other.stuck = True
                    self._free += 1
            self._grant()

    def is_over(self, turn: QueuePlace) -> bool:
        """Whether its turn has ended."""
        if turn.stuck:
            return True
        return turn.granted and bool(self._waiting) and time.monotonic() - turn.since >= self.seconds

    def leave(self, turn: QueuePlace) -> None:
        """Give up the turn, or the place in the queue."""
        with self._lock:
            if turn in self._waiting:
                self._waiting.remove(turn)
            if not turn.granted:
                return
            self._granted.remove(turn)
            self._free += not turn.stuck
            turn.granted = turn.stuck = False
            self._grant()

    def _grant(self) -> None:
        while self._free > 0 and self._waiting:
            turn = self._waiting.popleft()
            self._free -= 1
            self._granted.append(turn)
            turn.granted, turn.since = True, time.monotonic()
            turn.wake.set()
