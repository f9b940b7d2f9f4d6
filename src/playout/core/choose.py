"""Which edge a walk takes from a node: the one loop over its edges, made around a policy's own functions.

A policy says what an edge scores (`score`), given what all edges of a node share (`prepare`). Everything else is the
same for all policies and stands here: what counts as a visit, which unvisited edges take part, how ties are broken, and
what is passed over because it is proven. The loop is compiled together with the policy and called once a node, by its
address in the rules table, so that a policy of one's own compiles nothing of the search again.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .jit import inlined
from .pack import unpacked
from .params import FIXED, INFINITE, ONE, PARENT_BY_SEEN, WIDENING
from .rng import random_below
from .rules import CHANCE
from .tree import GREATEST, LEAST, ROOT, UNKNOWN
from .views import EdgeView, NodeView

PASS_OVER_EVERY = 4
NO_NUMBER = -1  # in place of an edge: the policy's score is not a number


@inlined
def scale_of(params, bounds):
    """What turns a value into a score's unit: (subtract, multiply). Values of a known range stay as they are.

    Without a known range, the least and greatest edge value seen so far become 0 and 1 (MuZero).
    """
    if params.normalise and bounds[GREATEST] > bounds[LEAST]:
        return bounds[LEAST], 1.0 / (bounds[GREATEST] - bounds[LEAST])
    return 0.0, 1.0


@inlined
def passes_over(params, node):
    """Whether this visit passes over the edges that are proven: with one player always, with more every fourth time.

    A proven draw that looks best would otherwise take every visit, and what might be better would never be found out.
    With one player a visit to what is proven teaches nothing at all, and the node's mean has the exact value without it
    (`counted` in `core/solver.py`). With more players, it is passed over rarely enough to leave the mean alone.
    """
    return params.solver and (params.players == 1 or node["visits"] % PASS_OVER_EVERY == 1)


@inlined
def unvisited_value(params, tree, node, subtract, multiply):
    """What an unvisited edge is taken to be worth: a number, or the node's own value less a reduction, which may grow
    with the root of the share of the priors that was visited."""
    if params.unvisited == FIXED:
        return (params.unvisited_value - subtract) * multiply
    reduction = params.unvisited_value
    if params.unvisited == PARENT_BY_SEEN:
        seen, first = 0.0, np.int64(node["first_edge"])
        for e in range(first, first + np.int64(node["opened"])):
            seen += tree.edges[e]["prior"] if tree.edges[e]["visits"] > 0 else 0.0
        reduction *= math.sqrt(seen)
    return (node["value"] - subtract) * multiply - reduction


@inlined
def allowed_edges(params, node, count):
    """How many of `count` edges may be visited: all, or under widening min(cap, initial + k N^alpha), at least one."""
    if params.expansion != WIDENING:
        return count
    allowed = params.widening_initial + params.widening_k * node["visits"] ** params.widening_alpha
    return max(1, min(count, np.int64(min(allowed, params.widening_cap))))


@inlined
def equal_unvisited(params, tree, node):
    """How many of the unvisited edges come next, one as well as the other: those of highest prior, or all of them."""
    first, rest = np.int64(node["first_edge"]) + np.int64(node["opened"]), np.int64(node["count"]) - node["opened"]
    if not params.by_prior:
        return rest
    equal = np.int64(1)
    while equal < rest and tree.edges[first + equal]["prior"] == tree.edges[first]["prior"]:
        equal += 1
    return equal


@inlined
def next_unvisited(params, tree, node):
    """The unvisited edge of highest prior, brought to the front of the unvisited; equal priors: a random one."""
    first = np.int64(node["first_edge"]) + np.int64(node["opened"])
    if not params.random_ties or np.int64(node["count"]) - node["opened"] == 1:
        return first
    return to_the_front(tree, node, first + random_below(tree.rng, equal_unvisited(params, tree, node)))


@inlined
def to_the_front(tree, node, e):
    """Bring an unvisited edge to the front of the unvisited: those that are visited come first. Returns its place."""
    front = np.int64(node["first_edge"]) + np.int64(node["opened"])
    if e != front:  # neither was visited: only these two fields differ
        edge, other = tree.edges[front], tree.edges[e]
        action, prior = edge["action"], edge["prior"]
        edge["action"], edge["prior"] = other["action"], other["prior"]
        other["action"], other["prior"] = action, prior
    return front


@inlined
def best_exact(edges, first, opened):
    """The best of a node's edges where all are proven, yet not the node: they disagree about the other players."""
    chosen = first
    for e in range(first + 1, first + opened):
        if edges[e]["value"] > edges[chosen]["value"]:
            chosen = e
    return chosen


