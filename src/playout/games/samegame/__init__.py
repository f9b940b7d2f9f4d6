"""SameGame: remove groups of one colour, the larger the better, and empty the board; one player."""

from playout.games import _shared as shared

from . import drawing, settings, text
from .rules import SameGameRules

__all__ = ["SameGame"]


class SameGame(SameGameRules):
    """Actions: a group of two cells or more, written as its lowest cell in its leftmost column: `a1` is at the bottom.

    A group of n cells brings (n - 2)^2, an empty board 1,000 more. What lies above falls, and empty columns close up to
    the left. Positions: the rows from the top, colours 1 to 9 and `.` for an empty cell; then score/moves so far.

    Settings: board (1 to 20: the boards that papers use), or cells (rows of colours from the top: `12/21`), or file
    (a file with such rows, or with several boards and a line between them, of which `board` is the number; Python and
    the command line only). Without them, `columns` x `rows` cells (up to 15) in `colours` colours (up to 9), drawn with
    `seed`. With tabu=1, groups of the most frequent colour can be removed only if they have two cells and more than ten
    moves were made, or if there is nothing else: a heuristic for nested search, which saves that colour for the end.
    """

    name = "samegame"
    check_settings, fill_constants = settings.check_settings, settings.fill_constants
    action_to_text, action_from_text = text.action_to_text, text.action_from_text
    state_to_text, state_from_text = text.state_to_text, text.state_from_text
    show, paint, draw, score = drawing.show, drawing.paint, drawing.draw, shared.score
