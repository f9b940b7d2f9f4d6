"""The preset `lc0` against lc0 itself: the visits of the root's moves, one leaf at a time.

lc0's answers were recorded over UCI with VerboseMoveStats: those to a tiny network of our own by
tests/make_tiny_leela.py, those to maia-1500 by hand. How, and what else differs, is in docs/networks.md.
"""

import dataclasses
import json

import pytest

import playout as po

from .make_tiny_leela import ANSWERS, NETWORK

START = "startpos"
RUY = "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6"
ITALIAN = (
    "startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d4 e5d4 c3d4 c5b4 b1c3 f6e4 e1g1 b4c3 d4d5 c3f6 "
    "f1e1 c6e7 e1e4 d7d6"
)
SICILIAN_BLACK = (
    "startpos moves e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 f8e7 d1f3 d8c7 e1c1 b8d7 g2g4"
)
SHUFFLE = "startpos moves g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
ROOK_ENDGAME = "8/8/4kp2/R7/4P1p1/5pP1/r4P2/5K2 w - - 4 47"
PAWNS = "8/5p2/4p1p1/2k4p/5P1P/1P1K2P1/8/8 w - - 0 40"
PROMOTION = "8/1P3pk1/6p1/3r4/7p/5K1P/6P1/1R6 b - - 0 45"
PROMOTION_WHITE = "8/1P3pk1/6p1/8/2r4p/5K1P/6P1/8 w - - 1 46"
WAC_3 = "5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1"

# lc0 0.31.2, blas backend, maia-1500.pb.gz; MinibatchSize=1 MaxPrefetch=0 SmartPruningFactor=0 OutOfOrderEval=false
# CacheHistoryLength=7 TwoFoldDraws=false StickyEndgames=false SolidTreeThreshold=1000000000 Threads=1 TaskWorkers=0;
# `go nodes` after ucinewgame; castling as the king's move. Moves without a visit are left out.
RECORDED = [
    (START, 100, "e2e4 55 d2d4 29 c2c4 5 g1f3 5 e2e3 3 g2g3 2"),
    (RUY, 100, "c2c3 49 h2h3 21 d2d4 10 a2a3 5 b1c3 4 d2d3 4 a2a4 3 f3g5 2 c2c4 1"),
    (ITALIAN, 100, "c1g5 34 c4b5 12 d1a4 11 d1e2 11 d1e1 8 f3g5 6 c1f4 4 h2h3 4 a1b1 3 d1b3 3 f3d4 3"),
    (KIWIPETE, 100, "e2a6 74 d5e6 11 c3b5 8 d5d6 3 c3a4 1 c3d1 1 d2g5 1"),
    (
        SHUFFLE,
        400,
        "e7e6 73 e7e5 53 g7g6 49 d7d5 46 b8c6 44 d7d6 25 c7c6 14 b7b6 11 f6e4 11 a7a5 9 a7a6 9 c7c5 9 h7h6 8 "
        "f6g8 7 h7h5 7 f6d5 6 f6g4 6 b8a6 4 f6h5 4 g7g5 4",
    ),
    (ROOK_ENDGAME, 400, "a5a2 393 a5h5 2 a5b5 1 a5c5 1 a5d5 1 a5f5 1"),
    (PAWNS, 400, "d3c3 309 d3e4 83 d3c2 3 b3b4 2 d3e3 2"),
    (PROMOTION, 400, "d5d3 150 d5d8 145 d5f5 56 d5d7 11 d5d6 7 f7f5 7 g6g5 7 d5a5 6 g7f6 6 d5d2 4"),
    (PROMOTION_WHITE, 400, "b7b8q 395 b7b8n 1 b7b8r 1 f3e3 1 g2g3 1"),
    (WAC_3, 100, "e3f3 75 e3e4 11 e3d3 6 e2c4 3 e3e5 3 f1f3 1"),
]

# The same lc0, where the choice hangs on its approximate exp and log, and on its priors of 16 bits.
NEAR = [
    (START, 800, "e2e4 359 d2d4 239 c2c4 50 g1f3 43 e2e3 25 g2g3 20 f2f4 17 b2b3 15 b2b4 12 b1c3 8 d2d3 7 g2g4 4"),
    (
        SICILIAN_BLACK,
        400,
        "b7b5 246 h7h6 43 d7c5 27 b7b6 24 e8g8 22 e6e5 14 d7b6 11 a8b8 4 c7a5 2 d6d5 2 d7f8 2 f6g8 2",
    ),
    (WAC_3, 800, "e3g3 509 e3f3 195 e3d3 45 e3e4 25 e2c4 10 d2e1 6 e3e5 5 f1f3 3 h1f2 1"),
]

