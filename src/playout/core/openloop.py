"""Open-loop search: a node stands for the actions that led to it, whatever chance did on the way.

Chance has no nodes. Each walk draws its outcomes anew, so the position at a node differs from walk to walk, and so may
the legal actions: a node's block has room for all actions there can be, and an edge is added when its action is first
taken. Values are means over chance, as a plan that does not look back would see them. There are no proofs.
"""

import numpy as np

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
from .expand import are_probabilities, reserve_edges
from .jit import inlined
from .rng import sample
from .rules import CHANCE, TERMINAL, call_apply, call_chance_outcomes, call_current_player
from .tree import EDGES, NO_NODE, NO_PROOF, NODES, UNKNOWN


@inlined
def arrive_open(rules, params, tree, work, e, depth):
    """As `arrive` in `core/select.py`. The walk expands on its way."""
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
    if tree.nodes[number]["player"] != player:  # chance gave the move to somebody else than before
        return KNOWN, NO_NODE, np.int64(player)
    return DONE, number, np.int64(player)


@inlined
def add_open_node(params, tree, e, player):
    """Give an edge a node without edges, with room for as many as there can be; what the edge got is not its own."""
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
    """Draw what chance does after the edge just taken: (DONE, who moves then), or what is wrong and its detail.

    The rewards of all that go to the edge; `path_scales` has what the rest is discounted by.
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
