"""`playout evaluate`: many games of one player, and the statistics of the scores."""

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from playout.common.interrupt import INTERRUPTED
from playout.errors import FileError, SettingsError
from playout.play.spec import SEARCH, Spec
from playout.report.numbers import bounds_text, significant, with_error
from playout.report.svg import scores_svg
from playout.report.words import bar
from playout.scores import CONFIDENCE, ENDLESS, Evaluation
from playout.scores import evaluate as run

from .options import (
    GameName,
    Json,
    MaxMoves,
    Preset,
    RayAddress,
    SearchOption,
    Set,
    Workers,
    load_game,
    number,
    on_cluster,
    search_settings,
    seed_number,
    whole,
)
from .output import check_can_write, console, print_json, progress

BAR = 40  # characters of the longest one


def evaluate(
    game: GameName,
    preset: Preset = None,
    option: SearchOption = None,
    simulations: Annotated[
        int | None, typer.Option("-n", "--simulations", metavar="N", parser=whole, help="A move.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("-t", "--seconds", metavar="S", parser=number, help="A move; 1 when there is no limit at all."),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="Instead of --preset and --option: greedy (the highest prior), random, or as in suika,n=1000,c=2; "
            "before it, if wanted, a name: mine=suika,c=2. Several play the same games, compared with the first.",
        ),
    ] = None,
    games: Annotated[int, typer.Option("--games", metavar="N", parser=whole, help="For each player.")] = 100,
    position: Annotated[
        str | None, typer.Option("--position", metavar="POSITION", help="Where games begin.", show_default="the start")
    ] = None,
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
            help="For chance and players: the same seed gives the same games. random: a new one.",
        ),
    ] = 0,
    json: Json = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the histograms as an SVG drawing.")
    ] = None,
) -> int:
    """Play many games of one player and report the scores: mean, median, spread, histogram.

    Ctrl-C stops it and reports the finished games, with exit code 130.
    """
    on_cluster(ray)
    check_can_write(svg, "--svg")
    if player and (option or preset is not None):
        raise SettingsError("--player says how to search, and so do --preset and --option; give one or the other")
    loaded = load_game(game, set)
    players: list[str | Spec] = [*(player or [])]
    if not players:
        name, settings = search_settings(loaded, preset, option)
        players = [Spec(name, SEARCH, settings)]
    code = 0

    def interrupted() -> None:
        nonlocal code
        code = INTERRUPTED

    with progress(loaded.title, not json) as show:
        found = run(
            loaded,
            players,
            games=games,
            position=position,
            simulations=simulations,
            seconds=seconds,
            workers=workers,
            ray=ray,
            max_moves=ENDLESS if max_moves is None else max_moves,
            seed=seed,
            progress=None if show is None else lambda now: show(*_live(now)),
            interrupted=interrupted,
        )
    if svg is not None:
        try:
            svg.write_text(scores_svg(found))
        except OSError as error:
            raise FileError(f"can't write {svg}: {error.strerror}") from None
    if json:
        print_json(found.to_dict())
    else:
        _print(found)
    return code


def _live(found: Evaluation) -> tuple[str, float]:
    done = sum(len(scores.records) for scores in found.scores)
    wanted = found.wanted * len(found.scores)
    means = " · ".join(with_error(scores.mean, scores.error)[0] for scores in found.scores if scores.records)
    return f"{done} of {wanted} games · mean {means}", done / wanted


def _print(found: Evaluation) -> None:
    out = console()
    done = sum(len(scores.records) for scores in found.scores)
    if not done:
        out.print("no game was finished")
        return
    wanted = found.wanted * len(found.scores)
    count = str(done) if done == wanted else f"{done} of {wanted}"
    out.print(f"{found.game}: {count} games, seed {found.seed}", markup=False)
    several = len(found.scores) > 1
    titles = ["player", "games", "mean", f"±{CONFIDENCE:.0%}", "median", "deviation", "quartiles", "least", "most"]
    titles += ["moves", "ms a move"] + (["lead", f"±{CONFIDENCE:.0%}"] if several else [])
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in titles:
        table.add_column(title, justify="left" if title == "player" else "right")
    for scores in found.scores:
        low, median, high = scores.quartiles
        cells = [*with_error(scores.mean, scores.error), significant(median), significant(scores.deviation, 2)]
        cells += [f"{significant(low)} to {significant(high)}"]
        cells += [significant(v) for v in (scores.values.min(), scores.values.max())] if scores.records else ["—", "—"]
        cells += [significant(scores.moves), significant(1000 * scores.seconds, 2)]
        if several:
            first = scores is found.scores[0]
            cells += ["", ""] if first else with_error(*scores.lead(found.scores[0]), "+")
        table.add_row(escape(scores.player), str(len(scores.records)), *cells)
    out.print(table)
    edges = found.edges
    for scores in found.scores:
        if scores.records:
            out.print()
            if several:
                out.print(scores.player, markup=False, style="bold")
            _histogram(out, edges, scores.histogram(edges))


def _histogram(out: Console, edges: list[float], counts: list[int]) -> None:
    labels = [f"{low} to {high}" for low, high in pairwise(bounds_text(edges))]
    width = max(len(label) for label in labels)
    for label, n in zip(labels, counts, strict=True):
        out.print(f"{label:>{width}}  {bar(n / max(counts), BAR)} {n or ''}".rstrip(), markup=False)
