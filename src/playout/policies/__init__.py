"""Policies: how a simulation chooses among the children of a node. One file each, written as a user would."""

from .base import Parent, Policy
from .improved import Improved
from .puct import PUCT
from .ucb1tuned import UCB1Tuned
from .uct import UCT

__all__ = ["BUILT_IN", "PUCT", "UCT", "Improved", "Parent", "Policy", "UCB1Tuned"]

BUILT_IN: dict[str, type[Policy]] = {
    "uct": UCT,
    "ucb1tuned": UCB1Tuned,
    "puct": PUCT,
    "improved": Improved,
}  # by the words of the setting
