"""Step 4, backup: the return goes up the path; each edge gets the entry of the player who chose it."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .arrays import any_of, copy, load_row, store_row
from .below import add_step, begin_below, take_best
from .endings import BAD_BACKUP, DONE
from .graph import child_at, take_over
from .graph_backup import load_published, publish, publish_means, value_through, value_through_means, walked_edge
from .jit import inlined
from .params import GRAPH, OPEN, SHARED
from .solver import SAME, best_exact_value, counted, has_exact_edge
from .threads import lock, unlock
from .tree import (
    CHANGED,
    DEPTH_MAX,
    DEPTH_SUM,
    GREATEST,
    LEAST,
    NO_NODE,
    NO_PROOF,
    POSITIONS,
    ROOT,
    SIMULATIONS,
    UNKNOWN,
    VECTORS,
    child_node,
)

FINITE = sys.float_info.max
SAME_SUM = 1e-6  # by which fraction the sum of the returns may be off, since sums of rewards are rounded


# Kinds of a leaf's value: of a finished game or a proof; an estimate, by the rules or from outside; a graph's mean.
EXACT, ESTIMATE, MEAN = range(3)


@inlined
def returns_fit(params, work, returns, topology, depth, kind):
    """Whether the returns from the leaf and from each position of the path are possible in the game.

    Checked before anything in the tree changes: NaN, infinity or a value outside the game's range would spoil every
    mean and proof above it. If the leaf's value is an estimate, the rewards on the way to it may take the sum out of
    the range by as much as an estimate can be wrong: the width of the range. So may a graph's mean itself, since it is
    updated by differences and with a delay.
    """
    players, total, fit = params.players, 0.0, True
    steps = depth
    if topology != OPEN and params.discount == 1.0 and not any_of(work.path_rewards, depth * players):
        steps = 0  # all positions of the path have the leaf's returns
    wrong_by = 0.0 if kind == EXACT else params.most_return - params.least_return
    least, most = max(-FINITE, params.least_return - wrong_by), min(FINITE, params.most_return + wrong_by)
    for p in range(players):
        got = returns[p]
        if kind == MEAN:
            fit &= (got >= least) & (got <= most)
        else:
            fit &= (got >= params.least_return) & (got <= params.most_return)
        for d in range(steps - 1, -1, -1):
            scale = params.discount
            if topology == OPEN:
                scale = work.path_scales[d]
            got = work.path_rewards[d * players + p] + scale * got
            fit &= (got >= least) & (got <= most)
        total += got
    return fit and (kind == MEAN or not abs(total - params.sum_of_returns) > SAME_SUM * (1.0 + abs(returns[0])))


class Updates(NamedTuple):
    """A part's `update`, and the functions that show it its settings and an edge."""

    update: Callable[..., Any]
    settings: Callable[..., Any]
    new_edge: Callable[..., Any]
    show: Callable[..., Any]
    load: Callable[..., Any]
    store: Callable[..., Any]


