"""What a policy or backup is tried on: nodes and edges from real searches, and random ones."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from playout.core.tree import EDGES, NODES, ROOT
from playout.core.views import NodeView
from playout.policies import Parent

NODES_OF_A_TREE = 25  # that are tried, spread over the tree
EDGES_OF_A_NODE = 6
RANDOM_NODES = 40
MOST_VISITS = 1_000_000


@dataclass(frozen=True)
class Edge:
    """An edge as a policy or backup sees it: plain numbers, and its columns."""

    visits: int
    value: float
    spread: float
    prior: float
    action: int
    columns: tuple[float, ...] = ()
    pending: int = 0
    proven: int = 0
    amaf_visits: int = 0  # for a policy that asks for the statistics of an edge's action
    amaf_value: float = 0.0

    def fields(self) -> dict[str, Any]:
        """The numbers by name, in the types that compiled code uses."""
        whole, real = np.int64, np.float64
        return {
            "visits": whole(self.visits),
            "pending": whole(self.pending),
            "value": real(self.value),
            "spread": real(self.spread),
            "prior": real(self.prior),
            "action": whole(self.action),
            "proven": whole(self.proven),
        }

    def statistics(self) -> dict[str, Any]:
        """The statistics of the edge's action, by name."""
        return {"amaf_visits": np.int64(self.amaf_visits), "amaf_value": np.float64(self.amaf_value)}

    def __str__(self) -> str:
        amaf = f", amaf_visits {self.amaf_visits}, amaf_value {self.amaf_value:.4g}" if self.amaf_visits else ""
        return f"visits {self.visits}, value {self.value:.4g}, spread {self.spread:.4g}, prior {self.prior:.4g}{amaf}"


@dataclass(frozen=True)
class Case:
    """A node, its edges, and the record of the policy or backup."""

    node: NodeView
    visited: tuple[Edge, ...]
    unvisited: tuple[Edge, ...]
    record: bytes

    def told(self, edge: Edge) -> str:
        """An edge and its node in a message."""
        return f"{edge}; node visits {self.node.visits}, value {self.node.value:.4g}"


def from_tree(search: Any, role: str) -> Iterator[Case]:
    """Nodes of a search's tree at which a player chooses."""
    tree, width = search.tree, _width(search)
    record = getattr(tree, role).tobytes()
    columns = getattr(tree, f"{role}_columns")
    columns = columns if columns.shape[1] else np.zeros((len(tree.edges), 0), np.int64)
    last = int(tree.counters[NODES])
    for number in sorted({int(n) for n in np.linspace(ROOT, last - 1, NODES_OF_A_TREE)}):
        node = tree.nodes[number]
        if node["player"] < 0 or node["visits"] == 0:
            continue
        first, count = int(node["first_edge"]), int(node["count"])
        assert first + count <= tree.counters[EDGES]
        edges = [_edge(search, role, tree.edges[e], columns[e], node) for e in range(first, first + count)]
        visited = tuple(edge for edge in edges if edge.visits and not edge.proven)[:EDGES_OF_A_NODE]
        unvisited = tuple(edge for edge in edges if not edge.visits)[:EDGES_OF_A_NODE]
        yield Case(_view(node, edges, width), visited, unvisited, record)


def _width(search: Any) -> float:
    return 1.0 if search.params.normalise else float(search.params.highest - search.params.lowest)


def _view(node: Any, edges: list[Edge], width: float) -> NodeView:
    value = float(node["value"])
    spread = sum(e.spread + e.visits * (e.value - value) ** 2 for e in edges)
    visits, own = int(node["visits"]), int(node["own"])
    return NodeView(
        np.int64(visits),
        np.int64(visits - own),
        np.float64(value),
        np.float64(spread),
        np.float64(width),
        np.int64(node["player"]),
        np.int64(len(edges)),
    )


def _edge(search: Any, role: str, edge: Any, words: Any, node: Any) -> Edge:
    kinds = getattr(search.settings, role).columns
    numbers = tuple(words[i : i + 1].view(kinds[name])[0] for i, name in enumerate(kinds.names or ()))
    visits = int(edge["visits"])
    value = float(edge["value"]) if visits else unvisited_value(search.settings.policy, float(node["value"]))
    proven = int(edge["child"] < 0)
    amaf = int(node["visits"]), float(node["value"])  # as if every simulation had taken its action
    spread, prior, action = float(edge["spread"]), float(edge["prior"]), int(edge["action"])
    return Edge(visits, value, spread, prior, action, numbers, 0, proven, *amaf)


def unvisited_value(policy: Any, of_node: float) -> float:
    """The value that a policy gives an unvisited edge, 0 for infinity."""
    if isinstance(policy.unvisited, Parent):
        return of_node - float(policy.unvisited.reduction)
    return 0.0 if isinstance(policy.unvisited, str) else float(policy.unvisited)


def at_random(
    random: np.random.Generator, records: list[bytes], kept: list[tuple[float, ...]], low: float, high: float
) -> Iterator[Case]:
    """Nodes and edges with random numbers, as returns from `low` to `high` could produce them.

    The records and the columns of visited edges are drawn from those given.
    """
    width, of_actions = high - low, np.random.default_rng(RANDOM_NODES)

    def statistics() -> tuple[int, float]:
        visits = int(MOST_VISITS ** float(of_actions.random())) - 1
        return visits, float(of_actions.uniform(low, high)) if visits else 0.0

    for _ in range(RANDOM_NODES):
        count = int(random.integers(1, 12))
        visits = [math.ceil(MOST_VISITS ** float(random.random())) for _ in range(count)]
        values = random.uniform(low, high, count)
        priors = random.dirichlet(np.ones(count) * 0.5)
        edges = [
            Edge(
                n,
                float(v),
                float(random.random()) * n * (v - low) * (high - v),
                float(np.float32(p)),
                i,
                (),
                0,
                0,
                *statistics(),
            )
            for i, (n, v, p) in enumerate(zip(visits, values, priors, strict=True))
        ]
        edges = [replace(edge, columns=kept[int(random.integers(len(kept)))]) for edge in edges]
        total = sum(visits)
        value = float(np.average(values, weights=visits))
        spread = sum(e.spread + e.visits * (e.value - value) ** 2 for e in edges)
        node = NodeView(
            np.int64(total + int(random.integers(2))),
            np.int64(total),
            np.float64(value),
            np.float64(spread),
            np.float64(width),
            np.int64(0),
            np.int64(count + 2),
        )
        zeros = tuple(type(number)(0) for number in edges[0].columns)
        new = tuple(
            Edge(0, value, 0.0, float(np.float32(p)), count + i, zeros, 0, 0, *statistics())
            for i, p in enumerate(random.random(2))
        )
        yield Case(node, tuple(edges), new, records[int(random.integers(len(records)))])