# The same lc0, built with std::exp, std::log and priors of 32 bits instead.
RECORDED_EXACT = [
    (START, 800, "e2e4 361 d2d4 238 c2c4 49 g1f3 43 e2e3 25 g2g3 20 f2f4 17 b2b3 15 b2b4 12 b1c3 8 d2d3 7 g2g4 4"),
    (RUY, 800, "c2c3 396 h2h3 236 d2d4 45 a2a3 27 a2a4 25 d2d3 23 b1c3 22 f3g5 12 c2c4 9 b3d5 3 b3f7 1"),
    (
        SICILIAN_BLACK,
        800,
        "b7b5 524 h7h6 79 b7b6 41 d7c5 39 e8g8 36 e6e5 21 a8b8 19 d7b6 17 d6d5 6 c7a5 4 f6g8 4 d7f8 3 c7c5 2 "
        "g7g6 2 h7h5 2",
    ),
    (
        SHUFFLE,
        800,
        "e7e6 140 g7g6 113 d7d5 105 e7e5 100 b8c6 87 d7d6 45 c7c6 25 c7c5 23 b7b6 22 a7a6 18 f6e4 18 a7a5 15 "
        "h7h5 14 h7h6 14 f6g4 12 f6g8 12 f6d5 10 b8a6 7 g7g5 7 b7b5 6 f6h5 6",
    ),
    (WAC_3, 800, "e3g3 507 e3f3 196 e3d3 45 e3e4 26 e2c4 10 d2e1 6 e3e5 5 f1f3 3 h1f2 1"),
]

# P and Q (S - U) of lc0 0.31.2 in the search of the start with 100 nodes.
START_VALUES = {
    "e2e4": (0.5022, 0.03268),
    "d2d4": (0.2334, 0.05555),
    "c2c4": (0.0497, 0.04317),
    "g1f3": (0.0435, 0.03808),
    "e2e3": (0.0359, 0.02156),
    "g2g3": (0.0276, 0.02737),
}


CASTLING = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}  # as lc0 writes it


@pytest.fixture
def network(reference):
    return reference / "chess" / "networks" / "maia-1500.pb.gz"


def searched(network, position, nodes):
    """The preset without proofs, as lc0 without StickyEndgames; the result."""
    settings = po.preset("lc0")
    evaluator = dataclasses.replace(settings.evaluator, file=str(network), batch=1)
    settings = settings.replace(evaluator=evaluator, solver=False)
    return po.Search(po.games.load("chess"), settings, position=position, seed=1).run(nodes)


def visits(text):
    words = text.split()
    return dict(zip(words[::2], map(int, words[1::2]), strict=True))


def moved(found, expected):
    """How many visits lie elsewhere."""
    return sum(max(0, n - found[move]) for move, n in expected.items())


@pytest.mark.compiled_only
@pytest.mark.parametrize("nodes", [60, 200, 400])
def test_visits_with_a_tiny_network_are_those_of_lc0(nodes):
    """But for one of them, or one in a hundred, which lc0's approximations of exp and log may move."""
    for recorded in json.loads(ANSWERS.read_text())["searches"]:
        if recorded["nodes"] == nodes:
            position = " moves ".join(filter(None, (recorded["fen"], recorded["moves"])))
            found = {CASTLING.get(s.text, s.text): s.visits for s in searched(NETWORK, position, nodes).actions}
            assert sum(found.values()) == sum(recorded["visits"].values())
            assert moved(found, recorded["visits"]) <= max(1, nodes / 100), recorded


@pytest.mark.reference
@pytest.mark.parametrize(("position", "nodes", "expected"), RECORDED)
def test_visits_are_those_of_lc0(network, position, nodes, expected):
    result = searched(network, position, nodes)
    assert {s.text: s.visits for s in result.actions if s.visits} == visits(expected)


@pytest.mark.reference
@pytest.mark.parametrize(("position", "nodes", "expected"), RECORDED_EXACT)
def test_visits_are_those_of_lc0_with_exact_arithmetic(network, position, nodes, expected):
    result = searched(network, position, nodes)
    assert {s.text: s.visits for s in result.actions if s.visits} == visits(expected)


@pytest.mark.reference
@pytest.mark.parametrize(("position", "nodes", "expected"), NEAR)
def test_lc0s_approximations_move_a_visit_in_a_hundred_at_most(network, position, nodes, expected):
    found = {s.text: s.visits for s in searched(network, position, nodes).actions}
    assert moved(found, visits(expected)) <= nodes / 100


@pytest.mark.reference
def test_priors_and_values_are_those_of_lc0(network):
    found = {s.text: s for s in searched(network, START, 100).actions}
    for move, (prior, value) in START_VALUES.items():
        assert found[move].prior == pytest.approx(prior, abs=4e-4), move
        assert found[move].value == pytest.approx(value, abs=2e-5), move
