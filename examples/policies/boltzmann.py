"""Boltzmann exploration: each child with a probability that grows with its value."""

import math

import playout as po


class Boltzmann(po.Policy):
    """A child is taken with a probability proportional to exp(value / temperature).

    The highest of value / temperature + Gumbel noise is drawn from just that distribution.
    """

    temperature: float = 0.3

    @staticmethod
    def score(policy, node, edge, shared, rng):
        noise = -math.log(-math.log(max(po.random(rng), 1e-300)))
        return edge.value / policy.temperature + noise
