"""PettingZoo, OpenSpiel and python-chess: searched, refused, and played against in their own code."""

import random
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pyspiel
import pytest
from pettingzoo.classic.connect_four import connect_four as connect_four_v3
from pettingzoo.classic.tictactoe import tictactoe as tictactoe_v3

import playout as po
from playout import games
from playout.cli import main

PERFECT = [
    *("amazons", "breakthrough", "checkers", "chess", "clobber", "connect_four", "dots_and_boxes", "go", "hex"),
    *(
        "havannah",
        "lines_of_action",
        "mancala",
        "nim",
        "nine_mens_morris",
        "othello",
        "oware",
        "pentago",
        "tic_tac_toe",
    ),
    *("ultimate_tic_tac_toe", "y", "backgammon", "pig", "2048", "einstein_wurfelt_nicht"),
]


def test_pettingzoo_is_searched_where_it_stands_and_not_changed() -> None:
    env = connect_four_v3.env()
    env.reset(seed=1)
    for action in (3, 0, 3, 0, 3):
        env.step(action)
    board = list(env.unwrapped.board)
    game = po.from_pettingzoo(env)
    assert game.copies.startswith("attributes: ")
    result = po.Search(game, seed=1).run(simulations=300)
    assert result.best_action == 3  # the only way to stop four in a column
    assert env.unwrapped.board == board
    assert env.agent_selection == "player_1"
    env.step(0)
    assert po.act(env, simulations=100) == 3  # and now it wins


def test_a_search_beats_the_random_agent_of_pettingzoo() -> None:
    for seed in range(2):
        env, draw = tictactoe_v3.env(), random.Random(seed)
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            if env.agent_selection == "player_1":
                env.step(draw.choice(np.flatnonzero(mask).tolist()))
            else:
                env.step(po.act(env, simulations=100))
        assert env.rewards["player_1"] <= 0


def test_pettingzoo_refuses_what_hides_or_moves_together() -> None:
    from pettingzoo.classic.rlcard_envs import leduc_holdem as leduc_holdem_v4
    from pettingzoo.classic.rps import rps as rps_v2

    env = leduc_holdem_v4.env()
    env.reset(seed=1)
    with pytest.raises(po.GameError, match="leduc_holdem hides cards"):
        po.from_pettingzoo(env)
    env = rps_v2.env()
    env.reset(seed=1)
    with pytest.raises(po.GameError, match="move at the same time"):
        po.from_pettingzoo(env)
    with pytest.raises(po.GameError, match="was not reset"):
        po.from_pettingzoo(connect_four_v3.env())


@pytest.mark.filterwarnings("ignore::UserWarning")  # of an empty board, and of spaces with masks, as its own games have
def test_pettingzoo_env_passes_the_test_of_pettingzoo() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of its own modules
        from pettingzoo.test import api_test

    for name in ("tictactoe", "connect4"):
        api_test(po.pettingzoo_env(name), num_cycles=50)


@pytest.mark.parametrize("name", PERFECT)
def test_perfect_information_games_of_openspiel_are_searched(name: str) -> None:
    search = po.Search(po.from_openspiel(name), seed=1)
    while search.position.player == po.CHANCE:
        search.play(search.position.outcomes()[0][0])
    result = search.run(simulations=3)
    assert result.best_action in search.position.actions()


def test_openspiel_takes_parameters_states_and_texts() -> None:
    game = po.from_openspiel("breakthrough(rows=6,columns=5)")
    assert game.position().action_text(game.position().actions()[0]).startswith("a")
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (0, 3, 1, 4):
        state.apply_action(action)
    result = po.Search(po.from_openspiel(state), seed=1).run(simulations=200)
    assert (result.best_action, result.best_text, result.proven) == (2, "x(0,2)", 1.0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("kuhn_poker", "can't search kuhn_poker: it hides information"),
        ("matrix_rps", "can't search matrix_rps: its players move at the same time"),
        ("no_such_game", "can't load 'no_such_game'"),
    ],
)
def test_openspiel_games_that_can_not_be_searched_are_refused_by_name(name: str, message: str) -> None:
    with pytest.raises(po.GameError, match=message):
        po.from_openspiel(name)


def test_a_bot_plays_in_openspiels_own_evaluation() -> None:
    from open_spiel.python.algorithms import evaluate_bots

    game = pyspiel.load_game("tic_tac_toe")
    bots = [po.openspiel_bot(simulations=200, seed=1), pyspiel.make_uniform_random_bot(1, 3)]
    for seed in range(3):
        returns = evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(seed))
        assert returns[0] >= 0.0
    with pytest.raises(po.PlayoutError, match="openspiel_bot got no limit"):
        po.openspiel_bot()


