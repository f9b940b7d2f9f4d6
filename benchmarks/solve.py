"""Nested search on problems whose optima or records are known: TSPLIB, SameGame, job shops."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from .measure import Check, Options, Row

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "optimisation"
# Optimal lengths by Concorde, as TSPLIB lists them; seconds, and the most that a tour may be longer. None: reported.
TOURS = {
    "burma14": (3323, 10, 0.0),
    "ulysses16": (6859, 10, 0.0),
    "gr17": (2085, 10, 0.0),
    "gr21": (2707, 10, 0.0),
    "bayg29": (1610, 30, 0.02),
    "eil51": (426, 30, None),
    "berlin52": (7542, 30, None),
}
SHOPS = {"ft06": (55, 10, 0.0), "ft10": (930, 60, 0.05)}  # optimal makespans, likewise
BOARDS = 20
SAMEGAME = {1.25: 2700.0, 17.0: 3000.0}  # seconds a board: the mean to reach
NRPA_CPP = {1.25: 2642.0}  # bnegreve/nrpa, level 4, N = 10, on the same machine with two threads
TABU = 1  # as that program: the most frequent colour is saved for the end


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    return [*tours(options), *shops(options), *samegame(options)]


def solved(game: Any, seconds: float, runs: int) -> tuple[float, float, int]:
    """The return of the best line, the seconds until the search ended, and its playouts; one thread for each run."""
    import playout as po

    po.solve(game, playouts=100, runs=runs)  # compiles
    began = time.perf_counter()
    found = po.solve(game, seconds=seconds, runs=runs, threads=runs)
    return found.value, time.perf_counter() - began, found.playouts


def costs(options: Options, game: str, kind: str, problems: dict[str, tuple[int, float, float | None]]) -> list[Row]:
    """A row for each problem whose costs are to be as low as an optimum: how much above it they are."""
    import playout as po

    rows = []
    for name, (optimum, seconds, above) in problems.items():
        row = Row(f"{game}, {name}, {seconds:g} s, one thread", "cost", peers={"optimum": optimum})
        rows.append(row)
        file = next((DATA / kind).glob(f"{name}*"), None)
        if file is None:
            row.notes.append(f"no file at ../shared/data/optimisation/{kind}: not measured")
            continue
        value, _, playouts = solved(po.games.load(game, file=str(file)), options.pick(seconds, 1), runs=1)
        row.ours = -value
        row.notes.append(f"{playouts:,} playouts")
        if above is not None:
            row.checks.append(Check("above the optimum", -value / optimum - 1.0, above, at_most=True))
    return rows


def tours(options: Options) -> list[Row]:
    return costs(options, "tsp", "tsplib", TOURS)


def shops(options: Options) -> list[Row]:
    import playout as po

    return costs(options, "jobshop", "jobshop", SHOPS) if "jobshop" in po.games.names() else []


def samegame(options: Options) -> list[Row]:
    import playout as po

    rows = []
    for seconds, wanted in SAMEGAME.items():
        boards = options.pick(BOARDS, 2)
        row = Row(f"samegame, mean of {boards} boards, {seconds:g} s a board, two threads", "points")
        if seconds in NRPA_CPP:
            row.peers["NRPA in C++"] = NRPA_CPP[seconds]
        found = []
        for board in range(1, boards + 1):
            game = po.games.load("samegame", board=board, tabu=TABU)
            found.append(solved(game, seconds if not options.quick else 0.5, runs=2))
        row.ours = sum(value for value, _, _ in found) / boards
        row.checks.append(Check("points", row.ours, wanted))
        row.notes.append("boards: " + " ".join(f"{value:.0f}" for value, _, _ in found))
        row.notes.append(f"{sum(playouts for _, _, playouts in found) / boards:,.0f} playouts a board")
        rows.append(row)
    return rows
