"""Moving, opening and clearing edges inside a node's block.

A block has the visited edges first, then the unvisited ones by falling prior (`core/tree.py`). `opened` says how many
count as visited.
"""

import numpy as np

from .arrays import swap_words, zero_row
from .jit import inlined
from .positions import move_links
from .rng import random_below
from .rules import CHANCE
from .tree import EDGES, LEADER, NO_NODE


@inlined
def edge_of(tree, node, action):
    """A node's edge for an action, or -1."""
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["action"] == action:
            return np.int64(e)
    return np.int64(-1)


@inlined
def equal_unvisited(params, tree, node):
    """How many unvisited edges are equally next: those of highest prior, or all of them."""
    first, rest = np.int64(node["first_edge"]) + np.int64(node["opened"]), np.int64(node["count"]) - node["opened"]
    if not params.by_prior:
        return rest
    equal = np.int64(1)
    while equal < rest and tree.edges[first + equal]["prior"] == tree.edges[first]["prior"]:
        equal += 1
    return equal


@inlined
def next_unvisited(params, tree, node):
    """The unvisited edge of highest prior, a random one of equals, moved to the front of the unvisited ones."""
    first = np.int64(node["first_edge"]) + np.int64(node["opened"])
    if not params.random_ties or np.int64(node["count"]) - node["opened"] == 1:
        return first
    return to_the_front(tree, node, first + random_below(tree.rng, equal_unvisited(params, tree, node)))


@inlined
def to_the_front(tree, node, e):
    """Swap an unvisited edge with the first of the unvisited ones, so that it can be opened. Returns its new place.

    If that one has a node, a simulation failed after making it (`expand_first`): it stays there, and comes first.
    """
    front = np.int64(node["first_edge"]) + np.int64(node["opened"])
    if e != front and tree.edges[front]["child"] == NO_NODE:  # neither was visited: only these two fields differ
        edge, other = tree.edges[front], tree.edges[e]
        action, prior = edge["action"], edge["prior"]
        edge["action"], edge["prior"] = other["action"], other["prior"]
        other["action"], other["prior"] = action, prior
    return front


@inlined
def shift_to_the_front(tree, node, e):
    """Like `to_the_front`, but the edges before it move back by one place and keep their order."""
    front = np.int64(node["first_edge"]) + np.int64(node["opened"])
    if tree.edges[front]["child"] != NO_NODE:
        return front
    action, prior = tree.edges[e]["action"], tree.edges[e]["prior"]
    for i in range(e, front, -1):
        tree.edges[i]["action"], tree.edges[i]["prior"] = tree.edges[i - 1]["action"], tree.edges[i - 1]["prior"]
    tree.edges[front]["action"], tree.edges[front]["prior"] = action, prior
    return front


@inlined
def is_counted(params, node):
    """Whether a node's `opened` counts its visited edges. At a chance node, all edges are open from the start."""
    return node["player"] != CHANCE or params.few_outcomes


@inlined
def close_edges(tree, number):
    """Move edges that were opened but never visited back to the unvisited ones, each to its place by prior.

    Only while no leaf waits, since paths name edges by their place.
    """
    node, edges = tree.nodes[number], tree.edges
    first, stop = np.int64(node["first_edge"]), np.int64(node["first_edge"]) + np.int64(node["count"])
    e = first + np.int64(node["opened"]) - 1
    while e >= first:
        if edges[e]["visits"] == 0:
            last = first + np.int64(node["opened"]) - 1
            swap(tree, e, last)
            if tree.edge_links.shape[0] > 0 and e != last:
                move_links(tree, last, e, 1)
            node["opened"] -= 1
            while last + 1 < stop and edges[last + 1]["prior"] > edges[last]["prior"]:
                swap(tree, last, last + 1)
                last += 1
        e -= 1


@inlined
def swap(tree, a, b):
    """Swap two edges with everything they keep."""
    if a == b:
        return
    one, other = tree.edges[a], tree.edges[b]
    action, prior, visits = one["action"], one["prior"], one["visits"]
    child, value, spread = one["child"], one["value"], one["spread"]
    one["action"], one["prior"], one["visits"] = other["action"], other["prior"], other["visits"]
    one["child"], one["value"], one["spread"] = other["child"], other["value"], other["spread"]
    other["action"], other["prior"], other["visits"] = action, prior, visits
    other["child"], other["value"], other["spread"] = child, value, spread
    swap_words(tree.policy_columns, a, b)
    swap_words(tree.backup_columns, a, b)
    if tree.counters[LEADER] == a:
        tree.counters[LEADER] = b
    elif tree.counters[LEADER] == b:
        tree.counters[LEADER] = a


@inlined
def swap_unvisited(tree, a, b):
    """Swap two unvisited edges."""
    one, other = tree.edges[a], tree.edges[b]
    action, prior = one["action"], one["prior"]
    one["action"], one["prior"] = other["action"], other["prior"]
    other["action"], other["prior"] = action, prior
    swap_words(tree.policy_columns, a, b)
    swap_words(tree.backup_columns, a, b)


@inlined
def clear_edge(tree, e):
    """Make an edge empty."""
    edge = tree.edges[e]
    edge["action"], edge["prior"], edge["visits"] = 0, 0.0, 0
    edge["child"], edge["value"], edge["spread"] = 0, 0.0, 0.0
    zero_row(tree.policy_columns, e)
    zero_row(tree.backup_columns, e)


@inlined
def reserve_edges(tree, count):
    """Append empty edges, which an open loop may need for its node."""
    for e in range(tree.counters[EDGES], tree.counters[EDGES] + count):
        clear_edge(tree, e)
    tree.counters[EDGES] += count
