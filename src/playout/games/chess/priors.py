"""Priors: how promising a move looks before it is searched, by what it takes, threatens, saves and gives away."""

import math

import numpy as np

from playout.games._shared import helper, lowest_bit

from .attacks import attacked_squares, pawn_attacks, piece_attacks
from .board import (
    BETWEEN,
    BISHOP,
    BISHOP_RAYS,
    KING,
    KING_ATTACKS,
    KNIGHT,
    LINE,
    ONE,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    ROOK_RAYS,
    ZERO,
    bit,
)
from .evaluation import FULL_PHASE, PASSED_MASK, WORTH, exchange, phase_of, square_value

# A move's weight is exp(score / TEMPERATURE); scores are in centipawns, roughly.
TEMPERATURE = 200.0
GAIN = 0.7  # of what an exchange wins
GIFT = 0.1  # of what it loses
MOST_GAIN = 500.0
TAKING = 30.0  # any capture that loses nothing
CHECK = 110.0
CHECK_AT_A_COST = 100.0  # a check that gives up the piece
DISCOVERED = 40.0
RESCUE = 0.3  # of what would be lost where the piece stands
THREAT = 30.0  # by a piece that attacks a more valuable one
CASTLING = 60.0
SQUARES = 1.0  # of what the squares gain
PASSED_STEP = 12.0  # a passed pawn's step, by rank
UNDERPROMOTION = -250.0
ROYAL = 15.0  # an attack next to the enemy king


@helper
def hidden_attackers(state, us, other_king):
    """Our pieces that stand alone between one of our sliders and the enemy king: moving them discovers a check."""
    own, found = state.colours[us], ZERO
    left = ROOK_RAYS[other_king] & (state.pieces[ROOK] | state.pieces[QUEEN])
    left |= BISHOP_RAYS[other_king] & (state.pieces[BISHOP] | state.pieces[QUEEN])
    left &= own
    while left != 0:
        between = BETWEEN[64 * other_king + lowest_bit(left)] & state.pieces[0]
        left &= left - ONE
        if between & (between - ONE) == 0:
            found |= between & own
    return found


@helper
def weigh_moves(state, actions, count, out):
    """Fill `out` with a weight above 0 for each legal move; they sum to 1."""
    us = np.int64(state.turn)
    other, occupied = state.colours[1 - us], state.pieces[0]
    other_king = lowest_bit(state.pieces[KING] & other)
    phase = phase_of(state)
    seen = attacked_squares(state, 1 - us, occupied)
    guarded = attacked_squares(state, us, occupied)
    by_pawns = pawn_attacks(state.pieces[PAWN] & other, 1 - us)
    hidden = hidden_attackers(state, us, other_king)
    near = KING_ATTACKS[other_king]
    minors = state.pieces[KNIGHT] | state.pieces[BISHOP]
    majors = state.pieces[ROOK] | state.pieces[QUEEN]
    most = -1e9
    for i in range(count):
        move = np.int64(actions[i])
        origin, target, promotion = move & 63, (move >> 6) & 63, move >> 12
        kind = np.int64(state.squares[origin]) & 7
        taken = np.int64(state.squares[target]) & 7
        becomes = promotion if promotion != 0 else kind
        there = bit(target)
        first = WORTH[taken]
        if promotion != 0:
            first += WORTH[promotion] - WORTH[PAWN]
        elif kind == PAWN and taken == 0 and (origin ^ target) & 7 != 0:
            first = WORTH[PAWN]
        balance = first
        if seen & there != 0 and kind != KING:
            balance = exchange(state, origin, target, first, WORTH[becomes])
        if balance >= 0:
            score = min(MOST_GAIN, GAIN * balance)
            if first > 0:
                score += TAKING
        else:
            score = GIFT * balance

        score += SQUARES * (square_value(kind, target, us, phase) - square_value(kind, origin, us, phase)) / FULL_PHASE
        if promotion not in (0, QUEEN):
            score += UNDERPROMOTION
        if kind == KING:
            if abs(target - origin) == 2:
                score += CASTLING
        else:
            if becomes == PAWN:
                looks = PAWN_ATTACKS[64 * us + target]
            else:
                looks = piece_attacks(becomes, target, occupied ^ bit(origin))
            if looks & state.pieces[KING] & other != 0:
                score += CHECK if balance >= 0 else CHECK_AT_A_COST
            if balance >= 0:
                if becomes == PAWN:
                    prey = minors | majors
                elif becomes == QUEEN:
                    prey = ZERO
                elif becomes == ROOK:
                    prey = state.pieces[QUEEN]
                else:
                    prey = majors
                if looks & prey & other != 0:
                    score += THREAT
                if looks & near != 0:
                    score += ROYAL
            # What would be lost if the piece stayed.
            if taken == 0 and seen & bit(origin) != 0 and balance >= 0 and kind != PAWN:
                if by_pawns & bit(origin) != 0:
                    score += RESCUE * (WORTH[kind] - WORTH[PAWN])
                elif guarded & bit(origin) == 0:
                    score += RESCUE * WORTH[kind]
            if becomes == PAWN and PASSED_MASK[64 * us + target] & state.pieces[PAWN] & other == 0:
                score += PASSED_STEP * ((target ^ (56 * us)) >> 3)
        if hidden & bit(origin) != 0 and LINE[64 * other_king + origin] & there == 0:
            score += DISCOVERED
        out[i] = score
        most = max(most, score)
    total = 0.0
    for i in range(count):
        out[i] = math.exp((out[i] - most) / TEMPERATURE)
        total += out[i]
    for i in range(count):
        out[i] /= total
