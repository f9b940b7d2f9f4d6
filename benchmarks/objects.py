"""The Python-object game that every library searches: a plain tic-tac-toe of the children-style `Node` kind.

Nothing here is written for speed, and nothing to be slow: an immutable tuple, as a tutorial would have it.
"""

from __future__ import annotations

import random
from typing import NamedTuple, Self

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class TicTacToe(NamedTuple):
    """A position. Crosses are 1, noughts -1, and so are the players."""

    board: tuple[int, ...] = (0,) * 9
    turn: int = 1
    winner: int = 0
    terminal: bool = False

    # The Node interface: positions know their children, moves have no name.
    def find_children(self) -> set[Self]:
        return set() if self.terminal else {self.place(square) for square in self.squares()}

    def find_random_child(self) -> Self | None:
        return None if self.terminal else self.place(random.choice(self.squares()))

    def is_terminal(self) -> bool:
        return self.terminal

    def reward(self) -> float:
        """For the player to move at the end: who has to move then never won."""
        return 0.0 if self.winner else 0.5

    # What the adapters of other libraries build on.
    def squares(self) -> list[int]:
        return [square for square, stone in enumerate(self.board) if stone == 0]

    def place(self, square: int) -> Self:
        board = (*self.board[:square], self.turn, *self.board[square + 1 :])
        won = any(board[a] == board[b] == board[c] != 0 for a, b, c in LINES)
        return type(self)(board, -self.turn, self.turn if won else 0, won or 0 not in board)


def square_between(before: TicTacToe, after: TicTacToe) -> int:
    """The move that leads from one position to the next."""
    return next(square for square in range(9) if before.board[square] != after.board[square])
