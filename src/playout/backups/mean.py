"""The mean of the returns."""

from .base import Backup


class Mean(Backup):
    """The mean of an edge's returns, as in UCT and AlphaZero; with transpositions, the value of its node."""

    graph = True
    plain_mean = True

    @staticmethod
    def update(backup, edge, got):
        edge.value += (got - edge.value) / edge.visits
