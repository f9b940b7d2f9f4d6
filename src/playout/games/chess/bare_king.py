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

from .attacks import pawn_attacks, piece_attacks
from .board import BISHOP, KING, KING_ATTACKS, KNIGHT, LIGHT, NOT_A, NOT_H, ONE, PAWN, QUEEN, ROOK, WHITE, bit
from .pawn_ending import is_pawn_win

MOST = 0.999  # the value next to mate
SLOPE = 0.0015  # what a ply until mate costs
LONGEST = 100.0  # plies; a won position is worth at least MOST - LONGEST * SLOPE
DRAWN = 10_000.0  # instead of plies: the win is gone
TEMPERATURE = 1.0  # plies: a move that is this much longer has a prior lower by the factor e
LEAST_WEIGHT = 1e-4  # of a move, before they are made to sum to 1

# Plies for each step to a corner, for each step between the kings and beside, for the logarithm of the squares left to
# the bare king, for each of its moves, and for each step between the stronger king and its pieces.
CORNER, APART, BESIDE, ROOM, MOVES, TOGETHER = 2.0, 1.1, 0.5, 2.5, 0.45, 0.3
# The same with bishop and knight, and for each step to the right corner.
BN_CORNER, BN_RIGHT, BN_APART, BN_ROOM, BN_TOGETHER, BN_FIRST = 1.0, 2.5, 2.0, 6.0, 0.45, 8.0
WITH_QUEEN = 0.55  # a queen needs less
QUEENING, QUEEN_STEP, PAWN_KING = 18.0, 3.0, 0.7  # a pawn: plies from its queening on, each step, its king's distance

_1, _8 = np.uint64(1), np.uint64(8)


@helper
def is_enough(pieces, own):
    """Whether the pieces in `own` mate a bare king, or are a single pawn, of which we know whether it wins."""
    bishops, knights, pawns = pieces[BISHOP] & own, pieces[KNIGHT] & own, pieces[PAWN] & own
    if (pieces[ROOK] | pieces[QUEEN]) & own != 0 or (bishops != 0 and knights != 0):
        return True
    if bishops & LIGHT != 0 and bishops & ~LIGHT != 0:
        return True
    return pawns != 0 and pawns & (pawns - ONE) == 0 and knights | bishops == 0


@helper
def stronger_side(state):
    """The side that plays against a bare king with enough to win; -1: there is none."""
    for side in range(2):
        other = state.colours[1 - side]
        if other & (other - ONE) == 0 and is_enough(state.pieces, state.colours[side]):
            return side
    return -1


@helper
def apart(one, other):
    """The moves that a king needs from one square to another."""
    return max(abs((one & 7) - (other & 7)), abs((one >> 3) - (other >> 3)))


@helper
def attacked(side, king, men):
    """The squares where a bare king would be in check; it hides nothing behind itself."""
    occupied = men[0] | bit(king)
    found = KING_ATTACKS[king] | pawn_attacks(men[PAWN], side)
    for kind in range(KNIGHT, KING):
        left = men[kind]
        while left != 0:
            found |= piece_attacks(kind, lowest_bit(left), occupied)
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
def plies_left(side, king, bare, men, bare_moves):
    """About how many plies `side` needs to mate; DRAWN: it can't.

    `men` are its pieces and pawns: bitboards by kind, [0] all of them.
    """
    closed = attacked(side, king, men)
    steps = KING_ATTACKS[bare] & ~closed
    if bare_moves:
        if steps == 0:
            return 0.0 if closed & bit(bare) != 0 else DRAWN
        if steps & men[0] != 0 and not is_enough(men, ~steps):
            return DRAWN  # what is left after a capture
    if men[0] == men[PAWN] and men[0] & (men[0] - ONE) == 0:
        return pawn_plies(side, king, bare, lowest_bit(men[0]), bare_moves)
    file, rank = bare & 7, bare >> 3
    corner = min(file, 7 - file) + min(rank, 7 - rank)
    room, near = math.log(np.float64(squares_left(bare, closed | men[0]))), apart(king, bare)
    together, left = 0, men[0] & ~men[PAWN]
    while left != 0:
        together += apart(king, lowest_bit(left))
        left &= left - ONE
    dark, light = men[BISHOP] & ~LIGHT != 0, men[BISHOP] & LIGHT != 0
    if men[ROOK] | men[QUEEN] == 0 and not (dark and light):  # bishop and knight
        if light:
            file = 7 - file  # the right corners are h1 and a8, otherwise a1 and h8
        right = min(file + rank, 14 - file - rank)
        plies = BN_CORNER * corner + BN_RIGHT * right + BN_APART * near + BN_ROOM * room + BN_TOGETHER * together
        return BN_FIRST + plies
    beside = abs((king & 7) - (bare & 7)) + abs((king >> 3) - (bare >> 3))
    plies = CORNER * corner + APART * near + BESIDE * beside + ROOM * room + MOVES * count_bits(steps)
    plies += TOGETHER * together
    return WITH_QUEEN * plies if men[QUEEN] != 0 else plies


