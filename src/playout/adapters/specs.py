"""Environments by name, for the command line: `gym:FrozenLake-v1`, `pettingzoo:connect_four_v3`, `openspiel:hex`."""

import ast
import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable
from typing import Any

from playout.common.arguments import did_you_mean
from playout.errors import GameError
from playout.game import Game
from playout.games import add_source

from .gymnasium import SAMPLES, GymAdapter
from .openspiel import from_openspiel
from .packages import package
from .pettingzoo import from_pettingzoo

CALL = re.compile(r"(?P<name>[^()]+)(\((?P<arguments>.*)\))?$", re.DOTALL)


def _split(spec: str, text: str) -> tuple[str, dict[str, Any]]:
    """A name and its arguments, as in `FrozenLake-v1(map_name=8x8,is_slippery=False)`."""
    found = CALL.match(text.strip())
    if found is None:
        raise GameError("this is not an environment; expected NAME or NAME(argument=value,…)")
    arguments: dict[str, Any] = {}
    for part in filter(None, (found["arguments"] or "").split(",")):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            raise GameError(f"it has the argument '{part}', expected argument=value")
        try:
            arguments[name.strip()] = ast.literal_eval(value.strip())
        except (ValueError, SyntaxError):
            arguments[name.strip()] = value.strip()
    return found["name"].strip(), arguments


def gymnasium_maker(spec: str, text: str) -> Callable[..., Game]:
    """What makes the game of `gym:NAME`."""

    def make(seed: int = 0, discount: float = 1.0, horizon: int = 0, depth: int = 0, samples: int = SAMPLES) -> Game:
        gym = package("gymnasium", spec)
        name, arguments = _split(spec, text)
        try:
            found = gym.spec(name)
        except gym.error.Error as error:
            hint = did_you_mean(name, list(gym.registry), "gym:{}")
            raise GameError(f"Gymnasium has no environment {name} ({_line(error)}){hint}") from None
        try:
            env = gym.make(found, **arguments)
        except Exception as error:  # noqa: BLE001  # the environment's own code
            raise GameError(f"it can't be made: {_line(error)}") from None
        _, info = env.reset(seed=seed)
        adapter = GymAdapter(
            env,
            discount=discount,
            horizon=horizon or None,
            depth=depth or None,
            samples=samples,
            seed=seed,
            info=info,
        )
        return adapter.game(env, info)

    return make


def pettingzoo_maker(spec: str, text: str) -> Callable[..., Game]:
    """What makes the game of `pettingzoo:NAME`, a module of one of PettingZoo's families."""

    def make(seed: int = 0) -> Game:
        package("pettingzoo", spec)
        name, arguments = _split(spec, text)
        places = [f"pettingzoo.{family}.{name}" for family in ("classic", "butterfly", "mpe", "sisl", "atari")]
        place = next((p for p in places if _exists(p)), None)
        if place is None:
            raise GameError(f"PettingZoo has no environment {name}, as pettingzoo:connect_four_v3 is one")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # newer versions have a registry, older ones don't
                env = importlib.import_module(place).env(**arguments)
            env.reset(seed=seed)
        except ModuleNotFoundError as error:
            wanted = "playout[pettingzoo]" if place.startswith("pettingzoo.classic.") else error.name
            raise GameError(f"it needs {error.name}, which is not installed: pip install '{wanted}'") from None
        except Exception as error:  # noqa: BLE001  # the environment's own code
            raise GameError(f"it can't be made: {_line(error)}") from None
        return from_pettingzoo(env, seed=seed, start=seed)

    return make


def openspiel_maker(spec: str, text: str) -> Callable[..., Game]:
    """What makes the game of `openspiel:NAME(parameters)`; OpenSpiel reads the parameters itself."""

    def make() -> Game:
        package("pyspiel", spec)
        return from_openspiel(text.strip())

    return make


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # a family may have moved to another package
        return False


def _line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def register() -> None:
    """Make these names known wherever a game is loaded by its name."""
    add_source("gym", gymnasium_maker)
    add_source("pettingzoo", pettingzoo_maker)
    add_source("openspiel", openspiel_maker)
