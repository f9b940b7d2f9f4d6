"""Trees of other moments of the game, kept in memory for going back."""

import copy

from playout.search import Search

MOST_BYTES = 1 << 28  # of the trees parked in one session


class Parked:
    """A search for each moment, and the moment at which that search began; the newest is last."""

    def __init__(self) -> None:
        self._all: dict[int, tuple[Search, int]] = {}

    def leave(self, moment: int, search: Search, origin: int) -> Search:
        """Park a copy of a search, unless its tree is empty; drop the oldest if they take too much memory."""
        copied = copy.copy(search)
        self.drop(moment)
        if search.root.visits:
            self._all[moment] = copied, origin
        while self._all and self.bytes > MOST_BYTES:
            del self._all[next(iter(self._all))]
        return copied

    def find(self, moment: int) -> tuple[Search, int] | None:
        """The search parked at a moment, and the moment at which it began."""
        return self._all.get(moment)

    def drop(self, moment: int) -> None:
        """Remove the search of a moment."""
        self._all.pop(moment, None)

    def clear(self) -> None:
        """Remove all."""
        self._all.clear()

    def visits(self) -> dict[int, int]:
        """Visits of each parked tree, by moment."""
        return {moment: search.root.visits for moment, (search, _) in self._all.items()}

    @property
    def bytes(self) -> int:
        """Memory used by the parked trees."""
        return sum(search.tree_bytes for search, _ in list(self._all.values()))
