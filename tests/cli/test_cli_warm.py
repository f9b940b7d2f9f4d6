"""Compiling ahead, and the line that is said to who waits for the compiler."""

import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from playout import games
from playout.cli import main
from playout.core.simulate import run as kernel
from playout.play.warm import OTHERS, Task, run_task, tasks
from playout.search import compiling as module
from playout.search.compiling import Compiling
from playout.solve.warm import nested_tasks
from playout.web import server

STONES = """
import numpy as np
import playout as po

class {name}(po.Game):
    players = 2
    max_actions = 2
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = 7

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 2
        return min(2, state.stones)

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn
"""


def compiled(listener: Compiling, *dispatchers: Any) -> None:
    """What Numba tells of one function after the other."""
    for dispatcher in dispatchers:
        event = SimpleNamespace(data={"dispatcher": dispatcher})
        listener.on_start(event)
        listener.on_end(event)


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Compiling:
    """One that nobody has told of anything, before any search was compiled, with a person at the terminal."""
    monkeypatch.setattr(module, "is_first", lambda kernel="": True)
    monkeypatch.setattr(module, "is_watched", lambda: True)
    monkeypatch.delenv(module.OURS, raising=False)
    return Compiling()


def test_the_first_compilation_is_told_once(listener, capsys):
    compiled(listener, kernel, kernel, kernel)
    assert capsys.readouterr().err == "playout: compiling the search once, about 15 s …\n"
    assert listener.functions == 3


def test_what_other_programs_compile_is_not_told(listener, capsys):
    compiled(listener, SimpleNamespace(_cache=None))
    assert (listener.functions, capsys.readouterr().err) == (0, "")


def test_a_rule_that_compiles_in_a_moment_is_not_told(listener, capsys, monkeypatch):
    monkeypatch.setattr(module, "is_first", lambda kernel="": False)
    compiled(listener, kernel)
    assert capsys.readouterr().err == ""
    listener.seconds = 2.0  # they add up
    compiled(listener, kernel)
    assert capsys.readouterr().err == "playout: compiling the search once, about 5 s …\n"


def test_nothing_is_told_in_a_pipe(listener, capsys, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(module, "is_first", lambda kernel="": True)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # of a test that runs a notebook
    compiled(listener, kernel)
    assert (listener.functions, capsys.readouterr().err) == (1, "")


def test_the_server_says_while_it_compiles(listener):
    assert listener.about is None
    listener.on_start(SimpleNamespace(data={"dispatcher": kernel}))
    assert listener.about == 15


def test_warm_names_what_it_compiles_and_a_second_call_finds_nothing(tmp_path, capsys):
    name = f"Stones{tmp_path.stat().st_ino}"  # that nobody has compiled before
    (tmp_path / "stones.py").write_text(STONES.format(name=name))
    game = f"{tmp_path}/stones.py:{name}"
    for _ in range(2):
        assert main(["warm", game, "--processes", "2"]) == 0
    first, second = capsys.readouterr().out.split("Compiling: ")[1:]
    assert first.startswith(f"trees, steps, {game}\n")
    assert f"\n{game}: 4 functions in " in first or f"\n{game}: 5 functions in " in first
    assert second.endswith("Everything was already compiled.\n")


def test_warm_refuses_a_game_that_is_none_before_it_compiles(capsys):
    assert main(["warm", "tictactoo"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "did you mean 'tictactoe'?" in err


def test_warming_everything_covers_all_games_and_kinds_of_search():
    wanted = tasks(["othello"], everything=True)
    assert {task.name for task in wanted} >= {"trees", "steps", "graphs", "open loops", "networks", "chess", "othello"}
    assert len({task.name for task in wanted}) == len(wanted)
    assert set(OTHERS) <= set(wanted)
    nested = {task.name for task in nested_tasks(["othello"], everything=True)}
    assert nested == {f"solving {name}" for name in ("target_sum", "tsp", "knapsack", "samegame", "jobshop")}


def test_warming_a_problem_compiles_nested_search_for_it():
    (task,) = nested_tasks(["tictactoe", "target_sum"], everything=False)
    assert run_task(task).skipped == ""
    assert set(games.load("target_sum").rules._compiled) >= {"guided_policy_playout"}


def test_a_task_that_can_not_be_done_says_why():
    done = run_task(Task("guided", options=((("policy", "puct"), ("evaluator", "static")),), game="tictactoe"))
    assert "tictactoe has no static value" in done.skipped


def test_the_compiler_in_the_background_ends_with_the_server(monkeypatch):
    started = []

    def start(*arguments: Any, **more: Any) -> Any:
        started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **more))
        return started[0]

    monkeypatch.setattr(server, "is_needed", lambda: True)
    monkeypatch.setattr(server, "subprocess", SimpleNamespace(Popen=start, DEVNULL=subprocess.DEVNULL))
    said: list[str] = []
    with server.warming(said.append):
        assert started[0].poll() is None
    assert started[0].poll() is not None
    assert "in the background" in said[0]
