"""Collect leaves for an outside evaluator: simulations stop at the leaf and wait for its value (`core/pending.py`)."""

import numpy as np

from .answer import is_decided
from .arrays import store_row
from .backup import EXACT, returns_fit
from .endings import (
    BAD_INDEX,
    BAD_PLAYER,
    BAD_VALUE,
    DECIDED,
    DEEPER,
    DONE,
    FINISHED,
    GROW,
    NO_ACTIONS,
    NO_SLOT,
    PROVEN,
    ROOT_ITSELF,
    TOO_MANY_ACTIONS,
)
from .halving import must_wait, prepare_root
from .jit import inlined, njit
from .pack import unpacked
from .params import BATCHED, TREE
from .pending import free_slot, load_cached, mark, open_edges, slot_at, store_path
from .positions import key_of
from .rules import call_action_index, call_legal_actions, call_observe
from .select import select
from .simulate import finish, known_returns, must_stop
from .tree import CACHED, FRESH, HINT, ROOT, SHADOWS, SIMULATIONS, WAITING, record_sizes


@njit
def collect(rules, params, tree, work, batch, wanted, stop_at, policy_size, node_limit, byte_limit, target):
    """Simulate until `wanted` more leaves wait, or `stop_at` simulations are done or in flight: (status, detail).

    Simulations that end where the value is known are backed up at once. One that comes to a leaf which already waits (a
    shadow) counts as one more in flight there until the collecting ends; more than `wanted` of these end it. So does
    the end of a round, where the root halves its candidates by the values that are still to come.
    """
    params, tree, work, batch = unpacked(params), unpacked(tree), unpacked(work), unpacked(batch)
    batch.info[FRESH] = 0
    node_bytes, edge_bytes = record_sizes(tree)
    status, detail, shadows = DONE, np.int64(0), 0
    if params.early_stop and batch.info[WAITING] == 0 and is_decided(params, tree, target - tree.counters[SIMULATIONS]):
        return DECIDED, detail
    while batch.info[FRESH] < wanted and shadows <= wanted:
        ahead = batch.info[WAITING]
        if tree.counters[SIMULATIONS] + ahead >= stop_at:
            break
        status = must_stop(params, tree, work, node_limit, byte_limit, target, node_bytes, edge_bytes, ahead)
        if status == DECIDED:
            status = DONE
        if status != DONE:
            break
        if batch.flights.shape[0] < tree.edges.shape[0]:
            status = GROW
            break
        if must_wait(params, tree, work):
            break
        prepare_root(params, tree)
        random = tree.rng[0]
        ending, depth, player = select(rules, params, tree, work, TREE, BATCHED, ROOT, 0)
        if ending in (DEEPER, GROW):
            tree.rng[0] = random  # the simulation will be repeated, and must be the same
        if ending >= DONE:
            status, detail = ending, player
            break
        if ending in (FINISHED, PROVEN):
            known_returns(params, tree, work, TREE, ending, depth)
            if not returns_fit(params, work, work.returns, TREE, depth, EXACT):
                status, detail = BAD_VALUE, depth
                break
            status, detail = finish(rules, params, tree, work, TREE, BATCHED, ending, depth, 0), np.int64(depth)
            if status != DONE:
                break
            continue
        if player < 0 or player >= params.players:
            status, detail = BAD_PLAYER, player
            break
        if ending == ROOT_ITSELF and batch.info[WAITING] > 0:
            break  # nothing else can be done before its answer
        e = np.int64(work.path_edges[depth - 1]) if depth > 0 else np.int64(-1)
        if depth > 0 and batch.flights[e] > 0:
            slot = slot_at(batch, e)
            mark(tree, batch, slot, 1)
            batch.shadows[slot] += 1
            shadows += 1
            continue
        slot = free_slot(batch)
        if slot >= batch.used.shape[0]:
            status = NO_SLOT
            break
        found, count = find_answers(rules, params, work, policy_size)
        if found != DONE:
            status, detail = found, np.int64(count)
            break
        key = np.uint64(0)
        if batch.cache_keys.shape[0] > 0:
            key = key_of(rules, params, work.state, work.keyed)
            if load_cached(params, work, batch, key, count):
                batch.info[CACHED] += 1
                for i in range(count):
                    batch.known_weights[slot, i] = work.weights[i]
                store_row(batch.known_values, slot, work.returns)
                batch.known[slot] = 1
        put_leaf(rules, params, tree, work, batch, slot, depth, player, count, key)
    for slot in range(batch.used.shape[0] if shadows > 0 else 0):
        if batch.used[slot] and batch.shadows[slot] > 0:
            mark(tree, batch, slot, -batch.shadows[slot])
            batch.shadows[slot] = 0
    batch.info[SHADOWS] += shadows
    return status, detail


@inlined
def find_answers(rules, params, work, size):
    """The leaf's legal actions and their indices in a policy of `size` entries: (status, count or detail)."""
    count = call_legal_actions(rules, work.state, work.actions)
    if count <= 0:
        return NO_ACTIONS, count
    if count > params.max_actions:
        return TOO_MANY_ACTIONS, count
    for i in range(count):
        at = np.int64(work.actions[i])
        if size > 0:
            if params.has_index:
                at = call_action_index(rules, work.state, at)
            if at < 0 or at >= size:
                return BAD_INDEX, at
        else:
            at = i
        work.indices[i] = at
    return DONE, count


@inlined
def put_leaf(rules, params, tree, work, batch, slot, depth, player, count, key):
    """Store the leaf in a slot and mark its path in flight."""
    store_path(params, work, batch, slot, depth)
    for i in range(count):
        batch.actions[slot, i], batch.indices[slot, i] = work.actions[i], work.indices[i]
    batch.players[slot], batch.counts[slot] = player, count
    batch.keys[slot], batch.shadows[slot], batch.used[slot] = key, 0, 1
    store_row(batch.states, slot, work.state)
    width = batch.planes.shape[1]
    if width > 0 and not batch.known[slot]:
        row = batch.planes[slot]
        for i in range(width):
            row[i] = 0.0
        call_observe(rules, work.state, player, row, 0, width)
    open_edges(tree, batch, slot)
    mark(tree, batch, slot, 1)
    batch.info[WAITING] += 1
    batch.info[HINT] = slot + 1
    batch.fresh[batch.info[FRESH]] = slot
    batch.info[FRESH] += 1
