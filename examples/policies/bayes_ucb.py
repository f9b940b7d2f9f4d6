"""Bayes-UCT: an upper quantile of the estimated value of an edge (Tesauro, Rajan and Segal, 2010)."""

import math

import playout as po


class BayesUCB(po.Policy):
    """value + c sqrt(2 ln N) times the standard error of the value.

    The error is estimated from the returns so far plus one more, half the range away from their mean.
    """

    c: float = 1.0
    needs_range = True
    term_names = ("value", "doubt")

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * math.sqrt(2.0 * math.log(max(1, node.visits)))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        variance = (edge.spread + 0.25 * node.width * node.width) / (edge.visits + 1)
        return edge.value + shared * math.sqrt(variance / edge.visits)

    @staticmethod
    def terms(policy, node, edge, shared):
        variance = (edge.spread + 0.25 * node.width * node.width) / (edge.visits + 1)
        return edge.value, shared * math.sqrt(variance / edge.visits)
