"""SameGame for people: rows for a terminal, with colours where it has them, and a board as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import COLUMN
from .text import LETTERS, rows_from_top

CELL = 20
FILLS = ("", "#d9534f", "#3d7fc4", "#4caf6d", "#f2b632", "#8e5bb5", "#e8823a", "#3bb3b0", "#b0658a", "#8a8f98")
STYLES = ("", "red", "blue", "green", "yellow", "magenta", "bright_red", "cyan", "bright_magenta", "white")


def _words(state: np.record) -> str:
    left = int((state.cells > 0).sum())
    return f"score {state.score}, {left} cells left, {state.count} groups"


def show(game: Game, state: np.record) -> str:
    return "".join(text for text, _ in paint(game, state))


def paint(game: Game, state: np.record) -> list[tuple[str, str]]:
    """Rows from the top, with their numbers, and the letters of the columns."""
    pieces = []
    for number, row in zip(range(int(state.rows), 0, -1), rows_from_top(state), strict=True):
        pieces.append((f"{number:2}", "dim"))
        pieces += [(f" {cell}", STYLES[int(cell)] if cell != "." else "dim") for cell in row]
        pieces.append(("\n", ""))
    pieces.append(("   " + " ".join(LETTERS[: int(state.columns)]) + "\n", "dim"))
    return [*pieces, (_words(state), "")]


def draw(game: Game, state: np.record) -> str:
    columns, rows = int(state.columns), int(state.rows)
    body = []
    for column in range(columns):
        for row in range(int(state.heights[column])):
            fill = FILLS[state.cells[COLUMN * column + row]]
            x, y = 20 + CELL * column, 4 + CELL * (rows - 1 - row)
            body.append(shared.element("rect", x=x, y=y, width=CELL - 1, height=CELL - 1, rx=4, fill=fill))
        body.append(shared.caption(LETTERS[column], 20 + CELL * (column + 0.5), 18 + CELL * rows, 11))
    body += [shared.caption(str(row + 1), 9, 18 + CELL * (rows - 1 - row), 11) for row in range(rows)]
    body.append(shared.caption(_words(state), 20 + CELL * columns / 2, 38 + CELL * rows))
    width = max(24 + CELL * columns, 240)
    return shared.svg(width, 46 + CELL * rows, body, f"SameGame, {_words(state)}")
