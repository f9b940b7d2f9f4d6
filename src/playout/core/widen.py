"""When a node whose actions are drawn (`core/draws.py`) gets another one.

If a node has visited all its edges and widening allows one more, an edge with a new number is added and taken at once.
A simulation adds at most one edge, since it ends below it. A small file on its own, because `core/draws.py` is also for
what comes before a choice.
"""

import numpy as np

from .choose import allowed_edges
from .draws import drawn_number
from .edges import edge_of
from .grow import move_edges, room_for, room_of
from .jit import inlined
from .rng import random_below


@inlined
def draw_edge(tree, work, number):
    """Add an edge with a new action after the others and make all priors of the node equal. Returns its place."""
    node = tree.nodes[number]
    count = np.int64(node["count"])
    action = drawn_number(tree.rng)
    while edge_of(tree, node, action) >= 0:
        action = drawn_number(tree.rng)
    if count == room_of(node):
        move_edges(tree, work, number, room_for(count + 1))
    first = np.int64(node["first_edge"])
    node["count"] += 1
    tree.edges[first + count]["action"] = action
    for e in range(first, first + count + 1):
        tree.edges[e]["prior"] = 1.0 / (count + 1)
    return first + count


@inlined
def widen(params, tree, work, number):
    """Draw another action at a player's node if all of its edges were visited and it may have more."""
    node = tree.nodes[number]
    count = np.int64(node["count"])
    if np.int64(node["opened"]) == count and count < allowed_edges(params, node, params.max_actions):
        draw_edge(tree, work, number)


@inlined
def allowed_outcomes(params, node, count):
    """How many of `count` outcomes of chance may be admitted: min(cap, initial + k N^alpha), at least one."""
    allowed = params.outcomes_initial + params.outcomes_k * np.float64(node["visits"]) ** params.outcomes_alpha
    return max(1, min(count, np.int64(min(allowed, params.outcomes_cap))))


@inlined
def drawn_outcome(params, tree, work, number):
    """An outcome at a node of chance whose outcomes are drawn: a new one, or with `outcomes` one of those so far.

    Each was drawn by its probability, so that they are equally likely.
    """
    node = tree.nodes[number]
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    if tree.edges[first + count - 1]["visits"] == 0:
        return first + count - 1
    allowed = np.int64(params.max_actions)
    if params.few_outcomes:
        allowed = allowed_outcomes(params, node, allowed)
    if count >= allowed:
        return first + random_below(tree.rng, count)
    e = draw_edge(tree, work, number)
    if not params.few_outcomes:
        node["opened"] += 1
    return e
