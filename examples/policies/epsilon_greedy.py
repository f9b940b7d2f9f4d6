"""Epsilon-greedy: the best mean, and now and then any child."""

import playout as po


class EpsilonGreedy(po.Policy):
    """With probability epsilon any child, otherwise the one of the highest value."""

    epsilon: float = 0.1

    @staticmethod
    def prepare(policy, node, rng):
        return 1.0 if po.random(rng) < policy.epsilon else 0.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return po.random(rng) if shared > 0.0 else edge.value
