"""`playout tune`: search settings by playing games."""

from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from playout.arena import Sprt
from playout.common.interrupt import INTERRUPTED
from playout.errors import SettingsError
from playout.report.numbers import significant, with_error
from playout.search.limits import limit_text
from playout.settings.options import OptionError
from playout.tune import MatchCheck, ScoreCheck, Tuning, TuningResult, make_tuning
from playout.tune.result import COMPLETE, PRUNED, REFUSED, written
from playout.tune.study import PRUNERS, SAMPLERS
from playout.tune.tuning import GAMES, SIMULATIONS, SPRT, TRIALS, VERIFY_GAMES, check_verify_games

from .arena import NO_FILE, print_two, read_sprt
from .options import (
    GameName,
    Json,
    MaxMoves,
    Openings,
    Plies,
    Preset,
    RayAddress,
    SearchOption,
    Set,
    Workers,
    number,
    on_cluster,
    pairs,
    seed_number,
    whole,
)
from .output import console, print_json, progress

SHOWN = 10  # trials


def tune(
    game: GameName,
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="LIST",
            help="What is tuned: a range (c=0.5..4, depth=10..200), on a logarithmic scale (c=0.1..10:log) or in steps "
            "(depth=20..200:20), or choices (policy=uct,puct; guided=on,off). Commas separate settings, too; can be "
            "repeated.",
            show_default=False,
        ),
    ],
    preset: Preset = None,
    option: SearchOption = None,
    trials: Annotated[
        int, typer.Option("--trials", metavar="N", parser=whole, help="In all, with those of earlier runs.")
    ] = TRIALS,
    games: Annotated[int, typer.Option("--games", metavar="N", parser=whole, help="Of each trial.")] = GAMES,
    batch: Annotated[
        int | None,
        typer.Option(
            "--batch",
            metavar="N",
            parser=whole,
            help="Games after which a trial may be given up.",
            show_default="a fifth of --games",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", metavar="M", parser=number, help="Stop after M minutes of trials.", show_default="no limit"
        ),
    ] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--simulations",
            metavar="N",
            parser=whole,
            help=f"A move; {SIMULATIONS:,} when there is no limit at all.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("-t", "--seconds", metavar="S", parser=number, help="A move; games then depend on the machine."),
    ] = None,
    sampler: Annotated[
        str, typer.Option("--sampler", metavar="NAME", help=f"Of Optuna: {', '.join(SAMPLERS)}.")
    ] = SAMPLERS[0],
    pruner: Annotated[
        str,
        typer.Option("--pruner", metavar="NAME", help=f"Of Optuna, gives trials up: {', '.join(PRUNERS)}."),
    ] = PRUNERS[0],
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Then play the best against the preset as it stands, with fresh seeds."),
    ] = False,
    verify_games: Annotated[
        int,
        typer.Option(
            "--verify-games", metavar="N", parser=whole, help="Of --verify, at most; with one player, of each."
        ),
    ] = VERIFY_GAMES,
    sprt: Annotated[
        str,
        typer.Option("--sprt", metavar="ELO0,ELO1", help="The test of --verify between two players."),
    ] = f"{SPRT[0]:g},{SPRT[1]:g}",
    openings: Openings = None,
    plies: Plies = None,
    max_moves: MaxMoves = None,
    workers: Workers = None,
    ray: RayAddress = None,
    set: Set = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            parser=seed_number,
            help="Of trials, openings, chance and players. At equal simulations, the same seed gives the same trials, "
            "whatever --workers is. random: a new one.",
        ),
    ] = 0,
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="FILE",
            help="The SQLite file of the study and its games, in which the same command goes on. none: keep nothing.",
        ),
    ] = "tune.sqlite",
    study: Annotated[
        str | None, typer.Option("--study", metavar="NAME", help="Its name in the file.", show_default="the game's")
    ] = None,
    json: Json = False,
) -> int:
    """Tune search settings by playing games: with two players against the preset as it stands, with one by scores.

    Optuna chooses the trials and gives hopeless ones up; it is installed with pip install 'playout[tune]'. Ctrl-C stops
    and shows the best so far, with exit code 130; the same command goes on.
    """
    on_cluster(ray)
    test = Sprt(*(read_sprt(sprt) or SPRT))
    if not test.elo0 < test.elo1:
        raise SettingsError(f"--sprt is {sprt}, expected elo0 below elo1, as in 0,10")
    try:
        tuning = make_tuning(
            game,
            over,
            preset=preset,
            options=pairs(option, "--option", "c=2"),
            trials=trials,
            games=games,
            batch=batch,
            minutes=minutes,
            settings=pairs(set, "--set", "target=21"),
            simulations=simulations,
            seconds=seconds,
            openings=openings,
            plies=plies,
            max_moves=max_moves,
            sampler=sampler,
            pruner=pruner,
            seed=seed,
            workers=workers,
            ray=ray,
            db=None if db == NO_FILE else db,
            study=study,
        )
    except OptionError as error:
        raise SettingsError(f"--option {error}") from None
    code = 0
    try:
        checked = check_verify_games(verify_games, tuning.game)
        with progress(tuning.game.title, not json) as show:
            try:
                tuning.run(None if show is None else lambda now: show(*_live(now)))
            except KeyboardInterrupt:
                code = INTERRUPTED
            if verify and not code:
                check = tuning.verify(checked, test, None if show is None else lambda now, share: show(now.text, share))
                code = INTERRUPTED if check is not None and check.interrupted else 0
        found = tuning.result()
    finally:
        tuning.close()
    if json:
        print_json(found.to_dict())
    else:
        _print(found, None if db == NO_FILE else db, verify)
    return code


