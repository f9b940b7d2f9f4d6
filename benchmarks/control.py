"""Continuous actions: a bandit with one number, and a cart that is controlled by a force (`examples/`)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from .measure import Check, Options, Row

ROOT = Path(__file__).parents[1]
REGRET = 1.0  # percent, after SAMPLES
SAMPLES, BANDITS = 2_000, 100
LEAST, SIMULATIONS, CARTS = -15.5, 1_000, 20
GRIDS = (3, 5, 9)


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    sys.path.insert(0, str(ROOT))
    return [bandit(options), cart(options)]


def bandit(options: Options) -> Row:
    """The simple regret: how far the answer's reward is from the best there is."""
    from examples.bandit import BEST, SETTINGS, Bandit, reward

    import playout as po

    found = []
    for seed in range(options.pick(BANDITS, 5)):
        search = po.Search(Bandit(), SETTINGS, seed=seed)
        best = search.run(simulations=SAMPLES).best
        assert best is not None
        found.append(100.0 * (BEST - reward(float(search.position.row(best)[0]))) / BEST)
    row = Row(f"continuous bandit, simple regret after {SAMPLES:,} samples, mean of {len(found)} seeds", "%")
    row.ours = float(np.mean(found))
    row.checks.append(Check("%", row.ours, REGRET, at_most=True))
    row.notes.append(f"the worst seed {max(found):.2f}%")
    return row


def cart(options: Options) -> Row:
    """The return of an episode of the double integrator, beside clipped LQR and searches of a fixed grid of forces."""
    from examples.double_integrator import SETTINGS, DoubleIntegrator, play_linear, play_search

    seeds, game = range(options.pick(CARTS, 1)), DoubleIntegrator()
    row = Row(f"double integrator, {SIMULATIONS:,} simulations a move, mean return of {len(seeds)} seeds", "return")
    row.peers["clipped LQR"] = play_linear(game)
    row.peers["hand-made control"] = float(game.position().evaluate()[0])
    for size in GRIDS:
        grid = on_grid(size)()
        row.peers[f"grid of {size}"] = float(np.mean([play_search(grid, SIMULATIONS, SETTINGS, s) for s in seeds]))
    found = [play_search(game, SIMULATIONS, SETTINGS, seed) for seed in seeds]
    row.ours = float(np.mean(found))
    row.checks.append(Check("return", row.ours, LEAST))
    row.notes.append(f"the worst seed {min(found):.2f}")
    return row


def on_grid(size: int) -> Any:
    """The double integrator with `size` forces in equal steps, drawn from a list as a grid would be."""
    from examples.double_integrator import DoubleIntegrator

    import playout as po

    class Grid(DoubleIntegrator):
        name = f"grid of {size}"

        @staticmethod
        def sample_action(state, rng, out):
            out[0] = 2.0 * po.random_below(rng, size) / (size - 1) - 1.0

    return Grid
