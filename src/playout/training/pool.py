"""Who plays in a training: processes that stay from one generation to the next, with their tables and matches."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing import connection, get_context
from typing import Any

from playout.errors import SettingsError
from playout.evaluators.onnx import OnnxNetwork
from playout.game import Game
from playout.play.players import SEARCH, Spec
from playout.play.workers import DOCTOR, Workers
from playout.policies import PUCT, Parent
from playout.settings import Outside, Settings

from .recipe import Recipe
from .selfplay import SelfPlayGames, play_table

MATCH_BATCH = 8  # leaves of one search in a match
GAMES_DONE, EVALUATIONS = 0, 1  # what a process counts while it plays


def network_settings(network: Any) -> Settings:
    """A network in earnest, as in the preset `network`."""
    evaluator = Outside(network, batch=MATCH_BATCH)
    return Settings(policy=PUCT(1.25, growth=1.0), evaluator=evaluator, unvisited=Parent())


def play_some(game: Game, recipe: Recipe, network: Any, rival: Any, games: int, seed: int) -> list[float]:
    """The scores (1, 0.5, 0) of a network against another, or against plain UCT with so many simulations."""
    ours = Spec("network", SEARCH, network_settings(network), recipe.simulations)
    if isinstance(rival, int):
        theirs = Spec("uct", SEARCH, Settings(), rival)
    else:
        theirs = Spec("rival", SEARCH, network_settings(rival), recipe.simulations)
    if game.players == 1:
        from playout.scores import evaluate

        found = evaluate(game, [ours, theirs], games=games, seed=seed, workers=1, max_moves=recipe.max_moves)
        mine, other = ({r.number: r.score for r in scores.records} for scores in found.scores)
        return [1.0 if mine[n] > other[n] else 0.5 if mine[n] == other[n] else 0.0 for n in sorted(mine)]
    from playout.arena import play_match

    rivals = [theirs] * (game.players - 1)
    games = max(game.players, games // game.players * game.players)
    options: dict[str, Any] = {"games": games, "seed": seed, "concurrency": 1, "max_moves": recipe.max_moves}
    try:
        result = play_match(game, [ours, *rivals], plies=recipe.plies, **options)
    except SettingsError as error:
        if "random plies ended the game" not in str(error):
            raise
        result = play_match(game, [ours, *rivals], plies=0, **options)
    return [r.score(r.players.index(0), r.players.index(1)) for r in result.records]


# Processes.


@dataclass(frozen=True)
class Source:
    """A game as another process can get it."""

    game: str | tuple[type[Game], dict[str, Any]]
    settings: dict[str, Any] = field(default_factory=dict)

    def load(self) -> Game:
        from playout import games

        if isinstance(self.game, str):
            return games.load(self.game, **self.settings)
        return self.game[0](**self.game[1])


@dataclass(frozen=True)
class Maker:
    """Makes what plays, in its process."""

    source: Source
    recipe: Recipe
    counts: Any = None

    def __call__(self) -> "Player":
        return Player(self.source.load(), self.recipe, self.counts)


class Player:
    """Plays tables and matches, in a process of its own or in this one."""

    def __init__(self, game: Game, recipe: Recipe, counts: Any = None) -> None:
        self.game, self.recipe, self.counts = game, recipe, counts

    def play(self, what: str, *job: Any) -> Any:
        return getattr(self, what)(*job)

    def table(self, place: int, network: bytes | None, games: int, seed: int) -> SelfPlayGames:
        opened = None if network is None else OnnxNetwork(network)
        if opened is not None:
            opened.check(self.game)
        return play_table(self.game, self.recipe, opened, games, seed, self._counter(place))

    def match(self, place: int, network: bytes, rival: bytes | int, games: int, seed: int) -> list[float]:
        other = rival if isinstance(rival, int) else OnnxNetwork(rival)
        return play_some(self.game, self.recipe, OnnxNetwork(network), other, games, seed)

    def close(self) -> None:
        pass

    def _counter(self, place: int) -> Callable[[int, int], None]:
        counts = self.counts

        def count(games: int, evaluations: int) -> None:
            if counts is not None:
                counts[2 * place + GAMES_DONE] += games
                counts[2 * place + EVALUATIONS] += evaluations

        return count


class Pool(Workers):
    """Processes that stay from one generation to the next. With one worker, everything happens in this process."""

    def __init__(self, source: Source, game: Game, recipe: Recipe) -> None:
        self.places = recipe.workers
        self.here: Player | None = None
        self.counts: Any = get_context("spawn").RawArray("q", 2 * self.places)
        if self.places == 1:
            self.here = Player(game, recipe, self.counts)
            self.lines, self.processes = [], []
            return
        advice = "; the same command goes on from the last checkpoint"
        doctor = f"playout doctor {source.game}" if isinstance(source.game, str) else DOCTOR
        super().__init__(Maker(source, recipe, self.counts), self.places, "self-play", advice, doctor)

    def share(self, jobs: Sequence[tuple[Any, ...]], watch: Callable[[int, int], None] | None = None) -> list[Any]:
        """What came of the jobs, in their order, whoever was done first. `watch` sees games and evaluations so far."""
        self.counts[:] = [0] * len(self.counts)
        if self.here is not None:
            return [self.here.play(*job) for job in jobs]
        found: dict[int, Any] = {}
        waiting, busy = deque(enumerate(jobs)), dict[Any, int]()
        idle = list(self.lines)
        while waiting or busy:
            while waiting and idle:
                number, job = waiting.popleft()
                line = idle.pop(0)
                busy[line] = number
                try:
                    line.send(job)
                except OSError:
                    self._lost(line)
            ready: list[Any] = connection.wait(list(busy), timeout=0.25)
            for line in ready:
                try:
                    answer = line.recv()
                except (EOFError, OSError):
                    self._lost(line)
                if isinstance(answer, Exception):
                    raise answer
                found[busy.pop(line)] = answer
                idle.append(line)
            if watch is not None:
                watch(sum(self.counts[GAMES_DONE::2]), sum(self.counts[EVALUATIONS::2]))
        return [found[number] for number in range(len(jobs))]
