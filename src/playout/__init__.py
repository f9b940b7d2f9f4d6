"""Playout: Monte Carlo Tree Search. You write the game in Python, it runs at the speed of C."""

from .common import interrupt  # noqa: F401  # isort: skip  # first: the imports below take a second

from . import games
from .backups import Backup, Best, Mean, PowerMean
from .common.version import __version__
from .core.rng import random_below, random_float
from .core.rng import random_float as random
from .core.rng import random_normal as normal
from .doctor import Finding, Report, check_game, check_part
from .errors import (
    ActionError,
    BusyError,
    EvaluatorError,
    FileError,
    GameError,
    PlayoutError,
    PositionError,
    SettingsError,
)
from .evaluators.pytorch import TorchNetwork
from .game import CHANCE, TERMINAL, Game, Position
from .game.wrap import wrap
from .policies import PUCT, UCT, Parent, Policy, UCB1Tuned
from .search import Search
from .search.ask import Leaf
from .search.node import Node
from .search.result import ActionStats, Result
from .search.step import Change, Choice, EdgeScore, Expansion, Playout, Step
from .settings import (
    All,
    Falling,
    Mixed,
    Network,
    Noise,
    OneAtATime,
    Outside,
    Rollouts,
    Settings,
    Static,
    Widening,
    preset,
)

__all__ = [
    "CHANCE",
    "PUCT",
    "TERMINAL",
    "UCT",
    "ActionError",
    "ActionStats",
    "All",
    "Backup",
    "Best",
    "BusyError",
    "Change",
    "Choice",
    "EdgeScore",
    "EvaluatorError",
    "Expansion",
    "Falling",
    "FileError",
    "Finding",
    "Game",
    "GameError",
    "Leaf",
    "Mean",
    "Mixed",
    "Network",
    "Node",
    "Noise",
    "OneAtATime",
    "Outside",
    "Parent",
    "Playout",
    "PlayoutError",
    "Policy",
    "Position",
    "PositionError",
    "PowerMean",
    "Report",
    "Result",
    "Rollouts",
    "Search",
    "Settings",
    "SettingsError",
    "Static",
    "Step",
    "TorchNetwork",
    "UCB1Tuned",
    "Widening",
    "__version__",
    "check_game",
    "check_part",
    "games",
    "normal",
    "preset",
    "random",
    "random_below",
    "random_float",
    "wrap",
]
