"""Sharing a session: the link to follow can change nothing, and only the page that leads can."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from .web_server import Served, serving

PAGE, OTHER = "page-of-the-teacher", "page-of-somebody"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


def shared(server: Served, page: str = PAGE, **more: Any) -> tuple[str, str]:
    """A session that is shared, and its address for followers."""
    session = server.create(**more)
    links = server.post(f"{session}/share", page=page)
    assert links["take_over"] == f"/s/{session.rpartition('/')[2]}?lead"
    return session, f"/v1/sessions/{links['follow'].removeprefix('/s/')}"


CHANGES = [
    ("POST", "/run", {"simulations": 1}),
    ("POST", "/stop", {}),
    ("POST", "/step", {}),
    ("POST", "/seek", {"simulations": 0}),
    ("POST", "/play", {"number": 4}),
    ("POST", "/goto", {"moment": 0}),
    ("POST", "/settings", {"options": {"c": 1}}),
    ("PATCH", "", {"name": "mine"}),
    ("PUT", "/shown", {"tab": "why"}),
    ("DELETE", "/share", None),
    ("DELETE", "", None),
]


@pytest.mark.parametrize(("method", "part", "body"), CHANGES)
def test_a_follower_and_a_page_that_does_not_lead_change_nothing(
    server: Served, method: str, part: str, body: dict[str, Any] | None
) -> None:
    session, follow = shared(server)
    before = server.get(session)
    for address, code in ((follow, "read_only"), (session, "led")):
        answer = server.http.request(method, address + part, json=body, headers={"Playout-Page": OTHER})
        assert (answer.status_code, answer.json()["code"]) == (403, code)
        assert "\n" not in answer.json()["detail"]
    assert server.get(session) == before


def test_a_follower_neither_shares_nor_exports_nor_learns_the_sessions_id(server: Served) -> None:
    session, follow = shared(server)
    assert server.post(f"{follow}/share", 403, page=OTHER)["code"] == "read_only"
    assert server.get(f"{follow}/export", 403)["code"] == "read_only"
    assert server.get(f"{follow}/share", 403)["code"] == "read_only"
    name = session.rpartition("/")[2]
    for part in ("", "/tree", "/node", "/line", "/map", "/chart", "/game", "/result", "/shown", "/explain"):
        assert name not in json.dumps(server.get(follow + part))
    with server.live(follow) as live:
        assert name not in live.recv(timeout=600)
        live.send(json.dumps({"type": "stop"}))
        while (message := json.loads(live.recv(timeout=600)))["type"] != "error":
            pass
        assert message["problem"]["code"] == "read_only"


def test_what_the_leading_page_shows_reaches_those_who_follow(server: Served) -> None:
    session, follow = shared(server)
    assert server.get(f"{follow}/shown") == {"leader_view": None}
    assert server.get(f"{follow}/step", 409)["code"] == "state"
    led = {"Playout-Page": PAGE}
    step = server.http.post(f"{session}/step", json={"svg": True, "before": {}}, headers=led).json()
    shown = {"tab": "node", "path": [4], "simulation": 1, "beat": 2}
    with server.live(follow) as live:
        assert server.http.put(f"{session}/shown", json=shown, headers=led).status_code == 204
        while (message := json.loads(live.recv(timeout=600))) != {"type": "shown", "leader_view": shown}:
            assert message["type"] in ("state", "update", "shown")
    assert server.get(f"{follow}/step") == step


def test_taking_over_changes_who_leads_and_ending_it_ends_the_link(server: Served) -> None:
    session, follow = shared(server)
    assert server.post(f"{session}/share", page=OTHER)["leads"] == 2
    assert server.http.post(f"{session}/step", json={}, headers={"Playout-Page": PAGE}).json()["code"] == "led"
    assert server.http.post(f"{session}/step", json={}, headers={"Playout-Page": OTHER}).status_code == 200
    with server.live(follow) as live:
        assert server.http.delete(f"{session}/share", headers={"Playout-Page": OTHER}).status_code == 204
        while json.loads(live.recv(timeout=600))["type"] != "deleted":
            pass
    assert server.get(follow, 404)["code"] == "unknown_session"
    assert server.get(f"{session}/share")["follow"] is None
    server.post(f"{session}/step")


@pytest.mark.parametrize("page", ["", "short", "x" * 65, "with a space in it", None, 5])
def test_a_page_needs_a_secret(server: Served, page: Any) -> None:
    assert server.post(f"{server.create()}/share", 422, page=page)["code"] == "invalid"


def test_what_is_shown_must_be_there_to_see(server: Served) -> None:
    session, _ = shared(server)
    for wrong in ({"tab": "secrets"}, {"beat": -1}, {"path": ["a"]}, {"simulation": 0}, {"more": 1}):
        answer = server.http.put(f"{session}/shown", json=wrong, headers={"Playout-Page": PAGE})
        assert answer.status_code == 422
    assert server.http.put(f"{server.create()}/shown", json={}).json()["code"] == "state"


def test_sharing_outlives_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session, follow = shared(server)
    with serving(tmp_path) as server:
        assert server.get(follow)["id"] == follow.rpartition("/")[2]
        assert server.post(f"{session}/step", 403)["code"] == "led"


def test_a_follower_needs_no_token_and_gets_nothing_else(tmp_path: Path) -> None:
    with serving(tmp_path, host="0.0.0.0", token="secret") as server:
        server.http.headers = {"authorization": "Bearer secret"}
        session, follow = shared(server)
        del server.http.headers["authorization"]
        assert server.get(follow)["simulations"] == 0
        assert server.http.get(follow.replace("/v1/sessions", "/s")).status_code == 200
        assert server.http.get("/static/app.js").status_code == 200
        for address in (session, "/v1/sessions", "/v1/server", "/v1/sessions/follow-me", f"{follow}/../{session}"):
            assert server.http.get(address).status_code == 401, address
        assert server.http.post(f"{follow}/step", json={}).status_code == 401
        with server.live(follow) as live:
            assert json.loads(live.recv(timeout=600))["type"] == "state"
        with pytest.raises(InvalidStatus), server.live(session):
            pass
