"""A discounted mean: what was found lately counts for more, since a tree plays better the longer it grows."""

import numpy as np

import playout as po


class DiscountedMean(po.Backup):
    """Each return counts `keep` times as much as the one after it: value = sum / weight, both fading."""

    keep: float = 0.98
    columns = np.dtype([("total", np.float64), ("weight", np.float64)])
    graph = True

    @staticmethod
    def update(backup, edge, got):
        edge.total = backup.keep * edge.total + got
        edge.weight = backup.keep * edge.weight + 1.0
        edge.value = edge.total / edge.weight
