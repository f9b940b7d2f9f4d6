"""PUCT, the rule of AlphaZero and its successors."""

import math
from typing import ClassVar

from .base import Parent, Policy, number


class PUCT(Policy):
    """The best of value + c prior sqrt(N) / (1 + n); c grows by `growth` ln((N + base + 1) / base)."""

    c: float = number(default=1.25, least=0.0)
    growth: float = number(default=0.0, least=0.0)
    base: float = number(default=19652.0, above=0.0)
    scores_unvisited = True
    by_prior = True
    unvisited: ClassVar[Parent] = Parent()

    @staticmethod
    def prepare(policy, node, rng):
        c = policy.c
        if policy.growth > 0.0:
            c += policy.growth * math.log((node.visits + policy.base + 1.0) / policy.base)
        return c * math.sqrt(max(1, node.through))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * edge.prior / (1.0 + edge.visits)
