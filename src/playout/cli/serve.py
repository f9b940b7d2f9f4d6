"""`playout serve`: the workbench in a browser."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from playout import games
from playout.backups import Backup
from playout.errors import SettingsError
from playout.evaluators import opened
from playout.parts.part import Part, kind_of, offered
from playout.policies import Policy
from playout.settings import PRESETS

from .options import whole

DEFAULT_PORT = 8421
MIB = 1 << 20


def serve(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on. Any but a loopback address requires a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", parser=whole, help="0: any free port.")] = DEFAULT_PORT,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FOLDER", help="Where sessions are stored; by default, a folder in your home."),
    ] = None,
    no_open: Annotated[bool, typer.Option("--no-open", help="Do not open a browser.")] = False,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Your own game, as file.py:Class; repeatable."),
    ] = None,
    network: Annotated[
        list[str] | None,
        typer.Option(
            "--network",
            metavar="FILE",
            help="A network file that searches may use, besides those of the games; repeatable.",
        ),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option(
            "--part",
            metavar="CLASS",
            help="Your own policy or backup, as file.py:Class, that searches may use; repeatable.",
        ),
    ] = None,
    lesson: Annotated[
        str | None,
        typer.Option(
            "--lesson",
            metavar="FILE",
            help="A lesson in Markdown to show beside the workbench, or one that comes with Playout: four-phases, "
            "exploration or network.",
        ),
    ] = None,
    max_sessions: Annotated[int, typer.Option("--max-sessions", metavar="N", parser=whole)] = 200,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", metavar="N", parser=whole, help="Positions in one tree.")
    ] = 20_000_000,
    max_bytes: Annotated[int, typer.Option("--max-bytes", metavar="N", parser=whole, help="Bytes of one tree.")] = 2048
    * MIB,
    max_memory: Annotated[
        int, typer.Option("--max-memory", metavar="N", parser=whole, help="Bytes of all trees in memory.")
    ] = 6144 * MIB,
    max_upload: Annotated[
        int, typer.Option("--max-upload", metavar="N", parser=whole, help="Bytes of a search file.")
    ] = 512 * MIB,
    idle: Annotated[
        int, typer.Option("--idle", metavar="S", parser=whole, help="Seconds until an idle session is moved to disk.")
    ] = 600,
    unwatched: Annotated[
        int,
        typer.Option(
            "--unwatched",
            metavar="S",
            parser=whole,
            help="Seconds until a run without limits is stopped that no page watches and no program reads.",
        ),
    ] = 60,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers", metavar="N", parser=whole, help="Searches that run at the same time; by default, one per core."
        ),
    ] = None,
) -> int:
    """Start the workbench: a page to set up, run, step and inspect searches, and an HTTP interface for programs.

    PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY, if set, select a language model that answers questions.
    """
    try:
        from playout.web.caps import Caps  # noqa: PLC0415  # heavy, and optional
        from playout.web.server import default_folder  # noqa: PLC0415  # heavy, and optional
        from playout.web.server import serve as start  # noqa: PLC0415  # heavy, and optional
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"serve needs the package '{error.name}', which is not installed: pip install 'playout[web]'"
        ) from None
    workers = workers if workers is not None else max(1, os.cpu_count() or 1)
    counts = {
        "--max-sessions": max_sessions,
        "--max-nodes": max_nodes,
        "--max-bytes": max_bytes,
        "--max-memory": max_memory,
        "--max-upload": max_upload,
        "--idle": idle,
        "--unwatched": unwatched,
        "--workers": workers,
    }
    for name, value in counts.items():
        if not 1 <= value < 2**60:
            raise SettingsError(f"{name} is {value}, expected a whole number of at least 1")
    if not 0 <= port < 65536:
        raise SettingsError(f"--port is {port}, expected 0 to 65535")
    caps = Caps(max_sessions, max_nodes, max_bytes, max_memory, max_upload, float(idle), float(unwatched), workers)

    for file in network or []:
        opened(file, 1)  # raises now if the file can't be used, not in the first request

    def say(line: str) -> None:
        print(line, flush=True)

    own = ([*(game or []), *_installed_games(game or [], say)], network or [], [*(part or []), *_installed_parts(say)])
    for line in PRESETS.broken.values():
        say(line)
    start(host, port, data or default_folder(), *own, caps, say, not no_open and sys.stdout.isatty(), lesson)
    return 0


def _installed_games(given: Sequence[str], say: Callable[[str], None]) -> list[str]:
    """The names of installed packages' games; one that can't be used or whose title is taken is reported, left out."""
    titles = {*games.names(), *(games.find(spec)().title for spec in given)}
    found = []
    for name, game in games.offered().items():
        if isinstance(game, str):
            say(game)
        elif (title := game().title) in titles:
            say(f"game '{name}' of an installed package is left out: there is a game '{title}' already")
        else:
            titles.add(title)
            found.append(name)
    return found


def _installed_parts(say: Callable[[str], None]) -> list[str]:
    """The kinds of installed packages' policies and backups; one that can't be used is named and left out."""
    parts: dict[str, type[Part] | str] = {**offered(Policy), **offered(Backup)}
    for part in parts.values():
        if isinstance(part, str):
            say(part)
    return [kind_of(part) for part in parts.values() if not isinstance(part, str)]
