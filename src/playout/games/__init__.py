"""The registry of games: built-in ones and those of installed packages by name, users' own by file or module.

A game is imported when it is loaded and compiled when it is first searched; importing this package loads none. A name
in a file may also be a function or a class that gives a Python object, which is wrapped (`playout.game.wrap`).
"""

import ast
import importlib
import importlib.abc
import importlib.util
import inspect
import pkgutil
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from playout.common import plugins, sources
from playout.common.arguments import did_you_mean, refuses_unknown_names
from playout.common.raised import described
from playout.errors import GameError
from playout.game import Game
from playout.game.wrap import can_wrap, missing_methods

from ._maker import Maker

__all__ = ["Maker", "add_source", "describe", "find", "installed", "load", "names"]

_sources: dict[str, Callable[[str, str], Callable[..., Game]]] = {}  # by the word before the colon
OWN_GAME = "a game of your own is file.py:Class or module:Class"


def names() -> list[str]:
    """The built-in games, each a folder here.

    >>> "connect4" in names()
    True
    """
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))


def installed() -> list[str]:
    """The names of games that installed packages offer by entry points of the group `playout.games`."""
    return plugins.others(plugins.GAMES, names())


def offered() -> dict[str, type[Game] | Maker | str]:
    """The games of installed packages by name; in one line what is wrong with those that can't be used."""
    found: dict[str, type[Game] | Maker | str] = {}
    for name in installed():
        try:
            made = find(name)
            made()  # a faulty class raises here
            found[name] = made
        except Exception as error:  # noqa: BLE001  # code of another package
            what = str(error) if isinstance(error, GameError) else described(error)
            found[name] = f"game '{name}' of {plugins.packages_of(plugins.GAMES, name)} can't be used: {what}"
    return found


def describe(name: str) -> str:
    """A built-in game in one line: the first line of its docstring, read without importing it.

    >>> describe("tictactoe")
    'Tic-tac-toe: three in a row on a board of nine cells.'
    """
    _check_name(name)
    return _summary(name)


@cache
def _summary(name: str) -> str:
    spec = importlib.util.find_spec(f"{__name__}.{name}")
    source = (
        spec.loader.get_source(spec.name) if spec and isinstance(spec.loader, importlib.abc.InspectLoader) else None
    )
    docstring = ast.get_docstring(ast.parse(source or "")) or ""
    return docstring.partition("\n")[0]


def add_source(word: str, maker: Callable[[str, str], Callable[..., Game]]) -> None:
    """Make `word:text` the name of a game: `maker(spec, text)` gives a function of its settings that makes it."""
    _sources[word] = maker


@refuses_unknown_names
def load(spec: str, **settings: Any) -> Game:
    """Load a game by name, with these settings: a built-in name, one of an installed package, `file.py:Class` or
    `module:Class`.

    In a file or module, the name may also be that of a function or a class that gives an object for `po.wrap`; its
    arguments are the settings.
    """
    return find(spec)(**settings)


def load_again(spec: str, settings: dict[str, Any]) -> Game:
    """Load a game in another process; a pickled game of Python objects names this function."""
    return load(spec, **settings)


def as_game(given: Game | str, caller: str) -> Game:
    """The game that a caller was given: a `Game`, or a name as in `load`."""
    if isinstance(given, Game):
        return given
    if isinstance(given, str):
        return load(given)
    expected = f"{given.__name__}()" if isinstance(given, type) else "a Game, a game's name, or po.wrap(object)"
    raise GameError(f"{caller} got {given!r:.80}, expected {expected}")


def find(spec: str) -> type[Game] | Maker:
    """The class or `Maker` of a built-in name, `file.py:name` or `module:name`; `GameError` says what is wrong."""
    if not isinstance(spec, str):
        raise GameError(f"got {spec!r}, expected a game's name ({', '.join(names())}), file.py:Class or module:Class")
    word, _, text = spec.strip().partition(":")
    if text and word in _sources:
        return Maker(_sources[word](spec.strip(), text), spec.strip(), load_again)
    parts = sources.split(spec)
    if parts is None:
        if spec.strip().endswith(".py"):
            raise GameError(f"'{spec}' has no class; write {spec.strip()}:Class, with the name of the game's class")
        name = spec.strip().lower()
        if name in names() or name not in plugins.installed(plugins.GAMES):
            _check_name(name)
            module = importlib.import_module(f"{__name__}.{name}")
            return next(game for game in _classes(module) if game.name == name and not game.form)
        spec = plugins.spec_of(plugins.GAMES, name, GameError)
        parts = sources.split(spec)
        assert parts is not None
    place, name = parts
    if not place or not name or ":" in place[2:]:  # the colon of a Windows drive is allowed
        raise GameError(
            f"'{spec}' is not a game; expected a built-in name ({', '.join(names())}), file.py:Class or module:Class"
        )
    module, spec = sources.load(place, name, spec, GameError)
    return _named(module, name, place, spec)


def _check_name(name: str) -> None:
    known = names()
    if not isinstance(name, str):
        raise GameError(f"a game's name is {name!r:.80}, expected a text such as '{known[0]}'")
    if name in known:
        return
    known += installed()
    raise GameError(f"no game '{name}' (there are: {', '.join(known)}; {OWN_GAME}){did_you_mean(name, known)}")


def _classes(module: ModuleType) -> list[type[Game]]:
    """The games that a module or a package defines, without those it imports from elsewhere."""
    found = [v for v in vars(module).values() if inspect.isclass(v) and issubclass(v, Game) and v is not Game]
    return [game for game in found if f"{game.__module__}.".startswith(f"{module.__name__}.")]


def _named(module: ModuleType, name: str, place: str, spec: str) -> type[Game] | Maker:
    known = [game.__name__ for game in _classes(module)]
    there = f"there: {', '.join(known)}" if known else "no class there is derived from playout.Game"
    if not hasattr(module, name):
        hint = did_you_mean(name, known or [n for n in vars(module) if not n.startswith("_")], f"{place}:{{}}")
        raise GameError(f"no '{name}' in {place} ({there}){hint}")
    found = getattr(module, name)
    if inspect.isclass(found) and issubclass(found, Game) and found is not Game:
        return found
    if inspect.isclass(found):
        missing = missing_methods(found)
        if missing and not Maker(found, spec, load_again).is_part:
            raise GameError(
                f"{place}:{name} is not derived from playout.Game; write `class {name}(playout.Game)`, or, for a "
                f"Python object, define {missing} ({there})"
            )
        return Maker(found, spec, load_again)
    if inspect.isroutine(found) or can_wrap(found) or isinstance(found, Game):
        return Maker(found, spec, load_again)
    raise GameError(
        f"{place}:{name} is a {type(found).__name__}, expected a class derived from playout.Game, or a function or "
        f"class that gives an object for po.wrap ({there})"
    )
