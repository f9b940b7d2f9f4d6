"""Suika: drop fruit into a box; two equal ones that touch become one of the next kind."""

from playout.games import _shared as shared

from . import drawing, evaluation, settings, text
from .rules import SuikaRules

__all__ = ["Suika"]

fill_box = shared.helper(SuikaRules.initial_state)


class Suika(SuikaRules):
    """One player. Actions: the columns, written 1, 2, … from the left; chance draws the kind that joins the queue.

    A fruit falls down its column. Two equal neighbours merge into the next kind: at the lower cell of two in a column,
    at the right one of two in a row; everything above falls, and new neighbours merge in turn (`merge` in rules.py has
    the order). A merge scores the number of the kind made, `last` for the largest; two of the largest don't merge. The
    game is lost when a fruit comes to rest above the warning line. `score` in the state is the sum of the points; the
    rewards are the points, and `-lost_penalty` at the end, which is for the search and not part of the score.

    Positions: the rows from the top, kinds 1 to 9 and a to f, `.` for an empty cell, without the empty rows at the top;
    the fruit in hand and the next ones, `-` for none (chance draws what is missing); the score, if any. The start is
    `.......... 1,1`: the queue has the smallest kind only.

    Settings: columns and rows (up to 16), line (the rows below the warning line), kinds (up to 15), visible (the number
    of fruits shown after the one in hand, up to 4), drops (the probability of each kind from 1 on), last. The heuristic
    scores each column: equal for each equal neighbour where the fruit would land, up to centre in the middle, down to
    -height with the column's height, -overflow where the fruit would stay above the line; temperature is that of the
    softmax over the scores. Static values: height_penalty for a box filled to the line, and highest_penalty for a
    column as high as the line, both in proportion; lost_penalty.
    """

    name = "suika"
    preset = "suika"
    version = 2  # 2: the setting highest_penalty
    check_settings = settings.check_settings

    @staticmethod
    def initial_state(state):
        fill_box(state)
        evaluation.fill_tables(state)

    priors = staticmethod(evaluation.priors)
    evaluate = staticmethod(evaluation.evaluate)

    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    paint, show, draw = drawing.paint, drawing.show, drawing.draw
    score = shared.score
