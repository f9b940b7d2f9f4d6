"""Players: they choose actions, by chance, by priors, by a search of ours, or in an engine's process."""

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from playout.errors import PlayoutError, SettingsError
from playout.game import Game, Position
from playout.search import Search

from .clock import LEAST, Clocks, seconds_for_move
from .engine import EngineError, EngineProcess
from .loop import Playthrough
from .spec import GREEDY, RANDOM, SEARCH, UCI, Spec

PATIENCE = 10.0  # seconds without an answer after which an engine is killed
NO_TIME_LIMIT = 60.0  # seconds after which an engine that only counts nodes is taken to hang


class Forfeit(Exception):
    """A player loses by rule: `termination` in PGN's words, and the reason in full."""

    def __init__(self, termination: str, reason: str) -> None:
        super().__init__(reason)
        self.termination = termination


class UnfitPlayer(SettingsError):
    """A position of the game does not fit a player's settings; `player` is its number in the match."""

    def __init__(self, name: str, player: int, reason: str) -> None:
        super().__init__(f"player '{name}': {reason}")
        self.name, self.player, self.reason = name, player, reason

    def __reduce__(self) -> Any:
        return UnfitPlayer, (self.name, self.player, self.reason)


class Player(ABC):
    """Chooses actions, in one game after the other."""

    simulations = 0  # of its searches in the game at hand
    searched = 0.0  # the seconds that they took

    @abstractmethod
    def new_game(self, start: Position, seed: int) -> None:
        """Prepare for a game that begins at `start`, after its opening; no clock runs."""

    @abstractmethod
    def choose(self, game: Playthrough, clocks: Clocks) -> int:
        """An action for the player who moves in `game.position`."""

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """End what the player has started; the match is over."""


class RandomPlayer(Player):
    """Any legal action, all equally likely."""

    def new_game(self, start: Position, seed: int) -> None:
        self.random = random.Random(seed)

    def choose(self, game: Playthrough, clocks: Clocks) -> int:
        position = game.position
        action: int = self.random.choice(position.actions())
        return position.drawn(self.random.random()) if position.draws and not position.is_listed(action) else action


class GreedyPlayer(Player):
    """The action with the highest prior; ties are broken at random."""

    def new_game(self, start: Position, seed: int) -> None:
        self.random = random.Random(seed)

    def choose(self, game: Playthrough, clocks: Clocks) -> int:
        priors = game.position.priors()
        best = max(prior for _, prior in priors)
        return self.random.choice([action for action, prior in priors if prior == best])


class SearchPlayer(Player):
    """Our own search, which keeps its tree from move to move."""

    def __init__(self, spec: Spec, game: Game) -> None:
        self.spec, self.game = spec, game
        first = game.position()
        search = Search(game, spec.settings, position=first)
        if first.player >= 0:
            search.run(nodes=2)  # compile before any clock runs

    def new_game(self, start: Position, seed: int) -> None:
        self.seed, self.played = seed, 0
        self.simulations, self.searched = 0, 0.0
        self.search = Search(self.game, self.spec.settings, position=start, seed=seed)

    def choose(self, game: Playthrough, clocks: Clocks) -> int:
        began, legal = time.perf_counter(), game.position.actions()
        if len(legal) == 1:
            return legal[0]
        for action in game.actions[game.opening + self.played :]:
            self.search.play(action)
        self.played = len(game.actions) - game.opening
        seconds = self.spec.seconds
        if clocks.control is not None:
            share = seconds_for_move(clocks.remaining[game.position.player], clocks.control.increment)
            seconds = share if seconds is None else min(share, seconds)
        if seconds is not None:  # playing on copies the tree, which takes time too
            seconds = max(LEAST, seconds - (time.perf_counter() - began))
        result = self.search.run(self.spec.simulations, seconds=seconds)
        if result.best is None:  # there was no time for a single simulation
            result = self.search.run(nodes=self.search.nodes + 1)
        temperature = self.spec.settings.temperature_at(game.moves)
        self.simulations += result.simulations
        self.searched += result.seconds
        if temperature > 0:
            return result.choose(temperature, seed=self.seed + len(game.actions))
        assert result.best is not None
        return result.best


