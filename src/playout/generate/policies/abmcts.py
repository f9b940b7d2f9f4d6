"""AB-MCTS-A (Inoue and others, 2025): generate or go deeper, by Thompson sampling."""

import numpy as np
from numpy.typing import NDArray

from playout.common.declare import number, word
from playout.generate.posterior import Beta, Gaussian
from playout.generate.tree import CLOSED, GENERATE, MEAN, SQUARES, VISITS

from .base import GeneratePolicy, GeneratingNode


class ABMCTS(GeneratePolicy):
    """Draws a value for generating here and one for going deeper, from the posteriors of what either gave so far. If
    going deeper wins, draws one for each child, of its own score and all below it. Generators are chosen by a draw from
    the scores of each, in the whole tree."""

    kind: str = word(default="gaussian", words=("gaussian", "beta"), meaning="the posterior's family")
    mean: float = number(default=0.0, meaning="gaussian: the prior mean, of scores scaled to 0 to 1")
    strength: float = number(default=1.0, above=0.0, meaning="gaussian: how many scores the prior mean counts for")
    freedom: float = number(default=1.0, above=0.0, meaning="gaussian: how many scores the prior variance counts for")
    variance: float = number(default=0.1, above=0.0, meaning="gaussian: the prior variance")
    a: float = number(default=0.5, above=0.0, meaning="beta: successes that the prior counts for")
    b: float = number(default=0.5, above=0.0, meaning="beta: failures that the prior counts for")

    @property
    def prior(self) -> Gaussian | Beta:
        """What is believed of scores before the first one came."""
        if self.kind == "beta":
            return Beta(self.a, self.b)
        return Gaussian(self.mean, self.strength, self.freedom, self.variance)

    def of_generating(self, node: GeneratingNode) -> Gaussian | Beta:
        """The posterior of what generating here gives."""
        visits, mean, squares = node.rows[GENERATE, :3].tolist()
        return self.prior.after(visits, node.scale(mean), squares / node.scale.width**2)

    def of_going_deeper(self, node: GeneratingNode) -> Gaussian | Beta:
        """The posterior of what generating below the children gives."""
        return self.prior.after(*node.further)

    def of_children(self, node: GeneratingNode) -> Gaussian | Beta:
        """The posteriors of the children, as arrays."""
        rows, scale = node.rows[1:], node.scale
        return self.prior.after(rows[:, VISITS], scale(rows[:, MEAN]), rows[:, SQUARES] / scale.width**2)

    def weigh(self, node: GeneratingNode, rng: np.random.Generator) -> NDArray[np.float64]:
        """A draw decides between generating and going deeper; then each child has a draw from its posterior."""
        weights = np.zeros(node.node.used)
        weights[GENERATE] = np.inf
        if node.rows[GENERATE, CLOSED] or self.of_generating(node).draw(rng) < self.of_going_deeper(node).draw(rng):
            weights[GENERATE] = -np.inf
            weights[1:] = self.of_children(node).draw(rng)
        return weights

    def pick(self, generators: list[tuple[int, float, float]], rng: np.random.Generator) -> int:
        """Which generator to ask: a draw from the posterior of each, by this policy's own prior."""
        if len(generators) == 1:
            return 0
        return int(np.argmax([self.prior.after(*scores).draw(rng) for scores in generators]))
