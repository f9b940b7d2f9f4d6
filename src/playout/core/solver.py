"""Proofs: exact values go up from finished games, and are never averaged away again.

With one player, proven edges are not visited again: simulations pass them over (`passes_over` in `core/choose.py`) and
always learn something new. The player can still choose a proven edge, so its value counts all the same (`counted`):
where an unproven edge is worth less on average than the best exact value beside it, its visits count for that value.
"""

import numpy as np

from .arrays import copy, load_row, store_row, zero
from .atomics import store_child
from .graph import stand_at
from .jit import inlined
from .pack import called
from .params import ALONE, SHARED
from .rules import CHANCE, call_apply, call_chance_outcomes
from .threads import begin_turn, end_turn, lock, unlock
from .tree import END, EXACT_EDGE, NO_NODE, NO_PROOF, PROOFS, REWARDED, SCALARS, child_node

SAME = 1e-12  # sums of the same rewards in another order may differ by rounding


@called
def prove_path(rules, params, tree, work, waiting, depth, base):
    """Mark the last edge of the path, which leads to a node of exact value, and go up as far as proofs follow.

    Above depth `base`, threads share the tree, and one at a time proves.
    """
    for d in range(depth - 1, base - 1, -1):
        if not prove_step(rules, params, tree, work, ALONE, d):
            return
    if waiting == SHARED:
        begin_turn(work)
        for d in range(base - 1, -1, -1):
            if not prove_step(rules, params, tree, work, SHARED, d):
                break
        end_turn(work)


@inlined
def prove_step(rules, params, tree, work, waiting, d):
    """Mark the path's edge at depth `d`, which leads to a node of exact value. Returns whether this proves its node.

    Where threads share the node, it is locked while its edge changes; only this thread proves, so that what is proven
    stays so.
    """
    number, edge = work.path_nodes[d], tree.edges[work.path_edges[d]]
    node = tree.nodes[number]
    child = child_node(edge["child"])
    row, proof = d * params.players, tree.nodes[child]["proof"]
    player = max(0, np.int64(node["player"]))  # uncompiled, int8 + row would overflow
    exact = work.path_rewards[row + player] + params.discount * tree.proofs[proof, player]
    if waiting == SHARED:
        lock(tree, work, number)
        edge["value"], edge["spread"] = exact, 0.0
        store_child(tree.edges, work.path_edges[d], -child)
        note_exact_edge(params, node)
        unlock(tree, number)
    else:
        edge["child"], edge["value"], edge["spread"] = -child, exact, 0.0
        note_exact_edge(params, node)
    if node["proof"] > NO_PROOF:
        return False
    wins = node["player"] != CHANCE and params.win_decides and exact >= params.highest - SAME
    if wins:
        for p in range(params.players):
            work.values[p] = work.path_rewards[row + p] + params.discount * tree.proofs[proof, p]
    elif not all_proven(tree, node):
        return False
    else:
        stand_on_path(rules, params, tree, work, d)
        if not exact_values(rules, params, tree, work, number):
            return False
    add_proof(tree, work, node)
    return True


@inlined
def add_proof(tree, work, node):
    """Store `work.values` as the exact values of a node."""
    store_row(tree.proofs, tree.counters[PROOFS], work.values)
    node["proof"] = tree.counters[PROOFS]
    tree.counters[PROOFS] += 1


@inlined
def prove_in_graph(rules, params, tree, work, depth):
    """Like `prove_path` in a graph: the proof goes up to all parents."""
    last = work.path_edges[depth - 1]
    number = np.int64(work.path_nodes[depth - 1])
    if not prove_edge(rules, params, tree, work, number, np.int64(last)):
        return
    tree.node_links[number]["waiting"] = NO_NODE
    while number != NO_NODE:
        proven, number = number, np.int64(tree.node_links[number]["waiting"])
        e = np.int64(tree.node_links[proven]["first_in"])
        while e >= 0:
            owner = np.int64(tree.edge_links[e]["owner"])
            if tree.edges[e]["child"] > 0 and prove_edge(rules, params, tree, work, owner, e):
                tree.node_links[owner]["waiting"] = number
                number = owner
            e = np.int64(tree.edge_links[e]["next_in"])


