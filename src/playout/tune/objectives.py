"""What is maximised: the score of a match against the base, or the mean score at a game of one player."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from playout.arena import Match, Sprt, make_match
from playout.common.runtime import cores
from playout.contests import Contest, MatchContest, ScoreContest, play_contests
from playout.game import Game
from playout.play.chance import seed_of
from playout.play.players import UnfitPlayer
from playout.play.spec import Spec
from playout.play.tally import PAIR_SCORES, Tally
from playout.report.intervals import Estimate
from playout.scores import half_width
from playout.workers.site import can_be_sent

from .result import CONFIDENCE, Check, MatchCheck, ScoreCheck

MARGIN = 60.0  # seconds by which a move may be late: what else the machine does, the compiler included, is no fault
ADVICE = "; the games recorded so far are kept, and the same command goes on"
EVEN = 0.5  # what the base scores against itself


@dataclass
class Objective(ABC):
    """How a trial is played and judged. A value is an opening from both sides, or a game of one player."""

    game: Game
    base: Spec
    games: int  # of a trial
    seed: int
    max_moves: int
    db: str | Path | None
    ray: str | None = field(default=None, kw_only=True)

    unit: ClassVar[str]  # of the difference to the base
    games_of_value: ClassVar[int]

    @property
    def total(self) -> int:
        """How many values a trial has."""
        return self.games // self.games_of_value

    @abstractmethod
    def contest(self, spec: Spec) -> Contest:
        """The games of one player."""

    @abstractmethod
    def baseline(self) -> Contest | None:
        """The games that the base itself has to play first."""

    @abstractmethod
    def difference(self, values: Sequence[float], base: Sequence[float]) -> Estimate:
        """To the base, with its interval."""

    @abstractmethod
    def check(
        self, best: Spec, games: int, sprt: Sprt, workers: int | None, progress: Callable[[Check, float], None] | None
    ) -> Check:
        """Play the best against the base with fresh seeds."""

    @property
    def sendable(self) -> bool:
        """Whether the games can be played in other processes."""
        return can_be_sent((self.game, self.base))

    def count(self, workers: int | None, jobs: int | None = None) -> int | None:
        """How many workers play at once; None: as many as the cluster has CPUs."""
        if workers is None and self.ray is not None:
            return None
        found = workers or cores()
        return 1 if not self.sendable and self.ray is None else found if jobs is None else min(found, jobs)

    @property
    def fresh_seed(self) -> int:
        """Of the openings and luck that no trial has seen."""
        return seed_of(self.seed, "verify") % 2**32


@dataclass
class MatchObjective(Objective):
    """The share of the points against the base, from the same openings for every trial."""

    openings: str | Path | None = None
    plies: int | None = None

    unit = "Elo"
    games_of_value = 2

    def _match(self, spec: Spec, games: int, seed: int, **options: Any) -> Match:
        return make_match(
            self.game,
            [spec, self.base],
            games=games,
            openings=self.openings,
            plies=self.plies,
            seed=seed,
            max_moves=self.max_moves,
            db=self.db,
            margin=MARGIN,
            **options,
        )

    def contest(self, spec: Spec) -> Contest:
        return MatchContest(self._match(spec, self.games, self.seed, concurrency=1))

    def baseline(self) -> Contest | None:
        return None

    def difference(self, values: Sequence[float], base: Sequence[float]) -> Estimate:
        tally = tally_of(values)
        return Estimate(tally.elo, *tally.elo_interval)

    def check(
        self, best: Spec, games: int, sprt: Sprt, workers: int | None, progress: Callable[[Check, float], None] | None
    ) -> Check:
        match = self._match(best, games, self.fresh_seed, sprt=sprt, concurrency=self.count(workers), ray=self.ray)
        found = MatchCheck(match.result())

        def told(match: Match) -> None:
            found.result = match.result()
            if progress is not None:
                progress(found, len(match.done) / len(match.jobs))

        try:
            match.run(told)
        except KeyboardInterrupt:
            found.interrupted = True
        finally:
            found.result = match.result()
            match.close()
        return found


@dataclass
class ScoreObjective(Objective):
    """The mean score; every trial has the luck that the base had."""

    unit = "points"
    games_of_value = 1

    def contest(self, spec: Spec) -> Contest:
        return ScoreContest(self.game, spec, self.games, self.seed, self.max_moves, self.db)

    def baseline(self) -> Contest | None:
        return self.contest(self.base)

    def difference(self, values: Sequence[float], base: Sequence[float]) -> Estimate:
        leads = [value - other for value, other in zip(values, base, strict=False)]
        lead, error = sum(leads) / len(leads), half_width(leads, CONFIDENCE)
        return Estimate(lead, lead - error, lead + error)

    def check(
        self, best: Spec, games: int, sprt: Sprt, workers: int | None, progress: Callable[[Check, float], None] | None
    ) -> Check:
        both = [
            ScoreContest(self.game, spec, games, self.fresh_seed, self.max_moves, self.db) for spec in (best, self.base)
        ]
        found = ScoreCheck(both[0].scores, both[1].scores, games)

        def finished(answer: tuple[int, Any]) -> bool:
            number, record = answer
            if isinstance(record, UnfitPlayer):
                raise record
            both[number].add(record)
            found.best, found.base = both[0].scores, both[1].scores
            if progress is not None:
                progress(found, sum(contest.played for contest in both) / (2 * games))
            return False

        left = [(job[1], number, contest.maker, *job) for number, contest in enumerate(both) for job in contest.left()]
        jobs = [(*job,) for _, *job in sorted(left, key=lambda one: one[:2])]  # both get on at the same pace
        try:
            if jobs:
                count = self.count(workers, len(jobs))
                needs = self.game, self.base, best
                play_contests(jobs, finished, count, "the tuning", ADVICE, ray=self.ray, needs=needs)
        except KeyboardInterrupt:
            found.interrupted = True
        finally:
            for contest in both:
                contest.close()
        return found


def tally_of(values: Sequence[float]) -> Tally:
    """The tally of shares of the points of pairs. Which games of a pair were draws it can't tell: only the score, the
    pairs and what follows from them are right.

    >>> tally_of([0.5, 1.0, 1.0, 0.75]).score
    0.8125
    """
    kinds = [sum(1 for value in values if value == kind) for kind in PAIR_SCORES]
    half = kinds[1] + kinds[3]
    return Tally(2 * kinds[4] + kinds[3] + kinds[2], half, 2 * kinds[0] + kinds[1] + kinds[2], (*kinds,))  # type: ignore[arg-type]


def figures(objective: Objective, values: Sequence[float], base: Sequence[float]) -> dict[str, Any]:
    """What a trial keeps of its games."""
    return {
        "games": len(values) * objective.games_of_value,
        "mean": sum(values) / len(values),
        "difference": list(objective.difference(values, base)),
    }