@inlined
def spread_of(tree, node):
    """Of all returns at a node: within its edges, between them, and of the visits that ended here, by their mean."""
    total, beyond, first = 0.0, 0.0, np.int64(node["first_edge"])
    for e in range(first, first + np.int64(node["opened"])):
        off = tree.edges[e]["value"] - node["value"]
        total += tree.edges[e]["spread"] + tree.edges[e]["visits"] * off * off
        beyond += tree.edges[e]["visits"] * off
    own = np.int64(node["own"]) * (1 - np.int64(node["flags"] & UNKNOWN))
    return total + beyond * beyond / own if own > 0 else total  # all deviations from a mean sum to zero


@inlined
def node_view(params, tree, number, flying, subtract, multiply):
    """A node as a policy sees it; `flying` walks are under way through it.

    The spread costs a loop of its own. The compiler leaves it out of a policy that does not look at it.
    """
    node = tree.nodes[number]
    visits = np.int64(node["visits"]) + flying
    width = 1.0 if params.normalise else params.highest - params.lowest
    return NodeView(
        visits,
        visits - np.int64(node["own"]),
        (node["value"] - subtract) * multiply,
        spread_of(tree, node) * multiply * multiply,
        np.float64(width),
        np.int64(node["player"]),
        np.int64(node["count"]),
    )


@inlined
def edge_view(params, edge, pending, least, subtract, multiply, unvisited):
    """An edge as a policy sees it.

    A walk under way is a visit worth `value - virtual_loss (value - least)`; an edge without a visit is worth what
    `unvisited` says.
    """
    visits = np.int64(edge["visits"]) + pending
    value = np.float64(edge["value"])
    if pending > 0:
        if edge["visits"] == 0:
            value = unvisited / multiply + subtract
        value -= params.virtual_loss * max(0.0, value - least) * pending / visits
    return EdgeView(
        visits,
        pending,
        (value - subtract) * multiply,
        np.float64(edge["spread"]) * multiply * multiply,
        np.float64(edge["prior"]),
        np.int64(edge["action"]),
        False,
    )


@inlined
def unvisited_view(action, prior, value):
    zero = np.int64(0)
    return EdgeView(zero, zero, np.float64(value), 0.0, np.float64(prior), np.int64(action), False)


@inlined
def proven_score(params, edge, subtract, multiply, pass_over):
    """Nothing is left to explore where the value is exact; a proven loss is not taken while there is anything else."""
    if pass_over or edge["value"] <= params.lowest:
        return -np.inf
    return (edge["value"] - subtract) * multiply


@inlined
def no_preparation(policy, node, rng):
    return 0.0


