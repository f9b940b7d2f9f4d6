"""The greatest return seen, for optimisation."""

from .base import Backup


class Best(Backup):
    """The greatest return that an edge ever got: what matters where one player plans alone and chance has no say."""

    @staticmethod
    def update(backup, edge, got):
        edge.value = got if edge.visits == 1 else max(edge.value, got)
