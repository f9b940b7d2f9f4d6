"""A discounted mean: recent returns count for more, since a larger tree plays better."""

import numpy as np

import playout as po


class DiscountedMean(po.Backup):
    """Each return counts `keep` times as much as the next one: value = total / weight, both discounted."""

    keep: float = 0.98
    columns = np.dtype([("total", np.float64), ("weight", np.float64)])
    graph = True

    @staticmethod
    def update(backup, edge, got):
        edge.total = backup.keep * edge.total + got
        edge.weight = backup.keep * edge.weight + 1.0
        edge.value = edge.total / edge.weight
