"""2048 as text: left, right, up and down; `b3=2` for a new tile; tiles row by row and the score for a position."""

import re

import numpy as np

from playout.errors import PositionError
from playout.game import Game
from playout.games import _shared as shared

from .board import NAMES, TILES, possible
from .rules import FOUR_TILE


def action_to_text(game: Game, state: np.record, action: int) -> str:
    if not state.coming:
        return NAMES[action]
    cell = action % FOUR_TILE
    return f"{'abcd'[cell % 4]}{cell // 4 + 1}={4 if action >= FOUR_TILE else 2}"


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip().lower()
    names = {action_to_text(game, state, action): action for action in shared.legal(game, state)}
    if not state.coming:
        for name in NAMES:
            if wanted and wanted in (name, name[0]):
                if name in names:
                    return names[name]
                raise shared.refused(game, state, text, "nothing would move")
        raise shared.refused(game, state, text, "expected left, right, up or down")
    return Game.action_from_text(game, state, text)


def state_to_text(game: Game, state: np.record) -> str:
    rows = "/".join(",".join(str(tile) for tile in row) for row in tiles(state))
    coming = state.coming and not _implied(tiles(state))
    return f"{rows}{f' {state.score}' if state.score else ''}{' +' if coming else ''}"


def state_from_text(game: Game, state: np.record, text: str) -> None:
    words = [word for word in re.split(r"[\s,/]+", text) if word]
    coming = words[-1:] == ["+"]
    if coming:
        words.pop()
    cells = state.side**2
    if len(words) not in (cells, cells + 1) or not all(word.isdecimal() for word in words):
        bad = [word for word in words if not word.isdecimal()]
        why = f"'{bad[0]}' is not a number" if bad else f"{len(words)} numbers"
        expected = f"{cells} tiles, row by row, 0 where there is none, and the score"
        raise shared.unreadable(game, text, expected, why=why)
    for number, row in enumerate(text.split("/") if "/" in text else [], start=1):
        found = len(re.findall(r"\d+", row)) - (number == state.side and len(words) > cells)  # the score comes last
        if found != state.side or number > state.side:
            expected = f"{state.side} rows of {state.side} tiles"
            raise shared.unreadable(game, text, expected, why=f"row {number} has {found} tiles")
    numbers = [int(word) for word in words]
    score = numbers.pop() if len(numbers) > cells else 0
    for i, tile in enumerate(numbers):
        if tile not in TILES:
            place = f"{'abcd'[i % state.side]}{i // state.side + 1}"
            raise PositionError(
                f"{game.title}: position '{text}' has {tile} at {place}, expected 0 or a tile, 2, 4, … {TILES[-1]}"
            )
    if score >= 2**62:
        raise PositionError(f"{game.title}: position '{text}' has the score {score}, more than any game reaches")
    rows = [numbers[i : i + state.side] for i in range(0, cells, state.side)]
    if coming and all(numbers):
        raise PositionError(f"{game.title}: position '{text}' has no empty cell for the tile that is to come")
    state.board = sum(TILES.index(t) << (16 * r + 4 * c) for r, row in enumerate(rows) for c, t in enumerate(row))
    state.score, state.coming = score, _implied(rows) or coming
    state.won = state.target > 0 and max(numbers) >= state.target
    if state.won:
        state.coming = 0
    state.moves = 0 if state.coming or state.won else possible(state.board, state.side)


def tiles(state: np.record) -> list[list[int]]:
    """The tiles, row by row; 0 where there is none."""
    side = range(state.side)
    return [[TILES[int(state.board) >> (16 * r + 4 * c) & 15] for c in side] for r in side]


def ending(game: Game, state: np.record) -> str:
    """How the game ended, to follow the score; "" while it goes on."""
    return (", won" if state.won else ", nothing moves") if shared.is_over(game, state) else ""


def _implied(rows: list[list[int]]) -> int:
    """The number of tiles still to come where fewer than two are on the board."""
    return max(0, 2 - sum(tile > 0 for row in rows for tile in row))
