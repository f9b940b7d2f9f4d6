"""One simulation, numbered as in the papers, and the loop over many of them.

Tree, graph and open loop share one body: `topology` is a constant in each of the three entry points. Threads go through
the same steps in `core/shared.py` and `core/shared_graph.py`, leaves whose values come from outside in
`core/collect.py` and `core/receive.py`.
"""

import numpy as np

from .amaf import count_amaf
from .answer import is_decided, note_leader
from .arrays import load_row, zero
from .backup import ESTIMATE, EXACT, MEAN, back_up_root, returns_fit
from .endings import (
    BAD_PLAYOUT,
    BAD_VALUE,
    BYTE_LIMIT,
    CYCLE,
    DECIDED,
    DEEPER,
    DONE,
    FINISHED,
    FULL,
    GROW,
    KNOWN,
    MET,
    NEW,
    NODE_LIMIT,
    PROVEN,
    ROOT_ITSELF,
    SOLVED,
    UNEXPANDED,
)
from .evaluate import evaluate
from .expand import expand
from .found import note_end
from .graph import child_at, enter_leaf, enter_node, is_unknown
from .graph_backup import load_means
from .halving import prepare_root
from .jit import inlined, njit
from .learned import learn
from .openloop import add_open_node
from .pack import unpacked
from .params import ALONE, GRAPH, OPEN, ROLLOUTS, TREE
from .part_calls import call_back_up, call_descend
from .select import select
from .solver import prove_in_graph, prove_path
from .tree import (
    AMAF_BYTES,
    EDGES,
    END,
    HITS,
    NO_NODE,
    NO_PROOF,
    NODES,
    POSITIONS,
    PROOFS,
    ROOT,
    SIMULATIONS,
    SLOT_BYTES,
    record_sizes,
)

MOST = 2**31 - 1  # the greatest number of visits (the root has the most) and of edges
EARLY_STOP_EVERY = 64  # simulations; not chunks, so that the same seed always stops at the same one


@inlined
def simulate(rules, params, tree, work, topology, waiting, top, base):
    """One simulation from the root, or from the node `top` at depth `base` of the path on: (status, detail)."""
    random = tree.rng[0]
    ending, depth, player = select(rules, params, tree, work, topology, ALONE, top, base)  # Step 1. Selection
    if ending == DEEPER:
        tree.rng[0] = random  # the simulation will be repeated, and must be the same
    return complete(rules, params, tree, work, topology, waiting, ending, depth, player, base)


@inlined
def complete(rules, params, tree, work, topology, waiting, ending, depth, player, base):
    """The rest of a simulation, after its selection: (status, detail)."""
    if ending == UNEXPANDED:  # Step 2. Expansion
        ending, depth, player = expand_and_go_down(rules, params, tree, work, topology, depth, player)
    if ending >= DONE:
        return ending, player
    status, detail = value_leaf(rules, params, tree, work, topology, ending, depth)  # Step 3. Evaluation
    if status != DONE:
        return status, detail
    return finish(rules, params, tree, work, topology, waiting, ending, depth, base), depth  # Step 4. Backup


@inlined
def expand_and_go_down(rules, params, tree, work, topology, depth, player):
    """Make a node of the leaf and go on through one of its edges; the result is that of `select`."""
    if topology == OPEN:
        number = np.int64(add_open_node(params, tree, work.path_edges[depth - 1], player))
    else:
        status, number = expand(rules, params, tree, work, depth, player)
        if status != DONE:
            return status, depth, np.int64(number)
    if topology == GRAPH:
        tree.counters[POSITIONS] += is_unknown(tree, work)
        enter_node(params, tree, work, number, np.int64(work.path_edges[depth - 1]), (depth - 1) * params.players)
    ending, depth, player = call_descend(rules, params, tree, work, number, depth, player, 0)
    if ending == UNEXPANDED:  # with `expand_first`: only one node for each simulation
        ending = NEW
        if topology == GRAPH and not is_unknown(tree, work):
            ending = KNOWN
    return ending, depth, player


@inlined
def is_evaluated(ending):
    """Whether a leaf's value comes from an evaluation."""
    return ending in (NEW, KNOWN, ROOT_ITSELF)


