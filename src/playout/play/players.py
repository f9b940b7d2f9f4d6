"""Who plays: a text such as `textbook,n=1000`, `random` or `uci:stockfish?UCI_Elo=1500,t=0.1`, and the player it names.

A `Spec` is what was written, checked and ready to be sent to another process; a `Player` sits at the board.
"""

import random
import re
import shlex
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from playout.common.arguments import did_you_mean
from playout.errors import PlayoutError, SettingsError
from playout.game import Game, Position
from playout.search import Search
from playout.search.limits import Limits
from playout.settings import BEST, PRESETS, Settings, preset_for
from playout.settings.options import LIMITS, OPTIONS, make_settings

from .engine import Engine, EngineError, find_program

RANDOM, GREEDY, SEARCH, UCI = "random", "greedy", "search", "uci"
WITHOUT_LIMITS = (RANDOM, GREEDY)
EXAMPLES = "default, textbook,n=1000, policy=puct,c=2,t=0.5, random, greedy, or uci:stockfish?UCI_Elo=1500,t=0.1"
SECONDS = 1.0  # a move, where nothing else is said
NO_TIME_LIMIT = 60.0  # seconds after which an engine that only has to count nodes is taken to hang
VALUE = re.compile(r"\s*([-+.\d][-+.\de]*|on|off|true|false|yes|no)\s*(,|$)", re.IGNORECASE)  # of a setting
MOVES_TO_GO = 25  # of its remaining time, our search takes this part for a move, and most of the increment


@dataclass(frozen=True)
class Spec:
    """A player as it was asked for. `name` is how tables and records call it."""

    name: str
    kind: str
    settings: Settings = field(default_factory=Settings)
    simulations: int | None = None
    seconds: float | None = None
    command: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What makes it this player and no other; a match goes on only with the same ones."""
        found: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.kind == SEARCH:
            found["settings"] = self.settings.to_dict()
        if self.kind == UCI:
            found |= {"command": list(self.command), "options": [list(o) for o in self.options]}
        return found | {"simulations": self.simulations, "seconds": self.seconds}


@dataclass(frozen=True)
class Clock:
    """Seconds for all moves of a player, and seconds added after each."""

    base: float
    increment: float = 0.0

    @classmethod
    def read(cls, text: str) -> "Clock":
        """`1+0.05`, or `60`.

        >>> Clock.read("1+0.05")
        Clock(base=1.0, increment=0.05)
        """
        found = re.fullmatch(r"\s*([\d.]+)\s*(?:\+\s*([\d.]+)\s*)?", text)
        try:
            clock = cls(float(found[1]), float(found[2] or 0)) if found else None
        except ValueError:
            clock = None
        if clock is None or not 0 < clock.base < 1e6 or not clock.increment < 1e6:
            raise SettingsError(f"clock is '{text}', expected seconds + increment, as in 1+0.05 or 60")
        return clock


class Forfeit(Exception):
    """A player loses by rule: `termination` in PGN's words, and the reason in full."""

    def __init__(self, termination: str, reason: str) -> None:
        super().__init__(reason)
        self.termination = termination


def read_specs(players: Any, game: Game) -> list[Spec]:
    """The players that a caller gives: several, or one by itself."""
    several = players if isinstance(players, list | tuple) else [players]
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
        setting = word in OPTIONS or word in LIMITS or VALUE.match(labelled[2])  # maybe of a policy of one's own
        if player or not setting:
            name, body = labelled[1].strip(), labelled[2].strip()
    if not body:
        raise SettingsError(f"player '{text}' says nothing, expected one as in {EXAMPLES}")
    try:
        if body.lower() in WITHOUT_LIMITS:
            return Spec(name, body.lower())
        return _read_uci(name, body) if body.lower().startswith("uci:") else _read_search(name, body, game)
    except PlayoutError as error:
        raise SettingsError(f"player '{text}': {error}") from None


