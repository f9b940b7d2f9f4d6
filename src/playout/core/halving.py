"""Sequential halving at the root: the simulations of a plan go to candidates, of which the better half stays each time.

A plan has about log2(candidates) rounds of equal length. In each, every candidate gets as many visits as the others. A
candidate is as good as its value (Karnin, Koren, Somekh: Almost optimal exploration in multi-armed bandits, ICML 2013);
with Gumbel as noise + logit + sigma(value), which improves the policy with few simulations (Danihelka, Guez,
Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022).

A plan is part of the tree (`core/tree.py`), so that runs, steps, batches and files go on with it. Visits are counted
from its beginning, simulations in flight included. Nothing is in flight when a round or a plan ends, since what follows
depends on all values. Proven candidates are compared with the others, but get no visits.
"""

import math

import numpy as np

from .edges import edge_of
from .jit import inlined, njit
from .pack import called
from .params import GUMBEL, HALVING
from .rng import random_below, random_gumbel
from .tree import GREATEST, LEAST, ROOT, SIMULATIONS, WAITING
from .views import mixed_value

TINY = 1e-12  # the least prior that a logit is taken of
LEAST_WIDTH = 1e-8  # of the values at the root, where they are scaled by it
PER_CANDIDATE = 8  # simulations, in a plan whose length nobody gives
MOST = 2**31 - 1


# Plans.


@inlined
def prepare_root(params, tree):
    """Begin a plan if the root needs one and the last is over.

    Before a simulation remembers the state of the random generator: it may have to be repeated, the plan must not.
    """
    if params.root < HALVING or tree.counters[SIMULATIONS] < tree.plan[0]["ends"]:
        return
    if not params.evaluate_root or tree.nodes[ROOT]["visits"] > 0:
        begin_plan(params, tree)


@called
def begin_plan(params, tree):
    """Begin a plan: for the rest of the run, or for as many simulations as the setting says.

    The next ones are then each as long as all before them together, since nobody knows how long the search will last.
    """
    node, plan, rows, done = tree.nodes[ROOT], tree.plan[0], tree.candidates, tree.counters[SIMULATIONS]
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    size, length = min(np.int64(params.considered), count), plan["wanted"] - done
    if length <= 0:
        length = max(np.int64(params.planned) if params.planned > 0 else PER_CANDIDATE * size, done)
    size = min(size, length)
    for i in range(count):  # in random order, since the first of equals is taken
        at = random_below(tree.rng, i + 1) if params.random_ties else np.int64(i)
        if at != i:
            rows[i] = rows[at]
        row, edge = rows[at], tree.edges[first + i]
        row["action"], row["place"], row["start"] = edge["action"], i, edge["visits"]
        row["logit"] = math.log(max(np.float64(edge["prior"]), TINY)) if params.root == GUMBEL else 0.0
        row["noise"] = 0.0
    if params.gumbel_noise > 0.0:
        for i in range(count):
            rows[i]["noise"] = params.gumbel_noise * random_gumbel(tree.rng)
    plan["ends"], plan["length"] = done + length, length
    plan["rounds"] = rounds_of(size)
    plan["pool"], plan["size"], plan["entered"] = count, size, 0
    plan["base"], plan["goal"] = 0, passes_of(plan)


@inlined
def rounds_of(size):
    """The rounds that leave one of `size` candidates: log2(size), rounded up, and at least one."""
    rounds = np.int64(0)
    while 1 << rounds < size:
        rounds += 1
    return max(np.int64(1), rounds)


