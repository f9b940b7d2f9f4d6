"""Closed-form posteriors of a mean score, and draws from them; scores are scaled to 0 to 1 before."""

from typing import Any, NamedTuple

import numpy as np


class Gaussian(NamedTuple):
    """A normal distribution of unknown mean and variance, under its conjugate prior (normal and inverse chi-square)."""

    mean: Any  # m
    strength: Any  # kappa: how many scores the prior mean counts for
    freedom: Any  # nu: how many scores the prior variance counts for
    variance: Any  # tau^2

    def after(self, count: Any, mean: Any, squares: Any) -> "Gaussian":
        """The posterior after `count` scores with that mean and sum of squared distances from it.

        kappa' = kappa + n, nu' = nu + n, m' = (kappa m + n mean) / kappa',
        tau'^2 = (nu tau^2 + squares + n kappa (m - mean)^2 / kappa') / nu'

        >>> Gaussian(0.0, 1.0, 1.0, 0.1).after(1, 0.5, 0.0)
        Gaussian(mean=0.25, strength=2.0, freedom=2.0, variance=0.1125)
        """
        strength, freedom = self.strength + count, self.freedom + count
        away = self.mean - mean
        variance = (self.freedom * self.variance + squares + count * self.strength * away * away / strength) / freedom
        return Gaussian((self.strength * self.mean + count * mean) / strength, strength, freedom, variance)

    def draw(self, rng: np.random.Generator) -> Any:
        """A draw of the mean: m + sqrt(tau^2 / kappa) t, where t is Student's with nu degrees of freedom."""
        return self.mean + (self.variance / self.strength) ** 0.5 * rng.standard_t(self.freedom)


class Beta(NamedTuple):
    """A beta distribution of the mean; a score from 0 to 1 counts as that share of a success."""

    a: Any
    b: Any

    def after(self, count: Any, mean: Any, squares: Any) -> "Beta":
        """The posterior after `count` scores with that mean: a + n mean, b + n (1 - mean).

        >>> Beta(0.5, 0.5).after(4, 0.75, 0.0)
        Beta(a=3.5, b=1.5)
        """
        return Beta(self.a + count * mean, self.b + count * (1.0 - mean))

    def draw(self, rng: np.random.Generator) -> Any:
        """A draw of the mean."""
        return rng.beta(np.maximum(self.a, 1e-9), np.maximum(self.b, 1e-9))  # rounding may leave a bit less than 0
