"""Progressive widening (Coulom, 2007): a node gets another child when it has been visited often enough."""

import numpy as np
from numpy.typing import NDArray

from playout.common.declare import number
from playout.generate.tree import GENERATE, PENDING

from .base import GeneratePolicy, GeneratingNode, uct


class Widen(GeneratePolicy):
    """Generates while a node visited N times has fewer than initial + k N^alpha children (`cap` at most); otherwise
    goes to the child of greatest mean + c sqrt(ln N / n)."""

    initial: float = number(default=1.0, least=0.0, meaning="children at first")
    k: float = number(default=1.0, least=0.0, meaning="the factor of N^alpha")
    alpha: float = number(default=0.5, least=0.0, most=1.0, meaning="the power of the visits")
    cap: float | None = number(default=None, least=1.0, none="none", meaning="children at most")
    c: float = number(default=0.5, least=0.0, meaning="how much the search explores")

    def weigh(self, node: GeneratingNode, rng: np.random.Generator) -> NDArray[np.float64]:
        """UCT among the children; generating comes first while the node may have one more."""
        weights = uct(node, self.c)
        weights[GENERATE] = np.inf if widens(node, self.initial, self.k, self.alpha, self.cap) else -np.inf
        return weights


def widens(node: GeneratingNode, initial: float, k: float, alpha: float, cap: float | None) -> bool:
    """Whether a node may have one more child: fewer than min(cap, initial + k N^alpha)."""
    children = node.node.used - 1 + node.rows[GENERATE, PENDING]
    visits = node.node.visits + float(node.rows[:, PENDING].sum())
    most = initial + k * visits**alpha
    return bool(children < (most if cap is None else min(most, cap)))
