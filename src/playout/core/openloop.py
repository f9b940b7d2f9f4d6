"""Open-loop search: a node stands for the actions that led to it, whatever chance did on the way.

Chance has no nodes. Each simulation draws new outcomes, so the position at a node differs from one to the next, and so
may the legal actions. A node's block therefore has room for `max_actions` edges, and an edge is added when its action
is first taken. Values are means over chance, as for a plan that ignores what chance does. There are no proofs.
"""

import numpy as np

from .edges import edge_of, reserve_edges, to_the_front
from .endings import (
    BAD_CHANCE,
    BAD_PLAYER,
    DEEPER,
    DONE,
    FINISHED,
    KNOWN,
    NEW,
    NO_ACTIONS,
    TOO_MANY_ACTIONS,
    UNEXPANDED,
)
from .expand import are_probabilities
from .jit import inlined
from .rng import random_below, sample
from .rules import CHANCE, TERMINAL, call_apply, call_chance_outcomes, call_current_player
from .tree import EDGES, NO_NODE, NO_PROOF, NODES, ROOT, UNKNOWN


@inlined
def arrive_open(rules, params, tree, work, e, depth):
    """Like `arrive` in `core/select.py`; nodes are added on the way."""
    status, player = draw_chance(rules, params, tree, work, depth - 1)
    if status != DONE:
        return status, NO_NODE, np.int64(player)
    if player == TERMINAL:
        return FINISHED, NO_NODE, np.int64(player)
    if player < 0 or player >= params.players:
        return BAD_PLAYER, NO_NODE, np.int64(player)
    if tree.edges[e]["visits"] == 0:
        return (UNEXPANDED if params.expand_first else NEW), NO_NODE, np.int64(player)
    if tree.edges[e]["child"] == NO_NODE:
        add_open_node(params, tree, e, player)
    number = np.int64(tree.edges[e]["child"])
    if tree.nodes[number]["player"] != player:  # chance gave the move to another player this time
        return KNOWN, NO_NODE, np.int64(player)
    return DONE, number, np.int64(player)


@inlined
def add_open_node(params, tree, e, player):
    """Give an edge a node without edges, but with room for all of them. The edge's visits so far are UNKNOWN to it."""
    number, visits = tree.counters[NODES], tree.edges[e]["visits"]
    tree.edges[e]["child"] = number
    node = tree.nodes[number]
    node["first_edge"], node["count"], node["opened"] = tree.counters[EDGES], 0, 0
    node["visits"], node["own"], node["value"], node["flags"] = visits, visits, 0.0, UNKNOWN
    node["proof"], node["player"], node["parents"] = NO_PROOF, player, 0
    tree.counters[NODES] += 1
    reserve_edges(tree, params.max_actions)
    return number


@inlined
def draw_chance(rules, params, tree, work, depth):
    """Draw what chance does after the edge just taken: (DONE, the player to move), or a status and its detail.

    All rewards on the way count for the edge; `path_scales` gets the discount for the return after it.
    """
    players, row = params.players, depth * params.players
    scale = params.discount
    player = call_current_player(rules, work.state)
    while player == CHANCE:
        count = call_chance_outcomes(rules, work.state, work.actions, work.weights)
        if count <= 0 or count > params.max_actions:
            return (NO_ACTIONS if count <= 0 else TOO_MANY_ACTIONS), count
        if not are_probabilities(work.weights, count):
            return BAD_CHANCE, count
        if work.draws[0] + 2 > work.draws.shape[0]:
            return DEEPER, depth
        outcome = work.actions[sample(tree.rng, work.weights, count)]
        work.draws[work.draws[0]], work.draws[work.draws[0] + 1] = depth, outcome
        work.draws[0] += 2
        for p in range(players):
            work.rewards[p] = 0.0
        call_apply(rules, work.state, outcome, work.rewards, 0, players)
        for p in range(players):
            work.path_rewards[row + p] += scale * work.rewards[p]
            work.rewards[p] = 0.0
        scale *= params.discount
        player = call_current_player(rules, work.state)
    work.path_scales[depth] = scale
    return DONE, player


@inlined
def gather(params, tree, work, number, count, row):
    """List the legal actions in `work.candidates`: (how many were taken before, how many there are).

    First the edges of those taken before, then the others, by falling prior, as -1 - their index in `work.actions`.
    """
    node, taken, every = tree.nodes[number], np.int64(0), np.int64(0)
    for i in range(count):
        e = edge_of(tree, node, work.actions[i])
        work.indices[i] = e
        if number == ROOT and e >= 0:
            work.weights[i] = tree.edges[e]["prior"]  # it may have noise
        if e >= 0 and tree.edges[e]["visits"] > 0:
            tree.edges[e]["prior"] = work.weights[i]  # for this position
            work.candidates[row, taken, 0], work.candidates[row, taken, 1] = e, work.actions[i]
            taken += 1
    every = taken
    for i in range(count):
        e = work.indices[i]
        if (e >= 0 and tree.edges[e]["visits"] > 0) or (e < 0 and number == ROOT):  # left out at the root
            continue
        at = every
        while params.by_prior and at > taken and work.weights[-1 - work.candidates[row, at - 1, 0]] < work.weights[i]:
            for k in range(2):
                work.candidates[row, at, k] = work.candidates[row, at - 1, k]
            at -= 1
        work.candidates[row, at, 0], work.candidates[row, at, 1] = -1 - i, work.actions[i]
        every += 1
    return taken, every


@inlined
def next_untaken(params, tree, work, node, row, taken, every):
    """Like `next_unvisited`: the edge of an action never taken, added if there is none yet."""
    at, rest = taken, every - taken
    if params.random_ties and rest > 1:
        equal = rest
        if params.by_prior:
            equal, highest = np.int64(1), work.weights[-1 - work.candidates[row, taken, 0]]
            while equal < rest and work.weights[-1 - work.candidates[row, taken + equal, 0]] == highest:
                equal += 1
        at += random_below(tree.rng, equal)
    return add_untaken(tree, work, node, -1 - work.candidates[row, at, 0])


@inlined
def add_untaken(tree, work, node, i):
    """The edge of legal action `i`, never taken: added if there is none yet, and moved to the front of those."""
    e = edge_of(tree, node, work.actions[i])
    if e < 0:
        e = np.int64(node["first_edge"]) + np.int64(node["count"])
        tree.edges[e]["action"] = work.actions[i]
        node["count"] += 1
    tree.edges[e]["prior"] = work.weights[i]
    return to_the_front(tree, node, e)
