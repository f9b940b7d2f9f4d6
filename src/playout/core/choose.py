"""Which edge a simulation takes from a node: the one loop over its edges, made around a policy's own functions.

A policy says what an edge scores (`score`), given what all edges of a node share: a number (`prepare`), or a record
that passes over all edges fill (`look`). Everything else is the same for all policies, in tree, graph and open loop,
and is here: what counts as a visit, which unvisited edges take part, how ties are broken, and which proven edges are
passed over. The loop is compiled together with the policy and with the way down (`make_descend` in `core/select.py`),
which is called once per simulation by its address in the rules table, so a new policy compiles nothing else.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .edges import next_unvisited, shift_to_the_front
from .jit import inlined
from .openloop import add_untaken, gather, next_untaken
from .params import INFINITE, ONE, OPEN, SHARED, WIDENING
from .rng import random_below
from .threads import in_flight, is_owned
from .tree import LEAST
from .views import edge_view, node_view, scale_of, show_unvisited, unvisited_value

PASS_OVER_EVERY = 4
# In place of an edge: a score was not a number; other threads have the parts below all edges to themselves.
NO_NUMBER, BUSY = -1, -2


def make_preparation(own: Callable[..., Any] | None) -> Callable[..., Any]:
    """A policy's own `prepare`, as a float64, or 0 without one; a new function for each, as in `make_split`."""

    def prepare(policy, node, rng):
        return np.float64(own(policy, node, rng))

    def nothing(policy, node, rng):
        return 0.0

    return inlined(nothing if own is None else prepare)


@inlined
def no_look(policy, node, edge, shared, turn):
    """The `look` of a policy without one."""


def make_split() -> Callable[..., Any]:
    """The terms of a policy that names none: the value, and the rest of the score.

    A new function for each policy: Numba would confuse the settings of two policies whose records begin alike.
    """

    def split(out, row, at, policy, node, edge, shared, got):
        out[row, at, 0], out[row, at, 1] = edge.value, got - edge.value

    return inlined(split)


@inlined
def no_slate():
    """The `slate` of a policy without columns: none is needed."""
    return 0


@inlined
def no_columns(slate, seen, tree, e, work, i):
    """The `show` of a policy without columns and without `amaf`: it sees the plain view."""
    return seen


class Functions(NamedTuple):
    """A policy's own functions, compiled or not, and the functions that show them their records."""

    score: Callable[..., Any]
    settings: Callable[..., Any]  # makes a record of the bytes of `tree.policy`
    split: Callable[..., Any]  # writes the terms of a score
    prepare: Callable[..., Any]  # gives what the edges share: a number, or an empty record
    look: Callable[..., Any] = no_look
    slate: Callable[..., Any] = no_slate  # makes a blank edge for `show` to write on
    show: Callable[..., Any] = no_columns  # adds the policy's own columns and `amaf` to its view of an edge


