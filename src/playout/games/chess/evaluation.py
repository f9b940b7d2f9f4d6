"""What a position is worth as it stands: material, squares, mobility, pawns and kings, and what an exchange comes to.

All numbers are our own, in hundredths of a pawn; how they were found is told in docs/strength.md. The leaves of a
search are settled by captures.py on top of this.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from playout.games._shared import helper, lowest_bit

from .attacks import attackers, bishop_attacks, pawn_attacks, rook_attacks
from .board import BISHOP, FILE_A, KING, KING_ATTACKS, KNIGHT, KNIGHT_ATTACKS, ONE, PAWN, QUEEN, ROOK, WHITE, bit

_1, _8, _16 = np.uint64(1), np.uint64(8), np.uint64(16)

WORTH = np.array([0, 100, 320, 330, 500, 950, 20000, 0], np.int64)  # by kind, in exchanges
TEMPO = 12  # what it is worth to be on the move
BISHOP_PAIR = (28, 45)  # middle game, endgame: so are all pairs below
DOUBLED, ISOLATED = (-8, -18), (-10, -14)
ROOK_OPEN, ROOK_HALF_OPEN = (26, 12), (11, 8)
PASSED_MIDDLE = np.array([0, 2, 4, 12, 32, 64, 110, 0], np.int64)  # by rank
PASSED_END = np.array([0, 10, 16, 34, 68, 120, 190, 0], np.int64)
SHELTER, BARE_FILE = 11, -14  # a pawn before the king; a file beside it without one
ATTACK_UNITS = np.array([0, 0, 2, 2, 3, 5, 0, 0], np.int64)  # a piece that looks at the squares around the king
DANGER_MOST = 400
FULL_PHASE = 24


def popcount(bits: Any) -> int:
    """How many bits of a uint64 are set; one instruction when compiled.

    >>> popcount(np.uint64(41))
    3
    """
    return int(bits).bit_count()


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _population(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.ctpop(values[0])

    return types.int64(types.uint64), codegen


@overload(popcount)
def _popcount(bits):
    def compiled(bits):
        return _population(bits)

    return compiled


def _square_values() -> tuple[Any, Any]:
    """What a white piece on a square is worth, at 64 * kind + square, in the middle game and in the endgame."""
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


def _pawn_masks() -> tuple[Any, Any, Any]:
    """At 64 * colour + square: where other pawns stop this one from being passed; by square: its file, those beside."""
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
    phase = popcount(state.pieces[KNIGHT] | state.pieces[BISHOP])
    phase += 2 * popcount(state.pieces[ROOK]) + 4 * popcount(state.pieces[QUEEN])
    return min(FULL_PHASE, phase)


@helper
def square_value(kind, square, colour, phase):
    """A piece on its square between middle game and endgame, times FULL_PHASE, for its owner."""
    at = 64 * kind + (square ^ (56 * colour))
    return MIDDLE[at] * phase + END[at] * (FULL_PHASE - phase)


@helper
def side_value(state, us, phase):
    """All that one side has, times FULL_PHASE."""
    own, other, occupied = state.colours[us], state.colours[1 - us], state.pieces[0]
    pawns, other_pawns = state.pieces[PAWN] & own, state.pieces[PAWN] & other
    middle, end = np.int64(0), np.int64(0)
    flip = 56 * us
    other_king = lowest_bit(state.pieces[KING] & other)
    zone = KING_ATTACKS[other_king]
    zone |= zone >> _8 if us == WHITE else zone << _8  # and one rank before it
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
    left = state.pieces[KNIGHT] & own
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        at = 64 * KNIGHT + (square ^ flip)
        seen = KNIGHT_ATTACKS[square]
        moves = popcount(seen & free)
        middle += MIDDLE[at] + 4 * (moves - 4)
        end += END[at] + 4 * (moves - 4)
        if seen & zone != 0:
            hunters += 1
            units += ATTACK_UNITS[KNIGHT] * popcount(seen & zone)
    bishops = state.pieces[BISHOP] & own
    if bishops & (bishops - ONE) != 0:
        middle += BISHOP_PAIR[0]
        end += BISHOP_PAIR[1]
    left = bishops
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        at = 64 * BISHOP + (square ^ flip)
        seen = bishop_attacks(square, occupied)
        moves = popcount(seen & free)
        middle += MIDDLE[at] + 5 * (moves - 6)
        end += END[at] + 5 * (moves - 6)
        if seen & zone != 0:
            hunters += 1
            units += ATTACK_UNITS[BISHOP] * popcount(seen & zone)
    left = state.pieces[ROOK] & own
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        at = 64 * ROOK + (square ^ flip)
        seen = rook_attacks(square, occupied)
        moves = popcount(seen & free)
        middle += MIDDLE[at] + 2 * (moves - 7)
        end += END[at] + 4 * (moves - 7)
        if FILE_OF[square] & pawns == 0:
            if FILE_OF[square] & other_pawns == 0:
                middle += ROOK_OPEN[0]
                end += ROOK_OPEN[1]
            else:
                middle += ROOK_HALF_OPEN[0]
                end += ROOK_HALF_OPEN[1]
        if seen & zone != 0:
            hunters += 1
            units += ATTACK_UNITS[ROOK] * popcount(seen & zone)
    left = state.pieces[QUEEN] & own
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        at = 64 * QUEEN + (square ^ flip)
        seen = bishop_attacks(square, occupied) | rook_attacks(square, occupied)
        moves = popcount(seen & free)
        middle += MIDDLE[at] + moves - 13
        end += END[at] + 2 * (moves - 13)
        if seen & zone != 0:
            hunters += 1
            units += ATTACK_UNITS[QUEEN] * popcount(seen & zone)

    king = lowest_bit(state.pieces[KING] & own)
    middle += MIDDLE[64 * KING + (king ^ flip)]
    end += END[64 * KING + (king ^ flip)]
    before = PASSED_MASK[64 * us + king]
    near = KING_ATTACKS[king]
    near |= near << _8 if us == WHITE else near >> _8
    middle += SHELTER * min(3, popcount(before & near & pawns))
    for shift in range(-1, 2):
        file = (king & 7) + shift
        if 0 <= file < 8 and (FILE_A << np.uint64(file)) & pawns == 0:
            middle += BARE_FILE
    if hunters > 1:
        middle += min(DANGER_MOST, units * units * hunters // 8)
    return middle * phase + end * (FULL_PHASE - phase)


@helper
def static_value(state, phase):
    """The position for the side to move, before captures, in hundredths of a pawn times FULL_PHASE."""
    us = np.int64(state.turn)
    found = side_value(state, us, phase) - side_value(state, 1 - us, phase)
    if state.pieces[PAWN] == 0:
        # Without pawns the stronger side has to drive the king to the edge, and to come near with its own.
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
    """What a capture on a square comes to when both sides go on taking there with their least piece, or stop.

    `first` is what the move takes, `on_square` what then stands there to be taken. One line of play in which each side
    may stop at any time: two bounds and a balance are enough to follow it.
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
