"""Step 1, selection: the score of an edge, and the walk down to a leaf."""

import math

import numpy as np

from .arrays import copy, load_row
from .jit import inlined, njit
from .params import FIXED, INFINITE, ONE, PARENT_BY_SEEN, PUCT, UCT, WIDENING
from .params import UCB1_TUNED as TUNED
from .rng import random_below, random_float
from .rules import CHANCE, TERMINAL, call_apply, call_current_player
from .tree import END, GREATEST, LEAST, NO_NODE, ROOT

# How a walk ends.
NEW, UNEXPANDED, FINISHED, PROVEN, ROOT_ITSELF, PATH_FULL = range(6)
# In a graph: a node was met over a new edge; a position without a node likewise; the walk is back on its path; two
# positions have one key.
MET, KNOWN, CYCLE, BAD_KEY = range(6, 10)

PASS_OVER_EVERY = 4

# Logarithms and roots are looked up, in tables that stay in the fastest cache: a third of a simulation's time.
DIGITS = 9  # after the first one
ROOT_LOGS = np.array([math.sqrt(math.log(2.0**e * (1 + m / 2**DIGITS))) for e in range(32) for m in range(2**DIGITS)])
ROOTS = 32768
INVERSE_ROOTS = 1.0 / np.sqrt(np.maximum(1, np.arange(ROOTS)))


@inlined
def scale_of(params, bounds):
    """What turns a value into a score's unit: (subtract, multiply). Values of a known range stay as they are.

    Without a known range, the least and greatest edge value seen so far become 0 and 1 (MuZero).
    """
    if params.normalise and bounds[GREATEST] > bounds[LEAST]:
        return bounds[LEAST], 1.0 / (bounds[GREATEST] - bounds[LEAST])
    return 0.0, 1.0


@inlined
def leading_bits(visits):
    """Where ROOT_LOGS has a number of visits: its first ten binary digits and their place, as a float keeps them."""
    bits = np.float32(max(1, visits)).view(np.uint32)
    return np.uint32((bits >> np.uint32(23 - DIGITS)) - np.uint32(127 << DIGITS))


@inlined
def exploration_weight(params, visits, through):
    """The part of the exploration term that all edges of a node share, from its visits and those that went on.

    UCT: c sqrt(ln N), N rounded down to ten binary digits, which leaves it as it is below 1,024 and changes the root by
    less than one part in ten thousand above. UCB1-Tuned: ln N. PUCT: c(N) sqrt(max(1, visits of all edges)), where
    c(N) = c + growth ln((N + base + 1) / base) and N counts the node's visits.
    """
    if params.policy == PUCT:
        c = params.c
        if params.c_growth > 0.0:
            c += params.c_growth * math.log((visits + params.c_base + 1.0) / params.c_base)
        return c * math.sqrt(max(1, through))
    if params.policy == UCT:
        return params.c * ROOT_LOGS[leading_bits(visits)]
    return math.log(max(1, visits))


@inlined
def exploration(params, policy, edge, visits, weight, multiply, pass_over):
    """The exploration term of one edge after so many visits; none where the value is proven, since nothing is left to
    explore. A proven loss is never taken while there is anything else, and what is proven is passed over when
    `pass_over` says so: minus infinity.

    UCT: c sqrt(ln N / n). PUCT: c P sqrt(N) / (1 + n). UCB1-Tuned, values scaled to a width of 1 by `w`:
    c sqrt(ln N / n  min(1/4, V)), V = variance / w^2 + sqrt(2 ln N / n), given back in the unit of the values.
    """
    visits = np.uint32(visits)  # unsigned: an index that can't be negative is not looked at twice
    if edge["child"] < 0:
        return -np.inf if pass_over or edge["value"] <= params.lowest else 0.0
    if policy == PUCT:
        return weight * np.float64(edge["prior"]) / (1.0 + visits)  # uncompiled, times float32 would be float32
    if visits == 0:
        return 0.0  # its score is the setting `unvisited` and nothing else
    if policy == UCT:
        return weight * INVERSE_ROOTS[visits] if visits < ROOTS else weight / math.sqrt(visits)
    width = 1.0 if params.normalise else params.highest - params.lowest
    ratio = weight / visits
    variance = edge["spread"] / visits * multiply * multiply / (width * width)
    return params.c * width * math.sqrt(ratio * min(0.25, variance + math.sqrt(2.0 * ratio)))


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
def next_unvisited(params, tree, node):
    """The unvisited edge of highest prior, brought to the front of the unvisited; equal priors: a random one."""
    first = node["first_edge"] + node["opened"]
    rest = np.int64(node["count"]) - node["opened"]
    if not params.random_ties or rest == 1:
        return first
    edges = tree.edges
    equal = rest
    if params.by_prior:
        equal = 1
        while equal < rest and edges[first + equal]["prior"] == edges[first]["prior"]:
            equal += 1
    return to_the_front(tree, node, first + random_below(tree.rng, equal))


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
def sample_outcome(params, tree, node):
    """An outcome of a chance node, by its probability.

    Where outcomes are limited, only min(cap, initial + k N^alpha) different ones are let in, as they are drawn; while
    the node is full, one of those is drawn, by their probabilities.
    """
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    if not params.few_outcomes:
        return draw_outcome(tree, first, count, 1.0)
    opened, allowed = np.int64(node["opened"]), params.outcomes_initial
    allowed += params.outcomes_k * np.float64(node["visits"]) ** params.outcomes_alpha
    if opened >= max(1, min(count, np.int64(min(allowed, params.outcomes_cap)))):
        total = 0.0
        for e in range(first, first + opened):
            total += tree.edges[e]["prior"]
        return draw_outcome(tree, first, opened, total)
    e = draw_outcome(tree, first, count, 1.0)
    return e if e < first + opened else to_the_front(tree, node, e)


