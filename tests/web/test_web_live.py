"""The WebSocket: what comes, when, and what a client may say."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from .web_server import Served, serving

PATIENCE = 600


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


def until(live: Any, wanted: Any) -> dict[str, Any]:
    """The first message that fulfils a condition."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        message: dict[str, Any] = json.loads(live.recv(timeout=PATIENCE))
        if wanted(message):
            return message
    raise AssertionError("it never came")


def is_update(message: dict[str, Any]) -> bool:
    return bool(message["type"] == "update")


def test_the_state_comes_first_then_an_update(server: Served) -> None:
    session = server.create("connect4")
    with server.live(session) as live:
        first, second = json.loads(live.recv()), json.loads(live.recv())
        assert (first["type"], first["session"]["id"]) == ("state", session.rpartition("/")[2])
        assert (second["type"], second["run"]) == ("update", None)
        assert second["result"]["actions"]
        assert "tree" not in second


def test_a_run_is_followed_to_its_end(server: Served) -> None:
    session = server.create("connect4")
    with server.live(session) as live:
        live.send(json.dumps({"type": "watch", "tree": {"depth": 1, "width": 3}, "map": {"cells": 20}, "line": {}}))
        until(live, lambda m: is_update(m) and m.get("tree"))
        server.post(f"{session}/run", 202)
        seen = [until(live, lambda m: is_update(m) and m["run"] and m["run"]["simulations"] > 0) for _ in range(3)]
        counts = [update["run"]["simulations"] for update in seen]
        assert counts == sorted(counts)
        assert all(update["point"]["simulations"] >= update["run"]["simulations"] for update in seen)
        assert len(seen[-1]["tree"]["children"]) == 3
        maps = [until(live, lambda m: is_update(m) and m.get("map"))["map"] for _ in range(2)]  # not in each update
        assert all(0 < len(found["cells"]) <= 20 for found in maps)
        assert seen[-1]["line"]["path"]
        live.send(json.dumps({"type": "stop"}))
        state = until(live, lambda m: m["type"] == "state" and m["session"]["run"] is None)["session"]
        assert state["last_run"]["stopped_by"] == "stop"
        last = until(live, is_update)
        assert last["run"] is None
        assert last["result"]["visits"] == state["visits"] == state["last_run"]["simulations"]


def test_the_reasons_follow_a_run_in_the_language_that_is_watched(server: Served) -> None:
    session = server.create("connect4", seed=1)
    names = {a["action"]: a["number"] for a in server.get(session)["position"]["actions"]}
    with server.live(session) as live:
        server.post(f"{session}/run", 202)
        for language, word in (("en", "the search chooses"), ("zh", "搜索选择")):
            live.send(json.dumps({"type": "watch", "explain": language}))
            seen = [until(live, lambda m: (m.get("explanation") or {}).get("facts", {}).get("best")) for _ in range(3)]
            seen = [m["explanation"] for m in seen if word in m["explanation"]["text"]]
            assert all(names[found["facts"]["best"]["action"]] == found["facts"]["best"]["number"] for found in seen)
            done = [found["facts"]["search"]["simulations"] for found in seen]
            assert done == sorted(set(done))
            assert len(done) >= 2  # one may have been under way in the language before
        live.send(json.dumps({"type": "watch"}))
        until(live, lambda m: is_update(m) and "explanation" not in m)
        server.post(f"{session}/stop")


def test_changes_by_others_are_told(server: Served) -> None:
    session = server.create("connect4")
    with server.live(session) as live, server.live(session) as other:
        until(other, is_update)
        live.send(json.dumps({"type": "watch", "tree": {"path": [3, 3]}}))
        server.post(f"{session}/run", simulations=100, wait=True)
        server.post(f"{session}/play", action="4")
        for one in (live, other):
            assert until(one, lambda m: m["type"] == "state" and m["session"]["plies"] == 1)
        # The path that is watched is no longer there, or not yet: told, and no reason to end.
        assert until(live, lambda m: is_update(m) and m["result"]["position"] == "4")
        server.http.patch(session, json={"name": "renamed"})
        assert until(other, lambda m: m["type"] == "state" and m["session"]["name"] == "renamed")


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "[]",
        "null",
        '{"type": "dance"}',
        '{"type": "watch", "rate": 1e9}',
        '{"type": "watch", "tree": 5}',
        "[" * 9000,
    ],
)
def test_what_is_not_understood_is_said(server: Served, message: str) -> None:
    session = server.create()
    with server.live(session) as live:
        live.send(message)
        assert until(live, lambda m: m["type"] == "error")["problem"]["code"] == "invalid"
        live.send(json.dumps({"type": "watch"}))
        assert until(live, is_update)


def test_a_deleted_session_says_goodbye(server: Served) -> None:
    session = server.create("connect4")
    server.post(f"{session}/run", 202)
    with server.live(session) as live:
        until(live, is_update)
        server.http.delete(session)
        assert until(live, lambda m: m["type"] == "deleted")
        with pytest.raises(ConnectionClosed):
            until(live, lambda m: False)


def test_too_many_watchers_are_refused(server: Served) -> None:
    session = server.create()
    found = server.bench.sessions.find(session.rpartition("/")[2])
    for number in range(16):
        found.listeners.add(lambda number=number: None)  # type: ignore[misc]
    with server.live(session) as live, pytest.raises(ConnectionClosed) as closed:
        live.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4409


def test_the_server_stops_while_somebody_watches(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = server.create("connect4")
        server.post(f"{session}/run", 202)
        live = server.live(session)
        connection = live.__enter__()
        until(connection, is_update)
    with pytest.raises(ConnectionClosed):
        until(connection, lambda m: False)
    live.__exit__(None, None, None)
