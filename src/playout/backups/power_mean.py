"""The power mean (Dam, Klink, D'Eramo, Peters and Pajarinen, 2019)."""

import numpy as np

from playout.common.declare import Text

from .base import Backup, number


class PowerMean(Backup):
    """Between the mean (p = 1) and the greatest return (p without end); for returns from 0 up."""

    p: float = number(
        default=2.0,
        least=1.0,
        meaning=Text("1: the mean; the larger, the nearer to the greatest", "1：平均值；越大越接近最大值"),  # noqa: RUF001  # Chinese punctuation
    )
    columns = np.dtype([("powers", np.float64)])
    least = 0.0

    @staticmethod
    def update(backup, edge, got):
        edge.powers += max(got, 0.0) ** backup.p
        edge.value = (edge.powers / edge.visits) ** (1.0 / backup.p)
