"""Knapsack: choose the items of the greatest value that the knapsack can carry; one player."""

from . import drawing, settings, text
from .rules import KnapsackRules

__all__ = ["Knapsack"]


class Knapsack(KnapsackRules):
    """Actions: `take N` or `leave N`, one item after the other, from the most value for its weight to the least.

    Items that no longer fit are left without asking. Each item taken brings its value. Positions: the items taken and
    left so far, as in `+3 -1`; the start is `empty`.

    Settings: values and weights (up to 64 items each, numbers above 0), capacity. Without values and weights: `items`
    of them, drawn with `seed`, with weights and values from 1 to 100; capacity 0 stands for half of all weights.
    """

    name = "knapsack"
    check_settings, fill_constants = settings.check_settings, settings.fill_constants
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw, score = drawing.show, drawing.draw, drawing.score