@inlined
def draw_outcome(tree, first, count, total):
    """One of `count` edges by their probabilities, which sum to `total`."""
    rest = random_float(tree.rng) * total
    last = first
    for e in range(first, first + count):
        prior = tree.edges[e]["prior"]
        if prior > 0.0:
            last = e
            rest -= prior
            if rest < 0.0:
                return e
    return last


@inlined
def best_visited(params, policy, edges, first, opened, weight, subtract, multiply, pass_over):
    """The best score of the visited edges: (score, first edge that has it, how many have it, edges not proven)."""
    start, stop = np.uint64(first), np.uint64(first + opened)
    best, chosen, ties, open_ends = -np.inf, start, 0, 0
    for e in range(start, stop):
        edge = edges[e]
        open_ends += edge["child"] >= 0
        bonus = exploration(params, policy, edge, edge["visits"], weight, multiply, pass_over)
        score = (edge["value"] - subtract) * multiply + bonus
        # Without branches: which score is the best can't be predicted, and a wrong guess costs as much as two edges.
        better = score > best
        ties = 1 if better else ties + (score == best)
        chosen = e if better else chosen
        best = score if better else best
    return best, np.int64(chosen), ties, open_ends


@inlined
def opens_another(params, tree, node, more, found, weight, subtract, multiply, pass_over):
    """Whether a walk takes an unvisited edge rather than the best of the visited ones (`found`, as `best_visited` gives
    it): where all of those are proven, whatever widening allows, since there is nothing else to learn; or for its
    score, if there may be `more` edges."""
    best, _, ties, open_ends = found
    if open_ends == 0 and node["opened"] < node["count"]:
        return True
    if not more:
        return False
    edge = tree.edges[np.int64(node["first_edge"]) + np.int64(node["opened"])]
    score = unvisited_value(params, tree, node, subtract, multiply)
    score += exploration(params, params.policy, edge, 0, weight, multiply, pass_over)
    return score > best or (score == best and (not params.random_ties or random_below(tree.rng, ties + 1) == 0))


@inlined
def best_exact(edges, first, opened):
    """The best of a node's edges where all are proven, yet not the node: they disagree about the other players."""
    chosen = first
    for e in range(first + 1, first + opened):
        if edges[e]["value"] > edges[chosen]["value"]:
            chosen = e
    return chosen


