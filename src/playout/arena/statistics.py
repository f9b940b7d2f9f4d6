"""What results say: Elo with its interval, the likelihood of superiority, the sequential test, ratings of several.

A score is a share of the points, 0 to 1. Games come in pairs (one opening, both sides), and what is counted are pairs:
the two games of one opening are not independent, and counting them as if they were makes intervals too wide.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()
Z95 = NORMAL.inv_cdf(0.975)
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)  # what a pair can bring, as a share: both lost, …, both won
UNSEEN = 1e-3  # pairs of a kind that never came, for the test: nothing is impossible
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


@dataclass(frozen=True)
class Tally:
    """The results of one player against another: games, and how many complete pairs brought 0, 1/2, 1, 3/2, 2."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    @classmethod
    def of(cls, scores: Iterable[float], pairs: Iterable[tuple[float, float]] = ()) -> "Tally":
        """From the scores of games (1, 0.5 or 0), and those of complete pairs."""
        found, kinds = list(scores), [0] * 5
        for first, second in pairs:
            kinds[round(2 * (first + second))] += 1
        return cls(found.count(1.0), found.count(0.5), found.count(0.0), (*kinds,))  # type: ignore[arg-type]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        return self.wins + 0.5 * self.draws

    @property
    def score(self) -> float:
        return self.points / self.games if self.games else 0.5

    @property
    def elo(self) -> float:
        return elo_of(self.score)

    @cached_property
    def spread(self) -> float:
        """The variance of a game's result, as a share of what it would be without draws and pairs, score (1 - score).

        With complete pairs: 2 V / (s (1 - s)), where V is the variance of a pair's mean score; else that of single
        games. One unit of the plain variance 1/4 is added above and below: results that were all alike do not show
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

        (s + z²/2m ± z sqrt(s (1 - s) / m + z²/4m²)) / (1 + z²/m). It stays within 0 and 1, also where all was won.

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


@dataclass(frozen=True)
class Sprt:
    """The sequential test of elo1 (H1) against elo0 (H0): it ends as soon as the log-likelihood ratio leaves bounds.

    The ratio is that of the most likely distributions of pair results whose mean scores are those of elo1 and elo0
    (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution"). `alpha` is
    the chance to accept elo1 when elo0 is true, `beta` the other way round.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    @property
    def bounds(self) -> tuple[float, float]:
        """log(beta / (1 - alpha)), log((1 - beta) / alpha).

        >>> low, high = Sprt(0, 5).bounds
        >>> round(low, 3), round(high, 3)
        (-2.944, 2.944)
        """
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, pairs: Sequence[int]) -> float:
        """The log-likelihood ratio after so many pairs of each kind."""
        if not sum(pairs):
            return 0.0
        counts = [n or UNSEEN for n in pairs]
        total = sum(counts)
        shares = [n / total for n in counts]
        null, other = (_tilt(shares, score_of(elo)) for elo in (self.elo0, self.elo1))
        logs = zip(shares, PAIR_SCORES, strict=True)
        s0, s1 = score_of(self.elo0), score_of(self.elo1)
        return total * sum(p * (math.log1p(null * (x - s0)) - math.log1p(other * (x - s1))) for p, x in logs)

    def decision(self, pairs: Sequence[int]) -> str | None:
        """ "H1", "H0", or None: go on."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "H1" if ratio >= high else "H0" if ratio <= low else None


def _tilt(shares: Sequence[float], mean: float) -> float:
    """The t at which shares p / (1 + t (x - mean)) have this mean: sum of p (x - mean) / (1 + t (x - mean)) is 0."""
    # The sum falls with t between the poles, where a share would be without limit.
    low, high = -1.0 / (PAIR_SCORES[-1] - mean), 1.0 / (mean - PAIR_SCORES[0])
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        total = sum(p * (x - mean) / (1 + middle * (x - mean)) for p, x in zip(shares, PAIR_SCORES, strict=True))
        low, high = (middle, high) if total > 0 else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Rating:
    """A player's Elo, relative to the mean of all, and how far the 95% interval reaches to either side."""

    elo: float
    error: float


def bradley_terry(count: int, results: Mapping[tuple[int, int], tuple[float, int]]) -> list[Rating]:
    """Ratings that make the results most likely, a draw counted as half a win and half a loss.

    `results[i, j]` is (points of i, games) against j, each two players once. To each, one draw is added, so that who
    won everything has a rating too. Iteration: strength_i = points_i / sum over j of games_ij / (strength_i +
    strength_j) (Hunter, 2004). The interval comes from the inverse of the Fisher information.

    >>> [round(r.elo) for r in bradley_terry(2, {(0, 1): (75.0, 100)})]
    [94, -94]
    """
    games, points = np.zeros((count, count)), np.zeros(count)
    for (i, j), (won, played) in results.items():
        if played:
            games[i, j] = games[j, i] = played + 1
            points[i] += won + 0.5
            points[j] += played - won + 0.5
    strength = np.ones(count)
    there = points > 0
    for _ in range(10_000):
        sums = (games / (strength[:, None] + strength[None, :])).sum(axis=1)
        new = np.where(there, points / np.where(there, sums, 1.0), 1.0)
        new /= np.exp(np.log(new).mean())
        done = np.abs(np.log(new / strength)).max(initial=0.0) < 1e-10
        strength = new
        if done:
            break
    expected = strength[:, None] / (strength[:, None] + strength[None, :])
    weights = games * expected * (1 - expected)
    information = np.diag(weights.sum(axis=1)) - weights
    errors = Z95 * SCALE * np.sqrt(np.maximum(np.diag(np.linalg.pinv(information)), 0.0))
    return [
        Rating(float(SCALE * math.log(s)), float(e) if known else math.inf)
        for s, e, known in zip(strength, errors, there, strict=True)
    ]
