"""Whether a tree from a file is safe to search: its numbers are within bounds, and they fit together."""

from typing import Any

import numpy as np

from playout.core import positions
from playout.core import tree as core
from playout.core.amaf import find_amaf_fault
from playout.core.learned import has_fault
from playout.core.tree import Tree
from playout.game import Game


def find_fault(tree: Tree, game: Game) -> str | None:
    """What makes a tree unsafe for a kernel: an index out of bounds, a child above its parent, an invalid player."""
    used = tree.counters
    records, edges, proofs = (int(used[i]) for i in (core.NODES, core.EDGES, core.PROOFS))
    if (
        (records, edges, proofs) != (len(tree.nodes), len(tree.edges), len(tree.proofs))
        or records < core.ROOT
        or proofs < 2
    ):
        return "the counts don't fit the arrays"
    if np.any(used[[core.POSITIONS, core.SIMULATIONS]] < 0) or not -1 <= used[core.LEADER] < max(1, edges):
        return "a counter is out of bounds"
    if len(tree.policy_columns) != edges or len(tree.backup_columns) != edges:
        return "the columns don't fit the edges"
    if fault := find_amaf_fault(tree.amaf_rows, tree.amaf, records):
        return fault
    if has_fault(tree.learned):
        return "what the playouts have learned has impossible numbers"
    node, edge = tree.nodes[core.ROOT :], tree.edges
    first, count = node["first_edge"].astype(np.int64), node["count"].astype(np.int64)
    if np.any(first < 0) or np.any(first + count > edges) or np.any(node["opened"] > node["count"]):
        return "a node's edges are out of bounds"
    if len(node) and np.any(count > game.max_actions):
        return "a node has too many edges"
    if np.any(node["player"] >= game.players) or np.any((node["player"] < 0) & (node["player"] != -1)):
        return "a player is out of bounds"
    if np.any(node["proof"] < 0) or np.any(node["proof"] >= proofs) or tree.nodes[core.END]["proof"] != core.END_PROOF:
        return "a proof is out of bounds"
    child = np.abs(edge["child"].astype(np.int64))
    graph = core.is_graph(tree)
    if np.any(child >= max(records, core.ROOT)) or (np.any(child == core.ROOT) and not graph):
        return "a child is out of bounds"
    order = np.argsort(first, kind="stable")
    ends = (first + count)[order]
    if np.any(first[order][1:] < ends[:-1]):
        return "two nodes have the same edges"
    owner = np.zeros(edges, np.int64)  # 0: spare room, as an open loop leaves it
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count[order]) - count[order], count[order])
    owner[np.repeat(first[order], count[order]) + within] = np.repeat(
        np.arange(core.ROOT, records)[order], count[order]
    )
    if np.any(edge["child"][owner == 0] != 0) or np.any(edge["visits"][owner == 0] != 0):
        return "an edge belongs to no node"
    if graph and (fault := _find_graph_fault(tree, child, owner)):
        return fault
    if not graph and np.any((child > core.END) & (child <= owner)):
        return "a child comes before its parent"
    below = child[child > core.END]
    if not graph and len(np.unique(below)) != len(below):
        return "a node has two parents"
    if np.any(node["visits"] < 0) or np.any(edge["visits"] < 0) or np.any(node["own"] < 0):
        return "a count of visits is negative"
    through = np.zeros(records, np.int64)
    np.add.at(through, owner, edge["visits"])
    if np.any(through[core.ROOT :] + node["own"] != node["visits"]):
        return "visits don't add up"
    if len(tree.plan) and not _is_plan(tree, game):
        return "the plan of its root is out of bounds"
    if np.any(node["player"] == -1) and not (game.has("chance_outcomes") or game.draws):
        return "chance moves in a game without chance"
    if not np.all(edge["spread"] >= 0.0) or np.any(np.isinf(edge["spread"])):
        return "a spread is not a number of at least 0"
    if not all(np.all(np.isfinite(numbers)) for numbers in (edge["value"], edge["prior"], node["value"])):
        return "a value is not a number"
    return None


def _is_plan(tree: Tree, game: Game) -> bool:
    """Whether a plan's numbers are possible: none began yet, or one with candidates among the root's edges."""
    plan, rows = tree.plan[0], tree.candidates
    size, entered, pool = (int(plan[name]) for name in ("size", "entered", "pool"))
    begun = plan["length"] > 0 and plan["rounds"] > 0 and size > 0
    count = int(tree.nodes[core.ROOT]["count"]) if len(tree.nodes) > core.ROOT else 0
    return bool(
        len(tree.plan) == 1
        and len(rows) == game.max_actions
        and (begun or (size == pool == plan["ends"] == 0))
        and 0 <= entered <= size <= pool <= count
        and 0 <= plan["base"] <= plan["goal"]
        and np.all(rows["place"] >= 0)
        and np.all(np.isfinite(rows["noise"]) & np.isfinite(rows["logit"]))
    )


def _find_graph_fault(tree: Tree, child: Any, owner: Any) -> str | None:
    """What is wrong with the arrays that only a graph has. Rebuilds the parent links."""
    records, edges, places = len(tree.nodes), len(tree.edges), len(tree.table)
    if len(tree.node_links) != records or len(tree.edge_links) != edges or len(tree.means) not in (0, records):
        return "the links don't fit the nodes and edges"
    used = tree.table[tree.table != 0]
    entry = (used & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32).astype(np.int64)
    if places & (places - 1) or 2 * len(used) > places or places < 16:
        return "the table of positions is too full, or not a power of two long"
    if np.any(entry >= records) or np.any(entry < -edges) or np.any(np.isin(entry, (core.NO_NODE, core.END))):
        return "the table of positions points out of bounds"
    if not np.all(np.isfinite(tree.node_links["published"][core.ROOT :])) or not np.all(np.isfinite(tree.means)):
        return "a value is not a number"
    first = np.full(records, records, np.int64)
    inner = child > core.END
    np.minimum.at(first, child[inner], owner[inner])
    if np.any(first[core.ROOT + 1 :] >= np.arange(core.ROOT + 1, records)):
        return "a node comes before the one it was reached from"
    positions.join_all(tree)
    return None
