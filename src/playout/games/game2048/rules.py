"""The rules of 2048: slide, merge, score; then chance adds a tile. board.py has the board and how rows slide."""

import numpy as np

from playout.core.rng import random_below, random_float
from playout.errors import SettingsError
from playout.game import CHANCE, TERMINAL, Game
from playout.games._shared import check_range, count_bits, lowest_bit

from .board import (
    OFFSETS,
    ONE,
    POINTS,
    ROWS,
    SLID,
    TILES,
    UP,
    WIDEST,
    ZERO,
    empty_cells,
    largest_tile,
    possible,
    row_of,
    transposed,
)

FOUR_TILE = 16  # an action of chance is the cell, plus this for a tile of 4


class Game2048Rules(Game):
    """Actions: 0 left, 1 right, 2 up, 3 down; where chance moves, the cell of the new tile."""

    players = 1
    max_actions = 32
    action_codes = 4
    value_range = None
    unkeyed = ("score",)
    settings = {  # noqa: RUF012  # described in the class and in docs/2048.md
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
            ("coming", np.uint8),  # tiles that chance has yet to place
            ("moves", np.uint8),  # the directions that change anything, as bits; 0 when chance moves, and at the end
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
        for direction in range(4):  # without branches, which a processor can't predict in a playout
            actions[count] = direction
            count += (state.moves >> direction) & 1
        return count

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        left = empty_cells(state.board, state.side)
        count = 0
        while left != ZERO:
            actions[count] = lowest_bit(left) >> 2
            count += 1
            left &= left - ONE
        two, four = (1.0 - state.fours) / count, state.fours / count
        for i in range(count):
            actions[count + i] = actions[i] + FOUR_TILE
            probabilities[i], probabilities[count + i] = two, four
        return 2 * count if four > 0.0 else count

    @staticmethod
    def chance_action(state, rng):
        """Draw an outcome without listing them all: that would take a third of a playout's time."""
        left = empty_cells(state.board, state.side)
        for _ in range(random_below(rng, count_bits(left))):
            left &= left - ONE
        four = FOUR_TILE if random_float(rng) < state.fours else 0
        return np.int64(lowest_bit(left) >> 2) + four

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
    def hash(state):
        key = state.board ^ (np.uint64(state.coming) << np.uint64(62))
        key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        return key ^ (key >> np.uint64(29))

    def check_settings(self) -> None:
        """The board's size, a probability, a tile, and finite weights."""
        fours, target = self.values["fours"], self.values["target"]
        check_range(self, "side", 2, WIDEST)
        if not 0.0 <= fours < 1.0:
            raise SettingsError(f"{self.title}: setting 'fours' is {fours}, expected a probability from 0 to below 1")
        if target != 0 and target not in TILES[2:]:
            raise SettingsError(
                f"{self.title}: setting 'target' is {target}, expected a tile from 4 to {TILES[-1]}, or 0 for none"
            )
        for key in ("scale", "alive", "empty", "uneven", "rough", "corner"):
            if not abs(self.values[key]) <= 1e9:
                raise SettingsError(f"{self.title}: setting '{key}' is {self.values[key]}, expected a finite number")
