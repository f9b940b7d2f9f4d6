"""Fingerprints of users' code and networks, for results files: what was edited plays its own games.

What comes with Playout has none: its results are kept from version to version. Comments and lines make no difference.
"""

import hashlib
from pathlib import Path
from typing import Any

from playout import games
from playout.core.references import fingerprint, is_users_own, own_functions
from playout.game import Game
from playout.game.wrap.game import ObjectGame
from playout.settings import Network, Outside, Settings


def fingerprint_of_game(game: Game) -> str | None:
    """Of a user's game, or of the objects that it plays with and what makes them; None: it comes with Playout."""
    if not isinstance(game, ObjectGame):
        return _of_code(type(game))
    makers = []
    if game.source is not None and isinstance(game.source[1][0], str):
        makers = [getattr(games.find(game.source[1][0]), "thing", None)]
    return _of_code(type(game.object), *makers)


def fingerprints_of_settings(settings: Settings) -> dict[str, str]:
    """Of the users' policy, backup and evaluator, and of a network's file, by the name of the setting."""
    evaluator = settings.evaluator
    found = {"policy": _of_code(type(settings.policy)), "backup": _of_code(type(settings.backup))}
    if isinstance(evaluator, Network) and evaluator.file:
        found["evaluator"] = _of_file(Path(evaluator.file))
    elif isinstance(evaluator, Outside):
        found["evaluator"] = _of_code(evaluator.function, type(evaluator.function))
    return {name: value for name, value in found.items() if value is not None}


def _of_code(*things: Any) -> str | None:
    """Of the users' classes and functions among these; None where there are none."""
    own = [thing for thing in things if _is_users(getattr(thing, "py_func", thing))]
    return fingerprint(own, places=False) if own else None


def _is_users(thing: Any) -> bool:
    if isinstance(thing, type):
        return any(own_functions(base) for base in thing.__mro__)
    return hasattr(thing, "__code__") and is_users_own(thing)


def _of_file(path: Path) -> str | None:
    """Of a file's bytes; None where it can't be read."""
    try:
        return hashlib.sha256(path.expanduser().read_bytes()).hexdigest()
    except OSError:
        return None
