"""Children that come later: a node's block of edges can grow after the node was made.

A block has no room behind it, since others follow. The first child that is added moves the block to the end of the
edges, with room for a power of two. Once that is full, the block moves again. The place it leaves belongs to no node,
and is dropped when a subtree is copied. Everything that names an edge by its place follows the move: the leader, the
links and the table of a graph, and the paths of leaves that wait.
"""

import numpy as np

from .arrays import swap_words, zero_row
from .jit import inlined, njit
from .tree import EDGES, END, GREW, LEADER, LOW, NO_PROOF, ROOT, child_node, entry_of

# In place of an edge: the tree has to grow first; a node can't have more; its value is proven without them.
NO_ROOM, TOO_MANY, SETTLED = -1, -2, -3
MOST_EDGES = 65535
LEAST_ROOM = 4


@inlined
def room_of(node):
    """How many edges a node's block has room for."""
    count = np.int64(node["count"])
    if not node["flags"] & GREW:
        return count
    room = np.int64(LEAST_ROOM)
    while room < count:
        room *= 2
    return room


@inlined
def move_words(rows, source, target, count):
    for i in range(count):
        for k in range(rows.shape[1]):
            rows[target + i, k] = rows[source + i, k]
        zero_row(rows, source + i)


@inlined
def clear_edge(tree, e):
    edge = tree.edges[e]
    edge["action"], edge["prior"], edge["visits"] = 0, 0.0, 0
    edge["child"], edge["value"], edge["spread"] = 0, 0.0, 0.0
    zero_row(tree.policy_columns, e)
    zero_row(tree.backup_columns, e)


@inlined
def move_links(tree, source, target, count):
    """In a graph: the lists of edges that lead to a node, and positions that are known through an edge."""
    for i in range(count):
        e, here = source + i, target + i
        tree.edge_links[here] = tree.edge_links[e]
        child = np.int64(child_node(tree.edges[here]["child"]))
        if child > END:
            if tree.node_links[child]["first_in"] == e:
                tree.node_links[child]["first_in"] = here
            else:
                at = np.int64(tree.node_links[child]["first_in"])
                while tree.edge_links[at]["next_in"] != e:
                    at = np.int64(tree.edge_links[at]["next_in"])
                tree.edge_links[at]["next_in"] = here
    for at in range(tree.table.shape[0]):
        e = -1 - entry_of(tree.table[at])
        if tree.table[at] != 0 and e >= source and e < source + count:
            tree.table[at] = (tree.table[at] & ~LOW) | (np.uint64(-1 - (e - source + target)) & LOW)


@inlined
def move_block(tree, work, batch, number, room):
    """Give a node's edges a new place at the end, with so much room."""
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
        if tree.rewards.shape[0] > 0:
            for i in range(count):
                for p in range(tree.rewards.shape[1]):
                    tree.rewards[target + i, p] = tree.rewards[source + i, p]
    for i in range(count):
        clear_edge(tree, source + i)
        if work.pending.shape[0] > source + i:
            work.pending[target + i], work.pending[source + i] = work.pending[source + i], 0
    for slot in range(batch.used.shape[0]):
        for d in range(batch.depths[slot] if batch.used[slot] else 0):
            if batch.nodes[slot, d] == number:
                batch.edges[slot, d] += target - source
    leader = tree.counters[LEADER]
    if number == ROOT and leader >= source and leader < source + count:
        tree.counters[LEADER] = leader - source + target
    node["first_edge"], node["flags"] = target, node["flags"] | GREW
    tree.counters[EDGES] += room


@njit
def add_edge(tree, work, batch, number, action, prior):
    """Give a node one more child, among the unvisited by its prior: its edge, or NO_ROOM, TOO_MANY, SETTLED.

    Between two simulations only, since a walk under way names edges by their place; leaves that wait in `batch` don't
    mind. Not in an open loop, whose blocks have room for all children from the start.
    """
    node = tree.nodes[number]
    count, room = np.int64(node["count"]), room_of(node)
    if node["proof"] > NO_PROOF:
        return SETTLED
    if count >= MOST_EDGES:
        return TOO_MANY
    if count == room:
        wanted = np.int64(LEAST_ROOM)
        while wanted <= count:
            wanted *= 2
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


@inlined
def swap_unvisited(tree, a, b):
    one, other = tree.edges[a], tree.edges[b]
    action, prior = one["action"], one["prior"]
    one["action"], one["prior"] = other["action"], other["prior"]
    other["action"], other["prior"] = action, prior
    swap_words(tree.policy_columns, a, b)
    swap_words(tree.backup_columns, a, b)
