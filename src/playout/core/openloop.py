"""Open-loop search: a node stands for the actions that led to it, whatever chance did on the way.

Chance has no nodes. Each walk draws its outcomes anew, so the position at a node differs from walk to walk, and so may
the legal actions: a node's block has room for all actions there can be, and an edge is added when its action is first
taken. Values are means over chance, as a plan that does not look back would see them. There are no proofs.
"""

import numpy as np

from .arrays import copy
from .backup import count_simulation
from .choose import NO_NUMBER
from .expand import (
    BAD_CHANCE,
    BAD_PLAYER,
    FINE,
    NO_ACTIONS,
    TOO_MANY_ACTIONS,
    are_probabilities,
    find_edges,
    reserve_edges,
)
from .jit import inlined
from .parts import call_choose
from .rng import sample
from .rules import CHANCE, TERMINAL, call_apply, call_chance_outcomes, call_current_player
from .select import BAD_SCORE, FINISHED, KNOWN, NEW, PATH_FULL, ROOT_ITSELF
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
        e = call_choose(rules, work.policy, params, tree, work, number, depth, count)
        if e == NO_NUMBER:
            return BAD_SCORE, depth, 0
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
        if not are_probabilities(work.weights, count):
            return BAD_CHANCE, count
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
