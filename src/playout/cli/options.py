"""What several commands are given: the game, its settings, limits, and how to search."""

import contextlib
import json
import re
import shlex
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from playout import games
from playout.common.arguments import seed_from, whole_text
from playout.common.runtime import time_for_rules
from playout.errors import SettingsError
from playout.game import Game
from playout.search.limits import Limits
from playout.settings import PRESETS, WITH_NETWORK, Settings, preset_for
from playout.settings.options import OptionError, make_settings
from playout.workers.cluster import check_address, load_ray
from playout.workers.site import listeners

SECONDS = 1.0  # when no limit is given


def _completed_games(incomplete: str) -> list[str]:
    return [name for name in (*games.names(), *games.installed()) if name.startswith(incomplete)]


def _completed_presets(incomplete: str) -> list[str]:
    return [name for name in PRESETS if name.startswith(incomplete)]


GameName = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        autocompletion=_completed_games,
        help="A built-in game or one of an installed package (`playout games` lists them), file.py:Class or "
        "module:Class. The name may also be that of a function or class that gives a Python object.",
    ),
]
PositionText = Annotated[
    str | None,
    typer.Argument(metavar="POSITION", help="In the game's own text; the start if left out.", show_default=False),
]


def whole(text: str | int) -> int:
    """A whole number as people write it: 100000, 100_000 or 1e5. Typer hands over defaults, too."""
    try:
        return whole_text(str(text))
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a whole number") from None


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"'{text}' is not a number") from None


def seed_number(text: str | int) -> int:
    """A seed; `random` draws one, which is printed with the result."""
    return seed_from(None) if text == "random" else whole(text)


Simulations = Annotated[
    int | None, typer.Option("-n", "--simulations", metavar="N", parser=whole, help="Stop after N simulations.")
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "-t",
        "--seconds",
        metavar="S",
        parser=number,
        help=f"Stop after S seconds; {SECONDS:g} when no limit at all is given.",
    ),
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", metavar="N", parser=whole, help="Stop when the tree has N positions.")
]
Bytes = Annotated[
    int | None, typer.Option("--bytes", metavar="N", parser=whole, help="Stop when the tree takes N bytes.")
]
Preset = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        autocompletion=_completed_presets,
        help="A named set of search settings; `playout settings` lists them. `default` is plain UCT.",
        show_default="the game's own",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting of the game, as in target=21; can be repeated."),
]
SearchOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        metavar="NAME=VALUE",
        help="A setting of the search, as in policy=puct or c=2; can be repeated. `playout settings` lists them.",
    ),
]
NetworkFile = Annotated[
    str | None,
    typer.Option(
        "--network",
        metavar="FILE",
        help="Search with a network (.onnx, Leela's .pb.gz, or .fast); without another preset, by the preset network.",
        show_default=False,
    ),
]
Roots = Annotated[
    int | None,
    typer.Option(
        "--roots",
        metavar="N",
        parser=whole,
        help="Grow N independent trees on all cores and add them up; the same result on any number of cores.",
        show_default="1",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        parser=whole,
        help="Grow one tree with N threads; the same seed then gives another tree each time.",
        show_default="1",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        "--seed", metavar="N", parser=seed_number, help="The same seed gives the same search again; random: any."
    ),
]
# What commands that play games are given.
Openings = Annotated[
    Path | None,
    typer.Option(
        "--openings", metavar="FILE", help="Positions to begin at, one a line; for chess FEN, EPD or a PGN file."
    ),
]
Plies = Annotated[
    int | None,
    typer.Option("--plies", metavar="N", parser=whole, help="Random moves that make an opening.", show_default="4"),
]
MaxMoves = Annotated[
    int | None,
    typer.Option(
        "--max-moves", metavar="N", parser=whole, help="Moves after which a game is a draw, or scored as it stands."
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        parser=whole,
        help="Games at once.",
        show_default="as many as cores; with --ray, as the cluster has CPUs",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster: its HOST:PORT, `auto` for the one on this machine, or `local` to start one; "
        "docs/cluster.md.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]

# An option has one or two dashes and a small letter. Anything else that begins with a dash is a negative number, or a
# position, such as an Othello board.
POSITION = re.compile(r"-(?!-?[a-z]|-?$|[\d.])")


class Command(TyperCommand):
    """A command whose position may begin with a dash."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [f" {text}" if POSITION.match(text) else text for text in args])


def called(context: typer.Context, without: Collection[str]) -> str:
    """The command as it can be given again: what differs from the defaults, except the options `without`."""
    words = context.command_path.split()
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.name in without or value is None or value == parameter.get_default(context):
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [*(parameter.opts[:1] if parameter.param_type_name == "option" else []), str(one)]
    return shlex.join(words)


def on_cluster(ray: str | None) -> None:
    """Refuse an address that can't be one, or a missing package, and print the workers' figures as lines of JSON."""
    if ray is None:
        return
    check_address(ray)
    load_ray()
    listeners[:] = [lambda line: print(json.dumps(line), file=sys.stderr, flush=True)]


def pairs(given: list[str] | None, option: str, example: str) -> dict[str, str]:
    """NAME=VALUE, as often as it was given."""
    found: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise SettingsError(f"{option} got '{text}', expected NAME=VALUE, as in {option} {example}")
        if name.strip() in found:
            raise SettingsError(f"{option} got '{name.strip()}' twice; give it once")
        found[name.strip()] = value.strip()
    return found


def load_game(name: str, given: list[str] | None, for_perft: bool = False) -> Game:
    """The game with the settings given; for perft, those under which published counts hold, unless others are given."""
    settings = pairs(given, "--set", "target=21")
    if for_perft:
        settings = {**games.find(name).perft_settings, **settings}
    return games.load(name, **settings)


def search_settings(
    game: Game,
    preset: str | None,
    option: list[str] | None,
    network: str | None = None,
    threads: int | None = None,
    roots: int | None = None,
) -> tuple[str, Settings]:
    """How to search a game: by the preset given or the game's own, with changes, a network's file, and a number of
    threads or roots. Their name, as `chess,c=2`, and the settings."""
    given = pairs(option, "--option", "c=2")
    for name, value in (("network", network), ("threads", threads), ("roots", roots)):
        if value is None:
            continue
        if name in given:
            raise SettingsError(f"--{name} {value} and --option {name}={given[name]}: give one of them")
        given[name] = str(value)
    if network is not None:
        preset = preset or WITH_NETWORK
    chosen = preset_for(game, preset)
    return ",".join((chosen, *(f"{key}={value}" for key, value in given.items()))), changed(chosen, given)


def changed(preset: str, given: Mapping[str, str]) -> Settings:
    """A preset with what `--option` gives."""
    try:
        return make_settings(preset, given)
    except OptionError as error:
        raise SettingsError(f"--option {error}") from None


@contextlib.contextmanager
def within_time(limits: Limits) -> Iterator[None]:
    """Around what comes before a run: a rule in plain Python has as long as the run to return, at least a second."""
    with time_for_rules(None if limits.seconds is None else max(limits.seconds, SECONDS)):
        yield


def limits(
    simulations: int | None, seconds: float | None, nodes: int | None = None, bytes: int | None = None
) -> Limits:
    """The limits that were given, checked before anything is compiled; a second if there are none."""
    if simulations is None and seconds is None and nodes is None and bytes is None:
        seconds = SECONDS
    return Limits(simulations, seconds, nodes, bytes)
