"""The value of a leaf: the static value after the captures that matter are played out (quiescence search).

Alpha-beta over captures and promotions, where each side may also stand pat; in check, all moves are searched and there
is no standing pat. Rules can't recurse, so the levels are frames of one array, allocated only if there is a capture.
"""

import math

import numpy as np

from playout.games._shared import helper, lowest_bit

from .attacks import attackers, bishop_attacks, find_checks_and_pins, pawn_attacks, rook_attacks
from .board import (
    BISHOP,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LINE,
    NO_SQUARE,
    ONE,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    bit,
)
from .evaluation import FULL_PHASE, TEMPO, WORTH, exchange, phase_of, square_value, static_value
from .moves import find_moves, put_en_passant

DEPTH = 8  # the most captures in a row
CHECK_DEPTH = 4  # in check, all moves are searched up to this level
MARGIN = 150  # a capture that falls this far short of alpha is not tried
ROOM = 128  # there are at most 74 captures, and fewer answers to a check
MATED = 3000  # a mate found here is certain, but only the search proves mates
SQUASH = 300.0  # centipawns worth tanh(1) = 0.76 of a win
MOST_VALUE = 0.998  # estimates stay inside (-1, 1), the range of results
INFINITE = 10**9
_SEVENTH = np.array([0xFF << 48, 0xFF << 8], np.uint64)  # pawns one step from promotion, by colour

# The part of a position that captures need, named as in `board.STATE`, and fields of the search.
FRAME = np.dtype(
    (
        np.record,
        [
            ("pieces", np.uint64, 7),
            ("colours", np.uint64, 2),
            ("checkers", np.uint64),
            ("pinned", np.uint64),
            ("squares", np.uint8, 64),
            ("turn", np.int32),
            ("castling", np.int32),  # always 0: castling neither captures nor answers a check
            ("en_passant", np.int32),
            ("at", np.int32),  # the next move to try; -1: none listed yet
            ("count", np.int64),
            ("value", np.int64),  # static, for the side to move; all values times FULL_PHASE
            ("best", np.int64),
            ("alpha", np.int64),
            ("beta", np.int64),
            ("moves", np.int32, ROOM),
            ("order", np.int32, ROOM),
        ],
    )
)


@helper
def copy_board(target, source):
    for kind in range(7):
        target.pieces[kind] = source.pieces[kind]
    target.colours[0] = source.colours[0]
    target.colours[1] = source.colours[1]
    for square in range(64):
        target.squares[square] = source.squares[square]


@helper
def has_capture(state):
    """Whether there may be a capture or promotion, ignoring pins: most leaves are quiet, and end here."""
    us = np.int64(state.turn)
    own, other, occupied = state.colours[us], state.colours[1 - us], state.pieces[0]
    pawns = state.pieces[PAWN] & own
    if (pawn_attacks(pawns, us) & other) | (pawns & _SEVENTH[us]) != 0 or state.en_passant != NO_SQUARE:
        return True
    if KING_ATTACKS[lowest_bit(state.pieces[KING] & own)] & other != 0:
        return True
    left = state.pieces[KNIGHT] & own
    while left != 0:
        if KNIGHT_ATTACKS[lowest_bit(left)] & other != 0:
            return True
        left &= left - ONE
    left = (state.pieces[BISHOP] | state.pieces[QUEEN]) & own
    while left != 0:
        if bishop_attacks(lowest_bit(left), occupied) & other != 0:
            return True
        left &= left - ONE
    left = (state.pieces[ROOK] | state.pieces[QUEEN]) & own
    while left != 0:
        if rook_attacks(lowest_bit(left), occupied) & other != 0:
            return True
        left &= left - ONE
    return False


@helper
def find_captures(frame):
    """List the legal captures and promotions to a queen, when not in check, in `moves`; returns their number."""
    us = np.int64(frame.turn)
    own, other, occupied = frame.colours[us], frame.colours[1 - us], frame.pieces[0]
    king = lowest_bit(frame.pieces[KING] & own)
    moves, count = frame.moves, 0
    pawns = frame.pieces[PAWN] & own
    left = pawns & (pawn_attacks(other, 1 - us) | _SEVENTH[us])
    left |= (frame.pieces[0] ^ frame.pieces[PAWN]) & own & ~bit(king)
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        kind = np.int64(frame.squares[square]) & 7
        promotion = 0
        if kind == PAWN:
            targets = PAWN_ATTACKS[64 * us + square] & other
            if _SEVENTH[us] & bit(square) != 0:
                targets |= bit(square + 8 - 16 * us) & ~occupied
                promotion = QUEEN << 12
        elif kind == KNIGHT:
            targets = KNIGHT_ATTACKS[square] & other
        elif kind == BISHOP:
            targets = bishop_attacks(square, occupied) & other
        elif kind == ROOK:
            targets = rook_attacks(square, occupied) & other
        else:
            targets = (bishop_attacks(square, occupied) | rook_attacks(square, occupied)) & other
        if frame.pinned & bit(square) != 0:
            targets &= LINE[64 * king + square]
        while targets != 0:
            moves[count] = square | (lowest_bit(targets) << 6) | promotion
            count += 1
            targets &= targets - ONE
    targets = KING_ATTACKS[king] & other
    while targets != 0:
        target = lowest_bit(targets)
        targets &= targets - ONE
        if attackers(frame, target, 1 - us, occupied ^ bit(king)) == 0:
            moves[count] = king | (target << 6)
            count += 1
    if frame.en_passant != NO_SQUARE:
        count = put_en_passant(frame, moves, count, pawns, us)
    return count