class UciPlayer(Player):
    """A chess engine in its own process."""

    def __init__(self, spec: Spec, patience: float) -> None:
        self.spec = spec
        self.engine = EngineProcess(spec.command, dict(spec.options), patience)

    def new_game(self, start: Position, seed: int) -> None:
        try:
            self.engine.new_game()
        except EngineError as error:
            raise forfeit(error) from None

    def choose(self, game: Playthrough, clocks: Clocks) -> int:
        place = f"fen {game.text}" if game.text else "startpos"
        moves = f" moves {' '.join(game.action_texts)}" if game.action_texts else ""
        go, deadline = self.limits(game.position.player, clocks)
        try:
            text = self.engine.choose(f"position {place}{moves}", go, deadline)
        except EngineError as error:
            raise forfeit(error) from None
        position = game.position
        legal = {position.action_text(action): action for action in position.actions()}
        if text.lower() not in legal:
            raise Forfeit("rules infraction", f"illegal move '{text}' in {position.text}")
        return legal[text.lower()]

    def limits(self, player: int, clocks: Clocks) -> tuple[str, float]:
        """The command `go`, and the seconds after which an answer is too late."""
        words, deadline = ["go"], NO_TIME_LIMIT
        if clocks.control is not None:
            for letter, left in zip("wb", clocks.remaining, strict=True):
                words += [f"{letter}time", str(max(1, int(1000 * left)))]
            for letter in "wb":
                words += [f"{letter}inc", str(int(1000 * clocks.control.increment))]
            deadline = clocks.remaining[player] + clocks.margin
        if self.spec.seconds is not None:
            words += ["movetime", str(max(1, int(1000 * self.spec.seconds)))]
            late = self.spec.seconds + clocks.margin
            deadline = late if clocks.control is None else min(deadline, late)
        if self.spec.simulations is not None:
            words += ["nodes", str(self.spec.simulations)]
        return " ".join(words), deadline

    def close(self) -> None:
        self.engine.close()


def forfeit(error: EngineError) -> Forfeit:
    """How an engine that failed loses."""
    words = {"crash": "abandoned", "hang": "abandoned", "time": "time forfeit", "protocol": "abandoned"}
    lead = {"crash": "crashed: ", "hang": "hung and was killed: ", "time": "", "protocol": ""}[error.kind]
    return Forfeit(words[error.kind], f"{lead}{error}")


@contextmanager
def named_refusals(spec: Spec, player: int) -> Iterator[None]:
    """Turn a `SettingsError` in the middle of a game into one that names the player."""
    try:
        yield
    except SettingsError as error:
        raise UnfitPlayer(spec.name, player, str(error).removeprefix("settings: ")) from None


def make_player(spec: Spec, game: Game, patience: float = PATIENCE) -> Player:
    """The player that a spec names; a search is compiled here."""
    if spec.kind == RANDOM:
        return RandomPlayer()
    if spec.kind == GREEDY:
        return GreedyPlayer()
    return UciPlayer(spec, patience) if spec.kind == UCI else SearchPlayer(spec, game)


class Roster:
    """The players of a match by number, each made when it first plays and kept for later games."""

    def __init__(self, specs: Sequence[Spec], game: Game, patience: float = PATIENCE) -> None:
        self.specs, self.game, self.patience = specs, game, patience
        self._made: dict[int, Player] = {}

    def __getitem__(self, number: int) -> Player:
        if number not in self._made:
            self._made[number] = make_player(self.specs[number], self.game, self.patience)
        return self._made[number]

    def close(self) -> None:
        """End all players."""
        for player in list(self._made.values()):  # called from another thread, while a player may be added
            player.close()


def check_players(specs: Sequence[Spec], game: Game, patience: float = PATIENCE) -> None:
    """Refuse players that can't play the game before anything is played: wrong settings, an engine that fails."""
    for spec in specs:
        try:
            check_player(spec, game, patience)
        except PlayoutError as error:
            raise SettingsError(f"player '{spec.name}': {error}") from None


def check_player(spec: Spec, game: Game, patience: float = PATIENCE) -> None:
    """The same for one player, in words that do not name it."""
    if spec.kind == SEARCH:
        spec.settings.params(game)
    if spec.kind == GREEDY and not game.has("priors"):
        raise SettingsError(f"{game.title} has no priors to be greedy by; define `priors`")
    if spec.kind == UCI:
        if game.name != "chess":
            raise SettingsError(f"UCI engines play chess, and this game is {game.title}")
        engine = EngineProcess(spec.command, dict(spec.options), patience)
        try:
            engine.start()
        except EngineError as error:
            raise SettingsError(f"the engine {forfeit(error)}") from None
        finally:
            engine.close()
