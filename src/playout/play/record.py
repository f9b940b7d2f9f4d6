"""A game of a match, as it is stored."""

from dataclasses import dataclass


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
