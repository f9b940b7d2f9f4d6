"""One simulation, numbered as in the papers, and the loop over many of them; in a tree, and in a graph."""

from typing import Any, NamedTuple

import numpy as np

from .answer import is_decided, note_leader
from .arrays import load_row, zero
from .backup import ESTIMATE, EXACT, MEAN, back_up, back_up_root, returns_fit
from .evaluate import evaluate
from .expand import BAD_PLAYER, BAD_POLICY, FINE, expand
from .graph import (
    arrive,
    back_up_in_graph,
    child_at,
    enter_leaf,
    enter_node,
    load_means,
    prove_in_graph,
    select_in_graph,
)
from .jit import inlined, njit
from .openloop import BAD_RULES, back_up_open, select_open
from .pack import unpacked
from .params import ROLLOUTS
from .rules import TERMINAL, call_current_player
from .select import (
    BAD_KEY,
    BAD_SCORE,
    CYCLE,
    FINISHED,
    KNOWN,
    MET,
    NEW,
    PATH_FULL,
    PROVEN,
    ROOT_ITSELF,
    UNEXPANDED,
    select,
)
from .solver import prove_path
from .tree import (
    EDGES,
    END,
    HITS,
    NO_PROOF,
    NODES,
    POSITIONS,
    PROOFS,
    ROOT,
    SIMULATIONS,
    SLOT_BYTES,
    child_node,
    record_sizes,
)

# Why the loop came back.
DONE, GROW, DEEPER, SOLVED, DECIDED, NODE_LIMIT, BYTE_LIMIT, FULL, BAD_EXPANSION, BAD_PLAYOUT, WRONG_PLAYER = range(11)
WRONG_KEY = 11  # two positions of one key: the detail is the other's entry in the table
BAD_VALUE = 12  # returns that the game can't have
WRONG_SCORE = 13  # the policy's score is not a number
MOST = 2**31 - 1  # what visits and the numbers of edges can count up to; the root has the most visits
EARLY_STOP_EVERY = 64  # by the count of simulations, not by chunks, so that the same seed stops at the same place


@inlined
def simulate(rules, params, tree, work):
    """One simulation: (status, detail)."""
    random = tree.rng[0]
    ending, depth, player = select(rules, params, tree, work)  # Step 1. Selection
    if ending == PATH_FULL:
        tree.rng[0] = random  # the walk will be made again, and must be the same
        return DEEPER, depth
    if ending == BAD_SCORE:
        return WRONG_SCORE, depth
    if ending == UNEXPANDED:  # Step 2. Expansion
        status, detail = expand(rules, params, tree, work, depth, player)
        if status == BAD_POLICY:
            return WRONG_SCORE, depth
        if status != FINE:
            return BAD_EXPANSION if status != BAD_PLAYER else WRONG_PLAYER, detail
        ending, depth, player = walk_on(rules, params, tree, work, detail, depth)
    if ending in (NEW, ROOT_ITSELF):  # Step 3. Evaluation
        code = evaluate(rules, params, tree, work)
        if code < 0:
            zero(work.rewards)
            return BAD_PLAYOUT, code
    else:
        known_returns(params, tree, work, ending, depth)
    if not returns_fit(params, work, depth, kind_of_value(params, ending)):
        return BAD_VALUE, depth
    finish(rules, params, tree, work, ending, depth)  # Step 4. Backup
    return DONE, depth


@inlined
def kind_of_value(params, ending):
    """What a leaf's value is, for `returns_fit`: exact, an estimate (static or from outside), or a graph's mean."""
    if ending in (MET, CYCLE):
        return MEAN
    played_out = params.evaluator == ROLLOUTS and params.depth == 0
    return ESTIMATE if not played_out and ending in (NEW, KNOWN, ROOT_ITSELF) else EXACT


@inlined
def walk_on(rules, params, tree, work, number, depth):
    """An expansion has taken an edge of its new node `number`: how the walk ends there, its depth, and who moves."""
    player = call_current_player(rules, work.state)
    return (FINISHED if player == TERMINAL else NEW), depth + 1, player


