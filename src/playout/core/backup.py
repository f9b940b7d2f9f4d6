"""Step 4, backup: the return goes up the path, to each edge the entry of the player who chose it."""

import sys

import numpy as np

from .arrays import load_row
from .jit import inlined
from .solver import counted, has_exact_edge
from .tree import DEPTH_MAX, DEPTH_SUM, GREATEST, LEAST, POSITIONS, ROOT, SIMULATIONS, UNKNOWN, VECTORS, child_node

FINITE = sys.float_info.max
SAME_SUM = 1e-6  # by which share the sum of the returns may be off: rewards that are added up are rounded


# What a leaf's value is: that of a finished game or a proof; an estimate of the rules or from outside; a graph's mean.
EXACT, ESTIMATE, MEAN = range(3)


@inlined
def returns_fit(params, work, depth, kind):
    """Whether the returns from the leaf on, and from each position of the path on, are what the game says they can be.

    Asked before anything of the tree changes: not a number, infinity, or a value out of the game's range would spoil
    every mean and proof above it. Where the leaf's value is an estimate, the rewards on the way to it may take the sum
    out of the range, by no more than an estimate can be wrong: the width of the range. So may a graph's mean itself,
    which is kept up to date by differences, and some time after.
    """
    players, total, fit = params.players, 0.0, True
    wrong_by = 0.0 if kind == EXACT else params.most_return - params.least_return
    least, most = max(-FINITE, params.least_return - wrong_by), min(FINITE, params.most_return + wrong_by)
    for p in range(players):
        got = work.returns[p]
        if kind == MEAN:
            fit &= (got >= least) & (got <= most)
        else:
            fit &= (got >= params.least_return) & (got <= params.most_return)
        for d in range(depth - 1, -1, -1):
            scale = work.path_scales[d] if params.open_loop else params.discount
            got = work.path_rewards[d * players + p] + scale * got
            fit &= (got >= least) & (got <= most)
        total += got
    return fit and (kind == MEAN or not abs(total - params.sum_of_returns) > SAME_SUM * (1.0 + abs(work.returns[0])))


@inlined
def back_up(params, tree, work, depth, late):
    """Add one visit to each edge and node of the path, from the leaf to the root.

    The return of a step is its reward plus the discount times the return of what follows: G = r + discount G'.
    `work.returns` holds G' at the leaf and is overwritten. No sign is ever flipped. Where the value comes `late`, an
    edge of the path may have been proven meanwhile: what goes up from there is the exact value.
    """
    players, returns = params.players, work.returns
    nodes, edges = tree.nodes, tree.edges
    for d in range(depth - 1, -1, -1):
        row = d * players
        if late and edges[np.uint32(work.path_edges[d])]["child"] < 0:
            load_row(returns, tree.proofs, nodes[child_node(edges[np.uint32(work.path_edges[d])]["child"])]["proof"])
        # The first two by hand, as in `take_edge`.
        returns[0] = work.path_rewards[row] + params.discount * returns[0]
        if players > 1:
            returns[1] = work.path_rewards[row + 1] + params.discount * returns[1]
        for p in range(2, players):
            returns[p] = work.path_rewards[row + p] + params.discount * returns[p]
        node, edge = nodes[np.uint32(work.path_nodes[d])], edges[np.uint32(work.path_edges[d])]
        player = node["player"]
        got = returns[player if player >= 0 else 0]
        visits = edge["visits"] + 1
        if visits == 1:
            tree.counters[POSITIONS] += 1
            if node["opened"] < node["count"]:
                node["opened"] += 1
        edge["visits"] = visits
        before = edge["value"]
        delta = got - before
        value = before + delta / visits
        edge["value"] = value
        edge["spread"] += delta * (got - value)
        if params.normalise:
            tree.bounds[LEAST] = min(tree.bounds[LEAST], value)
            tree.bounds[GREATEST] = max(tree.bounds[GREATEST], value)
        if has_exact_edge(params, node):
            got = counted(tree, node, visits, before, value, got)
            returns[0] = got
        node["visits"] += 1
        node["value"] += (got - node["value"]) / (node["visits"] - node["own"] * (node["flags"] & UNKNOWN))
    count_simulation(tree, depth)


@inlined
def back_up_root(params, tree, work):
    """The first simulation of a search that evaluates the root itself: nothing lies above."""
    node = tree.nodes[ROOT]
    node["visits"], node["own"] = 1, 1
    player = node["player"]
    node["value"] = work.returns[player if player >= 0 else 0]
    if params.graph == VECTORS:
        for p in range(params.players):
            tree.means[ROOT, p] = work.returns[p]
    count_simulation(tree, 0)


@inlined
def count_simulation(tree, depth):
    tree.counters[SIMULATIONS] += 1
    tree.counters[DEPTH_SUM] += depth
    tree.counters[DEPTH_MAX] = max(tree.counters[DEPTH_MAX], depth)
