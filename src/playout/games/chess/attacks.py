"""Who attacks what: sliding attacks, checks, pins, and the squares that a king may not step on."""

import numpy as np

from playout.games._shared import helper, lowest_bit

from .board import (
    ANTIDIAGONAL,
    BETWEEN,
    BISHOP,
    BISHOP_RAYS,
    BLACK,
    DIAGONAL,
    FILE_A,
    FILE_B,
    GATHER_FILE,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    NOT_A,
    NOT_H,
    ONE,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    RANK,
    ROOK,
    ROOK_RAYS,
    SEEN_FILES,
    SEEN_RANKS,
    ZERO,
    bit,
)

_TOP6, _SIX = np.uint64(58), np.uint64(63)


@helper
def bishop_attacks(square, occupied):
    files = (square & 7) << 6
    mask = DIAGONAL[square]
    found = mask & SEEN_FILES[files + np.int64(((occupied & mask) * FILE_B) >> _TOP6)]
    mask = ANTIDIAGONAL[square]
    return found | (mask & SEEN_FILES[files + np.int64(((occupied & mask) * FILE_B) >> _TOP6)])


@helper
def rook_attacks(square, occupied):
    file, first = np.uint64(square & 7), np.uint64((square & 56) | 1)
    found = RANK[square] & SEEN_FILES[((square & 7) << 6) + np.int64((occupied >> first) & _SIX)]
    inner = (((occupied >> file) & FILE_A) * GATHER_FILE) >> _TOP6
    return found | (SEEN_RANKS[((square >> 3) << 6) + np.int64(inner)] << file)


@helper
def pawn_attacks(pawns, colour):
    """All squares that these pawns attack."""
    if colour == BLACK:
        return ((pawns & NOT_A) >> np.uint64(9)) | ((pawns & NOT_H) >> np.uint64(7))
    return ((pawns & NOT_A) << np.uint64(7)) | ((pawns & NOT_H) << np.uint64(9))


@helper
def piece_attacks(kind, square, occupied):
    """What a knight, bishop, rook or queen attacks."""
    if kind == KNIGHT:
        return KNIGHT_ATTACKS[square]
    found = ZERO
    if kind != ROOK:
        found |= bishop_attacks(square, occupied)
    if kind != BISHOP:
        found |= rook_attacks(square, occupied)
    return found


@helper
def attackers(state, square, colour, occupied):
    """The pieces of a colour that attack a square, given the occupied squares."""
    queens = state.pieces[QUEEN]
    found = PAWN_ATTACKS[64 * (1 - colour) + square] & state.pieces[PAWN]
    found |= KNIGHT_ATTACKS[square] & state.pieces[KNIGHT]
    found |= KING_ATTACKS[square] & state.pieces[KING]
    found |= bishop_attacks(square, occupied) & (state.pieces[BISHOP] | queens)
    found |= rook_attacks(square, occupied) & (state.pieces[ROOK] | queens)
    return found & state.colours[colour] & occupied


@helper
def attacked_squares(state, colour, occupied):
    """All squares that a colour attacks, those of its own pieces included."""
    own = state.colours[colour]
    queens = state.pieces[QUEEN]
    found = pawn_attacks(state.pieces[PAWN] & own, colour)
    found |= KING_ATTACKS[lowest_bit(state.pieces[KING] & own)]
    left = state.pieces[KNIGHT] & own
    while left != 0:
        found |= KNIGHT_ATTACKS[lowest_bit(left)]
        left &= left - ONE
    left = (state.pieces[BISHOP] | queens) & own
    while left != 0:
        found |= bishop_attacks(lowest_bit(left), occupied)
        left &= left - ONE
    left = (state.pieces[ROOK] | queens) & own
    while left != 0:
        found |= rook_attacks(lowest_bit(left), occupied)
        left &= left - ONE
    return found


@helper
def find_checks_and_pins(state):
    """Fill `checkers` and `pinned` for the side to move."""
    us = np.int64(state.turn)
    own, other = state.colours[us], state.colours[1 - us]
    king = lowest_bit(state.pieces[KING] & own)
    checkers = PAWN_ATTACKS[64 * us + king] & state.pieces[PAWN]
    checkers |= KNIGHT_ATTACKS[king] & state.pieces[KNIGHT]
    checkers &= other
    pinned = ZERO
    queens = state.pieces[QUEEN]
    # Sliders that would give check on an empty board: they do if nothing stands between, else pin a single piece.
    left = ROOK_RAYS[king] & (state.pieces[ROOK] | queens)
    left |= BISHOP_RAYS[king] & (state.pieces[BISHOP] | queens)
    left &= other
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        between = BETWEEN[64 * king + square] & state.pieces[0]
        if between == 0:
            checkers |= bit(square)
        elif between & (between - ONE) == 0:
            pinned |= between & own
    state.checkers = checkers
    state.pinned = pinned
