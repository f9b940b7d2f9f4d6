"""Policies: how a simulation chooses among the children of a node. One file each, written as a user would."""

from .base import Parent, Policy
from .grave import GRAVE
from .improved import Improved
from .puct import PUCT
from .thompson import Thompson
from .ucb1tuned import UCB1Tuned
from .ucbv import UCBV
from .uct import UCT

__all__ = ["BUILT_IN", "GRAVE", "PUCT", "UCBV", "UCT", "Improved", "Parent", "Policy", "Thompson", "UCB1Tuned"]

BUILT_IN: dict[str, type[Policy]] = {  # by the words of the setting
    "uct": UCT,
    "ucb1tuned": UCB1Tuned,
    "puct": PUCT,
    "improved": Improved,
    "thompson": Thompson,
    "ucbv": UCBV,
    "grave": GRAVE,
}
