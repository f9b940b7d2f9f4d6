"""Several threads on one graph: they take turns to change it, and evaluate leaves at the same time.

A simulation in a graph changes nodes that are not on its path: all edges that lead to a node are told of its new value,
and proofs go up through all of them. So no thread can have a part of a graph to itself, as in a tree
(`core/shared.py`). One thread at a time goes through the graph. In its turn it backs up the leaves that it has
evaluated, then makes some simulations: those that end where the value is known are backed up at once, the others stop
at their leaf, and are in flight. Then the next thread has its turn, while this one evaluates its leaves.

Simulations in flight count as visits without a value (WU-UCT, Liu and others 2020), through whichever edges they came
to a node. In between, other turns may have joined or proven edges of their paths, or entered their positions; the
backup looks again. No simulation ends at an edge at which another one in flight ends, nor at a node without a value,
which another one in flight will give it: a thread that has nothing else to do waits.

More simulations in one turn make turns rarer, and each faster: what the other core has written must be fetched once
for all of them.
"""

from typing import Any, NamedTuple

import numpy as np

from .arrays import load_row, store_row
from .atomics import add, give_way
from .endings import BYTE_LIMIT, DONE, FULL, GROW, IN_FLIGHT, KNOWN, NEW, NODE_LIMIT, UNEXPANDED
from .graph import is_unknown, take_over
from .jit import inlined, njit
from .learned import learn
from .pack import called, packed, unpacked
from .params import BATCHED, GRAPH
from .pending import close_path, load_path, mark, open_edges, store_path
from .positions import find_place
from .select import select
from .simulate import back_up_leaf, expand_and_go_down, has_room_in_graph, is_evaluated, must_stop, value_leaf
from .solver import prove_in_graph
from .threads import begin_turn, end_turn, take_simulations
from .tree import HALT, LEFT, NO_NODE, NO_PROOF, ROOT, TOGETHER, UNDER_WAY, WAITING, YIELD, record_sizes


@packed
class Leaves(NamedTuple):
    """The leaves of one thread that wait for their value. `[B]` slots, `[D]` depth, `[P]` players."""

    flights: Any  # [E] int32: simulations in flight through each edge, of all threads
    nodes: Any  # [B, D] int32: the path to the leaf
    edges: Any  # [B, D] int32
    links: Any  # [B, D] int32
    rewards: Any  # [B, D * P] float64
    depths: Any  # [B] int32
    endings: Any  # [B] int32: NEW or KNOWN
    states: Any  # [B, S] uint8
    keys: Any  # [B] uint64
    returns: Any  # [B, P] float64: once the leaf is evaluated
    values: Any  # [B, P] float64: likewise its static value, where a backup looks at it
    played: Any  # [B, D + 1] int32: the beginning of `work.played`, if that is recorded; otherwise [B, 0]
    info: Any  # [INFO] int64: that of the thread's scratch; WAITING counts the leaves


@inlined
def collect_in_graph(rules, params, tree, work, leaves, node_limit, byte_limit, target):
    """Make simulations up to their leaves, as many as one turn has: (status, detail).

    IN_FLIGHT: there is nothing to do before other simulations have their values.
    """
    node_bytes, edge_bytes = record_sizes(tree)
    for _ in range(work.shared[TOGETHER]):
        if work.shared[HALT] != 0:
            break
        ahead = work.shared[UNDER_WAY]
        status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, ahead)
        if status in (NODE_LIMIT, BYTE_LIMIT, FULL) and ahead > 0:
            return np.int64(IN_FLIGHT), np.int64(0)  # those in flight may need less than they could
        if status == DONE and not has_room_in_graph(tree, ahead):
            status = GROW
        if status != DONE:
            return np.int64(status), np.int64(0)
        if take_simulations(work, 1) == 0:
            break
        ending, depth, player = select(rules, params, tree, work, GRAPH, BATCHED, ROOT, 0)
        if ending == UNEXPANDED:
            ending, depth, player = expand_and_go_down(rules, params, tree, work, GRAPH, depth, player)
        if is_evaluated(ending) and work.pending[work.path_edges[depth - 1]] > 0:
            ending = np.int64(IN_FLIGHT)
        if ending >= DONE:
            add(work.shared, LEFT, 1)
            return np.int64(ending), np.int64(player)
        if is_evaluated(ending):
            put_leaf_of_graph(params, tree, work, leaves, ending, depth)
            continue
        status, detail = value_and_learn(rules, params, tree, work, ending, depth)
        if status == DONE:
            close_path(params, tree, work, depth)  # one in flight through a new edge has opened it already
            status = back_up_in_graph(rules, params, tree, work, ending, depth)
        if status != DONE:
            return np.int64(status), np.int64(detail)
    return np.int64(DONE), np.int64(0)


@inlined
def value_and_learn(rules, params, tree, work, ending, depth):
    """Step 3, and what playouts learn from it, in tables of this thread's own: (status, detail)."""
    status, detail = value_leaf(rules, params, tree, work, GRAPH, ending, depth)
    if status == DONE and params.learns > 0:
        learn(params, tree, work, GRAPH, depth)
    return status, detail