def _read_search(name: str, text: str, game: Game | None) -> Spec:
    preset, given = "default" if game is None else BEST, dict[str, str]()
    for i, part in enumerate(text.split(",")):
        key, equals, value = (word.strip() for word in part.partition("="))
        if equals and not key:
            raise SettingsError(f"'{part}' has no name, expected NAME=VALUE as in {EXAMPLES}")
        if not equals:
            if i:
                raise SettingsError(f"'{part}' is no NAME=VALUE, expected as in {EXAMPLES}")
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
    found = re.fullmatch(r"uci:(.*?)((?:,\s*[nt]\s*=[^,]*)*)", text, re.DOTALL | re.IGNORECASE)
    assert found  # the last part may be empty
    pairs = [part.partition("=") for part in found[2].split(",")[1:]]
    limits = _read_limits({key.strip(): value.strip() for key, _, value in pairs})
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
            raise SettingsError(f"'{part}' is no option of an engine, expected NAME=VALUE&NAME=VALUE after the ?")
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
    """Give those without limits the common ones, and each its own name."""
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


@dataclass
class Seat:
    """What a player knows of its own: the seat, and all players' remaining time where there is a clock."""

    number: int
    clock: Clock | None = None
    remaining: list[float] = field(default_factory=list)
    margin: float = 0.0


class Player(ABC):
    """Somebody who chooses actions. The same one plays one game after the other."""

    @abstractmethod
    def new_game(self, start: Position, seed: int) -> None:
        """A game begins after its opening; nobody's clock runs."""

    @abstractmethod
    def choose(self, position: Position, seat: Seat, start: str, moves: list[int], opening: int) -> int:
        """An action; `moves` led here from `start`, the first `opening` of them as the opening."""

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """The match is over."""


class RandomPlayer(Player):
    """Any legal action, each as likely as the others."""

    def new_game(self, start: Position, seed: int) -> None:
        self.random = random.Random(seed)

    def choose(self, position: Position, seat: Seat, start: str, moves: list[int], opening: int) -> int:
        return self.random.choice(position.actions())


class GreedyPlayer(Player):
    """The action with the highest prior; equal ones by lot."""

    def new_game(self, start: Position, seed: int) -> None:
        self.random = random.Random(seed)

    def choose(self, position: Position, seat: Seat, start: str, moves: list[int], opening: int) -> int:
        priors = position.priors()
        best = max(prior for _, prior in priors)
        return self.random.choice([action for action, prior in priors if prior == best])


class SearchPlayer(Player):
    """Our own search, with its tree kept from move to move."""

    def __init__(self, spec: Spec, game: Game) -> None:
        self.spec, self.game = spec, game
        first = game.position()
        search = Search(game, spec.settings, position=first)
        if first.player >= 0:
            search.run(1)  # compile before anybody's clock runs

    def new_game(self, start: Position, seed: int) -> None:
        self.start, self.seed, self.played = start, seed, 0
        self.search = Search(self.game, self.spec.settings, position=start, seed=seed)

    def choose(self, position: Position, seat: Seat, start: str, moves: list[int], opening: int) -> int:
        began, legal = time.perf_counter(), position.actions()
        if len(legal) == 1:
            return legal[0]
        for action in moves[opening + self.played :]:
            self.search.play(action)
        self.played = len(moves) - opening
        seconds = self.spec.seconds
        if seat.clock is not None:
            share = our_share(seat.remaining[seat.number], seat.clock.increment)
            seconds = share if seconds is None else min(share, seconds)
        if seconds is not None:  # playing on copies the tree, which takes its time too
            seconds = max(0.001, seconds - (time.perf_counter() - began))
        result = self.search.run(self.spec.simulations, seconds=seconds)
        if result.best is None:  # there was no time for a single one
            result = self.search.run(1)
        temperature = self.spec.settings.temperature_at(len(moves))
        if temperature > 0:
            return result.choose(temperature, seed=self.seed + len(moves))
        assert result.best is not None
        return result.best


