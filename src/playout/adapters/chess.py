"""python-chess (GPL, an extra): `from_chess(board)` searches its boards. `playout.games.chess` is a thousand times as
fast; this is for programs that hold a `chess.Board`, its variants included."""

import math
from typing import Any

from playout.common.arguments import refuses_unknown_names
from playout.errors import GameError
from playout.game.wrap import ObjectGame, wrap

from .packages import package

WORTH = (0, 1.0, 3.0, 3.25, 5.0, 9.0, 0.0)  # pawn to king, by python-chess's numbers
SCALE = 4.0  # pawns that are worth about three quarters of a win
FIFTY = 100  # half moves without a capture or a pawn's move


class BoardPosition:
    """A `chess.Board` as an object for `po.wrap`: White is player 0. Draws that may be claimed end the game."""

    __slots__ = ("_legal", "_result", "board")

    def __init__(self, board: Any) -> None:
        self.board = board
        self._legal: list[Any] = list(board.legal_moves)
        self._result: tuple[float, float] | None = None
        if board.is_variant_end() or not self._legal:
            winner = None if (end := board.outcome()) is None else end.winner
            self._result = (0.0, 0.0) if winner is None else (1.0, -1.0) if winner else (-1.0, 1.0)
        elif board.halfmove_clock >= FIFTY or board.is_insufficient_material() or board.is_repetition(3):
            self._result = (0.0, 0.0)

    def current_player(self) -> int | None:
        return None if self._result is not None else int(not self.board.turn)

    def legal_actions(self) -> list[Any]:
        return self._legal

    def play(self, action: Any) -> "BoardPosition":
        after = self.board.copy()
        after.push(action)
        return BoardPosition(after)

    def returns(self) -> tuple[float, float]:
        assert self._result is not None
        return self._result

    def evaluate(self) -> tuple[float, float]:
        """The balance of material, turned into a value from -1 to 1."""
        if self._result is not None:
            return self._result
        board, pawns = self.board, 0.0
        for kind in range(1, 6):
            ours, theirs = board.pieces_mask(kind, True), board.pieces_mask(kind, False)
            pawns += WORTH[kind] * (ours.bit_count() - theirs.bit_count())
        value = math.tanh(pawns / SCALE)
        return (value, -value)

    def priors(self) -> list[float]:
        """Captures of much by little, and promotions, first."""
        weights = []
        for move in self._legal:
            taken, mover = (
                self.board.piece_type_at(move.to_square) or 0,
                self.board.piece_type_at(move.from_square) or 0,
            )
            gain = WORTH[taken] - 0.1 * WORTH[mover] * bool(taken) + WORTH[move.promotion or 0]
            weights.append(1.0 + max(0.0, gain))
        return weights

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoardPosition) and self.board == other.board and self._past() == other._past()

    def _past(self) -> tuple[int, int]:
        return self.board.halfmove_clock, len(self.board.move_stack)

    def __hash__(self) -> int:
        return hash((self.board.board_fen(), self.board.turn, *self._past()))

    def to_pretty_string(self) -> str:
        return str(self.board)

    def __str__(self) -> str:
        return str(self.board.fen())


@refuses_unknown_names
def from_chess(board: Any, *, preset: str = "chess-classic") -> ObjectGame:
    """A game of a `chess.Board` of python-chess, which begins at its position. Moves are `chess.Move` objects.

    Its variants (`chess.variant`) are searched by their own rules.
    """
    chess = package("chess", "from_chess")
    if not isinstance(board, chess.Board):
        raise GameError(f"from_chess got {board!r:.80}, expected a chess.Board")
    if not board.is_valid() and type(board) is chess.Board:
        raise GameError(f"from_chess got the impossible position {board.fen()}: {board.status()!r}")
    start = board.copy()
    game = wrap(BoardPosition(start), players=2, max_actions=256, preset=preset)
    cls: Any = type(game)
    cls.name = "chess" if type(board) is chess.Board else type(board).uci_variant
    game.copies = "board.copy(); no chance"
    return game