def _live(tuning: Tuning) -> tuple[str, float]:
    ended, wanted, played = tuning.study.ended, tuning.trials, 0 if tuning.now is None else tuning.now.contest.played
    best = tuning.best_text
    share = (ended + played / tuning.objective.games) / wanted
    return f"{ended} of {wanted} trials · {played} of {tuning.objective.games} games{best}", min(share, 1.0)


def _print(found: TuningResult, db: str | None, verified: bool) -> None:
    out = console()
    resumed = f", {found.resumed} of them from earlier runs" if found.resumed else ""
    states = [row.state for row in found.rows]
    done = sum(state in (COMPLETE, PRUNED, REFUSED) for state in states)
    given_up = f", {states.count(PRUNED)} given up early" if PRUNED in states else ""
    out.print(f"{found.game}: {done} of {found.wanted} trials{given_up}{resumed}, seed {found.seed}", markup=False)
    how = "against" if found.unit == "Elo" else "with the luck of"
    mean = "" if found.unit == "Elo" or not found.ranked else f" (mean {significant(found.base_mean)})"
    out.print(
        f"{limit_text(found.limits)} a move, {found.games} games a trial {how} {found.base}{mean}; over "
        f"{', '.join(found.over)}",
        markup=False,
    )
    _print_trials(found, out)
    for row in [row for row in found.rows if row.state == REFUSED][:3]:
        out.print(f"trial {row.number} was refused: {row.reason}", markup=False)
    best = found.best
    if best is None:
        out.print("no trial is complete yet")
    else:
        out.print()
        value, low, high = (written(end, found.unit) for end in best.difference)
        out.print(f"best: trial {best.number}, {found.unit} {value} (95%: {low} to {high})", markup=False)
        out.print(f"  {found.option_line}", markup=False, soft_wrap=True)
        out.print(f"  {found.code}", markup=False, soft_wrap=True)
        if not best.difference.value > 0:
            out.print(f"no trial did better than {found.base}: keep it")
        elif not verified:
            out.print("The best of many trials was lucky, too: --verify plays it with fresh seeds.")
    _print_check(found, out)
    if db is not None:
        out.print(f"results in {db}", markup=False)


def _print_trials(found: TuningResult, out: Console) -> None:
    names = list(dict.fromkeys(name for row in found.rows for name in row.chosen))
    points = found.unit != "Elo"
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("trial", *names, "mean" if points else "score", "lead" if points else "Elo", "95%", "games", ""):
        table.add_column(title, justify="right" if title else "left")
    for row in found.ranked[:SHOWN]:
        cells = [str(row.number), *(escape(str(row.chosen.get(name, "—"))) for name in names)]
        value, low, high = (written(end, found.unit) for end in row.difference)
        cells += [significant(row.mean) if points else f"{row.mean:.1%}", value, f"{low} to {high}", str(row.games)]
        table.add_row(*cells, "" if row.state == COMPLETE else "given up")
    if found.ranked:
        out.print(table)
    if (more := len(found.ranked) - SHOWN) > 0:
        out.print(f"… and {more} more trial{'s' * (more > 1)}")


def _print_check(found: TuningResult, out: Console) -> None:
    check = found.check
    if check is None:
        return
    out.print()
    out.print("with fresh seeds:")
    if isinstance(check, MatchCheck):
        out.print(f"{len(check.result.records)} of at most {check.result.wanted} games", markup=False)
        print_two(check.result, out)
    elif isinstance(check, ScoreCheck):
        lead, error = with_error(*check.lead, "+")
        means = f"{significant(check.best.mean)} and {significant(check.base.mean)}"
        out.print(f"{check.text.partition(' ·')[0]}, means {means}, lead {lead} ± {error} (95%)", markup=False)
    verdict = {True: f"better than {found.base}", False: f"not better than {found.base}", None: "not decided"}
    out.print(f"{found.player}: {verdict[check.better]}", markup=False)
