"""The tools in the protocol's form. The only file that needs the package `mcp`."""

import functools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from playout.common.version import __version__
from playout.errors import PlayoutError

from .desk import Desk

INSTRUCTIONS = (
    "Monte Carlo Tree Search. open_game starts a search of a game and returns its number; run searches, best tells the "
    "best action and why, play makes a move, tree shows what was searched. open_ledger reads the ledger of a generated "
    "search (answers of a language model), which best and tree then show."
)


def make_server(allowed: Iterable[str] = (), ledgers: Path | None = None) -> "MCPServer[Any]":
    """A server with its tools, for games and ledgers that are named here."""
    desk = Desk(allowed, ledgers)
    server: MCPServer[Any] = MCPServer("playout", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")

    def tool(function: Callable[..., dict[str, Any]]) -> None:
        @functools.wraps(function)
        def refusing(*arguments: Any, **named: Any) -> dict[str, Any]:
            try:
                return function(*arguments, **named)
            except PlayoutError as error:
                raise ToolError(str(error)) from None

        server.tool()(refusing)

    @tool
    def list_games() -> dict[str, Any]:
        """The games that can be searched, and the ledgers that can be read."""
        return desk.list_games()

    @tool
    def open_game(game: str, position: str | None = None, preset: str | None = None, seed: int = 0) -> dict[str, Any]:
        """Open a search of a game, from its start or a position in the game's text form (FEN for chess)."""
        return desk.open_game(game, position, preset, seed)

    @tool
    def open_ledger(ledger: str) -> dict[str, Any]:
        """Open the ledger of a generated search, to read it as it stands."""
        return desk.open_ledger(ledger)

    @tool
    def run(search: str, simulations: int | None = None, seconds: float | None = None) -> dict[str, Any]:
        """Search on, for some simulations or seconds (60 at most)."""
        return desk.run(search, simulations, seconds)

    @tool
    def best(search: str) -> dict[str, Any]:
        """The best action and why; of a ledger, the best answer and the way to it."""
        return desk.best(search)

    @tool
    def play(search: str, action: str) -> dict[str, Any]:
        """Make a move; the part of the tree below it is kept."""
        return desk.play(search, action)

    @tool
    def tree(search: str, depth: int = 2, width: int = 5) -> dict[str, Any]:
        """The tree below the root, the most visited children first."""
        return desk.tree(search, depth, width)

    @tool
    def close(search: str) -> dict[str, Any]:
        """Close a search."""
        return desk.close(search)

    return server
