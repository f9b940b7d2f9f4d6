"""PUCT, the rule of AlphaZero and its successors."""

import math
from typing import ClassVar

from playout.common.declare import VISITS, Text

from .base import EXPLORES, Parent, Policy, number


class PUCT(Policy):
    """The best of value + c prior sqrt(N) / (1 + n); c grows by `growth` ln((N + base + 1) / base).

    With `variance` above 0, c follows the deviation of the returns seen at the node, as in KataGo and Monty: times
    1 + variance (deviation / expected - 1). Where all values are alike, little is left to explore. Before there are
    visits, the deviation is taken for `expected`, which counts for as much as `expected_visits`; it is a share of half
    the range of values.
    """

    c: float = number(default=1.25, least=0.0, meaning=EXPLORES)
    growth: float = number(
        default=0.0,
        least=0.0,
        meaning=Text("by how much c grows with ln((N + base + 1) / base)", "c 随 ln((N + base + 1) / base) 增长的幅度"),
    )
    base: float = number(
        default=19652.0,
        above=0.0,
        unit=VISITS,
        meaning=Text("the number of visits where that growth sets in", "该增长开始起作用的访问次数"),
    )
    variance: float = number(
        default=0.0,
        least=0.0,
        most=1.0,
        meaning=Text("how much c follows the deviation of the returns", "c 随回报标准差变化的程度"),
    )
    expected: float = number(
        default=0.4, above=0.0, meaning=Text("the deviation at which c keeps its value", "c 保持原值时的标准差")
    )
    expected_visits: float = number(
        default=2.0,
        least=1.0,
        unit=VISITS,
        meaning=Text("how many visits that deviation counts for", "该标准差相当于多少次访问"),
    )
    scores_unvisited = True
    by_prior = True
    unvisited: ClassVar[Parent] = Parent()

    @property
    def needs_spread(self) -> bool:  # type: ignore[override]  # one of its settings decides
        return self.variance > 0.0

    @staticmethod
    def prepare(policy, node, rng):
        c = policy.c
        if policy.growth > 0.0:
            c += policy.growth * math.log((node.visits + policy.base + 1.0) / policy.base)
        if policy.variance > 0.0:
            expected = policy.expected * 0.5 * node.width
            seen = node.spread + policy.expected_visits * expected * expected
            deviation = math.sqrt(seen / max(1.0, node.visits + policy.expected_visits - 1.0))
            c *= 1.0 + policy.variance * (deviation / expected - 1.0)
        return c * math.sqrt(max(1, node.through))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * edge.prior / (1.0 + edge.visits)
