"""The highest return, for optimisation."""

from .base import Backup


class Best(Backup):
    """The highest return of an edge: the right value for one player without chance, who can repeat the best plan."""

    # Where positions come again, a value could feed on itself only if going round paid, and returns had no limit.
    graph = True

    @staticmethod
    def update(backup, edge, got):
        edge.value = got if edge.visits == 1 else max(edge.value, got)