@inlined
def known_returns(params, tree, work, ending, depth):
    """A leaf that needs no evaluation: the game is over there, or its value is proven."""
    zero(work.returns)
    if ending == PROVEN:
        child = child_node(tree.edges[work.path_edges[depth - 1]]["child"])
        load_row(work.returns, tree.proofs, tree.nodes[child]["proof"])


@inlined
def finish(rules, params, tree, work, ending, depth):
    """Back the returns up, then the proof if the walk came to a new one."""
    if ending == ROOT_ITSELF:
        back_up_root(params, tree, work)
        return
    fresh = ending == FINISHED
    if fresh:
        tree.edges[work.path_edges[depth - 1]]["child"] = END
    back_up(params, tree, work, depth, False)
    if fresh and params.solver:
        prove_path(rules, params, tree, work, depth)
    note_leader(params, tree, np.int64(work.path_edges[0]))


@inlined
def simulate_in_graph(rules, params, tree, work):
    """One simulation in a graph: (status, detail)."""
    random = tree.rng[0]
    ending, depth, player = select_in_graph(rules, params, tree, work)  # Step 1. Selection
    if ending == PATH_FULL:
        tree.rng[0] = random
        return DEEPER, depth
    if ending == BAD_SCORE:
        return WRONG_SCORE, depth
    if ending == UNEXPANDED:  # Step 2. Expansion
        status, detail = expand(rules, params, tree, work, depth, player)
        if status == BAD_POLICY:
            return WRONG_SCORE, depth
        if status != FINE:
            return BAD_EXPANSION if status != BAD_PLAYER else WRONG_PLAYER, detail
        ending, depth, player = walk_on_in_graph(rules, params, tree, work, detail, depth)
    if ending == BAD_KEY:
        return WRONG_KEY, player
    if ending in (NEW, KNOWN, ROOT_ITSELF):  # Step 3. Evaluation
        code = evaluate(rules, params, tree, work)
        if code < 0:
            zero(work.rewards)
            return BAD_PLAYOUT, code
    else:
        known_returns_in_graph(params, tree, work, ending, depth)
    if not returns_fit(params, work, depth, kind_of_value(params, ending)):
        return BAD_VALUE, depth
    finish_in_graph(rules, params, tree, work, ending, depth)  # Step 4. Backup
    return DONE, depth


@inlined
def walk_on_in_graph(rules, params, tree, work, number, depth):
    """As `walk_on`; the new node is entered into the table."""
    enter_node(params, tree, work, number, np.int64(work.path_edges[depth - 1]), (depth - 1) * params.players)
    ending, _, player = arrive(rules, params, tree, work, work.path_edges[depth], depth + 1)
    return ending, depth + 1, player


@inlined
def known_returns_in_graph(params, tree, work, ending, depth):
    """A leaf that needs no evaluation: the game is over there, its value is proven, or a node knows it."""
    zero(work.returns)
    if ending == PROVEN:
        load_row(work.returns, tree.proofs, tree.nodes[child_at(tree, work, depth - 1)]["proof"])
    elif ending in (MET, CYCLE):
        load_means(params, tree, child_at(tree, work, depth - 1), work.returns)


@inlined
def finish_in_graph(rules, params, tree, work, ending, depth):
    """Back the returns up, then the proof if the walk came to a new one."""
    if ending == ROOT_ITSELF:
        back_up_root(params, tree, work)
        return
    last = work.path_edges[depth - 1]
    if ending == FINISHED:
        tree.edges[last]["child"] = END
    back_up_in_graph(params, tree, work, depth)
    if ending == NEW:
        enter_leaf(tree, work, last)
    tree.counters[HITS] += ending in (MET, KNOWN)
    tree.counters[POSITIONS] += ending == NEW or (ending == FINISHED and tree.edges[last]["visits"] == 1)
    if params.solver and ending in (FINISHED, PROVEN) and tree.edges[last]["child"] > 0:
        prove_in_graph(rules, params, tree, work, depth)
    note_leader(params, tree, np.int64(work.path_edges[0]))


