"""UCT with progressive bias: knowledge of the game, whose weight falls with visits (Chaslot and others, 2008)."""

import math

import playout as po


class ProgressiveBias(po.Policy):
    """value + c sqrt(ln N / n) + bias prior / (n + 1)."""

    c: float = 1.4
    bias: float = 1.0
    scores_unvisited = True
    by_prior = True  # unvisited children are chosen in order of prior
    term_names = ("value", "exploration", "bias")

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * math.sqrt(math.log(max(1, node.visits)))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared / math.sqrt(max(1, edge.visits)) + policy.bias * edge.prior / (edge.visits + 1)

    @staticmethod
    def terms(policy, node, edge, shared):
        exploration = shared / math.sqrt(max(1, edge.visits))
        return edge.value, exploration, policy.bias * edge.prior / (edge.visits + 1)
