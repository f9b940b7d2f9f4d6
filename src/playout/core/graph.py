"""Graph search: several edges may lead to one node, found by the key of its position.

A tree that merely shared its nodes would be wrong twice: a node's mean would mix in what its other parents wanted to
know, and a parent would not hear what was found out through another. So edge visits and node visits are different
numbers. An edge counts the walks that took it, which is what its parent chooses by; its value is the node's own value,
from wherever that was learnt (the derivation is in KataGo's GraphSearch document):

    value(edge) = reward + discount mean(node)
    mean(node)  = (what ended here + sum of visits(edge) value(edge)) / visits(node)

Means are kept up to date by differences. When a walk has changed a node's mean, all edges that lead there are told, and
the nodes above them take it over; nodes further up hear of it when a walk comes by. Where no node has two parents, all
this is the mean of the returns, as in a tree.

A walk that comes to a node over a new edge, or for the second time, ends there and takes what the node is worth so far:
fewer nodes and playouts for as many simulations. Where the end of a
game depends on how a position was reached, the key must tell the ways apart, as that of chess does.
"""

import numpy as np

from .arrays import copy, load_row, zero
from .endings import BAD_KEY, DONE, KNOWN, MET, NEW, PROVEN, UNEXPANDED
from .jit import inlined, njit
from .rules import CHANCE, TERMINAL, call_apply, call_hash
from .solver import SAME, all_proven, best_exact_value, exact_values, has_exact_edge, note_exact_edge
from .tree import (
    ALL_FLAGS,
    CHANGED,
    END,
    NO_NODE,
    NO_PROOF,
    PROOFS,
    REWARDED,
    ROOT,
    SAVED,
    SCALARS,
    UNKNOWN,
    VECTORS,
    child_node,
    entry_of,
    find_place,
    join,
    slot_of,
)

OFFSET, PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@inlined
def key_of(rules, params, state, keyed):
    """The key of a state: the game's own, or a hash of the bytes that matter (FNV-1a)."""
    if params.has_hash:
        return call_hash(rules, state)
    key = OFFSET
    for i in range(state.shape[0]):
        key = (key ^ np.uint64(state[i] & keyed[i])) * PRIME
    return key


@njit
def enter_again(rules, params, tree, work, number):
    """Give a node the key of its position and a place in the table."""
    stand_at(rules, params, tree, work, number)
    key = key_of(rules, params, work.spare, work.keyed)
    tree.node_links[number]["key"] = key
    tree.table[find_place(tree, key)] = slot_of(key, number)


# Step 1, selection.


@inlined
def is_on_path(work, number, depth):
    for d in range(depth):
        if work.path_nodes[d] == number:
            return True
    return False


@inlined
def find_known(rules, params, tree, work, e, depth, player):
    """Where an edge without a node leads, by the key of its position: as `arrive` in `core/select.py` has it.

    A new edge to a position that has a node ends the walk: what the node is worth is the best evaluation there is. The
    edge is not joined to it before the backup, since a walk may be broken off.
    """
    key = key_of(rules, params, work.state, work.keyed)
    at = find_place(tree, key)
    found = entry_of(tree.table[at])
    if params.check_keys and found != 0 and not is_same(rules, params, tree, work, key, found):
        return BAD_KEY, NO_NODE, found
    work.leaf[0], work.leaf[1] = key, at
    visited = tree.edges[e]["visits"] > 0
    if found == 0:
        return (UNEXPANDED if params.expand_first else NEW), NO_NODE, player
    if found < 0:  # it has no node yet
        return (UNEXPANDED if visited or params.expand_first else KNOWN), NO_NODE, player
    work.path_links[depth - 1] = found
    if tree.nodes[found]["proof"] > NO_PROOF:
        return PROVEN, NO_NODE, np.int64(TERMINAL)
    if not visited:
        return MET, NO_NODE, player
    return DONE, found, player


@inlined
def child_at(tree, work, d):
    """The node that the path's edge at depth `d` leads to, joined or about to be."""
    found = work.path_links[d]
    return np.int64(found) if found > NO_NODE else np.int64(child_node(tree.edges[work.path_edges[d]]["child"]))


@inlined
def is_unknown(tree, work):
    """Whether the position that `find_known` looked for last is not in the table."""
    return tree.table[work.leaf[1]] == 0


