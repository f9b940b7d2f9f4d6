"""Step 4, backup, in a graph: an edge takes its node's value, and a node tells all edges that lead there of changes.

The formulas are in `core/graph.py`. A node's value is one number where that determines what every player gets, and
otherwise a mean for each player (`means`).
"""

import numpy as np

from .jit import inlined
from .solver import best_exact_value, has_exact_edge
from .tree import ALL_FLAGS, CHANGED, END, NO_NODE, NO_PROOF, UNKNOWN, VECTORS


@inlined
def value_through(params, tree, work, waiting, d, is_last, before, visits, below, in_step):
    """The new value of the path's edge at depth `d`, where a node's value is one number (SCALARS).

    Returns (the value, what this visit adds to the sum of the node's values, the same as player 0 sees it). A visit
    adds the edge's new share less its old one: n E' - (n - 1) E. If all visits of the child came through this edge,
    that is the reward plus what was added further down (`below`, as player 0 sees it), and no mean is read. `in_step`
    says whether the child's value is the one that its edges were told. With simulations in flight (`waiting`), a child
    of several edges may have as many visits as one of them by chance.
    """
    nodes, edge, row = tree.nodes, tree.edges[np.uint32(work.path_edges[d])], d * params.players
    chooser = max(0, np.int64(nodes[np.uint32(work.path_nodes[d])]["player"]))
    total = params.lowest + params.highest
    child = np.uint32(edge["child"]) if edge["child"] > END else np.uint32(NO_NODE)
    if is_last and nodes[child]["proof"] > NO_PROOF:
        child = np.uint32(NO_NODE)  # its exact value is the return
    alone = nodes[child]["visits"] == visits and not (waiting and nodes[child]["parents"] > 1)
    if child != NO_NODE and not (in_step and alone):
        mean = nodes[child]["value"]
        if chooser != max(0, np.int64(nodes[child]["player"])):
            mean = total - mean
        value = work.path_rewards[row + chooser] + params.discount * mean
        added = visits * value - (visits - 1) * before
        return value, added, (added if chooser == 0 else total - added)
    below = work.path_rewards[row] + params.discount * below
    added = below if chooser == 0 else total - below
    return before + (added - before) / visits, added, below


@inlined
def publish(params, tree, number, told, walked):
    """Tell the edges that lead to a node how its value has changed, except the one just taken, which is up to date.

    `told` is the value before this backup. If the node is CHANGED, its edges were told an older one.
    """
    node = tree.nodes[number]
    if node["flags"] & CHANGED:
        told = tree.node_links[number]["published"]
        node["flags"] &= ALL_FLAGS - CHANGED
    if node["parents"] == 0:
        return
    change, here = params.discount * (node["value"] - told), max(0, np.int64(node["player"]))
    e = np.int64(tree.node_links[number]["first_in"])
    while e >= 0:
        if e != walked:
            edge, owner = tree.edges[np.uint32(e)], np.uint32(tree.edge_links[np.uint32(e)]["owner"])
            above = tree.nodes[owner]
            if not above["flags"] & CHANGED:
                above["flags"] |= CHANGED
                tree.node_links[owner]["published"] = above["value"]
            turned = change if max(0, np.int64(above["player"])) == here else -change
            before = edge["value"]
            edge["value"] += turned
            if has_exact_edge(params, above):
                exact = best_exact_value(tree, above)
                turned = max(edge["value"], exact) - max(before, exact)
            above["value"] += turned * edge["visits"] / max(1, above["visits"])
        e = np.int64(tree.edge_links[np.uint32(e)]["next_in"])


@inlined
def value_through_means(params, tree, work, d, before, visits):
    """Like `value_through` where a node has a mean for each player (VECTORS): the edge's new value.

    Adds this visit to the node's means. `work.values` holds what the edges to the child were last told.
    """
    players, discount, returns, means = params.players, params.discount, work.returns, tree.means
    number, e, row = np.int64(work.path_nodes[d]), np.int64(work.path_edges[d]), d * params.players
    node, child, found = tree.nodes[number], np.int64(tree.edges[e]["child"]), np.int64(work.path_links[d])
    chooser = max(0, np.int64(node["player"]))
    open_end = child > END and tree.nodes[child]["proof"] == NO_PROOF
    new_end = found != NO_NODE or (open_end and counted_visits(tree.nodes[child]) == 1)
    for p in range(players):
        added = returns[p]
        if open_end:
            now = work.path_rewards[row + p] + discount * means[child, p]
            old = now if new_end else work.path_rewards[row + p] + discount * work.values[p]
            added = visits * now - (visits - 1) * old
        means[number, p] += (added - means[number, p]) / counted_visits(node)
    load_published(params, tree, number, work.values)
    if open_end:
        return work.path_rewards[row + chooser] + discount * means[child, chooser]
    return before + (returns[chooser] - before) / visits


@inlined
def publish_means(params, tree, number, walked):
    """Like `publish` where a node has a mean for each player (VECTORS)."""
    players, means = params.players, tree.means
    e = np.int64(tree.node_links[number]["first_in"])
    while e >= 0:
        if e != walked:
            edge, owner = tree.edges[e], np.int64(tree.edge_links[e]["owner"])
            above = tree.nodes[owner]
            share = params.discount * edge["visits"] / counted_visits(above)
            for p in range(players):
                means[owner, p] += share * (means[number, p] - means[number, players + p])
            chooser = max(0, np.int64(above["player"]))
            edge["value"] += params.discount * (means[number, chooser] - means[number, players + chooser])
            above["value"] = means[owner, chooser]
        e = np.int64(tree.edge_links[e]["next_in"])
    for p in range(players):
        means[number, players + p] = means[number, p]


@inlined
def load_published(params, tree, number, out):
    """Load what the edges that lead to a node were last told."""
    for p in range(params.players):
        out[p] = tree.means[number, params.players + p]


@inlined
def counted_visits(node):
    """The number of visits in a node's mean."""
    return max(1, node["visits"] - node["own"] * (node["flags"] & UNKNOWN))


@inlined
def walked_edge(work, depth):
    """The path's edge into its node at a depth; -1 at the root."""
    return np.int64(work.path_edges[depth - 1]) if depth > 0 else np.int64(-1)


@inlined
def mean_for(params, tree, number, player):
    """What a node is worth to a player. With SCALARS, the other of two players gets the rest of the constant sum."""
    if params.graph == VECTORS:
        return tree.means[number, player]
    node = tree.nodes[np.uint32(number)]
    if player == max(0, np.int64(node["player"])):
        return node["value"]
    return params.lowest + params.highest - node["value"]


@inlined
def load_means(params, tree, number, out):
    """Load what a node is worth to each player."""
    for p in range(params.players):
        out[p] = mean_for(params, tree, number, p)
