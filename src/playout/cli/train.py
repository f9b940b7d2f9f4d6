"""`playout train`: train a network by self-play, or by a teacher."""

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from playout import games as library
from playout.common.interrupt import INTERRUPTED
from playout.errors import SettingsError
from playout.training.recipe import Recipe
from playout.training.taught import TaughtTraining
from playout.training.taught_recipe import TaughtRecipe
from playout.training.training import Callbacks, Training

from .options import GameName, RayAddress, Set, number, on_cluster, pairs, whole
from .output import progress


def _option(name: str, help: str, parser: Any = whole, metavar: str = "N") -> Any:
    return typer.Option(name, metavar=metavar, parser=parser, help=help, show_default="by the game's size")


def train(
    game: GameName,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder of the training, where it is also resumed.",
            show_default="GAME-training",
        ),
    ] = None,
    generations: Annotated[
        int | None,
        typer.Option("--generations", metavar="N", parser=whole, help="In all.", show_default="until Ctrl-C"),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="M", parser=number, help="Start no new generation after M minutes."),
    ] = None,
    games: Annotated[int | None, _option("--games", "In a generation.")] = None,
    simulations: Annotated[
        int | None,
        typer.Option(
            "-n", "--simulations", metavar="N", parser=whole, help="A move.", show_default="by the game's size"
        ),
    ] = None,
    blocks: Annotated[int | None, _option("--blocks", "Residual blocks of the network.")] = None,
    filters: Annotated[int | None, _option("--filters", "Of each convolution.")] = None,
    gumbel: Annotated[
        bool, typer.Option("--gumbel", help="Gumbel root selection: for few simulations a move.")
    ] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="A small network over the game's features, evaluated inside the search.")
    ] = False,
    teacher: Annotated[
        str | None,
        typer.Option(
            "--teacher",
            metavar="PLAYER",
            help="With --fast: a player as in the arena (default,n=1000 or uci:stockfish,nodes=400) that labels the "
            "positions to learn. A number: the simulations of the plain UCT that plays the first games of self-play; "
            "0: the network plays them.",
            show_default="by the game's size",
        ),
    ] = None,
    positions: Annotated[
        int | None,
        typer.Option(
            "--positions",
            metavar="N",
            parser=whole,
            help="With a teacher: different positions to label.",
            show_default="100000",
        ),
    ] = None,
    hidden: Annotated[
        int | None,
        typer.Option("--hidden", metavar="N", parser=whole, help="Units of a fast network.", show_default="128"),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every", metavar="N", parser=whole, help="Generations between matches; 0: none.", show_default="10"
        ),
    ] = None,
    gate: Annotated[
        float | None,
        typer.Option(
            "--gate",
            metavar="SCORE",
            parser=number,
            help="The score against the best network that a new one needs for self-play.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            parser=whole,
            help="Processes.",
            show_default="as many as cores; with --ray, as the cluster has CPUs",
        ),
    ] = None,
    ray: RayAddress = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="NAME=VALUE",
            help="Any other setting of the training, as in window=30; can be repeated. docs/training.md lists them.",
        ),
    ] = None,
    set: Set = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed", metavar="N", parser=whole, help="The same seed gives the same network.", show_default="0"
        ),
    ] = None,
) -> int:
    """Train a network by self-play, in generations: games, learning, matches against UCT.

    DIR holds the best network (GAME.onnx), a report with curves (report.html) and checkpoints. The same command resumes
    a training that was stopped, by Ctrl-C (exit code 130) or in any other way.

    With --fast --teacher PLAYER, a network over sparse inputs learns what PLAYER thinks of positions of varied play:
    its value and its move. DIR then holds the network (GAME.fast), the report and what was labelled.
    """
    on_cluster(ray)
    values = pairs(set, "--set", "target=21")
    given: dict[str, Any] = {"workers": workers, "seed": seed, "ray": ray}
    played: dict[str, Any] = {
        "games": games,
        "simulations": simulations,
        "blocks": blocks,
        "filters": filters,
        "gumbel": True if gumbel else None,
        "every": every,
        "gate": gate,
    }
    taught = {"positions": positions, "hidden": hidden}
    fastness = {"fast": True if fast else None, "hidden": hidden}
    simulations_of_uct = _number_of(teacher)
    if teacher is not None and simulations_of_uct is None:
        if not fast:
            raise SettingsError(f"--teacher is '{teacher}', a player, which teaches fast networks only; add --fast")
        _refuse({**played, "games": None, "generations": generations}, "a network that is taught")
        given |= {"games": games, **taught, **_options(option, TaughtRecipe, {"games": games, **taught, **given})}
        return _teach(game, out, teacher, minutes, values, given)
    _refuse({"positions": positions}, "self-play")
    given |= {**played, **fastness, "teacher": simulations_of_uct}
    given |= _options(option, Recipe, given)
    if gate is not None and not 0 <= gate <= 1:
        raise SettingsError(f"--gate is {gate:g}, expected a score from 0 to 1, as in 0.55")
    return _run(game, out, generations, minutes, values, given)