@inlined
def simulate_open(rules, params, tree, work):
    """One simulation with an open loop, which expands on its way: (status, detail)."""
    random = tree.rng[0]
    ending, depth, player = select_open(rules, params, tree, work)  # Steps 1 and 2. Selection and expansion
    if ending == PATH_FULL:
        tree.rng[0] = random
        return DEEPER, depth
    if ending == BAD_SCORE:
        return WRONG_SCORE, depth
    if ending >= BAD_RULES:
        return WRONG_PLAYER if ending == BAD_RULES + BAD_PLAYER else BAD_EXPANSION, player
    if ending != FINISHED:  # Step 3. Evaluation
        code = evaluate(rules, params, tree, work)
        if code < 0:
            zero(work.rewards)
            return BAD_PLAYOUT, code
    else:
        zero(work.returns)
    if not returns_fit(params, work, depth, kind_of_value(params, ending)):
        return BAD_VALUE, depth
    finish_open(rules, params, tree, work, ending, depth)  # Step 4. Backup
    return DONE, depth


@inlined
def finish_open(rules, params, tree, work, ending, depth):
    if ending == ROOT_ITSELF:
        back_up_root(params, tree, work)
        return
    back_up_open(params, tree, work, depth)
    note_leader(params, tree, np.int64(work.path_edges[0]))


class Phases(NamedTuple):
    """A simulation's parts, for those who take it step by step."""

    select: Any
    walk_on: Any
    known_returns: Any
    finish: Any


IN_TREE = Phases(select, walk_on, known_returns, finish)
OPEN = Phases(select_open, walk_on, known_returns, finish_open)
IN_GRAPH = Phases(select_in_graph, walk_on_in_graph, known_returns_in_graph, finish_in_graph)


@inlined
def must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, ahead):
    """Why no simulation can follow, or DONE if one can; `ahead` of them are under way and need their room, too."""
    players = tree.proofs.shape[1]
    nodes, edges = tree.counters[NODES] + 1 + ahead, tree.counters[EDGES] + (1 + ahead) * params.max_actions
    if params.solver and tree.nodes[ROOT]["proof"] > NO_PROOF:
        return SOLVED
    if tree.counters[POSITIONS] + ahead >= node_limit:
        return NODE_LIMIT
    if tree.nodes[ROOT]["visits"] + ahead >= MOST or edges > MOST:
        return FULL
    more_proofs = work.path_nodes.shape[0] if params.solver else 0
    proofs = tree.counters[PROOFS] + more_proofs
    room = byte_limit - tree.table.shape[0] * SLOT_BYTES
    if nodes * node_bytes + edges * edge_bytes + proofs * 8 * players > room:
        return BYTE_LIMIT
    if edges > tree.edges.shape[0] or nodes > tree.nodes.shape[0] or proofs > tree.proofs.shape[0]:
        return GROW
    at_check = params.early_stop and tree.counters[SIMULATIONS] % EARLY_STOP_EVERY == 0
    if at_check and is_decided(params, tree, target - tree.counters[SIMULATIONS]):
        return DECIDED
    return DONE


@njit
def run(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """Up to `simulations` simulations: (status, detail). `target` is the count at which the whole search will end."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    node_bytes, edge_bytes = record_sizes(tree)
    for _ in range(simulations):
        status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, 0)
        if status != DONE:
            return status, 0
        status, detail = simulate(rules, params, tree, work)
        if status != DONE:
            return status, detail
    return DONE, 0


@njit
def run_open(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """The same with an open loop."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    node_bytes, edge_bytes = record_sizes(tree)
    for _ in range(simulations):
        status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, 0)
        if status != DONE:
            return status, 0
        status, detail = simulate_open(rules, params, tree, work)
        if status != DONE:
            return status, detail
    return DONE, 0


@njit
def run_in_graph(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """The same in a graph. Its table stays half empty, and there is room for the proof of every node."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    node_bytes, edge_bytes = record_sizes(tree)
    for _ in range(simulations):
        status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, 0)
        if status != DONE:
            return status, 0
        if 2 * (tree.counters[POSITIONS] + 2) > tree.table.shape[0] or tree.proofs.shape[0] < tree.nodes.shape[0] + 2:
            return GROW, 0
        status, detail = simulate_in_graph(rules, params, tree, work)
        if status != DONE:
            return status, detail
    return DONE, 0
