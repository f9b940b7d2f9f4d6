"""Plain Python of a game that never returns or ends the program: it fails by name, and whoever called it goes on."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout.cli import main
from playout.core import watch
from tests.processes import hearing_ctrl_c
from tests.web.web_server import Served, serving

from .stubborn_games import Forever, Leaves, Nameless, Odd, Pressing, Quitting, Strange, Wordless

GAMES = Path(__file__).with_name("stubborn_games.py")


@pytest.fixture(autouse=True)
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", 0.2)


def test_an_initial_state_that_never_returns_is_interrupted_by_name() -> None:
    with pytest.raises(po.GameError, match=r"Forever.initial_state was still running after 0.2 s .*\.py:\d+ end"):
        po.Search(Forever())


def test_ctrl_c_ends_an_initial_state_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", 600.0)
    with hearing_ctrl_c():
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt, match=r"Forever.initial_state was still running"):
            Forever().position()


@pytest.mark.compiled_only
@pytest.mark.parametrize("command", ["analyze", "play"])
@pytest.mark.parametrize("name", ["Forever", "hangs"])
def test_the_time_of_a_search_is_the_time_of_its_start(
    command: str, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", 600.0)
    assert main([command, f"{GAMES}:{name}", "-t", "0.1"]) == 2
    said = capsys.readouterr().err
    assert "was still running after 1 s and was interrupted" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(("kind", "said"), [(Wordless, "state_to_text"), (Nameless, "action_to_text")])
def test_a_text_that_never_ends_is_interrupted_by_name(kind: type[po.Game], said: str) -> None:
    position = kind().position()
    still = rf"{kind.__name__}.{said} was still running.* in stones=21 turn=0 after 0.2 s .*\.py:\d+ end"
    with pytest.raises(po.GameError, match=still):
        _ = position.text if kind is Wordless else position.action_text(2)


def test_ctrl_c_ends_a_text_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", 600.0)
    position = Wordless().position()
    with hearing_ctrl_c():
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt, match=r"Wordless.state_to_text was still running in stones=21 turn=0"):
            _ = position.text


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["Wordless", "Nameless"])
def test_a_text_that_never_ends_ends_a_command(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", f"{GAMES}:{name}", "-t", "0.1"]) == 2
    said = capsys.readouterr().err
    assert f"{name}.{'state' if name == 'Wordless' else 'action'}_to_text was still running" in said
    assert said.count("\n") == 1


def test_a_rule_that_would_end_the_program_fails_by_name() -> None:
    with pytest.raises(po.GameError, match=r"Leaves.initial_state raised SystemExit: 3, at .*stubborn_games.py:\d+"):
        po.Search(Leaves())


@pytest.mark.parametrize(("kind", "error"), [(Quitting, SystemExit), (Pressing, KeyboardInterrupt), (Strange, Odd)])
def test_a_method_that_would_end_the_program_fails_by_name(kind: Any, error: type[BaseException]) -> None:
    search = po.Search(po.wrap(kind(12), players=2), seed=1)
    raised = rf"Quitting.play\(\) raised {error.__name__}: enough in 3 stones, player 0, at .*\.py:\d+$"
    with pytest.raises(po.GameError, match=raised):
        search.run(200)


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["Leaves", "Speechless", "Quitting", "Pressing", "Strange", "leaves"])
def test_a_command_ends_with_one_line(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", f"{GAMES}:{name}", "-n", "200"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert " raised " in said or ", raised at " in said
    assert "stubborn_games.py:" in said


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["Leaves", "Speechless", "Quitting", "Pressing", "Strange"])
def test_the_doctor_finds_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", f"{GAMES}:{name}"]) == 1
    assert " raised " in capsys.readouterr().out


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    names = ("Forever", "Leaves", "Speechless", "Undrawn", "quitting")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watch, "MOST_SECONDS", 0.2)
        with serving(tmp_path_factory.mktemp("data"), games=[f"{GAMES}:{name}" for name in names]) as found:
            yield found


@pytest.mark.compiled_only
def test_the_list_of_games_says_what_is_wrong_and_waits_for_no_game(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "MOST_SECONDS", 1e9)  # whoever asks a hanging game again waits for ever
    about = {game["game"]: game["about"] for game in server.get("/v1/games")["games"]}
    assert "does not work: Hang: Forever.initial_state was still running after 0.2 s" in about["Forever"]
    assert "Leaves.initial_state raised SystemExit: 3" in about["Leaves"]
    assert "SystemExit: no words" in about["Speechless"]
    assert "does not work" not in about["tictactoe"]


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", ["Forever", "Leaves", "Speechless"])
def test_only_its_own_session_can_not_be_made(server: Served, name: str) -> None:
    answer = server.post("/v1/sessions", 400, game=name)
    assert answer["code"] == "game"
    assert name in answer["detail"]
    server.get(server.create("tictactoe"))


@pytest.mark.compiled_only
def test_a_drawing_that_would_end_the_server_is_only_a_drawing(server: Served) -> None:
    assert server.get(server.create("Undrawn"))["position"]["text"] == "stones=21 turn=0"


@pytest.mark.compiled_only
def test_a_run_that_would_end_the_server_fails_by_itself(server: Served) -> None:
    session = server.create("Quitting")
    run = server.post(f"{session}/run", simulations=200, wait=True)["run"]
    assert "Quitting.play() raised SystemExit: enough" in run["message"]
    assert server.get(session)["failure"]["what"] == "run"
