"""A policy and a backup."""

import playout as po


class Greedy(po.Policy):
    """The child with the highest value, and now and then a random one."""

    epsilon: float = 0.1

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return po.random(rng) if po.random(rng) < policy.epsilon else edge.value


class Half(po.Backup):
    """Each return counts as much as all before it."""

    @staticmethod
    def update(backup, edge, got):
        edge.value = (edge.value + got) / 2
