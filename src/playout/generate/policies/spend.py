"""A budget-aware rule: what the calls that are left would find, if all were spent at one place."""

from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from playout.common.declare import number
from playout.generate.tree import GENERATE, PENDING

from .base import PRIOR, GeneratePolicy, GeneratingNode


class Spend(GeneratePolicy):
    """Weighs an edge by the best score to expect if all calls left were spent there: mean + width expected_best(left),
    by the posterior of the scores that came through it. With many calls left it prefers what varies, with few what is
    good already."""

    caution: float = number(default=1.0, least=0.0, meaning="how much the spread of scores counts")
    needs_calls = True

    def weigh(self, node: GeneratingNode, rng: np.random.Generator) -> NDArray[np.float64]:
        """The best score to expect at each edge if all calls left were spent there."""
        posterior = PRIOR.after(node.counts, node.mean, node.squares)
        width = np.sqrt(posterior.variance * (1.0 + 1.0 / posterior.strength))
        # Calls under way will use up part of what is left at this edge.
        left = max(1, node.budget.left or 1)
        weights: NDArray[np.float64] = posterior.mean + self.caution * expected_best(left) * width
        weights -= 0.5 * node.rows[:, PENDING] * width
        if not node.counts[GENERATE]:
            weights[GENERATE] = np.inf
        return weights


@cache
def expected_best(count: int) -> float:
    """About the expected greatest of `count` standard normal numbers (Blom, 1958): the quantile of
    (count - 0.375) / (count + 0.25).

    >>> round(expected_best(1), 3), round(expected_best(2), 2), round(expected_best(100), 2)
    (0.0, 0.59, 2.5)
    """
    return NormalDist().inv_cdf((count - 0.375) / (count + 0.25))
