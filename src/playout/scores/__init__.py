"""How well players do at a game of one player."""

from playout.play.solo import ScoredGame

from .scores import CONFIDENCE, ENDLESS, Evaluation, Scores, bin_edges, evaluate, half_width

__all__ = [
    "CONFIDENCE",
    "ENDLESS",
    "Evaluation",
    "ScoredGame",
    "Scores",
    "bin_edges",
    "evaluate",
    "half_width",
]