@called
def back_up_in_graph(rules, params, tree, work, ending, depth):
    """Step 4; called, since a turn comes to it at two places."""
    return back_up_leaf(rules, params, tree, work, GRAPH, BATCHED, ending, depth, 0)


@inlined
def put_leaf_of_graph(params, tree, work, leaves, ending, depth):
    """Store the leaf of the simulation in `work` and mark its path in flight."""
    slot = leaves.info[WAITING]
    store_path(params, work, leaves, slot, depth)
    for d in range(depth):
        leaves.links[slot, d] = work.path_links[d]
    leaves.endings[slot], leaves.keys[slot] = ending, work.leaf[0]
    store_row(leaves.states, slot, work.state)
    for i in range(depth + 1 if params.codes > 0 else 0):
        leaves.played[slot, i] = work.played[i]
    open_edges(tree, leaves, slot)
    mark(tree, leaves, slot, 1)
    leaves.info[WAITING] += 1
    work.shared[UNDER_WAY] += 1


@inlined
def evaluate_leaves(rules, params, tree, work, leaves):
    """Give the leaves of this thread their values: (status, detail). Nothing here changes the graph."""
    for slot in range(leaves.info[WAITING]):
        depth = load_path(params, work, leaves, slot)
        load_row(work.state, leaves.states, slot)
        for i in range(depth + 1 if params.codes > 0 else 0):
            work.played[i] = leaves.played[slot, i]
        ending = np.int64(leaves.endings[slot])
        status, detail = value_and_learn(rules, params, tree, work, ending, depth)
        if status != DONE:
            return np.int64(status), np.int64(detail)
        store_row(leaves.returns, slot, work.returns)
        store_row(leaves.values, slot, work.values)
    return np.int64(DONE), np.int64(0)


@inlined
def back_up_leaves(rules, params, tree, work, leaves):
    """Back up the leaves of this thread, which all have their values: (status, the depth of the last).

    After one whose backup is wrong, the others are taken back (`close_all`).
    """
    depth, count = np.int64(0), leaves.info[WAITING]
    for slot in range(count):
        depth = load_path(params, work, leaves, slot)
        mark(tree, leaves, slot, -1)
        close_path(params, tree, work, depth)
        settle_links(rules, params, tree, work, leaves, slot, depth)
        work.leaf[0], work.leaf[1] = leaves.keys[slot], find_place(tree, leaves.keys[slot])
        ending = np.int64(leaves.endings[slot])
        if ending == NEW and not is_unknown(tree, work):
            ending = np.int64(KNOWN)  # another simulation came to the position, too
        load_row(work.returns, leaves.returns, slot)
        load_row(work.values, leaves.values, slot)
        status = back_up_in_graph(rules, params, tree, work, ending, depth)
        if status != DONE:
            return np.int64(status), depth
    leaves.info[WAITING] = 0
    work.shared[UNDER_WAY] -= count
    return np.int64(DONE), depth


@called
def settle_links(rules, params, tree, work, leaves, slot, depth):
    """Load the nodes that edges of the path turned out to lead to, where the edges are not joined to them by now.

    A node that was proven in the meantime proves its new edge before the simulation is backed up through it.
    """
    for d in range(depth):
        found, e = np.int64(leaves.links[slot, d]), np.int64(work.path_edges[d])
        if tree.edges[e]["child"] != NO_NODE:
            found = np.int64(NO_NODE)
        work.path_links[d] = found
        if found != NO_NODE and tree.nodes[found]["proof"] > NO_PROOF:
            work.path_links[d] = NO_NODE
            take_over(params, tree, work, e, found, d * params.players)
            prove_in_graph(rules, params, tree, work, d + 1)


@njit
def run_shared_graph(rules, params, tree, own, work, leaves, node_limit, byte_limit, target):
    """Run simulations until none of the chunk are left: (status, detail).

    `tree` has what all threads share, `own` the same with counters of this thread for what it does outside its turn.
    """
    params, tree, own = unpacked(params), unpacked(tree), unpacked(own)
    work, leaves = unpacked(work), unpacked(leaves)
    while True:
        begin_turn(work)
        status, detail = back_up_leaves(rules, params, tree, work, leaves)
        if status == DONE:
            status, detail = collect_in_graph(rules, params, tree, work, leaves, node_limit, byte_limit, target)
        end_turn(work)
        if status > FULL and status != IN_FLIGHT:
            return status, detail
        if leaves.info[WAITING] == 0:
            if status not in (IN_FLIGHT, DONE):
                return status, detail
            if work.shared[HALT] != 0 or work.shared[LEFT] <= 0:
                return DONE, np.int64(0)
            if status == IN_FLIGHT:
                give_way(work.shared[YIELD])
            continue
        status, detail = evaluate_leaves(rules, params, own, work, leaves)
        if status != DONE:
            return status, detail
