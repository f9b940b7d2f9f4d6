"""Players as text, such as `textbook,n=1000`, `random` or `uci:stockfish?UCI_Elo=1500,t=0.1`, read and checked."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from playout.common.arguments import did_you_mean
from playout.errors import PlayoutError, SettingsError
from playout.game import Game
from playout.search.limits import Limits
from playout.settings import BEST, PRESETS, Settings, preset_for
from playout.settings.options import LIMITS, OPTIONS, make_settings

from .clock import Clock
from .engine import find_program
from .fingerprints import fingerprints_of_settings

RANDOM, GREEDY, SEARCH, UCI = "random", "greedy", "search", "uci"
WITHOUT_LIMITS = (RANDOM, GREEDY)
EXAMPLES = "default, textbook,n=1000, policy=puct,c=2,t=0.5, random, greedy, or uci:stockfish?UCI_Elo=1500,t=0.1"
SECONDS = 1.0  # a move, where no limit is given
VALUE = re.compile(r"\s*([-+.\d][-+.\de]*|on|off|true|false|yes|no)\s*(,|$)", re.IGNORECASE)  # of a setting


@dataclass(frozen=True)
class Spec:
    """A player as it was asked for; it can be sent to another process. `name` is what tables and records show."""

    name: str
    kind: str
    settings: Settings = field(default_factory=Settings)
    simulations: int | None = None
    seconds: float | None = None
    command: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All that identifies the player: a match is resumed only with the same players."""
        found: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.kind == SEARCH:
            found["settings"] = self.settings.to_dict()
            if sources := fingerprints_of_settings(self.settings):
                found["sources"] = sources
        if self.kind == UCI:
            found |= {"command": list(self.command), "options": [list(o) for o in self.options]}
        return found | {"simulations": self.simulations, "seconds": self.seconds}


def read_specs(players: str | Settings | Spec | Sequence[str | Settings | Spec], game: Game) -> list[Spec]:
    """The players that a caller gives: a list of them, or a single one."""
    several: Sequence[Any] = players if isinstance(players, list | tuple) else [players]
    if not several:
        raise SettingsError(f"no player given, expected some as in {EXAMPLES}")
    return [read_spec(player, game) for player in several]


def read_spec(text: str | Settings | Spec, game: Game | None = None) -> Spec:
    """The player that a text names; `SettingsError` says what is wrong with it.

    A text without a preset means the game's own, or `default` where no game is given.
    """
    if isinstance(text, Spec):
        return text
    if isinstance(text, Settings):
        return Spec("settings", SEARCH, text)
    if not isinstance(text, str):
        raise SettingsError(f"player is {text!r:.80}, expected Settings or a text as in {EXAMPLES}")
    body, name = text.strip(), text.strip()
    if labelled := re.fullmatch(r"([\w. +-]+)=(.*)", body, re.DOTALL):
        word = labelled[1].strip().lower().replace("-", "_")
        player = re.match(rf"uci:|({'|'.join((*WITHOUT_LIMITS, BEST, *PRESETS))})\s*(,|$)", labelled[2].strip().lower())
        setting = word in OPTIONS or word in LIMITS or VALUE.match(labelled[2])  # perhaps of a user's policy
        if player or not setting:
            name, body = labelled[1].strip(), labelled[2].strip()
    if not body:
        raise SettingsError(f"player '{text}' is empty, expected one as in {EXAMPLES}")
    try:
        return spec_of(name, body, game, "default" if game is None else BEST)
    except PlayoutError as error:
        raise SettingsError(f"player '{text}': {error}") from None


def spec_of(name: str, text: str, game: Game | None, preset: str) -> Spec:
    """The player of a text without a name; `preset` is what its settings change where it names none."""
    if text.lower() in WITHOUT_LIMITS:
        return Spec(name, text.lower())
    return _read_uci(name, text) if text.lower().startswith("uci:") else _read_search(name, text, game, preset)


