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
SEVENTH = 48  # the first square of the rank before the last
NONE, EVERY = np.uint64(0), ~np.uint64(0)
STEPS = [(rank, file) for rank in (-1, 0, 1) for file in (-1, 0, 1) if rank or file]
_1, _7, _8, _9 = np.uint64(1), np.uint64(7), np.uint64(8), np.uint64(9)


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
    here = ONE << np.arange(64, dtype=np.uint64)  # [bare king]
    squares = np.array([[8 * (1 + at // 4) + at % 4] for at in range(PAWNS)])
    pawn = here[squares]  # [pawn, 1]
    ahead, near = pawn << _8, here | _next_to(here)
    check = (((pawn & NOT_A) << _7) | (pawn << _9)) & here != 0
    legal: Boards = np.where(pawn != here, ~near & ~pawn, NONE)
    allowed: Boards = np.where(check, NONE, legal)  # with the stronger side to move
    open_ahead = np.where(ahead != here, ~ahead, NONE)
    takes: Boards = np.where(pawn == here, ~_next_to(pawn), NONE)  # the bare king steps on the pawn
    safe = np.where(near & ahead != 0, _next_to(ahead), EVERY)
    ours: Boards = np.where(squares >= SEVENTH, allowed & open_ahead & safe, NONE)  # a pawn that becomes a queen
    moves = _after_a_step(allowed | takes) | np.where(check, EVERY, NONE)
    theirs = np.full_like(ours, NONE)
    while True:
        lost = legal & moves & ~_after_a_step((allowed & ~ours) | takes)
        pushed = np.full_like(ours, NONE)
        pushed[:-4] = lost[4:]
        pushed[:4] |= lost[8:12] & open_ahead[:4]  # two steps
        won = ours | (allowed & (_next_to(lost) | pushed))
        if (won == ours).all() and (lost == theirs).all():
            return ours, theirs
        ours, theirs = won, lost


def _after_a_step(boards: Boards) -> Boards:
    """For each square of the bare king, what some step of it leads to, [pawn, bare king]."""
    found, padded = np.full_like(boards, NONE), np.full((PAWNS, 10, 10), NONE)
    padded[:, 1:-1, 1:-1] = boards.reshape(PAWNS, 8, 8)
    for rank, file in STEPS:
        found |= padded[:, 1 + rank : 9 + rank, 1 + file : 9 + file].reshape(PAWNS, 64)
    return found


WINS = np.stack(_find_wins()).ravel()  # at 64 * (24 * (the bare king moves) + pawn) + bare king


@helper
def is_pawn_win(side, pawn, king, bare, bare_moves):
    """Whether `side` wins with a pawn on this square, its king and the other one on theirs."""
    flip = 56 * side
    if pawn & 7 > 3:
        flip ^= 7
    pawn, king, bare = pawn ^ flip, king ^ flip, bare ^ flip
    at = 4 * ((pawn >> 3) - 1) + (pawn & 7)
    return WINS[64 * ((PAWNS if bare_moves else 0) + at) + bare] & bit(king) != 0
