"""The positions of a graph: a table to find them by key, and the list of edges that lead to each node.

The table uses open addressing: a position whose place is taken goes to the next free one.
"""

import numpy as np

from .jit import inlined, njit
from .pack import called
from .rules import call_hash
from .tree import END, MANY, NODES, ROOT, child_node

OFFSET, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
GOLDEN, HALF, LOW, ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)


@inlined
def key_of(rules, params, state, keyed):
    """The key of a state: the game's own hash, or FNV-1a over the bytes that belong to the key."""
    if params.has_hash:
        return call_hash(rules, state)
    key = OFFSET
    for i in range(state.shape[0]):
        key = (key ^ np.uint64(state[i] & keyed[i])) * PRIME
    return key


@inlined
def slot_of(key, entry):
    """What the table stores for a position: half of the key, mixed in case keys are poor, and an entry of 32 bits.

    An entry is a node's number, or -1 - e for a position that was seen through edge e and has no node. For a node, the
    full key is compared as well. A position that is mistaken for one without a node is evaluated but not entered, which
    is harmless.
    """
    mixed = key * GOLDEN
    mixed ^= mixed >> HALF
    return ((mixed * GOLDEN) & ~LOW) | (np.uint64(entry) & LOW)


@inlined
def entry_of(slot):
    """The entry of a slot; 0 if it is empty."""
    return np.int64(np.int32(np.uint32(slot & LOW)))


@inlined
def first_place(table, slot):
    """Where the search for a slot begins."""
    return (slot >> HALF) & np.uint64(table.shape[0] - 1)


@inlined
def find_place(tree, key):
    """The place of a key in the table, or the free place where it belongs."""
    table = tree.table
    slot, last = slot_of(key, 0), np.uint64(table.shape[0] - 1)
    at = first_place(table, slot)
    while table[at] != 0:
        if table[at] & ~LOW == slot:
            entry = entry_of(table[at])
            if entry < 0 or tree.node_links[np.uint32(entry)]["key"] == key:
                break
        at = (at + ONE) & last
    return at


@njit
def put_slot(table, slot):
    """Enter a slot that is not in the table yet."""
    at = first_place(table, slot)
    while table[at] != 0:
        at = (at + ONE) & np.uint64(table.shape[0] - 1)
    table[at] = slot


@njit
def copy_table(source, target):
    """Enter everything of one table in another."""
    for i in range(source.shape[0]):
        if source[i] != 0:
            put_slot(target, source[i])


@inlined
def join(tree, e, number):
    """Add an edge to the list of those that lead to a node. The one through which it was first reached stays first."""
    link, node = tree.node_links[number], tree.nodes[number]
    if link["first_in"] < 0:
        link["first_in"], tree.edge_links[e]["next_in"] = e, -1
    else:
        tree.edge_links[e]["next_in"] = tree.edge_links[link["first_in"]]["next_in"]
        tree.edge_links[link["first_in"]]["next_in"] = e
    node["parents"] = min(MANY, np.int64(node["parents"]) + 1)


@njit
def join_all(tree):
    """Rebuild the lists of edges that lead to each node."""
    for number in range(ROOT, tree.counters[NODES]):
        tree.node_links[number]["first_in"] = -1
        tree.nodes[number]["parents"] = 0
    for number in range(ROOT, tree.counters[NODES]):
        node = tree.nodes[number]
        for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
            tree.edge_links[e]["owner"] = number
            child = child_node(tree.edges[e]["child"])
            if child > END:
                join(tree, e, child)


@called
def move_links(tree, source, target, count):
    """After edges were moved: update what names them by their place, the lists of edges that lead to a node and the
    table's entries, and move what a graph keeps beside them."""
    for i in range(count):
        e, here = source + i, target + i
        tree.edge_links[here] = tree.edge_links[e]
        for p in range(tree.rewards.shape[1] if tree.rewards.shape[0] > 0 else 0):
            tree.rewards[here, p] = tree.rewards[e, p]
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