def test_a_chess_board_is_searched_by_python_chess_rules() -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    result = po.Search(po.from_chess(board), seed=1).run(simulations=100)
    assert result.best_action == chess.Move.from_uci("a1a8")
    assert result.proven == 1.0
    assert board.fen().startswith("6k1/5ppp")
    assert po.act(board, simulations=60) == chess.Move.from_uci("a1a8")
    with pytest.raises(po.GameError, match="from_chess got 'e4'"):
        po.from_chess("e4")


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("gymnasium", lambda: po.gym_env("target_sum"), "gymnasium"),
        ("gymnasium", lambda: po.pettingzoo_env("tictactoe"), "pettingzoo"),
        ("gymnasium", lambda: games.load("gym:FrozenLake-v1"), "gymnasium"),
        ("pygame", lambda: games.load("pettingzoo:connect_four_v3"), "pettingzoo"),
        ("pyspiel", lambda: po.from_openspiel("hex"), "openspiel"),
        ("chess", lambda: po.from_chess(None), "chess"),
    ],
    ids=["gymnasium", "both", "by name", "of an extra", "openspiel", "chess"],
)
def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch, module: str, call: Any, extra: str) -> None:
    from playout.adapters import environments

    environments._gym_class.cache_clear()
    environments._aec_class.cache_clear()
    for name in [name for name in sys.modules if name.startswith("pettingzoo.classic.connect_four")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(po.GameError, match=rf"needs {module}.*pip install 'playout\[{extra}\]'") as caught:
        call()
    assert str(caught.value).count("gym:FrozenLake-v1") <= 1


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("gym:FrozenLake-v1(is_slippery=False)", "FrozenLake-v1"),
        ("pettingzoo:tictactoe_v3", "tictactoe_v3"),
        ("openspiel:breakthrough(rows=6,columns=6)", "breakthrough"),
    ],
)
def test_environments_have_names_on_the_command_line(spec: str, name: str) -> None:
    import pickle

    game = po.games.load(spec)
    assert game.name == name
    assert pickle.loads(pickle.dumps(game)).name == name  # for other processes


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gym:FrozenLak-v1", "Gymnasium has no environment FrozenLak-v1"),
        ("gym:CartPole-v1(x)", "has the argument 'x', expected argument=value"),
        ("pettingzoo:chss", "PettingZoo has no environment chss"),
        ("pettingzoo:tictactoe_v3(x=1)", "can't be made: TypeError.*'x'"),
        ("openspiel:kuhn_poker", "hides information"),
        ("openspiel:hx", "OpenSpiel has no game 'hx'; did you mean 'hex'"),
        ("openspiel:breakthrough(rows=1,columns=1)", "can't load 'breakthrough.*rows_ > 1"),
        ("gym:FrozenLake-v1(nosuch=3)", "can't be made: TypeError.*'nosuch'"),
        ("gym:Pendulum-v1", "the actions are continuous"),
    ],
)
def test_wrong_names_are_one_line(spec: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["analyze", spec, "-n", "5"]) == 2
    out, error = capfd.readouterr()  # of the libraries in C++ as well
    assert (out, error.count("\n")) == ("", 1)
    assert re.search(message, error)


@pytest.mark.parametrize(
    "command",
    [
        "evaluate gym:CliffWalking-v1 -n 20 --games 1 --workers 1",
        "arena pettingzoo:tictactoe_v3 default,n=5 default,n=9 --games 2 --concurrency 1 --db {folder}/a.sqlite",
        "doctor openspiel:tic_tac_toe --games 5",
    ],
)
def test_commands_take_environments(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(command.format(folder=tmp_path).split()) == 0
    out = capsys.readouterr().out
    assert {"evaluate": "-13", "arena": "2 of 2 games", "doctor": "no mistakes"}[command.split(maxsplit=1)[0]] in out


class OddTicTacToe(tictactoe_v3.raw_env):  # type: ignore[misc]
    """Tic-tac-toe with something wrong after two moves."""

    wrong, moves = "", 0

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        super().reset(seed, options)
        self.moves = 0

    def step(self, action: Any) -> None:
        super().step(action)
        self.moves += 1
        if self.wrong == "rewards" and self.moves == 2:
            self.rewards["player_1"] = float("nan")

    def observe(self, agent: str) -> Any:
        seen = super().observe(agent)
        if self.wrong == "mask" and self.moves == 2:
            seen["action_mask"] = np.zeros(9, np.int8)
        return seen


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("rewards", r"tictactoe_v3: the rewards are .*nan.*, expected finite numbers"),
        ("mask", r"tictactoe_v3: the action mask allows player_[12] no action, and its game is not over"),
    ],
)
def test_what_an_environment_of_pettingzoo_does_wrong_is_named(wrong: str, message: str) -> None:
    env = type("Odd", (OddTicTacToe,), {"wrong": wrong})()
    env.reset(seed=1)
    with pytest.raises(po.GameError, match=message):
        po.from_pettingzoo(env)
