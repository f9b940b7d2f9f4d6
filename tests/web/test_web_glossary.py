"""docs/glossary.md has every name on the wire, and no other: in HTTP, the WebSocket, `--json` and search files."""

import dataclasses
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout.cli import main
from playout.web.requests import WatchMessage
from tests.places import DOCS

from .web_server import Served, serving

# Objects whose keys are data (a move, a game's setting, a rule), and not names of ours.
KEYED = {
    "by_rule",
    "defaults",
    "games",
    "game_settings",
    "moves",
    "names",
    "options",
    "presets",
    "proven_actions",
    "random",
    "settings",
    "terminations",
    "terms",
    "translations",
}
COMMANDS = [
    "analyze tictactoe -n 50 --explain",
    "analyze tictactoe -n 50 --option transpositions=on",
    "analyze tictactoe -n 50 --roots 2",
    "games",
    "games target_sum",
    "settings",
    "doctor tictactoe --games 2",
    "bench --quick",
    "perft tictactoe -d 2",
    "evaluate target_sum --player random --games 2 --workers 1",
    "compare tictactoe --variants random -n 5 --games 2 --workers 1 --db none",
    "solve target_sum -n 50 --runs 1",
    "compare target_sum -n 5 --games 2 --workers 1 --db none",
    "tune tictactoe --over c=1..2 --trials 1 --games 4 -n 5 --workers 1 --db none --verify --verify-games 2",
    "tune target_sum --over c=1..2 --trials 1 --games 2 -n 5 --workers 1 --db none --verify --verify-games 2",
    "arena tictactoe random b=random --games 2 --concurrency 1 --db none --sprt 0,400",
    "arena tictactoe random b=random c=random --round-robin --games 2 --concurrency 1 --db none",
]


def glossary() -> dict[str, str]:
    """The names and their meanings."""
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", (DOCS / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == len({name for name, _ in rows}), "a name is there twice"
    return dict(rows)


def names_of(value: Any) -> set[str]:
    """The names in a JSON value, at any depth."""
    if isinstance(value, list):
        return set().union(*map(names_of, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    below = (names_of(v) for key, v in value.items() if key not in KEYED or isinstance(v, list))
    return set(value).union(*below)


def names_of_schema(schema: dict[str, Any]) -> set[str]:
    """The properties of JSON schemas."""
    return {name for model in schema.values() for name in model.get("properties", {})}


def collected(server: Served) -> Iterator[tuple[str, set[str]]]:
    """Where names are used, and which."""
    schema = server.get("/openapi.json")
    yield "the schema", names_of_schema(schema["components"]["schemas"])
    operations = [one for path in schema["paths"].values() for one in path.values()]
    yield "parameters", {p["name"] for one in operations for p in one.get("parameters", ()) if p["in"] == "query"}
    watch = WatchMessage.model_json_schema()
    yield "watch messages", names_of_schema({**watch["$defs"], "": watch})
    for path in ("server", "games", "presets", "settings", "problems"):
        yield path, names_of(server.get(f"/v1/{path}"))
    session = server.create(seed=1, options={"solver": "off"})
    yield "step", names_of(server.post(f"{session}/step", svg=True))
    yield "run", names_of(server.post(f"{session}/run", simulations=100, wait=True))
    for path in ("", "/result", "/tree", "/node", "/line", "/map", "/chart", "/find?text=5", "/explain", "/export"):
        yield path, names_of(server.get(session + path))
    with server.live(session) as live:
        watched = {"type": "watch", "explain": "en", "tree": {}, "map": {}, "line": {"path": [99]}}
        for message in (watched, {"type": "dance"}):
            live.send(json.dumps(message))
        seen = set[str]()
        while seen < {"state", "update", "error"}:
            message = json.loads(live.recv(timeout=600))
            seen |= {message["type"]} if message["type"] != "update" or "missing" in message else set()
            yield message["type"], names_of(message)
    yield "play", names_of(server.post(f"{session}/play", number=4))
    yield "game", names_of(server.get(f"{session}/game"))
    yield "ask", names_of(server.post(f"{session}/ask"))


def printed(capsys: pytest.CaptureFixture[str], command: str) -> Any:
    assert main([*command.split(), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def header(tmp_path: Path) -> Any:
    search = po.Search("tictactoe", seed=1)
    search.run(10)
    search.save(tmp_path / "x.search")
    with zipfile.ZipFile(tmp_path / "x.search") as archive:
        return json.loads(archive.read("header.json"))


def test_every_name_on_the_wire_has_its_meaning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known, used = glossary(), set[str]()
    unknown: dict[str, set[str]] = {}

    def note(place: str, names: set[str]) -> None:
        used.update(names)
        if names - known.keys():
            unknown[place] = names - known.keys()

    with serving(tmp_path / "data") as server:
        for place, names in collected(server):
            note(place, names)
    for command in COMMANDS:
        note(command, names_of(printed(capsys, command)))
    record = tmp_path / "games.jsonl"
    printed(capsys, f"{COMMANDS[-1]} --record {record}")
    note("recorded games", names_of([json.loads(line) for line in record.read_text().splitlines()]))
    note("a search file", names_of(header(tmp_path)))
    note("findings", {field.name for field in dataclasses.fields(po.Finding)})
    note("a report on a part", names_of(po.PartReport("", (), 0, ()).to_dict()))
    assert not unknown, "names that docs/glossary.md does not have"
    assert not known.keys() - used, "names that nothing uses"
