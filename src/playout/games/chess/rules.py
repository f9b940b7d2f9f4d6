"""The rules of chess as a game: the start, whose turn it is, the legal moves, and what a move does.

The parts: board.py has the record and its numbering, attacks.py who attacks what, moves.py lists and makes moves, and
ends.py says when the game is over.
"""

from typing import Any, ClassVar

import numpy as np

from playout.errors import SettingsError
from playout.game import TERMINAL, Game

from .board import CHECKMATE, GOES_ON, NO_SQUARE, STATE, compute_boards, compute_key
from .ends import find_end
from .moves import find_moves, make

START = np.array([4, 2, 3, 5, 6, 3, 2, 4] + [1] * 8 + [0] * 32 + [9] * 8 + [12, 10, 11, 13, 14, 11, 10, 12], np.uint8)
MIX_1, MIX_2, HALF = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(32)


class ChessRules(Game):
    """An action is from | to << 6 | promotion << 12, squares and kinds numbered as in board.py."""

    players = 2
    player_names = ("White", "Black")
    max_actions = 218
    action_codes = 7 * 64
    state = STATE
    settings: ClassVar[dict[str, Any]] = {"claims": 1}
    perft_settings: ClassVar[dict[str, Any]] = {"claims": -1}  # published counts ignore draws
    unkeyed = ("fullmove", "keys")  # `hash` adds the earlier positions itself, in whatever order they came

    @staticmethod
    def initial_state(state):
        for square in range(64):
            state.squares[square] = START[square]
        state.castling = 15
        state.en_passant = NO_SQUARE
        state.fullmove = 1
        compute_boards(state)
        state.key = compute_key(state)

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over != GOES_ON else state.turn

    @staticmethod
    def legal_actions(state, actions):
        return 0 if state.over != GOES_ON else find_moves(state, actions)

    @staticmethod
    def apply(state, action, rewards):
        mover = state.turn
        make(state, action)
        state.over = find_end(state)
        if state.over == CHECKMATE:
            rewards[mover], rewards[1 - mover] = 1.0, -1.0

    @staticmethod
    def action_code(state, action):
        """The kind of the piece that moves, and where it goes."""
        return 64 * (np.int64(state.squares[action & 63]) & 7) + ((action >> 6) & 63)

    @staticmethod
    def hash(state):
        """Equal where the rest of the game is: the position, the clock, and the set of earlier positions."""
        found = state.key + np.uint64(state.halfmoves) * MIX_1
        for i in range(state.past):
            x = state.keys[i] * MIX_1
            found += (x ^ (x >> HALF)) * MIX_2  # a sum, since the order does not matter
        return found

    def check_settings(self) -> None:
        """`claims` is one of three numbers."""
        if self.values["claims"] not in (-1, 0, 1):
            raise SettingsError(
                f"chess: setting 'claims' is {self.values['claims']}, expected 1 (threefold repetition and fifty moves "
                f"end the game), 0 (only fivefold and seventy-five) or -1 (no draws by rule)"
            )