def make_choose(
    prepare: Callable[..., Any], score: Callable[..., Any], scores_unvisited: bool, waiting: bool, checked: bool
) -> Callable[..., Any]:
    """The choice at a node that a player moves at, for one policy.

    With `waiting`, walks under way count; with `checked`, scores that are no numbers are found.
    """

    def choose(policy, params, tree, work, number, depth, flying):
        """The edge to take: the highest score, ties at random (or the first). NO_NUMBER where a score is not one."""
        params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
        node, edges, rng = tree.nodes[number], tree.edges, tree.rng
        first, opened, count = np.int64(node["first_edge"]), np.int64(node["opened"]), np.int64(node["count"])
        row = min(depth, work.scores.shape[0] - 1)
        more = opened < allowed_edges(params, node, count)
        if more and (params.unvisited == INFINITE or params.expansion == ONE):
            return next_unvisited(params, tree, node)
        subtract, multiply = scale_of(params, tree.bounds)
        view = node_view(params, tree, number, flying, subtract, multiply)
        shared = np.float64(prepare(policy, view, rng))
        pass_over = passes_over(params, node)
        unvisited, least = 0.0, 0.0
        if waiting or more:
            unvisited = 0.0 if params.unvisited == INFINITE else unvisited_value(params, tree, node, subtract, multiply)
        if waiting:
            least = tree.bounds[LEAST] if params.lowest == -np.inf else params.lowest
        best, ties, open_ends, chosen, sound = -np.inf, np.int64(0), np.int64(0), first, True
        for e in range(np.uint64(first), np.uint64(first + opened)):  # unsigned: no index is looked at twice
            edge = edges[e]
            pending = np.int64(work.pending[e]) if waiting else np.int64(0)
            if edge["child"] < 0:
                got = proven_score(params, edge, subtract, multiply, pass_over)
            elif waiting and not scores_unvisited and edge["visits"] + pending == 0:
                got = unvisited
                open_ends += 1
            else:
                open_ends += 1
                seen = edge_view(params, edge, pending, least, subtract, multiply, unvisited)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked:
                    sound = sound and not math.isnan(got)
            work.scores[row, np.int64(e) - first] = got
            # Without branches: which score is best can't be predicted, and a wrong guess costs as much as two edges.
            better = got > best
            ties = np.int64(1) if better else ties + (got == best)
            chosen = np.int64(e) if better else chosen
            best = got if better else best
        if open_ends == 0 and opened < count:  # whatever widening allows: there is nothing else to learn
            return next_unvisited(params, tree, node)
        if more:
            edge, got = edges[first + opened], unvisited
            if scores_unvisited:
                seen = unvisited_view(edge["action"], edge["prior"], unvisited)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked:
                    sound = sound and not math.isnan(got)
            work.scores[row, opened] = got
            if sound and (got > best or (got == best and (not params.random_ties or random_below(rng, ties + 1) == 0))):
                return next_unvisited(params, tree, node)
        if not sound:
            return np.int64(NO_NUMBER)
        if best == -np.inf:
            return best_exact(edges, first, opened)
        if ties > 1 and params.random_ties:
            skip = random_below(rng, ties)
            for e in range(chosen, first + opened):
                if work.scores[row, e - first] == best:
                    if skip == 0:
                        return e
                    skip -= 1
        return chosen

    return choose


def make_choose_open(
    prepare: Callable[..., Any], score: Callable[..., Any], scores_unvisited: bool, checked: bool
) -> Callable[..., Any]:
    """The same in an open loop, where the legal actions and their priors are those of this walk."""

    def choose(policy, params, tree, work, number, depth, count):
        """The edge of the best score among the `count` actions that are legal now, which `work` holds with priors."""
        params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
        node, rng = tree.nodes[number], tree.rng
        subtract, multiply = scale_of(params, tree.bounds)
        view = node_view(params, tree, number, np.int64(0), subtract, multiply)
        shared = np.float64(prepare(policy, view, rng))
        row = min(depth, work.scores.shape[0] - 1)
        best, chosen, ties, taken, sound = -np.inf, np.int64(-1), np.int64(0), np.int64(0), True
        untaken, prior, equal = np.int64(-1), -1.0, np.int64(0)  # the first action never taken of the highest prior
        for i in range(count):
            e = edge_of(tree, node, work.actions[i])
            if number == ROOT:  # it has its edges from the start, or some of them, and their priors may have noise
                if e < 0:
                    continue
                work.weights[i] = tree.edges[e]["prior"]
            if e < 0 or tree.edges[e]["visits"] == 0:
                weight = work.weights[i] if params.by_prior else 0.0
                if weight > prior:
                    untaken, prior, equal = np.int64(i), weight, np.int64(1)
                elif weight == prior:
                    equal += 1
                    if params.random_ties and random_below(rng, equal) == 0:
                        untaken = np.int64(i)
                continue
            edge = tree.edges[e]
            if scores_unvisited:
                edge["prior"] = work.weights[i]  # that of the position as it is this time
            taken += 1
            seen = edge_view(params, edge, np.int64(0), 0.0, subtract, multiply, 0.0)
            got = np.float64(score(policy, view, seen, shared, rng))
            if checked:
                sound = sound and not math.isnan(got)
            work.scores[row, e - np.int64(node["first_edge"])] = got
            if got > best:
                best, chosen, ties = got, e, np.int64(1)
            elif got == best:
                ties += 1
                if params.random_ties and random_below(rng, ties) == 0:
                    chosen = e
        if untaken >= 0 and (taken == 0 or taken < allowed_edges(params, node, count)):
            got = np.inf
            if taken > 0 and params.unvisited != INFINITE and params.expansion != ONE:
                got = unvisited_value(params, tree, node, subtract, multiply)
                if scores_unvisited:
                    seen = unvisited_view(work.actions[untaken], work.weights[untaken], got)
                    got = np.float64(score(policy, view, seen, shared, rng))
                    if checked:
                        sound = sound and not math.isnan(got)
            wins = got > best or (got == best and (not params.random_ties or random_below(rng, ties + 1) == 0))
            if sound and wins:
                return add_untaken(tree, node, work.actions[untaken], work.weights[untaken])
        return chosen if sound else np.int64(NO_NUMBER)

    return choose


