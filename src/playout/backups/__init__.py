"""Backups: how an edge's value follows from its returns. One file each, written as a user would."""

from .base import Backup
from .best import Best
from .implicit_minimax import ImplicitMinimax
from .mean import Mean
from .power_mean import PowerMean

__all__ = ["BUILT_IN", "Backup", "Best", "ImplicitMinimax", "Mean", "PowerMean"]

BUILT_IN: dict[str, type[Backup]] = {  # by the words of the setting
    "mean": Mean,
    "best": Best,
    "power_mean": PowerMean,
    "implicit_minimax": ImplicitMinimax,
}
