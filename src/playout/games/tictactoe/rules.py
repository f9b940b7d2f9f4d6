"""The rules of tic-tac-toe: X and O take cells in turn, three in a row win."""

import numpy as np

from playout.games._stones import StonesRules

# A side's stones are the bits of a number: cell k is bit k. People count cells from one.
#
#     1 | 2 | 3
#    ---+---+---
#     4 | 5 | 6
#    ---+---+---
#     7 | 8 | 9

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MASKS = tuple(sum(1 << cell for cell in line) for line in LINES)
WON = np.array([any(stones & mask == mask for mask in MASKS) for stones in range(512)])  # by one side's stones


class TicTacToeRules(StonesRules):
    """An action is the number of a cell, 0 to 8."""

    max_actions = 9
    action_codes = 9
    # `mine` are the stones of the side to move; `ply` counts the stones on the board.
    state = np.dtype([("mine", np.int32), ("theirs", np.int32), ("ply", np.int32), ("over", np.int32)])

    @staticmethod
    def legal_actions(state, actions):
        free = ~(state.mine | state.theirs)
        count = 0
        for cell in range(9):
            actions[count] = cell  # kept only when the cell is free: no branch to mispredict
            count += (free >> cell) & 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.ply & 1
        stones = state.mine | (1 << action)
        state.mine = state.theirs
        state.theirs = stones
        state.ply += 1
        if WON[stones]:
            rewards[player], rewards[1 - player] = 1.0, -1.0
        if WON[stones] or state.ply == 9:
            state.over = 1
