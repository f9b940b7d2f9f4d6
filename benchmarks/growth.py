"""Cost as the tree grows: a simulation in a large tree against one in a small tree, depth for depth.

A larger tree is deeper, and a deeper path is rightly dearer; so what is compared is seconds a simulation divided by
the mean depth of the paths of those very simulations. What is left is the price of memory: a large tree does not
fit into the processor's caches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .measure import Check, Options, Row

if TYPE_CHECKING:
    import playout as po

SMALL = 50_000
LARGE, QUICK_LARGE = 5_000_000, 1_000_000
WINDOW = 10_000  # simulations a measurement, few enough that the small tree stays small
WINDOWS = 5
TARGET = 2.0


def measure(options: Options) -> list[Row]:
    large = options.pick(LARGE, QUICK_LARGE)
    row = Row(f"connect4, a simulation at {large:,} nodes against one at {SMALL:,}", "ns a simulation and level")
    if options.peers_only:
        return []

    from . import ours

    ours.warm_up(ours.builtin("connect4"))
    search = ours.builtin("connect4")
    small_cost, small_seconds, small_depth = _at(search, SMALL)
    large_cost, large_seconds, large_depth = _at(search, large)
    row.ours = 1e9 * large_cost
    row.peers = {f"ours at {SMALL:,} nodes": 1e9 * small_cost}
    row.checks.append(Check("x, depth for depth", large_cost / small_cost, TARGET, at_most=True))
    row.notes.append(
        f"{1e9 * small_seconds:,.0f} ns a simulation at mean depth {small_depth:.1f}, "
        f"{1e9 * large_seconds:,.0f} ns at {large_depth:.1f}"
    )
    return [row]


def _at(search: po.Search, nodes: int) -> tuple[float, float, float]:
    """Grow the tree to `nodes`; then the best of some windows: cost a level, seconds a simulation, mean depth."""
    result = search.run(simulations=1)
    while result.nodes < nodes:
        # A simulation adds one node at most, and none where it ends in a finished game.
        result = search.run(simulations=max(1000, nodes - result.nodes))
    best = (float("inf"), float("inf"), 0.0)
    for _ in range(WINDOWS):
        result = search.run(simulations=WINDOW)
        seconds = result.seconds / result.simulations
        best = min(best, (seconds / result.mean_depth, seconds, result.mean_depth))
    return best
