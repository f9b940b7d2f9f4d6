"""One simulation, numbered as in the papers, and the loop over many of them."""

import math

import numpy as np

from .arrays import load_row, zero
from .backup import back_up, back_up_root
from .evaluate import evaluate
from .expand import BAD_PLAYER, FINE, expand
from .jit import inlined, njit
from .params import BY_BOUND, BY_PROOF, BY_VALUE, BY_VISITS
from .rules import TERMINAL, call_current_player
from .select import FINISHED, NEW, PATH_FULL, PROVEN, ROOT_ITSELF, UNEXPANDED, select
from .solver import prove_path
from .tree import (
    EDGE,
    EDGES,
    END,
    LEADER,
    LEADER_SINCE,
    NO_PROOF,
    NODE,
    NODES,
    POSITIONS,
    PROOFS,
    ROOT,
    SIMULATIONS,
    child_node,
)

# Why the loop came back.
DONE, GROW, DEEPER, SOLVED, DECIDED, NODE_LIMIT, BYTE_LIMIT, FULL, BAD_EXPANSION, BAD_PLAYOUT, WRONG_PLAYER = range(11)
MOST = 2**31 - 1  # what visits and the numbers of edges can count up to; the root has the most visits
NODE_BYTES, EDGE_BYTES = NODE.itemsize, EDGE.itemsize
EARLY_STOP_EVERY = 64  # by the count of simulations, not by chunks, so that the same seed stops at the same place


@inlined
def simulate(rules, params, tree, work):
    """One simulation: (status, detail)."""
    random = tree.rng[0]
    ending, depth, player = select(rules, params, tree, work)  # Step 1. Selection
    if ending == PATH_FULL:
        tree.rng[0] = random  # the walk will be made again, and must be the same
        return DEEPER, depth
    if ending == UNEXPANDED:  # Step 2. Expansion
        status, detail = expand(rules, params, tree, work, depth, player)
        if status != FINE:
            return BAD_EXPANSION if status != BAD_PLAYER else WRONG_PLAYER, detail
        depth += 1
        player = call_current_player(rules, work.state)
        ending = FINISHED if player == TERMINAL else NEW
    if ending in (NEW, ROOT_ITSELF):  # Step 3. Evaluation
        code = evaluate(rules, params, tree, work)
        if code < 0:
            zero(work.rewards)
            return BAD_PLAYOUT, code
    else:
        exact_returns(tree, work, ending, depth)
    finish(rules, params, tree, work, ending, depth)  # Step 4. Backup
    return DONE, depth


@inlined
def exact_returns(tree, work, ending, depth):
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
    back_up(params, tree, work, depth)
    if fresh and params.solver:
        prove_path(rules, params, tree, work, depth)
    note_leader(params, tree, np.int64(work.path_edges[0]))


