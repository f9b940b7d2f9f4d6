"""Back up leaves whose values have arrived from outside, and take back those without an answer (`core/pending.py`).

Unlike in a search by playouts, a position becomes a node at its first visit, since its priors come with its value.
"""

import numpy as np

from .answer import note_leader
from .arrays import load_row
from .backup import ESTIMATE, back_up_root, returns_fit
from .edges import close_edges, is_counted
from .endings import BAD_VALUE, DONE
from .expand import add_node, normalise, sort_by_weight
from .jit import inlined, njit
from .pack import unpacked
from .params import TREE
from .part_calls import call_back_up
from .pending import close_path, keep_cached, leave, load_path
from .select import keep_rewards
from .tree import EVALUATED, NODES, ROOT, UNCLOSED, WAITING


@njit
def receive(rules, params, tree, work, batch, slots, policy, values):
    """Back up the leaves in `slots`, given a row of `policy` and `values` for each that was not in the cache.

    Returns (status, how many were backed up): all of them, or those before the first with returns that are impossible
    in the game.
    """
    params, tree, work, batch = unpacked(params), unpacked(tree), unpacked(work), unpacked(batch)
    row, status = 0, np.int64(DONE)
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
        load_path(params, work, batch, slot)
        if not returns_fit(params, work, work.returns, TREE, depth, ESTIMATE):
            tidy(params, tree, batch)
            return np.int64(BAD_VALUE), i
        close_path(params, tree, work, depth)
        leave(tree, batch, slot)
        load_row(work.state, batch.states, slot)
        done = receive_leaf(rules, params, tree, work, depth, player, count)
        status = done if done != DONE else status
    tidy(params, tree, batch)
    return status, slots.shape[0]


@inlined
def receive_leaf(rules, params, tree, work, depth, player, count):
    """Make a node of the leaf of the simulation in `work`, with the weights there as priors, and back up its returns.

    Returns a status.
    """
    power = params.prior_power
    if power != 1.0:
        most = 0.0
        for i in range(count):
            most = max(most, work.weights[i])
        scale = 1.0 / most if most > 0.0 and most < np.inf else 1.0  # so that a high power leaves the greatest as it is
        for i in range(count):
            work.weights[i] = (work.weights[i] * scale) ** power
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
    status = call_back_up(rules, params, tree, work, depth, 0, 1)
    note_leader(params, tree, np.int64(work.path_edges[0]))
    return status


@inlined
def turned(params, values, row, player, returns):
    """Fill `returns` from a value from outside, given for each player or only for the player to move."""
    if values.shape[1] == params.players:
        for p in range(params.players):
            returns[p] = values[row, p]
    else:
        value = np.float64(values[row, 0])
        returns[1 - player] = params.returns_sum - value
        returns[player] = value


@inlined
def give_root_priors(tree, work, count):
    """Give the root's edges, none of them visited, their priors and their order.

    Unlike other nodes, the root exists before its evaluation, and some legal actions may be left out there (`only`).
    The priors of the others are scaled to sum to one.
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


@njit
def take_back(params, tree, batch, slots):
    """Discard leaves, as if their simulations had never been made."""
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
    """Once no leaf waits, close the edges that were opened but never visited."""
    if batch.info[UNCLOSED] > 0 and batch.info[WAITING] == 0:
        for number in range(ROOT, tree.counters[NODES]):
            if is_counted(params, tree.nodes[number]):
                close_edges(tree, number)
        batch.info[UNCLOSED] = 0
