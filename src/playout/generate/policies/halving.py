"""Sequential halving (Karnin, Koren and Somekh, 2013) of the root's first children, with or without Gumbel noise."""

import math

import numpy as np
from numpy.typing import NDArray

from playout.common.declare import number, whole
from playout.generate.tree import CLOSED, GENERATE, PENDING

from .base import GeneratePolicy, GeneratingNode
from .widening import widens

CONSIDERED = 16


class _Halved(GeneratePolicy):
    """What both rules share. A choice depends on the counts alone, so a search that is resumed goes on as planned."""

    considered: int | None = whole(
        default=None,
        least=1,
        most=65535,
        none="auto",
        meaning="children of the root that are compared; auto: 16, or a quarter of the calls",
    )
    k: float = number(default=1.0, least=0.0, meaning="below the root: the factor of N^alpha in widening")
    alpha: float = number(default=0.5, least=0.0, most=1.0, meaning="below the root: the power of the visits")
    needs_calls = True

    def weigh(self, node: GeneratingNode, rng: np.random.Generator) -> NDArray[np.float64]:
        """At the root the least visited of those still compared, below it widening and `below`."""
        worth = self.worth(node)
        if not node.is_root:
            weights = self.below(node, worth)
            weights[GENERATE] = np.inf if widens(node, 1.0, self.k, self.alpha, None) else -np.inf
            return weights
        total = node.budget.total or 0
        compared = considered(self.considered, total)
        if not node.rows[GENERATE, CLOSED] and node.node.used - 1 + node.rows[GENERATE, PENDING] < compared:
            return np.where(np.arange(node.node.used) == GENERATE, np.inf, 0.0)
        compared = min(compared, node.node.used - 1)
        still = survivors(compared, total, node.budget.used)
        weights = np.full(node.node.used, -np.inf)
        order = 1 + np.argsort(-worth[1:], kind="stable")
        open_ones = [place for place in order if not node.rows[place, CLOSED]]
        chosen = open_ones[:still]
        weights[open_ones] = -1e18  # those that lost, in case that all others are closed
        weights[chosen] = -node.visits[chosen]
        return weights

    def worth(self, node: GeneratingNode) -> NDArray[np.float64]:
        raise NotImplementedError

    def below(self, node: GeneratingNode, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Below the root, the children are visited in proportion to a softmax of what they are worth: the greatest of
        p - n / (1 + N), as in Danihelka and others (2022)."""
        visits = node.visits[1:]
        shifted = np.exp(worth[1:] - worth[1:].max())
        weights = np.empty(node.node.used)
        weights[1:] = shifted / shifted.sum() - visits / (1.0 + visits.sum())
        return weights


class HalvingCalls(_Halved):
    """Sequential halving: of the first children, each gets equally many calls, then the better half of them, and so on.
    Better is: the greater mean of the scores at and below a child."""

    def worth(self, node: GeneratingNode) -> NDArray[np.float64]:
        return 10.0 * node.mean


class GumbelCalls(_Halved):
    """Sequential halving by noise + sigma(value), with sigma(q) = (visit_offset + most visits) value_scale q
    (Danihelka and others, 2022); generated children are draws from the prior already, so all logits are 0."""

    noise: float = number(default=1.0, least=0.0, meaning="the scale of the Gumbel noise")
    visit_offset: float = number(default=50.0, least=0.0, meaning="what is added to the most visits in sigma")
    value_scale: float = number(default=0.1, above=0.0, meaning="how much values count against noise")

    def worth(self, node: GeneratingNode) -> NDArray[np.float64]:
        most = float(node.counts[1:].max(initial=0.0))
        found: NDArray[np.float64] = (self.visit_offset + most) * self.value_scale * node.mean
        if node.is_root and self.noise:
            found[1:] += self.noise * np.array([gumbel(node.seed, call) for call in node.calls])
        return found


def considered(given: int | None, total: int) -> int:
    """How many children are compared.

    >>> considered(None, 8), considered(None, 512), considered(32, 512)
    (2, 16, 32)
    """
    wanted = min(CONSIDERED, max(2, total // 4)) if given is None else given
    return max(1, min(wanted, total))


def survivors(compared: int, total: int, used: int) -> int:
    """How many are left after `used` of `total` calls: the calls after the first `compared` are shared out equally
    between the rounds.

    >>> [survivors(8, 32, used) for used in (8, 15, 16, 23, 24, 31)]
    [8, 8, 4, 4, 2, 2]
    """
    rounds = max(1, math.ceil(math.log2(compared))) if compared > 1 else 1
    done = min(rounds, max(0, used - compared) * rounds // max(1, total - compared))
    return max(1, -(-compared // (1 << done)))


def gumbel(seed: int, call: int) -> float:
    """The noise of a child: the same whenever it is asked for, also after a search is resumed."""
    mixed = (seed * 0x9E3779B97F4A7C15 + (call + 1) * 0xBF58476D1CE4E5B9) % 2**64
    mixed = (mixed ^ mixed >> 30) * 0x94D049BB133111EB % 2**64
    mixed ^= mixed >> 31
    return -math.log(-math.log((mixed + 0.5) / 2**64))
