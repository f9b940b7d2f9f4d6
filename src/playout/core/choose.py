"""Which edge a walk takes from a node: the one loop over its edges, made around a policy's own functions.

A policy says what an edge scores (`score`), given what all edges of a node share (`prepare`). Everything else is the
same for all policies, in tree, graph and open loop, and stands here: what counts as a visit, which unvisited edges take
part, how ties are broken, and what is passed over because it is proven. The loop is compiled together with the policy
and called once a node, by its address in the rules table, so that a policy of one's own compiles nothing else again.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .jit import inlined
from .pack import unpacked
from .params import FIXED, INFINITE, ONE, OPEN, PARENT_BY_SEEN, WIDENING
from .rng import random_below
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
def shift_to_the_front(tree, node, e):
    """The same for any of the unvisited: those before it move up by one place, and keep their order by prior."""
    front = np.int64(node["first_edge"]) + np.int64(node["opened"])
    action, prior = tree.edges[e]["action"], tree.edges[e]["prior"]
    for i in range(e, front, -1):
        tree.edges[i]["action"], tree.edges[i]["prior"] = tree.edges[i - 1]["action"], tree.edges[i - 1]["prior"]
    tree.edges[front]["action"], tree.edges[front]["prior"] = action, prior
    return front


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

    The spread costs a loop of its own, which the compiler leaves out of a policy that never looks at it.
    """
    node = tree.nodes[number]
    visits = np.int64(node["visits"]) + flying
    width = 1.0 if params.normalise else params.highest - params.lowest
    return NodeView(
        visits,
        visits - np.int64(node["own"]),
        (node["value"] - subtract) * multiply,
        spread_of(tree, node) * multiply * multiply if params.node_spread else 0.0,
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


# An open loop: the legal actions and their priors are those of this walk, and a node has edges for those once taken.


@inlined
def edge_of(tree, node, action):
    """A node's edge for an action, or -1."""
    for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
        if tree.edges[e]["action"] == action:
            return np.int64(e)
    return np.int64(-1)


@inlined
def gather(params, tree, work, number, count, row):
    """List in `work.candidates` the edges of legal actions that were taken before, then the other actions, by falling
    prior, as -1 - their place in `work.actions`: (how many were taken, how many there are)."""
    node, taken, every = tree.nodes[number], np.int64(0), np.int64(0)
    for i in range(count):
        e = edge_of(tree, node, work.actions[i])
        work.indices[i] = e
        if number == ROOT and e >= 0:
            work.weights[i] = tree.edges[e]["prior"]  # which may have noise
        if e >= 0 and tree.edges[e]["visits"] > 0:
            tree.edges[e]["prior"] = work.weights[i]  # that of the position as it is this time
            work.candidates[row, taken, 0], work.candidates[row, taken, 1] = e, work.actions[i]
            taken += 1
    every = taken
    for i in range(count):
        e = work.indices[i]
        if (e >= 0 and tree.edges[e]["visits"] > 0) or (e < 0 and number == ROOT):  # the root has its edges, or some
            continue
        at = every
        while params.by_prior and at > taken and work.weights[-1 - work.candidates[row, at - 1, 0]] < work.weights[i]:
            for k in range(2):
                work.candidates[row, at, k] = work.candidates[row, at - 1, k]
            at -= 1
        work.candidates[row, at, 0], work.candidates[row, at, 1] = -1 - i, work.actions[i]
        every += 1
    return taken, every


@inlined
def next_untaken(params, tree, work, node, row, taken, every):
    """As `next_unvisited`: the edge of an action never taken, which is made if it is not there."""
    at, rest = taken, every - taken
    if params.random_ties and rest > 1:
        equal = rest
        if params.by_prior:
            equal, highest = np.int64(1), work.weights[-1 - work.candidates[row, taken, 0]]
            while equal < rest and work.weights[-1 - work.candidates[row, taken + equal, 0]] == highest:
                equal += 1
        at += random_below(tree.rng, equal)
    return add_untaken(tree, work, node, -1 - work.candidates[row, at, 0])


@inlined
def add_untaken(tree, work, node, i):
    """The edge of the legal action at place `i`, never taken: made if need be, and brought to the front of those."""
    e = edge_of(tree, node, work.actions[i])
    if e < 0:
        e = np.int64(node["first_edge"]) + np.int64(node["count"])
        tree.edges[e]["action"] = work.actions[i]
        node["count"] += 1
    tree.edges[e]["prior"] = work.weights[i]
    return to_the_front(tree, node, e)


# The choice.


def make_preparation() -> Callable[..., Any]:
    """What a policy shares that has no `prepare`; one for each, as below."""

    def prepare(policy, node, rng):
        return 0.0

    return inlined(prepare)


def make_split() -> Callable[..., Any]:
    """The terms of a policy that names none: the value, and all the rest.

    One for each policy: Numba would take the settings of one for those of another that begin alike.
    """

    def split(out, row, at, policy, node, edge, shared, got):
        out[row, at, 0], out[row, at, 1] = edge.value, got - edge.value

    return inlined(split)


@inlined
def no_slate():
    return 0


@inlined
def no_columns(slate, seen, tree, e):
    return seen


class Functions(NamedTuple):
    """What a policy brings: its own functions, compiled or not, and how they are shown their records."""

    score: Callable[..., Any]
    settings: Callable[..., Any]  # of the bytes of `tree.policy`
    split: Callable[..., Any]  # writes the terms of a score
    prepare: Callable[..., Any]
    slate: Callable[..., Any] = no_slate  # makes what the next writes on
    show: Callable[..., Any] = no_columns  # adds an edge's own columns to what is seen of it


def make_choose(
    functions: Functions,
    topology: int,
    waiting: bool,
    scores_unvisited: bool,
    asks_first: bool,
    checked: bool,
    shown: bool,
) -> Callable[..., Any]:
    """The choice at a node that a player moves at, for one policy.

    With `waiting`, walks under way count; of the unvisited edges the policy is asked for none, all of them, or with
    `asks_first` the first only, which stands for the rest; with `checked`, scores that are no numbers are found; with
    `shown`, all scores and their terms are kept for a step to show.
    """
    prepare, score, settings, split = functions.prepare, functions.score, functions.settings, functions.split
    new_slate, show = functions.slate, functions.show

    def choose(params, tree, work, number, depth, extra):
        """The edge to take: the highest score, ties at random (or the first). NO_NUMBER where a score is not one.

        `extra` is how many walks are under way through the node; in an open loop, how many actions are legal now.
        """
        params, tree, work = unpacked(params), unpacked(tree), unpacked(work)
        node, edges, rng, policy = tree.nodes[number], tree.edges, tree.rng, settings(tree.policy)
        first, taken, count = np.int64(node["first_edge"]), np.int64(node["opened"]), np.int64(node["count"])
        row, flying = min(depth, work.scores.shape[0] - 1), extra
        if topology == OPEN:
            taken, count = gather(params, tree, work, number, extra, row)
            flying = np.int64(0)
        allowed = allowed_edges(params, node, count)
        more = taken < allowed
        at_once = more and (params.unvisited == INFINITE or params.expansion == ONE)
        if at_once and not shown:
            return take_unvisited(params, tree, work, topology, node, row, taken, count)
        random = rng[0]
        subtract, multiply = scale_of(params, tree.bounds)
        view = node_view(params, tree, number, flying, subtract, multiply)
        shared = np.float64(prepare(policy, view, rng))
        pass_over = passes_over(params, node)
        unvisited, least = 0.0, 0.0
        if waiting or more:
            unvisited = 0.0 if params.unvisited == INFINITE else unvisited_value(params, tree, node, subtract, multiply)
        if waiting:
            least = tree.bounds[LEAST] if params.lowest == -np.inf else params.lowest
        slate = new_slate()
        best, ties, open_ends, chosen, sound = -np.inf, np.int64(0), np.int64(0), np.int64(0), True
        for i in range(np.uint64(taken)):  # unsigned: no index is looked at twice
            e = np.uint64(first) + i
            if topology == OPEN:
                e = np.uint64(work.candidates[row, i, 0])
            edge = edges[e]
            pending = np.int64(work.pending[e]) if waiting else np.int64(0)
            if edge["child"] < 0:
                got = proven_score(params, edge, subtract, multiply, pass_over)
                if shown:
                    show_alone(work, row, i, (edge["value"] - subtract) * multiply)
            elif waiting and not scores_unvisited and edge["visits"] + pending == 0:
                got = unvisited
                open_ends += 1
                if shown:
                    show_alone(work, row, i, unvisited)
            else:
                open_ends += 1
                seen = show(slate, edge_view(params, edge, pending, least, subtract, multiply, unvisited), tree, e)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked:
                    sound = sound and not math.isnan(got)
                if shown:
                    split(work.terms, row, i, policy, view, seen, shared, got)
            work.scores[row, i] = got
            # Without branches: which score is best can't be predicted, and a wrong guess costs as much as two edges.
            better = got > best
            ties = np.int64(1) if better else ties + (got == best)
            chosen = np.int64(i) if better else chosen
            best = got if better else best
        nothing_open = open_ends == 0 and 0 < taken < count  # whatever widening allows: there is nothing else to learn
        asked = taken
        if more and not nothing_open and not at_once:
            asked = taken + 1 if asks_first else allowed
        drawn = rng[0]
        for i in range(taken, allowed if shown else asked):
            got = unvisited
            if scores_unvisited and not at_once:
                if i == asked:
                    drawn = rng[0]  # what follows is only looked at
                at = np.int64(-1) if topology == OPEN else first + i  # an action never taken may have no edge
                seen = show(slate, show_unvisited(edges, work, topology, first, row, i, unvisited), tree, at)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked and i < asked:
                    sound = sound and not math.isnan(got)
                if shown:
                    split(work.terms, row, i, policy, view, seen, shared, got)
            elif shown:
                if at_once:
                    got = np.inf
                show_alone(work, row, i, got)
            work.scores[row, i] = got
            if i < asked:
                # In order: what was never tried comes first.
                if got > best or (got == best and not params.random_ties and chosen < taken):
                    best, ties, chosen = got, np.int64(1), i
                elif got == best:
                    ties += 1
        if shown and (at_once or nothing_open):
            rng[0] = random if at_once else drawn
        elif shown and asked < allowed:
            rng[0] = drawn
        if at_once or nothing_open:
            return take_unvisited(params, tree, work, topology, node, row, taken, count)
        if not sound:
            return np.int64(NO_NUMBER)
        if best == -np.inf:  # everything is proven or scores nothing
            chosen = best_value(edges, work, topology, first, row, taken)
        elif ties > 1 and params.random_ties:
            skip = random_below(rng, ties)
            for i in range(chosen, asked):
                if work.scores[row, i] == best:
                    if skip == 0:
                        chosen = np.int64(i)
                        break
                    skip -= 1
        if chosen < taken:
            return np.int64(work.candidates[row, chosen, 0]) if topology == OPEN else first + chosen
        if asks_first:
            return take_unvisited(params, tree, work, topology, node, row, taken, count)
        if topology == OPEN:
            return add_untaken(tree, work, node, -1 - work.candidates[row, chosen, 0])
        if shown:
            shift_shown(work, row, taken, chosen)
        return shift_to_the_front(tree, node, first + chosen)

    return choose


@inlined
def take_unvisited(params, tree, work, topology, node, row, taken, count):
    """The unvisited edge that comes next."""
    if topology == OPEN:
        return next_untaken(params, tree, work, node, row, taken, count)
    return next_unvisited(params, tree, node)


@inlined
def show_unvisited(edges, work, topology, first, row, i, value):
    if topology == OPEN:
        at = -1 - work.candidates[row, i, 0]
        return unvisited_view(work.actions[at], work.weights[at], value)
    edge = edges[first + i]
    return unvisited_view(edge["action"], edge["prior"], value)


@inlined
def best_value(edges, work, topology, first, row, taken):
    """The place of the best of a node's visited edges by value, where no score tells them apart."""
    chosen, best = np.int64(0), -np.inf
    for i in range(taken):
        e = np.int64(work.candidates[row, i, 0]) if topology == OPEN else first + i
        if edges[e]["value"] > best:
            chosen, best = np.int64(i), edges[e]["value"]
    return chosen


@inlined
def show_alone(work, row, i, value):
    """The terms of a score that is the value and nothing else."""
    work.terms[row, i, 0] = value
    for k in range(1, work.terms.shape[2]):
        work.terms[row, i, k] = 0.0


@inlined
def shift_shown(work, row, front, at):
    """Let what a step shows follow an edge that goes to the front of the unvisited."""
    for i in range(at, front, -1):
        work.scores[row, i], work.scores[row, i - 1] = work.scores[row, i - 1], work.scores[row, i]
        for k in range(work.terms.shape[2]):
            work.terms[row, i, k], work.terms[row, i - 1, k] = work.terms[row, i - 1, k], work.terms[row, i, k]
