"""Epsilon-greedy: usually the child with the highest value, sometimes a random one."""

import playout as po


class EpsilonGreedy(po.Policy):
    """A random child with probability epsilon, otherwise the one with the highest value."""

    epsilon: float = 0.1

    @staticmethod
    def prepare(policy, node, rng):
        return 1.0 if po.random(rng) < policy.epsilon else 0.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return po.random(rng) if shared > 0.0 else edge.value
