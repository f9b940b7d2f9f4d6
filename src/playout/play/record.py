"""A game of a match, as it is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from playout.game import Game

SLACK = 1e-6  # by which share a return may leave the range: rewards that are added up are rounded


@dataclass(frozen=True)
class Record:
    """One game. `players` are numbers in the list of players, one for each seat; moves are in the game's own words."""

    number: int
    opening: int
    players: tuple[int, ...]
    start: str  # empty: the usual start
    moves: tuple[str, ...]  # with the outcomes of chance
    opening_moves: int  # how many of the moves were played before the players took over
    returns: tuple[float, ...]  # by seat
    termination: str  # "normal", "adjudication", "time forfeit", "rules infraction", "abandoned"
    reason: str
    seconds: float
    ended: str = ""  # date and time
    simulations: tuple[int, ...] = ()  # of the searches of each seat; 0 for an engine and a player without a search
    searched: tuple[float, ...] = ()  # the seconds that they took

    def score(self, seat: int, other: int) -> float:
        """1, 0.5 or 0: whether one seat got more than another."""
        a, b = self.returns[seat], self.returns[other]
        return 0.5 if a == b else float(a > b)


def range_fault(game: Game, returns: Sequence[float]) -> str:
    """What is wrong with returns that the game can't give; nothing where it can."""
    if game.range is None:
        return ""
    low, high = game.range
    slack = SLACK * max(1.0, abs(low), abs(high))
    if all(low - slack <= got <= high + slack for got in returns):
        return ""
    return f"returns is {list(returns)}, and those of {game.title} go from {low:g} to {high:g}"
