"""`Maker`: a function, a class or an object in a user's file, called with settings to get a game."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from playout.common.arguments import did_you_mean, whole_text
from playout.errors import GameError, PlayoutError, SettingsError
from playout.game import Game
from playout.game.faults import call_python
from playout.game.wrap import ObjectGame, wrap
from playout.parts.part import Part

KINDS: dict[Any, str] = {bool: "on or off", tuple: "values as in 1,2,3", int: "a whole number", float: "a number"}
WORDS = {"on": True, "true": True, "yes": True, "1": True, "off": False, "false": False, "no": False, "0": False}


class Maker:
    """Makes a game from a function, a class or an object in a user's file.

    Calling it gives the game: what `thing` returns, wrapped if it is not a `Game`. `again` loads the same game from its
    spec and settings in another process.
    """

    perft_settings: Mapping[str, Any] = {}

    def __init__(self, thing: Any, spec: str, again: Callable[[str, dict[str, Any]], Game]) -> None:
        self.thing, self.spec, self.again = thing, spec, again
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
            raise GameError(f"{self.spec}: {what} is not a game: {error}") from None
        game.became(self.spec, self.settings, values, self.again)
        return game

    @property
    def is_part(self) -> bool:
        """Whether it is the class of a policy or a backup, not of a game."""
        return inspect.isclass(self.thing) and issubclass(self.thing, Part)

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments that have a default, with their defaults."""
        return {n: p.default for n, p in self._parameters().items() if p.default is not p.empty}

    def _parameters(self) -> Mapping[str, inspect.Parameter]:
        try:
            given = inspect.signature(self.thing).parameters if self.makes else {}
        except (TypeError, ValueError):  # C functions may have no signature
            given = {}
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return {name: parameter for name, parameter in given.items() if parameter.kind in named}

    def _checked(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Settings as arguments; text becomes a value of the annotated type, or of the type of the default."""
        there = self._parameters()
        for name in settings:
            if name not in there:
                known = f"(there are: {', '.join(there) or 'none'})"
                raise SettingsError(f"{self.spec}: no setting '{name}' {known}{did_you_mean(name, there)}")
        missing = [n for n, p in there.items() if p.default is p.empty and n not in settings]
        if missing:
            raise SettingsError(
                f"{self.spec}: {self.name}() needs '{missing[0]}'; give it a default there, or --set {missing[0]}=…"
            )
        return {name: _value(self.spec, there[name], value) for name, value in settings.items()}

    def _make(self, values: Mapping[str, Any]) -> Any:
        try:
            return self.thing(**values)
        except PlayoutError as error:
            said = str(error)
            raise type(error)(said if said.startswith(self.spec) else f"{self.spec}: {said}") from None


def _value(spec: str, parameter: inspect.Parameter, value: Any) -> Any:
    """A setting in the type of its annotation or its default: text is read, and 9.7 is refused for an int."""
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
