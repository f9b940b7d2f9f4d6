"""Endings against a bare king: what is known of them, and how far the mate is.

A usual static value is near 1 everywhere there, and its differences are too small to tell progress from moving to and
fro: fifty moves would pass. So these positions have a value by the moves that are left until mate, roughly, and priors
by the same measure. A network adds nothing to either (`is_known` in `game.py`).

The plies until mate are a sum of how far the bare king is from a corner (of the bishop's colour, for bishop and
knight) and from the other king, and of the squares that are left to it; the weights were fitted to the retrograde
analysis in `tests/oracles/endings.py`. A single pawn wins or not as `pawn_ending.py` says.
"""

import math

import numpy as np

from playout.games._shared import count_bits, helper, lowest_bit

from .attacks import bishop_attacks, pawn_attacks, rook_attacks
from .board import BISHOP, KING, KING_ATTACKS, KNIGHT, KNIGHT_ATTACKS, LIGHT, NOT_A, NOT_H, ONE, PAWN, QUEEN, ROOK, bit
from .pawn_ending import is_pawn_win

MOST = 0.999  # the value next to mate
SLOPE = 0.0015  # what a ply until mate costs
LONGEST = 100.0  # plies; a won position is worth at least MOST - LONGEST * SLOPE
DRAWN = 10_000.0  # instead of plies: the win is gone
TEMPERATURE = 1.0  # plies: a move that is this much longer has a prior lower by the factor e
LEAST_WEIGHT = 1e-4

# Plies for each step to a corner, for each step between the kings and beside, for the logarithm of the squares left to
# the bare king, for each of its moves, and for each step between the stronger king and its pieces.
CORNER, APART, BESIDE, ROOM, MOVES, TOGETHER = 2.0, 1.1, 0.5, 2.5, 0.45, 0.3
# The same with bishop and knight, and for each step to the right corner.
BN_CORNER, BN_RIGHT, BN_APART, BN_ROOM, BN_TOGETHER, BN_FIRST = 1.0, 2.5, 2.0, 6.0, 0.45, 8.0
WITH_QUEEN = 0.55  # a queen needs less
QUEENING, QUEEN_STEP, PAWN_KING = 18.0, 3.0, 0.7  # a pawn: plies from its queening on, each step, its king's distance

_1, _8 = np.uint64(1), np.uint64(8)


@helper
def is_enough(pawns, knights, bishops, rooks, queens):
    """Whether these pieces mate a bare king, or are a single pawn, of which we know whether it wins."""
    if rooks | queens != 0 or (bishops & LIGHT != 0 and bishops & ~LIGHT != 0) or (bishops != 0 and knights != 0):
        return True
    return pawns != 0 and pawns & (pawns - ONE) == 0 and knights | bishops == 0


@helper
def stronger_side(state):
    """The side that plays against a bare king with enough to win; -1: there is none."""
    for side in range(2):
        other = state.colours[1 - side]
        if other & (other - ONE) == 0:
            own = state.colours[side]
            if is_enough(
                state.pieces[PAWN] & own,
                state.pieces[KNIGHT] & own,
                state.pieces[BISHOP] & own,
                state.pieces[ROOK] & own,
                state.pieces[QUEEN] & own,
            ):
                return side
    return -1


