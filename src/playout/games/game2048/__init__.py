"""2048: slide all tiles to one side; equal ones that meet merge; a new tile comes by chance."""

import re
from typing import Any

import numpy as np

from playout.core.rng import random_below, random_float
from playout.errors import PositionError, SettingsError
from playout.game import CHANCE, TERMINAL, Game
from playout.games import _shared as shared

from . import drawing
from .board import (
    NAMES,
    NIBBLE,
    OFFSETS,
    ONE,
    POINTS,
    ROUGH,
    ROWS,
    SLID,
    TILES,
    UNEVEN,
    UP,
    WIDEST,
    ZERO,
    empty_cells,
    largest_tile,
    possible,
    row_of,
    transposed,
)

FOUR_TILE = 16  # chance's actions: the cell, and this for a tile of 4


class Game2048(Game):
    """One player. Actions: left, right, up, down, also written l, r, u, d; chance puts a 2, or a 4, on an empty cell.

    The rewards are the points: of each merge the tile made. The game ends when nothing can move, or, where a target is
    set, when that tile is made. The start is fixed, a 2 in two opposite corners; on an empty board chance puts two.

    Positions: the tiles row by row from the top, 0 where there is none, `2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2`, then the
    score, if any, and `+` when a new tile is still to come.

    Settings: side (2 to 4), fours (the probability of a 4), target (0: none). Of the static value: scale times (alive +
    empty for each empty cell - uneven for each step against the direction of a line - rough for each step between
    neighbours + corner for the largest tile in a corner), steps counted in doublings.
    """

    name = "game2048"
    preset = "game2048"
    players = 1
    max_actions = 32
    value_range = None
    unkeyed = ("score",)
    settings = {  # noqa: RUF012  # as in the README
        "side": 4,
        "fours": 0.1,
        "target": 0,
        "scale": 100.0,
        "alive": 100.0,
        "empty": 2.0,
        "uneven": 1.0,
        "rough": 0.5,
        "corner": 4.0,
    }
    state = np.dtype(
        [
            ("board", np.uint64),
            ("score", np.int64),
            ("coming", np.uint8),  # tiles that chance has still to put
            ("moves", np.uint8),  # the directions that change anything, as bits; none when chance moves, or at the end
            ("won", np.uint8),
            ("side", np.int32),
            ("target", np.int32),
            ("fours", np.float64),
            ("scale", np.float64),
            ("alive", np.float64),
            ("empty", np.float64),
            ("uneven", np.float64),
            ("rough", np.float64),
            ("corner", np.float64),
        ]
    )

    @staticmethod
    def initial_state(state):
        last = 4 * (state.side - 1) + state.side - 1
        state.board = np.uint64(1) | np.uint64(1) << np.uint64(4 * last)
        state.moves = possible(state.board, state.side)

    @staticmethod
    def current_player(state):
        if state.coming:
            return CHANCE
        return 0 if state.moves else TERMINAL

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for direction in range(4):  # without branches, which no processor could foresee in a playout
            actions[count] = direction
            count += (state.moves >> direction) & 1
        return count

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        left = empty_cells(state.board, state.side)
        count = 0
        while left != ZERO:
            actions[count] = shared.lowest_bit(left) >> 2
            count += 1
            left &= left - ONE
        two, four = (1.0 - state.fours) / count, state.fours / count
        for i in range(count):
            actions[count + i] = actions[i] + FOUR_TILE
            probabilities[i], probabilities[count + i] = two, four
        return 2 * count if four > 0.0 else count

    @staticmethod
    def chance_action(state, rng):
        """An outcome drawn without listing them all: a third of a playout's time."""
        left = empty_cells(state.board, state.side)
        for _ in range(random_below(rng, shared.count_bits(left))):
            left &= left - ONE
        four = FOUR_TILE if random_float(rng) < state.fours else 0
        return np.int64(shared.lowest_bit(left) >> 2) + four

    @staticmethod
    def apply(state, action, rewards):
        if state.coming:
            state.board |= np.uint64(1 + action // FOUR_TILE) << np.uint64(4 * (action % FOUR_TILE))
            state.coming -= 1
            if not state.coming:
                state.moves = possible(state.board, state.side)
            return
        offset = OFFSETS[state.side]
        back = np.uint64(action & 1) * ROWS  # right and down
        turned = transposed(state.board)
        board = state.board if action < UP else turned
        after, points = ZERO, np.int64(0)
        for row in range(state.side):
            at = row_of(board, row, offset)
            after |= np.uint64(SLID[at + back]) << np.uint64(16 * row)
            points += POINTS[at]
        turned = transposed(after)
        state.board = after if action < UP else turned
        state.moves, state.coming = 0, 1
        if points > 0:
            state.score += points
            rewards[0] = points
            if state.target > 0 and points >= state.target and (1 << np.int64(largest_tile(after))) >= state.target:
                state.won, state.coming = 1, 0

    @staticmethod
    def evaluate(state, values):
        """A guess at the points still to come, none at the end."""
        if not state.coming and not state.moves:
            return
        offset = OFFSETS[state.side]
        turned = transposed(state.board)
        empty, uneven, rough = shared.count_bits(empty_cells(state.board, state.side)), 0, 0
        most = np.int64(largest_tile(state.board))
        for row in range(state.side):
            across, down = row_of(state.board, row, offset), row_of(turned, row, offset)
            uneven += np.int64(UNEVEN[across]) + np.int64(UNEVEN[down])
            rough += np.int64(ROUGH[across]) + np.int64(ROUGH[down])
        end = 4 * (state.side - 1)
        corner = 0.0
        for cell in (0, end, 4 * end, 4 * end + end):
            if np.int64((state.board >> np.uint64(cell)) & NIBBLE) == most:
                corner = state.corner
        found = state.alive + state.empty * empty - state.uneven * uneven - state.rough * rough + corner
        values[0] = state.scale * max(found, 0.0)  # whatever the board: worth no less than a lost game

    @staticmethod
    def hash(state):
        key = state.board ^ (np.uint64(state.coming) << np.uint64(62))
        key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        return key ^ (key >> np.uint64(29))

    def check_settings(self) -> None:
        side, fours, target = self.values["side"], self.values["fours"], self.values["target"]
        if not 2 <= side <= WIDEST:
            raise SettingsError(f"{self.title}: setting 'side' is {side}, expected 2 to {WIDEST}")
        if not 0.0 <= fours < 1.0:
            raise SettingsError(f"{self.title}: setting 'fours' is {fours}, expected a probability from 0 to below 1")
        if target != 0 and target not in TILES[2:]:
            raise SettingsError(
                f"{self.title}: setting 'target' is {target}, expected a tile from 4 to {TILES[-1]}, or 0 for none"
            )
        for key in ("scale", "alive", "empty", "uneven", "rough", "corner"):
            if not abs(self.values[key]) <= 1e9:
                raise SettingsError(f"{self.title}: setting '{key}' is {self.values[key]}, expected a finite number")

    def action_to_text(self, state: Any, action: int) -> str:
        if not state.coming:
            return NAMES[action]
        cell = action % FOUR_TILE
        return f"{'abcd'[cell % 4]}{cell // 4 + 1}={4 if action >= FOUR_TILE else 2}"

    def action_from_text(self, state: Any, text: str) -> int:
        wanted = text.strip().lower()
        names = {self.action_to_text(state, action): action for action in shared.legal(self, state)}
        if not state.coming:
            for name in NAMES:
                if wanted and wanted in (name, name[0]):
                    if name in names:
                        return names[name]
                    raise shared.refused(self, state, text, "nothing would move")
            raise shared.refused(self, state, text, "expected left, right, up or down")
        return super().action_from_text(state, text)

    def state_to_text(self, state: Any) -> str:
        rows = "/".join(",".join(str(tile) for tile in row) for row in drawing.tiles(state))
        coming = state.coming and not _implied(drawing.tiles(state))
        return f"{rows}{f' {state.score}' if state.score else ''}{' +' if coming else ''}"

    def state_from_text(self, state: Any, text: str) -> None:
        words = [word for word in re.split(r"[\s,/]+", text) if word]
        coming = words[-1:] == ["+"]
        if coming:
            words.pop()
        cells, form = state.side**2, f"{state.side**2} tiles, row by row, 0 where there is none, and the score"
        if len(words) not in (cells, cells + 1) or not all(word.isdecimal() for word in words):
            bad = [word for word in words if not word.isdecimal()]
            what = f"'{bad[0]}' is no number" if bad else f"{len(words)} numbers"
            raise PositionError(f"{self.title}: can't read position '{text}' ({what}), expected {form}")
        for number, row in enumerate(text.split("/") if "/" in text else [], start=1):
            tiles = len(re.findall(r"\d+", row)) - (number == state.side and len(words) > cells)  # the score comes last
            if tiles != state.side or number > state.side:
                raise PositionError(
                    f"{self.title}: can't read position '{text}' (row {number} has {tiles} tiles), expected "
                    f"{state.side} rows of {state.side} tiles"
                )
        numbers = [int(word) for word in words]
        score = numbers.pop() if len(numbers) > cells else 0
        for i, tile in enumerate(numbers):
            if tile not in TILES:
                place = f"{'abcd'[i % state.side]}{i // state.side + 1}"
                raise PositionError(
                    f"{self.title}: position '{text}' has {tile} at {place}, expected 0 or a tile, 2, 4, … {TILES[-1]}"
                )
        if score >= 2**62:
            raise PositionError(f"{self.title}: position '{text}' has the score {score}, which no game reaches")
        rows = [numbers[i : i + state.side] for i in range(0, cells, state.side)]
        if coming and all(numbers):
            raise PositionError(f"{self.title}: position '{text}' has no room for the tile that is to come")
        state.board = sum(TILES.index(t) << (16 * r + 4 * c) for r, row in enumerate(rows) for c, t in enumerate(row))
        state.score, state.coming = score, _implied(rows) or coming
        state.won = state.target > 0 and max(numbers) >= state.target
        if state.won:
            state.coming = 0
        state.moves = 0 if state.coming or state.won else possible(state.board, state.side)

    def score(self, state: Any) -> float:
        return int(state.score)

    def show(self, state: Any) -> str:
        return "".join(piece for piece, _ in self.paint(state))

    def paint(self, state: Any) -> list[tuple[str, str]]:
        return drawing.paint(state, self._end(state))

    def draw(self, state: Any) -> str:
        return drawing.draw(state, self._end(state))

    def _end(self, state: Any) -> str:
        return (", won" if state.won else ", nothing moves") if shared.is_over(self, state) else ""


def _implied(rows: list[list[int]]) -> int:
    """How many tiles have to come where fewer than two are on the board."""
    return max(0, 2 - sum(tile > 0 for row in rows for tile in row))
