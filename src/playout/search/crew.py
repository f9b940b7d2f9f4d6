"""`Crew`: the threads of one search. They share its tree (`core/shared.py`) and meet between chunks of simulations."""

import copy
import ctypes
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import answer, endings, shared, simulate, threads
from playout.core import tree as core
from playout.core.jit import COMPILED
from playout.core.learned import add_learned
from playout.core.params import SHARED, Params
from playout.core.rng import random_bits
from playout.core.tree import Tree, Work

from .chunks import ENDLESS

if TYPE_CHECKING:
    from .runner import Runner

LINE = 128  # bytes that processors fetch together
ADDED = (core.SIMULATIONS, core.POSITIONS, core.DEPTH_SUM, core.PLAYOUT_ACTIONS)  # counters that threads add up
# What threads may return; the first of these that one has returned is acted on.
LIMITS = (endings.NODE_LIMIT, endings.BYTE_LIMIT, endings.FULL)  # of a graph
AT_ONCE = (endings.SOLVED, *LIMITS, endings.DEEPER, endings.GROW)
# The tree is divided into about this many parts for each thread, but threads share nothing of more visits than these.
PARTS, MOST_VISITS = 8, threads.MOST_IN_A_ROW * threads.PART_IN_A_ROW
BLOCK, SMALL_BLOCK = 256, 1  # nodes that a thread takes at once; the second with a limit of bytes
PLACES = ((core.NODES, core.NEXT_NODE), (core.EDGES, core.NEXT_EDGE), (core.PROOFS, core.NEXT_PROOF))


