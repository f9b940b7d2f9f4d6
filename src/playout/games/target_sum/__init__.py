"""Target sum: add numbers and hit the target exactly, within a number of moves; one player."""

from . import drawing, evaluation, text
from .rules import TargetSumRules

__all__ = ["TargetSum"]


class TargetSum(TargetSumRules):
    """Actions: the numbers themselves, any number of times each. Settings: target, moves, numbers (up to 16).

    Positions: `sum/moves`, the sum so far and the moves made so far (not those left): the start is `0/0`.
    """

    name = "target_sum"

    priors = staticmethod(evaluation.priors)
    evaluate = staticmethod(evaluation.evaluate)

    action_from_text = text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw = drawing.show, drawing.draw
