"""`Limits`: when a run ends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from playout.common.arguments import plain, whole
from playout.core.tree import POSITIONS, Tree, used_bytes
from playout.errors import SettingsError

MOST, FOREVER = 2**60, 1e9  # larger limits are taken for a mistake


@dataclass(frozen=True)
class Limits:
    """The run ends at the first of these; None: no such limit."""

    simulations: int | None = None  # of this run
    seconds: float | None = None
    nodes: int | None = None  # positions in the tree, reused ones included; see `Result`
    bytes: int | None = None  # of the tree

    def __post_init__(self) -> None:
        given = {k: v for k, v in vars(self).items() if v is not None}
        if not given:
            raise SettingsError("no limit given: say how long to search, as simulations, seconds, nodes or bytes")
        for name, value in given.items():
            counted = name != "seconds"
            number: Any = whole(value) if counted else plain(value)
            most = MOST if counted else FOREVER
            good = isinstance(number, int | float) and not isinstance(number, bool)
            if not good or not 0 < number <= most:
                expected = "a whole number of at least 1" if counted else "a number above 0"
                if good and number > 0:
                    expected += f" and at most {most:g}"
                raise SettingsError(f"limit {name} is {value!r}, expected {expected}")
            object.__setattr__(self, name, number)

    def share(self, trees: Sequence[Tree], simulations: int, seconds: float) -> float:
        """The share of the limits that is used up, from 0 to 1, by the trees and by this run's work."""
        used = (
            (simulations, self.simulations),
            (seconds, self.seconds),
            (sum(int(tree.counters[POSITIONS]) for tree in trees), self.nodes),
            (sum(used_bytes(tree) for tree in trees), self.bytes),
        )
        return min(1.0, max(have / limit if limit else 0.0 for have, limit in used))


def limit_text(limits: Limits) -> str:
    """The simulations and seconds of a move in words.

    >>> limit_text(Limits(1000)), limit_text(Limits(seconds=0.01)), limit_text(Limits(1, 2.5))
    ('1,000 simulations', '10 ms', '1 simulation or 2.5 s')
    """
    found = []
    if limits.simulations is not None:
        found.append(f"{limits.simulations:,} simulation{'s' * (limits.simulations != 1)}")
    if limits.seconds is not None:
        found.append(f"{1000 * limits.seconds:g} ms" if limits.seconds < 1 else f"{limits.seconds:g} s")
    return " or ".join(found)
