"""UCB1-Tuned (Auer, Cesa-Bianchi and Fischer, 2002)."""

import math

from .base import EXPLORES, Policy, number


class UCB1Tuned(Policy):
    """UCT with the variance that was seen in place of the constant: value + c sqrt(ln N / n min(1/4, V)).

    V = variance + sqrt(2 ln N / n), for values scaled to a width of 1.
    """

    c: float = number(default=1.0, least=0.0, meaning=EXPLORES)
    needs_range = True

    @staticmethod
    def prepare(policy, node, rng):
        return math.log(max(1, node.visits))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        ratio = shared / edge.visits
        variance = edge.spread / edge.visits / (node.width * node.width)
        return edge.value + policy.c * node.width * math.sqrt(ratio * min(0.25, variance + math.sqrt(2.0 * ratio)))
