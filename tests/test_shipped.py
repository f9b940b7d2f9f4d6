"""The networks that come with the package: each is for its game, and as strong as docs/training.md says."""

import csv

import numpy as np
import pytest

import playout as po
from playout.evaluators import SHIPPED, opened

NETWORKS = sorted(path.stem for path in SHIPPED.glob("*.onnx"))


def test_there_are_some():
    assert {"tictactoe", "connect4", "othello"} <= set(NETWORKS)


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


def solved(shared_data):
    """All positions of tic-tac-toe that are not over, with the cells that keep their value."""
    with (shared_data / "tictactoe" / "full_solution.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["terminal"] == "0"]
    boards = [row["board_rowmajor"] for row in rows]
    return [
        ("/".join(board[i : i + 3] for i in (0, 3, 6)), {int(cell) for cell in row["optimal_cells"].split()})
        for board, row in zip(boards, rows, strict=True)
    ]


@pytest.mark.slow
def test_tictactoe_is_played_perfectly_by_the_network_alone(shared_data):
    """The move that the policy likes best keeps the exact value in all 4,520 positions."""
    game = po.games.load("tictactoe")
    positions = [(game.position(text), best) for text, best in solved(shared_data)]
    policy, _ = opened(str(SHIPPED / "tictactoe.onnx"), 1)(np.stack([p.observe() for p, _ in positions]))
    answers = [max(p.actions(), key=lambda a, row=row: row[a]) for (p, _), row in zip(positions, policy, strict=True)]
    wrong = [p.text for (p, best), answer in zip(positions, answers, strict=True) if answer not in best]
    assert (len(positions), wrong) == (4520, [])


@pytest.mark.slow
def test_connect4_keeps_the_exact_result_with_few_simulations(shared_data):
    """Every tenth of the exact positions, 200 simulations; docs/training.md has all of them with 800."""
    game, kept = po.games.load("connect4"), 0
    with (shared_data / "connect4" / "exact_600.csv").open() as file:
        rows = list(csv.DictReader(file))[::10]
    for row in rows:
        search = po.Search(game, po.preset("network", evaluator=po.Network(batch=8)), position=row["moves_1based"])
        answer = search.run(200).best_text
        kept += np.sign(int(row[f"col{answer}"])) == np.sign(int(row["best_score"]))
    assert kept >= 0.85 * len(rows)
