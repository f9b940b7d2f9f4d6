"""What a tuning found: its trials, the best settings as options and as code, and the check against the base."""

import dataclasses
import math
import shlex
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playout.arena import MatchResult
from playout.play.tally import finite
from playout.report.intervals import Estimate
from playout.report.numbers import significant
from playout.scores import Scores
from playout.search.limits import Limits
from playout.settings import Settings

CONFIDENCE = 0.95
COMPLETE, PRUNED, RUNNING, REFUSED = "complete", "pruned", "running", "refused"  # states of a trial
UNKNOWN = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class TrialRow:
    """One trial: what was chosen, and how its games went."""

    number: int
    chosen: Mapping[str, Any]
    state: str
    games: int = 0
    mean: float = math.nan  # share of the points, or score
    difference: Estimate = UNKNOWN  # to the base
    reason: str = ""  # why its settings were refused

    def to_dict(self) -> dict[str, Any]:
        """The trial for JSON."""
        value, low, high = self.difference
        return {
            "trial": self.number,
            "settings": dict(self.chosen),
            "trial_state": self.state,
            "games": self.games,
            "mean": finite(self.mean),
            "difference": finite(value),
            "interval": [finite(low), finite(high)],
            "reason": self.reason or None,
        }


class Check(ABC):
    """The best settings against the base, with seeds that the tuning has not seen."""

    interrupted = False

    @property
    @abstractmethod
    def better(self) -> bool | None:
        """Whether the best settings are better; None where that is not decided."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The figures so far in one line."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The check for JSON."""


@dataclass
class MatchCheck(Check):
    """A match with a sequential test."""

    result: MatchResult

    @property
    def better(self) -> bool | None:
        return {"H1": True, "H0": False}.get(self.result.decision or "")

    @property
    def text(self) -> str:
        tally, sprt = self.result.tally(), self.result.sprt
        ratio = f" · LLR {sprt.ratio(tally.pairs):.2f}" if sprt else ""
        return f"{tally.games} of {self.result.wanted} games · Elo {written(tally.elo, 'Elo')}{ratio}"

    def to_dict(self) -> dict[str, Any]:
        return {"better": self.better, **self.result.to_dict()}


@dataclass
class ScoreCheck(Check):
    """Games of one player with the same luck for both."""

    best: Scores
    base: Scores
    wanted: int  # games of each

    @property
    def lead(self) -> tuple[float, float]:
        """The mean lead over the base, and half the width of its interval."""
        return self.best.lead(self.base, CONFIDENCE)

    @property
    def better(self) -> bool | None:
        lead, error = self.lead
        if len(self.best.records) < self.wanted or len(self.base.records) < self.wanted or math.isnan(error):
            return None
        return lead > error

    @property
    def text(self) -> str:
        lead, error = self.lead
        done = min(len(self.best.records), len(self.base.records))
        return f"{done} of {self.wanted} games each · lead {significant(lead)} ± {significant(error, 2)}"

    def to_dict(self) -> dict[str, Any]:
        lead, error = self.lead
        return {
            "better": self.better,
            "games": min(len(self.best.records), len(self.base.records)),
            "wanted": self.wanted,
            "mean": finite(self.best.mean),
            "base_mean": finite(self.base.mean),
            "lead": {"mean": finite(lead), "error": finite(error)},
        }


@dataclass
class TuningResult:
    """The tuning so far. Differences are to the base, in `unit`, with intervals of 95%."""

    game: str
    base: str  # the preset with its options, as an arena player
    base_mean: float  # what the base scores: a half against itself
    over: tuple[str, ...]
    limits: Limits
    unit: str
    games: int  # of a whole trial
    wanted: int  # trials
    seed: int
    rows: tuple[TrialRow, ...]
    resumed: int  # trials from earlier runs
    preset: str
    changes: Mapping[int, Mapping[str, str]] = field(repr=False)  # options of each trial, those of the base included
    settings_of: Mapping[int, Settings] = field(repr=False)
    check: Check | None = None

    @property
    def best(self) -> TrialRow | None:
        """The trial of the highest mean among those that played all games."""
        done = [row for row in self.rows if row.state == COMPLETE]
        return max(done, key=lambda row: (row.mean, -row.number), default=None)

    @property
    def ranked(self) -> list[TrialRow]:
        """Trials that played: complete ones by their means, then those that were given up, the longest first."""
        played = [row for row in self.rows if row.games]
        return sorted(played, key=lambda row: (row.state != COMPLETE, -row.games, -row.mean, row.number))

    @property
    def options(self) -> dict[str, str]:
        """The best settings as options of the preset; empty before a trial is complete."""
        return {} if self.best is None else dict(self.changes[self.best.number])

    @property
    def option_line(self) -> str:
        """The same for the command line."""
        return shlex.join(word for key, value in self.options.items() for word in ("--option", f"{key}={value}"))

    @property
    def player(self) -> str:
        """The same as an arena player."""
        return ",".join([self.preset, *(f"{key}={value}" for key, value in self.options.items())])

    @property
    def settings(self) -> Settings | None:
        """The best settings; None before a trial is complete."""
        return None if self.best is None else self.settings_of[self.best.number]

    @property
    def code(self) -> str:
        """The best settings as a preset is written."""
        return "" if self.settings is None else as_code(self.settings)

    def to_dict(self) -> dict[str, Any]:
        """The tuning as one JSON object; what is infinite or unknown becomes null."""
        best = None
        if self.best is not None:
            best = {**self.best.to_dict(), "options": self.options, "player": self.player, "python": self.code}
        return {
            "game": self.game,
            "base": self.base,
            "base_mean": finite(self.base_mean),
            "tuned": list(self.over),
            "simulations": self.limits.simulations,
            "seconds": self.limits.seconds,
            "unit": self.unit,
            "confidence": CONFIDENCE,
            "games": sum(row.games for row in self.rows),
            "wanted": self.wanted,
            "resumed": self.resumed,
            "seed": self.seed,
            "best": best,
            "trials": [row.to_dict() for row in self.rows],
            "verify": None if self.check is None else self.check.to_dict(),
        }


def written(difference: float, unit: str) -> str:
    """A difference as text, with its sign.

    >>> written(12.34, "Elo"), written(-math.inf, "Elo"), written(12.345, "points")
    ('+12', '-∞', '+12.35')
    """
    if unit == "Elo":
        return f"{difference:+.0f}".replace("inf", "∞")
    return f"{'+' * (difference > 0)}{significant(difference)}"


def as_code(settings: Any) -> str:
    """Settings as Python has them, without what is the default.

    >>> from playout.settings import preset
    >>> as_code(preset("chess-classic", c=2, reduction=0.1))
    'Settings(policy=PUCT(c=2), evaluator=Static(), unvisited=Parent(reduction=0.1))'
    """
    if not dataclasses.is_dataclass(settings):
        return f"{settings!r}"
    fields = [(f, getattr(settings, f.name)) for f in dataclasses.fields(settings)]
    other = [(f.name, value) for f, value in fields if value != f.default or type(value) is not type(f.default)]
    return f"{type(settings).__name__}({', '.join(f'{name}={as_code(value)}' for name, value in other)})"
