"""Trees that were left at other moments of the game, to be found again by walking back."""

import copy

from playout.search import Search

MOST_BYTES = 1 << 28  # of the trees parked in one session


class Parked:
    """By moment, the one left last at the end: a search, and the moment at which that search began."""

    def __init__(self) -> None:
        self._all: dict[int, tuple[Search, int]] = {}

    def leave(self, moment: int, search: Search, origin: int) -> Search:
        """Park a copy of a search, if there is anything in its tree; the oldest go when there are too many bytes."""
        copied = copy.copy(search)
        self.drop(moment)
        if search.root.visits:
            self._all[moment] = copied, origin
        while self._all and self.bytes > MOST_BYTES:
            del self._all[next(iter(self._all))]
        return copied

    def find(self, moment: int) -> tuple[Search, int] | None:
        return self._all.get(moment)

    def drop(self, moment: int) -> None:
        self._all.pop(moment, None)

    def clear(self) -> None:
        self._all.clear()

    def visits(self) -> dict[int, int]:
        return {moment: search.root.visits for moment, (search, _) in self._all.items()}

    @property
    def bytes(self) -> int:
        return sum(search.tree_bytes for search, _ in list(self._all.values()))
