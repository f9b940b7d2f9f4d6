"""What a network sees of tic-tac-toe, and the board's symmetries for training."""

from playout.game import Game
from playout.game.game import Symmetry
from playout.games import _symmetries as symmetries_of


def observe(state, player, planes):
    """The player's stones, then the opponent's, from the top row down."""
    own = 0 if state.ply & 1 == player else 1  # `mine` belongs to the side to move
    for cell in range(9):
        planes[own, cell // 3, cell % 3] = (state.mine >> cell) & 1
        planes[1 - own, cell // 3, cell % 3] = (state.theirs >> cell) & 1


def features(state, player, out):
    """The same as indices: cells with a stone of the player, and 9 more where it is the opponent's."""
    own = 0 if state.ply & 1 == player else 9
    count = 0
    for cell in range(9):
        out[count] = own + cell
        count += (state.mine >> cell) & 1
        out[count] = 9 - own + cell
        count += (state.theirs >> cell) & 1
    return count


def symmetries(game: Game) -> list[Symmetry]:
    """The rotations and reflections of the board."""
    return symmetries_of.permutations(symmetries_of.of_square(3), planes=2)
