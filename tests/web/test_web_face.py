"""What people meet first: tokens, names, the game that a visit begins with, who plays."""

import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path

import pytest

from playout import games
from playout.errors import GameError
from playout.web.caps import Caps
from playout.web.security import is_loopback

from .web_server import Served, serving
from .workbench_page import GAMES

pytestmark = pytest.mark.compiled_only
HTML = {"accept": "text/html,application/xhtml+xml", "host": "playout.example"}


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1", "[::1]"])
def test_an_address_of_this_machine_is_a_loopback_address(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["127.example.org", "127.0.0.1.example.org", "0.0.0.0", "192.168.1.2", "127."])
def test_a_name_that_begins_as_one_is_not(host: str) -> None:
    assert not is_loopback(host)


def test_a_copied_link_asks_for_the_token_and_goes_on_to_its_session(tmp_path: Path) -> None:
    with serving(tmp_path, host="0.0.0.0", token="secret") as server:
        program = server.http.get("/v1/server", headers={"host": "playout.example"})
        assert (program.status_code, program.json()["code"]) == (401, "token")
        asked = server.http.get("/s/abc-1", headers=HTML)
        assert asked.status_code == 401
        assert asked.headers["content-type"].startswith("text/html")
        assert 'name="to" value="/s/abc-1"' in asked.text
        welcome = server.http.get("/", params={"token": "secret", "to": "/s/abc-1"}, headers=HTML)
        assert (welcome.status_code, welcome.headers["location"]) == (303, "/s/abc-1")
        for away in ("//evil.example", "//evil.example/?game=chess", "https://evil.example/?a=b"):
            welcome = server.http.get("/", params={"token": "secret", "to": away}, headers=HTML)
            assert welcome.headers["location"] == "/"


def test_a_prepared_link_keeps_what_it_prepares_on_the_way_past_the_token(tmp_path: Path) -> None:
    with serving(tmp_path, host="0.0.0.0", token="secret") as server:
        prepared = "/?game=chess&position=8%2F8+w&c=2"
        asked = server.http.get(prepared, headers=HTML)
        assert (asked.status_code, f'value="{escape(prepared)}"' in asked.text) == (401, True)
        asked = server.http.get("/", params={"game": '"><script>'}, headers=HTML)
        assert "<script>" not in asked.text
        for given in (
            {"token": "secret", "to": prepared},
            {"token": "secret", "game": "chess", "position": "8/8 w", "c": 2},
        ):
            welcome = server.http.get("/", params=given, headers=HTML)
            assert (welcome.status_code, welcome.headers["location"]) == (303, prepared)


def test_a_visit_begins_with_the_game_that_the_server_was_started_with(tmp_path: Path, server: Served) -> None:
    assert server.get("/v1/server")["game"] == "tictactoe"
    with serving(tmp_path, games=[f"{GAMES}:Wide"]) as own:
        assert own.get("/v1/server")["game"] == own.get("/v1/games")["games"][-1]["game"]


def test_an_export_is_named_as_its_session(server: Served) -> None:
    session = server.create(name="第 3 课: a/b")
    named = server.get(f"{session}/export?form=json", 200)
    assert named["session"]["name"] == "第 3 课: a/b"
    header = server.http.get(f"{session}/export?form=json").headers["content-disposition"]
    assert "filename*=UTF-8''%E7%AC%AC%203%20%E8%AF%BE%20ab.json" in header


def test_players_are_called_by_their_names_and_the_end_says_what_each_got(server: Served) -> None:
    session = server.create(position="XX./OO./...")
    before = server.get(session)
    assert (before["player_names"], before["zero_sum"], before["returns"]) == (["X", "O"], True, None)
    assert server.post(f"{session}/play", action="3")["returns"] == [1.0, -1.0]


def test_names_must_fit_the_players() -> None:
    class Wrong(games.find("tictactoe")):  # type: ignore[misc]
        player_names = ("X",)

    with pytest.raises(GameError, match=r"player_names is .*expected 2 texts"):
        Wrong()


def test_a_step_answers_with_the_search_before_it(server: Served) -> None:
    session = server.create()
    server.post(f"{session}/run", simulations=30, wait=True)
    before = server.get(f"{session}/result")
    step = server.post(f"{session}/step", before={"map": {"depth": 2}, "explain": "zh"})
    assert step["before"]["result"]["actions"] == before["actions"]
    assert step["before"]["map"]["visits"] == 30
    assert step["before"]["explanation"]["text"]
    assert step["version"] == server.get(session)["version"]
    assert server.post(f"{session}/step")["before"] is None


def test_a_run_without_limits_is_stopped_when_nobody_watches_or_reads_it(tmp_path: Path) -> None:
    with serving(tmp_path, caps=Caps(unwatched=0.5)) as server:
        session = server.create("connect4")
        with server.live(session):  # as long as somebody watches, it goes on
            server.post(f"{session}/run", 202)
            found = server.bench.sessions.find(session.rpartition("/")[2])
            time.sleep(2.5)
            assert found.run is not None
        wait_until(lambda: found.run is None)
        assert found.last_run is not None
        assert found.last_run["stopped_by"] == "unwatched"


def test_sessions_of_a_comparison_go_when_nobody_watches_them_unless_they_are_kept(tmp_path: Path) -> None:
    with serving(tmp_path, caps=Caps(unwatched=0.5)) as server:
        kept, passing = (server.create(passing=True) for _ in range(2))
        server.http.patch(kept, json={"name": "kept"}).raise_for_status()
        wait_until(lambda: len(server.bench.sessions) == 1)
        assert server.get(kept)["name"] == "kept"
        server.get(passing, 404)


def test_only_presets_that_a_game_can_use_are_offered(server: Served) -> None:
    games_ = {game["game"]: game["presets"] for game in server.get("/v1/games")["games"]}
    assert {"default", "textbook", "network"} <= set(games_["tictactoe"])
    assert not {"chess", "connect4", "guided"} & set(games_["tictactoe"])
    assert {"chess", "chess-classic", "guided"} <= set(games_["chess"])


def test_the_principal_line_ends_where_visits_are_few(server: Served) -> None:
    session = server.create("connect4", seed=1)
    server.post(f"{session}/run", simulations=400, wait=True)
    nodes = server.get(f"{session}/line")["nodes"]
    assert nodes
    assert all(node["visits"] >= 4 for node in nodes[1:])


def test_a_method_that_is_not_taken_says_which_are(server: Served) -> None:
    refused = server.http.request("TRACE", "/v1/games")
    assert refused.status_code == 405
    assert refused.headers.get("allow") == "GET"
    assert server.http.request("TRACE", "/v1/nothing").status_code == 404


def test_the_schema_has_the_token_the_live_socket_and_the_refusals_of_the_door(server: Served) -> None:
    schema = server.get("/openapi.json")
    assert schema["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "/v1/sessions/{session}/live" in schema["x-websocket"]
    for path in schema["paths"].values():
        for operation in path.values():
            assert {"401", "403", "405", "408", "431"} <= set(operation["responses"])