@helper
def order_moves(frame):
    """Give each move its place: the most valuable victim first, taken by the least valuable piece."""
    for i in range(frame.count):
        move = np.int64(frame.moves[i])
        taken = np.int64(frame.squares[(move >> 6) & 63]) & 7
        mover = np.int64(frame.squares[move & 63]) & 7
        frame.order[i] = 8 * (WORTH[taken] + WORTH[move >> 12]) - WORTH[mover] // 20


@helper
def next_move(frame):
    """Take the best move not tried yet."""
    first = np.int64(frame.at)
    best = first
    for i in range(first + 1, frame.count):
        if frame.order[i] > frame.order[best]:
            best = i
    move = np.int64(frame.moves[best])
    frame.moves[best], frame.order[best] = frame.moves[first], frame.order[first]
    frame.at = first + 1
    return move


@helper
def make_capture(after, frame, move, phase):
    """Make `after` the board after a move, its static value updated from piece-square values only."""
    copy_board(after, frame)
    us = np.int64(frame.turn)
    origin, target, promotion = move & 63, (move >> 6) & 63, move >> 12
    kind = np.int64(frame.squares[origin]) & 7
    taken = np.int64(frame.squares[target]) & 7
    value = frame.value - square_value(kind, origin, us, phase)
    place = target
    if kind == PAWN and taken == 0 and (origin ^ target) & 7 != 0:  # en passant
        taken, place = PAWN, target ^ 8
        after.squares[place] = 0
    if taken != 0:
        after.pieces[taken] ^= bit(place)
        after.colours[1 - us] ^= bit(place)
        value += square_value(taken, place, 1 - us, phase)
    after.pieces[kind] ^= bit(origin)
    if promotion != 0:
        kind = promotion
    after.pieces[kind] ^= bit(target)
    after.colours[us] ^= bit(origin) | bit(target)
    after.pieces[0] = after.colours[0] | after.colours[1]
    after.squares[origin] = 0
    after.squares[target] = kind + 8 * us
    after.turn = 1 - us
    after.castling = 0
    after.en_passant = NO_SQUARE
    after.value = 2 * TEMPO * FULL_PHASE - value - square_value(kind, target, us, phase)
    find_checks_and_pins(after)


@helper
def is_hopeless(frame, move):
    """Whether to skip a capture: it can't raise alpha, or it loses the exchange."""
    origin, target = move & 63, (move >> 6) & 63
    kind = np.int64(frame.squares[origin]) & 7
    taken = np.int64(frame.squares[target]) & 7
    gain = WORTH[taken] if taken != 0 or kind != PAWN else WORTH[PAWN]  # en passant
    piece = WORTH[kind]
    if move >> 12 != 0:
        gain = WORTH[taken] + WORTH[QUEEN] - WORTH[PAWN]
        piece = WORTH[QUEEN]
    if frame.value + (gain + MARGIN) * FULL_PHASE <= frame.alpha:
        return True
    return piece > gain and exchange(frame, origin, target, gain, piece) < 0


@helper
def search_captures(state, value, phase):
    """The value for the side to move after captures, starting from a static `value`; both times FULL_PHASE."""
    frames = np.empty(DEPTH + 1, FRAME)
    frame = frames[0]
    copy_board(frame, state)
    frame.checkers, frame.pinned = state.checkers, state.pinned
    frame.turn, frame.castling, frame.en_passant = state.turn, 0, state.en_passant
    frame.value, frame.alpha, frame.beta = value, -INFINITE, INFINITE
    frame.at = -1
    level = 0
    while True:
        frame = frames[level]
        forced = frame.checkers != 0 and level < CHECK_DEPTH
        if frame.at < 0:
            frame.at = 0
            frame.count = 0
            if forced:
                frame.best = level - MATED * FULL_PHASE
                frame.count = find_moves(frame, frame.moves)
                order_moves(frame)
            else:
                frame.best = frame.value
                frame.alpha = max(frame.alpha, frame.best)
                if level < DEPTH and frame.alpha < frame.beta and frame.checkers == 0:
                    frame.count = find_captures(frame)
                    order_moves(frame)
        if frame.at >= frame.count or frame.best >= frame.beta:
            if level == 0:
                return frame.best
            found = -frame.best
            level -= 1
            frame = frames[level]
            frame.best = max(frame.best, found)
            frame.alpha = max(frame.alpha, found)
            continue
        move = next_move(frame)
        if not forced and is_hopeless(frame, move):
            continue
        after = frames[level + 1]
        make_capture(after, frame, move, phase)
        after.alpha, after.beta = -frame.beta, -frame.alpha
        after.at = -1
        level += 1


@helper
def settled_value(state):
    """The value of the position for the side to move, in centipawns."""
    phase = phase_of(state)
    value = static_value(state, phase)
    if state.checkers != 0 or has_capture(state):
        value = search_captures(state, value, phase)
    return value / FULL_PHASE


@helper
def squashed(value):
    """Centipawns as an expected result, tanh(value / SQUASH), kept below 1.

    >>> round(squashed(100.0), 3)
    0.321
    """
    return MOST_VALUE * math.tanh(value / SQUASH)
