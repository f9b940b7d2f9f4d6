"""What a client can choose from: the server's games, the presets, the settings of the search."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from playout import games
from playout.common.raised import as_exception, described
from playout.errors import GameError, PlayoutError, SettingsError
from playout.evaluators import SHIPPED
from playout.game import Game, field_of
from playout.parts.part import Part, kind_of, load_part
from playout.settings import PRESETS, Network, Settings, preset_for
from playout.settings.kinds import SHIPPED as SHIPPED_HERE
from playout.settings.options import Option, default_of, flat, make_settings, options_with
from playout.settings.params import check_game

from .refusals import Refusal, game_may_fail
from .views import unpadded

PARTS = ("priors", "evaluate", "playout_action", "chance_outcomes")
FIRST = "tictactoe"  # the game of a visit, unless the server was started with one
NOT_HERE = ("roots",)  # settings that a session refuses: it shows one tree


class Catalogue:
    """The built-in games, and what the server was started with: games, networks, policies and backups. A client can't
    name anything else."""

    def __init__(self, own: Sequence[str] = (), networks: Sequence[str] = (), parts: Sequence[str] = ()) -> None:
        self.networks = (*sorted(f"{SHIPPED_HERE}{path.name}" for path in SHIPPED.glob("*.fast")), *networks)
        self.parts = {kind_of(part): part for part in (load_part(Part, spec) for spec in parts)}
        self.sources = {kind: inspect.getsource(part) for kind, part in self.parts.items()}
        for file in networks:
            if not Path(file).is_file():
                raise SettingsError(f"--network {file}: there is no such file")
        self._own: dict[str, type[Game] | games.Maker] = {}
        self._starts: dict[str, tuple[str, str]] = {}  # found once, since a rule that never returns takes seconds
        for spec in own:
            found = games.find(spec)
            title = found().title  # so that a faulty class is reported now
            if title in self._own or title in games.names():
                raise GameError(f"--game {spec}: there is a game '{title}' already; give the class another `name`")
            preset_for(found())
            self._own[title] = found
            self._starts[title] = _start(found())

        self.first = next(iter(self._own), FIRST)  # the game that a visit begins with

    def names(self) -> list[str]:
        """All games, the built-in ones first."""
        return [*games.names(), *self._own]

    def load(self, name: str, settings: Mapping[str, Any] | None = None) -> Game:
        """A game by its name, with settings; nothing is imported for a client."""
        given = {key: tuple(v) if isinstance(v, list) else v for key, v in (settings or {}).items()}
        if name in self._own:
            _refuse_files(self._own[name], given)
            with game_may_fail(self._own[name]):
                return self._own[name](**given)
        if name in games.names():
            _refuse_files(games.find(name), given)
            return games.load(name, **given)
        raise Refusal(
            404, "unknown_game", f"no game '{name[:80]}' (there are: {', '.join(self.names())}); `--game` adds one"
        )

    def find_part(self, base: type[Part], kind: str) -> type[Part]:
        """A policy or backup by its kind; nothing is imported for a client."""
        found = self.parts.get(kind)
        if found is None or not issubclass(found, base):
            there = ", ".join(name for name, part in self.parts.items() if issubclass(part, base)) or "none"
            raise SettingsError(
                f"no {base._role} '{kind[:200]}' here (of users' own there are: {there}); "
                f"`playout serve --part file.py:Class` adds one"
            )
        return found

    def make_settings(self, preset: str, given: Mapping[str, Any]) -> Settings:
        """Settings of a preset with options changed."""
        return make_settings(preset, given, find=self.find_part)

    @property
    def options(self) -> dict[str, Option]:
        """All options, those of the server's parts included."""
        return options_with(self.parts.values())

    def describe_games(self) -> list[dict[str, Any]]:
        """All games, as `GET /v1/games` shows them."""
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
            "player_names": list(game.player_names),
            "preset": preset_for(game),
            "presets": [name for name in PRESETS if _can_use(game, name)],
            "range": list(game.range) if game.range else None,
            "built_in": built_in,
            "settings": [_setting(game, key) for key in game.settings if _is_numeric(game, key) or _is_text(game, key)],
            "position": position,
            "parts": [part for part in PARTS if game.has(part)],
        }


