"""`playout compare`: variants of the search against the same references, with intervals and a chart."""

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from playout.common.disk import write_whole
from playout.common.interrupt import INTERRUPTED
from playout.compare import Comparison, ComparisonResult, make_comparison
from playout.compare.comparison import BASE, GAMES, SIMULATIONS
from playout.compare.page import as_markdown, split_page, table, titles, write_page

from .arena import NO_FILE
from .options import (
    GameName,
    Json,
    MaxMoves,
    Openings,
    Plies,
    RayAddress,
    SearchOption,
    Set,
    Workers,
    called,
    number,
    on_cluster,
    pairs,
    seed_number,
    whole,
)
from .output import check_can_write, console, print_json, progress

SILENT = ("db", "json", "markdown", "ray", "svg", "workers")  # options that do not change what is found


def compare(
    context: typer.Context,
    game: GameName,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variants",
            metavar="LIST",
            help="As in uct,puct,c=2,mine:connect4,c=1.5: a variant or a preset with settings, before it, if wanted, a "
            "name. @FILE: one a line. Can be repeated.",
            show_default="all that the game can be searched with",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="PLAYER",
            help="Whom all variants play: a variant, a preset, random, or for chess an engine: uci:stockfish,t=0.1. "
            "Can be repeated.",
            show_default="what the variants change",
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option("--preset", metavar="NAME", help="What the variants change; best is the game's own preset."),
    ] = BASE,
    option: SearchOption = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            "-n",
            "--simulations",
            metavar="N",
            parser=whole,
            help=f"A move: a table at equal simulations; {SIMULATIONS:,} when there is no limit at all.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("-t", "--seconds", metavar="S", parser=number, help="A move: a table at equal time."),
    ] = None,
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole, help="Of each variant in each table.")
    ] = GAMES,
    openings: Openings = None,
    plies: Plies = None,
    max_moves: MaxMoves = None,
    workers: Workers = None,
    ray: RayAddress = None,
    set: Set = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="N", parser=seed_number, help="Of openings, chance and players. random: a new one."
        ),
    ] = 0,
    db: Annotated[
        str,
        typer.Option(
            "--db",
            metavar="FILE",
            help="The results file: games that it has are not played again. none: keep no results.",
        ),
    ] = "compare.sqlite",
    json: Json = False,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Write the chart as an SVG drawing.")
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            metavar="FILE",
            help="Write the tables as Markdown: a new file, or between the lines of a page that name the game.",
        ),
    ] = None,
) -> int:
    """Compare variants of the search at equal simulations and at equal time, each with the same openings or luck.

    Two players: Elo against the reference. One player: scores, and the lead over the reference. Ctrl-C stops it, with
    exit code 130; the same command goes on, and one with other variants plays only theirs.
    """
    on_cluster(ray)
    check_can_write(svg, "--svg")
    check_can_write(markdown, "--markdown")
    base = ",".join([preset, *(f"{key}={value}" for key, value in pairs(option, "--option", "c=2").items())])
    comparison = make_comparison(
        game,
        variants,
        against=against,
        base=base,
        games=games,
        settings=pairs(set, "--set", "target=21"),
        simulations=simulations,
        seconds=seconds,
        openings=openings,
        plies=plies,
        max_moves=max_moves,
        seed=seed,
        workers=workers,
        ray=ray,
        db=None if db == NO_FILE else db,
    )
    code = 0
    try:
        if markdown is not None:
            split_page(markdown, comparison.game.title)  # a page without its place is refused before the games
        with progress(comparison.game.title, not json) as show:
            try:
                comparison.run(None if show is None else lambda now: show(*_live(now)))
            except KeyboardInterrupt:
                code = INTERRUPTED
        found = comparison.result()
    finally:
        comparison.close()
    if svg is not None:
        write_whole(svg, found.svg().encode())
    if markdown is not None:
        chart = None if svg is None else Path(os.path.relpath(svg, markdown.resolve().parent)).as_posix()
        write_page(markdown, found.game, as_markdown(found, called(context, SILENT), chart))
    if json:
        print_json(found.to_dict())
    else:
        _print(found, None if db == NO_FILE else db)
    return code


def _live(comparison: Comparison) -> tuple[str, float]:
    return f"{comparison.played:,} of {comparison.wanted:,} games", comparison.played / max(1, comparison.wanted)


def _print(found: ComparisonResult, db: str | None) -> None:
    out = console()
    resumed = f", {found.resumed:,} of them from earlier runs" if found.resumed else ""
    out.print(f"{found.game}: {found.played:,} of {found.wanted:,} games{resumed}, seed {found.seed}", markup=False)
    for section in found.sections:
        out.print()
        out.print(section.title, markup=False, style="bold")
        shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title in titles(section):
            shown.add_column(title, justify="left" if title in ("variant", "settings") else "right")
        for cells in table(section):
            shown.add_row(*map(escape, cells))
        out.print(shown)
    if found.left_out:
        out.print()
    for name, reason in found.left_out:
        out.print(f"left out: {name}: {reason}", markup=False)
    if db is not None:
        out.print(f"results in {db}", markup=False)
