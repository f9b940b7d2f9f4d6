"""Othello: outflank the other side's discs and turn them; most discs win."""

from . import drawing, evaluation, observation, text
from .rules import OthelloRules

__all__ = ["Othello"]


class Othello(OthelloRules):
    """Players: X (0, black) moves first, O (1, white). Actions: squares 0 to 63, written a1 to h8, and 64, `pass`.

    A side that can't move passes, and only then; the game ends when neither can. Positions: the 64 squares in the order
    a1, b1, …, of X, O and -, a space, and the side to move; or the moves, `f5d6c3`, where passes may be left out.

    A network sees the player's own discs, the opponent's, and where the player could place one; row 0 is row 1, the
    top. Its policy has the squares, then the pass. Features are the indices of those planes, flattened.
    """

    name, preset = "othello", "othello"

    evaluate = staticmethod(evaluation.evaluate)

    planes, policy_size = (3, 8, 8), 65
    observe, symmetries = staticmethod(observation.observe), observation.symmetries
    features, feature_count = staticmethod(observation.features), 192
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw = drawing.show, drawing.draw
