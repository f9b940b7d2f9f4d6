"""The trees of earlier searches, kept to go on with when the game reaches their positions."""

import copy
from dataclasses import dataclass

import numpy as np

from playout.errors import PlayoutError
from playout.search import Search

from .go import GoJob

FULL_SHARE = 0.75  # a tree that fills more of the hash than this leaves too little room: start a new one
COPY_BYTES = 100e6  # of a tree that playing a move copies in a second on a busy machine; too slow for a fast move


@dataclass
class KeptTree:
    """The search of an earlier `go`, and the game it belongs to."""

    search: Search
    start: str
    moves: list[str]
    only: tuple[int, ...]


class KeptTrees:
    """The tree of the last `go`; and, while pondering, the tree before the move that is pondered on."""

    def __init__(self) -> None:
        self.last: KeptTree | None = None
        self.before: KeptTree | None = None

    def clear(self) -> None:
        """Forget both trees."""
        self.last = self.before = None

    def keep(self, search: Search, job: GoJob) -> None:
        """Keep the tree of a job for the next one."""
        self.last = KeptTree(search, job.start, list(job.moves), job.go.searchmoves)

    def take(self, job: GoJob) -> Search | None:
        """A kept tree with the moves up to the job's position played; None if neither leads there."""
        trees = (self.last, self.before)
        self.clear()
        return next((found for tree in trees if tree and (found := self._played_on(tree, job))), None)

    def _played_on(self, kept: KeptTree, job: GoJob) -> Search | None:
        """A tree with moves played up to the job's position; None if it does not lead there, or is not worth it."""
        search, known = kept.search, len(kept.moves)
        if kept.start != job.start or job.moves[:known] != kept.moves or search.settings != job.settings:
            return None
        fresh = job.moves[known:]
        if fresh and search.result().bytes > COPY_BYTES * (job.deadline - job.began):
            return None
        try:
            for number, move in enumerate(fresh, start=1):
                if job.go.ponder and number == len(fresh) and search.result().bytes <= job.hash_bytes // 2:
                    # The opponent may play another move than the one pondered on; the tree before it has both.
                    # Playing a move makes new arrays, so this costs memory only.
                    self.before = KeptTree(copy.copy(search), job.start, job.moves[:-1], ())
                search.play(move)
        except PlayoutError:  # the game went on after an end that was not claimed
            return None
        restricted = kept.only if not fresh else ()
        here = np.array_equal(search.position.buffer, job.position.buffer)
        if search.seed != job.options["Seed"] or restricted != job.go.searchmoves or not here:
            return None
        return search if search.result().bytes <= FULL_SHARE * job.hash_bytes else None