def make_back_up(
    backup: Updates, policy: Updates | None, topology: int, waiting: int, plain_mean: bool, word: int, wins: int
) -> Callable[..., Any]:
    """Make the backup from a leaf to the root, for one `Backup`, and for a policy if that has an `update`.

    With `plain_mean` an edge's value is the mean of its returns, and `update` is not called. If the backup asks for the
    best below an edge, `word` is the column that is compared, otherwise -1. If wins, draws and losses are counted,
    `wins` is the column of wins, otherwise -1.
    """
    update, settings_of, new_edge, show_edge, load, store = backup
    note, noter_of, new_noted, show_noted, load_noted, store_noted = policy or backup
    notes, looks_below, counts = policy is not None, word >= 0, wins >= 0

    def back_up(rules, params, tree, work, depth, base, many):
        """Add one visit to each edge and node of the path, from `depth` up to `base`. Returns DONE or BAD_BACKUP.

        In the part of the tree that threads share, it adds `many` visits, whose returns `work.batch` holds.
        The return of a step is its reward plus the discounted return of what follows: G = r + discount G'.
        `work.returns` holds G' at the leaf and is overwritten. No sign is ever flipped. In a tree, an edge's value is
        what its backup makes of its returns; in a graph, it follows from its node's value (`core/graph.py`). If the
        value came late (`waiting`), an edge of the path may have been proven in the meantime: then the exact value goes
        up from there.
        """
        players, returns, status = params.players, work.returns, DONE
        nodes, edges = tree.nodes, tree.edges
        below, in_step = returns[0], False  # in a graph: see `value_through`
        if topology == GRAPH and plain_mean and params.graph == VECTORS:
            load_published(params, tree, child_at(tree, work, depth - 1), work.values)
        if looks_below and waiting != SHARED:  # there, `work.values` comes from below
            begin_below(tree, work, depth)
        shown, noted = new_edge(), new_noted()
        for d in range(depth - 1, base - 1, -1):
            row = d * players
            # Unsigned: Numba does not test for a negative index.
            number, e = np.uint32(work.path_nodes[d]), np.uint32(work.path_edges[d])
            node, edge = nodes[number], edges[e]
            if waiting == SHARED:
                lock(tree, work, number)
            for k in range(many if waiting == SHARED else 1):
                if waiting == SHARED:
                    load_row(returns, work.batch, k)
                if waiting and edge["child"] < 0:
                    load_row(returns, tree.proofs, nodes[child_node(edge["child"])]["proof"])
                    below = returns[0]
                    if looks_below:
                        copy(work.values, returns)
                add_step_to(work, row, players, work.path_scales[d] if topology == OPEN else params.discount)
                player = node["player"]
                chooser = player if player >= 0 else 0
                if looks_below:
                    add_step(params, work, row)
                got, before, visits = returns[chooser], edge["value"], edge["visits"] + 1
                edge["visits"] = visits
                if counts:
                    count_result(params, tree, e, wins, returns, chooser)
                node["visits"] += 1
                if visits == 1:
                    if topology != GRAPH:
                        tree.counters[POSITIONS] += 1
                    if waiting != SHARED and node["opened"] < node["count"]:
                        node["opened"] += 1
                if topology == GRAPH and work.path_links[d] != NO_NODE:
                    take_over(params, tree, work, np.int64(e), np.int64(work.path_links[d]), row)
                added = got
                if not plain_mean:
                    value = before
                    if edge["child"] >= 0:
                        show_edge(shown, edge, work.values[chooser])
                        load(shown, tree.backup_columns, e)
                        update(settings_of(tree.backup), shown, got)
                        value = np.float64(shown.value)
                        if not fits(params, value, before, got, looks_below):
                            status, value = BAD_BACKUP, before + (got - before) / visits
                        store(shown, tree.backup_columns, e)
                    added = visits * value - (visits - 1) * before
                    edge["spread"] = max(0.0, edge["spread"] + (got - before) * (got - value))
                elif topology == GRAPH:
                    if params.graph == VECTORS:
                        value = value_through_means(params, tree, work, d, before, visits)
                    else:
                        is_last = d == depth - 1
                        value, added, below = value_through(
                            params, tree, work, waiting, d, is_last, before, visits, below, in_step
                        )
                    edge["spread"] = max(0.0, edge["spread"] + (got - before) * (got - value))
                else:
                    delta = got - before
                    value = before + delta / visits
                    edge["spread"] += delta * (got - value)
                edge["value"] = value
                if looks_below:
                    take_best(params, tree, work, np.int64(number), word)
                if params.normalise:
                    tree.bounds[LEAST] = min(tree.bounds[LEAST], value)
                    tree.bounds[GREATEST] = max(tree.bounds[GREATEST], value)
                if has_exact_edge(params, node):
                    exact = best_exact_value(tree, node)
                    added = counted(exact, visits, before, value, added)
                    returns[0] = added if plain_mean else max(got, exact)
                    below = returns[0]
                if notes and edge["child"] >= 0:
                    show_noted(noted, edge, 0.0)
                    load_noted(noted, tree.policy_columns, e)
                    note(noter_of(tree.policy), noted, got)
                    store_noted(noted, tree.policy_columns, e)
                told = node["value"]
                settled = waiting and node["proof"] > NO_PROOF  # the edges that lead here have its exact value
                in_step = node["flags"] & (UNKNOWN | CHANGED) == 0
                if topology == GRAPH and plain_mean and params.graph == VECTORS:
                    node["value"] = tree.means[np.int64(number), chooser]
                    if not settled:
                        publish_means(params, tree, np.int64(number), walked_edge(work, d))
                else:
                    node["value"] = told + (added - told) / (node["visits"] - node["own"] * (node["flags"] & UNKNOWN))
                    if topology == GRAPH and plain_mean and not settled and is_told(work, node, d, in_step):
                        publish(params, tree, number, told, walked_edge(work, d))
                if waiting == SHARED:
                    store_row(work.batch, k, returns)
            if waiting == SHARED:
                unlock(tree, number)
        if waiting != SHARED:
            count_simulation(tree, depth)
        return status

    return back_up


