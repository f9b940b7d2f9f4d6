"""Chess: all of FIDE's rules that end a game; positions as FEN, moves as UCI or SAN."""

import re
from typing import Any, ClassVar

import numpy as np

from playout.errors import ActionError, PositionError, SettingsError
from playout.game import TERMINAL, Game, Position

from . import svg
from .board import (
    CHECKMATE,
    ENDS,
    FIVEFOLD_REPETITION,
    GOES_ON,
    LETTERS,
    NO_SQUARE,
    STATE,
    THREEFOLD_REPETITION,
    compute_boards,
    compute_key,
)
from .captures import settled_value, squashed
from .ends import find_end
from .fen import COLOURS, START_FEN, read_fen, write_fen, write_history
from .moves import find_moves, make
from .observation import PLANES, POLICY_SIZE, fill_planes, policy_index
from .pgn import PgnGame, read_pgn, write_pgn
from .priors import weigh_moves
from .san import from_san, from_text, to_san, to_uci

__all__ = ["Chess", "PgnGame", "from_san", "read_pgn", "to_san", "write_history", "write_pgn"]

START = np.array([4, 2, 3, 5, 6, 3, 2, 4] + [1] * 8 + [0] * 32 + [9] * 8 + [12, 10, 11, 13, 14, 11, 10, 12], np.uint8)
MIX_1, MIX_2, HALF = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(32)


class Chess(Game):
    """Players: White (0) moves first, Black (1). Actions: from | to << 6 | promotion << 12; written e2e4, e7e8q, read
    as SAN too.

    Positions: a FEN (the counters may be missing) or `startpos`, then, if wanted, `moves e2e4 e7e5`, as in UCI. A
    position is written as its FEN; only where the game ended by repetition, which no FEN can tell, as the moves too.

    `claims`: 1 ends the game at the third repetition and after fifty moves, as if claimed; 0 only at the fifth and
    after seventy-five; -1 never by a rule of draws, as perft counts and as games are replayed.

    What a network sees: 20 planes from the player's side, row 0 the player's first rank and column 0 the a-file; for
    Black ranks are counted from the other end. 0 to 5 the player's pawns, knights, bishops, rooks, queens and king, 6
    to 11 the other side's; 12 to 15 the rights to castle, own short, own long, the other's short and long; 16 where a
    pawn can be taken in passing; 17 the moves since the last capture or pawn move, / 100; 18 whether the position has
    been there before; 19 ones. Rights, moves and 18 fill a whole plane.

    It answers with 73 x 64 moves: the kind of move, then the square it starts from, seen as above. Kinds: 7 * direction
    + steps - 1 as a queen moves (up, up and right, right, … clockwise), 56 to 63 the knight's jumps (clockwise from one
    right and two up), 64 to 72 promotions to a knight, bishop and rook, each to the left, straight and to the right.
    A promotion to a queen counts as the pawn's plain move.
    """

    name = "chess"
    preset = "chess"
    players = 2
    max_actions = 218
    planes = PLANES
    policy_size = POLICY_SIZE
    state = STATE
    settings: ClassVar[dict[str, Any]] = {"claims": 1}
    perft_settings: ClassVar[dict[str, Any]] = {"claims": -1}  # published counts know no draws
    unkeyed = ("fullmove", "keys")  # the key has the positions that were there, in whichever order
    text_is_lossy: ClassVar[bool] = True  # a FEN does not hold the history; `write_history` does

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
    def priors(state, actions, count, out):
        weigh_moves(state, actions, count, out)

    @staticmethod
    def evaluate(state, values):
        mover = state.turn
        value = squashed(settled_value(state))
        values[mover], values[1 - mover] = value, -value

    @staticmethod
    def hash(state):
        """Equal where everything that can still happen is: the position, the clock, and which positions were there."""
        found = state.key + np.uint64(state.halfmoves) * MIX_1
        for i in range(state.past):
            x = state.keys[i] * MIX_1
            found += (x ^ (x >> HALF)) * MIX_2  # a sum, since the order does not matter
        return found

    @staticmethod
    def observe(state, player, planes):
        fill_planes(state, player, planes)

    @staticmethod
    def action_index(state, action):
        return policy_index(action, state.turn)

    def check_settings(self) -> None:
        if self.values["claims"] not in (-1, 0, 1):
            raise SettingsError(
                f"chess: setting 'claims' is {self.values['claims']}, expected 1 (threefold repetition and fifty moves "
                f"end the game), 0 (only fivefold and seventy-five) or -1 (no draws by rule)"
            )

    def action_to_text(self, state: Any, action: int) -> str:
        return to_uci(action)

    def action_from_text(self, state: Any, text: str) -> int:
        return from_text(self.position_of(state), text)

    def state_to_text(self, state: Any) -> str:
        by_repetition = state.over in (THREEFOLD_REPETITION, FIVEFOLD_REPETITION)
        return write_history(state) if by_repetition else write_fen(state)

    def state_from_text(self, state: Any, text: str) -> None:
        start, word, moves = text.partition(" moves")
        start = re.sub(r"^(position\s+)?(fen\s+)?", "", start.strip())
        if word and moves[:1].strip():
            raise PositionError(f"chess: can't read 'moves{moves.split()[0]}' in '{text}', expected moves e2e4 e7e5 …")
        if start != "startpos":
            if "/" not in start:
                raise PositionError(
                    f"chess: can't read position '{text}', expected a FEN as in {START_FEN}, or startpos, and then "
                    f"moves e2e4 e7e5 … if there are any"
                )
            read_fen(state, start)
            self.read_past(state, start)
        claims, state.claims = int(state.claims), -1  # on the way there, a draw may have gone unclaimed
        position = self.position_of(_judged(state))
        for number, move in enumerate(moves.split(), start=1):
            try:
                position = position.play(position.action(move))
            except ActionError as error:
                reason = str(error).removeprefix("chess: ")
                raise PositionError(f"chess: move {number} of '{text}': {reason}") from None
        for field in self.dtype.names or ():
            state[field] = position.state[field]
        state.claims = claims
        _judged(state)

    def in_form(self, form: str) -> Game:
        from .leela import LeelaChess

        return LeelaChess(**self.values) if form == LeelaChess.form and type(self) is Chess else self

    def adopt(self, position: Position) -> Position:
        if type(position.game) is type(self) or not isinstance(position.game, Chess):
            return position
        found = self.position()
        for name in STATE.names or ():
            found.state[name] = position.state[name]
        return Position(self, found.buffer, position.rewards, position.way)

    def read_past(self, state: Any, fen: str) -> None:
        """For a game that remembers more than chess does: what a FEN, which has just been read, tells of the past."""

    def show(self, state: Any) -> str:
        rows = [
            f"{rank + 1}  {' '.join(LETTERS[code] for code in state.squares[8 * rank : 8 * rank + 8])}"
            for rank in range(7, -1, -1)
        ]
        return "\n".join([*rows, "", "   a b c d e f g h", _status(state)])

    def draw(self, state: Any) -> str:
        return svg.draw(state, _status(state))


def _judged(state: Any) -> Any:
    """The state, with `over` filled in."""
    with np.errstate(over="ignore"):
        state.over = find_end(state)
    return state


def _status(state: Any) -> str:
    mover, waiting = COLOURS[state.turn], COLOURS[1 - state.turn]
    if state.over == CHECKMATE:
        return f"checkmate, {waiting} has won"
    if state.over != GOES_ON:
        return f"a draw by {ENDS[state.over]}"
    return f"{mover} to move{', in check' if state.checkers else ''}"
