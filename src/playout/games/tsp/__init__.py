"""Travelling salesman: the shortest round trip through all cities; one player."""

from . import drawing, instance, text
from .rules import TspRules

__all__ = ["Tsp"]


class Tsp(TspRules):
    """Actions: the next city, written 1, 2, …; the trip begins in city 1, and the last step includes the way back.

    Distances are costs: each step brings minus its length, so that the return of a game is minus the tour's length.
    Positions: the cities so far, as in `1-5-3`; the start is `1`.

    Settings: coordinates (`0 0; 3 4; 6 0`, one city after the other; distances are Euclidean), or distances (a matrix,
    row by row: `0 5 6; 5 0 5; 6 5 0`, which need not be symmetric), or tsplib (the text of a TSPLIB file: EUC_2D,
    CEIL_2D, GEO, ATT or EXPLICIT, rounded as TSPLIB says) or file (the name of one; Python and the command line only).
    Without any of them: `cities` places on a map of 100 x 100, drawn with `seed`. Up to 128 cities.
    """

    name = "tsp"
    check_settings, fill_constants = instance.check_settings, instance.fill_constants
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, draw, score = drawing.show, drawing.draw, drawing.score