@helper
def apart(one, other):
    """The moves that a king needs from one square to another."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@helper
def attacked(side, king, pawns, knights, bishops, rooks, queens):
    """The squares where a bare king would be in check; it hides nothing behind itself."""
    occupied = pawns | knights | bishops | rooks | queens | bit(king)
    found = KING_ATTACKS[king] | pawn_attacks(pawns, side)
    while knights != 0:
        found |= KNIGHT_ATTACKS[lowest_bit(knights)]
        knights &= knights - ONE
    left = bishops | queens
    while left != 0:
        found |= bishop_attacks(lowest_bit(left), occupied)
        left &= left - ONE
    left = rooks | queens
    while left != 0:
        found |= rook_attacks(lowest_bit(left), occupied)
        left &= left - ONE
    return found


@helper
def squares_left(bare, closed):
    """How many squares a king can get to without stepping on closed ones."""
    found = bit(bare)
    while True:
        row = found | ((found & NOT_H) << _1) | ((found & NOT_A) >> _1)
        more = found | ((row | (row << _8) | (row >> _8)) & ~closed)
        if more == found:
            return count_bits(found)
        found = more


@helper
def plies_left(side, king, bare, pawns, knights, bishops, rooks, queens, bare_moves):
    """About how many plies `side` needs to mate; DRAWN: it can't."""
    men = pawns | knights | bishops | rooks | queens
    closed = attacked(side, king, pawns, knights, bishops, rooks, queens)
    steps = KING_ATTACKS[bare] & ~closed
    if bare_moves:
        if steps == 0:
            return 0.0 if closed & bit(bare) != 0 else DRAWN
        taken = steps & men
        if taken != 0 and not is_enough(
            pawns & ~taken, knights & ~taken, bishops & ~taken, rooks & ~taken, queens & ~taken
        ):
            return DRAWN
    if men == pawns and pawns & (pawns - ONE) == 0:
        pawn = lowest_bit(pawns)
        if not is_pawn_win(side, pawn, king, bare, 1 if bare_moves else 0):
            return DRAWN
        left = 7 - (pawn >> 3) if side == 0 else pawn >> 3
        target = pawn + (8 if side == 0 else -8)
        return QUEENING + QUEEN_STEP * left + PAWN_KING * (apart(king, target) - 0.5 * apart(bare, target))
    file, rank = bare & 7, bare >> 3
    corner = min(file, 7 - file) + min(rank, 7 - rank)
    room, near = math.log(np.float64(squares_left(bare, closed | men))), apart(king, bare)
    together, left = 0, men & ~pawns
    while left != 0:
        together += apart(king, lowest_bit(left))
        left &= left - ONE
    if rooks | queens == 0 and knights != 0 and (bishops & LIGHT == 0 or bishops & ~LIGHT == 0):
        if bishops & LIGHT != 0:
            file = 7 - file  # the right corners are h1 and a8, otherwise a1 and h8
        right = min(file + rank, 14 - file - rank)
        return (
            BN_FIRST + BN_CORNER * corner + BN_RIGHT * right + BN_APART * near + BN_ROOM * room + BN_TOGETHER * together
        )
    beside = abs((king & 7) - (bare & 7)) + abs((king >> 3) - (bare >> 3))
    plies = CORNER * corner + APART * near + BESIDE * beside + ROOM * room + MOVES * count_bits(steps)
    plies += TOGETHER * together
    return WITH_QUEEN * plies if queens != 0 else plies


@helper
def bare_king_value(state, side):
    """The value for `side`, the stronger one."""
    own = state.colours[side]
    plies = plies_left(
        side,
        lowest_bit(state.pieces[KING] & own),
        lowest_bit(state.pieces[KING] & ~own),
        state.pieces[PAWN] & own,
        state.pieces[KNIGHT] & own,
        state.pieces[BISHOP] & own,
        state.pieces[ROOK] & own,
        state.pieces[QUEEN] & own,
        state.turn != side,
    )
    return 0.0 if plies >= DRAWN else MOST - SLOPE * min(plies, LONGEST)


@helper
def weigh_bare_king_moves(state, side, actions, count, out):
    """Fill `out` with a weight above 0 for each legal move, by the plies that are left after it; they sum to 1."""
    own = state.colours[side]
    strong = state.turn == side
    king, bare = lowest_bit(state.pieces[KING] & own), lowest_bit(state.pieces[KING] & ~own)
    least = 1e9
    for i in range(count):
        move = np.int64(actions[i])
        origin, target, promotion = move & 63, (move >> 6) & 63, move >> 12
        kind = np.int64(state.squares[origin]) & 7
        pawns, knights = state.pieces[PAWN] & own, state.pieces[KNIGHT] & own
        bishops, rooks, queens = state.pieces[BISHOP] & own, state.pieces[ROOK] & own, state.pieces[QUEEN] & own
        new_king, new_bare = king, bare
        if not strong:
            new_bare = target
            left = ~bit(target)
            pawns, knights, bishops, rooks, queens = (
                pawns & left,
                knights & left,
                bishops & left,
                rooks & left,
                queens & left,
            )
        elif kind == KING:
            new_king = target
        else:
            becomes = promotion if promotion != 0 else kind
            gone, there = ~bit(origin), bit(target)
            pawns, knights, bishops, rooks, queens = (
                pawns & gone,
                knights & gone,
                bishops & gone,
                rooks & gone,
                queens & gone,
            )
            if becomes == PAWN:
                pawns |= there
            elif becomes == KNIGHT:
                knights |= there
            elif becomes == BISHOP:
                bishops |= there
            elif becomes == ROOK:
                rooks |= there
            else:
                queens |= there
        if is_enough(pawns, knights, bishops, rooks, queens):
            plies = plies_left(side, new_king, new_bare, pawns, knights, bishops, rooks, queens, strong)
        else:
            plies = DRAWN
        out[i] = min(plies, 2.0 * LONGEST) if strong else -min(plies, 2.0 * LONGEST)
        least = min(least, out[i])
    total = 0.0
    for i in range(count):
        out[i] = max(LEAST_WEIGHT, math.exp((least - out[i]) / TEMPERATURE))
        total += out[i]
    for i in range(count):
        out[i] /= total
