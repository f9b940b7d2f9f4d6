"""A static value for othello: corners, the squares that give them away, and moves to choose from."""

import numpy as np

from playout.games._shared import count_bits, helper

from .rules import placeable

CORNERS = np.uint64(1 | 1 << 7 | 1 << 56 | 1 << 63)
TOP_LEFT, TOP_RIGHT, BOTTOM_LEFT, BOTTOM_RIGHT = (np.uint64(bit) for bit in (1, 1 << 7, 1 << 56, 1 << 63))
SEVEN, NINE = np.uint64(7), np.uint64(9)


@helper
def giving(occupied):
    """The squares diagonally next to the empty corners."""
    empty = CORNERS & ~occupied
    found = ((empty & TOP_LEFT) << NINE) | ((empty & TOP_RIGHT) << SEVEN)
    return found | ((empty & BOTTOM_LEFT) >> SEVEN) | ((empty & BOTTOM_RIGHT) >> NINE)


def evaluate(state, values):
    """A corner counts ten, a disc that gives one away minus five, a move one; the score s becomes s / (20 + |s|)."""
    if state.over:
        return
    mine, theirs = state.mine, state.theirs
    score = 10.0 * (count_bits(mine & CORNERS) - count_bits(theirs & CORNERS))
    bad = giving(mine | theirs)
    score -= 5.0 * (count_bits(mine & bad) - count_bits(theirs & bad))
    score += count_bits(state.open) - count_bits(placeable(theirs, mine))
    values[state.turn] = score / (20.0 + abs(score))
    values[1 - state.turn] = -values[state.turn]
