"""A rule that never returns: only its own session fails, and can go on; Stop and Delete end it."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.web.caps import Caps
from playout.web.session import Session

from .web_server import Served, serving

pytestmark = pytest.mark.compiled_only  # uncompiled, rules are plain Python, and nothing interrupts them

GAMES = Path(__file__).with_name("workbench_games.py")
STUCK = "Hanging.apply was still running at stones=13"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), games=[f"{GAMES}:Hanging"], caps=Caps(workers=1)) as found:
        yield found


@pytest.fixture(autouse=True)
def nothing_else_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.core.watch.MOST_ROUNDS", 1 << 62)


def found(server: Served, session: str) -> Session:
    return server.bench.sessions.find(session.rpartition("/")[2])


def hang(server: Served, **limits: Any) -> str:
    """A session whose run is inside the rule that hangs: it has its turn and does not come back."""
    session = server.create("Hanging")
    server.post(f"{session}/run", 202, **limits)
    run = found(server, session).run
    assert run is not None
    while not run._turn.granted:
        time.sleep(0.01)
    return session


def goes_on(server: Served, session: str) -> None:
    assert server.post(f"{session}/play", number=2)["failure"] is None
    assert server.post(f"{session}/run", simulations=5, wait=True)["run"]["message"] is None


def test_stop_ends_a_run_that_hangs_and_the_session_goes_on(server: Served) -> None:
    session = hang(server)
    run = server.post(f"{session}/stop")["run"]
    assert run["stopped_by"] == "error"
    assert STUCK in run["message"]
    state = server.get(session)
    assert (state["run"], state["failure"]["what"]) == (None, "run")
    assert state["failure"]["message"] == run["message"]
    goes_on(server, session)


def test_a_run_that_hangs_ends_with_its_time(server: Served) -> None:
    session = server.create("Hanging")
    run = server.post(f"{session}/run", seconds=0.2, wait=True)["run"]
    assert STUCK in run["message"]
    goes_on(server, session)


def test_a_run_that_hangs_holds_nobody_else_up(server: Served) -> None:
    """There is one slot for runs, and the one that hangs has it."""
    session = hang(server)
    for game in ("tictactoe", "connect4"):
        other = server.create(game)
        assert server.post(f"{other}/run", simulations=200, wait=True)["run"]["message"] is None
        server.post(f"{other}/step")
    server.get("/v1/sessions")
    assert found(server, session).run is not None  # it was never ended meanwhile
    server.post(f"{session}/stop")


def test_a_session_that_hangs_can_be_deleted(server: Served) -> None:
    session = hang(server)
    run = found(server, session).run
    assert run is not None
    assert server.http.delete(session).status_code == 204
    run.finished.result(60)
    assert STUCK in str(run.error)
    assert server.http.get(session).status_code == 404


def test_a_step_or_a_move_that_hangs_fails_by_itself(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playout.core.watch.MOST_ROUNDS", 1 << 24)
    session = server.create("Hanging")
    while (step := server.http.post(f"{session}/step", json={})).status_code == 200:
        pass  # the first that takes one stone hangs
    move = server.http.post(f"{session}/play", json={"number": 1})
    for answer in (step, move):
        assert (answer.status_code, answer.json()["code"]) == (400, "game")
        assert "Hanging.apply was still running" in answer.json()["detail"]
    assert server.get(session)["failure"]["what"] == "play"
    assert server.get(session)["plies"] == 0
    goes_on(server, session)


def test_a_run_that_was_stopped_does_not_end_the_long_rules_of_what_comes_next(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = server.create("Hanging", game_settings={"stones": 12})
    server.post(f"{session}/run", 202)
    server.post(f"{session}/stop")
    found(server, session).search.stop()  # type: ignore[union-attr]  # one that comes late
    monkeypatch.setattr("playout.search.control.GRACE", -1e9)
    server.post(f"{session}/step")
    server.post(f"{session}/play", number=1)


def test_the_server_stops_although_a_rule_hangs(tmp_path: Path) -> None:
    with serving(tmp_path, games=[f"{GAMES}:Hanging"]) as server:
        session = hang(server)
        run = found(server, session).run
        assert run is not None
    run.finished.result(60)
    assert not [thread for thread in threading.enumerate() if thread is run._thread and thread.is_alive()]
    with serving(tmp_path, games=[f"{GAMES}:Hanging"]) as server:
        assert STUCK in server.get(session)["failure"]["message"]
        goes_on(server, session)
