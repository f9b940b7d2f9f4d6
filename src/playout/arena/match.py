"""A match: the schedule, the openings, the games played so far, and when it is decided."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.common.runtime import cores
from playout.errors import SettingsError
from playout.game import Game
from playout.play.chance import seed_of
from playout.play.clock import Clock
from playout.play.openings import FileOpenings, Opening, RandomOpenings, read_openings
from playout.play.players import PATIENCE, check_players
from playout.play.record import Record, range_fault
from playout.play.referee import MARGIN, MAX_MOVES, MatchSetup, Referee, ScheduledGame, schedule
from playout.play.source import GameSource, identity
from playout.play.spec import Spec, complete, read_specs
from playout.play.store import ResultsFile
from playout.settings import Settings
from playout.workers.site import can_be_sent, check_can_travel
from playout.workers.workers import Workers

from .result import MatchResult
from .statistics import Sprt

PLIES = 4  # of a random opening


@dataclass
class Match:
    """A match that can be run, interrupted and resumed. `play_match` is the short way."""

    setup: MatchSetup
    game: Game
    openings: RandomOpenings | FileOpenings
    jobs: list[ScheduledGame]
    store: ResultsFile[Record]
    concurrency: int  # 0: as many as the CPUs of the cluster
    sprt: Sprt | None = None
    done: dict[int, Record] = field(default_factory=dict)
    resumed: int = 0
    ray: str | None = None

    def __post_init__(self) -> None:
        self.done = {r.number: r for r in self.store.records() if r.number < len(self.jobs)}
        self.resumed = len(self.done)

    def run(self, progress: Callable[["Match"], None] | None = None) -> MatchResult:
        """Play the remaining games. Ctrl-C (KeyboardInterrupt) ends it at once; `result` has the finished games."""
        left = self.left()

        def finished(record: Record) -> bool:
            self.add(record)
            if progress is not None:
                progress(self)
            return self.decided()[1] is not None

        if progress is not None:
            progress(self)
        if left and self.decided()[1] is None:
            if self.concurrency == 1 and self.ray is None:
                self._play_here(left, finished)
            else:
                advice = "; the games recorded so far are kept, and the same command resumes the match"
                count = min(self.concurrency, len(left)) if self.concurrency else None
                workers = Workers(self.setup.referee, count, "the arena", advice, ray=self.ray, most=len(left))
                workers.play(((job, self.opening(job)) for job in left), finished)
        return self.result()

    def left(self) -> list[ScheduledGame]:
        """The games that are not played yet."""
        return [job for job in self.jobs if job.number not in self.done]

    def add(self, record: Record) -> None:
        """Keep a game that was played."""
        self.store.add(record)
        self.done[record.number] = record

    def opening(self, job: ScheduledGame) -> Opening:
        """The opening of a game."""
        return self.openings[job.opening]

    def decided(self) -> tuple[int, str | None]:
        """How many games count, and the decision of the test ("H1", "H0", or None).

        The test takes the pairs in the order of the schedule, so that its decision does not depend on how many games
        are played at once, or on which of them are short.
        """
        if self.sprt is None:
            return len(self.jobs), None
        kinds = [0] * 5
        for number, points in enumerate(self.pairs()):
            kinds[round(2 * points)] += 1
            if found := self.sprt.decision(kinds):
                return 2 * number + 2, found
        return len(self.jobs), None

    def pairs(self) -> Iterator[float]:
        """The points of the first of two players from each opening, in order, as far as all before are finished."""
        for first in range(0, len(self.jobs) - 1, 2):
            if first not in self.done or first + 1 not in self.done:
                return
            games = (self.done[first], self.done[first + 1])
            yield sum(r.score(r.players.index(0), r.players.index(1)) for r in games)

    def result(self) -> MatchResult:
        """The result of the finished games; games after the end of the test are recorded but not counted."""
        count, decision = self.decided()
        records = [self.done[number] for number in sorted(self.done) if number < count]
        names = [spec.name for spec in self.setup.players]
        values = {k: v for k, v in self.game.values.items() if v != self.game.settings[k]}
        return MatchResult(
            self.game.title,
            values,
            names,
            records,
            len(self.jobs),
            self.sprt,
            decision,
            self.resumed,
            self.game.players,
        )

    def close(self) -> None:
        """Close the results file."""
        self.store.close()

    def _play_here(self, left: list[ScheduledGame], finished: Callable[[Record], bool]) -> None:
        referee = Referee(self.game, self.setup)
        try:
            for job in left:
                if finished(referee.play(job, self.opening(job))):
                    return
        finally:
            referee.close()


@refuses_unknown_names
def make_match(
    game: Game | str,
    players: Sequence[str | Settings | Spec],
    *,
    games: int = 100,
    settings: dict[str, Any] | None = None,
    openings: str | Path | None = None,
    plies: int | None = None,
    seed: int | None = 0,
    simulations: int | None = None,
    seconds: float | None = None,
    clock: Clock | str | float | None = None,
    max_moves: int = MAX_MOVES,
    concurrency: int | None = None,
    sprt: Sprt | tuple[float, float] | None = None,
    round_robin: bool = False,
    db: str | Path | None = None,
    margin: float = MARGIN,
    patience: float = PATIENCE,
    ray: str | None = None,
) -> Match:
    """A match, checked and ready to `run`; see `play_match` for the arguments."""
    games, max_moves, seed = whole_from(games, "games"), whole_from(max_moves, "max_moves"), seed_from(seed)
    _check(margin=margin, patience=patience)
    source = GameSource.of(game, settings, "the arena")
    game = source.load()
    if game.players < 2:
        raise SettingsError(
            f"{game.title} has one player, and the arena needs at least two; `playout evaluate {game.title}` compares "
            f"players by their scores"
        )
    if clock is not None and not isinstance(clock, Clock):
        clock = Clock.read(str(clock))
    specs = complete(read_specs(players, game), simulations, seconds, clock)
    seatings = _seatings(game, specs, games, round_robin)
    if sprt is not None and not isinstance(sprt, Sprt):
        if not isinstance(sprt, tuple | list) or len(sprt) != 2 or not all(isinstance(n, int | float) for n in sprt):
            raise SettingsError(f"sprt is {sprt!r:.80}, expected two Elo differences, as in (0, 10)")
        sprt = Sprt(*sprt)
    if sprt is not None:
        if len(specs) != 2 or game.players != 2:
            raise SettingsError(f"a test (sprt) is between two players, and there are {len(specs)}")
        if not sprt.elo0 < sprt.elo1:
            raise SettingsError(f"sprt is {sprt.elo0:g},{sprt.elo1:g}, expected elo0 below elo1, as in 0,10")
    setup = MatchSetup(source, specs, seed, clock, max_moves, margin, patience)
    if concurrency is not None and (not isinstance(concurrency, int) or not 1 <= concurrency <= 1024):
        raise SettingsError(f"concurrency is {concurrency!r}, expected a number of games from 1 to 1024")
    if ray is not None:
        check_can_travel((setup, game if game.keeps_objects else None), game.title)
    elif not can_be_sent(setup) or (game.keeps_objects and not can_be_sent(game)):
        if concurrency is not None and concurrency > 1:
            raise SettingsError(
                f"{game.title} can't be sent to another process; leave concurrency at 1, or define the game as a class "
                f"of a module (of a Python object: name what makes it, as file.py:name)"
            )
        concurrency = 1
    check_players(specs, game, patience)
    if openings is not None:
        found: RandomOpenings | FileOpenings = FileOpenings(read_openings(game, Path(openings), plies))
    else:
        if plies is not None and not (isinstance(plies, int) and 0 <= plies <= 1000):
            raise SettingsError(f"plies is {plies!r}, expected a whole number from 0 to 1000")
        found = RandomOpenings(game, PLIES if plies is None else plies, seed)
    description = {
        **identity(game),
        "players": [spec.to_dict() for spec in specs],
        "seed": seed,
        "openings": {"random": PLIES if plies is None else plies}
        if openings is None
        else seed_of(*((o.start, o.moves) for o in found.found)),
        "clock": [clock.base, clock.increment] if clock else None,
        "max_moves": max_moves,
        "margin": margin,
    }
    jobs = schedule(seatings, games // game.players)
    store = ResultsFile(db, description, Record, partial(_fault, game, len(specs)))
    return Match(setup, game, found, jobs, store, concurrency or (0 if ray else cores()), sprt, ray=ray)


def play_match(
    game: Game | str,
    players: Sequence[str | Settings | Spec],
    *,
    record: str | Path | None = None,
    progress: Callable[[Match], None] | None = None,
    **options: Any,
) -> MatchResult:
    """Play a match and return its result.

    `games` for each two players, with paired openings of random `plies` or from a file `openings`; `simulations`,
    `seconds` (a move) or `clock` ("1+0.05") for players without limits of their own; `sprt` (elo0, elo1) ends it
    early; `round_robin` for more than two players; `db` is the results file, `record` gets the games (PGN for chess,
    JSON lines for others); `concurrency` games at once (in processes when more than one); `ray` is the address of a
    cluster that plays them.

    >>> play_match("tictactoe", ["default,n=200", "random"], games=4, concurrency=1).tally().losses
    0
    """
    match = make_match(game, players, **options)
    try:
        result = match.run(progress)
    finally:
        try:
            if record is not None:
                match.result().write(record)
        finally:
            match.close()
    return result


def _check(margin: float, patience: float) -> None:
    numbers = isinstance(margin, int | float) and isinstance(patience, int | float)
    if not numbers or not 0 <= margin < 1e6 or not 0 < patience < 1e6:
        raise SettingsError(
            f"margin is {margin!r} and patience {patience!r}, expected seconds, of at least 0 and above 0"
        )


def _fault(game: Game, players: int, record: Record) -> str:
    """What is impossible about a recorded game; nothing where it can be."""
    if len(record.players) != game.players or not set(record.players) <= set(range(players)):
        return f"players is {list(record.players)}, and the match has {players}"
    if len(record.returns) != game.players:
        return f"returns is {list(record.returns)}, and {game.title} has {game.players} players"
    return range_fault(game, record.returns) if record.termination == "normal" else ""


def _seatings(game: Game, specs: list[Spec], games: int, round_robin: bool) -> list[tuple[int, ...]]:
    """Which players meet. With more than two seats, all players meet, and each sits in every seat."""
    seats, count = game.players, len(specs)
    if games % seats:
        raise SettingsError(f"games is {games}, expected a multiple of {seats}: each opening is played from every seat")
    if seats > 2:
        if count != seats:
            raise SettingsError(f"{game.title} has {seats} players, and {count} were given; give {seats}")
        return [tuple(range(count))]
    if count < 2:
        raise SettingsError(f"{count} player{'s' * (count != 1)} given, expected two, or more with round-robin")
    if count > 2 and not round_robin:
        raise SettingsError(f"{count} players given; two play a match, and more of them need a round robin")
    return list(combinations(range(count), 2))
