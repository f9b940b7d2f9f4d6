"""What always holds of a graph, whatever grew it."""

import math

import numpy as np
import pytest

import playout as po
from playout.core import tree as core


def assert_graph_adds_up(search: po.Search) -> None:
    """Every visit is counted, every edge is in the list of its node and has its value, every node is in the table."""
    t, nodes, edges = search.tree, *(int(search.tree.counters[i]) for i in (core.NODES, core.EDGES))
    root = t.nodes[core.ROOT]
    assert search.settings.evaluate_root or root["own"] == 0
    children = np.abs(t.edges["child"][:edges])
    into = np.bincount(children[children > core.END], minlength=nodes)
    for number in range(core.ROOT, nodes):
        node = t.nodes[number]
        block = t.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        assert node["visits"] == node["own"] + block["visits"].sum()
        if node["player"] >= 0:  # opened edges first
            assert (block["visits"][: node["opened"]] > 0).all()
            assert (block["visits"][node["opened"] :] == 0).all()
        assert (block["child"][block["visits"] == 0] == core.NO_NODE).all()
        assert (block["visits"][block["child"] == core.NO_NODE] <= 1).all()  # a second visit makes or finds a node
        assert float(block["prior"].sum()) == pytest.approx(1, abs=1e-5)
        assert (block["spread"] >= 0).all()
        assert _listed(t, number) == into[number] == node["parents"]
        if number > core.ROOT:
            assert into[number] > 0
    entries = (t.table[t.table != 0] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
    assert sorted(entries[entries > 0]) == list(range(core.ROOT, nodes))
    seen = -1 - entries[entries < 0]
    assert len(np.unique(seen)) == len(seen)
    assert (t.edges["visits"][seen] == 1).all()
    assert (t.edges["child"][seen] == core.NO_NODE).all()
    ends = np.count_nonzero(children == core.END)
    assert t.counters[core.POSITIONS] == len(entries) + ends == search.result().nodes
    assert t.counters[core.SAVED] == np.count_nonzero(children > core.END) - np.count_nonzero(into)


def _listed(tree: core.Tree, number: int) -> int:
    """How many edges the list of a node has, all of which lead there."""
    e, count = int(tree.node_links[number]["first_in"]), 0
    while e >= 0:
        owner = tree.nodes[tree.edge_links[e]["owner"]]
        assert owner["first_edge"] <= e < owner["first_edge"] + owner["count"]
        assert abs(tree.edges[e]["child"]) == number
        e, count = int(tree.edge_links[e]["next_in"]), count + 1
    return count


def assert_values_match(search: po.Search) -> None:
    """Of two players without rewards on the way, without proofs: an edge has the value that its node last told, and a
    node the mean of its edges and of the returns that ended there.

    An edge that a simulation only met its node by took the node's value, which other edges may be told of later.
    """
    t, (low, high) = search.tree, search.game.range or (-math.inf, math.inf)
    for number in range(core.ROOT, int(t.counters[core.NODES])):
        node = t.nodes[number]
        block = t.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        rest = float(node["value"] * node["visits"] - (block["visits"] * block["value"]).sum())
        off = 1e-9 * max(1, int(node["visits"]))
        assert node["own"] * low - off <= rest <= node["own"] * high + off
        for edge in block[(block["child"] > core.END) & (block["visits"] > 1)]:
            child = t.nodes[edge["child"]]
            told = t.node_links[edge["child"]]["published"] if child["flags"] & core.CHANGED else child["value"]
            mine = told if child["player"] == node["player"] else low + high - told
            assert float(edge["value"]) == pytest.approx(float(mine), abs=1e-9)
