"""The engine with a network: whole games under python-chess's driver, options, and what is refused."""

import sys
import time
from pathlib import Path

import chess
import chess.engine
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import playout as po
from playout.uci import Engine
from tests.evaluators.make_tiny_leela import NETWORK as LEELA

PROGRAM = [sys.executable, "-m", "playout", "uci"]
PATIENCE = 600.0  # the first start may wait for the compiler


def small_network() -> bytes:
    """A network for our own planes, of one layer: each of 73 kinds of move from each square, and a value."""
    random = np.random.default_rng(1)
    nodes = [
        helper.make_node("Conv", ["planes", "kernel"], ["moves"]),
        helper.make_node("Flatten", ["moves"], ["policy"], axis=1),
        helper.make_node("GlobalAveragePool", ["planes"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["means"], axis=1),
        helper.make_node("MatMul", ["means", "judge"], ["raw"]),
        helper.make_node("Tanh", ["raw"], ["value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("planes", TensorProto.FLOAT, ("batch", 20, 8, 8))],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("policy", "value")],
        [
            numpy_helper.from_array(random.normal(size=(73, 20, 1, 1)).astype(np.float32), "kernel"),
            numpy_helper.from_array(random.normal(size=(20, 1)).astype(np.float32), "judge"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(made, {"playout.game": "chess"})
    return made.SerializeToString()


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("network") / "own.onnx"
    path.write_bytes(small_network())
    return path


def play_a_game(network: Path, nodes: int, plies: int) -> chess.Board:
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci([*PROGRAM, "--network", str(network)], timeout=PATIENCE) as engine:
        while not board.is_game_over(claim_draw=True) and len(board.move_stack) < plies:
            played = engine.play(board, chess.engine.Limit(nodes=nodes), info=chess.engine.INFO_SCORE)
            assert played.move in board.legal_moves
            assert "score" in played.info
            board.push(played.move)
    return board


def test_a_leela_network_plays() -> None:
    board = play_a_game(LEELA, nodes=12, plies=40)
    assert len(board.move_stack) == 40 or board.is_game_over(claim_draw=True)


@pytest.mark.reference
def test_a_leela_network_plays_a_whole_game(reference: Path) -> None:
    board = play_a_game(reference / "chess" / "networks" / "maia-1100.pb.gz", nodes=12, plies=400)
    assert board.is_game_over(claim_draw=True)
    assert board.move_stack[0].uci() in ("e2e4", "d2d4")  # what people of 1100 play most, and so does the network


def test_a_network_on_our_own_planes_plays(own: Path) -> None:
    assert len(play_a_game(own, nodes=4, plies=40).move_stack) == 40


def lines_of(engine_lines: list[str], word: str) -> list[str]:
    return [line for line in engine_lines if line.startswith(word)]


def talk(engine: Engine, *commands: str) -> None:
    for command in commands:
        engine.command(command)
    engine._halt()


def test_the_network_can_be_set_and_taken_away() -> None:
    """With it the game is seen with its history, without it the preset of chess is back."""
    said: list[str] = []
    engine = Engine(said.append)
    talk(engine, "position startpos moves e2e4 e7e5", f"setoption name Network value {LEELA}")
    assert engine.game.policy_size == 1858
    assert engine.settings().evaluator.file == str(LEELA)
    assert engine.replayed.text.startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3")
    assert engine.replayed.observe()[13:19].sum() == 16  # the board of a ply ago: the other side's pieces
    talk(engine, "setoption name Network value <empty>")
    assert engine.settings() == po.preset("chess").replace(early_stop=False)
    assert type(engine.game) is type(po.games.load("chess"))


def test_one_node_is_the_networks_first_choice() -> None:
    said: list[str] = []
    engine = Engine(said.append, network=str(LEELA))
    moves = "startpos moves e2e4 e7e5 g1f3"
    for command in (f"position {moves}", "go nodes 1"):
        engine.command(command)
    while not lines_of(said, "bestmove"):
        time.sleep(0.01)
    talk(engine)
    settings = po.preset("network", evaluator=po.Network(str(LEELA)))
    raw = po.Search(po.games.load("chess"), settings, position=moves).run(1)
    assert lines_of(said, "bestmove")[0].split()[1] == max(raw.actions, key=lambda a: a.prior).text
    assert " nodes 2 " in lines_of(said, "info")[-1]  # the position itself, and the move


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("Network value /no/such/file.onnx", "can't be read"),
        ("Network value {own}.txt", "not a network that ONNX Runtime can run"),
        ("Preset value network", "no network comes with chess"),
    ],
)
def test_what_is_no_network_is_refused_and_changes_nothing(own: Path, option: str, reason: str) -> None:
    Path(f"{own}.txt").write_text("not a network")
    said: list[str] = []
    engine = Engine(said.append)
    before = dict(engine.values)
    talk(engine, f"setoption name {option.format(own=own)}")
    assert reason in lines_of(said, "info string")[0]
    assert engine.values == before


def test_lc0_and_alphazero_take_the_network_too(own: Path) -> None:
    said: list[str] = []
    engine = Engine(said.append, network=str(own))
    for preset in ("lc0", "alphazero", "network"):
        talk(engine, f"setoption name Preset value {preset}")
        assert engine.settings().evaluator.file == str(own)
        assert engine.settings().policy == po.preset(preset).policy
    assert not lines_of(said, "info string")
