"""A rule of a user's game that raises: the run, the step or the move fails, everybody is told, the session goes on."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from playout.web.refusals import fault_of
from tests.places import TESTS

from .test_web_live import until
from .web_server import Served, serving
from .workbench_games import Failing

GAMES = Path(__file__).with_name("workbench_games.py")
OBJECTS = TESTS / "game" / "object_files.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), games=[f"{GAMES}:Failing", f"{OBJECTS}:Unlucky"]) as found:
        yield found


def failed(server: Served, session: str, what: str) -> dict[str, Any]:
    failure: dict[str, Any] = server.get(session)["failure"]
    assert failure["what"] == what
    assert "Failing.apply raised ValueError: 13 stones bring bad luck" in failure["message"]
    assert f"{GAMES.name}:" in failure["message"]
    assert (failure["position"], failure["moment"]) == (server.get(session)["position"]["text"], 0)
    assert "\n" not in failure["message"]
    return failure


def goes_on(server: Served, session: str) -> None:
    """Past the position that fails, everything works, and nothing reminds of the failure."""
    played = server.post(f"{session}/play", number=2)
    assert (played["failure"], played["plies"]) == (None, 1)
    assert server.post(f"{session}/run", simulations=50, wait=True)["run"]["message"] is None
    assert server.get(session)["failure"] is None


def test_a_run_that_fails_is_told_to_all_who_watch(server: Served) -> None:
    session = server.create("Failing")
    with server.live(session) as one, server.live(session) as other:
        run = server.post(f"{session}/run", simulations=100, wait=True)["run"]
        assert run["stopped_by"] == "error"
        failure = failed(server, session, "run")
        assert failure["message"] == run["message"]
        for live in (one, other):
            assert until(live, lambda m: m["type"] == "state" and m["session"]["failure"] == failure)
        goes_on(server, session)
        for live in (one, other):
            state = until(live, lambda m: m["type"] == "state" and m["session"]["plies"] == 1)
            assert state["session"]["failure"] is None


def test_a_run_that_fails_keeps_what_was_found_before_and_gives_its_turn_to_others(server: Served) -> None:
    sessions = [server.create("Failing", seed=seed) for seed in range(4)]  # more than compute at once
    for session in sessions:
        server.post(f"{session}/run", simulations=100, wait=True)
        state = server.get(session)
        assert state["run"] is None
        assert state["simulations"] == state["visits"] < 3  # the first that takes one stone fails
    goes_on(server, sessions[-1])


def test_a_step_that_fails_is_told_and_leaves_the_tree_as_it_was(server: Served) -> None:
    session = server.create("Failing")
    with server.live(session) as live:
        for _ in range(3):  # each takes another number of stones
            answer = server.http.post(f"{session}/step", json={})
            if answer.status_code == 400:
                break
        assert answer.json()["code"] == "game"
        failure = failed(server, session, "step")
        assert answer.json()["detail"] == failure["message"]
        assert until(live, lambda m: m["type"] == "state" and m["session"]["failure"] == failure)
        state = server.get(session)
        assert state["simulations"] == state["visits"] < 3
        goes_on(server, session)


def test_a_move_that_fails_is_told_and_nothing_is_played(server: Served) -> None:
    session = server.create("Failing")
    server.http.post(f"{session}/step", json={})
    before = server.get(f"{session}/tree")
    error = server.post(f"{session}/play", 400, number=1)
    assert error["detail"] == failed(server, session, "play")["message"]
    assert server.get(f"{session}/tree") == before
    assert len(server.get(f"{session}/game")["moments"]) == 1
    goes_on(server, session)


@pytest.mark.parametrize("what", ["run", "step", "play"])
def test_what_an_object_raises_is_told_with_its_position(server: Served, what: str) -> None:
    session = server.create("Unlucky")
    given = {"run": {"simulations": 50, "wait": True}, "step": {}, "play": {"number": 1}}[what]
    for _ in range(3):  # a step takes another number of stones each time
        server.http.post(f"{session}/{what}", json=given)
    failure = server.get(session)["failure"]
    assert failure["what"] == what
    assert "Unlucky.play raised ValueError: 13 stones bring bad luck in 14 stones, player 0, at" in failure["message"]


def test_what_only_the_client_got_wrong_is_no_failure(server: Served) -> None:
    session = server.create("Failing")
    server.post(f"{session}/play", 400, number=9)
    server.post(f"{session}/goto", 404, moment=9)
    assert server.get(session)["failure"] is None


def test_a_failure_survives_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path, games=[f"{GAMES}:Failing"]) as server:
        session = server.create("Failing")
        server.post(f"{session}/run", simulations=100, wait=True)
        failure = failed(server, session, "run")
    with serving(tmp_path, games=[f"{GAMES}:Failing"]) as server:
        assert server.get(session)["failure"] == failure
        goes_on(server, session)


def test_an_exception_of_a_games_own_python_is_named_with_its_line() -> None:
    try:
        random.choice([])
    except IndexError as error:
        text = fault_of(Failing, error)
    assert text.startswith("Failing.test_an_exception_of_a_games_own_python_is_named_with_its_line raised IndexError")
    assert f"{Path(__file__).name}:" in text
