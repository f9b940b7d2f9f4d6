"""The board that a game of SameGame begins with: one of the known ones, given as text, or drawn at random."""

import random
import re
from typing import Any

from playout.errors import SettingsError
from playout.game import Game
from playout.games._shared import check_range

from .boards import BOARDS
from .rules import COLUMN, MOST, MOST_COLOURS

Rows = list[str]  # from the top; colours as digits, `.` for an empty cell


def check_settings(game: Game) -> None:
    for key in ("columns", "rows"):
        check_range(game, key, 1, MOST)
    check_range(game, "colours", 1, MOST_COLOURS)
    check_range(game, "tabu", 0, 1)
    rows_of(game)


def fill_constants(game: Game, constants: Any) -> None:
    rows = rows_of(game)
    constants.columns, constants.rows = len(rows[0]), len(rows)
    for row, line in enumerate(reversed(rows)):
        for column, cell in enumerate(line):
            constants.start[COLUMN * column + row] = int(cell.replace(".", "0"))
    counts = [int((constants.start == colour).sum()) for colour in range(1, MOST_COLOURS + 1)]
    constants.colours = max(game.values["colours"], int(constants.start.max()))
    constants.frequent = 1 + counts.index(max(counts))
    constants.avoided = constants.frequent if game.values["tabu"] else 0


def rows_of(game: Game) -> Rows:
    """The rows of the board that the settings name; `SettingsError` says what is wrong with them."""
    board = game.values["board"]
    if text := game.values["cells"].strip():
        boards = [b for b in re.split(r"\n\s*\n", text.replace("\r", "")) if b.strip()]
        if not 1 <= (board or 1) <= len(boards):
            raise SettingsError(
                f"{game.title}: setting 'board' is {board}, expected 1 to {len(boards)}: the boards given"
            )
        return _rows_in(game, boards[(board or 1) - 1])
    check_range(game, "board", 0, len(BOARDS))
    if board:
        for key in ("columns", "rows", "colours"):
            if game.values[key] != game.settings[key]:
                raise SettingsError(
                    f"{game.title}: setting '{key}' is {game.values[key]}, and board {board} has {game.settings[key]}; "
                    f"leave one of the two out"
                )
        return BOARDS[board - 1].split()
    draw, values = random.Random(game.values["seed"]).random, game.values  # the same in every version of Python
    return [
        "".join(str(1 + int(values["colours"] * draw())) for _ in range(values["columns"]))
        for _ in range(values["rows"])
    ]


def _rows_in(game: Game, text: str) -> Rows:
    """The rows of one board: `/`, `;` or the line ends a row, spaces in it mean nothing; colours may begin with 0."""
    rows = [row for line in re.split(r"[/;\n]", text) if (row := re.sub(r"[\s,]", "", line))]
    where = f"{game.title}: setting 'cells'"
    if not 1 <= len(rows) <= MOST:
        raise SettingsError(f"{where} has {len(rows)} rows, expected 1 to {MOST}")
    for number, row in enumerate(rows, start=1):
        if wrong := re.search(r"[^0-9.]", row):
            raise SettingsError(f"{where}: row {number} has '{wrong[0]}', expected digits for colours, or . for empty")
        if len(row) != len(rows[0]) or not 1 <= len(row) <= MOST:
            expected = f"{len(rows[0])} as in the first" if number > 1 else f"1 to {MOST}"
            raise SettingsError(f"{where}: row {number} has {len(row)} cells, expected {expected}")
    if any("0" in row for row in rows):  # papers count colours from 0
        if any("9" in row for row in rows):
            raise SettingsError(
                f"{where} has the colours 0 and 9, expected at most {MOST_COLOURS} of them: 0 to 8 or 1 to 9"
            )
        rows = [row.translate(str.maketrans("012345678", "123456789")) for row in rows]
    if problem := floating(rows):
        raise SettingsError(f"{where}: {problem}")
    return rows


def floating(rows: Rows) -> str:
    """What is wrong with the empty cells of a board; "" if nothing is."""
    for at in range(len(rows[0])):
        column = "".join(row[at] for row in rows)
        if "." in column.lstrip("."):
            return f"column {at + 1} has an empty cell below a colour"
        if at > 0 and rows[-1][at] != "." and rows[-1][at - 1] == ".":
            return f"column {at} is empty, and column {at + 1} is not"
    if rows[-1][0] == ".":
        return "the board is empty"
    return ""
