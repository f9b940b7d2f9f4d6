"""Policies as users write them, for the tests."""

import math

import playout as po
from playout.core.lookup import inverse_root, root_log


class OwnUCT(po.Policy):
    """UCT, as a user would write it who knows how the built-in one rounds."""

    c: float = 1.4

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * root_log(node.visits)

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * inverse_root(edge.visits)


class OwnPUCT(po.Policy):
    """PUCT, with what all edges share worked out for each of them."""

    c: float = 1.25
    scores_unvisited = True
    by_prior = True
    unvisited = po.Parent()

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + policy.c * math.sqrt(max(1, node.through)) * edge.prior / (1.0 + edge.visits)


class EpsilonGreedy(po.Policy):
    """The best mean, and now and then any child."""

    epsilon: float = 0.1

    @staticmethod
    def prepare(policy, node, rng):
        return 1.0 if po.random(rng) < policy.epsilon else 0.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return po.random(rng) if shared > 0.0 else edge.value


class Sampled(po.Policy):
    """Each mean with noise that grows smaller with the visits, and one number that all edges of a node share."""

    @staticmethod
    def prepare(policy, node, rng):
        return 0.5 + node.value + node.count

    @staticmethod
    def score(policy, node, edge, shared, rng):
        error = math.sqrt((1.0 + edge.spread) / (1.0 + edge.visits))
        return edge.value + error * po.normal(rng) / shared


class Louder(po.UCT):
    """A subclass of a built-in policy: its formula, with more exploration."""

    factor: float = 3.0

    @staticmethod
    def prepare(policy, node, rng):
        return policy.factor * policy.c * root_log(node.visits)
