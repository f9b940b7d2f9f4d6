"""Seeds and the draw of chance, for everything that plays games outside of a search."""

import hashlib
import math
from bisect import bisect
from itertools import accumulate
from typing import Protocol

from playout.errors import GameError
from playout.game import Position


class UniformSource(Protocol):
    """A source of numbers in [0, 1): `random.Random` or `numpy.random.Generator`."""

    def random(self) -> float:
        """The next number."""


def seed_of(*parts: object) -> int:
    """A seed derived from `parts`, the same in every process; each purpose gets its own.

    >>> seed_of(0, "chance", 1) == seed_of(0, "chance", 1) != seed_of(0, "chance", 2)
    True
    """
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:7], "big")


def draw_outcome(position: Position, source: UniformSource) -> int:
    """An outcome of chance, drawn by its probability with one number from `source`."""
    if position.draws:
        return position.drawn(source.random())
    outcomes = position.outcomes()
    sums = list(accumulate(weight for _, weight in outcomes))
    if not sums or not 0.0 < sums[-1] < math.inf:
        raise GameError(
            f"{position.game.title}.chance_outcomes gave probabilities that add up to {sums[-1] if sums else 0:g} in "
            f"{position.text or 'the start'}, expected 1"
        )
    return outcomes[bisect(sums, source.random() * sums[-1], 0, len(sums) - 1)][0]
