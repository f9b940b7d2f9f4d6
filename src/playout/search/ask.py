"""Ask and tell: the caller evaluates leaves, one or several at a time, and answers in any order."""

import time
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from playout.core import endings
from playout.errors import SettingsError
from playout.evaluators import NO_ANSWERS, LeafPolicy, LeafValue, answer_to_leaf
from playout.game import Position

from .batches import Batches
from .history import History

MOST_LEAVES = 1 << 16  # that may wait at once
PATIENCE = 256  # simulations without a leaf that needs an answer, for each leaf that was asked for
NOTHING_LEFT = (endings.DONE, endings.SOLVED, endings.FULL, endings.DECIDED)


@dataclass(frozen=True)
class Leaf:
    """A position that waits for its value; answer it with `search.tell(leaf, value, policy)`."""

    number: int  # counts all leaves of the search
    position: Position
    actions: tuple[int, ...]  # the legal ones, in the order of a policy
    asked: float = field(compare=False)  # time.monotonic() when

    @cached_property
    def observation(self) -> Any:
        """What a network sees, if the game has `observe`."""
        return self.position.observe()

    @property
    def text(self) -> str:
        """The position in the game's words."""
        return self.position.text

    def __repr__(self) -> str:
        return f"<Leaf {self.number} of {self.position.game.title} '{self.text}'>"


class AskTell:
    """The leaves that `ask` has handed out and that wait for `tell`."""

    def __init__(self, batches: Batches, history: History) -> None:
        self.batches, self.history = batches, history
        self.in_coroutines = False  # a `run_async` is under way
        self._serial = 0
        self._asked: dict[int, tuple[int, Leaf]] = {}  # by number: the slot, and the leaf

    @property
    def leaves(self) -> list[Leaf]:
        """Those that wait, in the order in which they were asked for."""
        return [leaf for _, leaf in self._asked.values()]

    def ask(self, count: int, stop_at: int | None = None) -> list[Leaf]:
        """Collect up to `count` leaves; walks that need no answer are backed up, up to `stop_at` simulations."""
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or not 0 < count <= MOST_LEAVES:
            raise SettingsError(f"ask for {count!r} leaves, expected a number from 1 to {MOST_LEAVES}")
        batches, runner, leaves = self.batches, self.batches.runner, list[Leaf]()
        before = runner.simulations
        if stop_at is None:
            stop_at = before + len(self._asked) + PATIENCE * count
        with runner.game.using_random(runner.random):
            while len(leaves) < count:
                status, detail = batches.collect(count - len(leaves), stop_at, 0)
                arrays, found = batches.arrays, batches.found()
                known, fresh = found[arrays.known[found] > 0], found[arrays.known[found] == 0].tolist()
                if len(known):
                    batches.settle(known, NO_ANSWERS)
                leaves += [self._leaf(slot) for slot in fresh]
                if status == endings.NO_SLOT:
                    if len(arrays.used) >= MOST_LEAVES:
                        break
                    batches.fit(min(MOST_LEAVES, 2 * len(arrays.used)))
                elif status in (endings.GROW, endings.DEEPER):
                    runner.serve(status, detail)
                elif status != endings.DONE or not len(found):
                    if status not in NOTHING_LEFT:
                        self.take_back(leaves)
                        runner.serve(status, detail)
                    break
        self.history.note_run(runner.simulations - before)
        return leaves

    def tell(self, leaf: Leaf, value: LeafValue, policy: LeafPolicy | None) -> None:
        """Back up the answer to a leaf; see `Search.tell`."""
        slot, runner = self._slot(leaf, "tell"), self.batches.runner
        answer = answer_to_leaf(policy, value, leaf.actions, runner.game, f"tell {leaf!r}")
        before = runner.simulations
        self.batches.settle(np.array([slot], np.int32), answer)
        del self._asked[leaf.number]
        self.history.note_run(runner.simulations - before)

    def take_back(self, leaves: Collection[Leaf]) -> int:
        """Discard leaves; returns how many. One that is named twice counts once."""
        slots = {self._slot(leaf, "take_back"): leaf for leaf in leaves}
        self.batches.take_back(np.array(list(slots), np.int32))
        for leaf in slots.values():
            del self._asked[leaf.number]
        return len(slots)

    def take_back_all(self) -> None:
        """Discard all leaves that wait."""
        self.batches.take_back_all()
        self._asked.clear()

    def _leaf(self, slot: int) -> Leaf:
        arrays = self.batches.arrays
        self._serial += 1
        leaf = Leaf(
            self._serial,
            Position(self.batches.runner.game, arrays.states[slot].copy()),
            tuple(arrays.actions[slot, : int(arrays.counts[slot])].tolist()),
            time.monotonic(),
        )
        self._asked[leaf.number] = slot, leaf
        return leaf

    def _slot(self, leaf: Leaf, what: str) -> int:
        if not isinstance(leaf, Leaf):
            raise SettingsError(f"{what} got {leaf!r}, expected a leaf that `ask` returned")
        slot, known = self._asked.get(leaf.number, (0, None))
        if known is not leaf:
            raise SettingsError(
                f"{what}: {leaf!r} does not wait for an answer: it was answered, taken back, or the search has moved on"
            )
        return slot
