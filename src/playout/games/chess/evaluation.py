"""The static value of a position: material, squares, mobility, pawns and kings; and the value of an exchange.

All numbers are our own, in centipawns; docs/strength.md says how they were found. captures.py plays out captures on top
of this.
"""

import numpy as np
from numpy.typing import NDArray

from playout.games._shared import count_bits, helper, lowest_bit

from .attacks import attackers, pawn_attacks, piece_attacks
from .board import BISHOP, FILE_A, KING, KING_ATTACKS, KNIGHT, ONE, PAWN, QUEEN, ROOK, WHITE, bit

_8 = np.uint64(8)

WORTH = np.array([0, 100, 320, 330, 500, 950, 20000, 0], np.int64)  # by kind, in exchanges
TEMPO = 12  # for the side to move
BISHOP_PAIR = (28, 45)  # middle game, endgame, as in all pairs below
DOUBLED, ISOLATED = (-8, -18), (-10, -14)
ROOK_OPEN, ROOK_HALF_OPEN = (26, 12), (11, 8)
PASSED_MIDDLE = np.array([0, 2, 4, 12, 32, 64, 110, 0], np.int64)  # by rank
PASSED_END = np.array([0, 10, 16, 34, 68, 120, 190, 0], np.int64)
SHELTER, BARE_FILE = 11, -14  # a pawn in front of the king; a file next to it without own pawns
ATTACK_UNITS = np.array(
    [0, 0, 2, 2, 3, 5, 0, 0], np.int64
)  # by kind, for each square around the king that a piece attacks
DANGER_MOST = 400
# Mobility by kind: the weight of each square that a piece can move to, and the usual number of them.
MOBILITY_MIDDLE = np.array([0, 0, 4, 5, 2, 1, 0, 0], np.int64)
MOBILITY_END = np.array([0, 0, 4, 5, 4, 2, 0, 0], np.int64)
MOBILITY_USUAL = np.array([0, 0, 4, 6, 7, 13, 0, 0], np.int64)
FULL_PHASE = 24


