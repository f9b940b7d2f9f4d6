"""The base of policies of a generated search, and what they see of a node."""

from typing import Any, ClassVar, NamedTuple, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from playout.common.declare import check_fields, choice, flag, number, setting, text, whole, word
from playout.errors import SettingsError
from playout.generate.posterior import Gaussian
from playout.generate.tree import BEST, GENERATE, MEAN, PENDING, SQUARES, VISITS, GeneratedNode, Rows, ScoreTally

PRIOR = Gaussian(0.0, 1.0, 1.0, 0.1)


class Scale(NamedTuple):
    """The range of scores, declared or as seen so far, which policies see as 0 to 1."""

    low: float
    width: float

    def __call__(self, score: Any) -> Any:
        return (score - self.low) / self.width


class Budget(NamedTuple):
    """The calls of a run: those counted so far, and all that there will be; None: not known."""

    used: int
    total: int | None

    @property
    def left(self) -> int | None:
        """The calls that are left; None: not known."""
        return None if self.total is None else max(0, self.total - self.used)


class GeneratingNode:
    """What a policy sees of a node. Each array has one number for each edge: first `po.GENERATE`, then the children.

    Scores are scaled to 0 to 1. `visits` counts answers, with those under way; `mean`, `best` and `spread` are of the
    scores that came through the edge; that of a child itself counts there.
    """

    __slots__ = ("budget", "node", "rows", "scale", "seed")

    def __init__(self, node: GeneratedNode, scale: Scale, budget: Budget, seed: int) -> None:
        self.node = node
        self.rows: Rows = node.edges[: node.used]
        self.scale, self.budget, self.seed = scale, budget, seed

    @property
    def visits(self) -> NDArray[np.float64]:
        """Answers through each edge, with the calls that are under way."""
        return self.rows[:, VISITS] + self.rows[:, PENDING]

    @property
    def counts(self) -> NDArray[np.float64]:
        """The visits without the calls that are under way."""
        return self.rows[:, VISITS]

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the scores; 0 where none came yet."""
        return np.where(self.rows[:, VISITS] > 0, self.scale(self.rows[:, MEAN]), 0.0)

    @property
    def squares(self) -> NDArray[np.float64]:
        """The sum of squared distances from the mean."""
        return self.rows[:, SQUARES] / self.scale.width**2

    @property
    def spread(self) -> NDArray[np.float64]:
        """The variance of the scores."""
        return self.squares / np.maximum(self.rows[:, VISITS], 1.0)

    @property
    def best(self) -> NDArray[np.float64]:
        """The best score; 0 where none came yet."""
        return np.where(self.rows[:, VISITS] > 0, self.scale(self.rows[:, BEST]), 0.0)

    @property
    def further(self) -> tuple[int, float, float]:
        """Count, mean and squares of what was generated below the children."""
        return scaled(self.node.further, self.scale)

    @property
    def depth(self) -> int:
        """The number of edges from the root."""
        return self.node.depth

    @property
    def is_root(self) -> bool:
        """Whether the search begins here."""
        return self.node.parent is None

    @property
    def calls(self) -> list[int]:
        """The number of the call that made each child."""
        return [child.call for child in self.node.children]


def scaled(scores: ScoreTally, scale: Scale) -> tuple[int, float, float]:
    """Count, mean and squares of some scores, scaled."""
    if not scores.count:
        return 0, 0.0, 0.0
    return scores.count, scale(scores.mean), scores.squares / scale.width**2


@dataclass_transform(frozen_default=True, field_specifiers=(number, whole, flag, word, text, choice))
class GeneratePolicy:
    """The base class of policies of a generated search: how to choose between generating and each child.

    A subclass has `weigh(node, rng)`, which returns one weight for each edge, that of `po.GENERATE` first; the search
    takes the greatest that is open. Its annotated fields are its settings.
    """

    needs_calls: ClassVar[bool] = False  # True: a run must say how many calls there will be

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        setting(cls)

    def weigh(self, node: GeneratingNode, rng: np.random.Generator) -> NDArray[np.float64]:
        """One weight for each edge of a node, that of `po.GENERATE` first; the greatest that is open is taken."""
        raise NotImplementedError

    def pick(self, generators: list[tuple[int, float, float]], rng: np.random.Generator) -> int:
        """Which generator to ask, by the count, mean and squares of the scores of each: by Thompson sampling."""
        if len(generators) == 1:
            return 0
        return int(np.argmax([PRIOR.after(*scores).draw(rng) for scores in generators]))

    def check(self) -> None:
        """Raise `SettingsError` where `weigh` is missing or a setting has a value that it can't have."""
        if type(self).weigh is GeneratePolicy.weigh:
            raise SettingsError(
                f"policy {type(self).__name__} has no weigh(self, node, rng); it gives each edge a weight"
            )
        check_fields(f"policy {type(self).__name__}", self)


def uct(node: GeneratingNode, c: float) -> NDArray[np.float64]:
    """mean + c sqrt(ln N / n) for each edge, where N is the sum of the visits; infinite where n is 0."""
    visits = node.visits
    total = max(float(visits[GENERATE + 1 :].sum()), 1.0)
    with np.errstate(divide="ignore"):
        bonus = c * np.sqrt(np.log(total + 1.0) / visits)
    found: NDArray[np.float64] = node.mean + bonus
    return found
