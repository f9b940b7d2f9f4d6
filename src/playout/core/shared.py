"""Several threads on one tree: the part near the root that they share, and parts below that one has to itself.

A simulation goes down through edges of many visits (`SHARED_FROM`), where threads meet: there they choose by what they
see, and change a node under its lock. The first edge of fewer visits it takes for itself, with everything below. In
that part it is alone, and makes not one but some simulations, at most a 16th of the edge's visits, by the same code as
a search with one thread. Then the nodes above get all their returns, one node at a time.

So the memory of a part stays with one core for a while, and threads seldom wait for each other: memory that another
core has just written takes a hundred times as long to read as a core's own. Simulations under way count as visits
without a value (WU-UCT, Liu and others 2020), so that other threads go elsewhere, and an edge whose part is taken is
not chosen at all. Outcomes of chance are not chosen but drawn; there a thread waits.
"""

import numpy as np

from .arrays import copy, store_row
from .atomics import add, load_child
from .choose import BUSY, NO_NUMBER
from .edges import is_counted
from .endings import BAD_BACKUP, BAD_SCORE, DEEPER, DONE, GROW, SOLVED
from .jit import inlined, njit
from .pack import unpacked
from .params import ALONE, SHARED, TREE
from .part_calls import call_back_up, call_choose
from .played import begin_record
from .select import arrive, take_edge
from .simulate import complete, simulate
from .threads import (
    PART_IN_A_ROW,
    disown,
    has_room,
    in_flight,
    is_owned,
    lock,
    own,
    take_simulations,
    unlock,
    wait,
)
from .tree import BASE, BATCH, END, FLYING, HALT, LEFT, NO_PROOF, ROOT, SHARED_FROM

TAKEN, ENDS = 0, 1  # how the way down ends: at a part that this thread has now; at an end or a proven edge


@inlined
def select_shared_edge(rules, params, tree, work, number, depth, flying):
    """The edge to take where other threads choose as well: a new one is opened under the node's lock."""
    node = tree.nodes[number]
    grows = node["opened"] < node["count"]
    if grows:
        lock(tree, work, number)
    e = call_choose(rules, params, tree, work, number, depth, flying)
    if grows:
        if e >= 0 and is_counted(params, node) and e == np.int64(node["first_edge"]) + np.int64(node["opened"]):
            node["opened"] += 1
        unlock(tree, number)
    return e


@inlined
def go_to_part(rules, params, tree, work):
    """Go down through the shared part of the tree: (TAKEN, the depth), (ENDS, the depth), or (a status, its detail)."""
    number, depth, flying, tries = ROOT, 0, np.int64(work.info[FLYING]), 1
    if not params.keep_states:
        copy(work.state, tree.root)
    begin_record(params, work, 0)
    while True:
        if depth + 2 >= work.path_nodes.shape[0]:
            return DEEPER, np.int64(0)
        e = select_shared_edge(rules, params, tree, work, number, depth, flying)
        while e == BUSY and work.shared[HALT] == 0:
            wait(work, tries)
            tries += 1
            e = select_shared_edge(rules, params, tree, work, number, depth, flying)
        if e < 0:
            return (BAD_SCORE if e == NO_NUMBER else DONE), np.int64(depth)
        take_edge(rules, params, tree, work, TREE, number, e, depth)
        depth += 1
        child = load_child(tree.edges, e)
        if child < 0 or child == END:
            return ENDS, np.int64(depth)
        if not is_shared(tree, work, e):
            if not own(work, e):
                return DONE, np.int64(depth)
            if not is_shared(tree, work, e):
                return TAKEN, np.int64(depth)
            disown(work, e)  # the thread that had it made it large enough to be shared
        while is_owned(work, e):
            if work.shared[HALT] != 0:
                return DONE, np.int64(depth)
            wait(work, tries)
            tries += 1
        child = load_child(tree.edges, e)
        if child < 0:
            return ENDS, np.int64(depth)
        number, flying = np.int64(child), in_flight(work, e, SHARED)


@inlined
def is_shared(tree, work, e):
    """Whether threads share the node below an edge, if none has it to itself any more: it exists, and its visits, of
    which it never loses any, are enough."""
    return load_child(tree.edges, e) > END and tree.edges[e]["visits"] >= work.shared[SHARED_FROM]


@inlined
def count_in_flight(work, depth, count):
    """Add to the simulations in flight through the path's edges, down to a depth."""
    for d in range(depth):
        add(work.pending, work.path_edges[d], count)


@inlined
def simulate_part(rules, params, tree, work, base, many):
    """Make up to `many` simulations in the part below depth `base`: (status, detail). BATCH counts them."""
    e = work.path_edges[base - 1]
    status, detail = np.int64(DONE), np.int64(0)
    if not params.keep_states:
        copy(work.part, work.state)
    for k in range(many):
        if k > 0 and not has_room(params, tree, work):
            break
        top = np.int64(tree.edges[e]["child"])
        if top > END:
            status, detail = simulate(rules, params, tree, work, TREE, SHARED, top, base)
        else:
            ending, _, player = arrive(rules, params, tree, work, TREE, ALONE, e, base)
            status, detail = complete(rules, params, tree, work, TREE, SHARED, ending, base, player, base)
        if status in (DONE, BAD_BACKUP):
            store_row(work.batch, work.info[BATCH], work.returns)
            work.info[BATCH] += 1
        if status != DONE or tree.edges[e]["child"] < 0:
            break
    return status, detail


@inlined
def visit(rules, shared_rules, params, tree, work):
    """One visit to a part of the tree, with as many simulations as its visits allow: (status, detail)."""
    many = take_simulations(work, 1)  # now, since the way down opens edges
    if many == 0:
        return np.int64(DONE), np.int64(0)
    ending, base = go_to_part(shared_rules, params, tree, work)
    if ending not in (TAKEN, ENDS):
        add(work.shared, LEFT, 1)
        return ending, base
    e = work.path_edges[base - 1]
    most = min(np.int64(work.batch.shape[0]), np.int64(tree.edges[e]["visits"]) // PART_IN_A_ROW)
    if ending == TAKEN and most > 1:
        many += take_simulations(work, most - 1)
    count_in_flight(work, base, many)
    work.info[BASE], work.info[BATCH] = base, 0
    status, detail = simulate_part(rules, params, tree, work, base, many)
    done = work.info[BATCH]
    if done < many:
        add(work.shared, LEFT, many - done)
    if done > 0:
        backed = back_up_batch(shared_rules, params, tree, work)
        if status == DONE and backed != DONE:
            status, detail = backed, base
    count_in_flight(work, base, -many)
    if ending == TAKEN:
        disown(work, e)
    return status, detail


@inlined
def back_up_batch(rules, params, tree, work):
    """Hand the returns of a part's simulations to the nodes above."""
    status = call_back_up(rules, params, tree, work, work.info[BASE], 0, work.info[BATCH])
    work.info[BATCH] = 0
    return status


@njit
def run_shared(rules, shared_rules, params, tree, work):
    """Run simulations until none of the chunk are left: (status, detail)."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    while work.shared[LEFT] > 0 and work.shared[HALT] == 0:
        if params.solver and tree.nodes[ROOT]["proof"] > NO_PROOF:
            return SOLVED, 0
        if not has_room(params, tree, work):
            return GROW, 0
        status, detail = visit(rules, shared_rules, params, tree, work)
        if status != DONE:
            return status, detail
    return DONE, 0


@njit
def settle(shared_rules, params, tree, work):
    """Once no thread is at work: finish the backup of a visit that did not end."""
    params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
    if work.info[BATCH] > 0:
        back_up_batch(shared_rules, params, tree, work)
