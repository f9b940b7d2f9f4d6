"""Step 2, expansion: a position becomes a node with an edge for each legal action."""

import numpy as np

from .arrays import store_row, zero_row
from .draws import OF_ALL, drawn_number, draws_at
from .edges import reserve_edges
from .endings import BAD_CHANCE, BAD_PLAYER, DONE, NO_ACTIONS, TOO_MANY_ACTIONS
from .grow import room_for
from .jit import inlined, njit
from .rules import CHANCE, call_chance_outcomes, call_legal_actions, call_priors
from .tree import EDGES, GREW, NO_PROOF, NODES, ROOT, UNKNOWN, VECTORS

ROUNDING = 1e-6


@inlined
def normalise(weights, count):
    """Scale weights to sum to one. Negative ones and NaN count as zero; all zero means uniform."""
    total = 0.0
    for i in range(count):
        if not weights[i] > 0.0:
            weights[i] = 0.0
        total += weights[i]
    if total > 0.0 and total < np.inf:
        for i in range(count):
            weights[i] /= total
    else:
        for i in range(count):
            weights[i] = 1.0 / count


@inlined
def sort_by_weight(actions, weights, count):
    """Sort both by falling weight, in place; equal weights keep their order."""
    for i in range(1, count):
        weight, action = weights[i], actions[i]
        j = i
        while j > 0 and weights[j - 1] < weight:
            weights[j], actions[j] = weights[j - 1], actions[j - 1]
            j -= 1
        weights[j], actions[j] = weight, action


@inlined
def are_probabilities(weights, count):
    """Whether weights are non-negative and sum to one; proofs depend on it."""
    total, fit = 0.0, True
    for i in range(count):
        fit &= weights[i] >= 0.0
        total += weights[i]
    return fit and abs(total - 1.0) <= ROUNDING


@inlined
def find_edges(rules, params, work, player):
    """List the legal actions of `work.state` with priors, or chance's outcomes with probabilities: (status, count)."""
    if player >= params.players or player < CHANCE or (player == CHANCE and not params.has_chance):
        return BAD_PLAYER, player
    if player == CHANCE and params.draws == OF_ALL:
        return DONE, np.int64(0)
    if player == CHANCE:
        count = call_chance_outcomes(rules, work.state, work.actions, work.weights)
    else:
        count = call_legal_actions(rules, work.state, work.actions)
    if count == 0 and draws_at(params, player):
        return DONE, np.int64(0)
    if count <= 0:
        return NO_ACTIONS, count
    if count > params.max_actions:
        return TOO_MANY_ACTIONS, count
    if player == CHANCE:
        if not are_probabilities(work.weights, count):
            return BAD_CHANCE, count
        normalise(work.weights, count)
    elif params.has_priors:
        call_priors(rules, work.state, work.actions, count, work.weights)
        normalise(work.weights, count)
        sort_by_weight(work.actions, work.weights, count)
    else:
        for i in range(count):
            work.weights[i] = 1.0 / count
    return DONE, count


@inlined
def add_node(params, tree, work, player, count):
    """Append a node for `work.state` with the edges that `find_edges` listed; returns its number.

    Where actions are drawn and none is listed, it begins with one.
    """
    grows = params.draws > 0 and draws_at(params, player)
    if grows and count == 0:
        work.actions[0], work.weights[0] = drawn_number(tree.rng), 1.0
        count = np.int64(1)
    number, first = tree.counters[NODES], tree.counters[EDGES]
    node = tree.nodes[number]
    node["first_edge"], node["count"] = first, count
    node["opened"] = count if player == CHANCE and not params.few_outcomes else 0
    node["visits"], node["own"], node["value"], node["flags"] = 0, 0, 0.0, 0
    node["proof"], node["player"], node["parents"] = NO_PROOF, player, 0
    for i in range(count):
        edge = tree.edges[first + i]
        edge["action"], edge["prior"] = work.actions[i], work.weights[i]
        edge["visits"], edge["child"], edge["value"], edge["spread"] = 0, 0, 0.0, 0.0
        zero_row(tree.policy_columns, first + i)
        zero_row(tree.backup_columns, first + i)
    if params.amaf >= 0 and number > ROOT:
        tree.amaf_rows[number] = 0
    if params.keep_states:
        store_row(tree.states, number, work.state)
        if not params.graph:
            store_row(tree.rewards, number, work.rewards)
    tree.counters[NODES] += 1
    tree.counters[EDGES] += count
    if grows:
        node["flags"] = GREW
        reserve_edges(tree, room_for(count) - count)
    if params.open_loop:
        reserve_edges(tree, params.max_actions - count)
    return number


@njit
def expand_position(rules, params, tree, work, player):
    """Make a node of `work.state` outside a simulation: (status, its number)."""
    status, count = find_edges(rules, params, work, player)
    if status != DONE:
        return status, np.int64(count)
    return status, np.int64(add_node(params, tree, work, player, count))


@inlined
def expand(rules, params, tree, work, depth, player):
    """Make a node for the last edge of the path: (status, its number)."""
    status, count = find_edges(rules, params, work, player)
    if status != DONE:
        return status, count
    number = add_node(params, tree, work, player, count)
    above, edge = tree.nodes[work.path_nodes[depth - 1]], tree.edges[work.path_edges[depth - 1]]
    edge["child"] = number
    node, row = tree.nodes[number], (depth - 1) * params.players
    node["visits"], node["own"] = edge["visits"], edge["visits"]
    # The edge has the mean for the player above. With one player, or two whose returns sum to a constant, that gives
    # the mean for the player here. Otherwise the node starts without it, as does one with a mean for each player.
    chooser = max(0, np.int64(above["player"]))  # uncompiled, int8 + row would overflow
    mean = (edge["value"] - work.path_rewards[row + chooser]) / params.discount if params.discount > 0.0 else 0.0
    if edge["visits"] == 0:
        node["value"] = 0.0  # in a graph, the position was seen through another edge
    elif params.graph == VECTORS:
        node["flags"] |= UNKNOWN
    elif max(0, player) == chooser:
        node["value"] = mean
    elif params.players == 2 and params.win_decides:
        node["value"] = params.lowest + params.highest - mean
    else:
        node["flags"] |= UNKNOWN
    if params.keep_states and not params.graph:
        for p in range(params.players):
            tree.rewards[number, p] = work.path_rewards[row + p]
    return DONE, number


@inlined
def is_root_proven(tree):
    """Whether the root's exact value is known."""
    return tree.nodes[ROOT]["proof"] > NO_PROOF