def _number_of(teacher: str | None) -> int | None:
    """The simulations that --teacher gives; None where it names a player."""
    try:
        return None if teacher is None else whole(teacher)
    except typer.BadParameter:
        return None


def _options(option: list[str] | None, recipe: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The settings of --option, read by the types that they have in a recipe."""
    found: dict[str, Any] = {}
    known = [field.name for field in dataclasses.fields(recipe)]
    for name, text in pairs(option, "--option", "window=30").items():
        if name not in known:
            raise SettingsError(f"--option got '{name}', expected a setting of the training ({', '.join(known)})")
        if given.get(name) is not None:
            raise SettingsError(f"--option got '{name}', which is also given as --{name}; give it once")
        found[name] = _value(name, text, getattr(recipe, name))
    return found


def _refuse(given: dict[str, Any], what: str) -> None:
    """Refuse options that were given and have no meaning for a kind of training."""
    for name, value in given.items():
        if value is not None:
            raise SettingsError(f"--{name} has no meaning for {what}; leave it out")


def _value(name: str, text: str, default: Any) -> Any:
    if isinstance(default, bool):
        if text.lower() not in ("true", "false", "on", "off", "yes", "no"):
            raise SettingsError(f"--option {name} is '{text}', expected on or off")
        return text.lower() in ("true", "on", "yes")
    return whole(text) if isinstance(default, int) else number(text)


def _run(
    game: str,
    out: Path | None,
    generations: int | None,
    minutes: float | None,
    settings: dict[str, str],
    given: dict[str, Any],
) -> int:
    loaded = library.load(game, **settings)
    folder = out if out is not None else Path(f"{loaded.title}-training")
    command = shlex.join(["playout", *sys.argv[1:]])
    training = Training(game, folder, settings=dict(settings), command=command, **given)
    with progress(loaded.title) as show:
        training.callbacks = Callbacks(_line, show or (lambda text, share: None))
        try:
            training.run(generations, minutes)
        except KeyboardInterrupt:
            print(f"playout: {training.where()}", file=sys.stderr)
            return INTERRUPTED
    _line(f"network: {training.folder.network}")
    _line(f"report: {training.folder.report}")
    return 0


def _teach(
    game: str, out: Path | None, teacher: str, minutes: float | None, settings: dict[str, str], given: dict[str, Any]
) -> int:
    loaded = library.load(game, **settings)
    folder = out if out is not None else Path(f"{loaded.title}-taught")
    command = shlex.join(["playout", *sys.argv[1:]])
    training = TaughtTraining(game, folder, teacher, settings=dict(settings), command=command, **given)
    with progress(loaded.title) as show:
        training.callbacks = Callbacks(_line, show or (lambda text, share: None))
        try:
            training.run(minutes)
        except KeyboardInterrupt:
            print(f"playout: {training.where()}", file=sys.stderr)
            return INTERRUPTED
    _line(f"network: {training.folder.network}")
    _line(f"report: {training.folder.report}")
    return 0


def _line(text: str) -> None:
    print(text, flush=True)
