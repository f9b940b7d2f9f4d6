"""The policy of Gumbel MuZero below the root."""

import math
from typing import ClassVar

import numpy as np

from playout.common.declare import VISITS, Text
from playout.core.views import mixed_value

from .base import Parent, Policy, flag, number

TINY = 1e-12  # the least prior that counts
LEAST_WIDTH = 1e-8  # of the values of a node, where they are scaled by it


class Improved(Policy):
    """Visits in the proportions of the improved policy. Score: pi - n / (1 + N), where pi is proportional to
    prior exp(sigma(q)), with sigma(q) = (visit_offset + most visits) value_scale q and q from 0 to 1.

    An unvisited child is worth a mix of the node's value and of the visited ones. With `rescale`, q is 0 for the least
    and 1 for the greatest of a node's values. Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning
    with Gumbel, ICLR 2022.
    """

    visit_offset: float = number(
        default=50.0,
        least=0.0,
        unit=VISITS,
        name="improved_offset",
        meaning=Text(
            "what is added to the most visits of a node's children in sigma", "sigma 中加到子节点最大访问次数上的量"
        ),
    )
    value_scale: float = number(
        default=1.0,
        above=0.0,
        name="improved_scale",
        meaning=Text("how much values count against priors", "价值相对于先验的权重"),
    )
    rescale: bool = flag(
        default=False,
        name="improved_rescale",
        meaning=Text(
            "scale a node's values to 0 to 1 by the least and the greatest of them",
            "按节点各价值的最小与最大值缩放到 0 至 1",
        ),
    )
    scores_unvisited = True
    by_prior = True
    needs_range = True
    needs_spread = False
    unvisited: ClassVar[Parent] = Parent()
    term_names = ("policy", "visits")
    looks = 2
    shared = np.dtype(
        [
            ("most", np.int64),  # visits
            ("total", np.float64),  # visits
            ("seen", np.float64),  # priors of visited children
            ("unseen", np.float64),  # and of the others
            ("weighted", np.float64),  # prior times value, of visited children
            ("summed", np.float64),  # visits times value
            ("least", np.float64),
            ("greatest", np.float64),  # of all values, the mixed one included
            ("mixed", np.float64),
            ("scale", np.float64),
            ("weights", np.float64),  # prior exp(scale (q - greatest)), of all children
        ]
    )

    @staticmethod
    def look(policy, node, edge, shared, turn):
        prior = max(edge.prior, TINY)
        if turn == 0:
            if edge.visits == 0:
                shared.unseen += prior
                return
            shared.least = min(shared.least, edge.value) if shared.most > 0 else edge.value
            shared.greatest = max(shared.greatest, edge.value) if shared.most > 0 else edge.value
            shared.most = max(shared.most, edge.visits)
            shared.total += edge.visits
            shared.seen += prior
            shared.weighted += prior * edge.value
            shared.summed += edge.visits * edge.value
            return
        if shared.scale == 0.0:  # the first edge of the second turn
            shared.mixed = node.value
            if shared.most > 0:
                by_prior, by_visits = shared.weighted / shared.seen, shared.summed / shared.total
                shared.mixed = mixed_value(node.value, shared.total, by_prior, by_visits)
            if shared.unseen > 0.0:
                shared.least = min(shared.least, shared.mixed) if shared.most > 0 else shared.mixed
                shared.greatest = max(shared.greatest, shared.mixed) if shared.most > 0 else shared.mixed
            width = max(shared.greatest - shared.least, LEAST_WIDTH) if policy.rescale else node.width
            shared.scale = (policy.visit_offset + shared.most) * policy.value_scale / width
        value = edge.value if edge.visits > 0 else shared.mixed
        shared.weights += prior * math.exp(shared.scale * (value - shared.greatest))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        value = edge.value if edge.visits > 0 else shared.mixed
        weight = max(edge.prior, TINY) * math.exp(shared.scale * (value - shared.greatest))
        return weight / shared.weights - edge.visits / (1.0 + node.through)

    @staticmethod
    def terms(policy, node, edge, shared):
        visits = edge.visits / (1.0 + node.through)
        value = edge.value if edge.visits > 0 else shared.mixed
        weight = max(edge.prior, TINY) * math.exp(shared.scale * (value - shared.greatest))
        return weight / shared.weights, -visits
