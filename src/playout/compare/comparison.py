"""A comparison: every variant against the same references, at equal simulations and at equal time."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from playout.arena import make_match
from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.common.runtime import cores
from playout.contests import Contest, MatchContest, ScoreContest, play_contests
from playout.errors import PlayoutError, SettingsError
from playout.game import Game
from playout.play.players import UnfitPlayer, check_player
from playout.play.referee import MAX_MOVES
from playout.play.source import GameSource
from playout.play.spec import Spec, complete, spec_of
from playout.scores import ENDLESS
from playout.search.limits import Limits
from playout.settings import preset_for
from playout.workers.site import can_be_sent, check_can_travel

from .result import ComparisonResult, EloRow, PointsRow, Section
from .variants import EXAMPLES, LeftOut, Variant, default_variants, read_variants

BASE = "default"
GAMES = 100  # of each variant
SIMULATIONS = 1000  # a move, where no limit is given
MARGIN = 60.0  # seconds by which a move may be late: what else the machine does, the compiler included, is no fault
ADVICE = "; the games recorded so far are kept, and the same command goes on"


@dataclass(frozen=True)
class Group(ABC):
    """The contests of one section, in the order of the variants."""

    limits: Limits
    reference: Variant
    variants: Sequence[Variant]

    @property
    @abstractmethod
    def contests(self) -> list[Contest]:
        """All games that the section needs."""

    @property
    @abstractmethod
    def of_variants(self) -> Sequence[Contest]:
        """A contest for each variant."""

    @abstractmethod
    def section(self) -> Section:
        """What was found so far, without the variants that were refused."""

    def refused(self) -> list[LeftOut]:
        """The variants with settings that a position of the game did not fit."""
        pairs = zip(self.variants, self.of_variants, strict=True)
        return [LeftOut(variant.name, contest.refused) for variant, contest in pairs if contest.refused]


@dataclass(frozen=True)
class MatchGroup(Group):
    """A match of each variant against the reference."""

    matches: Sequence[MatchContest]

    @property
    def contests(self) -> list[Contest]:
        return [*self.matches]

    @property
    def of_variants(self) -> Sequence[Contest]:
        return self.matches

    def section(self) -> Section:
        rows = [
            EloRow(variant.name, variant.text, contest.rates(0), contest.result)
            for variant, contest in zip(self.variants, self.matches, strict=True)
            if not contest.refused
        ]
        rates = [rate for contest in self.matches for rate in contest.rates(1)]
        return Section(self.limits, EloRow(self.reference.name, self.reference.text, rates, None), tuple(rows))


@dataclass(frozen=True)
class ScoreGroup(Group):
    """The scores of each variant, and those of the reference."""

    players: Sequence[ScoreContest]
    own: ScoreContest  # of the reference

    @property
    def contests(self) -> list[Contest]:
        return [self.own, *self.players]

    @property
    def of_variants(self) -> Sequence[Contest]:
        return self.players

    def section(self) -> Section:
        own = self.own.scores
        rows = [
            PointsRow(variant.name, variant.text, contest.rates(), contest.scores, own)
            for variant, contest in zip(self.variants, self.players, strict=True)
            if not contest.refused
        ]
        reference = PointsRow(self.reference.name, self.reference.text, self.own.rates(), own, own)
        return Section(self.limits, reference, tuple(rows))


class Comparison:
    """A comparison that can be run, interrupted and resumed. `compare` is the short way."""

    def __init__(
        self,
        game: Game,
        groups: Sequence[Group],
        left_out: Sequence[LeftOut],
        seed: int,
        workers: int | None,
        ray: str | None = None,
    ) -> None:
        self.game, self.groups, self.left_out, self.seed = game, groups, left_out, seed
        self.workers, self.ray = workers, ray
        self.contests = list({id(contest): contest for group in groups for contest in group.contests}.values())
        self.resumed = self.played
        self.wanted = self.resumed + sum(len(contest.left()) for contest in self.contests)

    @property
    def played(self) -> int:
        """How many games are finished."""
        return sum(contest.played for contest in self.contests)

    def run(self, progress: Callable[["Comparison"], None] | None = None) -> ComparisonResult:
        """Play the remaining games. Ctrl-C (KeyboardInterrupt) ends it at once; `result` has the finished games."""
        jobs = list(self._jobs())

        def finished(answer: tuple[int, Any]) -> bool:
            number, record = answer
            if isinstance(record, UnfitPlayer):
                self._refuse(self.contests[number], record)
            else:
                self.contests[number].add(record)
            if progress is not None:
                progress(self)
            return False

        if jobs:
            makers = [contest.maker for contest in self.contests]
            count = None if self.workers is None and self.ray else min(self.workers or cores(), len(jobs))
            if self.ray is not None:
                check_can_travel(makers, self.game.title)
            elif not can_be_sent(makers):
                count = 1
            possible = (job for job in jobs if not self.contests[job[0]].refused)
            play_contests(possible, finished, count, "the comparison", ADVICE, ray=self.ray, needs=makers)
        return self.result()

    def _refuse(self, contest: Contest, error: UnfitPlayer) -> None:
        """Leave a variant out that can't play on; where it is the reference, nothing can be compared."""
        if error.player != 0 or any(isinstance(g, ScoreGroup) and g.own is contest for g in self.groups):
            raise SettingsError(f"reference '{error.name}': {error.reason}")
        if not contest.refused:
            contest.refused = error.reason
            self.wanted -= len(contest.left())

    def _jobs(self) -> Iterator[tuple[Any, ...]]:
        """The games left, section by section; within one, all variants get on at the same pace."""
        numbers = {id(contest): number for number, contest in enumerate(self.contests)}
        for group in self.groups:
            waiting = {numbers.pop(id(c)): c for c in group.contests if id(c) in numbers}
            for turn in zip_longest(*([(n, c.maker, *job) for job in c.left()] for n, c in waiting.items())):
                yield from (job for job in turn if job is not None)

    def result(self) -> ComparisonResult:
        """What the finished games say."""
        return ComparisonResult(
            self.game.title,
            self.seed,
            self.wanted,
            self.resumed,
            self.played,
            tuple(group.section() for group in self.groups),
            tuple(dict.fromkeys([*self.left_out, *(left for group in self.groups for left in group.refused())])),
        )

    def close(self) -> None:
        """Close the results file."""
        for contest in self.contests:
            contest.close()


