"""Memory for a search: the arrays that a kernel works with, and how the tree grows."""

from typing import TYPE_CHECKING

import numpy as np

from playout.core import copying
from playout.core import tree as core
from playout.core.evaluate import ROOM_FOR_ALL
from playout.core.params import FORGOTTEN, PLAIN
from playout.core.tree import NO_NODE, Tree, Work

from .limits import Limits

if TYPE_CHECKING:
    from .runner import Runner

ROOT_TERMS = 3  # that a root's own rule shows, at most (`show_root` in `core/root.py`)
RESERVE = 1 << 22  # simulations to reserve memory for in advance
RECORDED = 1 << 16  # the most actions of playouts that are recorded in a simulation
LONG_RUN = 0.5  # seconds; for a shorter run it does not pay
RESERVE_POSITIONS = 1 << 16  # the same for the table of a graph, which is accessed at random: a small one is faster


def new_work(runner: "Runner", depth: int, trace: int = 0) -> Work:
    """Arrays for a path of `depth` nodes; with `trace`, also for what a step shows."""
    game, params = runner.game, runner.params
    size, players, room = game.dtype.itemsize, game.players, game.rules.room
    played = np.zeros(depth + RECORDED if params.codes else 0, np.int32)
    played[:1] = 1
    line, shown = 0, trace > 0
    if params.remembers != FORGOTTEN:  # any line fits; untouched memory costs nothing
        line, trace = depth + ROOM_FOR_ALL, 2 * ROOM_FOR_ALL
    terms = max(len(runner.settings.policy.term_names), ROOT_TERMS if params.root != PLAIN else 0)
    return Work(
        state=np.zeros(size, np.uint8),
        spare=np.zeros(size, np.uint8),
        actions=np.zeros(room, np.int32),
        weights=np.zeros(room),
        path_nodes=np.zeros(depth, np.int32),
        path_edges=np.zeros(depth, np.int32),
        path_links=np.zeros(depth, np.int32),
        path_rewards=np.zeros(depth * players),
        rewards=np.zeros(players),
        returns=np.zeros(players),
        values=np.zeros(players),
        trace=np.zeros(trace, np.int32),
        line=np.zeros(line, np.int32),
        played=played,
        distinct=np.zeros((2, players * params.codes if params.amaf >= 0 else 0), np.int32),
        amaf=np.zeros((room if params.amaf >= 0 else 0, 2)),
        scores=np.full((depth if shown else 1, room), np.nan),
        terms=np.zeros((depth, room, terms) if shown else (0, 0, 0)),
        candidates=np.zeros((depth if shown else 1, room if params.open_loop else 0, 2), np.int32),
        pending=np.zeros(0, np.int32),
        shared=np.zeros(0, np.int64),
        part=np.zeros(0, np.uint8),
        batch=np.zeros((0, players)),
        info=np.zeros(core.INFO, np.int64),
        keyed=game.keyed_bytes,
        path_scales=np.zeros(depth if params.open_loop else 0),
        draws=np.zeros(4 * depth + 2 if params.open_loop else 0, np.int32),
        indices=np.zeros(room, np.int32),
        leaf=np.zeros(2, np.uint64),
        began=np.full(1, core.NOT_BEGUN, np.uint64),
    )


def reserved(runner: "Runner", limits: Limits, trees: int = 1) -> Tree:
    """The tree, one of several `trees`, with room for a whole run: untouched memory costs nothing, copying does."""
    tree, actions = runner.tree, runner.game.max_actions
    if limits.simulations is None and limits.bytes is None and (limits.seconds or LONG_RUN) < LONG_RUN:
        return tree
    most = RESERVE // trees
    used, new = tree.counters, min(limits.simulations or most, most)
    byte_limit = limits.bytes or 2**62
    records, edges = new // 2, new * min(actions, 4)
    if runner.batches is not None:  # each simulation adds a record
        records = min(new, most // 8)
        edges = records * min(actions, 32)
    return copying.grown(
        tree,
        min(int(used[core.NODES]) + records, byte_limit // core.NODE.itemsize),
        min(int(used[core.EDGES]) + edges, byte_limit // core.EDGE.itemsize),
        0,
        min(int(used[core.POSITIONS]) + new, RESERVE_POSITIONS, byte_limit // 64),
    )


def enlarged(runner: "Runner", byte_limit: int) -> Tree:
    """The tree with arrays of twice the used size, but not past a limit of bytes."""
    tree, params, used = runner.tree, runner.params, runner.tree.counters
    ahead = runner.crew.ahead if runner.crew is not None else 1 if runner.batches is None else runner.batches.room
    proofs_ahead = runner.crew.proofs_ahead if runner.crew is not None else len(runner.work.path_nodes)
    proofs_needed = int(used[core.PROOFS]) + (proofs_ahead if params.solver else 0)
    if params.graph:  # one end may prove many nodes at once
        proofs_needed = max(proofs_needed, 2 * len(tree.nodes), 2 * int(used[core.NODES]) + 4)
    edges_needed = int(used[core.EDGES]) + ahead * params.most_added

    def size(have: int, need: int, each: int) -> int:
        return have if have >= need else max(need, min(2 * need, byte_limit // each + 1))

    return copying.grown(
        tree,
        size(len(tree.nodes), int(used[core.NODES]) + ahead + 1, core.NODE.itemsize),
        size(len(tree.edges), edges_needed, core.EDGE.itemsize),
        size(len(tree.proofs), proofs_needed, 8 * runner.game.players),
        int(used[core.POSITIONS]) + 2 + ahead if params.graph and runner.crew is not None else 0,
        tables=size(len(tree.amaf), int(tree.amaf_rows[NO_NODE]) + 1, tree.amaf[0].nbytes) if len(tree.amaf) else 0,
    )
