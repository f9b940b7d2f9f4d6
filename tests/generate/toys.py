"""Generators for the tests: deterministic by the call's seed, so that a resumed search can be compared."""

import random
from typing import Any

import playout as po


def refine(parent: Any, call: po.Call) -> tuple[float, float]:
    """A score near the parent's."""
    value = (0.3 if parent is None else parent) + random.Random(call.seed).gauss(-0.02, 0.1)
    value = min(1.0, max(0.0, value))
    return value, value


def outline(search: po.GeneratedSearch) -> list[tuple[int, int, float | None]]:
    """A tree as its nodes: call, parent's call, score."""
    return [(n.call, -1 if n.parent is None else n.parent.call, n.score) for n in search.nodes.values()]
