"""Sessions of visits: made for one visitor, deleted unless somebody uses them."""

import time
from pathlib import Path
from typing import Any

import pytest

from playout.web.caps import Caps

from .web_server import Served, serving

USES: dict[str, dict[str, Any]] = {
    "run": {"simulations": 1},
    "step": {},
    "play": {"action": "5"},
    "settings": {"seed": 3},
}


def sweep(server: Served, seconds: float = -1.0) -> None:
    """What the keeper does after an hour; -1: as if everybody had looked long ago."""
    server.bench.sessions._drop_unused(seconds)


def exists(server: Served, session: str) -> bool:
    return bool(server.http.get(session).status_code == 200)


def test_a_temporary_session_that_nobody_used_is_deleted(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session, made_by_a_program = server.create(temporary=True), server.create()
        assert server.get(session)["temporary"]
        sweep(server, seconds=600)
        assert exists(server, session)  # somebody looked just now
        sweep(server)
        assert not exists(server, session)
        assert exists(server, made_by_a_program)
    with serving(tmp_path) as server:
        assert not exists(server, session)


@pytest.mark.parametrize("what", [*USES, "name"])
def test_a_temporary_session_that_was_used_is_kept(tmp_path: Path, what: str) -> None:
    with serving(tmp_path) as server:
        session = server.create(temporary=True)
        if what == "name":
            server.http.patch(session, json={"name": "mine"}).raise_for_status()
        else:
            server.http.post(f"{session}/{what}", json=USES[what]).raise_for_status()
        assert not server.get(session)["temporary"]
        sweep(server)
        assert exists(server, session)


def test_a_temporary_session_stays_while_somebody_watches_and_over_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = server.create(temporary=True)
        with server.live(session) as live:
            live.recv()
            sweep(server)
            assert exists(server, session)
    with serving(tmp_path) as server:
        assert server.get(session)["temporary"]
        sweep(server)
        assert not exists(server, session)


def test_where_there_is_no_room_unused_sessions_make_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path, caps=Caps(sessions=2)) as server:
        first, second = server.create(temporary=True), server.create(temporary=True)
        assert server.post("/v1/sessions", 429, game="tictactoe")["code"] == "sessions"  # they are new
        monkeypatch.setattr("playout.web.sessions.JUST_MADE", -1.0)
        server.post(f"{second}/play", action="5")
        server.create()
        assert not exists(server, first)
        assert exists(server, second)
        error = server.post("/v1/sessions", 429, game="tictactoe", temporary=True)  # both are used
        assert "delete one" in error["detail"]
        server.http.delete(second)
        server.create()


def test_the_list_says_when_each_was_last_used(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        before = time.time()
        first, second = server.create(), server.create(temporary=True)
        server.post(f"{first}/play", action="5")
        listed = server.get("/v1/sessions")["sessions"]
        assert [f"/v1/sessions/{s['id']}" for s in listed] == [first, second]
        assert [s["temporary"] for s in listed] == [False, True]
        assert before <= listed[1]["touched"] <= listed[0]["touched"] <= time.time()
