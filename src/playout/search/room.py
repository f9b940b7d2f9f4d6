"""Memory for a search: the arrays that a kernel works with, and how the tree grows."""

from typing import TYPE_CHECKING

import numpy as np

from playout.core import copying
from playout.core import tree as core
from playout.core.params import PLAIN
from playout.core.tree import Tree, Work

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
        played=played,
        scores=np.full((depth if trace else 1, room), np.nan),
        terms=np.zeros((depth, room, terms) if trace else (0, 0, 0)),
        candidates=np.zeros((depth if trace else 1, room if params.open_loop else 0, 2), np.int32),
        pending=np.zeros(0, np.int32),
        info=np.zeros(core.INFO, np.int64),
        keyed=game.keyed_bytes,
        path_scales=np.zeros(depth if params.open_loop else 0),
        draws=np.zeros(4 * depth + 2 if params.open_loop else 0, np.int32),
        indices=np.zeros(room, np.int32),
        leaf=np.zeros(2, np.uint64),
        began=np.full(1, core.NOT_BEGUN, np.uint64),
    )


def reserved(runner: "Runner", limits: Limits) -> Tree:
    """The tree with room for a whole run: untouched memory costs nothing, copying does."""
    tree, actions = runner.tree, runner.game.max_actions
    if limits.simulations is None and limits.bytes is None and (limits.seconds or LONG_RUN) < LONG_RUN:
        return tree
    used, new = tree.counters, min(limits.simulations or RESERVE, RESERVE)
    byte_limit = limits.bytes or 2**62
    records, edges = new // 2, new * min(actions, 4)
    if runner.batches is not None:  # each simulation adds a record
        records = min(new, RESERVE // 8)
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
    proofs_needed = int(used[core.PROOFS]) + (len(runner.work.path_nodes) if params.solver else 0)
    if params.graph:  # one end may prove many nodes at once
        proofs_needed = max(proofs_needed, 2 * len(tree.nodes), 2 * int(used[core.NODES]) + 4)
    ahead = 1 if runner.batches is None else runner.batches.room
    edges_needed = int(used[core.EDGES]) + ahead * runner.game.max_actions

    def size(have: int, need: int, each: int) -> int:
        return have if have >= need else max(need, min(2 * need, byte_limit // each + 1))

    return copying.grown(
        tree,
        size(len(tree.nodes), int(used[core.NODES]) + ahead, core.NODE.itemsize),
        size(len(tree.edges), edges_needed, core.EDGE.itemsize),
        size(len(tree.proofs), proofs_needed, 8 * runner.game.players),
    )
