"""King and pawn against king: which positions are won, by retrograde analysis with bitboards, done at import (10 ms).

A set of positions is a bitboard of the squares where the stronger king stands, for each square of the pawn and of the
bare king. The pawn is White's and on files a to d; other positions are mirrored. Drawn positions are the rest.
"""

import numpy as np
from numpy.typing import NDArray

from playout.games._shared import helper

from .board import NOT_A, NOT_H, ONE, bit

Boards = NDArray[np.uint64]
PAWNS = 24  # squares of the pawn: 4 * (rank - 1) + file
_1, _8 = np.uint64(1), np.uint64(8)


def _next_to(boards: Boards) -> Boards:
    """The squares that a king on one of a board's squares can step to."""
    beside = ((boards & NOT_H) << _1) | ((boards & NOT_A) >> _1)
    row = boards | beside
    found: Boards = beside | (row << _8) | (row >> _8)
    return found


def _find_wins() -> tuple[Boards, Boards]:
    """Where the stronger king must be for a win, [pawn, bare king]: if its side is to move, and if the bare king is.

    A pawn that becomes a queen or rook and can't be taken wins.
    """
    here = ONE << np.arange(64, dtype=np.uint64)
    pawns = np.array([8 * (1 + at // 4) + at % 4 for at in range(PAWNS)])
    pawn = here[pawns][:, None]
    check = (((pawn & NOT_A) << np.uint64(7)) | (pawn << np.uint64(9))) & here != 0
    near = here | _next_to(here)
    legal = ~near & ~pawn & np.where(pawn == here, np.uint64(0), ~np.uint64(0))
    ahead = pawn << _8  # of a pawn on the seventh rank: where it becomes a queen
    safe = np.where(near & ahead != 0, _next_to(ahead), ~np.uint64(0)) & ~ahead
    queens = np.where((pawns[:, None] >= 48) & (ahead != here), safe, np.uint64(0))
    double = np.where((pawns[:, None] < 16) & (ahead != here), ~ahead, np.uint64(0))  # may the pawn move two steps?
    steps = [
        np.array([(b, b + 8 * r + f) for b in range(64) if 0 <= b % 8 + f < 8 and 0 <= b // 8 + r < 8])
        for f in (-1, 0, 1)
        for r in (-1, 0, 1)
        if f or r
    ]
    first = np.zeros((PAWNS, 64), np.uint64)  # the bare king moves
    moves = np.zeros((PAWNS, 64), np.uint64)
    ours = legal & queens & np.where(check, np.uint64(0), ~np.uint64(0))
    allowed = legal & np.where(check, np.uint64(0), ~np.uint64(0))
    for pair in steps:
        moves[:, pair[:, 0]] |= allowed[:, pair[:, 1]] | np.where(
            pawn == here[pair[:, 1]], ~_next_to(pawn), np.uint64(0)
        )
    theirs = first
    while True:
        escapes = np.zeros((PAWNS, 64), np.uint64)
        for pair in steps:
            there = pair[:, 1]
            escapes[:, pair[:, 0]] |= (allowed & ~ours)[:, there] | np.where(
                pawn == here[there], ~_next_to(pawn), np.uint64(0)
            )
        lost = legal & ~escapes & (moves | np.where(check, ~np.uint64(0), np.uint64(0)))
        pushed = np.zeros((PAWNS, 64), np.uint64)
        pushed[:-4] = lost[4:]
        pushed[:4] |= lost[8:12] & double[:4]
        won = allowed & (ours | _next_to(lost) | pushed)
        if (won == ours).all() and (lost == theirs).all():
            return ours, theirs
        ours, theirs = won, lost


WINS = np.stack(_find_wins()).ravel()  # at 64 * (24 * (the bare king moves) + pawn) + bare king


@helper
def is_pawn_win(side, pawn, king, bare, bare_moves):
    """Whether `side` wins with a pawn on this square, its king and the other one on theirs."""
    flip = 56 * side
    if pawn & 7 > 3:
        flip ^= 7
    pawn, king, bare = pawn ^ flip, king ^ flip, bare ^ flip
    at = 4 * ((pawn >> 3) - 1) + (pawn & 7)
    return WINS[64 * (PAWNS * bare_moves + at) + bare] & bit(king) != 0
