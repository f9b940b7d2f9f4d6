"""Time: the clock of a game, and how much of it our search spends on a move."""

import re
from dataclasses import dataclass

from playout.errors import SettingsError

MOVES_LEFT = 30  # that a game is expected to last from any move on, where the number is not given
INCREMENT_SHARE = 0.75  # of the increment is used; the rest is a reserve against delays
CAP_SHARE = 0.3  # of the clock: the most for one move of several
LAST_MOVE_SHARE = 0.8  # of the clock, for the last move before the next time control
LEAST = 0.001  # seconds for any move


@dataclass(frozen=True)
class Clock:
    """A time control: seconds for all moves of a player, and seconds added after each move."""

    base: float
    increment: float = 0.0

    @classmethod
    def read(cls, text: str) -> "Clock":
        """`1+0.05`, or `60`.

        >>> Clock.read("1+0.05")
        Clock(base=1.0, increment=0.05)
        """
        found = re.fullmatch(r"\s*([\d.]+)\s*(?:\+\s*([\d.]+)\s*)?", text)
        try:
            clock = cls(float(found[1]), float(found[2] or 0)) if found else None
        except ValueError:
            clock = None
        if clock is None or not 0 < clock.base < 1e6 or not clock.increment < 1e6:
            raise SettingsError(f"clock is '{text}', expected seconds + increment, as in 1+0.05 or 60")
        return clock


class Clocks:
    """The remaining seconds of every player in one game; without a `control` there is no limit.

    A move may be `margin` seconds late: the time a process or a pipe takes is not the player's fault.
    """

    def __init__(self, control: Clock | None, players: int, margin: float = 0.0) -> None:
        self.control, self.margin = control, margin
        self.remaining = [control.base if control else 0.0] * players

    def spend(self, player: int, seconds: float) -> None:
        """Take the time of a move off a player's clock, and add the increment."""
        if self.control:
            self.remaining[player] = max(0.0, self.remaining[player] - seconds) + self.control.increment


def seconds_for_move(
    remaining: float, increment: float, moves_to_go: int | None = None, overhead: float = 0.0
) -> float:
    """How long to think: clock / moves + 3/4 increment, at most 0.3 of the clock (0.8 / moves where that is more).

    `moves` is `moves_to_go`, the moves before the next time control, and at most 30; `overhead` is taken off the clock
    first. Never below a thousandth of a second.

    >>> seconds_for_move(60.0, 0.0), seconds_for_move(60.0, 0.0, moves_to_go=1)
    (2.0, 48.0)
    >>> seconds_for_move(0.02, 0.05, None, 0.03)
    0.001
    """
    clock = remaining - overhead
    moves = min(moves_to_go, MOVES_LEFT) if moves_to_go else MOVES_LEFT
    cap = clock * max(CAP_SHARE, LAST_MOVE_SHARE / moves)
    return max(LEAST, min(clock / moves + INCREMENT_SHARE * increment, cap))
