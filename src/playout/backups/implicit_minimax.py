"""Implicit minimax backups (Lanctot, Winands, Pepels and Sturtevant, 2014)."""

import numpy as np

from playout.common.declare import Text

from .base import Backup, number


class ImplicitMinimax(Backup):
    """(1 - weight) mean + weight minimax: the mean of the returns beside the minimax value of static evaluations.

    A leaf's minimax value is its static value, or its exact one; that of an edge above is the best of the visited edges
    that follow, by the player who chooses there.

    >>> from types import SimpleNamespace
    >>> edge = SimpleNamespace(visits=4, value=0.0, mean=0.2, minimax=0.1, below=-0.4)
    >>> ImplicitMinimax.update(ImplicitMinimax(weight=0.25), edge, 1.0)  # the mean becomes 0.2 + 0.8 / 4 = 0.4
    >>> round(edge.value, 12)  # 0.75 * 0.4 - 0.25 * 0.4
    0.2
    """

    weight: float = number(
        default=0.4,
        least=0.0,
        most=1.0,
        name="minimax",
        meaning=Text("the share of the minimax value in an edge's value", "极小化极大值在边的价值中的比重"),
    )
    columns = np.dtype([("mean", np.float64), ("minimax", np.float64)])
    below = "minimax"

    @staticmethod
    def update(backup, edge, got):
        edge.mean += (got - edge.mean) / edge.visits
        edge.minimax = edge.below
        edge.value = (1.0 - backup.weight) * edge.mean + backup.weight * edge.minimax
