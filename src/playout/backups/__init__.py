"""Backups: what an edge makes of the returns it gets. One file each, written as a user would write one."""

from .base import Backup
from .best import Best
from .mean import Mean
from .power_mean import PowerMean

__all__ = ["Backup", "Best", "Mean", "PowerMean"]
