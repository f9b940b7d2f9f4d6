"""The games of one way to search: a match against a reference, or games of one player with the same luck."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from playout.arena import Match, MatchResult
from playout.game import Game
from playout.play.players import UnfitPlayer
from playout.play.record import Record, range_fault
from playout.play.solo import ScoredGame, SoloSetup
from playout.play.source import GameSource, identity
from playout.play.spec import Spec
from playout.play.store import ResultsFile
from playout.scores import Scores
from playout.workers.site import Worker
from playout.workers.workers import Workers


class Contest(ABC):
    """Games that are played somewhere, and kept here."""

    refused = ""  # why they can't be played to the end: a position does not fit the settings

    @property
    @abstractmethod
    def maker(self) -> Callable[[], Worker]:
        """Makes what plays the games, here or in another process."""

    @property
    @abstractmethod
    def played(self) -> int:
        """How many games are finished."""

    @abstractmethod
    def left(self) -> list[tuple[Any, ...]]:
        """The games that are not played yet, as arguments of a worker's `play`."""

    @abstractmethod
    def values(self) -> list[float]:
        """What the games brought in the order of the schedule, as far as all before are finished: the share of the
        points of each opening, played from both sides, or the score of each game of one player."""

    @abstractmethod
    def add(self, record: Any) -> None:
        """Keep a game that was played."""

    @abstractmethod
    def close(self) -> None:
        """Close the results file."""


class MatchContest(Contest):
    """One way to search, the first player of a match, against the reference."""

    def __init__(self, match: Match) -> None:
        self.match = match

    @property
    def maker(self) -> Callable[[], Worker]:
        return self.match.setup.referee

    @property
    def played(self) -> int:
        return len(self.match.done)

    def left(self) -> list[tuple[Any, ...]]:
        return [(job, self.match.opening(job)) for job in self.match.left()]

    def values(self) -> list[float]:
        return [points / 2 for points in self.match.pairs()]

    def add(self, record: Record) -> None:
        self.match.add(record)

    def close(self) -> None:
        self.match.close()

    @property
    def result(self) -> MatchResult:
        """The match so far."""
        return self.match.result()

    def rates(self, player: int) -> list[float]:
        """The simulations a second of the variant (0) or of the reference (1), game by game where it searched."""
        found = [(record, record.players.index(player)) for record in self.match.done.values() if record.searched]
        return [r.simulations[seat] / r.searched[seat] for r, seat in found if r.searched[seat] > 0]


class ScoreContest(Contest):
    """One way to search, or the reference, at a game of one player."""

    def __init__(
        self, game: Game, spec: Spec, games: int, seed: int, max_moves: int, db: str | Path | None = None
    ) -> None:
        self.spec, self.games = spec, games
        self.setup = SoloSetup(GameSource(game), (spec,), seed, max_moves)
        description = {**identity(game), "player": spec.to_dict(), "seed": seed, "max_moves": max_moves}
        self.store = ResultsFile(db, description, ScoredGame, partial(_fault, game))
        self.done = {record.number: record for record in self.store.records() if record.number < games}

    @property
    def maker(self) -> Callable[[], Worker]:
        return self.setup.soloist

    @property
    def played(self) -> int:
        return len(self.done)

    def left(self) -> list[tuple[Any, ...]]:
        return [(0, number) for number in range(self.games) if number not in self.done]

    def values(self) -> list[float]:
        known = takewhile(self.done.__contains__, range(self.games))
        return [self.done[number].score for number in known]

    def add(self, record: ScoredGame) -> None:
        self.store.add(record)
        self.done[record.number] = record

    def close(self) -> None:
        self.store.close()

    @property
    def scores(self) -> Scores:
        """The games so far, in the order of their numbers."""
        return Scores(self.spec.name, tuple(self.done[number] for number in sorted(self.done)))

    def rates(self) -> list[float]:
        """The simulations a second, game by game where there was a search."""
        return [record.simulations / record.searched for record in self.done.values() if record.searched > 0]


def _fault(game: Game, record: ScoredGame) -> str:
    """What is impossible about a recorded game; a game that counts points of its own may give any."""
    return range_fault(game, (record.score,)) if type(game).score is Game.score else ""


class ContestWorker:
    """Plays games of any of the contests. What plays one is made when its first game comes; with `keep`, only that many
    are kept."""

    def __init__(self, keep: int | None = None) -> None:
        self.keep, self.made = keep, OrderedDict[int, Worker]()

    def play(self, contest: int, maker: Callable[[], Worker], *job: Any) -> tuple[int, Any]:
        """The game that a contest's own worker plays, or an `UnfitPlayer`, with the contest's number."""
        if contest not in self.made:
            self.made[contest] = maker()
            if self.keep is not None and len(self.made) > self.keep:
                self.made.popitem(last=False)[1].close()
        try:
            return contest, self.made[contest].play(*job)
        except UnfitPlayer as error:
            return contest, error

    def close(self) -> None:
        """End all of them, from any thread."""
        for worker in list(self.made.values()):
            worker.close()


def play_contests(
    jobs: Iterable[tuple[Any, ...] | None],
    finished: Callable[[tuple[int, Any]], bool],
    workers: int | None,
    what: str,
    advice: str,
    keep: int | None = None,
    *,
    ray: str | None = None,
    needs: Any = None,
) -> None:
    """Play jobs, each (number of the contest, its maker, *what its worker plays), until `finished` returns True.

    With more than one worker they are played in processes, where None among the jobs means that the next one depends
    on a result that is still to come; with `ray` on a cluster, where `needs` is what the makers refer to.
    """
    if ray is not None or workers is None or workers > 1:
        Workers(partial(ContestWorker, keep), workers, what, advice, ray=ray, needs=needs).play(jobs, finished)
        return
    worker = ContestWorker(keep)
    try:
        for job in jobs:
            if job is not None and finished(worker.play(*job)):
                return
    finally:
        worker.close()
