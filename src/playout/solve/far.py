"""Runs of a nested search that go on elsewhere: the arrays of a run travel to a worker and come back."""

import time
from dataclasses import dataclass
from typing import Any

from playout.game import Position
from playout.search.control import Control

from .methods import NMCS, NRPA
from .runs import NestedRun, new_run

CHUNK_SECONDS = 0.05  # between two looks at the clock


@dataclass(frozen=True)
class SolveSetup:
    """What a worker needs to know of a search."""

    position: Position
    method: NRPA | NMCS
    seed: int

    def worker(self) -> "SolveWorker":
        """What goes on with runs, in the process that calls this."""
        return SolveWorker(self)


class SolveWorker:
    """Goes on with any of the runs from where it was left."""

    def __init__(self, setup: SolveSetup) -> None:
        self.setup, self.runs = setup, dict[int, NestedRun]()

    def play(
        self, number: int, arrays: Any, playouts: int, seconds: float, left: float | None, target: float
    ) -> tuple[Any, bool]:
        """The arrays of a run after up to `playouts` more, and whether the target was reached.

        It returns after about `seconds`; a rule that runs on when all that is `left` is over is interrupted.
        """
        setup = self.setup
        if number not in self.runs:
            self.runs[number] = new_run(setup.position, setup.method, setup.seed, number)
        run, control = self.runs[number], Control()
        control.deadline = None if left is None else time.perf_counter() + left
        run.arrays = copied(arrays)
        run.options = run.options._replace(target=target)
        ends, chunk, until = run.playouts + playouts, 1, time.perf_counter() + seconds
        reached = False
        while not reached and run.playouts < ends and time.perf_counter() < until:
            took, reached = run.advance(min(chunk, ends - run.playouts), control.overdue)
            chunk = max(1, min(2 * chunk, int(chunk * CHUNK_SECONDS / max(took, 1e-6))))
        return run.arrays, reached

    def close(self) -> None:
        """Nothing to close."""


def copied(arrays: Any) -> Any:
    """Arrays of a run that can be written: what comes from a cluster can't."""
    return type(arrays)(*(array.copy() for array in arrays))
