"""Step 1, selection: the walk down to a leaf."""

import numpy as np

from .arrays import copy, load_row
from .choose import NO_NUMBER, to_the_front
from .jit import inlined
from .parts import call_choose
from .rng import random_float
from .rules import CHANCE, TERMINAL, call_apply, call_current_player
from .tree import END, NO_NODE, ROOT

# How a walk ends.
NEW, UNEXPANDED, FINISHED, PROVEN, ROOT_ITSELF, PATH_FULL = range(6)
# In a graph: a node was met over a new edge; a position without a node likewise; the walk is back on its path; two
# positions have one key.
MET, KNOWN, CYCLE, BAD_KEY = range(6, 10)
BAD_SCORE = 10  # the policy's score is not a number


@inlined
def sample_outcome(params, tree, node):
    """An outcome of a chance node, by its probability.

    Where outcomes are limited, only min(cap, initial + k N^alpha) different ones are let in, as they are drawn; while
    the node is full, one of those is drawn, by their probabilities.
    """
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    if not params.few_outcomes:
        return draw_outcome(tree, first, count, 1.0)
    opened, allowed = np.int64(node["opened"]), params.outcomes_initial
    allowed += params.outcomes_k * np.float64(node["visits"]) ** params.outcomes_alpha
    if opened >= max(1, min(count, np.int64(min(allowed, params.outcomes_cap)))):
        total = 0.0
        for e in range(first, first + opened):
            total += tree.edges[e]["prior"]
        return draw_outcome(tree, first, opened, total)
    e = draw_outcome(tree, first, count, 1.0)
    return e if e < first + opened else to_the_front(tree, node, e)


@inlined
def draw_outcome(tree, first, count, total):
    """One of `count` edges by their probabilities, which sum to `total`."""
    rest = random_float(tree.rng) * total
    last = first
    for e in range(first, first + count):
        prior = tree.edges[e]["prior"]
        if prior > 0.0:
            last = e
            rest -= prior
            if rest < 0.0:
                return e
    return last


@inlined
def select_edge(rules, params, tree, work, number, depth, flying):
    """The edge that a simulation takes from a node: the policy's choice; at a chance node, by probability.

    `flying` walks are under way through the node. NO_NUMBER where the policy gave none.
    """
    node = tree.nodes[number]
    if node["player"] == CHANCE:
        return sample_outcome(params, tree, node)
    return call_choose(rules, work.policy, params, tree, work, number, depth, flying)


@inlined
def take_edge(rules, params, tree, work, number, e, depth):
    """Walk one edge: note it in the path, bring the state and the rewards of the step up to date."""
    players = params.players
    work.path_nodes[depth] = number
    work.path_edges[depth] = e
    row = depth * players
    child = tree.edges[e]["child"]
    if params.keep_states:
        if child > END:  # the state is there already
            at = e if params.graph else np.int64(child)
            for p in range(players):
                work.path_rewards[row + p] = tree.rewards[at, p]
            return
        load_row(work.state, tree.states, number)
    # The first two by hand: LLVM would make a vector loop of it, for rows of two a fifth of the simulation's time.
    work.path_rewards[row] = 0.0
    if players > 1:
        work.path_rewards[row + 1] = 0.0
    for p in range(2, players):
        work.path_rewards[row + p] = 0.0
    call_apply(rules, work.state, tree.edges[e]["action"], work.path_rewards, row, players)


@inlined
def select(rules, params, tree, work):
    """Walk from the root to an edge without a node: (how the walk ended, its depth, who moves at the leaf)."""
    number, depth = ROOT, 0
    if not params.keep_states:
        copy(work.state, tree.root)
    if params.evaluate_root and tree.nodes[ROOT]["visits"] == 0:
        if params.keep_states:
            copy(work.state, tree.root)
        return ROOT_ITSELF, 0, np.int64(tree.nodes[ROOT]["player"])
    while True:
        if depth + 2 >= work.path_nodes.shape[0]:
            return PATH_FULL, depth, 0
        e = select_edge(rules, params, tree, work, number, depth, 0)
        if e == NO_NUMBER:
            return BAD_SCORE, depth, 0
        take_edge(rules, params, tree, work, number, e, depth)
        depth += 1
        child = tree.edges[e]["child"]
        if child < 0:
            return PROVEN, depth, TERMINAL
        if child == END:
            return FINISHED, depth, TERMINAL
        if child == NO_NODE:
            player = call_current_player(rules, work.state)
            if player == TERMINAL:
                return FINISHED, depth, player
            return (NEW if tree.edges[e]["visits"] == 0 else UNEXPANDED), depth, player
        number = np.int64(child)
