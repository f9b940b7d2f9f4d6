"""What a network sees of a chess position, and the index of a move in its policy; `Chess` describes both."""

import numpy as np
from numpy.typing import NDArray

from playout.games._shared import helper, lowest_bit

from .board import BLACK, KNIGHT, KNIGHT_STEPS, NO_SQUARE, ONE, QUEEN
from .ends import repetitions

PLANES = (20, 8, 8)
CASTLING, EN_PASSANT, HALFMOVES, REPEATED, ONES = 12, 16, 17, 18, 19  # the pieces have the planes below

FEATURES = 780
CASTLING_FEATURES, EN_PASSANT_FEATURES = 768, 772  # the pieces have those below

KINDS = 73
POLICY_SIZE = KINDS * 64
QUEEN_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
UNDERPROMOTIONS = 64  # the first kind of them


def _kinds() -> NDArray[np.int64]:
    """The kind of a move by its distance, at 15 * (ranks + 7) + files + 7; -1: no piece moves like that."""
    found = np.full(225, -1, np.int64)
    for kind, (files, ranks) in enumerate(KNIGHT_STEPS, start=56):
        found[15 * (ranks + 7) + files + 7] = kind
    for direction, (files, ranks) in enumerate(QUEEN_STEPS):
        for steps in range(1, 8):
            found[15 * (steps * ranks + 7) + steps * files + 7] = 7 * direction + steps - 1
    return found


KIND_OF = _kinds()


@helper
def fill_plane(planes, plane, value):
    for row in range(8):
        for column in range(8):
            planes[plane, row, column] = value


@helper
def fill_planes(state, player, planes):
    """Fill `planes`, which arrive zeroed, as `player` sees the board."""
    flip = 56 if player == BLACK else 0  # counts the ranks from the other end
    for side in range(2):
        colour = player if side == 0 else 1 - player
        for kind in range(1, 7):
            left = state.pieces[kind] & state.colours[colour]
            while left != 0:
                square = lowest_bit(left) ^ flip
                left &= left - ONE
                planes[6 * side + kind - 1, square >> 3, square & 7] = 1.0
        rights = state.castling >> (2 * colour)
        if rights & 1:
            fill_plane(planes, CASTLING + 2 * side, 1.0)
        if rights & 2:
            fill_plane(planes, CASTLING + 2 * side + 1, 1.0)
    if state.en_passant != NO_SQUARE:
        square = state.en_passant ^ flip
        planes[EN_PASSANT, square >> 3, square & 7] = 1.0
    fill_plane(planes, HALFMOVES, state.halfmoves / 100.0)
    if repetitions(state) > 0:
        fill_plane(planes, REPEATED, 1.0)
    fill_plane(planes, ONES, 1.0)


@helper
def list_features(state, player, out):
    """List the active features as `player` sees the board; returns their number.

    >>> from playout import games
    >>> games.load("chess").position("8/8/8/8/8/8/4P3/K6k b - - 0 1").features()  # seen upside down
    [760, 383, 436]
    """
    flip = 56 if player == BLACK else 0
    count = 0
    left = state.pieces[0]
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        code = np.int64(state.squares[square])
        out[count] = 384 * ((code >> 3) ^ player) + 64 * ((code & 7) - 1) + (square ^ flip)
        count += 1
    for right in range(4):
        out[count] = CASTLING_FEATURES + right  # kept only where the right is there: no branch to mispredict
        count += (state.castling >> (right ^ (2 * player))) & 1
    if state.en_passant != NO_SQUARE:
        out[count] = EN_PASSANT_FEATURES + (state.en_passant & 7)
        count += 1
    return count


@helper
def policy_index(action, player):
    """The index of a player's move in the policy.

    >>> int(policy_index(12 | 28 << 6, 0)), int(policy_index(52 | 36 << 6, 1))  # e2e4, e7e5: both two up from e2
    (76, 76)
    """
    flip = 56 if player == BLACK else 0
    origin, target, promotion = (action & 63) ^ flip, ((action >> 6) & 63) ^ flip, action >> 12
    files = (target & 7) - (origin & 7)
    if 0 < promotion < QUEEN:
        return 64 * (UNDERPROMOTIONS + 3 * (promotion - KNIGHT) + files + 1) + origin
    ranks = (target >> 3) - (origin >> 3)
    return 64 * KIND_OF[15 * (ranks + 7) + files + 7] + origin
