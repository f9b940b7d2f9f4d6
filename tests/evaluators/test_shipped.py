"""The networks that come with the package: each is for its game, and as strong as docs/training.md says."""

import numpy as np
import pytest

import playout as po
from playout.evaluators import SHIPPED, opened
from playout.evaluators.fast import load_fast
from tests.evaluators.sparse import game_knows
from tests.oracles.solved import connect4, tictactoe

NETWORKS = sorted(path.stem for path in SHIPPED.glob("*.onnx"))
FAST = sorted(path.stem for path in SHIPPED.glob("*.fast"))


def test_there_are_some():
    assert {"tictactoe", "connect4", "othello"} <= set(NETWORKS)
    assert "chess" in FAST


@pytest.mark.parametrize("name", NETWORKS)
def test_each_is_for_its_game_small_and_says_how_it_was_made(name):
    path, game = SHIPPED / f"{name}.onnx", po.games.load(name)
    network = opened(str(path), 1)
    network.check(game)
    assert path.stat().st_size < 1_000_000
    assert network.metadata["playout.game"] == name
    assert network.metadata["playout.command"].startswith(f"playout train {name}")
    result = po.Search(game, "network", seed=1).run(40)
    assert result.simulations == 40
    assert sum(s.prior for s in result.actions) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("name", FAST)
def test_each_fast_one_is_for_its_game_small_and_says_what_taught_it(name):
    path, game = SHIPPED / f"{name}.fast", po.games.load(name)
    network = load_fast(path)
    network.check(game)
    assert path.stat().st_size < 4_000_000
    assert network.about.startswith(("taught by ", "self-play, "))
    results = [
        po.Search(game, po.Settings(policy=po.PUCT(), evaluator=po.Network(file)), seed=1).run(40)
        for file in (str(path), path.name)  # found by its name, too
    ]
    assert [s.visits for s in results[0].actions] == [s.visits for s in results[1].actions]
    assert results[0].simulations == 40


def test_the_chess_network_knows_what_pieces_are_worth():
    """A queen up is nearly won, a queen down nearly lost, and neither at the start."""
    network, game = load_fast(SHIPPED / "chess.fast"), po.games.load("chess")
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    texts = (start, start.replace("q", "1", 1), start.replace("Q", "1", 1))
    positions = [game.position(text) for text in texts]
    even, up, down = (network.answer(p.features(), [0], game_knows(p)[0][p.player], [1.0])[0] for p in positions)
    assert abs(even) < 0.3
    assert up > 0.9
    assert down < -0.9


@pytest.mark.slow
def test_tictactoe_is_played_perfectly_by_the_network_alone():
    """The move that the policy likes best keeps the exact value in all 4,520 positions."""
    game = po.games.load("tictactoe")
    positions = [(game.position(known.text), known.best) for known in tictactoe().values() if not known.is_over]
    policy, _ = opened(str(SHIPPED / "tictactoe.onnx"), 1)(np.stack([p.observe() for p, _ in positions]))
    answers = [max(p.actions(), key=lambda a, row=row: row[a]) for (p, _), row in zip(positions, policy, strict=True)]
    wrong = [p.text for (p, best), answer in zip(positions, answers, strict=True) if answer not in best]
    assert (len(positions), wrong) == (4520, [])


@pytest.mark.slow
def test_connect4_keeps_the_exact_result_with_few_simulations():
    """Every tenth of the exact positions, 200 simulations; docs/training.md has all of them with 800."""
    game, kept, positions = po.games.load("connect4"), 0, connect4()[::10]
    for known in positions:
        search = po.Search(game, po.preset("network", evaluator=po.Network(batch=8)), position=known.moves)
        kept += known.results[search.run(200).best] == known.best
    assert kept >= 0.85 * len(positions)
