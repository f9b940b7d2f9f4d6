"""The mean of the returns."""

from .base import Backup


class Mean(Backup):
    """The mean of what an edge got, as in UCT and AlphaZero; in a graph, what its node is worth."""

    graph = True
    plain_mean = True

    @staticmethod
    def update(backup, edge, got):
        edge.value += (got - edge.value) / edge.visits
