"""What a comparison found: a section for each limit and reference, a row for each variant; JSON and the chart."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

from playout.arena import MatchResult
from playout.play.tally import Tally, finite
from playout.report.intervals import Estimate, Series, intervals_svg
from playout.report.numbers import significant, with_error
from playout.scores import Scores
from playout.search.limits import Limits, limit_text

from .variants import LeftOut

CONFIDENCE = 0.95
MOST_ELO = 500.0  # at either end of the chart's axis: beyond it, all that counts is that one wins
NOTHING = "—"  # in place of a figure


@dataclass(frozen=True)
class CompareRow(ABC):
    """One variant, or the reference itself."""

    name: str
    text: str  # how it differs from the base
    rates: Sequence[float]  # simulations a second, game by game

    titles: ClassVar[tuple[str, ...]]  # of `cells`
    unit: ClassVar[str]  # of the difference
    beside: ClassVar[str]  # how the reference takes part
    most: ClassVar[float] = math.inf  # at the ends of the chart's axis

    @staticmethod
    @abstractmethod
    def written(difference: float) -> str:
        """A difference as text, with its sign."""

    @property
    @abstractmethod
    def games(self) -> int:
        """How many were played."""

    @property
    def rate(self) -> float:
        """Simulations a second, the median of the games: those in which the machine did something else do not count."""
        return median(self.rates) if self.rates else math.nan

    @property
    @abstractmethod
    def difference(self) -> Estimate:
        """To the reference, with its interval; NaN before there is one."""

    @abstractmethod
    def cells(self) -> list[str]:
        """The figures as text."""

    @abstractmethod
    def figures(self) -> dict[str, Any]:
        """The figures for JSON."""

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON."""
        rate = {"simulations_per_second": finite(self.rate)}
        return {"name": self.name, "settings": self.text, "games": self.games, **self.figures(), **rate}


@dataclass(frozen=True)
class EloRow(CompareRow):
    """The games of a variant against the reference; None for the reference itself."""

    result: MatchResult | None

    titles = ("Elo", "95%", "score", "won, drawn, lost", "games")
    unit = "Elo"
    beside = "against"
    most = MOST_ELO

    @staticmethod
    def written(difference: float) -> str:
        return f"{difference:+.0f}".replace("inf", "∞")

    @property
    def tally(self) -> Tally:
        """The results for the variant."""
        return Tally() if self.result is None else self.result.tally()

    @property
    def games(self) -> int:
        return self.tally.games

    @property
    def difference(self) -> Estimate:
        if not self.games:
            return Estimate(math.nan, math.nan, math.nan)
        return Estimate(self.tally.elo, *self.tally.elo_interval)

    def cells(self) -> list[str]:
        tally = self.tally
        if not tally.games:
            return [NOTHING] * (len(self.titles) - 1) + ["" if self.result is None else "0"]
        elo, low, high = map(self.written, self.difference)
        won = f"+{tally.wins} ={tally.draws} -{tally.losses}"
        return [elo, f"{low} to {high}", f"{tally.score:.1%}", won, str(tally.games)]

    def figures(self) -> dict[str, Any]:
        if self.result is None:
            return {}
        lost = [{"number": r.number, "reason": r.reason} for r in self.result.forfeits]
        return {**self.tally.to_dict(), "forfeits": lost}


@dataclass(frozen=True)
class PointsRow(CompareRow):
    """The scores of a variant beside those of the reference, which had the same luck."""

    scores: Scores
    reference: Scores

    titles = ("mean", "±95%", "lead", "±95%", "median", "games")
    unit = "points"
    beside = "compared with"

    @staticmethod
    def written(difference: float) -> str:
        return f"{'+' * (difference > 0)}{significant(difference)}"

    @property
    def games(self) -> int:
        return len(self.scores.records)

    @property
    def lead(self) -> tuple[float, float]:
        """Over the reference, and half the width of its interval."""
        return self.scores.lead(self.reference, CONFIDENCE)

    @property
    def difference(self) -> Estimate:
        lead, error = self.lead
        return Estimate(lead, lead - error, lead + error)

    def cells(self) -> list[str]:
        if not self.games:
            return [NOTHING] * (len(self.titles) - 1) + ["0"]
        lead = [NOTHING, ""] if self.scores is self.reference else with_error(*self.lead, "+")
        mean = with_error(self.scores.mean, self.scores.error_at(CONFIDENCE))
        return [*mean, *lead, significant(self.scores.quartiles[1]), str(self.games)]

    def figures(self) -> dict[str, Any]:
        lead, error = self.lead
        return {
            "mean": finite(self.scores.mean),
            "error": finite(self.scores.error_at(CONFIDENCE)),
            "median": finite(self.scores.quartiles[1]),
            "deviation": finite(self.scores.deviation),
            "lead": {"mean": finite(lead), "error": finite(error)},
        }


@dataclass(frozen=True)
class Section:
    """All variants at one limit against one reference."""

    limits: Limits
    reference: CompareRow
    rows: tuple[CompareRow, ...]  # in the order that was asked for

    @property
    def title(self) -> str:
        """The limit and the reference in words."""
        return f"{limit_text(self.limits)} a move, {self.reference.beside} {self.reference.name}"

    @property
    def ranked(self) -> list[CompareRow]:
        """The rows, the strongest first; those that can't be compared yet last."""
        found = [(-row.difference.value, row) for row in self.rows]
        return [row for _, row in sorted(found, key=lambda pair: math.inf if math.isnan(pair[0]) else pair[0])]

    def to_dict(self) -> dict[str, Any]:
        """The section for JSON."""
        return {
            "simulations": self.limits.simulations,
            "seconds": self.limits.seconds,
            "against": self.reference.to_dict(),
            "variants": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True)
class ComparisonResult:
    """The comparison so far."""

    game: str
    seed: int
    wanted: int  # games in all
    resumed: int  # games from earlier runs
    played: int  # games that are finished
    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as one JSON object; what is infinite or unknown becomes null."""
        return {
            "game": self.game,
            "seed": self.seed,
            "games": self.played,
            "wanted": self.wanted,
            "resumed": self.resumed,
            "confidence": CONFIDENCE,
            "sections": [section.to_dict() for section in self.sections],
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left_out],
        }

    def svg(self) -> str:
        """The chart: the difference of each variant to the reference, with its interval."""
        kind = type(self.sections[0].reference)
        series = [Series(s.title, {row.name: row.difference for row in s.rows}) for s in self.sections]
        names = dict.fromkeys(row.name for section in self.sections for row in section.ranked)
        axis = f"{kind.unit}, 95% intervals"
        return intervals_svg(f"Variants of {self.game}", axis, list(names), series, kind.written, kind.most)

    def _repr_svg_(self) -> str:
        return self.svg()
