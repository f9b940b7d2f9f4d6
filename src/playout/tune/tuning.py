"""A tuning: trials one after the other, their games in parallel, and the best of them against the base."""

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from playout.arena import Sprt
from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.contests import Contest, play_contests
from playout.errors import PlayoutError, SettingsError
from playout.game import Game
from playout.play.openings import read_openings
from playout.play.players import UnfitPlayer, check_player
from playout.play.referee import MAX_MOVES
from playout.play.source import GameSource, identity
from playout.play.spec import SEARCH, Spec, complete
from playout.report.intervals import Estimate
from playout.scores import ENDLESS
from playout.search.limits import Limits
from playout.settings import preset_for
from playout.settings.options import make_settings
from playout.workers.site import check_can_travel

from .objectives import ADVICE, EVEN, MatchObjective, Objective, ScoreObjective, figures
from .result import COMPLETE, PRUNED, REFUSED, RUNNING, Check, TrialRow, TuningResult, written
from .space import Space, read_space
from .study import OUTCOME, PRUNERS, SAMPLERS, TuningStudy, load_optuna, make_pruner, open_study
from .study import REFUSED as REASON

TRIALS = 50
GAMES = 40  # of a trial
BATCHES = 5  # of a trial, after each of which it may be given up
SIMULATIONS = 1000  # a move, where no limit is given
VERIFY_GAMES = 2000
SPRT = (0.0, 10.0)
KEEP = 2  # trials whose searches a process keeps: games of the last one may still be under way


@dataclass
class TrialRun:
    """A trial under way, or the base, which plays first where the objective asks for it."""

    key: int
    contest: Contest
    trial: Any  # None: the base
    due: int  # values after which the pruner is asked
    ended: bool = False


