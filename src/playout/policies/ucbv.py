"""UCB-V (Audibert, Munos and Szepesvári, 2009)."""

import math

from playout.common.declare import Text

from .base import EXPLORES, Policy, number


class UCBV(Policy):
    """An upper bound of the value that is the lower, the less the returns vary.

    The paper calls c zeta, and `bonus` c; its bound on the regret holds for c above 1, and for `bonus` = 1.
    """

    c: float = number(default=0.5, least=0.0, meaning=EXPLORES)
    bonus: float = number(
        default=0.2,
        least=0.0,
        meaning=Text(
            "the weight of the range of values, which counts while visits are few",
            "取值范围的权重(访问次数少时起作用)",
        ),
    )
    needs_range = True

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * math.log(max(1, node.visits))

    @staticmethod
    def score(policy, node, edge, shared, rng):
        """value + sqrt(2 V E / n) + 3 bonus width E / n, with the variance V and E = c ln N, which is `shared`.

        >>> from types import SimpleNamespace as Seen
        >>> node, edge = Seen(width=1.0), Seen(visits=4, value=0.5, spread=1.0)
        >>> UCBV.score(UCBV(bonus=1.0), node, edge, 2.0, None)  # 0.5 + sqrt(2 * 0.25 * 2 / 4) + 3 * 2 / 4
        2.5
        """
        ratio = shared / edge.visits
        variance = edge.spread / edge.visits
        return edge.value + math.sqrt(2.0 * variance * ratio) + 3.0 * policy.bonus * node.width * ratio
