"""SameGame as text: `c4` for the group with that cell, rows and `score/moves` for a position."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import COLUMN, find_groups
from .settings import floating

LETTERS = "abcdefghijklmno"


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return f"{LETTERS[action // COLUMN]}{action % COLUMN + 1}"


def action_from_text(game: Game, state: np.record, text: str) -> int:
    """The group with this cell, which may be any of its cells."""
    found = re.fullmatch(r"([a-o])([0-9]{1,2})", text.strip().lower())
    if not found or not 1 <= int(found[2]) <= state.rows or LETTERS.index(found[1]) >= state.columns:
        last = f"{LETTERS[int(state.columns) - 1]}{state.rows}"
        raise shared.refused(game, state, text, f"expected a cell from a1 to {last}")
    cell = COLUMN * LETTERS.index(found[1]) + int(found[2]) - 1
    if state.cells[cell] == 0:
        raise shared.refused(game, state, text, "the cell is empty")
    group = int(state.parents[cell])
    if state.sizes[group] < 2:
        raise shared.refused(game, state, text, "no neighbour has the same colour")
    if group not in shared.legal(game, state):
        raise shared.refused(game, state, text, "tabu=1 saves this colour for later")
    return group


def rows_from_top(state: np.record) -> list[str]:
    return [
        "".join(str(state.cells[COLUMN * column + row] or ".") for column in range(int(state.columns)))
        for row in reversed(range(int(state.rows)))
    ]


def state_to_text(game: Game, state: np.record) -> str:
    return f"{'/'.join(rows_from_top(state))} {state.score}/{state.made}"


def state_from_text(game: Game, state: np.record, text: str) -> None:
    found = re.fullmatch(r"([0-9./]+)(?:\s+([0-9]{1,9})/([0-9]{1,4}))?", text)
    if not found:
        raise shared.unreadable(game, text, "rows from the top and score/moves, as in 1.../12.1 4/2")
    rows, columns = found[1].split("/"), int(state.columns)
    if len(rows) != state.rows or any(len(row) != columns for row in rows):
        raise shared.unreadable(game, text, f"{state.rows} rows of {columns} cells, as the settings say")
    if wrong := [cell for cell in "".join(rows) if cell != "." and not 1 <= int(cell) <= state.colours]:
        raise shared.impossible(game, text, f"colour {wrong[0]}, and the colours are 1 to {state.colours}")
    if any(cell != "." for cell in "".join(rows)) and (problem := floating(rows)):
        raise shared.impossible(game, text, problem)
    for field in ("cells", "heights", "width", "parents", "sizes", "codes"):
        state[field] = 0
    for row, line in enumerate(reversed(rows)):
        for column, cell in enumerate(line):
            if cell != ".":
                state.cells[COLUMN * column + row] = int(cell)
                state.heights[column] += 1
                state.width = max(int(state.width), column + 1)
    state.score, state.made = int(found[2] or 0), int(found[3] or 0)
    find_groups(state)
