"""Connect four: drop stones into seven columns, four in a row win."""

from . import drawing, evaluation, observation, text
from .rules import Connect4Rules

__all__ = ["Connect4"]


class Connect4(Connect4Rules):
    """Players: X (0) moves first, O (1). Actions: columns 0 to 6, written 1 to 7.

    Positions: the columns played, `44455` (the empty board: an empty text); or six rows from the top, `......./…`, of
    X, O and points. A position is written as columns in an order that leads to it, not always the one it was played in.

    A network sees the player's own stones, then the opponent's; row 0 is the bottom. Its policy has one entry per
    column. Features are the indices of those planes, flattened; 84: the player moved first.
    """

    name = "connect4"
    player_names = ("Red", "Yellow")
    preset = "connect4"

    priors = staticmethod(evaluation.priors)
    playout_action = staticmethod(evaluation.playout_action)
    evaluate = staticmethod(evaluation.evaluate)

    planes, policy_size = (2, 6, 7), 7
    observe, symmetries = staticmethod(observation.observe), observation.symmetries
    features, feature_count = staticmethod(observation.features), 85
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw = drawing.show, drawing.draw