@inlined
def edge_of(tree, node, action):
    """A node's edge for an action, or -1."""
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["action"] == action:
            return np.int64(e)
    return np.int64(-1)


@inlined
def add_untaken(tree, node, action, prior):
    """The edge of an action that was never taken, made if it is not there, at the front of the unvisited."""
    e = edge_of(tree, node, action)
    if e < 0:
        e = np.int64(node["first_edge"]) + np.int64(node["count"])
        tree.edges[e]["action"] = action
        node["count"] += 1
    tree.edges[e]["prior"] = prior
    return to_the_front(tree, node, e)


def make_terms(prepare: Callable[..., Any], score: Callable[..., Any], scores_unvisited: bool) -> Callable[..., Any]:
    """What a step shows of a node's edges."""

    def terms(policy, params, tree, number, rng, out):
        """Fill `out[i]` with (value term, exploration term, score) of each edge of a node, as they are compared.

        Edges that may not be visited yet score minus infinity; at a chance node the score is the probability.
        """
        node = tree.nodes[number]
        subtract, multiply = scale_of(params, tree.bounds)
        first, opened, count = np.int64(node["first_edge"]), np.int64(node["opened"]), np.int64(node["count"])
        if node["player"] == CHANCE:
            for i in range(count):
                out[i, 0], out[i, 1], out[i, 2] = 0.0, 0.0, tree.edges[first + i]["prior"]
            return
        view = node_view(params, tree, number, np.int64(0), subtract, multiply)
        shared = np.float64(prepare(policy, view, rng))
        pass_over, allowed = passes_over(params, node), allowed_edges(params, node, count)
        for i in range(count):
            edge = tree.edges[first + i]
            if edge["child"] < 0:
                value = (edge["value"] - subtract) * multiply
                got = proven_score(params, edge, subtract, multiply, pass_over)
            elif edge["visits"] > 0:
                seen = edge_view(params, edge, np.int64(0), 0.0, subtract, multiply, 0.0)
                value, got = seen.value, np.float64(score(policy, view, seen, shared, rng))
            elif params.unvisited == INFINITE or params.expansion == ONE:
                value = got = np.inf
            else:
                value = unvisited_value(params, tree, node, subtract, multiply)
                got = value
                if scores_unvisited:
                    seen = unvisited_view(edge["action"], edge["prior"], value)
                    got = np.float64(score(policy, view, seen, shared, rng))
            out[i, 0], out[i, 1] = value, (got - value if value < np.inf else 0.0)
            out[i, 2] = got if i < max(opened, allowed) else -np.inf

    return terms
