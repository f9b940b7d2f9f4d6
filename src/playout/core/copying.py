"""Copies of a tree: a compact one, a larger one, or the subtree below one of its nodes."""

from typing import Any

import numpy as np

from .amaf import begin_table
from .jit import inlined, njit
from .positions import LOW, copy_table, entry_of, join_all, put_slot
from .tree import (
    ALL_FLAGS,
    EDGES,
    END,
    END_PROOF,
    GREW,
    NO_NODE,
    NO_PROOF,
    NODES,
    POSITIONS,
    PROOFS,
    ROOT,
    SAVED,
    Tree,
    child_node,
    is_graph,
    table_size,
)


def rows(tree: Tree, name: str) -> int:
    """How many records of an array are in use; all of them if it does not grow."""
    used = tree.counters
    if name == "rewards" and is_graph(tree):
        return min(len(tree.rewards), int(used[EDGES]))
    counted = {
        **dict.fromkeys(("nodes", "states", "rewards", "node_links", "means", "amaf_rows"), NODES),
        **dict.fromkeys(("edges", "edge_links", "policy_columns", "backup_columns"), EDGES),
        "proofs": PROOFS,
    }
    array = getattr(tree, name)
    if name == "amaf":
        return int(tree.amaf_rows[NO_NODE]) if len(array) else 0
    return min(len(array), int(used[counted[name]])) if name in counted else len(array)


def copied(tree: Tree) -> Tree:
    """A copy that is no larger than needed."""
    return Tree(*(array[: rows(tree, name)].copy() for name, array in zip(Tree._fields, tree, strict=True)))


def grown(tree: Tree, nodes: int, edges: int, proofs: int, positions: int = 0, tables: int = 0) -> Tree:
    """The same tree with room for at least these numbers of records, and in a graph for one more position."""

    def more(name: str, size: int) -> Any:
        array = getattr(tree, name)
        if len(array) >= size or not (len(array) or name in ("nodes", "edges", "proofs")):
            return array
        larger = np.empty((size, *array.shape[1:]), array.dtype)
        used = rows(tree, name)
        larger[:used] = array[:used]
        return larger

    wanted = dict.fromkeys(("nodes", "states", "node_links", "means", "amaf_rows"), nodes)
    wanted |= dict.fromkeys(("edges", "edge_links", "policy_columns", "backup_columns"), edges)
    wanted |= {"proofs": proofs, "rewards": edges if is_graph(tree) else nodes, "amaf": tables}
    larger = tree._replace(**{name: more(name, size) for name, size in wanted.items()})
    places = table_size(max(positions, int(tree.counters[POSITIONS]) + 2))
    if is_graph(tree) and len(tree.table) < places:
        larger = larger._replace(table=np.zeros(places, np.uint64))
        copy_table(tree.table, larger.table)
    return larger


@inlined
def copy_table_of(source, target, old, new):
    """Copy the table of a node's actions, if it has one; a root without one keeps its empty table."""
    row = source.amaf_rows[old]
    if row > 0:
        if new > ROOT:
            begin_table(target, new)
        for k in range(source.amaf.shape[1]):
            target.amaf[target.amaf_rows[new], k] = source.amaf[row, k]


@njit
def copy_subtree(source, target, start, old, new):
    """Copy the subtree of node `start` into the empty tree `target`, with `start` as its root; without recursion.

    Nodes are numbered breadth first, so each comes after the one it was first reached from. `target` must have room for
    as many records as `source` uses. `old` (scratch) gets the old number of each new node, `new` (zeros) the new number
    of each old one.
    """
    graph = source.node_links.shape[0] > 0
    old[ROOT], new[start] = start, ROOT
    nodes, edges, proofs, positions = ROOT + 1, 0, END_PROOF + 1, 1
    at = ROOT
    while at < nodes:
        node = source.nodes[old[at]]
        target.nodes[at] = node
        if source.states.shape[0] > 0:
            for i in range(source.states.shape[1]):
                target.states[at, i] = source.states[old[at], i]
            if not graph:
                for p in range(source.rewards.shape[1]):
                    target.rewards[at, p] = source.rewards[old[at], p]
        if graph:
            target.node_links[at] = source.node_links[old[at]]
            for i in range(source.means.shape[1] if source.means.shape[0] > 0 else 0):
                target.means[at, i] = source.means[old[at], i]
        if source.amaf_rows.shape[0] > 0:
            copy_table_of(source, target, old[at], at)
        if node["proof"] > NO_PROOF:
            for p in range(source.proofs.shape[1]):
                target.proofs[proofs, p] = source.proofs[node["proof"], p]
            target.nodes[at]["proof"] = proofs
            proofs += 1
        target.nodes[at]["first_edge"], target.nodes[at]["flags"] = edges, node["flags"] & (ALL_FLAGS - GREW)
        for i in range(node["count"]):
            e = node["first_edge"] + i
            edge = source.edges[e]
            target.edges[edges] = edge
            for k in range(source.policy_columns.shape[1]):
                target.policy_columns[edges, k] = source.policy_columns[e, k]
            for k in range(source.backup_columns.shape[1]):
                target.backup_columns[edges, k] = source.backup_columns[e, k]
            if graph and source.rewards.shape[0] > 0:
                for p in range(source.rewards.shape[1]):
                    target.rewards[edges, p] = source.rewards[e, p]
            child = child_node(edge["child"])
            positions += edge["visits"] > 0 and (child == END or (child == NO_NODE and not graph))
            if child > END:
                if new[child] == 0:
                    old[nodes], new[child] = child, nodes
                    nodes += 1
                    positions += 1
                else:
                    target.counters[SAVED] += 1
                target.edges[edges]["child"] = new[child] if edge["child"] > 0 else -new[child]
            edges += 1
        at += 1
    target.counters[NODES], target.counters[EDGES], target.counters[PROOFS] = nodes, edges, proofs
    target.counters[POSITIONS] = positions  # in a graph, those without a node follow with the table
    if graph:
        join_all(target)
        for i in range(source.table.shape[0]):
            slot = source.table[i]
            if slot == 0:
                continue
            entry = entry_of(slot)
            e = -1 - entry
            number = entry if entry > 0 else np.int64(source.edge_links[e]["owner"])
            if new[number] > 0:
                here = e - source.nodes[number]["first_edge"] + target.nodes[new[number]]["first_edge"]
                kept = np.int64(new[number]) if entry > 0 else -1 - here
                put_slot(target.table, (slot & ~LOW) | (np.uint64(kept) & LOW))
                target.counters[POSITIONS] += entry < 0