@inlined
def is_same(rules, params, tree, work, key, entry):
    """Whether the position of an entry in the table is that of `work.state`, in all bytes that belong to the key.

    A position without a node may be there by half of its key only: then it is another, and nothing is wrong.
    """
    stand_at_entry(rules, params, tree, work, entry)
    for i in range(work.state.shape[0]):
        if (work.state[i] ^ work.spare[i]) & work.keyed[i]:
            return key_of(rules, params, work.spare, work.keyed) != key
    return True


# Step 4, backup.


@inlined
def mean_for(params, tree, number, player):
    """What a node is worth to a player. Where one number tells all, the other one of two has the rest of the sum."""
    if params.graph == VECTORS:
        return tree.means[number, player]
    node = tree.nodes[np.uint32(number)]
    if player == max(0, np.int64(node["player"])):
        return node["value"]
    return params.lowest + params.highest - node["value"]


@inlined
def load_means(params, tree, number, out):
    for p in range(params.players):
        out[p] = mean_for(params, tree, number, p)


@inlined
def enter_leaf(tree, work, e):
    """A position that `arrive` did not find in the table is known now, by the edge that leads there."""
    tree.table[work.leaf[1]] = slot_of(work.leaf[0], -1 - np.int64(e))


@inlined
def enter_node(params, tree, work, number, e, row):
    """A position that `arrive` found without a node has one now, reached by edge `e` (-1: the root)."""
    node, link = tree.nodes[number], tree.node_links[number]
    tree.table[work.leaf[1]] = slot_of(work.leaf[0], number)
    link["key"], link["published"], link["first_in"] = work.leaf[0], 0.0, -1
    for i in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        tree.edge_links[i]["owner"], tree.edge_links[i]["next_in"] = number, -1
    for i in range(tree.means.shape[1] if tree.means.shape[0] > 0 else 0):
        tree.means[number, i] = 0.0
    if e >= 0:
        join(tree, e, number)
        note_rewards(params, tree, work, e, row)


@njit
def enter_position(rules, params, tree, work, number, e):
    """The same for the position `work.state`, outside a simulation, with the rewards at the beginning of the path's."""
    work.leaf[0] = key_of(rules, params, work.state, work.keyed)
    work.leaf[1] = find_place(tree, work.leaf[0])
    enter_node(params, tree, work, number, np.int64(e), 0)


@inlined
def value_through(params, tree, work, d, is_last, before, visits, below, in_step):
    """What the path's edge at depth `d` is worth now, where a node's value is one number: (value, what this visit adds
    to the sum of its node's values, the same as player 0 sees it).

    A visit adds the edge's new share less its old one: n E' - (n - 1) E. Where all visits of a node came over one edge,
    that is the reward and what was added further down (`below`, as player 0 sees it): no mean is read. `in_step` says
    whether the node below has told all.
    """
    nodes, edge, row = tree.nodes, tree.edges[np.uint32(work.path_edges[d])], d * params.players
    chooser = max(0, np.int64(nodes[np.uint32(work.path_nodes[d])]["player"]))
    total = params.lowest + params.highest
    child = np.uint32(edge["child"]) if edge["child"] > END else np.uint32(NO_NODE)
    if is_last and nodes[child]["proof"] > NO_PROOF:
        child = np.uint32(NO_NODE)  # its value is exact, and has come as the return
    if child != NO_NODE and not (in_step and nodes[child]["visits"] == visits):
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
    """Tell the edges that lead to a node how its value has changed, but for the one that was walked: it knows.

    `told` is the value before this backup. Edges know another one where the node has CHANGED without a walk through it.
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
    """The same where a node has a mean for each player, and what its edges were told beside it: the edge's value.

    The node's means take this visit in. `work.values` has what the edges to the node below had been told.
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
    for p in range(params.players):
        out[p] = tree.means[number, params.players + p]


@inlined
def counted_visits(node):
    """The visits that a node's mean is made of."""
    return max(1, node["visits"] - node["own"] * (node["flags"] & UNKNOWN))


@inlined
def walked_edge(work, depth):
    """The path's edge into its node at a depth; -1 at the root."""
    return np.int64(work.path_edges[depth - 1]) if depth > 0 else np.int64(-1)


@inlined
def take_over(params, tree, work, e, number, row):
    """Join an edge to the node that it was found to lead to."""
    tree.edges[e]["child"] = number
    join(tree, e, number)
    tree.counters[SAVED] += 1
    note_rewards(params, tree, work, e, row)