@inlined
def value_leaf(rules, params, tree, work, topology, ending, depth):
    """Fill `work.returns` with what the leaf is worth: (status, detail)."""
    if is_evaluated(ending):
        code = evaluate(rules, params, tree, work, depth)
        if code < 0:
            zero(work.rewards)
            return BAD_PLAYOUT, code
    else:
        known_returns(params, tree, work, topology, ending, depth)
    if not leaf_fits(params, work, topology, ending, depth):
        return BAD_VALUE, depth
    return DONE, depth


@inlined
def leaf_fits(params, work, topology, ending, depth):
    """Whether a leaf's returns are possible in the game, and its static value where a backup looks at it."""
    if params.static_too and ending == NEW and not returns_fit(params, work, work.values, topology, depth, ESTIMATE):
        return False
    return returns_fit(params, work, work.returns, topology, depth, kind_of_value(params, ending))


@inlined
def kind_of_value(params, ending):
    """The kind of a leaf's value, for `returns_fit`: exact, an estimate (static or from outside), or a graph's mean."""
    if ending in (MET, CYCLE):
        return MEAN
    played_out = params.evaluator == ROLLOUTS and params.depth == 0
    return ESTIMATE if not played_out and is_evaluated(ending) else EXACT


@inlined
def known_returns(params, tree, work, topology, ending, depth):
    """Fill `work.returns` for a leaf that needs no evaluation: a finished game, a proven value, a node of a graph.

    The first two end a complete line, which is remembered if it is the best.
    """
    zero(work.returns)
    if ending == FINISHED:
        note_end(params, tree, work, depth, END)
    if ending == PROVEN:
        number = child_at(tree, work, depth - 1)
        load_row(work.returns, tree.proofs, tree.nodes[number]["proof"])
        note_end(params, tree, work, depth, number)
    if topology == GRAPH and ending in (MET, CYCLE):
        load_means(params, tree, child_at(tree, work, depth - 1), work.returns)


@inlined
def finish(rules, params, tree, work, topology, waiting, ending, depth, base):
    """Learn from a simulation and back it up. Returns a status."""
    if params.learns > 0:
        learn(params, tree, work, topology, depth)
    return back_up_leaf(rules, params, tree, work, topology, waiting, ending, depth, base)


@inlined
def back_up_leaf(rules, params, tree, work, topology, waiting, ending, depth, base):
    """Back up the returns, then the proof if the simulation found one. Returns a status.

    The returns go up to depth `base` of the path, from where threads take them further in `core/shared.py`.
    """
    if params.amaf >= 0:
        count_amaf(params, tree, work, depth)
    if ending == ROOT_ITSELF:
        back_up_root(params, tree, work)
        return np.int64(DONE)
    last = work.path_edges[depth - 1]
    if topology != OPEN and ending == FINISHED:
        tree.edges[last]["child"] = END
    status = call_back_up(rules, params, tree, work, depth, base, 1)
    if topology == GRAPH:
        if ending == NEW:
            enter_leaf(tree, work, last)
        tree.counters[HITS] += ending in (MET, KNOWN)
        tree.counters[POSITIONS] += ending == NEW or (ending == FINISHED and tree.edges[last]["visits"] == 1)
        if params.solver and ending in (FINISHED, PROVEN) and tree.edges[last]["child"] > 0:
            prove_in_graph(rules, params, tree, work, depth)
    elif topology == TREE and params.solver and ending == FINISHED:
        prove_path(rules, params, tree, work, waiting, depth, base)
    if base == 0:  # threads look at the root when they are all back
        note_leader(params, tree, np.int64(work.path_edges[0]))
    return status