@inlined
def add_step_to(work, row, players, scale):
    """The returns from a step on: G = r + scale G'."""
    # The first two by hand, as in `take_edge`.
    work.returns[0] = work.path_rewards[row] + scale * work.returns[0]
    if players > 1:
        work.returns[1] = work.path_rewards[row + 1] + scale * work.returns[1]
    for p in range(2, players):
        work.returns[p] = work.path_rewards[row + p] + scale * work.returns[p]


@inlined
def is_told(work, node, d, in_step):
    """Whether edges other than the one just taken must be told of a node's new value."""
    return not in_step or node["parents"] > 1 or d == 0 or work.path_links[d - 1] != NO_NODE


def make_show(looks_below: bool) -> Callable[..., Any]:
    """A function that shows an edge to an `update`: completed visits, this one included; values are not normalised.

    A new function for each part: Numba would confuse edges with and without columns.
    """

    def show(shown, edge, below):
        shown.visits, shown.pending = np.int64(edge["visits"]), np.int64(0)
        shown.value, shown.spread = np.float64(edge["value"]), np.float64(edge["spread"])
        shown.prior, shown.action = np.float64(edge["prior"]), np.int64(edge["action"])
        shown.proven = np.int64(0)
        if looks_below:
            shown.below = np.float64(below)

    return inlined(show)


@inlined
def fits(params, value, before, got, looks_below):
    """Whether a backup may give an edge this value: a finite number.

    With the solver on, it must also lie within the game's range, extended to the edge's old value and to this return;
    where a static value counts, too, by as much as that can be wrong (see `returns_fit`).
    """
    if not params.solver:
        return abs(value) <= FINITE
    wrong_by = params.most_return - params.least_return if looks_below else 0.0
    return value >= min(params.least_return - wrong_by, before, got) and value <= max(
        params.most_return + wrong_by, before, got
    )


@inlined
def count_result(params, tree, e, first, returns, chooser):
    """Count the returns for the player who chose an edge: a win if all others get less, a loss if one gets more, and a
    draw if the best of the others gets the same."""
    others = -np.inf
    for p in range(params.players):
        if p != chooser:
            others = max(others, returns[p])
    at = first + 1
    if returns[chooser] > others + SAME:
        at = first
    elif returns[chooser] < others - SAME:
        at = first + 2
    tree.backup_columns[e, at] += 1


@inlined
def back_up_root(params, tree, work):
    """Back up a simulation that evaluated the root itself."""
    node = tree.nodes[ROOT]
    node["visits"], node["own"] = 1, 1
    player = node["player"]
    node["value"] = work.returns[player if player >= 0 else 0]
    if params.graph == VECTORS:
        for p in range(params.players):
            tree.means[ROOT, p] = work.returns[p]
    count_simulation(tree, 0)


@inlined
def count_simulation(tree, depth):
    """Add a simulation of this depth to the counters."""
    tree.counters[SIMULATIONS] += 1
    tree.counters[DEPTH_SUM] += depth
    tree.counters[DEPTH_MAX] = max(tree.counters[DEPTH_MAX], depth)