def _can_use(game: Game, name: str) -> bool:
    """Whether a preset can be used with a game: it has what the settings need, and they are not another game's."""
    named = next((other for other in games.names() if other in name.split("-")), game.title)
    settings = PRESETS[name].settings
    if named != game.title:
        return False
    if isinstance(settings.evaluator, Network) and not settings.evaluator.file:
        return game.has("observe")
    try:
        check_game(settings, game)
    except PlayoutError:
        return False
    return True


def _start(game: Game) -> tuple[str, str]:
    """The text of the start, or "" and why it failed: the other games can still be used."""
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
    return field_of(type(game), key) or np.dtype(str)


def _is_numeric(game: Game, key: str) -> bool:
    return _field(game, key).base.kind in "iuf"


def _is_text(game: Game, key: str) -> bool:
    """Whether a setting is a text, such as a list of cities; of a Python object, texts can't be set here."""
    return not game.keeps_objects and isinstance(game.settings[key], str)


def _refuse_files(game: type[Game] | games.Maker, given: Mapping[str, Any]) -> None:
    """No request reads a file of the server."""
    for key, target in getattr(game, "files", {}).items():
        if key in given:
            raise SettingsError(
                f"setting '{key}' is for Python and the command line; give the file's content as '{target}' here"
            )


def _setting(game: Game, key: str) -> dict[str, Any]:
    field, default = _field(game, key), game.settings[key]
    if isinstance(default, str):
        return {"name": key, "default": default, "type": "text", "most": None}
    kind = "integer" if np.issubdtype(field.base, np.integer) else "number"
    return {
        "name": key,
        "default": unpadded(default),
        "type": f"{kind}s" if field.shape else kind,
        "most": int(field.shape[0]) if field.shape else None,
    }


def describe_presets() -> list[dict[str, Any]]:
    return [
        {
            "preset": name,
            "description": found.meaning.en,
            "translations": {"zh": {"description": found.meaning.zh}},
            "options": flat(found.settings),
        }
        for name, found in PRESETS.items()
    ]


def describe_settings(catalogue: Catalogue) -> list[dict[str, Any]]:
    """Every setting with what a form needs: its meaning in both languages, its words, bounds, unit and defaults."""
    options, values = catalogue.options, flat(Settings())
    return [_describe_setting(catalogue, options, values, name) for name in options if name not in NOT_HERE]


def _describe_setting(
    catalogue: Catalogue, options: Mapping[str, Option], values: Mapping[str, str], name: str
) -> dict[str, Any]:
    option, declared = options[name], options[name].declared
    defaults = {kind: default_of(options, name, kind) for kind in option.kinds}
    own_files = ["", *catalogue.networks]  # a network's file: the game's own, or one of those here
    least, most = declared.bounds
    chinese = {"meaning": declared.meaning.zh, "unit": declared.unit.zh if declared.unit else None}
    return {
        "name": name,
        "meaning": option.meaning,
        "unit": declared.unit.en if declared.unit else None,
        "translations": {"zh": chinese} if declared.meaning.zh else {},
        "words": own_files if declared.text else list(option.words),
        "number": declared.number or None,
        "least": least,
        "most": most,
        "above": declared.above is not None,
        "default": values.get(name) or next(iter(defaults.values()), ""),
        "defaults": defaults,
        "part": option.part,
        "kinds": list(option.kinds),
    }


def option_texts(given: Mapping[str, Any]) -> dict[str, str]:
    """Options given as JSON values, in the words of the command line."""
    return {
        name: ("on" if value else "off") if isinstance(value, bool) else str(value) for name, value in given.items()
    }