@inlined
def note_rewards(params, tree, work, e, row):
    """An edge leads to a node: keep what it brought, or at least that there are rewards before the end of a game."""
    for p in range(params.players):
        if params.keep_states:
            tree.rewards[e, p] = work.path_rewards[row + p]
        if work.path_rewards[row + p] != 0.0:
            tree.counters[REWARDED] = 1


# Proofs.


@inlined
def stand_at(rules, params, tree, work, number):
    """Bring `work.spare` to a node's position, along the edges by which nodes were first reached."""
    if params.keep_states:
        load_row(work.spare, tree.states, number)
        return
    at = number
    while at != ROOT:
        e = np.int64(tree.node_links[at]["first_in"])
        at = np.int64(tree.edge_links[e]["owner"])
        tree.node_links[at]["down"] = e
    copy(work.spare, tree.root)
    while at != number:
        e = np.int64(tree.node_links[at]["down"])
        call_apply(rules, work.spare, tree.edges[e]["action"], work.rewards, 0, params.players)
        at = np.int64(child_node(tree.edges[e]["child"]))
    zero(work.rewards)


@njit
def stand_at_entry(rules, params, tree, work, entry):
    """The same for an entry of the table: a node, or a position that was seen once, through an edge."""
    if entry > 0:
        stand_at(rules, params, tree, work, entry)
        return
    e = -1 - entry
    stand_at(rules, params, tree, work, np.int64(tree.edge_links[e]["owner"]))
    call_apply(rules, work.spare, tree.edges[e]["action"], work.rewards, 0, params.players)
    zero(work.rewards)


@inlined
def prove_in_graph(rules, params, tree, work, depth):
    """The path's last edge leads to a node of exact value: mark it, and let the proof travel to all parents."""
    last = work.path_edges[depth - 1]
    number = np.int64(work.path_nodes[depth - 1])
    if not settle(rules, params, tree, work, number, np.int64(last)):
        return
    tree.node_links[number]["waiting"] = NO_NODE
    while number != NO_NODE:
        proven, number = number, np.int64(tree.node_links[number]["waiting"])
        e = np.int64(tree.node_links[proven]["first_in"])
        while e >= 0:
            owner = np.int64(tree.edge_links[e]["owner"])
            if tree.edges[e]["child"] > 0 and settle(rules, params, tree, work, owner, e):
                tree.node_links[owner]["waiting"] = number
                number = owner
            e = np.int64(tree.edge_links[e]["next_in"])


@inlined
def settle(rules, params, tree, work, number, e):
    """An edge leads to a node of exact value: give it that value. True if its own node is proven by this."""
    node, edge, players = tree.nodes[number], tree.edges[e], params.players
    chooser, child = max(0, np.int64(node["player"])), np.int64(child_node(edge["child"]))
    there = child == END or tree.counters[REWARDED] > 0  # the position has to be played again, to see the reward
    if there:
        stand_at(rules, params, tree, work, number)
        copy(work.state, work.spare)
        call_apply(rules, work.state, edge["action"], work.rewards, 0, players)
    for p in range(players):
        work.values[p] = work.rewards[p] + params.discount * tree.proofs[tree.nodes[child]["proof"], p]
    zero(work.rewards)
    exact = work.values[chooser]
    edge["child"], edge["value"], edge["spread"] = -child, exact, 0.0
    note_exact_edge(params, node)
    if node["proof"] > NO_PROOF:
        return False
    if node["player"] == CHANCE or not params.win_decides or exact < params.highest - SAME:
        if not all_proven(tree, node):
            return False
        if params.graph == SCALARS and node["player"] != CHANCE:
            best_values(params, tree, work, node)
        else:
            if not there:
                stand_at(rules, params, tree, work, number)
            if not exact_values(rules, params, tree, work, number):
                return False
    node["proof"] = tree.counters[PROOFS]
    for p in range(players):
        tree.proofs[tree.counters[PROOFS], p] = work.values[p]
    tree.counters[PROOFS] += 1
    return True


@inlined
def best_values(params, tree, work, node):
    """`exact_values` where one number tells all: the best of the edges, and the rest of the sum."""
    best, first = -np.inf, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["count"])):
        best = max(best, tree.edges[e]["value"])
    for p in range(params.players):
        work.values[p] = best if p == node["player"] else params.lowest + params.highest - best
