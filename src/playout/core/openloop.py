"""Open-loop search: a node stands for the actions that led to it, whatever chance did on the way.

Chance has no nodes. Each walk draws its outcomes anew, so the position at a node differs from walk to walk, and so may
the legal actions: a node's block has room for all actions there can be, and an edge is added when its action is first
taken. Values are means over chance, as a plan that does not look back would see them. There are no proofs.
"""

import numpy as np

from .arrays import copy
from .backup import count_simulation
from .expand import BAD_PLAYER, FINE, NO_ACTIONS, TOO_MANY_ACTIONS, find_edges, reserve_edges
from .jit import inlined
from .params import INFINITE, ONE, PUCT
from .rng import random_below, sample
from .rules import CHANCE, TERMINAL, call_apply, call_chance_outcomes, call_current_player
from .select import (
    FINISHED,
    KNOWN,
    NEW,
    PATH_FULL,
    ROOT_ITSELF,
    allowed_edges,
    exploration,
    exploration_weight,
    scale_of,
    to_the_front,
    unvisited_value,
)
from .tree import EDGES, GREATEST, LEAST, NO_NODE, NO_PROOF, NODES, POSITIONS, ROOT, UNKNOWN

BAD_RULES = 20  # the rules broke the contract on the way: an ending beyond those of `select`


@inlined
def select_open(rules, params, tree, work):
    """Walk from the root to an edge never taken: (how the walk ended, its depth, who moves at the leaf)."""
    copy(work.state, tree.root)
    number, depth, player = ROOT, 0, np.int64(tree.nodes[ROOT]["player"])
    work.draws[0] = 1
    if params.evaluate_root and tree.nodes[ROOT]["visits"] == 0:
        return ROOT_ITSELF, 0, player
    while True:
        if depth + 2 >= work.path_nodes.shape[0]:
            return PATH_FULL, depth, 0
        status, count = find_edges(rules, params, work, player)
        if status != FINE:
            return BAD_RULES + status, depth, count
        e = choose(params, tree, work, number, count)
        work.path_nodes[depth], work.path_edges[depth] = number, e
        status, player = step_and_draw(rules, params, tree, work, e, depth)
        if status != FINE:
            return (PATH_FULL, depth, 0) if status == BAD_PLAYER else (BAD_RULES + status, depth, player)
        depth += 1
        if player == TERMINAL:
            return FINISHED, depth, player
        if player < 0 or player >= params.players:
            return BAD_RULES + BAD_PLAYER, depth, player
        if tree.edges[e]["visits"] == 0:
            return NEW, depth, player
        if tree.edges[e]["child"] == NO_NODE:
            tree.edges[e]["child"] = add_open_node(params, tree, player, tree.edges[e]["visits"])
        number = np.int64(tree.edges[e]["child"])
        if tree.nodes[number]["player"] != player:  # chance gave the move to somebody else than before
            return KNOWN, depth, player


@inlined
def add_open_node(params, tree, player, visits):
    """Append a node without edges, and with room for as many as there can be; what its edge got is not its own."""
    number = tree.counters[NODES]
    node = tree.nodes[number]
    node["first_edge"], node["count"], node["opened"] = tree.counters[EDGES], 0, 0
    node["visits"], node["own"], node["value"], node["flags"] = visits, visits, 0.0, UNKNOWN
    node["proof"], node["player"], node["parents"] = NO_PROOF, player, 0
    tree.counters[NODES] += 1
    reserve_edges(tree, params.max_actions)
    return number


@inlined
def edge_of(tree, node, action):
    """A node's edge for an action, or -1."""
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["action"] == action:
            return e
    return np.int64(-1)


