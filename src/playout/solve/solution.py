"""`Solution`: the best line that a nested search found, played again with the game's rules."""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

from playout.errors import ActionError, GameError
from playout.game import Position
from playout.game.faults import place_of
from playout.report.words import clean, count, number

from .methods import NMCS, NRPA

ROUNDING = 1e-9  # relative


@dataclass(frozen=True)
class Solution:
    """The best line found, and how it was found.

    Attributes:
        value: its return, the sum of its rewards.
        line: its actions as texts.
        actions: its actions as numbers.
        start, position: where it begins and where it ends.
        playouts, seconds: of all runs and of all times the search was gone on with.
        found_at: the playout of its run that found it, from 1.
        restarts: how often a run was through with all levels.
        method: `NRPA(…)` or `NMCS(…)`.
        runs, seed: the same method, runs, seed and playouts find the same line again.
        stopped_by: "seconds", "playouts", "target", "value_range" (no line can be worth more), "stop" or "Ctrl-C".
    """

    value: float
    line: tuple[str, ...]
    actions: tuple[int, ...]
    start: Position
    position: Position
    playouts: int
    seconds: float
    found_at: int
    restarts: int
    method: NRPA | NMCS
    runs: int
    seed: int
    stopped_by: str

    @property
    def playouts_per_second(self) -> float:
        """The speed; 0 if no time has passed."""
        return self.playouts / self.seconds if self.seconds > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The solution as one JSON object."""
        game = self.start.game
        return {
            "game": game.title,
            "position": self.start.text,
            "best_found": {"value": self.value, "line": list(self.line), "position": self.position.text},
            "playouts": self.playouts,
            "seconds": self.seconds,
            "playouts_per_second": self.playouts_per_second,
            "found_at": self.found_at,
            "restarts": self.restarts,
            "method": type(self.method).__name__.lower(),
            "settings": dataclasses.asdict(self.method),
            "runs": self.runs,
            "seed": self.seed,
            "stopped_by": self.stopped_by,
        }

    def __str__(self) -> str:
        speed = f"{self.seconds:,.2f} s ({self.playouts_per_second:,.0f} a second)"
        return (
            f"value {number(self.value)} · {count(len(self.line), 'action')}: "
            f"{clean(' '.join(self.line)) or 'none'}\n"
            f"{count(self.playouts, 'playout')} in {speed} · found by playout {self.found_at:,} of its run · "
            f"{count(self.restarts, 'restart')} · {count(self.runs, 'run')} · seed {self.seed} · "
            f"ended by: {self.stopped_by}"
        )

    __repr__ = __str__

    def _repr_svg_(self) -> str:
        return self.position.draw()


def played_again(start: Position, actions: list[int], value: float) -> tuple[tuple[str, ...], Position]:
    """Play a line by the game's rules: the texts of its actions, and its end.

    `GameError` where it can't be played, does not end the game, or is worth something else.
    """
    texts, position, total = list[str](), start, 0.0
    game = start.game
    why = "the rules depend on something outside the state (`playout doctor` finds out)"
    for action in actions:
        try:
            texts.append(position.action_text(action))
            position = position.play(action)
        except ActionError as error:
            raise GameError(f"{game.title}: the line found can't be played again: {error}; {why}") from None
        total += float(position.rewards[0])
    if not position.is_terminal:
        raise GameError(
            f"{game.title}: the line found ended the game, but not when played again: it is at "
            f"{place_of(position)}; {why}"
        )
    if not math.isclose(total, value, rel_tol=ROUNDING, abs_tol=ROUNDING):
        raise GameError(
            f"{game.title}: the line found was worth {value:g}, but {total:g} when played again, to "
            f"{place_of(position)}; {why}"
        )
    return tuple(texts), position
