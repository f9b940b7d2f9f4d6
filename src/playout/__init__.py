"""Playout: Monte Carlo Tree Search. You write the game in Python, it runs at the speed of C."""

from .core.rng import random_below, random_float
from .errors import ActionError, BusyError, FileError, GameError, PlayoutError, PositionError, SettingsError
from .game import CHANCE, TERMINAL, Game, Position

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "TERMINAL",
    "ActionError",
    "BusyError",
    "FileError",
    "Game",
    "GameError",
    "PlayoutError",
    "Position",
    "PositionError",
    "SettingsError",
    "random_below",
    "random_float",
]
