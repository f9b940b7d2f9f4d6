"""`playout bench`: fixed searches, a signature that changes only when the search does, and their speed."""

import hashlib
import json as text
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.table import Table

from playout import games
from playout.search import Search
from playout.search.result import Result
from playout.settings.options import make_settings

from .options import Json
from .output import console, print_json, progress

QUICK = 20_000  # a quick run divides the simulations by this; at least 60 are left


@dataclass(frozen=True)
class BenchSearch:
    """One search of the bench. Speed is measured without the solver, which may end a search early."""

    game: str
    position: str
    simulations: int
    options: dict[str, str]
    game_settings: dict[str, str] = field(default_factory=dict)


PLAIN = {"solver": "off"}
SUM_OF_21 = {"target": "21", "moves": "9", "numbers": "1,2,3,4,5,6,7,8,9"}
WORK = (
    BenchSearch("tictactoe", "", 3_000_000, PLAIN),
    BenchSearch("tictactoe", "X.O/.X./...", 10_000, {}),
    BenchSearch("tictactoe", "5,1", 200_000, {"expansion": "one", "answer": "value", "solver": "off"}),
    BenchSearch("connect4", "", 2_000_000, PLAIN),
    BenchSearch("connect4", "44455", 400_000, {}),
    BenchSearch("connect4", "444333", 200_000, {"policy": "puct", "evaluator": "mixed"}),
    BenchSearch("connect4", "4", 200_000, {"policy": "ucb1tuned", "expansion": "widening", "k": "0.5"}),
    BenchSearch("othello", "", 300_000, PLAIN),
    BenchSearch("othello", "f5d6c3", 50_000, {"policy": "puct", "unvisited": "0"}),
    BenchSearch("chess", "", 30_000, PLAIN),
    BenchSearch(
        "chess", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 10_000, {"depth": "20"}
    ),
    BenchSearch("target_sum", "", 3_000_000, PLAIN, SUM_OF_21),
    BenchSearch(
        "target_sum", "0/0", 200_000, {"policy": "puct", "guided": "on", "depth": "4", "discount": "0.9"}, SUM_OF_21
    ),
    BenchSearch("suika", "", 100_000, {**PLAIN, "depth": "100"}),
    BenchSearch("suika", "1.2.3...../4.5.1..... 2,1", 50_000, {"policy": "puct", "guided": "on", "depth": "100"}),
    BenchSearch("game2048", "", 100_000, PLAIN),
    BenchSearch("game2048", "64,32,16,8/2,4,0,0/0,2,0,0/0,0,0,2", 50_000, {"policy": "puct", "evaluator": "static"}),
    BenchSearch("tsp", "", 300_000, PLAIN),
    BenchSearch("tsp", "1-4", 100_000, {"policy": "puct", "guided": "on"}, {"cities": "20"}),
    BenchSearch("knapsack", "", 1_000_000, PLAIN),
    BenchSearch("samegame", "", 20_000, PLAIN, {"board": "1"}),
    BenchSearch("samegame", "", 10_000, {"guided": "on", "transpositions": "on"}, {"tabu": "1"}),
    BenchSearch("jobshop", "", 100_000, PLAIN),
)


def bench(
    quick: Annotated[
        bool, typer.Option("--quick", help="A small run, for its own signature; its speeds mean little.")
    ] = False,
    json: Json = False,
) -> None:
    """Run fixed searches of all built-in games: a signature of the results, and simulations per second."""
    rows: list[dict[str, Any]] = []
    with progress("searching", not json) as show:
        for number, work in enumerate(WORK):
            if show:
                show(work.game, number / len(WORK))
            rows.append(measure(work, quick))
    found = {
        "signature": signature([row["signature"] for row in rows]),
        "simulations": sum(row["simulations"] for row in rows),
        "seconds": round(sum(row["seconds"] for row in rows), 6),
        "simulations_per_second": _rate(rows),
        "games": {
            game: {
                "signature": signature([row["signature"] for row in rows if row["game"] == game]),
                "simulations_per_second": _rate([row for row in rows if row["game"] == game]),
            }
            for game in dict.fromkeys(work.game for work in WORK)
        },
        "searches": rows,
    }
    if json:
        print_json(found)
    else:
        _print(found)


def measure(work: BenchSearch, quick: bool) -> dict[str, Any]:
    """Run one search: the signature of its result, and its speed without compiling."""
    game, settings = games.load(work.game, **work.game_settings), make_settings("default", work.options)
    simulations = max(60, work.simulations // QUICK) if quick else work.simulations
    result = Search(game, settings, position=work.position, seed=1).run(simulations)
    return {
        "game": work.game,
        "position": work.position,
        "game_settings": work.game_settings,
        "options": work.options,
        "signature": signature(_found(result)),
        "simulations": result.simulations,
        "seconds": round(result.seconds, 6),
        "simulations_per_second": round(result.simulations_per_second),
    }


def signature(found: object) -> str:
    """A short hash of anything that JSON can write."""
    return hashlib.sha256(text.dumps(found).encode()).hexdigest()[:12]


def _found(result: Result) -> object:
    """Whole numbers only: they are the same, compiled or not, whenever the search is."""
    visits = sorted((stats.action, stats.visits) for stats in result.actions)
    return [result.simulations, result.nodes, result.best, visits]


def _rate(rows: list[dict[str, Any]]) -> int:
    seconds = sum(row["seconds"] for row in rows)
    return round(sum(row["simulations"] for row in rows) / seconds) if seconds else 0


def _print(found: dict[str, Any]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("game", "position", "settings", "simulations", "a second", "signature"):
        table.add_column(title, justify="right" if title in ("simulations", "a second") else "left")
    for row in found["searches"]:
        options = " ".join(f"{key}={value}" for key, value in row["options"].items())
        numbers = (f"{row['simulations']:,}", f"{row['simulations_per_second']:,}")
        table.add_row(row["game"], row["position"] or "start", options, *numbers, row["signature"])
    out = console()
    out.print(table)
    out.print()
    for game, sums in found["games"].items():
        out.print(f"{game:12} {sums['simulations_per_second']:>12,} simulations a second")
    out.print(f"{'in all':12} {found['simulations_per_second']:>12,} simulations a second, {found['seconds']:.1f} s")
    out.print(f"signature    {found['signature']}")
