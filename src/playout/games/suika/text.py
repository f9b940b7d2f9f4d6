"""Suika as text: columns and kinds for actions; rows from the top, the queue and the score for a position."""

import numpy as np

from playout.errors import PositionError
from playout.game import Game
from playout.games import _shared as shared

SIGNS = ".123456789abcdef"
FORM = "rows from the top with / between, the fruit in hand and the next, and the score, as in '..1../.32.. 3,1 5'"


def action_to_text(game: Game, state: np.record, action: int) -> str:
    chance = not state.over and state.known <= state.visible
    return SIGNS[action] if chance else str(action)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip().lower()
    if state.over or state.known > state.visible:
        if wanted.isdigit() and int(wanted) in shared.legal(game, state):
            return int(wanted)
        raise shared.refused(game, state, text, f"expected a column, 1 to {state.columns}")
    return Game.action_from_text(game, state, text)


def cells(state: np.record) -> list[list[int]]:
    """The kinds in each column, from the floor up."""
    return [
        [int(state.stacks[c]) >> (4 * row) & 15 for row in range(state.heights[c])] for c in range(1, state.columns + 1)
    ]


def queue(state: np.record) -> list[int]:
    """The fruit in hand and the next ones, as far as they have been drawn."""
    return [int(state.queue) >> (4 * i) & 15 for i in range(state.known)]


def state_to_text(game: Game, state: np.record) -> str:
    columns = cells(state)
    top = max(1, *(len(column) for column in columns))
    rows = ["".join(SIGNS[c[row]] if row < len(c) else "." for c in columns) for row in reversed(range(top))]
    waiting = ",".join(SIGNS[kind] for kind in queue(state)) or "-"
    return f"{'/'.join(rows)} {waiting}{f' {state.score}' if state.score else ''}"


def state_from_text(game: Game, state: np.record, text: str) -> None:
    """Fill the state; a `PositionError` names the cell that is wrong."""
    parts = text.split()
    if len(parts) > 3:
        raise _error(game, text, f"{len(parts)} parts", reading=True)
    columns = _read_grid(game, state, parts[0].lower(), text)
    lost = _check_grid(game, state, columns, text)
    waiting = _read_queue(game, state, parts[1].lower() if len(parts) > 1 else "-", lost, text)
    score = parts[2] if len(parts) > 2 else "0"
    if not score.isdecimal() or int(score) >= 2**62:
        raise _error(game, text, f"the score is '{score}', expected a whole number", reading=True)
    for c, column in enumerate(columns, start=1):
        state.heights[c] = len(column)
        state.stacks[c] = sum(kind << (4 * row) for row, kind in enumerate(column))
    state.queue = sum(kind << (4 * i) for i, kind in enumerate(waiting))
    state.known, state.over, state.score = len(waiting), lost, int(score)


def _read_grid(game: Game, state: np.record, grid: str, text: str) -> list[list[int]]:
    """The columns from the floor up; nothing may float."""
    rows = list(reversed(grid.split("/")))
    for number, row in enumerate(rows, start=1):
        for c, sign in enumerate(row, start=1):
            if sign not in SIGNS[: state.kinds + 1]:
                known = f"the kinds are 1 to {SIGNS[state.kinds]}, and . is an empty cell"
                raise _error(game, text, f"'{sign}' in {_cell(c, number)}; {known}", reading=True)
        if len(row) != state.columns:
            what = f"row {number} has {len(row)} cells, and there are {state.columns} columns"
            raise _error(game, text, what, reading=True)
    columns: list[list[int]] = [[] for _ in range(state.columns)]
    for number, row in enumerate(rows, start=1):
        for c, (sign, column) in enumerate(zip(row, columns), start=1):
            if sign == ".":
                continue
            if len(column) < number - 1:
                raise _error(game, text, f"the {sign} in {_cell(c, number)} floats, with nothing below it")
            column.append(SIGNS.index(sign))
    return columns


def _check_grid(game: Game, state: np.record, columns: list[list[int]], text: str) -> bool:
    """Refuse equal neighbours, which would have merged, and columns too high; returns whether the game is lost."""
    above = [(c, len(column)) for c, column in enumerate(columns, start=1) if len(column) > state.line]
    for c, height in above:
        if height > state.line + 1 or len(above) > 1:
            raise _error(
                game,
                text,
                f"column {c} is {height} high, and the warning line is above row {state.line}; only the one fruit that "
                f"lost the game may rest above it",
            )
    for c, column in enumerate(columns, start=1):
        for r, kind in enumerate(column, start=1):
            right = columns[c] if c < len(columns) else []
            if kind == state.kinds:
                continue
            for other, place in ((column[r : r + 1], (c, r + 1)), (right[r - 1 : r], (c + 1, r))):
                if other == [kind]:
                    pair = f"{_cell(c, r)} and {_cell(*place)}"
                    raise _error(game, text, f"the fruits {SIGNS[kind]} in {pair} touch and would have merged")
    return bool(above)


def _read_queue(game: Game, state: np.record, waiting: str, lost: bool, text: str) -> list[int]:
    dropped = [kind for kind, chance in enumerate(state.drops, start=1) if chance > 0]
    names = waiting.split(",") if waiting != "-" else []
    for name in names:
        if len(name) != 1 or SIGNS.find(name) not in dropped:
            known = ", ".join(SIGNS[kind] for kind in dropped)
            raise _error(game, text, f"'{name}' in hand or next; fruits that are dropped are {known}", reading=True)
    most = state.visible + (0 if lost else 1)
    if len(names) > most:
        why = "after the end, where none is in hand" if lost else "in hand and next"
        raise _error(game, text, f"{len(names)} fruits {why}, and there are at most {most}")
    return [SIGNS.index(name) for name in names]


def _cell(column: int, row: int) -> str:
    return f"column {column}, row {row}"


def _error(game: Game, text: str, reason: str, reading: bool = False) -> PositionError:
    if reading:
        return PositionError(f"{game.title}: can't read position '{text}': {reason}; expected {FORM}")
    return PositionError(f"{game.title}: position '{text}' is impossible: {reason} (rows count from the floor)")
