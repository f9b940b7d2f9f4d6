"""Graph search: several edges may lead to one node, found by the key of its position.

A tree that merely shared its nodes would be wrong in two ways: a node's visits would include those that its other
parents wanted, and a parent would not hear what was learnt through another one. So edge visits and node visits are
different numbers. An edge counts the simulations that took it, which its parent chooses by. Its value is the node's own
value, through whichever parent it was learnt (the derivation is in KataGo's GraphSearch document):

    value(edge) = reward + discount mean(node)
    mean(node)  = (sum of the returns that ended here + sum of visits(edge) value(edge)) / visits(node)

Means are updated by differences. When a simulation has changed a node's mean, all edges that lead there are told, and
the nodes above them are updated; nodes further up hear of it when a simulation passes through them. Where no node has
two parents, this is the mean of the returns, as in a tree.

A simulation that reaches a known node through a new edge, or a node on its own path, ends there and takes the node's
current value: fewer nodes and playouts for the same number of simulations. Where the end of a game depends on how a
position was reached, the key must tell these histories apart, as that of chess does.

`core/positions.py` has the table of positions, `core/graph_backup.py` the backup, `core/solver.py` the proofs.
"""

import numpy as np

from .arrays import copy, load_row, zero
from .endings import BAD_KEY, DONE, IN_FLIGHT, KNOWN, MET, NEW, PROVEN, UNEXPANDED
from .jit import inlined, njit
from .pack import called
from .positions import entry_of, find_place, join, key_of, slot_of
from .rules import TERMINAL, call_apply
from .tree import NO_NODE, NO_PROOF, REWARDED, ROOT, SAVED, UNKNOWN, child_node


@inlined
def find_known(rules, params, tree, work, waiting, e, depth, player):
    """Where an edge without a node leads, by the key of its position; returns what `arrive` (`core/select.py`) does.

    A new edge to a position that has a node ends the simulation: the node's value is the best evaluation there is. The
    edge is joined to it only in the backup, since the simulation may still fail.
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
        if waiting and waits_for_value(tree, work, found):
            return IN_FLIGHT, NO_NODE, player
        return MET, NO_NODE, player
    return DONE, found, player


@inlined
def flying_through(tree, work, number):
    """Simulations in flight through a node, by whichever edge they came."""
    node, flying = tree.nodes[number], np.int64(0)
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["opened"])):
        flying += work.pending[e]
    return flying


@inlined
def waits_for_value(tree, work, number):
    """Whether a node has no value yet, and a simulation in flight will give it its first one."""
    node = tree.nodes[number]
    return node["visits"] == node["own"] * (node["flags"] & UNKNOWN) and flying_through(tree, work, number) > 0


@inlined
def is_same(rules, params, tree, work, key, entry):
    """Whether an entry of the table has the position `work.state`, in all bytes that belong to the key.

    A different position without a node may share half of the key; then the keys differ, and nothing is wrong.
    """
    stand_at_entry(rules, params, tree, work, entry)
    for i in range(work.state.shape[0]):
        if (work.state[i] ^ work.spare[i]) & work.keyed[i]:
            return key_of(rules, params, work.spare, work.keyed) != key
    return True


@inlined
def is_on_path(work, number, depth):
    """Whether a node is on the path above a depth."""
    for d in range(depth):
        if work.path_nodes[d] == number:
            return True
    return False


@inlined
def is_unknown(tree, work):
    """Whether the position that `find_known` last looked for is missing in the table."""
    return tree.table[work.leaf[1]] == 0


@inlined
def child_at(tree, work, d):
    """The node that the path's edge at depth `d` leads to, joined or about to be."""
    found = work.path_links[d]
    return np.int64(found) if found > NO_NODE else np.int64(child_node(tree.edges[work.path_edges[d]]["child"]))


@inlined
def enter_leaf(tree, work, e):
    """Enter a position that `find_known` did not find, by the edge that leads there."""
    tree.table[work.leaf[1]] = slot_of(work.leaf[0], -1 - np.int64(e))


@inlined
def enter_node(params, tree, work, number, e, row):
    """Enter the new node of a position that `find_known` looked for, reached through edge `e` (-1: the root)."""
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
    """Enter the node of `work.state` outside a simulation, with the rewards in the first row of `path_rewards`."""
    work.leaf[0] = key_of(rules, params, work.state, work.keyed)
    work.leaf[1] = find_place(tree, work.leaf[0])
    enter_node(params, tree, work, number, np.int64(e), 0)


@njit
def enter_again(rules, params, tree, work, number):
    """Compute the key of a node's position and enter it in the table."""
    stand_at(rules, params, tree, work, number)
    key = key_of(rules, params, work.spare, work.keyed)
    tree.node_links[number]["key"] = key
    tree.table[find_place(tree, key)] = slot_of(key, number)


@inlined
def take_over(params, tree, work, e, number, row):
    """Join an edge to the known node that it turned out to lead to."""
    tree.edges[e]["child"] = number
    join(tree, e, number)
    tree.counters[SAVED] += 1
    note_rewards(params, tree, work, e, row)


@inlined
def note_rewards(params, tree, work, e, row):
    """Keep an edge's rewards, if states are kept, and note whether there are rewards before the end of a game."""
    for p in range(params.players):
        if params.keep_states:
            tree.rewards[e, p] = work.path_rewards[row + p]
        if work.path_rewards[row + p] != 0.0:
            tree.counters[REWARDED] = 1


@inlined
def stand_at(rules, params, tree, work, number):
    """Set `work.spare` to a node's position, replaying the edges through which nodes were first reached."""
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


@called
def stand_at_entry(rules, params, tree, work, entry):
    """Like `stand_at` for an entry of the table: a node, or a position seen through an edge."""
    if entry > 0:
        stand_at(rules, params, tree, work, entry)
        return
    e = -1 - entry
    stand_at(rules, params, tree, work, np.int64(tree.edge_links[e]["owner"]))
    call_apply(rules, work.spare, tree.edges[e]["action"], work.rewards, 0, params.players)
    zero(work.rewards)
