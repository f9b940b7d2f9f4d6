"""Proofs: exact values go up from finished games. What is proven is never averaged away again.

With one player, nothing that is proven is visited again: walks pass it over (`passes_over` in `core/choose.py`) and
always find out something new. The player can still choose it, so it counts all the same (`counted`): where an edge that
is not proven is worth less on average than the best exact value beside it, its visits count for that value.
"""

import numpy as np

from .arrays import copy, load_row, store_row, zero
from .jit import called, inlined
from .rules import CHANCE, call_apply, call_chance_outcomes
from .tree import EXACT_EDGE, NO_PROOF, PROOFS, child_node

SAME = 1e-12  # two ways of adding up the same rewards may differ by rounding


@called
def prove_path(rules, params, tree, work, depth):
    """The edge at the end of the path leads to a node of exact value: mark it, and go up as far as proofs follow."""
    for d in range(depth - 1, -1, -1):
        number, edge = work.path_nodes[d], tree.edges[work.path_edges[d]]
        node = tree.nodes[number]
        child = child_node(edge["child"])
        row, proof = d * params.players, tree.nodes[child]["proof"]
        player = max(0, np.int64(node["player"]))  # uncompiled, an int8 would not add up with the row
        exact = work.path_rewards[row + player] + params.discount * tree.proofs[proof, player]
        edge["child"], edge["value"], edge["spread"] = -child, exact, 0.0
        note_exact_edge(params, node)
        if node["proof"] > NO_PROOF:
            return
        wins = node["player"] != CHANCE and params.win_decides and exact >= params.highest - SAME
        if wins:
            for p in range(params.players):
                work.values[p] = work.path_rewards[row + p] + params.discount * tree.proofs[proof, p]
        elif not all_proven(tree, node):
            return
        else:
            stand_on_path(rules, params, tree, work, d)
            if not exact_values(rules, params, tree, work, number):
                return
        node["proof"] = tree.counters[PROOFS]
        store_row(tree.proofs, tree.counters[PROOFS], work.values)
        tree.counters[PROOFS] += 1


@inlined
def note_exact_edge(params, node):
    if params.players == 1 and node["player"] != CHANCE:
        node["flags"] |= EXACT_EDGE


@inlined
def has_exact_edge(params, node):
    """Whether `counted` applies at a node."""
    return params.players == 1 and params.solver and node["flags"] & EXACT_EDGE


@inlined
def best_exact_value(tree, node):
    exact, first = -np.inf, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["opened"])):
        if tree.edges[e]["child"] < 0:
            exact = max(exact, tree.edges[e]["value"])
    return exact


@inlined
def counted(tree, node, visits, before, value, got):
    """What a visit to an edge adds to its node, where the one player has an exact edge to choose instead.

    The edge has now been visited `visits` times and its mean went from `before` to `value`; `got` is this visit's
    return. With x the best exact value, the node's mean is that of max(value, x) over all visits, so this one adds
    n max(value, x) - (n - 1) max(before, x): `got` while the edge is worth more than x, x while it is worth less.
    """
    exact = best_exact_value(tree, node)
    if value <= exact and (before <= exact or visits == 1):
        return exact
    if value >= exact and (before >= exact or visits == 1):
        return got
    return visits * max(value, exact) - (visits - 1) * max(before, exact)


@inlined
def all_proven(tree, node):
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["child"] >= 0:
            return False
    return True


@inlined
def stand_on_path(rules, params, tree, work, depth):
    """Bring `work.spare` to the position of the path's node at a depth."""
    if params.keep_states:
        load_row(work.spare, tree.states, work.path_nodes[depth])
        return
    copy(work.spare, tree.root)
    for d in range(depth):
        call_apply(rules, work.spare, tree.edges[work.path_edges[d]]["action"], work.rewards, 0, params.players)
    zero(work.rewards)


@called
def exact_values(rules, params, tree, work, number):
    """Fill `work.values` from a node whose edges are all proven; False where the best edges disagree for the others.

    The player who chooses takes the best for himself; if two edges are best and differ for somebody else, nobody can
    say which it will be. At a chance node, the mean by probability. Rewards are found by playing on from the node's
    position, to which `work.spare` has been brought.
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
            while work.actions[at] != edge["action"]:  # widening puts outcomes in another order
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
