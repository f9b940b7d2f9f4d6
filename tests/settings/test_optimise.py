"""The preset `optimise` finds the optima of small problems, which dynamic programming gives."""

import itertools

import pytest
from benchmarks.optimise import PROBLEMS, best_packing, shortest_tour, solve

import playout as po
from playout.games.knapsack.settings import items_of
from playout.games.tsp.instance import instance_of
from tests.sizes import FULL_SIZE

SEEDS = range(1, 21) if FULL_SIZE else (1, 2)


def test_dynamic_programming_agrees_with_trying_everything():
    knapsack, tsp = po.games.load("knapsack", items=9, seed=4), po.games.load("tsp", cities=7, seed=4)
    items, distances = items_of(knapsack), instance_of(tsp).distances
    chosen = itertools.product((0, 1), repeat=9)
    fitting = [c for c in chosen if sum(w for w, t in zip(items.weights, c, strict=True) if t) <= items.capacity]
    assert best_packing(knapsack) == max(sum(v for v, t in zip(items.values, c, strict=True) if t) for c in fitting)
    tours = [(0, *order, 0) for order in itertools.permutations(range(1, 7))]
    shortest = min(sum(distances[a, b] for a, b in itertools.pairwise(tour)) for tour in tours)
    assert shortest_tour(tsp) == pytest.approx(shortest)


@pytest.mark.compiled_only
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_optimum_is_found_within_200_000_simulations(problem, seed):
    name, settings, optimum_of = PROBLEMS[problem]
    game = po.games.load(name, seed=seed, **settings)
    assert solve(game, "optimise", optimum_of(game), seed, 200_000).is_optimal


def test_costs_are_negative_rewards():
    game = po.games.load("tsp", distances="0 1 9 9; 9 0 1 9; 9 9 0 1; 1 9 9 0")
    found = po.Search(game, "optimise").run(200).best_found
    assert (found.value, found.line) == (-4.0, ("2", "3", "4"))
