"""What a policy sees: a node and an edge as plain numbers, however the tree stores them."""

import math
from typing import Any, NamedTuple

import numpy as np

from .jit import inlined
from .params import FIXED, OPEN, PARENT_BY_SEEN
from .tree import GREATEST, LEAST, UNKNOWN


class NodeView(NamedTuple):
    """A node, with values in the unit of scores."""

    visits: Any  # simulations in flight included
    through: Any  # of these, those that went on to a child
    value: Any  # the mean for the player who chooses here
    spread: Any  # the sum of squared deviations of the returns from that mean
    width: Any  # of the range of values
    player: Any  # who chooses
    count: Any  # children


class EdgeView(NamedTuple):
    """An edge, with values in the unit of scores."""

    visits: Any  # simulations in flight included
    pending: Any  # simulations in flight
    value: Any  # for the player who chooses at the node; virtual loss included
    spread: Any  # the sum of squared deviations of completed visits
    prior: Any
    action: Any
    proven: Any


@inlined
def scale_of(params, bounds):
    """What turns a value into the unit of scores: (subtract, multiply). Values of a known range are left unchanged.

    Without a known range, the least and greatest edge value seen so far become 0 and 1 (MuZero).
    """
    if params.normalise and bounds[GREATEST] > bounds[LEAST]:
        return bounds[LEAST], 1.0 / (bounds[GREATEST] - bounds[LEAST])
    return 0.0, 1.0


@inlined
def node_view(params, tree, number, flying, subtract, multiply):
    """A node as a policy sees it; `flying` simulations are in flight through it.

    The spread costs a loop, which the compiler drops for a policy that never reads it.
    """
    node = tree.nodes[number]
    visits = np.int64(node["visits"]) + flying
    width = 1.0 if params.normalise else params.highest - params.lowest
    return NodeView(
        visits,
        visits - np.int64(node["own"]),
        (node["value"] - subtract) * multiply,
        spread_of(tree, node) * multiply * multiply if params.node_spread else 0.0,
        np.float64(width),
        np.int64(node["player"]),
        np.int64(node["count"]),
    )


@inlined
def spread_of(tree, node):
    """The spread of all returns at a node: within its edges, between them, and of the visits that ended here."""
    total, beyond, first = 0.0, 0.0, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["opened"])):
        off = tree.edges[e]["value"] - node["value"]
        total += tree.edges[e]["spread"] + tree.edges[e]["visits"] * off * off
        beyond += tree.edges[e]["visits"] * off
    own = np.int64(node["own"]) * (1 - np.int64(node["flags"] & UNKNOWN))
    return total + beyond * beyond / own if own > 0 else total  # deviations from a mean sum to zero


@inlined
def edge_view(params, edge, pending, least, subtract, multiply, unvisited):
    """An edge as a policy sees it.

    A simulation in flight is a visit worth `value - virtual_loss (value - least)`; an unvisited edge is worth what
    `unvisited` says.
    """
    visits = np.int64(edge["visits"]) + pending
    value = np.float64(edge["value"])
    if pending > 0:
        if edge["visits"] == 0:
            value = unvisited / multiply + subtract
        value -= params.virtual_loss * max(0.0, value - least) * pending / visits
    return EdgeView(
        visits,
        pending,
        (value - subtract) * multiply,
        np.float64(edge["spread"]) * multiply * multiply,
        np.float64(edge["prior"]),
        np.int64(edge["action"]),
        edge["child"] < 0,
    )


@inlined
def unvisited_view(action, prior, value):
    """An unvisited edge as a policy sees it."""
    zero = np.int64(0)
    return EdgeView(zero, zero, np.float64(value), 0.0, np.float64(prior), np.int64(action), False)


@inlined
def show_unvisited(edges, work, topology, first, row, i, value):
    """The view of unvisited edge `i`."""
    if topology == OPEN:
        at = -1 - work.candidates[row, i, 0]
        return unvisited_view(work.actions[at], work.weights[at], value)
    edge = edges[first + i]
    return unvisited_view(edge["action"], edge["prior"], value)


@inlined
def mixed_value(value, visits, by_prior, by_visits):
    """What Gumbel takes unvisited edges to be worth, (v + N sum(p q) / sum(p)) / (1 + N) (Danihelka and others 2022).

    v is a network's value of the node, the sums are over the visited edges, N are all their visits. The node's mean is
    `value` = (v + sum(n q)) / (1 + N). So it is computed from that, from N = `visits`, and from the edges' mean values
    `by_prior` = sum(p q) / sum(p) and `by_visits` = sum(n q) / N.

    >>> v, visits, q, p = 0.5, [3, 1], [0.9, 0.1], [0.2, 0.6]
    >>> round((v + 4 * (0.2 * 0.9 + 0.6 * 0.1) / 0.8) / 5, 12)
    0.34
    >>> round(mixed_value((v + 3 * 0.9 + 1 * 0.1) / 5, 4, (0.2 * 0.9 + 0.6 * 0.1) / 0.8, (3 * 0.9 + 1 * 0.1) / 4), 12)
    0.34
    """
    return value + (by_prior - by_visits) * visits / (1.0 + visits)


@inlined
def unvisited_value(params, tree, node, subtract, multiply):
    """What an unvisited edge is assumed to be worth: a number, or the node's own value less a reduction.

    The reduction is constant, or multiplied by the square root of the sum of the visited edges' priors.
    """
    if params.unvisited == FIXED:
        return (params.unvisited_value - subtract) * multiply
    reduction = params.unvisited_value
    if params.unvisited == PARENT_BY_SEEN:
        seen, first = 0.0, np.int64(node["first_edge"])
        for e in range(first, first + np.int64(node["opened"])):
            seen += tree.edges[e]["prior"] if tree.edges[e]["visits"] > 0 else 0.0
        reduction *= math.sqrt(seen)
    return (node["value"] - subtract) * multiply - reduction
