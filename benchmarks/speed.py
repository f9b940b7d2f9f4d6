"""Plain UCT from the start position of a built-in game: OpenSpiel, tight C, and ours."""

from __future__ import annotations

from . import limit, openspiel
from .measure import C_LIMIT, OPENSPIEL, Check, Contender, Options, Row, interleave, rate

SIMULATIONS = {"connect4": 1_000_000, "tictactoe": 1_000_000, "othello": 10_000, "chess": 5_000}
QUICK = {"connect4": 100_000, "tictactoe": 200_000, "othello": 2_000, "chess": 500}
ROUNDS = 6
PEER_ROUNDS = 2  # of OpenSpiel, which takes ten times as long
TARGETS = {
    "connect4": {OPENSPIEL: 10.0, C_LIMIT: 0.65},
    "tictactoe": {OPENSPIEL: 2.5},
    "othello": {OPENSPIEL: 50.0},
    "chess": {OPENSPIEL: 10.0, C_LIMIT: 0.4},
}
# A search of milliseconds is at the mercy of its moment: C and ours do several, with other seeds, for each figure.
SEARCHES = {"connect4": 1, "tictactoe": 2, "othello": 10, "chess": 4}


def measure(game: str, options: Options) -> Row:
    simulations = (QUICK if options.quick else SIMULATIONS)[game]
    row = Row(f"UCT, {game}, {simulations:,} simulations", "simulations/s")
    seeds = range(1, SEARCHES[game] + 1)
    contenders = []
    if reason := openspiel.missing():
        row.notes.append(reason)
    else:
        contenders.append(
            Contender(OPENSPIEL, lambda: rate(simulations, lambda: openspiel.search(game, simulations)), PEER_ROUNDS)
        )
    if reason := limit.missing():
        row.notes.append(reason)
    else:
        limit.program(game)
        contenders.append(Contender(C_LIMIT, lambda: _rate_of_c(game, simulations, seeds)))
    if not options.peers_only:
        from . import ours

        ours.warm_up(ours.builtin(game))
        contenders.append(Contender(ours.NAME, lambda: _rate_of_ours(game, simulations, seeds)))
    best = interleave(contenders, options.pick(ROUNDS, 2))
    row.ours = best.pop("playout", None)
    row.peers = best
    if row.ours is not None:
        row.checks = [
            Check(f"x {peer}", row.ours / best[peer], target) for peer, target in TARGETS[game].items() if peer in best
        ]
        if C_LIMIT in best and C_LIMIT not in TARGETS[game]:
            row.notes.append(f"{row.ours / best[C_LIMIT]:.2f} of the C limit")
    return row


def _rate_of_c(game: str, simulations: int, seeds: range) -> float:
    seconds = sum(limit.search(game, simulations, seed)["seconds"] for seed in seeds)
    return len(seeds) * simulations / float(seconds)


def _rate_of_ours(game: str, simulations: int, seeds: range) -> float:
    from . import ours

    searches = [ours.builtin(game, seed) for seed in seeds]

    def run() -> None:
        while searches:
            searches.pop().run(simulations=simulations)  # popped: one tree at a time, as in the other programs

    return rate(len(seeds) * simulations, run)


def connect4(options: Options) -> list[Row]:
    return [measure("connect4", options)]


def tictactoe(options: Options) -> list[Row]:
    return [measure("tictactoe", options)]


def othello(options: Options) -> list[Row]:
    return [measure("othello", options)]
