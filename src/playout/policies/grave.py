"""GRAVE (Cazenave, 2015)."""

from typing import ClassVar

from playout.common.declare import VISITS, Text

from .base import Parent, Policy, number, whole


class GRAVE(Policy):
    """The mean of the edge mixed with how its action did wherever it was taken below an ancestor (AMAF).

    With `ref` = 0 every node is its own reference, as in RAVE. Cazenave: Generalized Rapid Action Value Estimation,
    IJCAI 2015.
    """

    ref: int = whole(
        default=50,
        least=0,
        unit=VISITS,
        meaning=Text(
            "visits from which on a node gives the statistics for itself and the nodes below it",
            "节点为自身及其下节点提供统计所需的访问次数",
        ),
    )
    bias: float = number(
        default=1e-5,
        least=0.0,
        meaning=Text(
            "how fast an edge's own mean replaces the statistics of its action; the higher, the faster",
            "边自身的均值取代行动统计的快慢(越大越快)",
        ),
    )
    amaf = "ref"
    scores_unvisited = True
    needs_spread = False
    unvisited: ClassVar[Parent] = Parent()
    term_names = ("value", "amaf")

    @staticmethod
    def score(policy, node, edge, shared, rng):
        """(1 - beta) value + beta amaf, with beta = amaf_n / (amaf_n + n + bias amaf_n n).

        >>> from types import SimpleNamespace as Seen
        >>> edge = Seen(visits=10, value=0.5, amaf_visits=40, amaf_value=0.2)
        >>> round(GRAVE.score(GRAVE(bias=0.125), None, edge, 0.0, None), 12)  # beta = 40 / (40 + 10 + 50)
        0.38
        """
        count = edge.amaf_visits
        beta = count / max(1.0, count + edge.visits + policy.bias * count * edge.visits)
        return (1.0 - beta) * edge.value + beta * edge.amaf_value

    @staticmethod
    def terms(policy, node, edge, shared):
        count = edge.amaf_visits
        beta = count / max(1.0, count + edge.visits + policy.bias * count * edge.visits)
        return (1.0 - beta) * edge.value, beta * edge.amaf_value
