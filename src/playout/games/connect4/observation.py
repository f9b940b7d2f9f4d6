"""What a network sees of connect four, and the mirror image for training."""

import numpy as np

from playout.game import Game
from playout.game.game import Symmetry

from .rules import ONE


def observe(state, player, planes):
    """The player's stones, then the opponent's, from the bottom row up."""
    own = 0 if state.ply & 1 == player else 1  # `mine` belongs to the side to move
    for row in range(6):
        for column in range(7):
            cell = np.uint64(7 * column + row)
            planes[own, row, column] = (state.mine >> cell) & ONE
            planes[1 - own, row, column] = (state.theirs >> cell) & ONE


def symmetries(game: Game) -> list[Symmetry]:
    """Left and right exchanged."""
    cells = np.arange(2 * 6 * 7).reshape(game.planes)
    return [(cells[:, :, ::-1].ravel(), np.arange(7)[::-1].copy())]