@dataclass
class Tuning:
    """A tuning that can be run, interrupted and resumed. `tune` is the short way."""

    game: Game
    space: Space
    objective: Objective
    limits: Limits
    study: TuningStudy
    trials: int
    batch: int  # values
    seconds: float | None  # in all
    workers: int | None
    held: contextlib.ExitStack
    base_values: list[float] = field(default_factory=list)
    now: TrialRun | None = None
    found: Check | None = None

    def __post_init__(self) -> None:
        self.resumed = self.study.ended
        self.began = time.monotonic()

    def run(self, progress: Callable[["Tuning"], None] | None = None) -> TuningResult:
        """Play the remaining trials. Ctrl-C (KeyboardInterrupt) ends it at once; `result` has what is finished."""
        self.began = time.monotonic()

        def finished(answer: tuple[int, Any]) -> bool:
            number, record = answer
            run = self.now
            if run is not None and number == run.key:  # else: of a trial that was given up meanwhile
                if isinstance(record, UnfitPlayer):
                    self._refuse(run, record)
                else:
                    run.contest.add(record)
                    self._advance(run)
            if progress is not None:
                progress(self)
            return self._late()

        self._leave()
        objective = self.objective
        count, needs = objective.count(self.workers, objective.games), (objective.game, objective.base)
        play_contests(self._jobs(), finished, count, "the tuning", ADVICE, KEEP, ray=objective.ray, needs=needs)
        return self.result()

    def verify(
        self,
        games: int = VERIFY_GAMES,
        sprt: Sprt | None = None,
        progress: Callable[[Check, float], None] | None = None,
    ) -> Check | None:
        """Play the best trial against the base with fresh seeds; None before a trial is complete."""
        found = self.result()
        if found.best is None:
            return None
        spec = self._spec(found.best.chosen)
        self.found = self.objective.check(spec, games, sprt or Sprt(*SPRT), self.workers, progress)
        return self.found

    def result(self) -> TuningResult:
        """What the finished trials say."""
        rows = [self._row(trial) for trial in self.study.begun]
        played = [row for row in rows if row.games]
        return TuningResult(
            self.game.title,
            self.space.base_name,
            sum(self.base_values) / len(self.base_values) if self.base_values else EVEN,
            tuple(dimension.text for dimension in self.space.dimensions),
            self.limits,
            self.objective.unit,
            self.objective.games,
            self.trials,
            self.objective.seed,
            tuple(rows),
            self.resumed,
            self.space.preset,
            {row.number: self.space.changes(row.chosen) for row in played},
            {row.number: self.space.settings(row.chosen) for row in played},
            self.found,
        )

    @property
    def best_text(self) -> str:
        """The best trial so far for the progress bar."""
        best = self.result().best
        return "" if best is None else f" · best {written(best.difference.value, self.objective.unit)}"

    def close(self) -> None:
        """Close the results file and release the study."""
        self._leave()
        self.held.close()

    def _leave(self) -> None:
        """Close the games of a trial that was interrupted; what it played is in the file."""
        if self.now is not None:
            self.now.contest.close()
            self.now = None

    def _jobs(self) -> Iterator[tuple[Any, ...] | None]:
        """The games of one trial after the other; None while the last games of one are under way.

        Whether a trial is given up depends on its games in the order of the schedule. Games that were begun beyond that
        point are not counted, and so the number of workers changes nothing.
        """
        for run in self._runs():
            self.now = run
            self._advance(run)
            for job in [] if run.ended else run.contest.left():
                yield (run.key, run.contest.maker, *job)
                if run.ended:
                    break
            while not run.ended:
                yield None
            run.contest.close()
            self.now = None

    def _runs(self) -> Iterator[TrialRun]:
        first = self.objective.baseline()
        if first is None:
            self.base_values = [EVEN] * self.objective.total
            self.study.add_baseline(self.base_values)
        else:
            yield TrialRun(-1, first, None, self.objective.total)
        while self.study.ended < self.trials and not self._late():
            trial = self.study.ask()
            chosen = self.space.suggest(trial)
            try:
                spec = self._spec(chosen)
                check_player(spec, self.game)
            except PlayoutError as error:
                self.study.refuse(trial, str(error).removeprefix("settings: "))
                continue
            due = max(self.batch, self.study.reported(trial))
            yield TrialRun(trial.number, self.objective.contest(spec), trial, due)

    def _advance(self, run: TrialRun) -> None:
        """Report complete batches, and end the trial at its last one or where it is given up."""
        values, total = run.contest.values(), self.objective.total
        while not run.ended and run.due <= len(values):
            seen = values[: run.due]
            if run.trial is None:
                self.base_values, run.ended = seen, True
                self.study.add_baseline(seen)
                return
            if self.study.report(run.trial, seen) or run.due == total:
                self.study.tell(run.trial, seen, figures(self.objective, seen, self.base_values))
                run.ended = True
            run.due = min(run.due + self.batch, total)

    def _refuse(self, run: TrialRun, error: UnfitPlayer) -> None:
        """End a trial whose settings a position does not fit; where they are the base's, nothing can be tuned."""
        if run.trial is None or error.player != 0:
            raise error
        if not run.ended:
            self.study.refuse(run.trial, error.reason)
            run.ended = True

    def _late(self) -> bool:
        return self.seconds is not None and time.monotonic() - self.began > self.seconds

    def _spec(self, chosen: Mapping[str, Any]) -> Spec:
        name = ",".join(f"{key}={value}" for key, value in self.space.changes(chosen).items())
        spec = Spec(name, SEARCH, self.space.settings(chosen))
        return complete([spec], self.limits.simulations, self.limits.seconds, None)[0]

    def _row(self, trial: Any) -> TrialRow:
        chosen = {d.name: d.value(trial.params[d.name]) for d in self.space.dimensions if d.name in trial.params}
        if reason := trial.user_attrs.get(REASON):
            return TrialRow(trial.number, chosen, REFUSED, reason=reason)
        outcome = trial.user_attrs.get(OUTCOME)
        if outcome is None or not trial.state.is_finished():
            return TrialRow(trial.number, chosen, RUNNING)
        state = COMPLETE if outcome["games"] == self.objective.games else PRUNED
        return TrialRow(
            trial.number, chosen, state, outcome["games"], outcome["mean"], Estimate(*outcome["difference"])
        )


