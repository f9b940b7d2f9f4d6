"""Chess: counting positions, random playouts, and searches with the game's own evaluation."""

from __future__ import annotations

import importlib.util
import time

from . import limit, speed
from .measure import C_LIMIT, Check, Contender, Options, Row, interleave, rate

PYTHON_CHESS = "python-chess"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
COUNTS = {(START, 5): 4_865_609, (KIWIPETE, 4): 4_085_603}  # as published
PEER_COUNTS = {(START, 3): 8_902, (KIWIPETE, 3): 97_862}  # python-chess is a hundred times slower
POSITIONS, SIMULATIONS = 10e6, 200e3  # a second: the targets
ROUNDS = 6
SEARCHED = 200_000


def measure(options: Options) -> list[Row]:
    rows = [perft(options), speed.measure("chess", options)]
    return rows if options.peers_only else [*rows, evaluated(options)]


def perft(options: Options) -> Row:
    """Move sequences counted, the last moves listed and not made; all get the same positions."""
    row = Row("perft, chess: the start to depth 5, Kiwipete to depth 4", "positions/s")
    contenders = []
    if importlib.util.find_spec("chess") is None:
        row.notes.append(f"{PYTHON_CHESS} is not installed: it was not measured")
    else:
        contenders.append(Contender(PYTHON_CHESS, _rate_of_python_chess, rounds=2))
        row.notes.append(f"{PYTHON_CHESS}: both to depth 3")
    if reason := limit.missing():
        row.notes.append(reason)
    else:
        contenders.append(Contender(C_LIMIT, _rate_of_c))
    if not options.peers_only:
        _rate_of_ours()  # compiles
        contenders.append(Contender("playout", _rate_of_ours))
    best = interleave(contenders, options.pick(ROUNDS, 2))
    row.ours, row.peers = best.pop("playout", None), best
    if row.ours is not None:
        row.checks.append(Check("positions/s", row.ours, POSITIONS))
        if C_LIMIT in best:
            row.notes.append(f"{row.ours / best[C_LIMIT]:.2f} of the C limit")
    return row


def evaluated(options: Options) -> Row:
    """The preset that plays: priors and a settled static value for every new position."""
    import playout as po

    game, simulations = po.games.load("chess"), options.pick(SEARCHED, SEARCHED // 20)
    settings = po.settings.preset("chess").replace(early_stop=False)
    row = Row(f"the preset chess from the start, {simulations:,} simulations", "simulations/s")
    po.Search(game, settings).run(100)  # compiles

    def run() -> float:
        search = po.Search(game, settings, seed=1)
        return rate(simulations, lambda: search.run(simulations))

    row.ours = interleave([Contender("playout", run)], options.pick(ROUNDS, 2))["playout"]
    row.checks.append(Check("simulations/s", row.ours, SIMULATIONS))
    return row


def _rate_of_ours() -> float:
    import playout as po
    from playout.cli.perft import count

    chess = po.games.load("chess", **po.games.find("chess").perft_settings)
    begin = time.perf_counter()
    for (position, depth), known in COUNTS.items():
        _expect(count(chess.position(position), depth), known)
    return sum(COUNTS.values()) / (time.perf_counter() - begin)


def _rate_of_c() -> float:
    seconds = 0.0
    for (position, depth), known in COUNTS.items():
        answer = limit.perft(position, depth)
        _expect(answer["nodes"], known)
        seconds += answer["seconds"]
    return sum(COUNTS.values()) / seconds


def _rate_of_python_chess() -> float:
    import chess

    def count(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return board.legal_moves.count()
        total = 0
        for move in board.legal_moves:
            board.push(move)
            total += count(board, depth - 1)
            board.pop()
        return total

    begin = time.perf_counter()
    for (position, depth), known in PEER_COUNTS.items():
        _expect(count(chess.Board(position), depth), known)
    return sum(PEER_COUNTS.values()) / (time.perf_counter() - begin)


def _expect(found: int, known: int) -> None:
    if found != known:
        raise AssertionError(f"counted {found:,} positions, expected {known:,}")
