"""A run in chunks: how many simulations the kernel may do at once, and which limit ends the run."""

import time
from typing import TYPE_CHECKING

from playout.core import answer, endings

from .limits import Limits

if TYPE_CHECKING:
    from .runner import Runner

CHUNK_SECONDS = 0.01  # how long the kernel may run before limits, `stop` and Ctrl-C are checked
CREW_SECONDS = 0.03  # the same with threads, which wait for each other at the end of each chunk
FASTEST_GROWTH = 8.0  # of a chunk, from one to the next; the first ones are small, since a simulation may take long
ENDLESS = 2**62  # no limit
REASONS = {
    endings.SOLVED: "proven",
    endings.DECIDED: "decided",
    endings.NODE_LIMIT: "nodes",
    endings.BYTE_LIMIT: "bytes",
    endings.FULL: "full",
}


class ChunkedRun:
    """One run of one tree, chunk by chunk."""

    def __init__(self, runner: "Runner", limits: Limits, began: float, *, early_stop: bool = True) -> None:
        self.runner, self.limits, self.began = runner, limits, began
        self.params = runner.params if early_stop else runner.params._replace(early_stop=0)
        self.start = runner.simulations
        self.target = self.start + limits.simulations if limits.simulations else ENDLESS
        self.chunk = 1 if runner.game.keeps_objects else 16  # an object may take a second for each

    @property
    def share(self) -> float:
        """The share of the limits that is used up."""
        runner = self.runner
        return self.limits.share([runner.tree], runner.simulations - self.start, time.perf_counter() - self.began)

    def advance(self, stop_at: int = ENDLESS) -> str | None:
        """Run one chunk, up to `stop_at` simulations of the tree; returns the limit that ends the run, if one does."""
        runner, limits, params = self.runner, self.limits, self.params
        done, now = runner.simulations, time.perf_counter() - self.began
        if done >= self.target:
            return "simulations"
        if limits.seconds is not None and now >= limits.seconds:
            return "seconds"
        if runner.control.is_stopped:
            return "stop"
        if limits.seconds is not None and done > self.start:
            left = int((done - self.start) / now * (limits.seconds - now)) + 1  # simulations, at the rate so far
            self.chunk = max(1, min(self.chunk, left))
            if params.early_stop and limits.simulations is None and answer.is_decided(params, runner.tree, left):
                return "decided"
        byte_limit = limits.bytes or ENDLESS
        entered = time.perf_counter()
        simulations = min(self.chunk, self.target - done, stop_at - done)
        status, detail = runner.advance(simulations, limits.nodes or ENDLESS, byte_limit, self.target, params)
        took = time.perf_counter() - entered
        wanted = CHUNK_SECONDS if runner.crew is None else CREW_SECONDS
        if status in REASONS:
            return REASONS[status]
        runner.serve(status, detail, byte_limit)
        if runner.batches is not None:
            self.chunk = 1 << 20  # the evaluator decides how much is done at once
        elif runner.simulations > done and not wanted / 2 <= took <= wanted:
            fits = (runner.simulations - done) * wanted / took
            self.chunk = max(1, int(min(fits, FASTEST_GROWTH * self.chunk, 1 << 20)))
        return None