@inlined
def must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, ahead):
    """Why no other simulation can follow, or DONE if one can; `ahead` simulations in flight need room as well."""
    players = tree.proofs.shape[1]
    nodes, edges = tree.counters[NODES] + 1 + ahead, tree.counters[EDGES] + (1 + ahead) * params.most_added
    if params.solver and tree.nodes[ROOT]["proof"] > NO_PROOF:
        return SOLVED
    if tree.counters[POSITIONS] + ahead >= node_limit:
        return NODE_LIMIT
    if tree.nodes[ROOT]["visits"] + ahead >= MOST or edges > MOST:
        return FULL
    more_proofs = work.path_nodes.shape[0] if params.solver else 0
    proofs = tree.counters[PROOFS] + more_proofs
    tables = (tree.table.shape[0] + tree.learned.shape[0]) * SLOT_BYTES
    room = byte_limit - tables - tree.policy.shape[0] - tree.backup.shape[0]
    if params.amaf >= 0:
        room -= (np.int64(tree.amaf_rows[NO_NODE]) + 1) * tree.amaf.shape[1] * AMAF_BYTES
    if nodes * node_bytes + edges * edge_bytes + proofs * 8 * players > room:
        return BYTE_LIMIT
    if params.amaf >= 0 and tree.amaf_rows[NO_NODE] >= tree.amaf.shape[0]:
        return GROW
    if edges > tree.edges.shape[0] or nodes > tree.nodes.shape[0] or proofs > tree.proofs.shape[0]:
        return GROW
    at_check = params.early_stop and tree.counters[SIMULATIONS] % EARLY_STOP_EVERY == 0
    if at_check and is_decided(params, tree, target - tree.counters[SIMULATIONS]):
        return DECIDED
    return DONE


@inlined
def surely_fit(params, tree, topology, node_limit, byte_limit, node_bytes, edge_bytes):
    """How many simulations can follow, whatever they find, before `must_stop` could have something to say."""
    if topology != TREE or params.solver or params.early_stop or params.amaf >= 0:
        return np.int64(0)
    nodes, edges, most = tree.counters[NODES], tree.counters[EDGES], params.most_added
    tables = (tree.table.shape[0] + tree.learned.shape[0]) * SLOT_BYTES
    room = byte_limit - tables - tree.policy.shape[0] - tree.backup.shape[0]
    room -= nodes * node_bytes + edges * edge_bytes + tree.counters[PROOFS] * 8 * tree.proofs.shape[1]
    fit = min(tree.nodes.shape[0] - nodes, (min(tree.edges.shape[0], MOST) - edges) // most)
    fit = min(fit, node_limit - tree.counters[POSITIONS], MOST - np.int64(tree.nodes[ROOT]["visits"]))
    return min(fit, room // (node_bytes + most * edge_bytes)) - 1


@inlined
def has_room_in_graph(tree, ahead):
    """Whether a graph's table stays half empty, `ahead` simulations in flight included, and each node may be proven."""
    used = 2 * (tree.counters[POSITIONS] + 2 + ahead)
    return used <= tree.table.shape[0] and tree.proofs.shape[0] >= tree.nodes.shape[0] + 2


@inlined
def run_all(rules, params, tree, work, topology, simulations, node_limit, byte_limit, target):
    """The body of the three entry points below."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    node_bytes, edge_bytes = record_sizes(tree)
    sure = np.int64(0)
    for _ in range(simulations):
        sure -= 1
        if sure < 0:
            status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, 0)
            if status != DONE:
                return status, 0
            sure = surely_fit(params, tree, topology, node_limit, byte_limit, node_bytes, edge_bytes)
        if topology == GRAPH and not has_room_in_graph(tree, 0):
            return GROW, 0
        prepare_root(params, tree)
        status, detail = simulate(rules, params, tree, work, topology, ALONE, ROOT, 0)
        if status != DONE:
            return status, detail
    return DONE, 0


@njit
def run(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """Run up to `simulations` simulations: (status, detail). The whole search will end at a count of `target`."""
    return run_all(rules, params, tree, work, TREE, simulations, node_limit, byte_limit, target)


@njit
def run_in_graph(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """Like `run`, in a graph."""
    return run_all(rules, params, tree, work, GRAPH, simulations, node_limit, byte_limit, target)


@njit
def run_open(rules, params, tree, work, simulations, node_limit, byte_limit, target):
    """Like `run`, in an open loop."""
    return run_all(rules, params, tree, work, OPEN, simulations, node_limit, byte_limit, target)
