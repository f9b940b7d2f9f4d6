"""The rules of connect four: seven columns, six rows, four in a row win."""

import numpy as np

from playout.games._shared import helper, lowest_bit
from playout.games._stones import StonesRules

# Bitboards, one for each side. A column has seven bits; the seventh is always empty, so that no line of four runs from
# one column into the next. Neighbours: 1 up, 7 right, 8 right and up, 6 right and down.
#
#     6 13 20 27 34 41 48     always empty
#     5 12 19 26 33 40 47
#     4 11 18 25 32 39 46
#     3 10 17 24 31 38 45
#     2  9 16 23 30 37 44
#     1  8 15 22 29 36 43
#     0  7 14 21 28 35 42
#     1  2  3  4  5  6  7     the column's name

BOTTOM = np.uint64(sum(1 << 7 * column for column in range(7)))
DIRECTIONS = (1, 6, 7, 8)
ZERO, ONE, COLUMN = np.uint64(0), np.uint64(1), np.uint64(63)
ODD, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)


@helper
def has_four(stones):
    """Whether these stones have four in a row."""
    found = ZERO
    for step in DIRECTIONS:
        pairs = stones & (stones >> np.uint64(step))
        found |= pairs & (pairs >> np.uint64(2 * step))
    return found != 0


@helper
def dropped(occupied, action):
    """The cell where a stone lands: adding 1 at the foot of a column carries to its lowest empty bit."""
    column = np.uint64(7 * action)
    return (occupied + (ONE << column)) & (COLUMN << column)


class Connect4Rules(StonesRules):
    """An action is the number of a column, 0 to 6."""

    max_actions = 7
    action_codes = 49
    # `mine` are the stones of the side to move; `ply` counts the stones on the board.
    state = np.dtype([("mine", np.uint64), ("theirs", np.uint64), ("ply", np.int32), ("over", np.int32)])

    @staticmethod
    def legal_actions(state, actions):
        occupied = state.mine | state.theirs
        count = 0
        for column in range(7):
            if (occupied >> np.uint64(7 * column + 5)) & ONE == 0:  # its top cell is empty
                actions[count] = column
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.ply & 1
        stones = state.mine | dropped(state.mine | state.theirs, action)
        state.mine = state.theirs
        state.theirs = stones
        state.ply += 1
        if has_four(stones):
            rewards[player], rewards[1 - player] = 1.0, -1.0
            state.over = 1
        elif state.ply == 42:
            state.over = 1

    @staticmethod
    def action_code(state, action):
        """The number of the cell where the stone lands."""
        return lowest_bit(dropped(state.mine | state.theirs, action))

    @staticmethod
    def hash(state):
        # Mine plus occupied plus the bottom row is a different number for each board, and each step after it is
        # invertible: no two boards share a key.
        key = (state.mine + (state.mine | state.theirs) + BOTTOM) * ODD
        return key ^ (key >> HALF)
