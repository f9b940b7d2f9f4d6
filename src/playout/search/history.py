"""`History`: where a search began, what was done since, and the way back."""

import copy
from typing import Any

import numpy as np

from playout.core import tree as core
from playout.core.copying import copied
from playout.core.tree import Tree
from playout.errors import SettingsError
from playout.game import Position

from .runner import Runner

Log = list[tuple[str, int]]  # ("run", simulations), ("plan", simulations), ("play", action)

KEEP_BASE_BYTES = 1 << 24  # a reused subtree up to this size is kept as the place to go back to


class History:
    """The beginning of a search, the log since then, and the tree that the current root began with."""

    def __init__(self, runner: Runner, start: Position) -> None:
        self.runner = runner
        self.start: Any = start.buffer.copy()  # the state
        self.start_text: str | None = runner.game.text_to_save(start.state)
        self.start_tree: Tree | None = None  # None: an empty one
        self.log: Log = []  # since the start
        self.positions: list[Position] = []  # before the current one
        self.base: Tree | None = None  # the tree when the current root was set; None: too large, replay instead
        self.base_random: Any = None

    def copy_for(self, runner: Runner) -> "History":
        """A history of its own for a copy of the search."""
        twin = copy.copy(self)
        twin.runner, twin.log, twin.positions = runner, list(self.log), list(self.positions)
        return twin

    # Writing it down.

    def begin(self) -> None:
        """Take the tree that was just planted as the beginning."""
        self._keep_base()

    def begin_with_tree(self) -> None:
        """Take a tree that was made by hand, or restricted, as the beginning."""
        self.start_tree = copied(self.runner.tree)
        self.base = copied(self.runner.tree)

    def note_run(self, simulations: int) -> None:
        """Log simulations; those of one run after the other are added up, unless batches were cut in between."""
        if not simulations:
            return
        if self.log and self.log[-1][0] == "run" and not self.runner.cuts_batches:
            self.log[-1] = ("run", self.log[-1][1] + simulations)
        else:
            self.log.append(("run", simulations))

    def aim(self, simulations: int) -> None:
        """Have the root plan for this many more simulations, and log it; nothing where the root does not plan."""
        if len(self.runner.tree.plan):
            self.log.append(("plan", simulations))
            self.runner.aim(simulations)

    def log_now(self) -> Log:
        """The log with the simulations of a run that is under way: it is only noted at its end."""
        twin, more = self.copy_for(self.runner), self.runner.simulations - simulations_at_root(self.log)
        twin.note_run(max(0, more))
        return twin.log if more >= 0 else log_up_to(self.log, self.runner.simulations)

    # Moving.

    def play(self, action: int, after: Position) -> None:
        """Log an action and go to the position after it."""
        self.log.append(("play", action))
        self._move(action, after)

    def check_can_rewind(self, simulations: int) -> None:
        """Refuse to grow again what threads have grown: their simulations come in another order each time."""
        threads, done = self.runner.settings.threads, self.runner.simulations
        if threads == 1 or simulations == done or (simulations == 0 and self.base is not None):
            return
        back = "rewind to 0, or " if self.base is not None else ""
        raise SettingsError(
            f"rewind to {simulations}: this tree was grown by {threads} threads, and growing it again would give "
            f"another one; {back}search with threads=1"
        )

    def rewind(self, simulations: int) -> None:
        """Go back to the tree after `simulations` at the current root."""
        runner, again = self.runner, log_up_to(self.log, simulations)
        root = _root_of(again)
        if self.base is not None:
            runner.tree = copied(self.base)
            runner.random = copy.deepcopy(self.base_random)
            self.log = again[:root]
        else:
            self._replay(again[:root])
        for what, number in again[root:]:
            if what == "plan":
                self.aim(number)
            else:
                before = runner.simulations
                runner.exactly(number)
                self.note_run(runner.simulations - before)

    def kept_states(self) -> Any:
        """The states that the search may still need, one row of bytes each."""
        trees = [tree for tree in (self.runner.tree, self.base, self.start_tree) if tree is not None]
        states = [tree.states[core.ROOT : int(tree.counters[core.NODES])] for tree in trees]
        positions = [p.buffer for p in (*self.positions, self.runner.position)]
        return np.vstack([*states, *positions, self.start])

    def _replay(self, log: Log) -> None:
        """Grow the tree again from the start."""
        runner = self.runner
        self.positions, self.log, runner.random = [], list(log), runner.game.new_random(runner.seed)
        runner.plant(Position(runner.game, self.start.copy()), runner.seed)
        self._keep_base()
        if self.start_tree is not None:
            runner.tree = copied(self.start_tree)
        for what, number in log:
            if what == "run":
                runner.exactly(number)
            elif what == "plan":
                runner.aim(number)
            else:
                self._move(number, runner.position.play(number))

    def _move(self, action: int, after: Position) -> None:
        self.positions.append(self.runner.position)
        self.runner.move_to(after, action)
        self._keep_base()
        self.runner.game.forget_unused()

    def _keep_base(self) -> None:
        small = core.used_bytes(self.runner.tree) <= KEEP_BASE_BYTES
        self.base = copied(self.runner.tree) if small else None
        self.base_random = copy.deepcopy(self.runner.random)


def simulations_at_root(log: Log) -> int:
    """The simulations of a log since its last action.

    >>> simulations_at_root([("run", 5), ("play", 3), ("run", 2), ("run", 4)])
    6
    """
    return sum(number for what, number in log[_root_of(log) :] if what == "run")


def log_up_to(log: Log, simulations: int) -> Log:
    """The beginning of a log, up to this number of simulations since its last action.

    >>> log_up_to([("run", 5), ("play", 3), ("plan", 9), ("run", 9), ("plan", 4), ("run", 4)], 7)
    [('run', 5), ('play', 3), ('plan', 9), ('run', 7)]
    >>> log_up_to([("plan", 5), ("run", 5)], 0)
    []
    """
    root = _root_of(log)
    kept, left = log[:root], simulations
    for what, number in log[root:]:
        if left == 0:
            break
        number = min(number, left) if what == "run" else number
        kept.append((what, number))
        left -= number if what == "run" else 0
    return kept


def _root_of(log: Log) -> int:
    """Where in a log the current root begins."""
    return max((i + 1 for i, (what, _) in enumerate(log) if what == "play"), default=0)