@inlined
def prove_edge(rules, params, tree, work, number, e):
    """Give an edge to a node of exact value that value. Returns whether this proves the edge's own node."""
    node, edge, players = tree.nodes[number], tree.edges[e], params.players
    chooser, child = max(0, np.int64(node["player"])), np.int64(child_node(edge["child"]))
    there = child == END or tree.counters[REWARDED] > 0  # replay the position to see the reward
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
    add_proof(tree, work, node)
    return True


@inlined
def best_values(params, tree, work, node):
    """`exact_values` with SCALARS: the best of the edges, and the rest of the constant sum for the other player."""
    best, first = -np.inf, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["count"])):
        best = max(best, tree.edges[e]["value"])
    for p in range(params.players):
        work.values[p] = best if p == node["player"] else params.lowest + params.highest - best


@inlined
def all_proven(tree, node):
    """Whether all edges of a node are proven."""
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["child"] >= 0:
            return False
    return True


@called
def exact_values(rules, params, tree, work, number):
    """Fill `work.values` from a node whose edges are all proven; False if the best edges differ for another player.

    The player who chooses takes the best edge; if two are best and differ for another player, what that one gets is
    undetermined. At a chance node, the values are means by probability. Rewards are found by replaying each edge from
    the node's position, which `work.spare` holds.
    """
    players, node = params.players, tree.nodes[number]
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    zero(work.values)
    chance = node["player"] == CHANCE
    if chance:
        call_chance_outcomes(rules, work.spare, work.actions, work.weights)
    best, agree = -np.inf, True
    for i in range(count):
        edge = tree.edges[first + i]
        copy(work.state, work.spare)
        call_apply(rules, work.state, edge["action"], work.rewards, 0, players)
        proof = tree.nodes[child_node(edge["child"])]["proof"]
        for p in range(players):
            work.rewards[p] += params.discount * tree.proofs[proof, p]
        if chance:
            at = i
            while work.actions[at] != edge["action"]:  # limiting outcomes changes their order
                at = (at + 1) % count
            for p in range(players):
                work.values[p] += work.weights[at] * work.rewards[p]
        else:
            mine = work.rewards[node["player"]]
            if mine > best + SAME:
                best, agree = mine, True
                copy(work.values, work.rewards)
            elif mine >= best - SAME:
                for p in range(players):
                    agree = agree and abs(work.values[p] - work.rewards[p]) <= SAME
        zero(work.rewards)
    return agree


@inlined
def stand_on_path(rules, params, tree, work, depth):
    """Set `work.spare` to the position of the path's node at a depth."""
    if params.keep_states:
        load_row(work.spare, tree.states, work.path_nodes[depth])
        return
    copy(work.spare, tree.root)
    for d in range(depth):
        call_apply(rules, work.spare, tree.edges[work.path_edges[d]]["action"], work.rewards, 0, params.players)
    zero(work.rewards)


@inlined
def note_exact_edge(params, node):
    """Flag a node at which `counted` applies from now on."""
    if params.players == 1 and node["player"] != CHANCE:
        node["flags"] |= EXACT_EDGE


@inlined
def has_exact_edge(params, node):
    """Whether `counted` applies at a node."""
    return params.players == 1 and params.solver and node["flags"] & EXACT_EDGE


@inlined
def best_exact_value(tree, node):
    """The highest value of a node's proven edges, or minus infinity."""
    exact, first = -np.inf, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["opened"])):
        if tree.edges[e]["child"] < 0:
            exact = max(exact, tree.edges[e]["value"])
    return exact


@inlined
def counted(exact, visits, before, value, got):
    """What a visit to an edge adds to its node, where the one player could choose a proven edge instead.

    The edge now has `visits` visits, this one changed its value from `before` to `value` and would add `got` to the
    node. With x the best exact value, the node's mean is that of max(value, x) over all visits, so this visit adds
    n max(value, x) - (n - 1) max(before, x): `got` while the edge is worth more than x, x while it is worth less.
    """
    if value <= exact and (before <= exact or visits == 1):
        return exact
    if value >= exact and (before >= exact or visits == 1):
        return got
    return visits * max(value, exact) - (visits - 1) * max(before, exact)
