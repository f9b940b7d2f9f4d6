"""`playout mcp`: searches as tools for agents, by the Model Context Protocol."""

from pathlib import Path
from typing import Annotated

import typer

from playout.errors import SettingsError


def mcp(
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Your own game, as file.py:Class; repeatable."),
    ] = None,
    ledgers: Annotated[
        Path | None,
        typer.Option("--ledgers", metavar="FOLDER", help="A folder with ledgers of generated searches to read."),
    ] = None,
) -> None:
    """Serve searches to an agent, to be started by its program. It reads and writes the Model Context Protocol."""
    try:
        from playout.mcp.server import make_server  # noqa: PLC0415  # heavy, and optional
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("playout"):
            raise
        raise SettingsError(
            f"mcp needs the package '{error.name}', which is not installed: pip install 'playout[mcp]'"
        ) from None
    make_server(game or [], ledgers).run("stdio")
