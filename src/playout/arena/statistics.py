"""The sequential test of a match, and ratings of several players."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from playout.play.tally import PAIR_SCORES, SCALE, Z95, score_of

UNSEEN = 1e-3  # pairs of a kind that has not occurred, for the test: nothing is impossible


@dataclass(frozen=True)
class Sprt:
    """The sequential test of elo1 (H1) against elo0 (H0): it ends when the log-likelihood ratio leaves the bounds.

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
        """The log-likelihood ratio, from the number of pairs of each kind."""
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
        """ "H1" or "H0"; None where the test has to go on."""
        low, high = self.bounds
        ratio = self.ratio(pairs)
        return "H1" if ratio >= high else "H0" if ratio <= low else None


def _tilt(shares: Sequence[float], mean: float) -> float:
    """The t at which shares p / (1 + t (x - mean)) have this mean: sum of p (x - mean) / (1 + t (x - mean)) is 0."""
    # The sum falls with t between the poles, where a share would be infinite.
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

    `results[i, j]` is (points of i, games) against j, each two players once. One draw is added to each, so that a
    player who won everything has a rating too. Iteration: strength_i = points_i / sum over j of games_ij /
    (strength_i + strength_j) (Hunter, 2004). The interval comes from the inverse of the Fisher information.

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
