"""The processes of a training: they stay from one generation to the next, and play tables and matches."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import connection, get_context
from typing import Any

from playout.game import Game
from playout.play.source import GameSource
from playout.play.workers import DOCTOR, Workers

from .matches import match_scores
from .network_kind import kind_of
from .recipe import Recipe
from .selfplay import SelfPlayGames, play_table

GAMES_DONE, EVALUATIONS = 0, 1  # the counters of each process


class PoolWorker:
    """Plays tables and matches, in its own process or in this one."""

    def __init__(self, game: Game, recipe: Recipe, counts: Any = None) -> None:
        self.game, self.recipe, self.counts, self.kind = game, recipe, counts, kind_of(recipe)

    def play(self, what: str, *job: Any) -> Any:
        """Do a job, which is the name of a method here and its arguments."""
        return getattr(self, what)(*job)

    def table(self, place: int, network: bytes | str | None, games: int, seed: int) -> SelfPlayGames:
        """Games of a network against itself; without one, of plain UCT."""
        opened = None if network is None else self.kind.opened(network, self.game)
        return play_table(self.game, self.recipe, opened, games, seed, self._counter(place))

    def match(self, place: int, network: bytes | str, rival: bytes | str | int, games: int, seed: int) -> list[float]:
        """The scores of a network against another one, or against UCT with `rival` simulations."""
        ours = self.kind.opened(network, self.game)
        other = rival if isinstance(rival, int) else self.kind.opened(rival, self.game)
        return match_scores(self.game, self.recipe, ours, other, games, seed)

    def close(self) -> None:
        """There is nothing to end."""

    def _counter(self, place: int) -> Callable[[int, int], None]:
        counts = self.counts

        def count(games: int, evaluations: int) -> None:
            if counts is not None:
                counts[2 * place + GAMES_DONE] += games
                counts[2 * place + EVALUATIONS] += evaluations

        return count


def make_worker(source: GameSource, recipe: Recipe, counts: Any) -> PoolWorker:
    """A worker with its own game, in the process that calls this."""
    return PoolWorker(source.load(), recipe, counts)


class Pool(Workers):
    """Processes that stay from one generation to the next. With one worker, everything happens in this process."""

    def __init__(self, source: GameSource, game: Game, recipe: Recipe) -> None:
        self.places = recipe.workers
        self.here: PoolWorker | None = None
        self.counts: Any = get_context("spawn").RawArray("q", 2 * self.places)
        if self.places == 1:
            self.here = PoolWorker(game, recipe, self.counts)
            self.lines, self.processes = [], []
            return
        advice = "; the same command resumes from the last checkpoint"
        doctor = f"playout doctor {source.game}" if isinstance(source.game, str) else DOCTOR
        make = partial(make_worker, source, recipe, self.counts)
        super().__init__(make, self.places, "self-play", advice, doctor)

    def share(self, jobs: Sequence[tuple[Any, ...]], watch: Callable[[int, int], None] | None = None) -> list[Any]:
        """The results of the jobs, in their order. `watch` gets the games and evaluations done so far."""
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