@helper
def pawn_plies(side, king, bare, pawn, bare_moves):
    """`plies_left` with a single pawn: to its last square, and then with a queen."""
    if not is_pawn_win(side, pawn, king, bare, bare_moves):
        return DRAWN
    steps = 7 - (pawn >> 3) if side == WHITE else pawn >> 3
    ahead = pawn + (8 if side == WHITE else -8)
    return QUEENING + QUEEN_STEP * steps + PAWN_KING * (apart(king, ahead) - 0.5 * apart(bare, ahead))


@helper
def list_men(state, side, men):
    """Fill `men` with the pieces and pawns of a side, bitboards by kind, [0] all of them."""
    for kind in range(PAWN, KING):
        men[kind] = state.pieces[kind] & state.colours[side]
    men[0] = state.colours[side] & ~state.pieces[KING]


@helper
def bare_king_value(state, side):
    """The value for `side`, the stronger one."""
    men, own = np.empty(KING, np.uint64), state.colours[side]
    list_men(state, side, men)
    king, bare = lowest_bit(state.pieces[KING] & own), lowest_bit(state.pieces[KING] & ~own)
    plies = plies_left(side, king, bare, men, state.turn != side)
    return 0.0 if plies >= DRAWN else MOST - SLOPE * min(plies, LONGEST)


@helper
def weigh_bare_king_moves(state, side, actions, count, out):
    """Fill `out` with a weight above 0 for each legal move, by the plies that are left after it; they sum to 1."""
    men, own, strong = np.empty(KING, np.uint64), state.colours[side], state.turn == side
    least = 1e9
    for i in range(count):
        move = np.int64(actions[i])
        origin, target, promotion = move & 63, (move >> 6) & 63, move >> 12
        kind = np.int64(state.squares[origin]) & 7
        king, bare = lowest_bit(state.pieces[KING] & own), lowest_bit(state.pieces[KING] & ~own)
        list_men(state, side, men)
        if not strong:
            bare = target
            taken = np.int64(state.squares[target]) & 7
            men[taken] &= ~bit(target)
            men[0] &= ~bit(target)
        elif kind == KING:
            king = target
        else:
            men[kind] ^= bit(origin)
            men[promotion if promotion != 0 else kind] |= bit(target)
            men[0] ^= bit(origin) | bit(target)
        plies = plies_left(side, king, bare, men, strong) if is_enough(men, men[0]) else DRAWN
        plies = min(plies, 2.0 * LONGEST)
        out[i] = plies if strong else -plies
        least = min(least, out[i])
    total = 0.0
    for i in range(count):
        out[i] = max(LEAST_WEIGHT, math.exp((least - out[i]) / TEMPERATURE))
        total += out[i]
    for i in range(count):
        out[i] /= total
