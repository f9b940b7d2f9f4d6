"""The root: which of its edges a simulation takes, where a setting decides that in place of the policy.

A plan of sequential halving (`core/halving.py`), or forced playouts: an edge with a visit gets at least sqrt(k P N) of
N visits (Wu: Accelerating self-play learning in Go, 2019). Whoever calls `select` calls `prepare_root` before.

A small file on its own, because every simulation calls it, whatever rule the root has.
"""

import math

import numpy as np

from .edges import shift_to_the_front
from .halving import edge_at, planned_edge, score_at, value_terms, visits_at
from .jit import inlined
from .pack import called
from .params import FORCED
from .tree import FLYING, ROOT, RULED


@called
def edge_at_root(params, tree, work):
    """The edge that the root's rule takes, or -1 where the policy is to choose. An unvisited one moves to the front."""
    node = tree.nodes[ROOT]
    e = lacking_edge(params, tree, work) if params.root == FORCED else planned_edge(params, tree, work)
    work.info[RULED] = e >= 0
    if e >= np.int64(node["first_edge"]) + np.int64(node["opened"]):
        e = shift_to_the_front(tree, node, e)
    if e >= 0 and work.terms.shape[0] > 0:
        show_root(params, tree, work, e)
    return e


@inlined
def lacking_edge(params, tree, work):
    """The first visited edge with fewer visits than sqrt(k P N) that is not proven, or -1; N are the visits of all."""
    node = tree.nodes[ROOT]
    first, total = np.int64(node["first_edge"]), np.int64(node["visits"]) - np.int64(node["own"]) + work.info[FLYING]
    for e in range(first, first + np.int64(node["opened"])):
        visits = np.int64(tree.edges[e]["visits"])
        visits += np.int64(work.pending[e]) if work.pending.shape[0] > 0 else np.int64(0)
        if tree.edges[e]["child"] >= 0 and 0 < visits < forced_visits(
            params, np.float64(tree.edges[e]["prior"]), total
        ):
            return np.int64(e)
    return np.int64(-1)


@inlined
def forced_visits(params, prior, total):
    """How many of `total` visits an edge gets at least: sqrt(k prior total)."""
    return math.sqrt(params.forced * prior * total)


@inlined
def show_root(params, tree, work, taken):
    """Store what was compared, for a step to show: scores and their terms, minus infinity for edges that are out."""
    node = tree.nodes[ROOT]
    first, total = np.int64(node["first_edge"]), np.int64(node["visits"]) - np.int64(node["own"])
    for i in range(np.int64(node["count"])):
        edge = tree.edges[first + i]
        work.scores[0, i] = -np.inf
        for k in range(work.terms.shape[2]):
            work.terms[0, i, k] = 0.0
        if work.candidates.shape[1] > 0:
            work.candidates[0, i, 1] = edge["action"]
        if params.root == FORCED and edge["visits"] > 0:
            work.terms[0, i, 0] = forced_visits(params, np.float64(edge["prior"]), total)
            work.terms[0, i, 1] = -np.float64(edge["visits"])
            work.scores[0, i] = work.terms[0, i, 0] + work.terms[0, i, 1]
    if params.root == FORCED:
        return
    plan, terms = tree.plan[0], value_terms(params, tree)
    last = np.int64(plan["entered"]) - 1
    has_entered = edge_at(tree, last) == taken and visits_at(tree, work, last, taken) == plan["base"]
    for i in range(np.int64(plan["pool"] if has_entered else plan["size"])):
        e = edge_at(tree, i)
        if e >= 0:
            row = tree.candidates[i]
            work.scores[0, e - first] = score_at(tree, i, e, terms)
            work.terms[0, e - first, 1], work.terms[0, e - first, 2] = row["logit"], row["noise"]
            work.terms[0, e - first, 0] = work.scores[0, e - first] - row["logit"] - row["noise"]
