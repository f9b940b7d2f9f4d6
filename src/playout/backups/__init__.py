"""Backups: how an edge's value follows from its returns. One file each, written as a user would."""

from .base import Backup
from .best import Best
from .mean import Mean
from .power_mean import PowerMean

__all__ = ["Backup", "Best", "Mean", "PowerMean"]
