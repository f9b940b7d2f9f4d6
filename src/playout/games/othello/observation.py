"""What a network sees of othello, and the board's symmetries for training."""

import numpy as np

from playout.game import Game
from playout.game.game import Symmetry
from playout.games import _symmetries as symmetries_of
from playout.games._shared import lowest_bit

from .rules import ONE, placeable


def observe(state, player, planes):
    """The player's discs, the opponent's, and where the player could place one."""
    own, other, reach = state.mine, state.theirs, state.open
    if player != state.turn:
        own, other = other, own
        reach = placeable(own, other)
    for square in range(64):
        shift = np.uint64(square)
        planes[0, square >> 3, square & 7] = (own >> shift) & ONE
        planes[1, square >> 3, square & 7] = (other >> shift) & ONE
        planes[2, square >> 3, square & 7] = (reach >> shift) & ONE


def features(state, player, out):
    """The same as indices of the flattened planes."""
    own, other, reach = state.mine, state.theirs, state.open
    if player != state.turn:
        own, other = other, own
        reach = placeable(own, other)
    count = 0
    for plane in range(3):
        left = own if plane == 0 else other if plane == 1 else reach
        while left != 0:
            out[count] = 64 * plane + lowest_bit(left)
            left &= left - ONE
            count += 1
    return count


def symmetries(game: Game) -> list[Symmetry]:
    """The rotations and reflections of the board; the pass stays."""
    return symmetries_of.permutations(symmetries_of.of_square(8), planes=3, extra=1)