@refuses_unknown_names
def make_comparison(
    game: Game | str,
    variants: Sequence[str | Spec] | None = None,
    *,
    against: Sequence[str | Spec] | None = None,
    base: str = BASE,
    games: int = GAMES,
    settings: Mapping[str, Any] | None = None,
    simulations: int | None = None,
    seconds: float | None = None,
    openings: str | Path | None = None,
    plies: int | None = None,
    max_moves: int | None = None,
    seed: int | None = 0,
    workers: int | None = None,
    db: str | Path | None = None,
    ray: str | None = None,
) -> Comparison:
    """A comparison, checked and ready to `run`; see `compare` for the arguments."""
    loaded = GameSource.of(game, settings, "compare").load()
    if loaded.players > 2:
        raise SettingsError(f"{loaded.title} has {loaded.players} players, and games of one or two can be compared")
    if loaded.players == 1 and (openings is not None or plies is not None):
        raise SettingsError(f"{loaded.title} has one player, whose games begin at the start; leave the openings out")
    games, seed = whole_from(games, "games"), seed_from(seed)
    workers = None if workers is None else whole_from(workers, "workers")
    base = _base(base, loaded)
    found, left_out = (
        default_variants(loaded, base) if variants is None else (_without_limits(variants, loaded, base), [])
    )
    if not found:
        raise SettingsError(f"there are no variants to compare; name some, as in {EXAMPLES}")
    references = read_variants(against or [base], loaded, base, "reference")
    at = [Limits(simulations)] if simulations is not None else []
    at += [Limits(seconds=seconds)] if seconds is not None else []
    groups = list[Group]()
    known = list[ScoreContest]()
    for limits in at or [Limits(SIMULATIONS)]:
        for reference in references:
            if loaded.players == 1:
                most = ENDLESS if max_moves is None else whole_from(max_moves, "max_moves")
                contests = list[ScoreContest]()
                for variant in (*found, reference):
                    spec = complete([variant.spec], limits.simulations, limits.seconds, None)[0]
                    contest = next((contest for contest in known if contest.spec == spec), None)
                    contests.append(contest or ScoreContest(loaded, spec, games, seed, most, db))
                    known.append(contests[-1])
                groups.append(ScoreGroup(limits, reference, found, contests[:-1], contests[-1]))
                continue
            matches = [
                make_match(
                    loaded,
                    [variant.spec, reference.spec],
                    games=games,
                    openings=openings,
                    plies=plies,
                    seed=seed,
                    simulations=limits.simulations,
                    seconds=limits.seconds,
                    max_moves=MAX_MOVES if max_moves is None else max_moves,
                    concurrency=1,  # the games are played by the workers of the comparison
                    db=db,
                    margin=MARGIN,
                )
                for variant in found
            ]
            groups.append(MatchGroup(limits, reference, found, [MatchContest(match) for match in matches]))
    return Comparison(loaded, groups, left_out, seed, workers, ray)


def compare(
    game: Game | str,
    variants: Sequence[str | Spec] | None = None,
    *,
    progress: Callable[[Comparison], None] | None = None,
    **options: Any,
) -> ComparisonResult:
    """Compare variants of a search and return what was found.

    Without `variants`, all that Playout has and the game can be searched with, as changes of `base` (a preset, with
    options if wanted). They play `games` each, at `simulations` and at `seconds` a move, `against` one or several
    players, by default the base itself. In games of two players all play the same openings (of random `plies`, or from
    a file `openings`) from both sides; games of one player have the same luck. `db` is the results file; `workers` play
    at once, on the cluster `ray` if there is one.

    >>> found = compare("tictactoe", ["puct"], games=2, simulations=20, workers=1)
    >>> found.sections[0].rows[0].games
    2
    """
    comparison = make_comparison(game, variants, **options)
    try:
        return comparison.run(progress)
    finally:
        comparison.close()


def _base(text: str, game: Game) -> str:
    """The base with the name of its preset; `SettingsError` where it can't be."""
    try:
        if not isinstance(text, str):
            raise SettingsError("expected a text as in default or connect4,c=2")
        preset, comma, options = text.partition(",")
        text = f"{preset_for(game, preset.strip())}{comma}{options}"
        check_player(spec_of(text, text, game, BASE), game)
    except PlayoutError as error:
        raise SettingsError(f"base {text!r:.80}: {error}") from None
    return text


def _without_limits(given: Sequence[str | Spec], game: Game, base: str) -> list[Variant]:
    found = read_variants(given, game, base)
    for variant in found:
        if variant.spec.simulations is not None or variant.spec.seconds is not None:
            raise SettingsError(
                f"variant '{variant.name}' has a limit of its own, and all variants get the same; leave n and t out"
            )
    return found
