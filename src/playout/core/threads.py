"""What the threads of one tree have in common: locks, parts of the tree that one of them has to itself, memory.

`core/shared.py` says how they search. No thread waits for a lock or a part while it holds a lock, but for the prover,
who locks one node at a time; and none waits for a part while it has one. So none waits forever.

- The lock of a node is its field `parents`, which is free in a tree: the number of the thread that has it.
- In a graph there is one lock for all of it, the turn (`core/shared_graph.py`); in a tree, the turn is the prover's.
- `work.pending` counts the simulations in flight through each edge; OWNED is added while one thread has the edge's
  whole subtree to itself.
- Each thread takes nodes, edges and proofs in blocks: neighbours in memory, which travel between cores together, are
  then its own. What is left of a block is used in the next run, or never.
"""

import numpy as np

from .atomics import add, give_way, load, store, store_lock, swap, swap_lock
from .edges import clear_edge, close_edges, is_counted
from .jit import inlined, njit
from .params import SHARED
from .tree import (
    EDGE_BLOCK,
    EDGES,
    EDGES_END,
    END,
    HALT,
    LEFT,
    NEXT_EDGE,
    NEXT_NODE,
    NEXT_PROOF,
    NO_NODE,
    NO_PROOF,
    NODE_BLOCK,
    NODES,
    NODES_END,
    PROOF_BLOCK,
    PROOFS,
    PROOFS_END,
    ROOT,
    THREAD,
    TURN,
    YIELD,
)

OWNED = 1 << 24  # more than simulations can be in flight through an edge
SPINS = 64  # tries before a thread lets others run: the one that it waits for may have been interrupted
MOST_IN_A_ROW, PART_IN_A_ROW = 64, 16  # simulations in a part: at most this many, and this share of its visits


@inlined
def wait(work, tries):
    """Let others run now and then."""
    if tries % SPINS == 0:
        give_way(work.shared[YIELD])


@inlined
def lock(tree, work, number):
    """Wait for a node and lock it."""
    tries = 1
    while not swap_lock(tree.nodes, number, 0, work.info[THREAD]):
        wait(work, tries)
        tries += 1


@inlined
def unlock(tree, number):
    store_lock(tree.nodes, number, 0)


@inlined
def begin_turn(work):
    """Wait for what one thread at a time does: prove in the shared part of a tree; change anything in a graph."""
    tries = 1
    while not swap(work.shared, TURN, 0, work.info[THREAD]):
        wait(work, tries)
        tries += 1


@inlined
def end_turn(work):
    store(work.shared, TURN, 0)


@inlined
def own(work, e):
    """Wait for the subtree of an edge and take it; False if all threads must stop meanwhile."""
    tries = 1
    while work.shared[HALT] == 0:
        if not is_owned(work, e):
            if add(work.pending, e, OWNED) < OWNED:
                return True
            add(work.pending, e, -OWNED)
        wait(work, tries)
        tries += 1
    return False


@inlined
def disown(work, e):
    add(work.pending, e, -OWNED)


@inlined
def is_owned(work, e):
    """Whether a thread has the subtree of an edge to itself; one that has given it back has done all it did there."""
    return load(work.pending, e) >= OWNED


@inlined
def in_flight(work, e, waiting):
    """Simulations that went through an edge and have no value yet."""
    if waiting == SHARED:
        return np.int64(work.pending[e]) & (OWNED - 1)
    return np.int64(work.pending[e]) if waiting else np.int64(0)


@inlined
def take_simulations(work, wanted):
    """Take some of the simulations that are left to do; returns how many, 0 if none are left."""
    left = add(work.shared, LEFT, -wanted)
    if left >= wanted:
        return np.int64(wanted)
    add(work.shared, LEFT, wanted - max(np.int64(0), left))
    return max(np.int64(0), left)


@inlined
def has_room(params, tree, work):
    """Whether this thread has memory for another simulation; where a block is used up, it takes another."""
    counters, info, proofs = tree.counters, work.info, work.path_nodes.shape[0] if params.solver else 0
    if counters[NODES] >= info[NODES_END] and not takes_block(
        counters, NODES, info, NODES_END, work.shared, NEXT_NODE, work.shared[NODE_BLOCK], tree.nodes.shape[0]
    ):
        return False
    if counters[EDGES] + params.max_actions > info[EDGES_END]:
        for e in range(counters[EDGES], info[EDGES_END]):
            clear_edge(tree, e)  # it will never be used
        if not takes_block(
            counters, EDGES, info, EDGES_END, work.shared, NEXT_EDGE, work.shared[EDGE_BLOCK], tree.edges.shape[0]
        ):
            return False
    return counters[PROOFS] + proofs <= info[PROOFS_END] or takes_block(
        counters, PROOFS, info, PROOFS_END, work.shared, NEXT_PROOF, work.shared[PROOF_BLOCK], tree.proofs.shape[0]
    )


@inlined
def takes_block(counters, which, info, end, shared, at, size, room):
    """Take a block of `size` records for this thread, if the array has room for it."""
    if shared[at] + size > room:
        return False
    first = add(shared, at, size)
    if first + size > room:
        add(shared, at, -size)
        return False
    counters[which], info[end] = first, first + size
    return True


@njit
def unlock_all(tree):
    """Once no thread is at work: remove all locks."""
    for number in range(ROOT, tree.counters[NODES]):
        tree.nodes[number]["parents"] = 0


@njit
def close_all(params, tree, work):
    """Once no thread is at work: take back what simulations left behind that did not end."""
    for number in range(ROOT, tree.counters[NODES]):
        if is_counted(params, tree.nodes[number]):
            open_visited(tree, number)
            close_edges(tree, number)
    for e in range(tree.counters[EDGES]):
        work.pending[e] = 0
        child = np.int64(tree.edges[e]["child"])
        if tree.edges[e]["visits"] == 0 and child > END and tree.edge_links.shape[0] == 0:
            clear_node(tree, child)
            tree.edges[e]["child"] = NO_NODE


@inlined
def open_visited(tree, number):
    """Count all edges up to the last visited one as open: one before it may not have been visited after all."""
    node = tree.nodes[number]
    first, opened = np.int64(node["first_edge"]), np.int64(node["opened"])
    for i in range(opened, np.int64(node["count"])):
        if tree.edges[first + i]["visits"] > 0:
            node["opened"] = i + 1


@inlined
def clear_node(tree, number):
    """Make a gap of a node that no simulation has passed through, as blocks that were not used up leave them."""
    node = tree.nodes[number]
    node["first_edge"], node["count"], node["opened"], node["visits"], node["own"] = 0, 0, 0, 0, 0
    node["value"], node["proof"], node["player"], node["flags"], node["parents"] = 0.0, NO_PROOF, 0, 0, 0
