"""Values from outside: leaves are collected, wait for an evaluator, and are backed up when their answers arrive.

A walk that waits counts as visited at each edge of its path, at a loss (`virtual_loss`), so that the next walk goes
elsewhere. These marks are numbers of their own beside the tree (`flights`): nothing that a simulation has found out
changes before its value is there, and taking a walk back leaves no trace. With one leaf at a time there is never a mark
when a walk begins: the search is then the plain one, step for step.

Unlike in a search by playouts, a position becomes a node at its first visit, since its priors come with its value.
"""

from typing import Any, NamedTuple

import numpy as np

from .answer import is_decided, note_leader
from .arrays import load_row, store_row, swap_words
from .backup import ESTIMATE, EXACT, back_up_root, returns_fit
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
from .expand import add_node, normalise, sort_by_weight
from .graph import key_of
from .jit import inlined, njit
from .loop import finish, known_returns, must_stop
from .pack import packed, unpacked
from .params import TREE
from .parts import call_back_up
from .rules import CHANCE, call_action_index, call_legal_actions, call_observe
from .select import keep_rewards, select
from .tree import (
    CACHED,
    EVALUATED,
    FLYING,
    FRESH,
    HINT,
    LEADER,
    NODES,
    ROOT,
    SHADOWS,
    SIMULATIONS,
    UNCLOSED,
    WAITING,
    record_sizes,
)


@packed
class Batch(NamedTuple):
    """The leaves that wait. `[B]` places for them, `[D]` depth, `[A]` actions, `[P]` players, `[C]` of the cache."""

    flights: Any  # [E] int32: walks under way through each edge
    nodes: Any  # [B, D] int32: the path to the leaf
    edges: Any  # [B, D] int32
    rewards: Any  # [B, D * P] float64
    depths: Any  # [B] int32; 0: the root itself
    players: Any  # [B] int32: who moves at the leaf
    shadows: Any  # [B] int32: other walks that came to the same leaf, and count until the collecting ends
    used: Any  # [B] uint8
    fresh: Any  # [B] int32: the places that the last collecting filled
    states: Any  # [B, S] uint8
    keys: Any  # [B] uint64
    counts: Any  # [B] int32: legal actions
    actions: Any  # [B, A] int32
    indices: Any  # [B, A] int32: where the policy has each
    planes: Any  # [B, K] float32: the observations; K is 0 where nobody looks at them
    known: Any  # [B] uint8: 1: the cache had the answer. It waits for its turn all the same: what the cache holds must
    # not change the tree
    known_weights: Any  # [B, A] float32
    known_values: Any  # [B, P] float64
    cache_keys: Any  # [C] uint64: positions by key, each in its one place; C is a power of two, or 0
    cache_weights: Any  # [C, A] float32: what the policy said of the legal actions, in the order of the rules
    cache_values: Any  # [C, P] float64: for each player
    info: Any  # [INFO] int64: waiting leaves, walks under way, shadows, …


# Collecting.


@inlined
def mark(tree, batch, slot, by):
    """Count walks under way along the path of a leaf that waits, up or down."""
    for d in range(batch.depths[slot]):
        batch.flights[batch.edges[slot, d]] += by
    batch.info[FLYING] += by


@inlined
def open_edges(tree, batch, slot):
    """Unvisited edges that a walk is under way through stand with the visited ones: each is the first of the others."""
    for d in range(batch.depths[slot]):
        node, e = tree.nodes[batch.nodes[slot, d]], batch.edges[slot, d]
        if e == node["first_edge"] + node["opened"] and node["opened"] < node["count"]:
            node["opened"] += 1


@inlined
def is_counted(params, node):
    """Whether a node's `opened` counts edges as they are visited; at a chance node it is all of them from the start."""
    return node["player"] != CHANCE or params.few_outcomes


@inlined
def slot_at(batch, e):
    """The place of the leaf at the end of an edge; -1: none waits there."""
    for slot in range(batch.used.shape[0]):
        if batch.used[slot] and batch.depths[slot] > 0 and batch.edges[slot, batch.depths[slot] - 1] == e:
            return slot
    return -1


@inlined
def free_slot(batch):
    slot = batch.info[HINT]
    while slot < batch.used.shape[0] and batch.used[slot]:
        slot += 1
    return slot


@inlined
def find_answers(rules, params, work, size):
    """The leaf's legal actions and where a policy of `size` entries has them: (status, how many or what is wrong)."""
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
    """Let the leaf of the present walk wait in a place of its own."""
    players = params.players
    for d in range(depth):
        batch.nodes[slot, d], batch.edges[slot, d] = work.path_nodes[d], work.path_edges[d]
    for i in range(depth * players):
        batch.rewards[slot, i] = work.path_rewards[i]
    for i in range(count):
        batch.actions[slot, i], batch.indices[slot, i] = work.actions[i], work.indices[i]
    batch.depths[slot], batch.players[slot], batch.counts[slot] = depth, player, count
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


