"""When a run ends."""

from dataclasses import dataclass
from typing import Any

from playout.common.arguments import plain, whole
from playout.core.tree import POSITIONS, Tree, used_bytes
from playout.errors import SettingsError

MOST, FOREVER = 2**60, 1e9  # limits beyond these are taken for a slip


@dataclass(frozen=True)
class Limits:
    """When to end a run: any of them, together; None: no such limit."""

    simulations: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    bytes: int | None = None

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

    def share(self, tree: Tree, simulations: int, seconds: float) -> float:
        """How much of the limits is used up, from 0 to 1, after so many simulations and seconds of new work."""
        used = (
            (simulations, self.simulations),
            (seconds, self.seconds),
            (int(tree.counters[POSITIONS]), self.nodes),
            (used_bytes(tree), self.bytes),
        )
        return min(1.0, max(have / limit if limit else 0.0 for have, limit in used))
