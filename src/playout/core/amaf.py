"""All moves as first: how the simulations through a node went in which a player took an action, wherever below it.

A policy may ask for these statistics (`amaf`; GRAVE, Cazenave 2015, does). It is then shown, for each edge, those of
the edge's action code at the reference: the last node of the path, the present one included, that has at least
`params.amaf` visits and a table; if there is none, the root.

A table is a row of `tree.amaf`, with an entry for each player and code; `tree.amaf_rows` has a node's row, 0 if it has
none. A table is as large as dozens of nodes, and few nodes are ever a reference: a node begins its table when it has
half of the visits for it, and only one in a simulation, so that there is always room. The root has one from the start.
The tables belong to the tree: a new one has no statistics, and a played action keeps those below it.
"""

from typing import Any

import numpy as np

from .arrays import copy, load_row, zero
from .jit import inlined
from .pack import called
from .played import NOTHING
from .rules import call_action_code
from .tree import AMAF, NO_NODE, REFERENCE, ROOT
from .views import scale_of

FIRST_TABLES = 16
MARKS, LISTED = 0, 1  # the rows of `work.distinct`


def new_tables(players: int, codes: int, amaf: int, count: int = FIRST_TABLES) -> Any:
    """Room for `count` tables; none if the policy does not ask for them."""
    return np.zeros((max(2, count), players * codes) if amaf >= 0 else (0, 0), AMAF)


def find_amaf_fault(rows: Any, tables: Any, nodes: int) -> str | None:
    """What is impossible in the tables of a file."""
    if len(rows) == 0 and len(tables) == 0:
        return None
    if len(rows) != max(nodes, ROOT + 1) or rows[NO_NODE] != len(tables) or rows[ROOT] < 1:
        return "the tables of actions don't fit the nodes"
    given = rows[ROOT:][rows[ROOT:] != 0]
    if np.any(given < 1) or np.any(given >= len(tables)) or len(np.unique(given)) < len(given):
        return "a table of actions is out of bounds"
    if np.any(tables["visits"] < 0) or not np.all(np.isfinite(tables["value"])):
        return "the tables of actions have impossible numbers"
    return None


@called
def begin_table(tree, number):
    """Give a node an empty table."""
    row = tree.amaf_rows[NO_NODE]
    for k in range(tree.amaf.shape[1]):
        tree.amaf[row, k]["visits"], tree.amaf[row, k]["value"] = 0, 0.0
    tree.amaf_rows[number] = row
    tree.amaf_rows[NO_NODE] = row + 1


# Step 1: what a policy is shown.


@inlined
def show_amaf(rules, params, tree, work, number, depth):
    """Fill `work.amaf` with the statistics of a node's edges: how many returns, and their mean in the unit of scores.

    The returns are from the reference on. What was got between it and this node is taken off, so that the mean compares
    with the edges' values.
    """
    node, players = tree.nodes[number], params.players
    player, first = np.int64(node["player"]), np.int64(node["first_edge"])
    if node["visits"] >= params.amaf and tree.amaf_rows[number] > 0:
        work.info[REFERENCE] = depth
    reference = np.int64(work.info[REFERENCE])
    row = np.int64(tree.amaf_rows[number if reference == depth else np.int64(work.path_nodes[reference])])
    got, scale = 0.0, 1.0
    for d in range(reference, depth):
        got += scale * work.path_rewards[d * players + player]
        scale *= params.discount
    if params.keep_states:
        load_row(work.state, tree.states, number)
    subtract, multiply = scale_of(params, tree.bounds)
    for i in range(np.int64(node["count"])):
        code = call_action_code(rules, work.state, tree.edges[first + i]["action"])
        entry = tree.amaf[row, player * params.codes + code]
        visits, value = np.int64(entry["visits"]), 0.0
        if visits > 0 and scale > 0.0:  # with discount 0 nothing that follows is known
            value = ((np.float64(entry["value"]) - got) / scale - subtract) * multiply
        work.amaf[i, 0], work.amaf[i, 1] = visits if scale > 0.0 else 0, value


# Step 4: what a simulation adds.


@inlined
def count_amaf(params, tree, work, depth):
    """Add a simulation to the table of each node of its path that has one, and begin at most one table.

    An entry gets the return from the node on, for the player who took the action there or later. An action that is
    taken twice counts once.
    """
    begin_first(params, tree, work, depth)
    players, returns, count = params.players, work.rewards, np.int64(0)
    copy(returns, work.returns)
    for i in range(depth + 1, work.played[0]):
        count = list_entry(work, np.int64(work.played[i]), count)
    if depth == 0:  # the root itself was evaluated
        add_listed(params, tree, work, np.int64(tree.amaf_rows[ROOT]), count)
    for d in range(depth - 1, -1, -1):
        for p in range(players):
            returns[p] = work.path_rewards[d * players + p] + params.discount * returns[p]
        count = list_entry(work, np.int64(work.played[d + 1]), count)
        row = np.int64(tree.amaf_rows[work.path_nodes[d]])
        if row > 0:
            add_listed(params, tree, work, row, count)
    zero(returns)
    for k in range(count):
        work.distinct[MARKS, work.distinct[LISTED, k]] = 0


@inlined
def begin_first(params, tree, work, depth):
    """Begin the table of the first node of the path that has enough visits for one, this simulation included."""
    for d in range(depth):
        number = work.path_nodes[d]
        if tree.amaf_rows[number] == 0:
            node = tree.nodes[number]
            if node["player"] >= 0 and 2 * (np.int64(node["visits"]) + 1) >= params.amaf:
                begin_table(tree, number)
                return


@inlined
def list_entry(work, entry, count):
    """Add an entry to the list unless it is there; returns the length of the list."""
    if entry == NOTHING or work.distinct[MARKS, entry] != 0:
        return count
    work.distinct[MARKS, entry], work.distinct[LISTED, count] = 1, entry
    return count + 1


@inlined
def add_listed(params, tree, work, row, count):
    """Add the returns in `work.rewards` to all listed entries of a table, each that of its player."""
    for k in range(count):
        place = np.int64(work.distinct[LISTED, k])
        entry = tree.amaf[row, place]
        visits, mean = np.int64(entry["visits"]) + 1, np.float64(entry["value"])
        entry["visits"] = visits
        entry["value"] = mean + (work.rewards[place >> params.code_bits] - mean) / visits
