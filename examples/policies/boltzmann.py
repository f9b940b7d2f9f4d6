"""Boltzmann exploration: the probability of a child grows with its value."""

import math

import playout as po


class Boltzmann(po.Policy):
    """Choose a child with probability proportional to exp(value / temperature).

    The child with the highest value / temperature + Gumbel noise has exactly that distribution.
    """

    temperature: float = 0.3

    @staticmethod
    def score(policy, node, edge, shared, rng):
        noise = -math.log(-math.log(max(po.random(rng), 1e-300)))
        return edge.value / policy.temperature + noise
