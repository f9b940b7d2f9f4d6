"""The best of one column below an edge, for a backup that asks for it (`below`); implicit minimax is one.

A small file on its own, because few backups ask for it, and `core/backup.py` is the same for all. `work.values` goes up
the path as `work.returns` does: at the leaf it holds the static value for each player, at each node above it the best
of the column among the node's visited edges.
"""

import numpy as np

from .arrays import copy
from .jit import inlined
from .rules import CHANCE
from .tree import NO_NODE


@inlined
def begin_below(tree, work, depth):
    """At the leaf: where it needs no static value, or has one from outside, its return stands for it."""
    if tree.edges[work.path_edges[depth - 1]]["child"] != NO_NODE:  # a new leaf has no node, unless an answer made one
        copy(work.values, work.returns)


@inlined
def add_step(params, work, row):
    """Go up through an edge: its rewards, and the discounted value of what follows."""
    for p in range(params.players):
        work.values[p] = work.path_rewards[row + p] + params.discount * work.values[p]


@inlined
def take_best(params, tree, work, number, word):
    """Fill `work.values` with the best of a column below a node; the other of two players gets the rest of the sum."""
    chooser, best = max(0, np.int64(tree.nodes[number]["player"])), best_of(tree, number, word)
    if params.players > 1:
        work.values[1 - chooser] = params.returns_sum - best
    work.values[chooser] = best


@inlined
def best_of(tree, number, word):
    """The best of a column among a node's visited edges, for the player who chooses there.

    A proven edge counts for its exact value. Chance has no best: its outcomes count by their probabilities.
    """
    node, best, total, share = tree.nodes[number], -np.inf, 0.0, 0.0
    first = np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["opened"])):
        edge = tree.edges[e]
        if edge["visits"] > 0:
            value = edge["value"] if edge["child"] < 0 else np.int64(tree.backup_columns[e, word]).view(np.float64)
            best = max(best, value)
            prior = np.float64(edge["prior"])
            total, share = total + prior * value, share + prior
    return total / share if node["player"] == CHANCE else best
