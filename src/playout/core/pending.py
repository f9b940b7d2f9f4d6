"""Leaves that wait for a value from outside: where they are stored, how they are marked, and the cache of answers.

A simulation that waits counts as a visit to each edge of its path, at a loss (`virtual_loss`), so that the next one
goes elsewhere. These marks are kept beside the tree (`flights`): nothing in the tree changes before a leaf's value is
there, and taking a leaf back leaves no trace. With one leaf at a time there is no mark when a simulation begins, so the
search is the plain one, step for step.

`core/collect.py` fills the slots, `core/receive.py` empties them.
"""

from typing import Any, NamedTuple

import numpy as np

from .arrays import load_row
from .edges import is_counted
from .jit import inlined
from .pack import packed
from .tree import FLYING, HINT, WAITING


@packed
class Batch(NamedTuple):
    """The leaves that wait. `[B]` slots, `[D]` depth, `[A]` actions, `[P]` players, `[C]` places in the cache."""

    flights: Any  # [E] int32: simulations in flight through each edge
    nodes: Any  # [B, D] int32: the path to the leaf
    edges: Any  # [B, D] int32
    rewards: Any  # [B, D * P] float64
    depths: Any  # [B] int32; 0: the root itself
    players: Any  # [B] int32: the player to move at the leaf
    shadows: Any  # [B] int32: other simulations that came to the same leaf; they count until the collecting ends
    used: Any  # [B] uint8: 1: a leaf waits in this slot
    fresh: Any  # [B] int32: the slots that the last collecting filled
    states: Any  # [B, S] uint8
    keys: Any  # [B] uint64
    counts: Any  # [B] int32: legal actions
    actions: Any  # [B, A] int32
    indices: Any  # [B, A] int32: the index of each in the policy
    planes: Any  # [B, K] float32: the observations; K is 0 if the evaluator does not use them
    known: Any  # [B] uint8: 1: the cache had the answer. The leaf waits its turn all the same: the tree must not depend
    # on what the cache holds
    known_weights: Any  # [B, A] float32
    known_values: Any  # [B, P] float64
    cache_keys: Any  # [C] uint64: positions by key, each in the one place for it; C is a power of two, or 0
    cache_weights: Any  # [C, A] float32: the policy for the legal actions, in the order of the rules
    cache_values: Any  # [C, P] float64: for each player
    info: Any  # [INFO] int64: leaves that wait, simulations in flight, shadows, … (`core/tree.py`)


@inlined
def mark(tree, batch, slot, by):
    """Add `by` to the simulations in flight along the path of a leaf that waits."""
    for d in range(batch.depths[slot]):
        batch.flights[batch.edges[slot, d]] += by
    batch.info[FLYING] += by


@inlined
def store_path(params, work, batch, slot, depth):
    """Store the path of the simulation in `work` in a slot."""
    for d in range(depth):
        batch.nodes[slot, d], batch.edges[slot, d] = work.path_nodes[d], work.path_edges[d]
    for i in range(depth * params.players):
        batch.rewards[slot, i] = work.path_rewards[i]
    batch.depths[slot] = depth


@inlined
def load_path(params, work, batch, slot):
    """Load the path of a leaf that waits into `work`; returns its depth."""
    depth = np.int64(batch.depths[slot])
    for d in range(depth):
        work.path_nodes[d], work.path_edges[d] = batch.nodes[slot, d], batch.edges[slot, d]
    for i in range(depth * params.players):
        work.path_rewards[i] = batch.rewards[slot, i]
    return depth


@inlined
def close_path(params, tree, work, depth):
    """Undo `open_edges` along the path in `work`, since the backup opens its edges again."""
    for d in range(depth):
        node, e = tree.nodes[work.path_nodes[d]], np.int64(work.path_edges[d])
        is_open = e < np.int64(node["first_edge"]) + np.int64(node["opened"])
        if is_open and tree.edges[e]["visits"] == 0 and is_counted(params, node):
            node["opened"] -= 1


@inlined
def open_edges(tree, batch, slot):
    """Open the unvisited edges on a leaf's path, each of which is the first of the unvisited ones."""
    for d in range(batch.depths[slot]):
        node, e = tree.nodes[batch.nodes[slot, d]], batch.edges[slot, d]
        if e == node["first_edge"] + node["opened"] and node["opened"] < node["count"]:
            node["opened"] += 1


@inlined
def slot_at(batch, e):
    """The slot of the leaf at the end of an edge, or -1."""
    for slot in range(batch.used.shape[0]):
        if batch.used[slot] and batch.depths[slot] > 0 and batch.edges[slot, batch.depths[slot] - 1] == e:
            return slot
    return -1


@inlined
def free_slot(batch):
    """The first free slot; past the end if there is none."""
    slot = batch.info[HINT]
    while slot < batch.used.shape[0] and batch.used[slot]:
        slot += 1
    return slot


@inlined
def leave(tree, batch, slot):
    """Remove a leaf's marks and free its slot."""
    mark(tree, batch, slot, -1)
    batch.used[slot], batch.known[slot] = 0, 0
    batch.info[WAITING] -= 1
    batch.info[HINT] = min(batch.info[HINT], slot)


@inlined
def load_cached(params, work, batch, key, count):
    """Whether the cache has a position; if so, load its weights and values into `work`."""
    place = np.int64(key & np.uint64(batch.cache_keys.shape[0] - 1))
    if key == 0 or batch.cache_keys[place] != key or batch.cache_weights[place, count - 1] < 0.0:
        return False
    for i in range(count):
        work.weights[i] = batch.cache_weights[place, i]
    load_row(work.returns, batch.cache_values, place)
    return True


@inlined
def keep_cached(params, work, batch, key, count):
    """Store the weights and values in `work`; a -1 after the last weight marks how many there are."""
    place = np.int64(key & np.uint64(batch.cache_keys.shape[0] - 1))
    batch.cache_keys[place] = key
    for i in range(count):
        batch.cache_weights[place, i] = work.weights[i]
    if count < batch.cache_weights.shape[1]:
        batch.cache_weights[place, count] = -1.0
    for p in range(params.players):
        batch.cache_values[place, p] = work.returns[p]