def our_share(remaining: float, increment: float) -> float:
    """Seconds for the next move: a 25th of what is left and 3/4 of the increment, never more than half of all.

    >>> round(our_share(1.0, 0.05), 4)
    0.0775
    """
    return max(0.001, min(remaining / MOVES_TO_GO + 0.75 * increment, remaining / 2))


class UciPlayer(Player):
    """A chess engine in a process of its own."""

    def __init__(self, spec: Spec, game: Game, patience: float) -> None:
        self.spec, self.game = spec, game
        self.engine = Engine(spec.command, dict(spec.options), patience)

    def new_game(self, start: Position, seed: int) -> None:
        try:
            self.engine.new_game()
        except EngineError as error:
            raise forfeit(error) from None

    def choose(self, position: Position, seat: Seat, start: str, moves: list[int], opening: int) -> int:
        names = " ".join(self.game.action_to_text(position.state, action) for action in moves)
        place = f"fen {start}" if start else "startpos"
        go, deadline = self.limits(seat)
        try:
            text = self.engine.choose(f"position {place}{' moves ' + names if names else ''}", go, deadline)
        except EngineError as error:
            raise forfeit(error) from None
        legal = {position.action_text(action): action for action in position.actions()}
        if text.lower() not in legal:
            raise Forfeit("rules infraction", f"illegal move '{text}' in {position.text}")
        return legal[text.lower()]

    def limits(self, seat: Seat) -> tuple[str, float]:
        """The command `go`, and when an answer comes too late."""
        words, deadline = ["go"], NO_TIME_LIMIT
        if seat.clock is not None:
            for letter, left in zip("wb", seat.remaining, strict=True):
                words += [f"{letter}time", str(max(1, int(1000 * left)))]
            for letter in "wb":
                words += [f"{letter}inc", str(int(1000 * seat.clock.increment))]
            deadline = seat.remaining[seat.number] + seat.margin
        if self.spec.seconds is not None:
            words += ["movetime", str(max(1, int(1000 * self.spec.seconds)))]
            late = self.spec.seconds + seat.margin
            deadline = late if seat.clock is None else min(deadline, late)
        if self.spec.simulations is not None:
            words += ["nodes", str(self.spec.simulations)]
        return " ".join(words), deadline

    def close(self) -> None:
        self.engine.close()


def forfeit(error: EngineError) -> Forfeit:
    words = {"crash": "abandoned", "hang": "abandoned", "time": "time forfeit", "protocol": "abandoned"}
    lead = {"crash": "crashed: ", "hang": "hung and was killed: ", "time": "", "protocol": ""}[error.kind]
    return Forfeit(words[error.kind], f"{lead}{error}")


def make_player(spec: Spec, game: Game, patience: float) -> Player:
    if spec.kind == RANDOM:
        return RandomPlayer()
    if spec.kind == GREEDY:
        return GreedyPlayer()
    return UciPlayer(spec, game, patience) if spec.kind == UCI else SearchPlayer(spec, game)


def check_players(specs: list[Spec], game: Game, patience: float) -> None:
    """Refuse, before anything is played, what can never play: settings that the game lacks, an engine that is none."""
    for spec in specs:
        if spec.kind == SEARCH:
            try:
                spec.settings.params(game)
            except PlayoutError as error:
                raise SettingsError(f"player '{spec.name}': {error}") from None
        if spec.kind == GREEDY and not game.has("priors"):
            raise SettingsError(f"player '{spec.name}': {game.title} has no priors to be greedy by; define `priors`")
        if spec.kind == UCI:
            if game.name != "chess":
                raise SettingsError(f"player '{spec.name}': UCI engines play chess, and this game is {game.title}")
            engine = Engine(spec.command, dict(spec.options), patience)
            try:
                engine.start()
            except EngineError as error:
                raise SettingsError(f"player '{spec.name}': the engine {forfeit(error)}") from None
            finally:
                engine.close()
