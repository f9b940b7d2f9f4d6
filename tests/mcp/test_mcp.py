"""The MCP server, by the SDK's own client."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import playout as po

pytest.importorskip("mcp")
from mcp import Client, StdioServerParameters
from playout.mcp.desk import Desk
from playout.mcp.server import make_server

TOOLS = {"list_games", "open_game", "open_ledger", "run", "best", "play", "tree", "close"}
Ask = Callable[..., Awaitable[Any]]


def talk(server: Any, conversation: Callable[[Client, Ask], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Client(server) as client:

            async def ask(tool: str, **given: Any) -> Any:
                answer = await client.call_tool(tool, given)
                return answer.content[0].text if answer.is_error else answer.structured_content

            await conversation(client, ask)

    asyncio.run(asyncio.wait_for(main(), 120))


def test_an_agent_opens_a_game_runs_it_asks_why_and_plays() -> None:
    async def conversation(client: Client, ask: Ask) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        assert "connect4" in (await ask("list_games"))["games"]
        opened = await ask("open_game", game="tictactoe", position="XX./OO./...", seed=1)
        assert opened["player"] == 0
        assert "3" in opened["actions"]
        number = opened["search"]
        assert (await ask("run", search=number, simulations=200))["best"] == "3"
        best = await ask("best", search=number)
        assert best["proven"] == 1.0
        assert "3" in best["why"]
        assert (await ask("tree", search=number, depth=1, width=2))["children"]
        assert (await ask("play", search=number, action="3"))["is_over"]
        assert (await ask("close", search=number)) == {"closed": number}

    talk(make_server(), conversation)


def test_mistakes_come_back_in_one_line() -> None:
    async def conversation(client: Client, ask: Ask) -> None:
        for tool, given, message in (
            ("open_game", {"game": "tictactoo"}, "did you mean 'tictactoe'?"),
            ("open_game", {"game": "/etc/passwd:Game"}, "your own games are named when the server is started"),
            ("open_game", {"game": "tictactoe", "position": "nonsense"}, "nonsense"),
            ("best", {"search": "9"}, "no search '9' is open (open: none)"),
            ("open_ledger", {"ledger": "../x.db"}, "no folder of ledgers"),
        ):
            said = await ask(tool, **given)
            assert isinstance(said, str)
            assert message in said
            assert "\n" not in said
        number = (await ask("open_game", game="tictactoe"))["search"]
        assert "can be 8,421 nodes, expected at most 500" in await ask("tree", search=number, depth=3, width=20)
        assert "no limit given" in await ask("run", search=number)
        assert "expected a number above 0 and at most 60" in await ask("run", search=number, seconds=1e9)

    talk(make_server(), conversation)


def test_a_game_is_searched_with_its_own_preset() -> None:
    desk = Desk()
    for given, expected in ((None, "connect4"), ("default", "default")):
        search = desk._searches[desk.open_game("connect4", None, given, 0)["search"]]
        assert isinstance(search, po.Search)
        assert search.settings == po.preset(expected)


def test_a_ledger_is_read_over_stdio(tmp_path: Path) -> None:
    def generate(parent: Any, call: po.Call) -> po.Answer:
        return po.Answer(f"answer {call.number}", call.number / 10, cost=0.5)

    with po.GeneratedSearch(generate, ledger=tmp_path / "answers.db", seed=1) as search:
        search.run(6)

    async def conversation(client: Client, ask: Ask) -> None:
        assert (await ask("list_games"))["ledgers"] == ["answers.db"]
        opened = await ask("open_ledger", ledger="answers.db")
        assert opened["best"]["state"] == "answer 6"
        assert opened["cost"] == 3.0
        assert (await ask("tree", search=opened["search"], depth=1))["best_children"]
        with po.GeneratedSearch(generate, ledger=tmp_path / "answers.db") as search:
            search.run(7)
        assert (await ask("best", search=opened["search"]))["best"]["state"] == "answer 7"
        assert "only read" in await ask("run", search=opened["search"], simulations=1)
        assert "no ledger '../answers.db'" in await ask("open_ledger", ledger="../answers.db")

    paths = os.pathsep.join(path for path in sys.path if path)
    command = ["-m", "playout", "mcp", "--ledgers", str(tmp_path)]
    talk(
        StdioServerParameters(command=sys.executable, args=command, env={**os.environ, "PYTHONPATH": paths}),
        conversation,
    )
