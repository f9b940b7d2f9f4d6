"""What a measurement is: contenders timed in turns, and rows that hold figures against targets."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

C_LIMIT = "tight C"
OPENSPIEL = "OpenSpiel C++"
EXPLORATION = 1.4  # the same c for everyone who lets us choose it


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    quick: bool = False
    peers_only: bool = False

    def pick(self, full: int, quick: int) -> int:
        return quick if self.quick else full


@dataclass(frozen=True)
class Contender:
    """One side of a comparison. `run` does the work once and returns its figure (mostly simulations a second)."""

    name: str
    run: Callable[[], float]
    rounds: int | None = None  # fewer than the others where one run takes long


@dataclass(frozen=True)
class Check:
    """A figure against its target."""

    what: str
    value: float
    target: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.value <= self.target if self.at_most else self.value >= self.target

    @property
    def verdict(self) -> str:
        """
        >>> Check("x OpenSpiel C++", 9.0, 10.0).verdict, Check("s", 1.5, 1.0, at_most=True).verdict
        ('missed by 10%', 'missed by 50%')
        """
        if self.met:
            return "met"
        share = self.value / self.target - 1 if self.at_most else 1 - self.value / self.target
        return f"missed by {100 * share:.0f}%"


@dataclass
class Row:
    """One line of the report: the work, everyone's figure, and what is asked of ours."""

    work: str
    unit: str
    peers: dict[str, float] = field(default_factory=dict)
    ours: float | None = None
    checks: list[Check] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def rate(simulations: int, work: Callable[[], object]) -> float:
    """Simulations a second of `work`, by the wall clock."""
    begin = time.perf_counter()
    work()
    return simulations / (time.perf_counter() - begin)


def interleave(contenders: Sequence[Contender], rounds: int) -> dict[str, float]:
    """The best of `rounds` runs of each, taken in turns (A B C A B C ...).

    On a shared machine the speed drifts by tens of percent within a minute. Taking turns lets everyone meet the same
    weather, and the best run is the one least disturbed.
    """
    best: dict[str, float] = {}
    for turn in range(rounds):
        for contender in contenders:
            if contender.rounds is None or turn < contender.rounds:
                best[contender.name] = max(best.get(contender.name, 0.0), contender.run())
    return best
