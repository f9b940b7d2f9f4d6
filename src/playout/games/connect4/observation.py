"""What a network sees of connect four, and the mirror image for training."""

import numpy as np

from playout.game import Game
from playout.game.game import Symmetry
from playout.games._shared import lowest_bit

from .rules import ONE

FIRST = 84  # the feature of the player who moved first: who gets the odd rows in the end depends on it


def observe(state, player, planes):
    """The player's stones, then the opponent's, from the bottom row up."""
    own = 0 if state.ply & 1 == player else 1  # `mine` belongs to the side to move
    for row in range(6):
        for column in range(7):
            cell = np.uint64(7 * column + row)
            planes[own, row, column] = (state.mine >> cell) & ONE
            planes[1 - own, row, column] = (state.theirs >> cell) & ONE


def features(state, player, out):
    """The same as indices, 7 * row + column, and 42 more where the stone is the opponent's; then `FIRST`."""
    own = 0 if state.ply & 1 == player else 42
    count = 0
    for side in range(2):
        left = state.mine if side == 0 else state.theirs
        first = own if side == 0 else 42 - own
        while left != 0:
            cell = lowest_bit(left)
            left &= left - ONE
            out[count] = first + 7 * (cell % 7) + cell // 7
            count += 1
    if player == 0:
        out[count] = FIRST
        count += 1
    return count


def symmetries(game: Game) -> list[Symmetry]:
    """Left and right exchanged."""
    cells = np.arange(2 * 6 * 7).reshape(game.planes)
    return [(cells[:, :, ::-1].ravel(), np.arange(7)[::-1].copy())]
