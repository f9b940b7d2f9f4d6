"""Python objects as a user's file has them: the front ends load what is named here."""

import playout as po
from tests.game.objects import Board, NamedStones, SetBoard, Shelf, Stones

start = Stones(5)  # an object itself


def make(stones: int = 6, named: bool = False) -> Stones:
    """Nim of words or numbers."""
    return (NamedStones if named else Stones)(stones)


def game() -> po.Game:
    """Wrapped by hand, with words for the actions."""
    return po.wrap(Stones(7), players=2, describe=lambda action: f"take {action}")


def board() -> Board:
    return Board()


def sets() -> Board:
    return SetBoard()


def shelf() -> Shelf:
    return Shelf()


def nothing() -> None:
    """Forgot to return."""


def needs(stones: int) -> Stones:
    return Stones(stones)


def fails() -> None:
    raise KeyError("no stones")


class Unlucky(Stones):
    """Raises where 13 stones would be left."""

    def __init__(self, stones: int = 14, turn: int = 0) -> None:
        super().__init__(stones, turn)

    def play(self, action: int) -> Stones:
        if self.stones - action == 13:
            raise ValueError("13 stones bring bad luck")
        return super().play(action)


def number() -> int:
    return 3
