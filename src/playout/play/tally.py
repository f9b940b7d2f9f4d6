"""The results of one player against another: score, Elo with its interval, the likelihood of superiority.

A score is a share of the points, 0 to 1. Games come in pairs (one opening, both sides), and pairs are what is counted:
the two games of one opening are not independent, and counting them as if they were makes intervals too wide.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

NORMAL = NormalDist()
Z95 = NORMAL.inv_cdf(0.975)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of a pair, as a share: both lost, …, both won
SCALE = 400.0 / math.log(10.0)


def elo_of(score: float) -> float:
    """The Elo difference at which this score is expected: 400 log10(score / (1 - score)).

    >>> round(elo_of(0.75), 2), elo_of(0.5), elo_of(1.0)
    (190.85, 0.0, inf)
    """
    if score <= 0.0 or score >= 1.0:
        return math.inf if score >= 1.0 else -math.inf
    return SCALE * math.log(score / (1.0 - score))


def score_of(elo: float) -> float:
    """The score expected at an Elo difference: 1 / (1 + 10^(-elo / 400)).

    >>> round(score_of(190.85), 4)
    0.75
    """
    return 1.0 / (1.0 + math.exp(-elo / SCALE))


def finite(number: float) -> float | None:
    """The number for JSON, which has no infinity."""
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class Tally:
    """Games won, drawn and lost, and how many complete pairs brought 0, 1/2, 1, 3/2 and 2 points."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @classmethod
    def of(cls, scores: Iterable[float], pairs: Iterable[tuple[float, float]] = ()) -> "Tally":
        """The tally of the scores of games (1, 0.5 or 0), and of those of complete pairs."""
        found, kinds = list(scores), [0] * 5
        for first, second in pairs:
            kinds[round(2 * (first + second))] += 1
        return cls(found.count(1.0), found.count(0.5), found.count(0.0), (*kinds,))  # type: ignore[arg-type]

    @property
    def games(self) -> int:
        """How many were played."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """One for a win, half for a draw."""
        return self.wins + 0.5 * self.draws

    @property
    def score(self) -> float:
        """Points as a share of the games; 0.5 before the first."""
        return self.points / self.games if self.games else 0.5

    @property
    def elo(self) -> float:
        """The Elo difference at which the score is expected."""
        return elo_of(self.score)

    @cached_property
    def spread(self) -> float:
        """The variance of a game's result, as a share of what it would be without draws and pairs, score (1 - score).

        With complete pairs: 2 V / (s (1 - s)), where V is the variance of a pair's mean score; else that of single
        games. One unit of the plain variance 1/4 is added above and below: results that are all alike do not show
        that there is no variance.
        """
        count = sum(self.pairs)
        if count:
            mean = sum(n * x for n, x in zip(self.pairs, PAIR_SCORES, strict=True)) / count
            squares = sum(n * (x - mean) ** 2 for n, x in zip(self.pairs, PAIR_SCORES, strict=True))
            return (2.0 * squares + 0.25) / (count * mean * (1.0 - mean) + 0.25)
        s, n = self.score, self.games
        squares = self.wins * (1 - s) ** 2 + self.draws * (0.5 - s) ** 2 + self.losses * s**2
        return (squares + 0.25) / (n * s * (1.0 - s) + 0.25)

    @property
    def score_interval(self) -> tuple[float, float]:
        """95% by Wilson's formula, with m = games / spread for the number of games.

        (s + z²/2m ± z sqrt(s (1 - s) / m + z²/4m²)) / (1 + z²/m). It stays within 0 and 1, even after wins only.

        >>> low, high = Tally(wins=10).score_interval
        >>> round(low, 3), high
        (0.722, 1.0)
        """
        if not self.games:
            return 0.0, 1.0
        s, m = self.score, self.games / self.spread
        centre, width = s + Z95**2 / (2 * m), Z95 * math.sqrt(s * (1 - s) / m + Z95**2 / (4 * m * m))
        low, high = ((centre + side * width) / (1 + Z95**2 / m) for side in (-1, 1))
        return max(low, 0.0) if self.points else 0.0, min(high, 1.0) if self.points < self.games else 1.0

    @property
    def elo_interval(self) -> tuple[float, float]:
        """95%: the Elo of both ends of the score's interval."""
        low, high = self.score_interval
        return elo_of(low), elo_of(high)

    @property
    def los(self) -> float:
        """Likelihood of superiority: Phi((score - 1/2) / sqrt(spread / (4 games))).

        >>> round(Tally(wins=60, losses=40).los, 3)
        0.977
        """
        if not self.games:
            return 0.5
        return NORMAL.cdf((self.score - 0.5) / math.sqrt(self.spread / (4 * self.games)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON; infinite numbers become null."""
        return {
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "pairs": list(self.pairs),
            "score": self.score,
            "elo": finite(self.elo),
            "elo_interval": [finite(x) for x in self.elo_interval],
            "los": self.los,
        }
