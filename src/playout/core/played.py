"""What a simulation played: the player and the code of each action, on the way through the tree and in the playouts.

It is written only where something reads it, a policy or playouts that learn; then `params.codes` is above 0. The record
is flat, `work.played`, a number for each action:

    [0]             the next free index
    [1 + d]         the action taken at depth d of the path: player * codes + code; NOTHING where chance moved
    [1 + depth …]   the actions of the players in the first playout, then NOTHING, then those of the next playout, …

Without a playout it ends with the path. What does not fit into the array is not recorded. A small file on its own,
because both ways of going through a game write it: `core/select.py` and `core/evaluate.py`.
"""

import numpy as np

from .arrays import load_row
from .jit import inlined
from .rules import call_action_code

NOTHING = -1


@inlined
def begin_record(params, work, depth):
    """Begin the record of a simulation, or go on with it at a depth of its path."""
    if params.codes > 0:
        work.played[0] = 1 + depth


@inlined
def record_edge(rules, params, tree, work, number, e, depth):
    """Record the action of an edge that is about to be taken from a node at `depth`."""
    player, entry = np.int64(tree.nodes[number]["player"]), np.int64(NOTHING)
    if player >= 0:
        if params.keep_states:
            load_row(work.state, tree.states, number)
        entry = player * params.codes + call_action_code(rules, work.state, tree.edges[e]["action"])
    work.played[1 + depth] = entry
    work.played[0] = depth + 2


@inlined
def end_record(played):
    """Mark the end of a playout."""
    if played[0] < played.shape[0]:
        played[played[0]] = NOTHING
        played[0] += 1


@inlined
def last_code(params, work):
    """The code of the last action on the path; NOTHING if there is none."""
    at = work.played[0] - 1
    while at > 0 and work.played[at] == NOTHING:
        at -= 1
    return np.int64(work.played[at]) & (params.codes - 1) if at > 0 else np.int64(NOTHING)