def make_choose(
    functions: Functions,
    topology: int,
    waiting: int,
    scores_unvisited: bool,
    asks_first: bool,
    looks: int,
    checked: bool,
    shown: bool,
    draws: bool = False,
) -> Callable[..., Any]:
    """Make the choice at a player's node, for one policy.

    With `waiting`, simulations in flight count. With `scores_unvisited`, the policy scores unvisited edges too: all
    that are allowed, or with `asks_first` only the first, which stands for the rest; before, it `looks` so often at all
    edges. `checked`: scores must be numbers. `shown`: all scores and terms are kept for a step. `draws`: a drawn action
    is taken at once.
    """
    score, settings, split, prepare, look, new_slate, show = functions

    def choose(params, tree, work, number, depth, extra):
        """The edge to take: the one of highest score, ties at random (or the first); or NO_NUMBER, or BUSY.

        `extra` is the number of simulations in flight through the node; in an open loop, of actions that are legal now.
        """
        node, edges, rng, policy = tree.nodes[number], tree.edges, tree.rng, settings(tree.policy)
        first, taken, count = np.int64(node["first_edge"]), np.int64(node["opened"]), np.int64(node["count"])
        row, flying = depth if shown else np.int64(0), extra
        scores = work.scores[row]
        if topology == OPEN:
            taken, count = gather(params, tree, work, number, extra, row)
            flying = np.int64(0)
        allowed = allowed_edges(params, node, count)
        more = taken < allowed
        at_once = more and (draws or params.unvisited == INFINITE or params.expansion == ONE)
        if at_once and not shown:
            return take_unvisited(params, tree, work, topology, node, row, taken, count)
        random = rng[0]
        subtract, multiply = scale_of(params, tree.bounds)
        view = node_view(params, tree, number, flying, subtract, multiply)
        shared = prepare(policy, view, rng)
        pass_over = passes_over(params, node)
        unvisited, least = 0.0, 0.0
        if waiting or more or looks > 0:
            unvisited = 0.0 if params.unvisited == INFINITE else unvisited_value(params, tree, node, subtract, multiply)
        if waiting:
            least = tree.bounds[LEAST] if params.lowest == -np.inf else params.lowest
        slate = new_slate()
        if looks > 0:
            for k in range(looks * count):
                turn, i = k // count, k % count
                e = np.int64(work.candidates[row, i, 0]) if topology == OPEN else first + i
                if i < taken:
                    pending = in_flight(work, e, waiting)
                    plain = edge_view(params, edges[e], pending, least, subtract, multiply, unvisited)
                else:
                    plain = show_unvisited(edges, work, topology, first, row, i, unvisited)
                look(policy, view, show(slate, plain, tree, max(e, np.int64(-1)), work, i), shared, np.int64(turn))
        best, second, open_ends, chosen, sound, busy = -np.inf, -np.inf, np.int64(0), np.int64(0), True, False
        for i in range(np.uint64(taken)):  # unsigned: Numba does not test for a negative index
            e = np.uint64(first) + i
            if topology == OPEN:
                e = np.uint64(work.candidates[row, i, 0])
            edge = edges[e]
            pending = in_flight(work, e, waiting)
            if edge["child"] < 0:
                got = proven_score(params, edge, subtract, multiply, pass_over)
                if shown:
                    show_alone(work, row, i, (edge["value"] - subtract) * multiply)
            elif waiting == SHARED and is_owned(work, e):
                got = -np.inf
                open_ends += 1
                busy = True
            elif waiting and not scores_unvisited and edge["visits"] + pending == 0:
                got = unvisited
                open_ends += 1
                if shown:
                    show_alone(work, row, i, unvisited)
            else:
                open_ends += 1
                plain = edge_view(params, edge, pending, least, subtract, multiply, unvisited)
                seen = show(slate, plain, tree, e, work, i)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked:
                    sound = sound and not math.isnan(got)
                if shown:
                    split(work.terms, row, i, policy, view, seen, shared, got)
            scores[i] = got
            # Without branches: the best score can't be predicted, and a misprediction costs as much as two edges.
            better = got > best
            beaten = best if better else got
            second = beaten if beaten > second else second
            chosen = np.int64(i) if better else chosen
            best = got if better else best
        nothing_open = open_ends == 0 and 0 < taken < count  # go beyond widening: all else is proven
        asked = taken
        if more and not nothing_open and not at_once:
            asked = taken + 1 if asks_first else allowed
        drawn = rng[0]
        for i in range(taken, allowed if shown else asked):
            got = unvisited
            if scores_unvisited and not at_once:
                if i == asked:
                    drawn = rng[0]  # the rest is scored only to be shown
                at = np.int64(-1) if topology == OPEN else first + i  # an action never taken may have no edge yet
                plain = show_unvisited(edges, work, topology, first, row, i, unvisited)
                seen = show(slate, plain, tree, at, work, i)
                got = np.float64(score(policy, view, seen, shared, rng))
                if checked and i < asked:
                    sound = sound and not math.isnan(got)
                if shown:
                    split(work.terms, row, i, policy, view, seen, shared, got)
            elif shown:
                got = np.inf if at_once else got
                show_alone(work, row, i, got)
            scores[i] = got
            if i < asked:
                # Without random ties, an unvisited edge comes before a visited one of the same score.
                if got > best or (got == best and not params.random_ties and chosen < taken):
                    best, chosen = got, i
                elif got == best:
                    second = got
        if shown and (at_once or nothing_open or asked < allowed):
            rng[0] = random if at_once else drawn
        if at_once or nothing_open:
            return take_unvisited(params, tree, work, topology, node, row, taken, count)
        if not sound:
            return np.int64(NO_NUMBER)
        if waiting == SHARED and busy and best == -np.inf:
            return np.int64(BUSY)
        if best == -np.inf:  # every edge is proven or scores minus infinity
            chosen = best_value(edges, work, topology, first, row, taken)
        elif second == best and params.random_ties:
            ties = np.int64(0)
            for i in range(chosen, asked):
                ties += scores[i] == best
            skip = random_below(rng, ties)
            for i in range(chosen, asked):
                if scores[i] == best:
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

    return inlined(choose)


@inlined
def allowed_edges(params, node, count):
    """How many of `count` edges may be visited: all; with widening min(cap, initial + k N^alpha), at least one."""
    if params.expansion != WIDENING:
        return count
    allowed = params.widening_initial + params.widening_k * node["visits"] ** params.widening_alpha
    return max(1, min(count, np.int64(min(allowed, params.widening_cap))))


@inlined
def passes_over(params, node):
    """Whether this visit passes over proven edges: with one player always, with more players every fourth time.

    Otherwise a proven draw that looks best would take every visit, and a better edge would never be found. With one
    player, a visit to a proven edge teaches nothing, and the node's mean includes the exact value without it (`counted`
    in `core/solver.py`). With more players, proven edges are passed over rarely enough to leave the mean alone.
    """
    return params.solver and (params.players == 1 or node["visits"] % PASS_OVER_EVERY == 1)


@inlined
def proven_score(params, edge, subtract, multiply, pass_over):
    """The score of a proven edge: its value, with no exploration. A loss is taken only if nothing else is left."""
    if pass_over or edge["value"] <= params.lowest:
        return -np.inf
    return (edge["value"] - subtract) * multiply


@inlined
def take_unvisited(params, tree, work, topology, node, row, taken, count):
    """The next unvisited edge."""
    if topology == OPEN:
        return next_untaken(params, tree, work, node, row, taken, count)
    return next_unvisited(params, tree, node)


@inlined
def best_value(edges, work, topology, first, row, taken):
    """The index of the visited edge of highest value, where no score tells them apart."""
    chosen, best = np.int64(0), -np.inf
    for i in range(taken):
        e = np.int64(work.candidates[row, i, 0]) if topology == OPEN else first + i
        if edges[e]["value"] > best:
            chosen, best = np.int64(i), edges[e]["value"]
    return chosen


@inlined
def show_alone(work, row, i, value):
    """Keep the terms of a score that is the value alone."""
    work.terms[row, i, 0] = value
    for k in range(1, work.terms.shape[2]):
        work.terms[row, i, k] = 0.0


@inlined
def shift_shown(work, row, front, at):
    """Move what a step shows along with an edge that moves to the front of the unvisited ones."""
    for i in range(at, front, -1):
        work.scores[row, i], work.scores[row, i - 1] = work.scores[row, i - 1], work.scores[row, i]
        for k in range(work.terms.shape[2]):
            work.terms[row, i, k], work.terms[row, i - 1, k] = work.terms[row, i - 1, k], work.terms[row, i, k]
