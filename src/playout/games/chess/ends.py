"""When a game is over, and why."""

import numpy as np

from playout.games._shared import helper

from .board import (
    BISHOP,
    CHECKMATE,
    FIFTY_MOVES,
    FIVEFOLD_REPETITION,
    GOES_ON,
    INSUFFICIENT_MATERIAL,
    KNIGHT,
    LIGHT,
    ONE,
    PAWN,
    QUEEN,
    ROOK,
    SEVENTY_FIVE_MOVES,
    STALEMATE,
    THREEFOLD_REPETITION,
)
from .moves import has_move


@helper
def is_insufficient(state):
    """No series of moves leads to mate: bare kings, one knight, or bishops that all stand on one colour."""
    if state.pieces[PAWN] | state.pieces[ROOK] | state.pieces[QUEEN] != 0:
        return False
    if state.pieces[KNIGHT] != 0:
        left = state.pieces[0]
        left &= left - ONE
        left &= left - ONE
        return left & (left - ONE) == 0  # three pieces, since there are two kings
    bishops = state.pieces[BISHOP]
    return bishops & LIGHT == 0 or bishops & ~LIGHT == 0


@helper
def repetitions(state):
    """How often the position has occurred before, since the last irreversible move."""
    found, key = 0, state.key
    i = np.int64(state.past) - 4  # both sides must move away and back
    while i >= 0:
        if state.keys[i] == key:
            found += 1
        i -= 2
    return found


@helper
def find_end(state):
    """Why the game is over, or GOES_ON. Checkmate takes precedence."""
    if not has_move(state):
        return CHECKMATE if state.checkers != 0 else STALEMATE
    claims = state.claims
    if claims < 0:
        return GOES_ON
    if is_insufficient(state):
        return INSUFFICIENT_MATERIAL
    if state.halfmoves >= 150:
        return SEVENTY_FIVE_MOVES
    if claims != 0 and state.halfmoves >= 100:
        return FIFTY_MOVES
    if state.past >= 8:
        times = repetitions(state)
        if times >= 4:
            return FIVEFOLD_REPETITION
        if claims != 0 and times >= 2:
            return THREEFOLD_REPETITION
    return GOES_ON
