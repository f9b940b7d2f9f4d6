"""`playout solve`: nested search for the best line of a game of one player."""

from pathlib import Path
from typing import Annotated, Any

import typer

from playout.common.interrupt import INTERRUPTED
from playout.errors import SettingsError
from playout.report.words import count
from playout.report.words import number as number_text
from playout.solve import CTRL_C, METHODS, SECONDS, Solver
from playout.solve import solve as run

from .options import GameName, Json, PositionText, RayAddress, Set, load_game, number, on_cluster, seed_number, whole
from .output import check_can_write, console, print_json, progress


def solve(
    game: GameName,
    position: PositionText = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "-t",
            "--seconds",
            metavar="S",
            parser=number,
            help=f"Stop after S seconds; {SECONDS:g} when no limit at all is given.",
        ),
    ] = None,
    playouts: Annotated[
        int | None,
        typer.Option(
            "-n", "--playouts", metavar="N", parser=whole, help="Stop after N playouts, of all runs together."
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option("--target", metavar="VALUE", parser=number, help="Stop as soon as a line is worth this much."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="nrpa learns a policy by the codes of actions; nmcs tries every action.",
            show_default="nrpa; nmcs for Python objects",
        ),
    ] = None,
    levels: Annotated[
        int | None, typer.Option("--levels", metavar="N", parser=whole, help="Levels above the playouts.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", metavar="N", parser=whole, help="Of each level of nrpa.")
    ] = None,
    alpha: Annotated[
        float | None, typer.Option("--alpha", metavar="A", parser=number, help="How far nrpa moves its policy at once.")
    ] = None,
    playouts_each: Annotated[
        int | None,
        typer.Option(
            "--playouts-each", metavar="N", parser=whole, help="Playouts of nrpa for each change of its policy."
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            "--repetitions",
            metavar="N",
            parser=whole,
            help="A level of nrpa ends when it has found its best line again N times; 0: never.",
        ),
    ] = None,
    priors: Annotated[
        bool | None, typer.Option("--priors/--no-priors", help="Draw by the game's own priors, too, if it has them.")
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs", metavar="N", parser=whole, help="Independent runs; the best counts.", show_default="cores"
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            parser=whole,
            help="Runs at the same time.",
            show_default="cores; with --ray, all runs",
        ),
    ] = None,
    ray: RayAddress = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Keep the search there; the same command goes on with it.",
            show_default=False,
        ),
    ] = None,
    set: Set = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            parser=seed_number,
            help="The same seed, runs and playouts find the same line again; random: any.",
        ),
    ] = 0,
    json: Json = False,
) -> int:
    """Find a line of high return in a game of one player without chance, by nested search.

    The line is played again by the game's rules before it is shown. Ctrl-C shows the best line so far, with exit code
    130.
    """
    check_can_write(file, "--file")
    on_cluster(ray)
    loaded = load_game(game, set)
    given: dict[str, Any] = {"levels": levels, "iterations": iterations, "alpha": alpha, "repetitions": repetitions}
    given |= {"playouts": playouts_each, "priors": priors}
    given = {name: value for name, value in given.items() if value is not None}
    chosen: Any = method
    if given:
        name = method or ("nmcs" if loaded.keeps_objects else "nrpa")
        if name not in METHODS:
            raise SettingsError(f"--method is '{name}', expected {' or '.join(METHODS)}")
        fields = METHODS[name].__dataclass_fields__
        for field in given:
            if field not in fields:
                flag = "--playouts-each" if field == "playouts" else f"--{field}"
                raise SettingsError(f"{flag} is a setting of nrpa, and the method is {name}; leave it out")
        chosen = METHODS[name](**given)
    with progress(loaded.title, not json) as show:
        found = run(
            loaded,
            chosen,
            seconds=seconds,
            playouts=playouts,
            target=target,
            position=position,
            runs=runs,
            threads=threads,
            seed=seed,
            file=file,
            ray=ray,
            progress=None if show is None else lambda solver, share: show(_live(solver), share),
        )
    if json:
        print_json(found.to_dict())
    else:
        out = console()
        out.print(found.position.show(), markup=False)
        out.print()
        out.print(str(found), markup=False)
        out.print(f"method: {found.method}", markup=False)
    return INTERRUPTED if found.stopped_by == CTRL_C else 0


def _live(solver: Solver) -> str:
    best = number_text(solver.value) if solver.playouts else "none yet"
    return f"best {best} · {count(solver.playouts, 'playout')}"
