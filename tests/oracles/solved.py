"""Exact values for comparison: small games solved here in a few lines, connect four from tests/data."""

import csv
from dataclasses import dataclass
from functools import cache

from tests.places import DATA

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
LAKE = "SFFFFHFHFFFHHFFG"  # FrozenLake's 4 x 4: start, frozen, hole, goal


# Tic-tac-toe, by minimax


@dataclass(frozen=True)
class Solved:
    """A position of tic-tac-toe: nine cells by row, the side to move, its value for it, the cells that keep that."""

    board: str
    to_move: str
    value: int
    best: frozenset[int]

    @property
    def is_over(self) -> bool:
        return not self.best

    @property
    def text(self) -> str:
        return "/".join(self.board[i : i + 3] for i in (0, 3, 6))

    def after(self, cell: int) -> str:
        return self.board[:cell] + self.to_move + self.board[cell + 1 :]


@cache
def tictactoe() -> dict[str, Solved]:
    """All reachable positions, by board."""
    found: dict[str, Solved] = {}

    def solve(board: str) -> int:
        """The value of a position for the side to move."""
        if board not in found:
            mover, other = "XO" if board.count("X") == board.count("O") else "OX"
            values = {}
            if any(all(board[cell] == other for cell in line) for line in LINES):
                value = -1
            else:
                empty = [cell for cell in range(9) if board[cell] == "."]
                values = {cell: -solve(board[:cell] + mover + board[cell + 1 :]) for cell in empty}
                value = max(values.values(), default=0)
            found[board] = Solved(board, mover, value, frozenset(c for c in values if values[c] == value))
        return found[board].value

    solve("." * 9)
    return found


# Connect four, from a file


@dataclass(frozen=True)
class SolvedFour:
    """A position of connect four: the columns played, 1 to 7, and the exact result (1, 0, -1) of each open column."""

    moves: str
    results: dict[int, float]  # by action: column 1 is action 0

    @property
    def best(self) -> float:
        return max(self.results.values())


@cache
def connect4() -> tuple[SolvedFour, ...]:
    with (DATA / "connect4.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(
        SolvedFour(row["moves"], {c - 1: sign(int(row[str(c)])) for c in range(1, 8) if row[str(c)]}) for row in rows
    )


def sign(score: int) -> float:
    return float((score > 0) - (score < 0))


# FrozenLake, by value iteration


def frozen_lake(slippery: bool, gamma: float) -> tuple[list[float], list[frozenset[int]]]:
    """The value of each cell, and the actions that keep it (0 left, 1 down, 2 right, 3 up).

    A step goes where it should, or, on slippery ice, with 1/3 each there and to either side of it. The goal is worth 1.
    """

    def step(cell: int, way: int) -> int:
        row, column = divmod(cell, 4)
        rows, columns = ((0, -1), (1, 0), (0, 1), (-1, 0))[way]
        return 4 * min(3, max(0, row + rows)) + min(3, max(0, column + columns))

    def worth(values: list[float], cell: int, action: int) -> float:
        ways = [(action + turn) % 4 for turn in (-1, 0, 1)] if slippery else [action]
        cells = [step(cell, way) for way in ways]
        return sum((LAKE[to] == "G") + gamma * values[to] for to in cells) / len(cells)

    values, change = [0.0] * 16, 1.0
    while change > 1e-13:
        new = [
            0.0 if LAKE[cell] in "HG" else max(worth(values, cell, action) for action in range(4)) for cell in range(16)
        ]
        change, values = max(abs(a - b) for a, b in zip(values, new, strict=True)), new
    greedy = []
    for cell in range(16):
        all_of_them = [worth(values, cell, action) for action in range(4)]
        greedy.append(frozenset(a for a in range(4) if all_of_them[a] > max(all_of_them) - 1e-9))
    return values, greedy