@inlined
def select_edge(params, tree, number):
    """The edge that a simulation takes from a node: the best score; at a chance node, by probability."""
    node = tree.nodes[number]
    if node["player"] == CHANCE:
        return sample_outcome(params, tree, node)
    opened = np.int64(node["opened"])
    more = opened < allowed_edges(params, node, np.int64(node["count"]))
    if more and (params.unvisited == INFINITE or params.expansion == ONE):
        return next_unvisited(params, tree, node)
    edges, first = tree.edges, np.int64(node["first_edge"])
    subtract, multiply = scale_of(params, tree.bounds)
    weight = exploration_weight(params, node["visits"], node["visits"] - node["own"])
    pass_over = passes_over(params, node)
    # The policy as a constant: each loop is compiled for itself.
    if params.policy == UCT:
        found = best_visited(params, UCT, edges, first, opened, weight, subtract, multiply, pass_over)
    elif params.policy == PUCT:
        found = best_visited(params, PUCT, edges, first, opened, weight, subtract, multiply, pass_over)
    else:
        found = best_visited(params, TUNED, edges, first, opened, weight, subtract, multiply, pass_over)
    best, chosen, ties, _ = found
    if opens_another(params, tree, node, more, found, weight, subtract, multiply, pass_over):
        return next_unvisited(params, tree, node)
    if best == -np.inf:
        return best_exact(edges, first, opened)
    if ties > 1 and params.random_ties:
        skip = random_below(tree.rng, ties)
        for e in range(chosen, first + opened):
            bonus = exploration(params, params.policy, edges[e], edges[e]["visits"], weight, multiply, pass_over)
            if (edges[e]["value"] - subtract) * multiply + bonus == best:
                if skip == 0:
                    return e
                skip -= 1
    return chosen


@inlined
def take_edge(rules, params, tree, work, number, e, depth):
    """Walk one edge: note it in the path, bring the state and the rewards of the step up to date."""
    players = params.players
    work.path_nodes[depth] = number
    work.path_edges[depth] = e
    row = depth * players
    child = tree.edges[e]["child"]
    if params.keep_states:
        if child > END:  # the state is there already
            at = e if params.graph else np.int64(child)
            for p in range(players):
                work.path_rewards[row + p] = tree.rewards[at, p]
            return
        load_row(work.state, tree.states, number)
    # The first two by hand: LLVM would make a vector loop of it, for rows of two a fifth of the simulation's time.
    work.path_rewards[row] = 0.0
    if players > 1:
        work.path_rewards[row + 1] = 0.0
    for p in range(2, players):
        work.path_rewards[row + p] = 0.0
    call_apply(rules, work.state, tree.edges[e]["action"], work.path_rewards, row, players)


@inlined
def select(rules, params, tree, work):
    """Walk from the root to an edge without a node: (how the walk ended, its depth, who moves at the leaf)."""
    number, depth = ROOT, 0
    if not params.keep_states:
        copy(work.state, tree.root)
    if params.evaluate_root and tree.nodes[ROOT]["visits"] == 0:
        if params.keep_states:
            copy(work.state, tree.root)
        return ROOT_ITSELF, 0, np.int64(tree.nodes[ROOT]["player"])
    while True:
        if depth + 2 >= work.path_nodes.shape[0]:
            return PATH_FULL, depth, 0
        e = select_edge(params, tree, number)
        take_edge(rules, params, tree, work, number, e, depth)
        depth += 1
        child = tree.edges[e]["child"]
        if child < 0:
            return PROVEN, depth, TERMINAL
        if child == END:
            return FINISHED, depth, TERMINAL
        if child == NO_NODE:
            player = call_current_player(rules, work.state)
            if player == TERMINAL:
                return FINISHED, depth, player
            return (NEW if tree.edges[e]["visits"] == 0 else UNEXPANDED), depth, player
        number = np.int64(child)


@njit
def score_terms(params, tree, number, out):
    """Fill `out[i]` with (value term, exploration term, score) of each edge of a node, as `select_edge` compares them.

    Edges that may not be visited yet score minus infinity; at a chance node the score is the probability.
    """
    node = tree.nodes[number]
    subtract, multiply = scale_of(params, tree.bounds)
    weight = exploration_weight(params, node["visits"], node["visits"] - node["own"])
    opened, pass_over = np.int64(node["opened"]), passes_over(params, node)
    allowed = allowed_edges(params, node, np.int64(node["count"]))
    for i in range(np.int64(node["count"])):
        edge = tree.edges[node["first_edge"] + i]
        if node["player"] == CHANCE:
            out[i, 0], out[i, 1], out[i, 2] = 0.0, 0.0, edge["prior"]
            continue
        if edge["visits"] > 0:
            out[i, 0] = (edge["value"] - subtract) * multiply
        elif params.unvisited == INFINITE or params.expansion == ONE:
            out[i, 0] = np.inf
        else:
            out[i, 0] = unvisited_value(params, tree, node, subtract, multiply)
        out[i, 1] = exploration(params, params.policy, edge, edge["visits"], weight, multiply, pass_over)
        out[i, 2] = out[i, 0] + out[i, 1] if i < max(opened, allowed) else -np.inf
