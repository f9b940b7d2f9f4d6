"""Batches that several threads evaluate at once, while further leaves are collected in the thread of the search."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from playout.core.params import Params
from playout.evaluators import NO_ANSWERS, Evaluator, LeafAnswers

from .batches import Batches

if TYPE_CHECKING:
    from .runner import Runner


class Pipeline(Batches):
    """As `Batches`, with `threads` batches under evaluation, and one more ready for the thread that is done first.

    The answers are backed up in the order in which they come, so that the same seed does not give the same tree.
    """

    handed_over = True

    def __init__(self, runner: "Runner", evaluator: Evaluator, threads: int) -> None:
        super().__init__(runner, evaluator)
        self.threads = threads
        self.under_way: dict[Future[LeafAnswers], Any] = {}  # the slots of each batch
        self._answered: SimpleQueue[Future[LeafAnswers]] = SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None

    def advance(
        self, simulations: int, node_limit: int, byte_limit: int, target: int, params: Params
    ) -> tuple[int, int]:
        """Collect batches until each thread has one, and wait for an answer; returns what `simulate.run` would."""
        self.check_evaluator()
        self.fit(self.size * (self.threads + 1))
        status, detail, stop_at = 0, 0, self.runner.simulations + simulations
        try:
            while len(self.under_way) <= self.threads:
                wanted = min(self.size, self.good_at_once() - self.waiting)
                if wanted <= 0 and self.under_way:
                    break
                status, detail = self.collect(
                    max(1, wanted),
                    stop_at,
                    self.runner.game.policy_size,
                    node_limit=node_limit,
                    byte_limit=byte_limit,
                    target=target,
                    params=params,
                )
                if not self._send():
                    break
            self._receive()
        except BaseException:
            self.discard()
            raise
        return status, detail

    def _send(self) -> bool:
        """Have the leaves that `collect` found evaluated; False if it found none that must be."""
        slots = self.found()
        known = self.arrays.known[slots] > 0
        if known.any():
            self.settle(slots[known], NO_ANSWERS)
        asked = slots[~known]
        if not len(asked):
            return bool(known.any())
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, "playout-network")
        planes = self.arrays.planes[asked].reshape(len(asked), *self.runner.game.planes)
        future = self._pool.submit(self.evaluator, planes)
        self.under_way[future] = asked
        future.add_done_callback(self._answered.put)
        return True

    def _receive(self) -> None:
        """Wait for an answer, if any is under way, and back it up."""
        if self.under_way:
            future = self._answered.get()
            answers = future.result()
            self.settle(self.under_way.pop(future), answers)

    def drain(self) -> None:
        """Wait for all answers and back them up."""
        try:
            while self.under_way:
                self._receive()
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Wait for what is under way, and take all leaves back."""
        wait(self.under_way)
        self.under_way.clear()
        self._answered = SimpleQueue()
        self.take_back_all()
