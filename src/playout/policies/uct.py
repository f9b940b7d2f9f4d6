"""UCT (Kocsis and Szepesvári, 2006)."""

from playout.core.lookup import inverse_root, root_log

from .base import EXPLORES, Policy, number


class UCT(Policy):
    """The best of value + c sqrt(ln N / n)."""

    c: float = number(default=1.4, least=0.0, meaning=EXPLORES)

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * root_log(node.visits)

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * inverse_root(edge.visits)
