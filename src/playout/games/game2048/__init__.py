"""2048: slide all tiles to one side; equal ones that meet merge; a new tile comes by chance."""

from playout.games import _shared as shared

from . import drawing, evaluation, text
from .rules import Game2048Rules

__all__ = ["Game2048"]


class Game2048(Game2048Rules):
    """One player. Actions: left, right, up, down, also written l, r, u, d; chance puts a 2, or a 4, on an empty cell.

    The rewards are the points: for each merge, the tile made. The game ends when nothing can move, or, with a target
    set, when that tile is made. The start is fixed, a 2 in two opposite corners; on an empty board chance puts two.

    Positions: the tiles row by row from the top, 0 where there is none, `2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2`, then the
    score, if any, and `+` when a new tile is still to come.

    Settings: side (2 to 4), fours (the probability of a 4), target (0: none). The static value is scale times (alive +
    empty for each empty cell - uneven for each step against the direction of a line - rough for each step between
    neighbours + corner for the largest tile in a corner), steps counted in doublings.
    """

    name = "game2048"
    preset = "game2048"

    evaluate = staticmethod(evaluation.evaluate)

    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    paint, show, draw = drawing.paint, drawing.show, drawing.draw
    score = shared.score
