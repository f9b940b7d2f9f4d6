"""The chart of a session: points against simulations, denser at the beginning, thinned out when too many."""

import time
from collections.abc import Iterable
from typing import Any

from playout.search import Search

from .views import point_view

EVERY, MOST = 0.25, 400  # seconds between two points, and the most points
GROWTH = 1.05  # or this growth of the simulations, whichever comes first, so that short runs have points too
KEPT = 100  # points that survive a restart


class Chart:
    """Points since the present position was set."""

    def __init__(self, points: Iterable[dict[str, Any]] = ()) -> None:
        self.points = list(points)
        self._noted = 0.0

    def note(self, search: Search) -> None:
        """Add a point, if it is due."""
        now, last = time.monotonic(), self.points[-1]["simulations"] if self.points else 0
        if now - self._noted < EVERY and search.simulations < GROWTH * last:
            return
        self._noted = now
        if search.simulations > last:
            self.points.append(point_view(search))
            if len(self.points) > MOST:
                del self.points[1:-1:2]

    def note_end(self, search: Search) -> None:
        """Add the last point of a run, due or not."""
        self._noted = 0.0
        self.note(search)

    def cut(self, simulations: int) -> None:
        """Drop the points after this number of simulations."""
        self.points = [point for point in self.points if point["simulations"] <= simulations]

    def kept(self) -> list[dict[str, Any]]:
        """Some of the points, for the store."""
        return self.points[:: 1 + len(self.points) // KEPT]
