"""What there is to choose from: the games this server knows, the presets, the settings of the search."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from playout import games
from playout.core.watch import as_exception
from playout.errors import GameError, SettingsError
from playout.faults import described
from playout.game import Game
from playout.options import OPTIONS, flat
from playout.settings import PRESETS, preset, preset_for

from .refusals import Refusal, game_may_fail
from .views import unpadded

PARTS = ("priors", "evaluate", "playout_action", "chance_outcomes")


class Catalogue:
    """The built-in games, and those that the server was started with. No other can be named by a client."""

    def __init__(self, own: Sequence[str] = (), networks: Sequence[str] = ()) -> None:
        self.networks = tuple(networks)
        for file in networks:
            if not Path(file).is_file():
                raise SettingsError(f"--network {file}: there is no such file")
        self._own: dict[str, type[Game] | games.Maker] = {}
        self._starts: dict[str, tuple[str, str]] = {}  # found once: a rule that never returns takes its seconds once
        for spec in own:
            found = games.find(spec)
            title = found().title  # what is wrong with the class is said now
            if title in self._own or title in games.names():
                raise GameError(f"--game {spec}: there is a game '{title}' already; give the class another `name`")
            preset_for(found())
            self._own[title] = found
            self._starts[title] = _start(found())

    def names(self) -> list[str]:
        return [*games.names(), *self._own]

    def load(self, name: str, settings: Mapping[str, Any] | None = None) -> Game:
        """A game by its name, with settings; unknown names are refused, whatever they look like."""
        given = {key: tuple(v) if isinstance(v, list) else v for key, v in (settings or {}).items()}
        if name in self._own:
            with game_may_fail(self._own[name]):
                return self._own[name](**given)
        if name in games.names():
            return games.load(name, **given)
        raise Refusal(
            404, "unknown_game", f"no game '{name[:80]}' (there are: {', '.join(self.names())}); `--game` adds one"
        )

    def describe_games(self) -> list[dict[str, Any]]:
        return [self._describe(name) for name in self.names()]

    def _describe(self, name: str) -> dict[str, Any]:
        game = self.load(name)
        about = inspect.getdoc(type(game)) or ""
        built_in = name not in self._own
        position, fault = _start(game) if built_in else self._starts[name]
        about = fault or about
        return {
            "game": name,
            "description": games.describe(name) if built_in else about.partition("\n")[0],
            "about": about,
            "players": game.players,
            "preset": preset_for(game),
            "range": list(game.range) if game.range else None,
            "built_in": built_in,
            "settings": [_setting(game, key) for key in game.settings if _is_numeric(game, key)],
            "position": position,
            "parts": [part for part in PARTS if game.has(part)],
        }


def _start(game: Game) -> tuple[str, str]:
    """The text of the start, and why there is none: the others can still be used."""
    try:
        return game.position().text, ""
    except BaseException as raised:  # a user's game may raise anything
        error = as_exception(raised)
        if not isinstance(error, Exception):
            raise
        return "", f"does not work: {described(error)}"


def _field(game: Game, key: str) -> np.dtype[Any]:
    """The type of a setting: a field of the state, or an argument that a Python object is made with."""
    if game.keeps_objects:
        default = np.array(game.settings[key])
        return np.dtype((default.dtype, default.shape))
    return game.dtype[key]


def _is_numeric(game: Game, key: str) -> bool:
    return _field(game, key).base.kind in "iuf"


def _setting(game: Game, key: str) -> dict[str, Any]:
    field, default = _field(game, key), game.settings[key]
    kind = "integer" if np.issubdtype(field.base, np.integer) else "number"
    return {
        "name": key,
        "default": unpadded(default),
        "type": f"{kind}s" if field.shape else kind,
        "most": int(field.shape[0]) if field.shape else None,
    }


def describe_presets() -> list[dict[str, Any]]:
    return [
        {"preset": name, "description": found.description, "options": flat(preset(name))}
        for name, found in PRESETS.items()
    ]


def describe_settings(networks: Sequence[str] = ()) -> list[dict[str, Any]]:
    defaults = flat(preset("default"))
    found = []
    for name, option in OPTIONS.items():
        if isinstance(option.values, Mapping):
            words, number = list(option.values), "number" if option.number else None
        elif option.values is str:  # a network's file: the game's own, or one that the server was started with
            words, number = ["", *networks], None
        else:
            words, number = [], "integer" if option.values is int else "number"
        found.append(
            {
                "name": name,
                "meaning": option.meaning,
                "words": words,
                "number": number,
                "default": defaults[name],
                "part": option.part,
                "kinds": list(option.kinds),
            }
        )
    return found


def option_texts(given: Mapping[str, Any]) -> dict[str, str]:
    """Options as a client gives them, in the words of the command line."""
    return {
        name: ("on" if value else "off") if isinstance(value, bool) else str(value) for name, value in given.items()
    }
