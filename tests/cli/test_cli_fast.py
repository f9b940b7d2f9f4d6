"""Networks inside the search from every front end: the command line, the arena, UCI and the server."""

import json
from pathlib import Path

import pytest

import playout as po
from playout.arena import play_match
from playout.cli import main
from playout.uci import Engine
from tests.evaluators.sparse import random_network, saved
from tests.web.web_server import serving


@pytest.fixture
def connect4(tmp_path: Path) -> str:
    return saved(tmp_path, random_network(po.games.load("connect4"), 16), "c4.fast")


def printed(capsys, *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    out, error = capsys.readouterr()
    return out if code == 0 else error


@pytest.mark.parametrize("preset", ["network", "alphazero", "gumbel"])
def test_analyze(preset, connect4, capsys):
    answer = json.loads(
        printed(capsys, "analyze", "connect4", "44", "--network", connect4, "--preset", preset, "-n", "300", "--json")
    )
    assert answer["simulations"] == 300
    assert len({action["prior"] for action in answer["actions"]}) == 7


def test_options_that_mean_nothing_are_refused_in_one_line(connect4, capsys):
    for option, expected in (("batch=8", "batch is 8, but"), ("network_threads=2", "network_threads is 2, but")):
        error = printed(capsys, "analyze", "connect4", "--network", connect4, "--option", option, code=2)
        assert expected in error
        assert len(error.splitlines()) == 1
    error = printed(capsys, "analyze", "othello", "--network", connect4, code=2)
    assert "c4.fast: a network for connect4, not for othello" in error
    assert len(error.splitlines()) == 1


def test_threads_and_roots(connect4, capsys):
    for more in ("--threads", "--roots"):
        words = ("analyze", "connect4", "--network", connect4, "-n", "2000", more, "2", "--json")
        assert json.loads(printed(capsys, *words))["simulations"] == 2000


def test_a_match(connect4):
    players = [f"network,network={connect4},n=30", "random"]
    tally = play_match("connect4", players, games=4, seed=1, concurrency=1).tally()
    assert tally.wins + tally.draws + tally.losses == 4


def test_uci(tmp_path):
    file = saved(tmp_path, random_network(po.games.load("chess"), 16), "chess.fast")
    said: list[str] = []
    engine = Engine(said.append)
    for command in (f"setoption name Network value {file}", "setoption name Threads value 2"):
        engine.command(command)
    assert not [line for line in said if line.startswith("info string")]
    settings = engine.settings()
    assert (settings.evaluator, settings.threads) == (po.Network(file), 2)
    assert type(engine.game) is type(po.games.load("chess"))
    engine.command("setoption name Threads value 1")
    engine.command("position startpos moves e2e4")
    engine.command("go nodes 200")
    assert engine._worker is not None
    engine._worker.join(timeout=300)
    engine._halt()
    assert [line.split()[0] for line in said][-1] == "bestmove"
    wrong = saved(tmp_path, random_network(po.games.load("connect4"), 16), "other.fast")
    engine.command(f"setoption name Network value {wrong}")
    assert "a network for connect4, not for chess" in said[-1]
    assert engine.settings().evaluator == po.Network(file)


def test_steps_of_a_session_come_to_the_tree_of_a_run(tmp_path, connect4):
    def actions(server, session):
        return [(a["action"], a["visits"], a["value"], a["prior"]) for a in server.get(f"{session}/result")["actions"]]

    with serving(tmp_path / "data", networks=[connect4]) as server:
        given = {"game": "connect4", "preset": "network", "options": {"network": connect4}, "seed": 3}
        run, stepped = (server.create(**given) for _ in "ab")
        server.post(f"{run}/run", simulations=40, wait=True)
        steps = [server.post(f"{stepped}/step") for _ in range(25)]
        assert steps[1]["static_values"] == steps[1]["returns"]
        server.post(f"{stepped}/run", simulations=15, wait=True)
        assert actions(server, run) == actions(server, stepped)
