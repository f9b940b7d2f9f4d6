"""`playout train`: train a network by self-play."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from playout import games as library
from playout.common.interrupt import INTERRUPTED
from playout.errors import SettingsError
from playout.training.recipe import Recipe
from playout.training.training import Callbacks, Training, check_game

from .options import GameName, Set, number, pairs, whole
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
    teacher: Annotated[
        int | None,
        _option("--teacher", "Simulations of the plain UCT that plays the first games; 0: the network plays them."),
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
        typer.Option("--workers", metavar="N", parser=whole, help="Processes.", show_default="as many as cores"),
    ] = None,
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
    """
    given: dict[str, Any] = {
        "games": games,
        "simulations": simulations,
        "blocks": blocks,
        "filters": filters,
        "gumbel": True if gumbel else None,
        "teacher": teacher,
        "every": every,
        "gate": gate,
        "workers": workers,
        "seed": seed,
    }
    for name, text in pairs(option, "--option", "window=30").items():
        default = getattr(Recipe, name, None)
        if name.startswith("_") or not isinstance(default, int | float):
            known = ", ".join(vars(Recipe()))
            raise SettingsError(f"--option got '{name}', expected a setting of the training ({known})")
        if given.get(name) is not None:
            raise SettingsError(f"--option got '{name}', which is also given as --{name}; give it once")
        given[name] = _value(name, text, default)
    if gate is not None and not 0 <= gate <= 1:
        raise SettingsError(f"--gate is {gate:g}, expected a score from 0 to 1, as in 0.55")
    return _run(game, out, generations, minutes, pairs(set, "--set", "target=21"), given)


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
    check_game(loaded)
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


def _line(text: str) -> None:
    print(text, flush=True)
