"""`python -m benchmarks.optimise [--seeds N] [-n SIMULATIONS]`: the preset `optimise` against the default.

Problems drawn at random, each searched once with the seed it was drawn with. The optimum is found by dynamic
programming. Prints the table of docs/optimisation.md.
"""

from __future__ import annotations

import argparse
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import playout as po
from playout.games.knapsack.settings import items_of
from playout.games.tsp.instance import instance_of

if TYPE_CHECKING:
    from collections.abc import Callable

SAME = 1e-9  # by which fraction sums of the same distances may differ
PRESETS = ("default", "optimise")


def best_packing(game: po.Game) -> float:
    """The greatest value that fits, by dynamic programming over the capacity (whole weights)."""
    items = items_of(game)
    best = np.zeros(int(items.capacity) + 1)
    for value, weight in zip(items.values, map(int, items.weights), strict=True):
        best[weight:] = np.maximum(best[weight:], best[: len(best) - weight] + value)
    return float(best[-1])


def shortest_tour(game: po.Game) -> float:
    """The length of the shortest round trip (Held and Karp 1962), over sets of the cities after the first."""
    distances = np.asarray(instance_of(game).distances)
    others = len(distances) - 1
    ways = np.full((1 << others, others), np.inf)  # the shortest way through a set that ends in a city
    for end in range(others):
        ways[1 << end, end] = distances[0, end + 1]
    for seen in range(1, 1 << others):
        for end in range(others):
            if not seen >> end & 1:
                after = ways[seen] + distances[1:, end + 1]
                ways[seen | 1 << end, end] = min(ways[seen | 1 << end, end], after.min())
    return float((ways[-1] + distances[1:, 0]).min())


# Name, game, settings, and its optimum as a return: costs are negative rewards.
PROBLEMS: dict[str, tuple[str, dict[str, int], Callable[[po.Game], float]]] = {
    "knapsack, 20 items": ("knapsack", {"items": 20}, best_packing),
    "TSP, 12 cities": ("tsp", {"cities": 12}, lambda game: -shortest_tour(game)),
}


@dataclass(frozen=True)
class Solved:
    """What one search found: how far below the optimum it is in percent, and the simulation that found it."""

    gap: float
    simulation: int | None

    @property
    def is_optimal(self) -> bool:
        return self.gap <= 100 * SAME


def solve(game: po.Game, preset: str, optimum: float, seed: int, simulations: int) -> Solved:
    """One search, which may end early once nothing is left to find out."""
    result = po.Search(game, preset, seed=seed).run(simulations, early_stop=False)
    assert result.best_found is not None  # both problems always end
    found = result.best_found
    gap = 100 * (optimum - found.value) / abs(optimum)
    return Solved(gap, found.simulation or result.total)


def row(problem: str, preset: str, found: list[Solved]) -> str:
    """A row of the table."""
    solved = [one for one in found if one.is_optimal]
    sims = f"{statistics.median(one.simulation or 0 for one in solved):,.0f}" if solved else "—"
    most = f"{max(one.simulation or 0 for one in solved):,}" if solved else "—"
    gap = statistics.mean(one.gap for one in found)
    return f"| {problem} | `{preset}` | {len(solved)} of {len(found)} | {max(0.0, gap):.2f}% | {sims} | {most} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.optimise", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("-n", "--simulations", type=int, default=200_000)
    arguments = parser.parse_args()
    print("| problem | preset | optimum found | mean gap | simulations to the optimum (median) | most |")
    print("|---|---|---|---|---|---|", flush=True)
    for problem, (name, settings, optimum_of) in PROBLEMS.items():
        seeds = range(1, arguments.seeds + 1)
        games = [po.games.load(name, seed=seed, **settings) for seed in seeds]
        optima = [optimum_of(game) for game in games]
        for preset in PRESETS:
            searches = zip(seeds, games, optima, strict=True)
            found = [solve(game, preset, best, seed, arguments.simulations) for seed, game, best in searches]
            print(row(problem, preset, found), flush=True)


if __name__ == "__main__":
    main()