@njit
def collect(rules, params, tree, work, batch, wanted, stop_at, policy_size, forced, node_limit, byte_limit, target):
    """Walk until `wanted` more leaves wait, or so many simulations are done or under way that there will be `stop_at`,
    or no further walk makes sense: (status, detail).

    Walks that end where the value is known are backed up on the way. The walk that finds a leaf waiting already counts
    as one more under way there until the collecting ends; after as many of these as leaves are wanted, it ends.
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
        random = tree.rng[0]
        ending, depth, player = select(rules, params, tree, work, TREE, True, forced)
        if ending in (DEEPER, GROW):
            tree.rng[0] = random  # the walk will be made again, and must be the same
        if ending >= DONE:
            status, detail = ending, player
            break
        if ending in (FINISHED, PROVEN):
            known_returns(params, tree, work, TREE, ending, depth)
            if not returns_fit(params, work, TREE, depth, EXACT):
                status, detail = BAD_VALUE, depth
                break
            status, detail = finish(rules, params, tree, work, TREE, ending, depth), np.int64(depth)
            if status != DONE:
                break
            continue
        if player < 0 or player >= params.players:
            status, detail = BAD_PLAYER, player
            break
        if ending == ROOT_ITSELF and batch.info[WAITING] > 0:
            break  # nothing can be done before its answer
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


# The cache.


@inlined
def load_cached(params, work, batch, key, count):
    """Whether the cache knows a position: then its weights and values are in `work`."""
    place = np.int64(key & np.uint64(batch.cache_keys.shape[0] - 1))
    if key == 0 or batch.cache_keys[place] != key or batch.cache_weights[place, count - 1] < 0.0:
        return False
    for i in range(count):
        work.weights[i] = batch.cache_weights[place, i]
    load_row(work.returns, batch.cache_values, place)
    return True


@inlined
def keep_cached(params, work, batch, key, count):
    """Note the weights and values in `work`; the place of the last action tells how many there are."""
    place = np.int64(key & np.uint64(batch.cache_keys.shape[0] - 1))
    batch.cache_keys[place] = key
    for i in range(count):
        batch.cache_weights[place, i] = work.weights[i]
    if count < batch.cache_weights.shape[1]:
        batch.cache_weights[place, count] = -1.0
    for p in range(params.players):
        batch.cache_values[place, p] = work.returns[p]


# Answers.


@inlined
def turned(params, values, row, player, returns):
    """A value from outside, for each player: as it came, or from that of the one who moves. The one place for this."""
    if values.shape[1] == params.players:
        for p in range(params.players):
            returns[p] = values[row, p]
    else:
        value = np.float64(values[row, 0])
        returns[1 - player] = params.returns_sum - value
        returns[player] = value


@inlined
def settle_leaf(rules, params, tree, work, depth, player, count):
    """The leaf of the walk in `work` becomes a node with the weights there as priors; its returns are backed up: a
    status."""
    power = params.prior_power
    if power != 1.0:
        for i in range(count):
            work.weights[i] = work.weights[i] ** power
    normalise(work.weights, count)
    sort_by_weight(work.actions, work.weights, count)
    if depth == 0:
        give_root_priors(tree, work, count)
        back_up_root(params, tree, work)
        return np.int64(DONE)
    number = add_node(params, tree, work, player, count)
    keep_rewards(params, tree, work, number, depth)
    node = tree.nodes[number]
    node["visits"], node["own"], node["value"] = 1, 1, work.returns[player]
    tree.edges[work.path_edges[depth - 1]]["child"] = number
    status = call_back_up(rules, params, tree, work, depth, 0, 0)
    note_leader(params, tree, np.int64(work.path_edges[0]))
    return status


@inlined
def give_root_priors(tree, work, count):
    """The root was there before its evaluation: its edges, none of them visited, get their priors and their order.

    Some of the legal actions may be left out there (`only`); what remains sums to one again.
    """
    node = tree.nodes[ROOT]
    first, there, total = np.int64(node["first_edge"]), np.int64(node["count"]), 0.0
    at = 0
    for i in range(count):
        for e in range(first + at, first + there):
            if tree.edges[e]["action"] == work.actions[i]:
                tree.edges[e]["action"] = tree.edges[first + at]["action"]
                tree.edges[first + at]["action"], tree.edges[first + at]["prior"] = work.actions[i], work.weights[i]
                total += work.weights[i]
                at += 1
                break
    for e in range(first, first + there):
        tree.edges[e]["prior"] = tree.edges[e]["prior"] / total if total > 0.0 else 1.0 / there


@inlined
def leave(tree, batch, slot):
    """A leaf no longer waits: its marks are taken back, its place is free."""
    mark(tree, batch, slot, -1)
    batch.used[slot], batch.known[slot] = 0, 0
    batch.info[WAITING] -= 1
    batch.info[HINT] = min(batch.info[HINT], slot)


@njit
def settle(rules, params, tree, work, batch, slots, policy, values):
    """The answers for the leaves in `slots`: a row of `policy` and `values` for each that the cache does not know.

    Returns (status, how many were backed up): all, or those before the first whose returns the game can't have.
    """
    params, tree, work, batch = unpacked(params), unpacked(tree), unpacked(work), unpacked(batch)
    players, row, status = params.players, 0, np.int64(DONE)
    for i in range(slots.shape[0]):
        slot = np.int64(slots[i])
        depth, player, count = np.int64(batch.depths[slot]), np.int64(batch.players[slot]), np.int64(batch.counts[slot])
        for a in range(count):
            work.actions[a] = batch.actions[slot, a]
        if batch.known[slot]:
            for a in range(count):
                work.weights[a] = batch.known_weights[slot, a]
            load_row(work.returns, batch.known_values, slot)
        else:
            for a in range(count):
                work.weights[a] = policy[row, batch.indices[slot, a]]
            turned(params, values, row, player, work.returns)
            if batch.cache_keys.shape[0] > 0 and batch.keys[slot] != 0:
                keep_cached(params, work, batch, batch.keys[slot], count)
            batch.info[EVALUATED] += 1
            row += 1
        for d in range(depth):
            work.path_nodes[d], work.path_edges[d] = batch.nodes[slot, d], batch.edges[slot, d]
        for p in range(depth * players):
            work.path_rewards[p] = batch.rewards[slot, p]
        if not returns_fit(params, work, TREE, depth, ESTIMATE):
            tidy(params, tree, batch)
            return np.int64(BAD_VALUE), i
        for d in range(depth):
            number, e = np.int64(batch.nodes[slot, d]), np.int64(batch.edges[slot, d])
            if tree.edges[e]["visits"] == 0 and is_counted(params, tree.nodes[number]):
                tree.nodes[number]["opened"] -= 1  # which the backup will count
        leave(tree, batch, slot)
        load_row(work.state, batch.states, slot)
        done = settle_leaf(rules, params, tree, work, depth, player, count)
        status = done if done != DONE else status
    tidy(params, tree, batch)
    return status, slots.shape[0]


@njit
def take_back(params, tree, batch, slots):
    """Leaves that will get no answer: as if the walks there had never been."""
    for row in range(slots.shape[0]):
        slot = np.int64(slots[row])
        leave(tree, batch, slot)
        for d in range(batch.depths[slot]):
            e = batch.edges[slot, d]
            if (
                tree.edges[e]["visits"] == 0
                and batch.flights[e] == 0
                and is_counted(params, tree.nodes[batch.nodes[slot, d]])
            ):
                batch.info[UNCLOSED] += 1
    tidy(params, tree, batch)


@inlined
def tidy(params, tree, batch):
    """Once no leaf waits, give edges that were never visited after all their places back."""
    if batch.info[UNCLOSED] > 0 and batch.info[WAITING] == 0:
        for number in range(ROOT, tree.counters[NODES]):
            if is_counted(params, tree.nodes[number]):
                close_edges(tree, number)
        batch.info[UNCLOSED] = 0


@inlined
def close_edges(tree, number):
    """Edges that stand with the visited ones and never were go back to the others, each to its place by prior.

    Only while no leaf waits: paths name edges by their place.
    """
    node, edges = tree.nodes[number], tree.edges
    first, stop = np.int64(node["first_edge"]), np.int64(node["first_edge"]) + np.int64(node["count"])
    e = first + np.int64(node["opened"]) - 1
    while e >= first:
        if edges[e]["visits"] == 0:
            last = first + np.int64(node["opened"]) - 1
            swap(tree, e, last)
            node["opened"] -= 1
            while last + 1 < stop and edges[last + 1]["prior"] > edges[last]["prior"]:
                swap(tree, last, last + 1)
                last += 1
        e -= 1


@inlined
def swap(tree, a, b):
    if a == b:
        return
    one, other = tree.edges[a], tree.edges[b]
    action, prior, visits = one["action"], one["prior"], one["visits"]
    child, value, spread = one["child"], one["value"], one["spread"]
    one["action"], one["prior"], one["visits"] = other["action"], other["prior"], other["visits"]
    one["child"], one["value"], one["spread"] = other["child"], other["value"], other["spread"]
    other["action"], other["prior"], other["visits"] = action, prior, visits
    other["child"], other["value"], other["spread"] = child, value, spread
    swap_words(tree.policy_columns, a, b)
    swap_words(tree.backup_columns, a, b)
    if tree.counters[LEADER] == a:
        tree.counters[LEADER] = b
    elif tree.counters[LEADER] == b:
        tree.counters[LEADER] = a
