"""Retrograde analysis of endings of White's king with one or two men against a bare king, in plain NumPy.

A position is an index [black king, white king, man, (second man)] of squares, 0 to 63 from a1. `Ending.white` and
`Ending.black` say in how many plies White mates where White, or Black, is to move; `NEVER`: White can't force it. Pawns
become queens only. Nothing here uses the rules of the package.

>>> ending = Ending("R")
>>> int(ending.black.max(where=ending.black < NEVER, initial=0)), len(ending.positions())
(32, 175168)
"""

from functools import lru_cache
from typing import Any

import numpy as np

NEVER = 255
LONGEST = 90  # plies: bishop and knight need 66
KING = [(f, r) for f in (-1, 0, 1) for r in (-1, 0, 1) if (f, r) != (0, 0)]
STRAIGHT, DIAGONAL = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
STEPS = {
    "K": KING,
    "Q": KING,
    "R": STRAIGHT,
    "B": DIAGONAL,
    "N": [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)],
}
AXES = ("b", "k", "1", "2")


def paths(kind: str, square: int) -> list[tuple[int, list[int]]]:
    """Where a man can go on an empty board, each with the squares that it passes."""
    found = []
    if kind == "P":
        rank = square // 8
        if 1 <= rank <= 6:
            found.append((square + 8, []))
        if rank == 1:
            found.append((square + 16, [square + 8]))
        return found
    for files, ranks in STEPS[kind]:
        file, rank, passed = square % 8 + files, square // 8 + ranks, []
        while 0 <= file < 8 and 0 <= rank < 8:
            target = 8 * rank + file
            found.append((target, list(passed)))
            if kind in "KN":
                break
            passed.append(target)
            file, rank = file + files, rank + ranks
    return found


@lru_cache
def attacks(kind: str) -> tuple[Any, Any]:
    """Whether a man on one square attacks another [64, 64], and whether a third stands between them [64, 64, 64]."""
    sees, between = np.zeros((64, 64), bool), np.zeros((64, 64, 64), bool)
    for square in range(64):
        if kind == "P":
            for file in (square % 8 - 1, square % 8 + 1):
                if 0 <= file < 8 and square < 56:
                    sees[square, 8 * (square // 8 + 1) + file] = True
            continue
        for target, passed in paths(kind, square):
            sees[square, target] = True
            between[square, target, passed] = True
    return sees, between


class Ending:
    """The ending of White's king and `men`, such as "Q" or "BN", against a bare king."""

    def __init__(self, men: str) -> None:
        self.men, self.shape = men, (64,) * (len(men) + 2)
        self.near = attacks("K")[0] | np.eye(64, dtype=bool)
        black, king, *others = self.squares = np.ogrid[tuple(slice(64) for _ in self.shape)]
        legal = ~self.near[black, king]
        for man in others:
            legal = legal & (man != black) & (man != king)
        if len(others) == 2:
            legal = legal & (others[0] != others[1])
        for kind, man in zip(men, others, strict=True):
            if kind == "P":
                legal = legal & (man >= 8) & (man < 56)
        self.check = self._attacked(black, -1)
        self.legal_black, self.legal_white = legal, legal & ~self.check
        self.white, self.black = np.full(self.shape, NEVER, np.uint8), np.full(self.shape, NEVER, np.uint8)
        self.queen = ending("Q") if "P" in men else None
        self._solve()

    def _attacked(self, target: Any, without: int) -> Any:
        """Whether White's men, all but the one numbered `without`, attack a square; its king does so elsewhere."""
        _, king, *others = self.squares
        found = np.zeros((), bool)
        for number, (kind, man) in enumerate(zip(self.men, others, strict=True)):
            if number != without:
                sees, between = attacks(kind)
                seen = sees[man, target] & ~between[man, target, king]
                for other, blocker in enumerate(others):
                    if other not in (number, without):
                        seen = seen & ~between[man, target, blocker]
                found = found | seen
        return np.broadcast_to(found, self.shape) if target is self.squares[0] else found

    def _solve(self) -> None:
        takes = self._takes()
        for plies in range(0, LONGEST, 2):
            open_ = self.legal_white & (self.white == NEVER)
            escapes, moves = takes.copy(), takes.copy()
            for square in range(64):
                for target, _ in paths("K", square):
                    escapes[square] |= open_[target]
                    moves[square] |= self.legal_white[target]
            lost = self.legal_black & (self.black == NEVER) & ~escapes & (moves | self.check)
            if not lost.any() and (self.queen is None or plies > 30):
                return
            self.black[lost] = plies
            new = self._reaching(lost, plies) & self.legal_white & (self.white == NEVER)
            self.white[new] = plies + 1

    def _takes(self) -> Any:
        """Where Black can take a man."""
        found = np.zeros(self.shape, bool)
        _, king, *others = self.squares
        for number, man in enumerate(others):
            guarded = self.near[king, man] | (self._attacked(man, number) if len(others) > 1 else False)
            found |= self.near[self.squares[0], man] & (self.squares[0] != man) & ~guarded
        return found

    def _reaching(self, lost: Any, plies: int) -> Any:
        """Where White has a move to one of the positions that are lost for Black."""
        found = np.zeros(self.shape, bool)
        for place, kind in enumerate("K" + self.men, start=1):
            before, after = found.swapaxes(0, place), lost.swapaxes(0, place)
            for square in range(64):
                for target, passed in paths(kind, square):
                    if kind == "P" and target >= 56:
                        assert self.queen is not None
                        reached = (self.queen.black[:, :, target] == plies).T  # the axes are swapped: king, black king
                    else:
                        reached = after[target]
                    if not reached.any():
                        continue
                    if passed:
                        reached = reached.copy()
                        for axis in range(reached.ndim):
                            reached[(slice(None),) * axis + (passed,)] = False
                    before[square] |= reached
        return found

    def positions(self) -> Any:
        """All positions with White to move in which it can force mate, [n, men]."""
        return np.argwhere(self.white < NEVER)


@lru_cache
def ending(men: str) -> Ending:
    """The ending of these men, solved once."""
    return Ending(men)
