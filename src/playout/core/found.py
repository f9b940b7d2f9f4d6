"""The best complete line of one player without chance, seen by any simulation: in the tree or in a playout.

`tree.best` has its return and the simulation that found it. Its actions are written to `work.line`, which has room for
any line; `search/found.py` copies them from there to `tree.line` when the kernel returns. A line is complete if it ends
the game: a playout that was cut off is not.

    work.line: [0] how many actions were written since Python last looked (0: none), [1 …] the actions
"""

import numpy as np

from .jit import inlined
from .pack import called
from .params import FORGOTTEN, TOLD
from .rules import TERMINAL, call_current_player, call_playout
from .tree import BEST_RETURN, END, FOUND_BY, SIMULATIONS, child_node

TELL = -1  # as the limit of a playout in `TOLD`: write the last one's actions to the trace


@inlined
def whole_return(params, work, depth, rest):
    """The return from the root if `rest` follows the path: G = r + discount G', as the backup counts it."""
    got = rest
    for d in range(depth - 1, -1, -1):
        got = work.path_rewards[d] + params.discount * got
    return got


@inlined
def is_better(params, tree, got):
    """Whether a return is higher than that of the best line, and possible in the game."""
    return got > tree.best[BEST_RETURN] and got >= params.least_return and got <= params.most_return


@inlined
def note_end(params, tree, work, depth, number):
    """Remember the path, if it is the best line so far: it leads to node `number`, the end or a proven one."""
    if params.remembers != FORGOTTEN:
        got = whole_return(params, work, depth, work.returns[0])
        if is_better(params, tree, got):
            keep_line(tree, work, got, depth, np.int64(number), 0)


@inlined
def note_playout(rules, params, tree, work, depth, gained, length, limit):
    """Remember the path and the playout that followed, if they are the best line so far; `gained` is its return."""
    if params.remembers != FORGOTTEN:
        got = whole_return(params, work, depth, gained)
        if is_better(params, tree, got):
            keep_playout(rules, params, tree, work, depth, got, np.int64(length), np.int64(limit))


@called
def keep_playout(rules, params, tree, work, depth, got, length, limit):
    """Keep a line that ends with the last playout, unless that was cut off."""
    if params.remembers == TOLD:
        length = call_playout(
            rules, work.state, work.actions, work.weights, work.rewards, work.values, tree.rng, work.trace, TELL, 1.0
        )
        if length < 0:
            return
    elif length >= limit and call_current_player(rules, work.state) != TERMINAL:
        return
    keep_line(tree, work, got, depth, np.int64(END), length)


@called
def keep_line(tree, work, got, depth, number, length):
    """Write a line: the path, then the proven play from node `number` on, or `length` actions of the trace."""
    line, at = work.line, depth + 1
    for d in range(depth):
        line[1 + d] = tree.edges[work.path_edges[d]]["action"]
    while number > END:
        if at >= line.shape[0]:
            return
        e = proven_edge(tree, number)
        line[at] = tree.edges[e]["action"]
        number = -np.int64(tree.edges[e]["child"])
        at += 1
    if at + length > line.shape[0]:
        return
    for i in range(length):
        line[at + i] = work.trace[work.trace[0] + i]
    line[0] = at - 1 + length
    tree.best[BEST_RETURN], tree.best[FOUND_BY] = got, tree.counters[SIMULATIONS] + 1


@inlined
def proven_edge(tree, number):
    """The best edge of a proven node; of equal ones, that to the node proven first, so that the way ends in a graph."""
    node = tree.nodes[number]
    first, best = np.int64(node["first_edge"]), np.int64(-1)
    for e in range(first, first + np.int64(node["count"])):
        edge = tree.edges[e]
        if edge["child"] >= 0:
            continue
        other = tree.edges[max(best, first)]
        earlier = tree.nodes[-edge["child"]]["proof"] < tree.nodes[child_node(other["child"])]["proof"]
        if best < 0 or edge["value"] > other["value"] or (edge["value"] == other["value"] and earlier):
            best = e
    return best
