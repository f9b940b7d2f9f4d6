"""What always holds of a tree, whatever grew it."""

import math

import numpy as np
import pytest

import playout as po
from playout.core import tree as core


def assert_adds_up(search: po.Search) -> None:
    """Every visit is counted once on each level, every node hangs on one edge, and values lie within the range."""
    t, used = search.tree, int(search.tree.counters[core.NODES])
    low, high = search.game.range or (-math.inf, math.inf)
    hanging, gaps, threaded = set(), 0, search.settings.threads > 1
    for number in range(core.ROOT, used):
        node = t.nodes[number]
        if threaded and node == np.zeros(1, core.NODE)[0]:  # left of a block
            gaps += 1
            continue
        block = t.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        assert node["visits"] == node["own"] + block["visits"].sum()
        if node["player"] >= 0:  # opened edges first
            assert (block["visits"][: node["opened"]] > 0).all()
            assert (block["visits"][node["opened"] :] == 0).all()
        assert float(block["prior"].sum()) == pytest.approx(1, abs=1e-5)
        if low > -math.inf:
            assert low - 1e-9 <= node["value"] <= high + 1e-9
            assert (block["value"] >= low - 1e-9).all()
            assert (block["value"] <= high + 1e-9).all()
        assert (block["spread"] >= -1e-9).all()
        for edge in block:
            child = abs(int(edge["child"]))
            if child > core.END:
                assert (core.ROOT if threaded else number) < child < used
                assert child not in hanging
                if edge["child"] > 0:
                    assert t.nodes[child]["visits"] == edge["visits"]
                else:  # what is proven is not walked into any more
                    assert t.nodes[child]["visits"] <= edge["visits"]
                hanging.add(child)
            if not edge["visits"]:
                assert child == core.NO_NODE
    assert len(hanging) == used - core.ROOT - 1 - gaps  # every node hangs on exactly one edge
    edges = int(t.counters[core.EDGES])
    assert t.counters[core.POSITIONS] == 1 + np.count_nonzero(t.edges[:edges]["visits"])
