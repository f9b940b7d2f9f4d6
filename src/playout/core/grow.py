"""Adding children later: a node's block of edges can grow after the node was made.

A block can't grow in place, since others follow. The first child that is added moves the block to the end of the edges,
with room for a power of two; when that is full, the block moves again. The old place belongs to no node, and is dropped
when a subtree is copied. Everything that names an edge by its place is updated: the leader, the links and the table of
a graph, and the paths of leaves that wait.
"""

import numpy as np

from .arrays import zero_row
from .edges import clear_edge, swap_unvisited
from .jit import inlined, njit
from .positions import move_links
from .tree import EDGES, GREW, LEADER, NO_PROOF, ROOT

# In place of an edge: the tree must grow first; a node can't have more edges; its value is already proven.
NO_ROOM, TOO_MANY, SETTLED = -1, -2, -3
MOST_EDGES = 65535
LEAST_ROOM = 4


@inlined
def room_for(count):
    """The room of a block that can grow, with `count` edges: a power of two."""
    room = np.int64(LEAST_ROOM)
    while room < count:
        room *= 2
    return room


@inlined
def room_of(node):
    """How many edges a node's block has room for."""
    count = np.int64(node["count"])
    return room_for(count) if node["flags"] & GREW else count


@inlined
def move_words(rows, source, target, count):
    """Move rows to another place and zero the old one."""
    for i in range(count):
        for k in range(rows.shape[1]):
            rows[target + i, k] = rows[source + i, k]
        zero_row(rows, source + i)


@inlined
def move_edges(tree, work, number, room):
    """Move a node's edges to the end, into a block of `room` edges; no leaf waits."""
    node = tree.nodes[number]
    source, target, count = np.int64(node["first_edge"]), tree.counters[EDGES], np.int64(node["count"])
    for e in range(target, target + room):
        clear_edge(tree, e)
    for i in range(count):
        tree.edges[target + i] = tree.edges[source + i]
    move_words(tree.policy_columns, source, target, count)
    move_words(tree.backup_columns, source, target, count)
    if tree.node_links.shape[0] > 0:
        move_links(tree, source, target, count)
    for i in range(count):
        clear_edge(tree, source + i)
        if work.pending.shape[0] > source + i:
            work.pending[target + i], work.pending[source + i] = work.pending[source + i], 0
    leader = tree.counters[LEADER]
    if number == ROOT and leader >= source and leader < source + count:
        tree.counters[LEADER] = leader - source + target
    node["first_edge"], node["flags"] = target, node["flags"] | GREW
    tree.counters[EDGES] += room


@inlined
def move_block(tree, work, batch, number, room):
    """The same, also in the paths of the leaves that wait in `batch`."""
    before = np.int64(tree.nodes[number]["first_edge"])
    move_edges(tree, work, number, room)
    shift = np.int64(tree.nodes[number]["first_edge"]) - before
    for slot in range(batch.used.shape[0]):
        for d in range(batch.depths[slot] if batch.used[slot] else 0):
            if batch.nodes[slot, d] == number:
                batch.edges[slot, d] += shift


@njit
def add_edge(tree, work, batch, number, action, prior):
    """Add a child to a node, among the unvisited by its prior. Returns its edge, or NO_ROOM, TOO_MANY or SETTLED.

    Only between two simulations, since a simulation names edges by their place; the paths of leaves that wait in
    `batch` are updated. Not in an open loop, whose blocks have room for all children from the start.
    """
    node = tree.nodes[number]
    count, room = np.int64(node["count"]), room_of(node)
    if node["proof"] > NO_PROOF:
        return SETTLED
    if count >= MOST_EDGES:
        return TOO_MANY
    if count == room:
        wanted = room_for(count + 1)
        wider = tree.counters[EDGES] + wanted
        if wider > tree.edges.shape[0] or (0 < work.pending.shape[0] < wider):
            return NO_ROOM
        move_block(tree, work, batch, number, wanted)
    first = np.int64(node["first_edge"])
    e = first + count
    node["count"] += 1
    tree.edges[e]["action"], tree.edges[e]["prior"] = action, prior
    if tree.edge_links.shape[0] > 0:
        tree.edge_links[e]["owner"], tree.edge_links[e]["next_in"] = number, -1
    while e > first + np.int64(node["opened"]) and tree.edges[e - 1]["prior"] < tree.edges[e]["prior"]:
        swap_unvisited(tree, e - 1, e)
        e -= 1
    return e