@inlined
def passes_of(plan):
    """The visits of each candidate in the plan's present round."""
    return max(np.int64(1), plan["length"] // (np.int64(plan["rounds"]) * np.int64(plan["size"])))


@inlined
def next_round(plan):
    """Keep the better half of the candidates, but two of them: which ones, the next choices tell."""
    size = np.int64(plan["size"])
    plan["pool"], plan["size"], plan["entered"] = size, max(min(np.int64(2), size), size // 2), 0
    plan["base"] = plan["goal"]
    plan["goal"] += passes_of(plan)


# Candidates.


@inlined
def edge_at(tree, i):
    """The edge of candidate `i`, or -1. Edges change places in their block: the place only says where to look first."""
    node, row = tree.nodes[ROOT], tree.candidates[i]
    first, place = np.int64(node["first_edge"]), np.int64(row["place"])
    if place >= node["count"] or tree.edges[first + place]["action"] != row["action"]:
        place = edge_of(tree, node, row["action"]) - first
        row["place"] = max(np.int64(0), place)
        if place < 0:
            return np.int64(-1)
    return first + place


@inlined
def visits_at(tree, work, i, e):
    """The visits of candidate `i`, whose edge is `e`, since the plan began, simulations in flight included."""
    visits = np.int64(tree.edges[e]["visits"]) - np.int64(tree.candidates[i]["start"])
    return visits + np.int64(work.pending[e]) if work.pending.shape[0] > 0 else visits


@inlined
def value_terms(params, tree):
    """What values count for in scores: (subtract, factor, rest).

    The value of a visited edge counts factor (value - subtract), an unvisited edge `rest`, which stands for its
    `mixed_value`. For Gumbel that is sigma(q) = (offset + most visits) scale q, where q is from 0 to 1 in the game's
    range, or in that of the values seen; with `rescale` in that of the root's own edges.
    """
    node = tree.nodes[ROOT]
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    most, total, seen, weighted, summed, unvisited = np.int64(0), np.int64(0), 0.0, 0.0, 0.0, np.int64(0)
    least, greatest = np.inf, -np.inf
    for e in range(first, first + count):
        edge = tree.edges[e]
        visits, value, prior = np.int64(edge["visits"]), edge["value"], max(np.float64(edge["prior"]), TINY)
        if visits == 0:
            unvisited += 1
            continue
        most, total = max(most, visits), total + visits
        seen, weighted, summed = seen + prior, weighted + prior * value, summed + visits * value
        least, greatest = min(least, value), max(greatest, value)
    mixed = np.float64(node["value"])
    if total > 0:
        mixed = mixed_value(mixed, total, weighted / seen, summed / total)
    if params.root != GUMBEL:
        return 0.0, 1.0, mixed
    if not params.rescale:
        least, greatest = params.lowest, params.highest
        if params.normalise:
            least, greatest = tree.bounds[LEAST], tree.bounds[GREATEST]
    elif unvisited > 0:
        least, greatest = min(least, mixed), max(greatest, mixed)
    if not greatest > least:  # all values are the same
        return 0.0, 0.0, 0.0
    factor = (params.visit_offset + most) * params.value_scale / max(greatest - least, LEAST_WIDTH)
    return least, factor, factor * (mixed - least)


@inlined
def score_at(tree, i, e, terms):
    """The score of candidate `i`, whose edge is `e`: noise + logit + what its value counts for."""
    row, edge = tree.candidates[i], tree.edges[e]
    subtract, factor, rest = terms
    return row["noise"] + row["logit"] + (factor * (edge["value"] - subtract) if edge["visits"] > 0 else rest)


@inlined
def enter_best(tree, terms):
    """Take the best of the last round's candidates into this one. The others keep their order."""
    plan, rows = tree.plan[0], tree.candidates
    best, top = np.int64(plan["entered"]), -np.inf
    for i in range(np.int64(plan["entered"]), np.int64(plan["pool"])):
        e = edge_at(tree, i)
        got = score_at(tree, i, e, terms) if e >= 0 else -np.inf
        if got > top:
            best, top = np.int64(i), got
    row = rows[best]
    action, place, start, noise, logit = row["action"], row["place"], row["start"], row["noise"], row["logit"]
    for i in range(best, np.int64(plan["entered"]), -1):
        rows[i] = rows[i - 1]
    row = rows[np.int64(plan["entered"])]
    row["action"], row["place"], row["start"], row["noise"], row["logit"] = action, place, start, noise, logit
    plan["entered"] += 1


@inlined
def planned_edge(params, tree, work):
    """The edge that the plan takes next, or -1 if all its candidates are proven.

    Of the round's candidates the one with the fewest visits, of equals the one of highest score. Which half stays is
    not said at once: each enters the next round when those before it have been visited, by the values known then.
    """
    plan, terms = tree.plan[0], value_terms(params, tree)
    while True:
        best, fewest, top = np.int64(-1), np.int64(MOST), -np.inf
        for i in range(np.int64(plan["entered"])):
            e = edge_at(tree, i)
            if e < 0 or tree.edges[e]["child"] < 0:
                continue
            visits, got = visits_at(tree, work, i, e), score_at(tree, i, e, terms)
            if visits < fewest or (visits == fewest and got > top):
                best, fewest, top = e, visits, got
        if plan["entered"] < plan["size"] and (best < 0 or fewest > plan["base"]):
            enter_best(tree, terms)
        elif best < 0 or fewest < plan["goal"]:
            return best
        else:
            next_round(plan)


@inlined
def must_wait(params, tree, work):
    """Whether the next choice at the root depends on the values of simulations in flight: a round or the plan ends."""
    if params.root < HALVING or work.info[WAITING] == 0:
        return False
    plan = tree.plan[0]
    return tree.counters[SIMULATIONS] + work.info[WAITING] >= plan["ends"] or left_in_pass(tree, work) == 0


@called
def left_in_pass(tree, work):
    """How many candidates of the round are still to be visited as often as the others; 0 when the round is over."""
    plan = tree.plan[0]
    left, fewest = np.int64(0), np.int64(plan["goal"])
    for i in range(np.int64(plan["entered"])):
        e = edge_at(tree, i)
        if e < 0 or tree.edges[e]["child"] < 0:
            continue
        visits = visits_at(tree, work, i, e)
        if visits < fewest:
            left, fewest = np.int64(0), visits
        left += visits == fewest and visits < plan["goal"]
    return left + np.int64(plan["size"]) - np.int64(plan["entered"])


# The answer.


@inlined
def planned_answer(params, tree):
    """The edge of the best candidate that is left, or -1.

    Of those with the most visits in this plan, and of proven ones that are not lost, the one of highest score.
    """
    plan, best, top, most = tree.plan[0], np.int64(-1), -np.inf, np.int64(0)
    terms = value_terms(params, tree)
    for i in range(np.int64(plan["entered"])):
        e = edge_at(tree, i)
        if e >= 0 and tree.edges[e]["child"] >= 0:
            most = max(most, np.int64(tree.edges[e]["visits"]) - np.int64(tree.candidates[i]["start"]))
    for i in range(np.int64(plan["entered"])):
        e = edge_at(tree, i)
        if e < 0 or tree.edges[e]["visits"] == 0:
            continue
        left = np.int64(tree.edges[e]["visits"]) - np.int64(tree.candidates[i]["start"]) == most
        if tree.edges[e]["child"] < 0:
            left = tree.edges[e]["value"] > params.lowest
        got = score_at(tree, i, e, terms)
        if left and got > top:
            best, top = e, got
    return best


@njit
def improve(params, tree, out):
    """Fill `out` with the improved policy over the root's edges: softmax(logit + what the value counts for)."""
    node = tree.nodes[ROOT]
    first, count, total = np.int64(node["first_edge"]), np.int64(node["count"]), 0.0
    subtract, factor, rest = value_terms(params, tree)
    highest = -np.inf
    for i in range(count):
        edge = tree.edges[first + i]
        out[i] = factor * (edge["value"] - subtract) if edge["visits"] > 0 else rest
        out[i] += math.log(max(np.float64(edge["prior"]), TINY))
        highest = max(highest, out[i])
    for i in range(count):
        out[i] = math.exp(out[i] - highest)
        total += out[i]
    for i in range(count):
        out[i] /= total
