"""The games that come with Playout, found by name, and games of a user's own, found by file or module.

A game is imported when it is asked for and compiled when it is first searched; importing this costs nothing. A name in
a file may also be a function or a class that gives a Python object, which is wrapped (`playout.game.wrap`).
"""

import ast
import importlib
import importlib.abc
import importlib.util
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from playout.common import sources
from playout.common.arguments import did_you_mean, refuses_unknown_names, whole_text
from playout.errors import GameError, PlayoutError, SettingsError
from playout.game import Game
from playout.game.faults import call_python
from playout.game.wrap import ObjectGame, can_wrap, missing_methods, wrap
from playout.parts.part import Part

__all__ = ["describe", "find", "load", "names"]

OWN_GAME = "a game of your own is file.py:Class or module:Class"
KINDS: dict[Any, str] = {bool: "on or off", tuple: "values as in 1,2,3", int: "a whole number", float: "a number"}
WORDS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


def names() -> list[str]:
    """The built-in games, each a module or a folder here.

    >>> "connect4" in names()
    True
    """
    return sorted(found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_"))


def describe(name: str) -> str:
    """A built-in game in one line: the first of its module's docstring, read without importing it.

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


@refuses_unknown_names
def load(spec: str, **settings: Any) -> Game:
    """The game that is called so, with these settings: a built-in name, `file.py:Class` or `module:Class`.

    The name may also be that of a function or a class that gives an object for `po.wrap`; its arguments are the
    settings.
    """
    return find(spec)(**settings)


def load_again(spec: str, settings: dict[str, Any]) -> Game:
    """The same game in another process."""
    return load(spec, **settings)


def as_game(given: Any, caller: str) -> Game:
    """The game that a caller got: itself, or one that is named as in `load`."""
    if isinstance(given, Game):
        return given
    if isinstance(given, str):
        return load(given)
    expected = f"{given.__name__}()" if isinstance(given, type) else "a Game, a game's name, or po.wrap(object)"
    raise GameError(f"{caller} got {given!r:.80}, expected {expected}")


def find(spec: str) -> "type[Game] | Maker":
    """What makes the game of a built-in name, `file.py:name` or `module:name`; `GameError` says why nothing does."""
    if not isinstance(spec, str):
        raise GameError(f"got {spec!r}, expected a game's name ({', '.join(names())}), file.py:Class or module:Class")
    parts = sources.split(spec)
    if parts is None:
        if spec.strip().endswith(".py"):
            raise GameError(f"'{spec}' names no class; write {spec.strip()}:Class, with the name of the game's class")
        name = spec.strip().lower()
        _check_name(name)
        module = importlib.import_module(f"{__name__}.{name}")
        return next(game for game in _classes(module) if game.name == name)
    place, name = parts
    if not place or not name or ":" in place[2:]:  # a drive has one, too
        raise GameError(
            f"'{spec}' is no game; expected a built-in name ({', '.join(names())}), file.py:Class or module:Class"
        )
    module, spec = sources.load(place, name, spec, GameError)
    return _named(module, name, place, spec)


class Maker:
    """A function, a class or an object in a user's file that gives an object to be wrapped, or a game."""

    perft_settings: Mapping[str, Any] = {}

    def __init__(self, thing: Any, spec: str) -> None:
        self.thing, self.spec = thing, spec
        self.name = self.__name__ = spec.rpartition(":")[2]
        self.__module__, self.__doc__ = getattr(thing, "__module__", ""), inspect.getdoc(thing)
        self.makes = inspect.isclass(thing) or inspect.isroutine(thing)

    def __call__(self, **settings: Any) -> Game:
        if self.is_part:
            role = self.thing._role
            raise GameError(
                f"{self.spec} is a {role}, expected a game; `playout doctor` checks it, and "
                f"Settings({role}={self.name}()) searches with it"
            )
        values = {**self.settings, **self._checked(settings)}
        made = call_python(f"{self.spec}: {self.name}()", self._make, values) if self.makes else self.thing
        if isinstance(made, Game) and not isinstance(made, ObjectGame):
            return made
        if made is None:
            raise GameError(f"{self.spec}: {self.name}() returned None, expected an object for po.wrap, or a Game")
        try:
            game = made if isinstance(made, ObjectGame) else call_python("a method", wrap, made)
        except GameError as error:
            what = f"{self.name}()" if self.makes else self.name
            raise GameError(f"{self.spec}: {what} is no game: {error}") from None
        game.became(self.spec, self.settings, values, load_again)
        return game

    @property
    def is_part(self) -> bool:
        """Whether it is the class of a policy or a backup, and makes no game."""
        return inspect.isclass(self.thing) and issubclass(self.thing, Part)

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments that have a default, with it."""
        return {n: p.default for n, p in self._parameters().items() if p.default is not p.empty}

    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        try:
            given = inspect.signature(self.thing).parameters if self.makes else {}
        except (TypeError, ValueError):  # what is written in C may have none
            given = {}
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {name: parameter for name, parameter in given.items() if parameter.kind in named}

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as arguments; a text becomes a value like the default, or as the annotation says."""
        there = self._parameters()
        for name in settings:
            if name not in there:
                known = f"(there are: {', '.join(there) or 'none'})"
                raise SettingsError(f"{self.spec}: no setting '{name}' {known}{did_you_mean(name, there)}")
        missing = [n for n, p in there.items() if p.default is p.empty and n not in settings]
        if missing:
            raise SettingsError(
                f"{self.spec}: {self.name}() needs '{missing[0]}'; give it a default there, or say --set {missing[0]}=…"
            )
        return {name: _value(self.spec, there[name], value) for name, value in settings.items()}

    def _make(self, values: Mapping[str, Any]) -> Any:
        try:
            return self.thing(**values)
        except PlayoutError as error:
            raise type(error)(f"{self.spec}: {error}") from None


def _value(spec: str, parameter: inspect.Parameter, value: Any) -> Any:
    """A setting in the type of its annotation or its default: a text from the command line is read, 9.7 is no int."""
    default, kind = parameter.default, parameter.annotation
    kind = {"int": int, "float": float, "bool": bool}.get(kind, kind) if isinstance(kind, str) else kind
    if kind not in tuple(KINDS) and default is not parameter.empty and default is not None:
        kind = type(default)
    is_number = isinstance(value, float | np.floating) and kind is int
    if kind not in tuple(KINDS) or not (isinstance(value, str) or is_number):
        return value
    try:
        if kind is bool:
            return WORDS[value.strip().lower()]
        if kind is tuple:
            return tuple(type(default[0])(part) if default else int(part) for part in value.split(","))
        return whole_text(str(value)) if kind is int else kind(value)
    except (KeyError, ValueError):
        raise SettingsError(f"{spec}: setting '{parameter.name}' is {value!r}, expected {KINDS[kind]}") from None


def _check_name(name: str) -> None:
    known = names()
    if not isinstance(name, str):
        raise GameError(f"a game's name is {name!r:.80}, expected a text such as '{known[0]}'")
    if name in known:
        return
    raise GameError(f"no game '{name}' (there are: {', '.join(known)}; {OWN_GAME}){did_you_mean(name, known)}")


def _classes(module: ModuleType) -> list[type[Game]]:
    """The games that a module defines, not those that it imports."""
    found = [v for v in vars(module).values() if inspect.isclass(v) and issubclass(v, Game) and v is not Game]
    return [game for game in found if game.__module__ == module.__name__]


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
        if missing and not Maker(found, spec).is_part:
            raise GameError(
                f"{place}:{name} is not derived from playout.Game; write `class {name}(playout.Game)`, or, for a "
                f"Python object, define {missing} ({there})"
            )
        return Maker(found, spec)
    if inspect.isroutine(found) or can_wrap(found) or isinstance(found, Game):
        return Maker(found, spec)
    raise GameError(
        f"{place}:{name} is a {type(found).__name__}, expected a class derived from playout.Game, or a function or "
        f"class that gives an object for po.wrap ({there})"
    )
