"""The chart of a session: points against simulations, dense at the beginning, thinned out as they get too many."""

import time
from collections.abc import Iterable
from typing import Any

from playout.search import Search

from .views import point_view

EVERY, MOST = 0.25, 400  # seconds between two points, and how many there are at most
GROWTH = 1.05  # or so much more simulations, whichever comes first: short runs have their points, too
KEPT = 100  # points that a restart leaves


class Chart:
    """Points since the present position was set."""

    def __init__(self, points: Iterable[dict[str, Any]] = ()) -> None:
        self.points = list(points)
        self._noted = 0.0

    def note(self, search: Search) -> None:
        """Add a point, if it is time for one."""
        now, last = time.monotonic(), self.points[-1]["simulations"] if self.points else 0
        if now - self._noted < EVERY and search.simulations < GROWTH * last:
            return
        self._noted = now
        if search.simulations > last:
            self.points.append(point_view(search))
            if len(self.points) > MOST:
                del self.points[1:-1:2]

    def note_end(self, search: Search) -> None:
        """The last point of a run, in any case."""
        self._noted = 0.0
        self.note(search)

    def cut(self, simulations: int) -> None:
        """Forget what came after so many simulations."""
        self.points = [point for point in self.points if point["simulations"] <= simulations]

    def kept(self) -> list[dict[str, Any]]:
        return self.points[:: 1 + len(self.points) // KEPT]
