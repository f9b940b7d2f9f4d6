"""Thompson sampling (Thompson, 1933), with normal distributions as in Bai, Wu and Chen (2013)."""

import math

from playout.core.rng import random_normal

from .base import EXPLORES, Policy, number


class Thompson(Policy):
    """Score: a draw from the normal distribution of what the edge's value is believed to be.

    Its mean is the edge's value; its standard deviation is c times the standard error of that value, estimated from the
    returns so far and one more, half the range of values away from their mean.
    """

    c: float = number(default=1.0, least=0.0, meaning=EXPLORES)
    needs_range = True

    @staticmethod
    def score(policy, node, edge, shared, rng):
        """value + c z sqrt((spread + width^2 / 4) / (n + 1) / n), with a standard normal z.

        >>> import numpy as np
        >>> from types import SimpleNamespace as Seen
        >>> node, edge = Seen(width=1.0), Seen(visits=4, value=0.5, spread=1.0)
        >>> rng = np.array([1], np.uint64)
        >>> with np.errstate(over="ignore"):
        ...     z, score = random_normal(rng.copy()), Thompson.score(Thompson(c=1.0), node, edge, 0.0, rng)
        >>> round((score - 0.5) / z, 9)  # sqrt(1.25 / 5 / 4)
        0.25
        """
        variance = (edge.spread + 0.25 * node.width * node.width) / (edge.visits + 1)
        return edge.value + policy.c * math.sqrt(variance / edge.visits) * random_normal(rng)