@refuses_unknown_names
def make_tuning(
    game: Game | str,
    over: Any,
    *,
    preset: str | None = None,
    options: Mapping[str, Any] | None = None,
    trials: int = TRIALS,
    games: int = GAMES,
    batch: int | None = None,
    minutes: float | None = None,
    settings: Mapping[str, Any] | None = None,
    simulations: int | None = None,
    seconds: float | None = None,
    openings: str | Path | None = None,
    plies: int | None = None,
    max_moves: int | None = None,
    sampler: str = SAMPLERS[0],
    pruner: str = PRUNERS[0],
    seed: int | None = 0,
    workers: int | None = None,
    db: str | Path | None = None,
    study: str | None = None,
    ray: str | None = None,
) -> Tuning:
    """A tuning, checked and ready to `run`; see `tune` for the arguments."""
    loaded = GameSource.of(game, settings, "tune").load()
    if loaded.players > 2:
        raise SettingsError(f"{loaded.title} has {loaded.players} players, and searches of one or two can be tuned")
    if loaded.players == 1 and (openings is not None or plies is not None):
        raise SettingsError(f"{loaded.title} has one player, whose games begin at the start; leave the openings out")
    seed, trials = seed_from(seed), whole_from(trials, "trials")
    _one_of("sampler", sampler, SAMPLERS)
    _one_of("pruner", pruner, PRUNERS)
    if minutes is not None and not (isinstance(minutes, int | float) and 0 < minutes < 1e6):
        raise SettingsError(f"minutes is {minutes!r:.80}, expected a number above 0")
    workers = None if workers is None else whole_from(workers, "workers", most=1024)
    name = preset_for(loaded, preset)
    given = {key: str(value) for key, value in (options or {}).items()}
    make_settings(name, given)
    space = read_space(over, loaded, name, given)
    limits = Limits(simulations, seconds) if simulations is not None or seconds is not None else Limits(SIMULATIONS)
    base = complete([Spec(space.base_name, SEARCH, space.base)], limits.simulations, limits.seconds, None)[0]
    most = whole_from((MAX_MOVES if loaded.players == 2 else ENDLESS) if max_moves is None else max_moves, "max_moves")
    games = whole_from(games, "games", 2 * loaded.players)
    objective: Objective
    if loaded.players == 2:
        if games % 2:
            raise SettingsError(f"games is {games}, expected an even number: each opening is played from both sides")
        objective = MatchObjective(loaded, base, games, seed, most, db, openings, plies)
    else:
        objective = ScoreObjective(loaded, base, games, seed, most, db)
    if ray is not None:
        check_can_travel((loaded, base), loaded.title)
        objective.ray = ray
    per = objective.games_of_value
    values = max(2, -(-objective.total // BATCHES)) if batch is None else whole_from(batch, "batch", per, games) // per
    replace(objective, db=None).contest(base).close()  # mistakes in the openings come before Optuna is loaded
    optuna = load_optuna(sampler)
    description = {
        **identity(loaded),
        "base": space.base_name,
        "searching by": space.base.to_dict(),
        **({"sources": sources} if (sources := space.sources()) else {}),
        "over": [dimension.text for dimension in space.dimensions],
        "simulations": limits.simulations,
        "seconds": limits.seconds,
        "games": games,
        "batch": values * per,
        "openings": None
        if openings is None
        else [[o.start, list(o.moves)] for o in read_openings(loaded, Path(openings), plies)],
        "plies": plies,
        "max_moves": most,
        "pruner": pruner,
        "seed": seed,
    }
    held = contextlib.ExitStack()
    opened = held.enter_context(
        open_study(optuna, db, study or loaded.title, description, make_pruner(optuna, pruner, values))
    )
    kept = TuningStudy(optuna, opened, space, seed, sampler, pruner == "wilcoxon", objective.total)
    return Tuning(
        loaded, space, objective, limits, kept, trials, values, None if minutes is None else 60 * minutes, workers, held
    )


def tune(
    game: Game | str,
    over: Any,
    *,
    verify: bool = False,
    verify_games: int = VERIFY_GAMES,
    sprt: tuple[float, float] = SPRT,
    progress: Callable[[Tuning], None] | None = None,
    **options: Any,
) -> TuningResult:
    """Tune search settings by playing, and return what was found.

    `over` says what is tuned: "c=0.5..4,policy=uct,puct" or {"c": (0.5, 4), "policy": ["uct", "puct"]}; the rest is as
    in `preset` (the game's own) with `options`. A trial plays `games`: of two players against the base, of one player
    with the luck that the base had; after each `batch` of them, `pruner` may give it up. `sampler` and `pruner` are
    Optuna's. `trials` in all, within `minutes`; `db` is the file in which a `study` is kept and resumed. `verify` plays
    the best against the base with fresh seeds. `ray` is the address of a cluster that plays the games.

    >>> found = tune("tictactoe", {"c": (0.2, 3.0)}, trials=2, games=4, simulations=20, workers=1)
    >>> len(found.rows), found.player.partition("=")[0]
    (2, 'default,c')
    """
    tuning = make_tuning(game, over, **options)
    try:
        checked = check_verify_games(verify_games, tuning.game)
        tuning.run(progress)
        if verify:
            tuning.verify(checked, Sprt(*sprt))
        return tuning.result()
    finally:
        tuning.close()


def check_verify_games(games: int, game: Game) -> int:
    """The games of a check; an even number of them for two players."""
    found = whole_from(games, "verify_games", 2)
    if found % game.players:
        raise SettingsError(f"verify_games is {found}, expected an even number: each opening is played from both sides")
    return found


def _one_of(name: str, given: Any, known: tuple[str, ...]) -> None:
    if given not in known:
        raise SettingsError(f"{name} is {given!r:.80}, expected one of {', '.join(known)}")
