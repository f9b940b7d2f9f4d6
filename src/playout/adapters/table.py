"""Playouts where positions come back: value iteration over the sampled outcomes, whose best actions lead them.

Random play seldom reaches a far goal, so its returns say little. Where all positions that can be reached fit into a
table, the best actions by that table lead the playouts and get higher priors. The search itself decides.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .states import Seen, World

MOST_POSITIONS = 1000  # in a table
SWEEPS = 2000  # of the value iteration, at most
FORGETS = 0.999  # what a reward one step later is worth, at most: values must settle without a time limit
SETTLED = 1e-7
SAME = 1e-6


def best_actions(world: "World", root: "Seen") -> dict[bytes, Sequence[int]]:
    """The best actions of every position that can be reached, by its key; empty if there are too many positions."""
    numbers: dict[bytes, int] = {root.key: 0}
    waiting: list[Seen] = [root]
    pairs: list[tuple[bytes, int]] = []  # positions and actions
    starts: list[int] = []  # the first pair of each position
    rows: list[tuple[int, int, float, float]] = []  # pair, next position or -1, probability, reward
    for seen in waiting:
        starts.append(len(pairs))
        for action in seen.legal:
            for after, weight in world.outcomes(seen.state, seen.key, action):
                if after.done:
                    there = -1
                elif (known := numbers.get(after.key)) is not None:
                    there = known
                else:
                    there = numbers[after.key] = len(waiting)
                    waiting.append(after)
                rows.append((len(pairs), there, weight, after.rewards[0]))
            pairs.append((seen.key, action))
        if len(waiting) > MOST_POSITIONS:
            return {}
    worth = _iterated(np.array(rows), np.array(starts), len(pairs), min(world.discount, FORGETS))
    stops = [*starts[1:], len(pairs)]
    found: dict[bytes, Sequence[int]] = {}
    for first, stop in zip(starts, stops, strict=True):
        best = worth[first:stop].max() if stop > first else 0.0
        found[pairs[first][0]] = tuple(
            a for (_, a), v in zip(pairs[first:stop], worth[first:stop], strict=True) if v >= best - SAME
        )
    return found


def _iterated(rows: Any, starts: Any, pairs: int, discount: float) -> Any:
    """The value of each pair of position and action."""
    pair, there = rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64)
    weight, reward = rows[:, 2], rows[:, 3]
    values: Any = np.zeros(len(starts) + 1)  # the last one: the end
    worth: Any = np.zeros(pairs)
    for _ in range(SWEEPS):
        worth = np.bincount(pair, weight * (reward + discount * values[there]), pairs)
        better = np.maximum.reduceat(worth, starts)
        change = np.abs(better - values[:-1]).max()
        values[:-1] = better
        if change < SETTLED:
            break
    return worth
