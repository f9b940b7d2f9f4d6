"""Python objects of both kinds, as a user would have them."""

import random
from typing import Any, NamedTuple

from tests.games.toy_games import COINS

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


class Board(NamedTuple):
    """Tic-tac-toe of the `Node` kind: positions know their children, moves have no name."""

    cells: tuple[int, ...] = (0,) * 9
    turn: int = 1

    def winner(self) -> int:
        return next((self.cells[a] for a, b, c in LINES if self.cells[a] == self.cells[b] == self.cells[c] != 0), 0)

    def find_children(self) -> list["Board"]:
        return [] if self.is_terminal() else [self.after(i) for i in range(9) if not self.cells[i]]

    def find_random_child(self) -> "Board":
        return self.after(random.choice([i for i in range(9) if not self.cells[i]]))

    def is_terminal(self) -> bool:
        return self.winner() != 0 or 0 not in self.cells

    def reward(self) -> float:
        return 0.0 if self.winner() else 0.5  # for the one to move, who has lost if anybody has won

    def after(self, i: int) -> "Board":
        return Board((*self.cells[:i], self.turn, *self.cells[i + 1 :]), -self.turn)


class SetBoard(Board):
    def find_children(self) -> Any:
        return set(super().find_children())


class Stones:
    """Nim of the `play` kind."""

    def __init__(self, stones: int = 10, turn: int = 0) -> None:
        self.stones, self.turn = stones, turn

    def current_player(self) -> int | None:
        return self.turn if self.stones else None

    def legal_actions(self) -> list[int]:
        return list(range(1, min(3, self.stones) + 1))

    def play(self, action: int) -> "Stones":
        return type(self)(self.stones - action, 1 - self.turn)

    def returns(self) -> list[float]:
        if self.stones:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.turn == 1 else [-1.0, 1.0]

    def __str__(self) -> str:
        return f"{self.stones} stones, player {self.turn}"


class NamedStones(Stones):
    """Actions that are words."""

    WORDS = ("one", "two", "three")

    def legal_actions(self) -> Any:
        return self.WORDS[: min(3, self.stones)]

    def play(self, action: Any) -> "NamedStones":
        return NamedStones(self.stones - 1 - self.WORDS.index(action), 1 - self.turn)


class Roulette:
    """One player bets 1 or 2 on a wheel that pays back threefold with probability 0.4; two rounds."""

    def __init__(self, money: int = 4, rounds: int = 2, bet: int = 0) -> None:
        self.money, self.rounds, self.bet = money, rounds, bet

    def current_player(self) -> int:
        import playout as po

        if self.bet:
            return po.CHANCE
        return 0 if self.rounds else po.TERMINAL

    def legal_actions(self) -> list[int]:
        return [1, 2] if self.rounds else []

    def chance_outcomes(self) -> list[tuple[str, float]]:
        return [("win", 0.4), ("lose", 0.6)]

    def play(self, action: Any) -> "Roulette":
        if self.bet:
            return Roulette(self.money + (2 * self.bet if action == "win" else -self.bet), self.rounds, 0)
        return Roulette(self.money, self.rounds - 1, action)

    def returns(self) -> list[float]:
        return [float(self.money)]

    def evaluate(self) -> list[float]:
        return [float(self.money)]

    def priors(self) -> list[float]:
        return [0.9, 0.1]


class Shelf:
    """`toy_games.Coins` as an object: what each step brought is told by `rewards()`, and `returns()` by nobody."""

    def __init__(self, shelf: int = 0, brought: float = 0.0) -> None:
        self.shelf, self.brought = shelf, brought

    def current_player(self) -> int | None:
        return 0 if self.shelf < 4 else None

    def legal_actions(self) -> list[int]:
        return [0, 1, 2]

    def play(self, action: int) -> "Shelf":
        return type(self)(self.shelf + 1, float(COINS[self.shelf, action]))

    def rewards(self) -> list[float]:
        return [self.brought]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shelf) and self.shelf == other.shelf  # however much the last step brought

    def __hash__(self) -> int:
        return hash(self.shelf)

    def __str__(self) -> str:
        return f"shelf {self.shelf}"


class Tumble:
    """Balancing, as in CartPole: each step that it stands brings 1; "fall" ends it, "stand" goes on for ten steps."""

    def __init__(self, steps: int = 0, fallen: bool = False) -> None:
        self.steps, self.fallen = steps, fallen

    def current_player(self) -> int | None:
        return None if self.fallen or self.steps == 10 else 0

    def legal_actions(self) -> list[str]:
        return ["fall", "stand"]

    def play(self, action: str) -> "Tumble":
        return type(self)(self.steps + (action == "stand"), action == "fall")

    def returns(self) -> list[float]:
        return [float(self.steps)]

    def __str__(self) -> str:
        return f"{self.steps} steps{', fallen' * self.fallen}"


class RewardedTumble(Tumble):
    """The same, told step by step."""

    def rewards(self) -> list[float]:
        return [0.0 if self.fallen or self.steps == 0 else 1.0]

    def returns(self) -> list[float]:
        raise AssertionError("with rewards(), nobody asks for returns()")