@inlined
def choose(params, tree, work, number, count):
    """The edge of the best score among the actions that are legal now, which `work` holds with their priors."""
    node = tree.nodes[number]
    subtract, multiply = scale_of(params, tree.bounds)
    weight = exploration_weight(params, node["visits"], node["visits"] - node["own"])
    best, chosen, ties, taken = -np.inf, np.int64(-1), 0, 0
    unvisited, prior, equal = np.int64(-1), -1.0, 0  # the first action never taken of the highest prior
    for i in range(count):
        e = edge_of(tree, node, work.actions[i])
        if number == ROOT:  # it has its edges from the start, or only some of them, and their priors may have noise
            if e < 0:
                continue
            work.weights[i] = tree.edges[e]["prior"]
        if e < 0 or tree.edges[e]["visits"] == 0:
            weight_here = work.weights[i] if params.by_prior else 0.0
            if weight_here > prior:
                unvisited, prior, equal = np.int64(i), weight_here, 1
            elif weight_here == prior:
                equal += 1
                if params.random_ties and random_below(tree.rng, equal) == 0:
                    unvisited = np.int64(i)
            continue
        edge = tree.edges[e]
        if params.policy == PUCT:
            edge["prior"] = work.weights[i]  # that of the position as it is this time
        taken += 1
        score = (edge["value"] - subtract) * multiply
        score += exploration(params, params.policy, edge, edge["visits"], weight, multiply, False)
        if score > best:
            best, chosen, ties = score, e, 1
        elif score == best:
            ties += 1
            if params.random_ties and random_below(tree.rng, ties) == 0:
                chosen = e
    if unvisited < 0:
        return chosen
    if taken > 0 and taken >= allowed_edges(params, node, count):
        return chosen
    if taken > 0 and params.unvisited != INFINITE and params.expansion != ONE:
        score = unvisited_value(params, tree, node, subtract, multiply)
        if params.policy == PUCT:
            score += weight * work.weights[unvisited]
        if score < best or (score == best and params.random_ties and random_below(tree.rng, ties + 1) > 0):
            return chosen
    e = edge_of(tree, node, work.actions[unvisited])
    if e < 0:
        e = np.int64(node["first_edge"]) + np.int64(node["count"])
        tree.edges[e]["action"] = work.actions[unvisited]
        node["count"] += 1
    tree.edges[e]["prior"] = work.weights[unvisited]
    return to_the_front(tree, node, e)


@inlined
def step_and_draw(rules, params, tree, work, e, depth):
    """Take an edge and draw what chance does after it: (FINE, who moves then), or what is wrong with the rules.

    The rewards of all that go to the edge; `path_scales` has what the rest is discounted by. BAD_PLAYER: no room.
    """
    players, row = params.players, depth * params.players
    for p in range(players):
        work.path_rewards[row + p] = 0.0
    call_apply(rules, work.state, tree.edges[e]["action"], work.path_rewards, row, players)
    scale = params.discount
    player = call_current_player(rules, work.state)
    while player == CHANCE:
        count = call_chance_outcomes(rules, work.state, work.actions, work.weights)
        if count <= 0 or count > params.max_actions:
            return (NO_ACTIONS if count <= 0 else TOO_MANY_ACTIONS), count
        if work.draws[0] + 2 > work.draws.shape[0]:
            return BAD_PLAYER, 0
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
    return FINE, player


@inlined
def back_up_open(params, tree, work, depth):
    """As `back_up`, each step with its own discount."""
    players, returns = params.players, work.returns
    for d in range(depth - 1, -1, -1):
        for p in range(players):
            returns[p] = work.path_rewards[d * players + p] + work.path_scales[d] * returns[p]
        node, edge = tree.nodes[work.path_nodes[d]], tree.edges[work.path_edges[d]]
        got, visits = returns[node["player"]], edge["visits"] + 1
        if visits == 1:
            tree.counters[POSITIONS] += 1
            node["opened"] += 1
        edge["visits"] = visits
        delta = got - edge["value"]
        edge["value"] += delta / visits
        edge["spread"] += delta * (got - edge["value"])
        if params.normalise:
            tree.bounds[LEAST] = min(tree.bounds[LEAST], edge["value"])
            tree.bounds[GREATEST] = max(tree.bounds[GREATEST], edge["value"])
        node["visits"] += 1
        node["value"] += (got - node["value"]) / (node["visits"] - node["own"] * (node["flags"] & UNKNOWN))
    count_simulation(tree, depth)
