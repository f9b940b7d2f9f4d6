"""`playout analyze`: search one position."""

from pathlib import Path
from typing import Annotated

import typer

from playout.common.interrupt import INTERRUPTED
from playout.errors import FileError
from playout.report.summary import found_line
from playout.report.words import clean, count, number, proven_word, who
from playout.search import Search
from playout.search.result import Result
from playout.workers.roots import RootsSetup

from .options import (
    Bytes,
    GameName,
    Json,
    NetworkFile,
    Nodes,
    PositionText,
    Preset,
    RayAddress,
    Roots,
    SearchOption,
    Seconds,
    Seed,
    Set,
    Simulations,
    Threads,
    limits,
    load_game,
    on_cluster,
    search_settings,
    within_time,
)
from .output import cannot_write, check_can_write, console, print_json, search_progress, stopped_by_interrupt


def analyze(
    game: GameName,
    position: PositionText = None,
    simulations: Simulations = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    bytes: Bytes = None,
    preset: Preset = None,
    option: SearchOption = None,
    network: NetworkFile = None,
    set: Set = None,
    threads: Threads = None,
    roots: Roots = None,
    ray: RayAddress = None,
    seed: Seed = 0,
    explain: Annotated[bool, typer.Option("--explain", help="Explain the move in words.")] = False,
    svg: Annotated[
        Path | None,
        typer.Option(
            "--svg", metavar="FILE", help="Draw the most visited part of the tree, or of the first one, into this file."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Search a position and show the result.

    The search stops at the first limit it reaches. Ctrl-C stops it too: the result so far is shown, with exit code 130.
    """
    check_can_write(svg, "--svg")
    on_cluster(ray)
    within = limits(simulations, seconds, nodes, bytes)
    with within_time(within):
        loaded = load_game(game, set)
        name, settings = search_settings(loaded, preset, option, network, threads, roots)
        setup = RootsSetup(loaded, settings, position, seed)
        search = setup.search()
    with stopped_by_interrupt(search), search_progress(loaded.title, not json) as progress:
        if ray is not None:
            result = setup.run(search, within, ray=ray, progress=progress)
        else:
            result = search.run(within, progress=progress)
    with within_time(within):  # the game's own texts
        if json:
            print_json(result.to_dict() | {"settings": name} | ({"explanation": result.explain()} if explain else {}))
        else:
            out = console()
            out.print(result.position.show(), markup=False)
            out.print()
            out.print(result.table())
            out.print(f"\n{_summary(result)} · settings: {name}", markup=False)
            if explain:
                out.print()
                out.print(result.explain(), markup=False)
        if svg is not None:
            _draw(search, svg)
        return INTERRUPTED if result.stopped_by == "stop" else 0


def _summary(result: Result) -> str:
    game = result.position.game
    word = proven_word(result.proven, game.players, game.range)
    value = f"proven {word}" if word else f"value {number(result.value)}"
    speed = f"{result.seconds:,.2f} s ({result.simulations_per_second:,.0f} a second)"
    trees = f" of {len(result.trees)} trees" if result.trees else ""
    size = f"{count(result.nodes, 'position')}{trees} in {result.bytes / 1e6:,.1f} MB"
    shared = ""
    if result.settings.transpositions:
        shared = f" · {count(result.hits, 'position')} met again, {count(result.saved, 'edge')} to shared nodes"
    found = "".join(f"{line}\n" for line in found_line(result))
    return (
        f"best {clean(result.best_text or 'none')} · {value} for {who(result.position.player)}, who moves · "
        f"seed {result.seed}\n{found}"
        f"{count(result.simulations, 'simulation')} in {speed} · {size}{shared} · ended by: {result.stopped_by}"
    )


def _draw(search: Search, path: Path) -> None:
    try:
        path.write_text(search.root.svg(), encoding="utf-8")
    except OSError as error:
        raise FileError(cannot_write("--svg", path, error.strerror)) from None
