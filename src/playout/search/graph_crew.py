"""`GraphCrew`: the threads of one search in a graph. They take turns to change it (`core/shared_graph.py`)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import endings, shared_graph, threads
from playout.core import tree as core
from playout.core.params import BATCHED, Params
from playout.core.shared_graph import Leaves
from playout.core.tree import Tree, Work

from .crew import Crew, apart

if TYPE_CHECKING:
    from .runner import Runner

MOST, PART = 8, 32  # simulations in a turn: at most this many, and in all threads this share of the root's visits


class GraphCrew(Crew):
    """Threads that grow the graph of a runner together."""

    kernel: Any = staticmethod(shared_graph.run_shared_graph)
    counted = ("counters", "best", "learned")

    def __init__(self, runner: "Runner", count: int) -> None:
        super().__init__(runner, count)
        self.leaves: list[Leaves] = []

    @property
    def rules(self) -> tuple[Any, ...]:
        """The rules table with parts that see simulations in flight."""
        if self._rules is None:
            self._rules = (self.runner.with_parts(shown=False, waiting=BATCHED),)
        return self._rules

    @property
    def ahead(self) -> int:
        """Simulations that the graph must have room for, and one more."""
        return self.count * MOST + 1

    @property
    def proofs_ahead(self) -> int:
        """Every node of a graph has room for one; the kernel asks for a path's besides, as in a tree."""
        return len(self.runner.work.path_nodes)

    def compile(self) -> None:
        """Compile the kernel, or read it from disk."""
        self._prepare(0, 0)
        own = self._own(self.runner.tree, 0)
        self.kernel(*self._call(0, own, self.runner.params, (0, 0, 0)))

    def _own(self, tree: Tree, index: int) -> Tree:
        """The graph as one thread sees it outside its turn."""
        own = self._replaced(tree, index)
        self.members[index].tree = own
        return own

    def _call(self, index: int, own: Tree, params: Params, limits: tuple[int, int, int]) -> tuple[Any, ...]:
        """What the kernel is called with in one thread; whether the answer is decided is looked at between chunks."""
        shared = own._replace(counters=self.runner.tree.counters)
        params = params._replace(early_stop=0)
        return (*self.rules, params, shared, own, self.members[index].work, self.leaves[index], *limits)

    def _allowed(self, simulations: int, node_limit: int, byte_limit: int) -> tuple[int, int]:
        """The kernel itself looks at the limits."""
        return simulations, endings.DONE

    def _prepare(self, simulations: int, byte_limit: int) -> None:
        """Give each thread its scratch, and tell all of them what to do."""
        super()._prepare(simulations, byte_limit)
        visits = int(self.runner.tree.nodes[core.ROOT]["visits"])
        self.shared[core.TOGETHER] = max(1, min(MOST, visits // (PART * self.count)))
        self.shared[core.UNDER_WAY] = 0
        depth = len(self.runner.work.path_nodes)
        if not self.leaves or self.leaves[0].nodes.shape[1] != depth:
            self.leaves = [_new_leaves(member.work, depth) for member in self.members]
        self.leaves = [
            leaves._replace(flights=self.pending, info=member.work.info)
            for leaves, member in zip(self.leaves, self.members, strict=True)
        ]

    def _mend(self, params: Params) -> None:
        """Once all threads are back: take back the simulations of one that failed."""
        self.shared[core.UNDER_WAY] = 0
        for member in self.members:
            member.work.info[[core.WAITING, core.FLYING]] = 0
        self.runner.call(threads.close_all, params, self.runner.tree, self.members[0].work)

    def _unlock(self, member: "Runner", mine: int) -> None:
        """A graph has no locks but the turn."""

    def _merge(self, tree: Tree, trees: list[Tree]) -> None:
        """Add what the threads counted outside their turns."""
        before = int(tree.counters[core.PLAYOUT_ACTIONS])
        for own in trees:
            tree.counters[core.PLAYOUT_ACTIONS] += own.counters[core.PLAYOUT_ACTIONS] - before
        self._merge_found(tree, trees)


def _new_leaves(work: Work, depth: int) -> Leaves:
    """Room for the leaves of one thread."""
    players, size, played = len(work.returns), len(work.state), depth + 1 if len(work.played) else 0
    shapes = {
        "nodes": ((MOST, depth), np.int32),
        "edges": ((MOST, depth), np.int32),
        "links": ((MOST, depth), np.int32),
        "rewards": ((MOST, depth * players), np.float64),
        "depths": ((MOST,), np.int32),
        "endings": ((MOST,), np.int32),
        "states": ((MOST, size), np.uint8),
        "keys": ((MOST,), np.uint64),
        "returns": ((MOST, players), np.float64),
        "values": ((MOST, players), np.float64),
        "played": ((MOST, played), np.int32),
    }
    arrays = {name: apart(np.zeros(shape, kind)) for name, (shape, kind) in shapes.items()}
    return Leaves(flights=work.pending, info=work.info, **arrays)