@njit
def run(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """Up to `simulations` simulations: (status, detail). `target` is the count at which the whole search will end."""
    players = tree.proofs.shape[1]
    node_bytes = NODE_BYTES + (tree.states.shape[1] + 8 * players if params.keep_states else 0)
    for _ in range(simulations):
        if params.solver and tree.nodes[ROOT]["proof"] > NO_PROOF:
            return SOLVED, 0
        if tree.counters[POSITIONS] >= node_limit:
            return NODE_LIMIT, 0
        if tree.nodes[ROOT]["visits"] >= MOST or tree.counters[EDGES] + params.max_actions > MOST:
            return FULL, 0
        more_proofs = work.path_nodes.shape[0] if params.solver else 0
        if (tree.counters[NODES] + 1) * node_bytes + (tree.counters[EDGES] + params.max_actions) * EDGE_BYTES + (
            tree.counters[PROOFS] + more_proofs
        ) * 8 * players > byte_limit:
            return BYTE_LIMIT, 0
        if (
            tree.counters[EDGES] + params.max_actions > tree.edges.shape[0]
            or tree.counters[NODES] + 1 > tree.nodes.shape[0]
            or tree.counters[PROOFS] + more_proofs > tree.proofs.shape[0]
        ):
            return GROW, 0
        at_check = params.early_stop and tree.counters[SIMULATIONS] % EARLY_STOP_EVERY == 0
        if at_check and is_decided(params, tree, target - tree.counters[SIMULATIONS]):
            return DECIDED, 0
        status, detail = simulate(rules, params, tree, work)
        if status != DONE:
            return status, detail
    return DONE, 0


@inlined
def is_lost(params, edge):
    """Proven to be worth the least there is."""
    return edge["child"] < 0 and edge["value"] <= params.lowest


@inlined
def is_better(params, edge, other):
    """Whether the answer would rather be `edge` than `other`; both visited.

    A proven win comes first and a proven loss last, whatever the rule. Then: visits, ties by value; value, ties by
    visits; lower confidence bound; or proof: an exact value before an estimate that is no higher, ties by visits.
    """
    won, other_won = (
        edge["child"] < 0 and edge["value"] >= params.highest,
        other["child"] < 0 and other["value"] >= params.highest,
    )
    if won != other_won:
        return won
    lost, other_lost = is_lost(params, edge), is_lost(params, other)
    if lost != other_lost:
        return other_lost
    if params.answer == BY_PROOF:
        proven, other_proven = edge["child"] < 0, other["child"] < 0
        if proven != other_proven:  # take what is certain if it is at least as good as the other's estimate
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
    """Mean less z standard errors, sqrt(spread / (n - 1) / n); exact once proven, nothing known from one visit."""
    visits = edge["visits"]
    if edge["child"] < 0:
        return edge["value"]
    if visits < 2:
        return -np.inf
    return edge["value"] - params.z * math.sqrt(edge["spread"] / (visits - 1) / visits)


@njit
def best_edge(params, tree, number):
    """The answer at a node: the best of its visited edges, or -1. At a proven node, the best proven value."""
    node = tree.nodes[number]
    first, best, exact = np.int64(node["first_edge"]), np.int64(-1), np.int64(-1)
    solved = node["proof"] > NO_PROOF
    for e in range(first, first + np.int64(node["count"])):
        edge = tree.edges[e]
        if edge["visits"] == 0 or (solved and edge["child"] >= 0):
            continue
        if params.answer == BY_PROOF and not solved and edge["child"] < 0:
            # Only the best of the proven meets the best of the others: one by one, each of three could beat the next.
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
        return exact
    return best


@inlined
def note_leader(params, tree, edge):
    """Keep track of the answer at the root and of the simulation since which it has stood."""
    leader = tree.counters[LEADER]
    if (
        leader >= 0
        and params.answer == BY_VISITS
        and tree.edges[edge]["child"] >= 0
        and tree.edges[leader]["child"] >= 0
    ):
        if edge == leader or is_better(params, tree.edges[leader], tree.edges[edge]):
            return  # only the edge just visited can have overtaken
        if edge > leader and not is_better(params, tree.edges[edge], tree.edges[leader]):
            return  # equal in everything: the first stands, as in `best_edge`
        found = edge
    else:
        found = best_edge(params, tree, ROOT)
    if found != leader:
        tree.counters[LEADER] = found
        tree.counters[LEADER_SINCE] = tree.counters[SIMULATIONS]


@inlined
def is_decided(params, tree, remaining):
    """Whether the most visited edge can't be overtaken in the simulations that remain. Says nothing of other rules."""
    leader = tree.counters[LEADER]
    if params.answer != BY_VISITS or leader < 0:
        return False
    node, most = tree.nodes[ROOT], np.int64(0)
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if e != leader and not is_lost(params, tree.edges[e]):
            most = max(most, np.int64(tree.edges[e]["visits"]))
    return tree.edges[leader]["visits"] - most > remaining
