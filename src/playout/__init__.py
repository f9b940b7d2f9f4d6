"""Playout: Monte Carlo Tree Search. You write the game in Python, it runs at the speed of C.

A game is a subclass of `Game`, a Python object given to `wrap`, or a built-in one from `games.load`. `Search` searches
it by its `Settings` and returns a `Result`; `solve` finds the best line of a game of one player by nested search. Your
own policies and backups are subclasses of `Policy` and `Backup`; `check_game` and `check_part` find mistakes in them.
"""

from typing import TYPE_CHECKING

from .common import interrupt  # noqa: F401  # isort: skip  # first: the imports below take a second

from . import games
from .adapters import (
    act,
    from_chess,
    from_gymnasium,
    from_openspiel,
    from_pettingzoo,
    gym_env,
    openspiel_bot,
    pettingzoo_env,
)
from .backups import Backup, Best, ImplicitMinimax, Mean, PowerMean
from .common.version import __version__
from .doctor import Finding, PartReport, Report, check_game, check_part
from .errors import (
    ActionError,
    BusyError,
    EvaluatorError,
    FileError,
    GameError,
    GeneratorError,
    PlayoutError,
    PositionError,
    SettingsError,
)
from .evaluators.pytorch import TorchNetwork
from .game import CHANCE, TERMINAL, Game, Position
from .game.wrap import wrap
from .generate import (
    ABMCTS,
    GENERATE,
    Answer,
    Call,
    CallEstimate,
    GeneratedNode,
    GeneratedResult,
    GeneratedSearch,
    GeneratePolicy,
    GeneratingNode,
    GeneratorStats,
    Pace,
    Spend,
    judge,
    proposer,
)
from .notebook import widget
from .policies import GRAVE, PUCT, UCBV, UCT, Improved, Parent, Policy, Thompson, UCB1Tuned
from .search import Search
from .search.ask import Leaf
from .search.node import Node
from .search.result import ActionStats, Result, TreeStats
from .search.step import Change, Choice, EdgeScore, Expansion, Playout, Step
from .settings import (
    All,
    Falling,
    Forced,
    Gumbel,
    Halving,
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
from .solve import NMCS, NRPA, Solution, Solver, solve

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    # Compiled functions carry no annotations, so their types are given here.
    def random_float(rng: NDArray[np.uint64]) -> float:
        """A number from 0 to 1, 1 excluded, for use in rules and policies."""

    def random_below(rng: NDArray[np.uint64], n: int) -> int:
        """A whole number from 0 to n - 1, for use in rules and policies."""

    def normal(rng: NDArray[np.uint64]) -> float:
        """A number from the standard normal distribution, for use in rules and policies."""

    random = random_float
else:
    from .core.rng import random_below, random_float
    from .core.rng import random_float as random
    from .core.rng import random_normal as normal

__all__ = [
    "ABMCTS",
    "CHANCE",
    "GENERATE",
    "GRAVE",
    "NMCS",
    "NRPA",
    "PUCT",
    "TERMINAL",
    "UCBV",
    "UCT",
    "ActionError",
    "ActionStats",
    "All",
    "Answer",
    "Backup",
    "Best",
    "BusyError",
    "Call",
    "CallEstimate",
    "Change",
    "Choice",
    "EdgeScore",
    "EvaluatorError",
    "Expansion",
    "Falling",
    "FileError",
    "Finding",
    "Forced",
    "Game",
    "GameError",
    "GeneratePolicy",
    "GeneratedNode",
    "GeneratedResult",
    "GeneratedSearch",
    "GeneratingNode",
    "GeneratorError",
    "GeneratorStats",
    "Gumbel",
    "Halving",
    "ImplicitMinimax",
    "Improved",
    "Leaf",
    "Mean",
    "Mixed",
    "Network",
    "Node",
    "Noise",
    "OneAtATime",
    "Outside",
    "Pace",
    "Parent",
    "PartReport",
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
    "Solution",
    "Solver",
    "Spend",
    "Static",
    "Step",
    "Thompson",
    "TorchNetwork",
    "TreeStats",
    "UCB1Tuned",
    "Widening",
    "__version__",
    "act",
    "check_game",
    "check_part",
    "from_chess",
    "from_gymnasium",
    "from_openspiel",
    "from_pettingzoo",
    "games",
    "gym_env",
    "judge",
    "normal",
    "openspiel_bot",
    "pettingzoo_env",
    "preset",
    "proposer",
    "random",
    "random_below",
    "random_float",
    "solve",
    "widget",
    "wrap",
]
