"""The games of one variant at one limit: a match against the reference, or games of one player with the same luck."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playout.arena import Match, MatchResult
from playout.game import Game
from playout.play.record import Record
from playout.play.solo import ScoredGame, SoloSetup
from playout.play.source import GameSource, identity
from playout.play.spec import Spec
from playout.play.store import ResultsFile
from playout.play.workers import Worker
from playout.scores import Scores


class Contest(ABC):
    """Games that are played somewhere, and kept here."""

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
    def add(self, record: Any) -> None:
        """Keep a game that was played."""

    @abstractmethod
    def close(self) -> None:
        """Close the results file."""


class MatchContest(Contest):
    """A variant, the first player of a match, against the reference."""

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
    """A variant, or the reference, at a game of one player."""

    def __init__(
        self, game: Game, spec: Spec, games: int, seed: int, max_moves: int, db: str | Path | None = None
    ) -> None:
        self.spec, self.games = spec, games
        self.setup = SoloSetup(GameSource(game), (spec,), seed, max_moves)
        description = {**identity(game), "player": spec.to_dict(), "seed": seed, "max_moves": max_moves}
        self.store = ResultsFile(db, description, ScoredGame)
        self.done = {record.number: record for record in self.store.records() if record.number < games}

    @property
    def maker(self) -> Callable[[], Worker]:
        return self.setup.soloist

    @property
    def played(self) -> int:
        return len(self.done)

    def left(self) -> list[tuple[Any, ...]]:
        return [(0, number) for number in range(self.games) if number not in self.done]

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


@dataclass(frozen=True)
class Contests:
    """What plays the games of several contests; it can be sent to another process."""

    makers: tuple[Callable[[], Worker], ...]

    def worker(self) -> "ContestWorker":
        """The worker, in the process that calls this."""
        return ContestWorker(self.makers)


@dataclass
class ContestWorker:
    """Plays games of any of the contests; what plays one is made when its first game comes."""

    makers: tuple[Callable[[], Worker], ...]
    made: dict[int, Worker] = field(default_factory=dict)

    def play(self, contest: int, *job: Any) -> tuple[int, Any]:
        """The game that a contest's own worker plays, with the contest's number."""
        if contest not in self.made:
            self.made[contest] = self.makers[contest]()
        return contest, self.made[contest].play(*job)

    def close(self) -> None:
        """End all of them, from any thread."""
        for worker in list(self.made.values()):
            worker.close()
