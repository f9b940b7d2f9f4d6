"""The workers of a training: they stay from one generation to the next, and play tables and matches."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from playout.common.runtime import cores
from playout.game import Game
from playout.play.source import GameSource
from playout.workers.figures import Figures
from playout.workers.processes import DOCTOR
from playout.workers.workers import Workers

from .matches import match_scores
from .network_kind import kind_of
from .recipe import Recipe
from .selfplay import SelfPlayGames, play_table

GAMES_DONE, EVALUATIONS = 0, 1  # the counters of each table
KEPT = 2  # opened networks that a worker keeps


class PoolWorker:
    """Plays tables and matches, in its own process or in this one."""

    def __init__(self, game: Game, recipe: Recipe, counts: Any = None) -> None:
        self.game, self.recipe, self.counts, self.kind = game, recipe, counts, kind_of(recipe)
        self._opened: OrderedDict[bytes | str, Any] = OrderedDict()

    def play(self, what: str, *job: Any) -> Any:
        """Do a job, which is the name of a method here and its arguments."""
        return getattr(self, what)(*job)

    def table(self, place: int, network: bytes | str | None, seed: int, first: int, games: int) -> SelfPlayGames:
        """Games of a network against itself, with numbers from `first` on; without a network, of plain UCT."""
        opened = None if network is None else self._open(network)
        return play_table(self.game, self.recipe, opened, games, seed, self._counter(place), first)

    def match(self, network: bytes | str, rival: bytes | str | int, seed: int, first: int, count: int) -> list[float]:
        """The scores of a network against another one, or against UCT with `rival` simulations, from `count` openings
        of a match, from the one with the number `first` on."""
        other = rival if isinstance(rival, int) else self._open(rival)
        return match_scores(self.game, self.recipe, self._open(network), other, seed, first, count)

    def close(self) -> None:
        """Nothing to close."""

    def _open(self, network: bytes | str) -> Any:
        if network not in self._opened:
            self._opened[network] = self.kind.opened(network, self.game)
        self._opened.move_to_end(network)
        while len(self._opened) > KEPT:
            self._opened.popitem(last=False)
        return self._opened[network]

    def _counter(self, place: int) -> Callable[[int, int], None]:
        counts = self.counts
        if counts is not None:  # a table may be played again
            counts[2 * place], counts[2 * place + 1] = 0, 0

        def count(games: int, evaluations: int) -> None:
            if counts is not None:
                counts[2 * place + GAMES_DONE] += games
                counts[2 * place + EVALUATIONS] += evaluations

        return count


def make_worker(source: GameSource, recipe: Recipe, counts: Any) -> PoolWorker:
    """A worker with its own game, in the process that calls this."""
    return PoolWorker(source.load(), recipe, counts)


class Pool:
    """Workers that stay from one generation to the next. With one, and no cluster, everything happens in this process.

    `workers` is how many; None: as many as cores, or CPUs of the cluster.
    """

    def __init__(
        self, source: GameSource, game: Game, recipe: Recipe, workers: int | None = 1, ray: str | None = None
    ) -> None:
        self.here: PoolWorker | None = None
        self.workers: Workers | None = None
        self.kind = kind_of(recipe)
        self.counts: Any = None
        self._networks: dict[bytes, Any] = {}  # as they stand in jobs
        if ray is None:
            self.counts = get_context("spawn").RawArray("q", 2 * len(tables(recipe)))
            if (workers or cores()) == 1:
                self.here = PoolWorker(game, recipe, self.counts)
                return
        advice = "; the same command resumes from the last checkpoint"
        doctor = f"playout doctor {source.game}" if isinstance(source.game, str) else DOCTOR
        make = partial(make_worker, source, recipe, self.counts)
        count = workers if ray is not None else workers or cores()
        self.workers = Workers(make, count, "self-play", advice, doctor, ray=ray, ahead=1)

    @property
    def figures(self) -> Figures | None:
        """What the workers are doing; None where there are none."""
        return None if self.workers is None else self.workers.figures

    def sent(self, network: bytes, folder: Path) -> Any:
        """A network as it stands in jobs; `folder` is for files that the processes of this machine read."""
        if self.workers is None or self.workers.site.is_local:
            return self.kind.sent(network, folder)
        if network not in self._networks:
            while len(self._networks) >= KEPT:
                del self._networks[next(iter(self._networks))]
            self._networks[network] = self.workers.site.shared(network)
        return self._networks[network]

    def share(self, jobs: Sequence[tuple[Any, ...]], watch: Callable[[int, int], None] | None = None) -> list[Any]:
        """The results of the jobs, in their order. `watch` gets the games and evaluations done so far."""
        counts = self.counts
        if counts is not None:
            counts[:] = [0] * len(counts)
        if self.workers is None:
            assert self.here is not None
            return [self.here.play(*job) for job in jobs]

        def look() -> None:
            if watch is not None and counts is not None:
                watch(sum(counts[GAMES_DONE::2]), sum(counts[EVALUATIONS::2]))

        return self.workers.share(jobs, look)

    def close(self) -> None:
        """End the workers."""
        if self.workers is not None:
            self.workers.close()


def tables(recipe: Recipe) -> list[tuple[int, int]]:
    """The first game and the number of games of each table of a generation, the same for any number of workers.

    >>> tables(Recipe(games=10, seats=4, tables=2))
    [(0, 4), (4, 3), (7, 3)]
    """
    count = max(-(-recipe.games // recipe.seats), min(recipe.tables, recipe.games))
    sizes = [recipe.games // count + (place < recipe.games % count) for place in range(count)]
    return [(sum(sizes[:place]), size) for place, size in enumerate(sizes)]
