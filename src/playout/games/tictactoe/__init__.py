"""Tic-tac-toe: three in a row on a board of nine cells."""

from . import drawing, observation, text
from .rules import TicTacToeRules

__all__ = ["TicTacToe"]


class TicTacToe(TicTacToeRules):
    """Players: X (0) moves first, O (1). Actions: cells 0 to 8, written 1 to 9.

    Positions: three rows, `X.O/.X./...`, where the side to move follows from the counts; or the moves, `5,1,9`.

    A network sees the player's own stones, then the opponent's; row 0 is the top. Its policy has the nine cells.
    Features are the indices of those planes, flattened.
    """

    name = "tictactoe"
    player_names = ("X", "O")

    planes, policy_size = (2, 3, 3), 9
    observe, symmetries = staticmethod(observation.observe), observation.symmetries
    features, feature_count = staticmethod(observation.features), 18
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw = drawing.show, drawing.draw