def _square_values() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The value of a white piece on a square, at 64 * kind + square, in the middle game and in the endgame."""
    middle, end = np.zeros(512, np.int64), np.zeros(512, np.int64)
    for square in range(64):
        file, rank = square % 8, square // 8
        centre = 3.5 - max(abs(file - 3.5), abs(rank - 3.5))  # 0 on the edge, 3 in the middle
        files = 3.5 - abs(file - 3.5)
        if 1 <= rank <= 6:
            middle[64 * PAWN + square] = 82 + 3 * (rank - 1) + (6 * (rank - 1) if 2 <= file <= 5 and rank <= 4 else 0)
            if rank == 1 and file in (3, 4):
                middle[64 * PAWN + square] -= 16
            end[64 * PAWN + square] = 108 + 6 * (rank - 1) - 2 * files
        middle[64 * KNIGHT + square] = (
            318 + 14 * (centre - 1.2) + (7 if rank in (4, 5) else 0) - (8 if rank == 0 else 0)
        )
        end[64 * KNIGHT + square] = 300 + 11 * (centre - 1.2)
        middle[64 * BISHOP + square] = 334 + 6 * (centre - 1.2) - (10 if rank == 0 else 0)
        end[64 * BISHOP + square] = 318 + 5 * (centre - 1.2)
        middle[64 * ROOK + square] = 480 + 3 * (files - 1.5) + (18 if rank == 6 else 0)
        end[64 * ROOK + square] = 540 + (14 if rank == 6 else 0)
        middle[64 * QUEEN + square] = 1010 + 3 * (centre - 1.2) - (4 if rank > 4 else 0)
        end[64 * QUEEN + square] = 1000 + 9 * (centre - 1.2)
        middle[64 * KING + square] = -22 * min(rank, 4) - (9 * (files - 1.5) if rank < 2 else 12) + 0
        end[64 * KING + square] = 17 * (centre - 1.5)
    return middle, end


def _pawn_masks() -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
    """At 64 * colour + square: where enemy pawns keep a pawn from being passed; by square: its file, those beside."""
    passed, file_of, beside = np.zeros(128, np.uint64), np.zeros(64, np.uint64), np.zeros(64, np.uint64)
    for square in range(64):
        for other in range(64):
            near = abs(other % 8 - square % 8)
            ahead = other // 8 - square // 8
            here = np.uint64(1 << other)
            if near <= 1 and ahead > 0:
                passed[square] |= here
            if near <= 1 and ahead < 0:
                passed[64 + square] |= here
            if near == 0:
                file_of[square] |= here
            if near == 1:
                beside[square] |= here
    return passed, file_of, beside


MIDDLE, END = _square_values()
PASSED_MASK, FILE_OF, BESIDE = _pawn_masks()


@helper
def phase_of(state):
    """FULL_PHASE with all pieces on the board, 0 with kings and pawns."""
    phase = count_bits(state.pieces[KNIGHT] | state.pieces[BISHOP])
    phase += 2 * count_bits(state.pieces[ROOK]) + 4 * count_bits(state.pieces[QUEEN])
    return min(FULL_PHASE, phase)


@helper
def square_value(kind, square, colour, phase):
    """The value of a piece on its square for its owner, between middle game and endgame by phase, times FULL_PHASE."""
    at = 64 * kind + (square ^ (56 * colour))
    return MIDDLE[at] * phase + END[at] * (FULL_PHASE - phase)


@helper
def side_value(state, us, phase):
    """The value of one side's pieces, pawns and king, times FULL_PHASE."""
    own, other, occupied = state.colours[us], state.colours[1 - us], state.pieces[0]
    pawns, other_pawns = state.pieces[PAWN] & own, state.pieces[PAWN] & other
    middle, end = np.int64(0), np.int64(0)
    flip = 56 * us
    other_king = lowest_bit(state.pieces[KING] & other)
    zone = KING_ATTACKS[other_king]
    zone |= zone >> _8 if us == WHITE else zone << _8  # and one rank in front of it
    free = ~own & ~pawn_attacks(other_pawns, 1 - us)
    units, hunters = np.int64(0), np.int64(0)

    left = pawns
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        at = square ^ flip
        middle += MIDDLE[64 * PAWN + at]
        end += END[64 * PAWN + at]
        if BESIDE[square] & pawns == 0:
            middle += ISOLATED[0]
            end += ISOLATED[1]
        ahead = FILE_OF[square] & PASSED_MASK[64 * us + square]
        if ahead & pawns != 0:
            middle += DOUBLED[0]
            end += DOUBLED[1]
        elif PASSED_MASK[64 * us + square] & other_pawns == 0:
            rank = at >> 3
            middle += PASSED_MIDDLE[rank]
            bonus = PASSED_END[rank]
            if ahead & occupied != 0:
                bonus = bonus * 5 // 8
            end += bonus
    bishops = state.pieces[BISHOP] & own
    if bishops & (bishops - ONE) != 0:
        middle += BISHOP_PAIR[0]
        end += BISHOP_PAIR[1]
    for kind in range(KNIGHT, KING):
        left = state.pieces[kind] & own
        while left != 0:
            square = lowest_bit(left)
            left &= left - ONE
            at = 64 * kind + (square ^ flip)
            seen = piece_attacks(kind, square, occupied)
            moves = count_bits(seen & free) - MOBILITY_USUAL[kind]
            middle += MIDDLE[at] + MOBILITY_MIDDLE[kind] * moves
            end += END[at] + MOBILITY_END[kind] * moves
            if kind == ROOK and FILE_OF[square] & pawns == 0:
                if FILE_OF[square] & other_pawns == 0:
                    middle += ROOK_OPEN[0]
                    end += ROOK_OPEN[1]
                else:
                    middle += ROOK_HALF_OPEN[0]
                    end += ROOK_HALF_OPEN[1]
            if seen & zone != 0:
                hunters += 1
                units += ATTACK_UNITS[kind] * count_bits(seen & zone)

    king = lowest_bit(state.pieces[KING] & own)
    middle += MIDDLE[64 * KING + (king ^ flip)]
    end += END[64 * KING + (king ^ flip)]
    before = PASSED_MASK[64 * us + king]
    near = KING_ATTACKS[king]
    near |= near << _8 if us == WHITE else near >> _8
    middle += SHELTER * min(3, count_bits(before & near & pawns))
    for shift in range(-1, 2):
        file = (king & 7) + shift
        if 0 <= file < 8 and (FILE_A << np.uint64(file)) & pawns == 0:
            middle += BARE_FILE
    if hunters > 1:
        middle += min(DANGER_MOST, units * units * hunters // 8)
    return middle * phase + end * (FULL_PHASE - phase)


@helper
def static_value(state, phase):
    """The value for the side to move, before captures, in centipawns times FULL_PHASE."""
    us = np.int64(state.turn)
    found = side_value(state, us, phase) - side_value(state, 1 - us, phase)
    if state.pieces[PAWN] == 0:
        # Without pawns the stronger side must drive the enemy king to the edge and bring up its own.
        own, other = (
            lowest_bit(state.pieces[KING] & state.colours[us]),
            lowest_bit(state.pieces[KING] & state.colours[1 - us]),
        )
        strong, weak = (own, other) if found > 0 else (other, own)
        apart = max(abs((strong & 7) - (weak & 7)), abs((strong >> 3) - (weak >> 3)))
        edge = max(abs(2 * (weak & 7) - 7), abs(2 * (weak >> 3) - 7))
        corner = abs(2 * (weak & 7) - 7) + abs(2 * (weak >> 3) - 7)
        drive = (12 * edge + 6 * corner - 12 * apart) * FULL_PHASE
        if abs(found) > 300 * FULL_PHASE:
            found += drive if found > 0 else -drive
    return found + TEMPO * FULL_PHASE


@helper
def exchange(state, origin, target, first, on_square):
    """Static exchange evaluation: the gain from a capture when both sides keep recapturing with their least valuable
    piece, or stop.

    `first` is what the move takes, `on_square` what then stands there to be taken. It is one line of play in which each
    side may stop at any time, so two bounds and a balance are enough to follow it.
    """
    us = np.int64(state.turn)
    occupied = (state.pieces[0] & ~bit(origin)) | bit(target)
    balance, least, most = first, np.int64(-100000), np.int64(100000)
    side = 1 - us
    while True:
        left = attackers(state, target, side, occupied) & ~bit(target)
        if left == 0:
            return max(least, min(most, balance))
        kind = np.int64(PAWN)
        while left & state.pieces[kind] == 0:
            kind += 1
        if kind == KING and attackers(state, target, 1 - side, occupied) & ~bit(target) != 0:
            return max(least, min(most, balance))
        if side == us:
            if balance >= most:
                return most
            least = max(least, balance)
            balance += on_square
        else:
            if balance <= least:
                return least
            most = min(most, balance)
            balance -= on_square
        on_square = WORTH[kind]
        left &= state.pieces[kind]
        occupied ^= left & (~left + ONE)
        side = 1 - side