def _read_search(name: str, text: str, game: Game | None, preset: str) -> Spec:
    given = dict[str, str]()
    for i, part in enumerate(text.split(",")):
        key, equals, value = (word.strip() for word in part.partition("="))
        if equals and not key:
            raise SettingsError(f"'{part}' has no name, expected NAME=VALUE as in {EXAMPLES}")
        if not equals:
            if i:
                raise SettingsError(f"'{part}' is not NAME=VALUE, expected as in {EXAMPLES}")
            if key.lower() in WITHOUT_LIMITS:
                raise SettingsError(f"{key} takes no settings and no limits; write {key} alone")
            if key not in (BEST, *PRESETS):
                hint = did_you_mean(key, (*PRESETS, *WITHOUT_LIMITS)) or f"; expected as in {EXAMPLES}"
                raise SettingsError(f"no preset '{key}' (there are: {', '.join(PRESETS)}){hint}")
            preset = key
        elif key in given:
            raise SettingsError(f"'{key}' is given twice")
        else:
            given[key] = value
    limits = _read_limits(given)
    if game is not None:
        preset = preset_for(game, preset)
    return Spec(name, SEARCH, make_settings(preset, given), *limits)


def _read_uci(name: str, text: str) -> Spec:
    found = re.fullmatch(r"uci:(.*?)((?:,\s*(?:n|nodes|t)\s*=[^,]*)*)", text, re.DOTALL | re.IGNORECASE)
    assert found  # the last part may be empty
    pairs = [part.partition("=") for part in found[2].split(",")[1:]]
    given = {key.strip().lower(): value.strip() for key, _, value in pairs}
    if "nodes" in given:  # the engines' own word for what our searches count as simulations
        if "n" in given:
            raise SettingsError("'n' and 'nodes' are the same; give one of them")
        given["n"] = given.pop("nodes")
    limits = _read_limits(given)
    line, _, query = found[1].partition("?")
    try:
        command = shlex.split(line)
    except ValueError as error:
        raise SettingsError(f"can't read the command '{line}': {error}") from None
    if not command:
        raise SettingsError("no command, expected as in uci:stockfish or 'uci:gnuchess --uci'")
    program = find_program(command[0])
    if program is None:
        raise SettingsError(f"there is no program '{command[0]}', neither on the PATH nor in /usr/games; install it")
    options = []
    for part in query.split("&") if query else []:
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise SettingsError(f"'{part}' is not an option of an engine, expected NAME=VALUE&NAME=VALUE after the ?")
        options.append((unquote(key.strip()), unquote(value)))
    return Spec(name, UCI, Settings(), *limits, (program, *command[1:]), tuple(options))


def _read_limits(given: dict[str, str]) -> tuple[int | None, float | None]:
    """Take n and t out of what was given."""
    simulations = seconds = None
    if (text := given.pop("n", None)) is not None:
        try:
            simulations = int(float(text)) if float(text) == int(float(text)) else 0
        except (ValueError, OverflowError):
            simulations = 0
        if simulations < 1:
            raise SettingsError(f"n is '{text}', expected a whole number of simulations (or nodes) of at least 1")
    if (text := given.pop("t", None)) is not None:
        try:
            seconds = float(text)
        except ValueError:
            seconds = 0.0
        if not 0 < seconds < 1e6:
            raise SettingsError(f"t is '{text}', expected a number of seconds above 0")
    return simulations, seconds


def complete(specs: list[Spec], simulations: int | None, seconds: float | None, clock: Clock | None) -> list[Spec]:
    """Give players without limits the common ones, and make the names unique."""
    if clock is None and simulations is None and seconds is None:
        seconds = SECONDS
    if simulations is not None or seconds is not None:
        Limits(simulations, seconds)
    found: list[Spec] = []
    for spec in specs:
        if spec.kind not in WITHOUT_LIMITS and spec.simulations is None and spec.seconds is None:
            spec = replace(spec, simulations=simulations, seconds=seconds)
        name, number = spec.name, 1
        while name in [other.name for other in found]:
            number += 1
            name = f"{spec.name} ({number})"
        found.append(replace(spec, name=name))
    return found