class Crew:
    """Threads that grow the tree of a runner together."""

    kernel: Any = staticmethod(shared.run_shared)
    counted: tuple[str, ...] = ("counters", "bounds", "best", "learned")  # each thread has its own of these

    def __init__(self, runner: "Runner", count: int) -> None:
        self.runner, self.count = runner, count
        self.shared = apart(np.zeros(core.SHARES, np.int64))
        self.shared[core.YIELD] = _give_way()
        self.pending = np.zeros(0, np.int32)
        self.members: list[Runner] = []
        self.generators: list[Any] = []
        self.blocks: list[Any] = []  # where each thread goes on in its blocks of nodes, edges and proofs
        self._of: Any = None  # the counters of the tree that the blocks belong to
        self._pool: ThreadPoolExecutor | None = None
        self._rules: tuple[Any, ...] | None = None

    @property
    def rules(self) -> tuple[Any, ...]:
        """The rules tables for a thread by itself, and for the shared part of the tree."""
        if self._rules is None:
            self._rules = self.runner.rules, self.runner.with_parts(shown=False, waiting=SHARED)
        return self._rules

    @property
    def ahead(self) -> int:
        """Nodes, each with its edges, that the tree must have room for: a block for each thread."""
        return self.count * max(BLOCK, -(-self._blocks(ENDLESS)[1] // self.runner.game.max_actions))

    @property
    def proofs_ahead(self) -> int:
        """Likewise proofs."""
        return self.count * self._blocks(ENDLESS)[2]

    def compile(self) -> None:
        """Compile the kernel, or read it from disk."""
        runner = self.runner
        self.shared[core.LEFT] = 0
        self.kernel(*self.rules, runner.params, runner.tree, self._work(runner, 0))
        answer.best_edge(runner.params, runner.tree, core.ROOT)

    def advance(
        self, simulations: int, node_limit: int, byte_limit: int, target: int, params: Params
    ) -> tuple[int, int]:
        """Up to `simulations` in all threads together: (status, detail)."""
        runner, tree, limits = self.runner, self.runner.tree, (node_limit, byte_limit, target)
        simulations, full = self._allowed(simulations, node_limit, byte_limit)
        if not simulations:
            return full, 0
        self._prepare(simulations, byte_limit)
        trees = [self._own(tree, i) for i in range(min(self.count, simulations))]
        answers = self._at_once([self._call(i, own, params, limits) for i, own in enumerate(trees)])
        self._merge(tree, trees)
        status, detail, clean = self._outcome(answers)
        if not clean:
            self._mend(params)
        failed = next((error for error in answers if isinstance(error, BaseException)), None)
        if failed is not None:
            raise failed
        left = target - runner.simulations
        if status == endings.DONE and params.early_stop and answer.is_decided(params, runner.tree, left):
            return endings.DECIDED, 0
        return status, detail

    def _own(self, tree: Tree, index: int) -> Tree:
        """The tree as one thread sees it: what it counts and draws by itself is its own."""
        own = self._replaced(tree, index)
        self.members[index].tree = own
        own.counters[[core.NODES, core.EDGES, core.PROOFS]] = self.blocks[index]
        return own

    def _replaced(self, tree: Tree, index: int) -> Tree:
        return tree._replace(rng=self.generators[index], **{name: getattr(tree, name).copy() for name in self.counted})

    def _call(self, index: int, own: Tree, params: Params, limits: tuple[int, int, int]) -> tuple[Any, ...]:
        """What the kernel is called with in one thread."""
        return (*self.rules, params, own, self.members[index].work)

    def _mend(self, params: Params) -> None:
        """Once all threads are back: finish or take back what one of them left behind."""
        runner = self.runner
        threads.unlock_all(runner.tree)
        for member in self.members:
            runner.call(shared.settle, self.rules[1], params, runner.tree, member.work)
        runner.call(threads.close_all, params, runner.tree, self.members[0].work)

    def _allowed(self, simulations: int, node_limit: int, byte_limit: int) -> tuple[int, int]:
        """How many simulations the limits allow, and if they allow none, which limit.

        A simulation adds at most one position, one node and its edges, and each node may get a proof.
        """
        tree, used, actions = self.runner.tree, self.runner.tree.counters, self.runner.game.max_actions
        positions = node_limit - int(used[core.POSITIONS])
        if positions <= 0:
            return 0, endings.NODE_LIMIT
        if int(tree.nodes[core.ROOT]["visits"]) + simulations >= simulate.MOST:
            return 0, endings.FULL
        nodes, edges, proofs = (int(used[index]) for index in (core.NODES, core.EDGES, core.PROOFS))
        block = self._blocks(byte_limit)
        taken = [now + self.count * size for now, size in zip((nodes, edges, proofs), block, strict=True)]
        each = core.record_bytes(tree, nodes + 1, edges + actions, proofs + 1) - core.used_bytes(tree)
        by_bytes = (byte_limit - core.record_bytes(tree, *taken)) // each
        if by_bytes <= 0:
            return 0, endings.BYTE_LIMIT
        return min(simulations, positions, by_bytes), endings.DONE

    def _blocks(self, byte_limit: int) -> tuple[int, int, int]:
        """How many nodes, edges and proofs a thread takes at once."""
        size = BLOCK if byte_limit == ENDLESS else SMALL_BLOCK
        actions, depth = self.runner.game.max_actions, len(self.runner.work.path_nodes)
        edges = actions if size == SMALL_BLOCK else max(1024, 16 * actions)
        return size, edges, (1 if size == SMALL_BLOCK else 8) * depth if self.runner.params.solver else 0

    def _prepare(self, simulations: int, byte_limit: int) -> None:
        """Give each thread its scratch, and tell all of them what to do."""
        runner, tree = self.runner, self.runner.tree
        depth = len(runner.work.path_nodes)
        if not self.members or len(self.members[0].work.path_nodes) != depth:
            self.members = [copy.copy(runner) for _ in range(self.count)]
            for member in self.members:
                member.control = runner.control
                member.work = Work(*(apart(array) for array in member.work))
            self._of = None
        while len(self.generators) < self.count:
            self.generators.append(apart(np.array([random_bits(tree.rng)], np.uint64)))
        if len(self.pending) != len(tree.edges):
            self.pending = np.zeros(len(tree.edges), np.int32)
        for i, member in enumerate(self.members):
            member.work = self._work(member, i)
        if self._of is not tree.counters:
            self._of, self.blocks = tree.counters, [(0, 0, 0)] * self.count
            for member in self.members:
                member.work.info[[core.NODES_END, core.EDGES_END, core.PROOFS_END]] = 0
        for counter, place in PLACES:
            self.shared[place] = tree.counters[counter]
        self.shared[[core.NODE_BLOCK, core.EDGE_BLOCK, core.PROOF_BLOCK]] = self._blocks(byte_limit)
        visits = int(tree.nodes[core.ROOT]["visits"])
        self.shared[core.SHARED_FROM] = max(1, min(MOST_VISITS, visits // (PARTS * self.count)))
        self.shared[core.LEFT], self.shared[core.HALT], self.shared[core.TURN] = simulations, 0, 0

    def _work(self, member: "Runner", index: int) -> Work:
        """A thread's scratch."""
        member.work.info[[core.FLYING, core.THREAD]] = self.count - 1, index + 1
        work = member.work._replace(pending=self.pending, shared=self.shared)
        if not len(work.batch):
            most = threads.MOST_IN_A_ROW if not member.settings.backup.below else 1
            work = work._replace(
                part=apart(np.zeros_like(work.state)), batch=apart(np.zeros((most, len(work.returns))))
            )
        return work

    def _at_once(self, calls: list[tuple[Any, ...]]) -> list[Any]:
        """What the kernel returns, or the exception it raises, in each thread; the caller's is the first of them.

        Uncompiled, nothing is atomic: the threads run one after the other, each with a share of the simulations.
        """
        if not COMPILED:
            return self._in_turns(calls)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count - 1, "playout")
        others: list[Future[Any]] = [self._pool.submit(self._run, i, calls[i]) for i in range(1, len(calls))]
        answers = [self._run(0, calls[0])]
        for other in others:
            while not other.done():
                try:
                    other.exception()  # waits
                except KeyboardInterrupt as interrupt:
                    answers[0], self.shared[core.HALT] = interrupt, 1
            answers.append(other.result())
        return answers

    def _in_turns(self, calls: list[tuple[Any, ...]]) -> list[Any]:
        left, answers = int(self.shared[core.LEFT]), []
        for i, call in enumerate(calls):
            share = -(-left // (len(calls) - i))
            self.shared[core.LEFT] = share
            answers.append(self._run(i, call))
            left -= share - int(self.shared[core.LEFT])
        return answers

    def _run(self, index: int, call: tuple[Any, ...]) -> Any:
        """One thread's part of a chunk; if it fails, it gives its locks back, and the others stop."""
        member = self.members[index]
        try:
            found = member.call(self.kernel, *call)
        except BaseException as error:  # noqa: BLE001  # raised again once all threads are back
            found = error
            mine = member.work.info[core.THREAD]
            self._unlock(member, mine)
            if self.shared[core.TURN] == mine:
                self.shared[core.TURN] = 0
        if isinstance(found, BaseException) or found[0] != endings.DONE:
            self.shared[core.HALT] = 1
        return found

    def _unlock(self, member: "Runner", mine: int) -> None:
        """Give back the locks that a thread has."""
        nodes = member.tree.nodes
        for number in member.work.path_nodes:
            if nodes[number]["parents"] == mine:
                nodes[number]["parents"] = 0

    def _merge(self, tree: Tree, trees: list[Tree]) -> None:
        """Add what the threads counted by themselves to the counters of the tree."""
        runner, before = self.runner, tree.counters.copy()
        for own in trees:
            for index in ADDED:
                tree.counters[index] += own.counters[index] - before[index]
            tree.counters[core.DEPTH_MAX] = max(tree.counters[core.DEPTH_MAX], own.counters[core.DEPTH_MAX])
            tree.bounds[core.LEAST] = min(tree.bounds[core.LEAST], own.bounds[core.LEAST])
            tree.bounds[core.GREATEST] = max(tree.bounds[core.GREATEST], own.bounds[core.GREATEST])
        self._merge_found(tree, trees)
        for i, (own, member) in enumerate(zip(trees, self.members, strict=False)):
            self.blocks[i] = tuple(own.counters[[core.NODES, core.EDGES, core.PROOFS]].tolist())
            _clear(tree, self.blocks[i], member.work.info[[core.NODES_END, core.EDGES_END]])
        for counter, place in PLACES:
            tree.counters[counter] = self.shared[place]
        leader = int(answer.best_edge(runner.params, tree, core.ROOT))
        if leader != tree.counters[core.LEADER]:
            tree.counters[core.LEADER], tree.counters[core.LEADER_SINCE] = leader, tree.counters[core.SIMULATIONS]

    def _merge_found(self, tree: Tree, trees: list[Tree]) -> None:
        """Add what the threads' playouts learned, and take the best line that one of them found."""
        runner, known = self.runner, tree.learned.copy()
        for own, member in zip(trees, self.members, strict=False):
            if len(known):
                add_learned(tree.learned, known, own.learned)
            if own.best[core.BEST_RETURN] > tree.best[core.BEST_RETURN]:
                tree.best[core.BEST_RETURN] = own.best[core.BEST_RETURN]
                tree.best[core.FOUND_BY] = tree.counters[core.SIMULATIONS]
                runner.tree = runner.tree._replace(line=member.tree.line)

    def _outcome(self, answers: list[Any]) -> tuple[int, int, bool]:
        """(status, detail) of the threads together, and whether all their simulations ended."""
        returned = [(i, int(a[0]), int(a[1])) for i, a in enumerate(answers) if not isinstance(a, BaseException)]
        for index, status, detail in returned:
            if status not in (endings.DONE, *AT_ONCE):  # what is wrong is looked for on this thread's path
                self.runner.work = self.members[index].work
                return status, detail, False
        statuses = {status for _, status, _ in returned}
        clean = len(returned) == len(answers) and statuses == {endings.DONE}
        return next((status for status in AT_ONCE if status in statuses), endings.DONE), 0, clean


def _clear(tree: Tree, begins: tuple[int, ...], ends: Any) -> None:
    """Clear what is left of a thread's blocks: others see that nothing is there."""
    tree.nodes[begins[0] : ends[0]] = np.zeros(1, core.NODE)
    tree.edges[begins[1] : ends[1]] = np.zeros(1, core.EDGE)
    tree.policy_columns[begins[1] : ends[1]] = tree.backup_columns[begins[1] : ends[1]] = 0


def apart(array: Any) -> Any:
    """A copy of an array in cache lines of its own: threads that write to one line wait for each other."""
    room = np.zeros(array.nbytes + 2 * LINE, np.uint8)
    first = -room.ctypes.data % LINE
    copied = room[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    copied[...] = array
    return copied


def _give_way() -> int:
    """The address of a C function that lets another thread run."""
    if sys.platform == "win32":
        function = ctypes.WinDLL("kernel32").SwitchToThread
    else:
        function = ctypes.CDLL(None).sched_yield
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
