"""The answer: which edge of a node is the best, and whether the rest of a search can still change it."""

import math

import numpy as np

from .halving import planned_answer
from .jit import inlined
from .pack import called
from .params import BY_BOUND, BY_PROOF, BY_VALUE, BY_VISITS, HALVING
from .solver import has_exact_edge
from .tree import LEADER, LEADER_SINCE, NO_PROOF, ROOT, SIMULATIONS


@inlined
def is_won(params, edge):
    """Whether an edge is proven to have the highest possible value."""
    return edge["child"] < 0 and edge["value"] >= params.highest


@inlined
def is_lost(params, edge):
    """Whether an edge is proven to have the lowest possible value."""
    return edge["child"] < 0 and edge["value"] <= params.lowest


@inlined
def asks_for_proof(params):
    """Whether exact values and estimates are compared by value.

    In a game of one player this replaces visits, since proven edges get none (`passes_over` in `core/choose.py`).
    """
    return params.answer == BY_PROOF or (params.answer == BY_VISITS and params.players == 1 and params.solver)


@called
def is_better(params, edge, other):
    """Whether `edge` is a better answer than `other`; both are visited.

    A proven win comes first and a proven loss last, whatever the rule. Then: visits, ties by value; value, ties by
    visits; lower confidence bound; or proof: an exact value before an estimate that is not higher, ties by visits. With
    one player, visits are compared as for proof.
    """
    won, other_won = is_won(params, edge), is_won(params, other)
    if won != other_won:
        return won
    lost, other_lost = is_lost(params, edge), is_lost(params, other)
    if lost != other_lost:
        return other_lost
    if asks_for_proof(params):
        proven, other_proven = edge["child"] < 0, other["child"] < 0
        if proven != other_proven:  # an exact value wins against an estimate that is not higher
            return edge["value"] >= other["value"] if proven else edge["value"] > other["value"]
        if proven and edge["value"] != other["value"]:
            return edge["value"] > other["value"]
    if params.answer == BY_VALUE:
        if edge["value"] != other["value"]:
            return edge["value"] > other["value"]
        return edge["visits"] > other["visits"]
    if params.answer == BY_BOUND:
        return lower_bound(params, edge) > lower_bound(params, other)
    if edge["visits"] != other["visits"]:
        return edge["visits"] > other["visits"]
    return edge["value"] > other["value"]


@inlined
def lower_bound(params, edge):
    """Mean less z standard errors, sqrt(spread / (n - 1) / n). Exact once proven; minus infinity after one visit."""
    visits = edge["visits"]
    if edge["child"] < 0:
        return edge["value"]
    if visits < 2:
        return -np.inf
    return edge["value"] - params.z * math.sqrt(edge["spread"] / (visits - 1) / visits)


@called
def best_edge(params, tree, number):
    """The answer at a node: the best of its visited edges, or -1. At a proven node, the best of its proven edges.

    At a root that halves, and where visits decide, it is what its plan says, unless a win is proven.
    """
    node = tree.nodes[number]
    first, best, exact = np.int64(node["first_edge"]), np.int64(-1), np.int64(-1)
    solved = node["proof"] > NO_PROOF
    for e in range(first, first + np.int64(node["count"])):
        edge = tree.edges[e]
        if edge["visits"] == 0 or (solved and edge["child"] >= 0):
            continue
        if asks_for_proof(params) and not solved and edge["child"] < 0:
            # Only the best proven edge is compared with the best of the others: one by one, three edges could each
            # beat the next in a circle.
            if exact < 0 or is_better(params, edge, tree.edges[exact]):
                exact = e
        elif best < 0:
            best = e
        elif solved and edge["value"] != tree.edges[best]["value"]:
            if edge["value"] > tree.edges[best]["value"]:
                best = e
        elif is_better(params, edge, tree.edges[best]):
            best = e
    if exact >= 0 and (best < 0 or is_better(params, tree.edges[exact], tree.edges[best])):
        best = exact
    if number == ROOT and follows_plan(params, tree) and best >= 0 and not solved:
        planned = planned_answer(params, tree)
        if planned >= 0 and not is_won(params, tree.edges[best]):
            return planned
    return best


@inlined
def follows_plan(params, tree):
    """Whether the answer at the root is that of a plan."""
    return params.root >= HALVING and params.answer == BY_VISITS and tree.plan.shape[0] > 0


@inlined
def note_leader(params, tree, edge):
    """Keep track of the answer at the root, and of the simulation since which it has been the answer."""
    leader = tree.counters[LEADER]
    if (
        leader >= 0
        and params.answer == BY_VISITS
        and params.root < HALVING
        and not has_exact_edge(params, tree.nodes[ROOT])
        and tree.edges[edge]["child"] >= 0
        and tree.edges[leader]["child"] >= 0
    ):
        if edge == leader or is_better(params, tree.edges[leader], tree.edges[edge]):
            return  # only the edge just visited can have overtaken it
        if edge > leader and not is_better(params, tree.edges[edge], tree.edges[leader]):
            return  # equal in everything: the first one stays, as in `best_edge`
        found = edge
    else:
        found = best_edge(params, tree, ROOT)
    if found != leader:
        tree.counters[LEADER] = found
        tree.counters[LEADER_SINCE] = tree.counters[SIMULATIONS]


@inlined
def is_decided(params, tree, remaining):
    """Whether the most visited edge can't be overtaken in the remaining simulations.

    Always False for other rules than visits, for plans, and where an exact value is compared with an estimate.
    """
    leader, node, most = tree.counters[LEADER], tree.nodes[ROOT], np.int64(0)
    if params.answer != BY_VISITS or params.root >= HALVING or leader < 0 or has_exact_edge(params, node):
        return False
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if e != leader and not is_lost(params, tree.edges[e]):
            most = max(most, np.int64(tree.edges[e]["visits"]))
    return tree.edges[leader]["visits"] - most > remaining
