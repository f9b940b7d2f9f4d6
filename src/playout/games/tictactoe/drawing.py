"""Tic-tac-toe for people: the board in a terminal, free cells by their numbers, and as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import LINES, MASKS
from .text import cells, status


def show(game: Game, state: np.record) -> str:
    named = [
        str(k + 1) if cell == "." and not state.over else cell.replace(".", " ") for k, cell in enumerate(cells(state))
    ]
    rows = [f" {' | '.join(named[row : row + 3])} " for row in (0, 3, 6)]
    return "\n---+---+---\n".join(rows) + f"\n{status(state)}"


def draw(game: Game, state: np.record) -> str:
    """The board as SVG, with a line through three in a row."""
    body = []
    for at in (40, 80):
        body += [_line((at, 4), (at, 116), shared.GREY, 2), _line((4, at), (116, at), shared.GREY, 2)]
    for k, cell in enumerate(cells(state)):
        x, y = _middle(k)
        if cell == "X":
            path = f"M{x - 10} {y - 10}L{x + 10} {y + 10}M{x - 10} {y + 10}L{x + 10} {y - 10}"
            body.append(shared.element("path", d=path, stroke=shared.RED, stroke_width=4, stroke_linecap="round"))
        elif cell == "O":
            body.append(shared.element("circle", cx=x, cy=y, r=11, fill="none", stroke=shared.BLUE, stroke_width=4))
    for line, mask in zip(LINES, MASKS):
        if state.theirs & mask == mask:  # only the side that just moved can have won
            body.append(_line(_middle(line[0]), _middle(line[2]), shared.GOLD, 4, stroke_linecap="round"))
    return shared.svg(120, 120, body, f"Tic-tac-toe, {status(state)}")


def _middle(cell: int) -> tuple[int, int]:
    return 20 + 40 * (cell % 3), 20 + 40 * (cell // 3)


def _line(start: tuple[int, int], end: tuple[int, int], stroke: str, width: int, **more: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return shared.element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **more)
