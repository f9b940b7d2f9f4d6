"""The tree of a generated search: nodes that hold any Python state, with the statistics of their edges.

Row `GENERATE` of a node's edges is the edge that asks for one more child; the rows after it are the children that are
there, in the order in which they came. So a policy compares generating with going deeper as it compares children.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

GENERATE = 0  # the edge that asks for one more child
VISITS, MEAN, SQUARES, BEST, PENDING, CLOSED = range(6)  # the columns of a node's edges, float64
COLUMNS = 6
FIRST_ROOM = 4  # rows of a node that has been asked once

Rows = NDArray[np.float64]


class ScoreTally:
    """The mean and spread of some scores, added one at a time (Welford, 1962)."""

    __slots__ = ("best", "count", "mean", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0  # the sum of squared distances from the mean
        self.best = -np.inf

    def add(self, score: float) -> None:
        """Count one more score.

        >>> scores = ScoreTally()
        >>> for x in (1.0, 2.0, 6.0):
        ...     scores.add(x)
        >>> scores.mean, scores.squares
        (3.0, 14.0)
        """
        self.count += 1
        distance = score - self.mean
        self.mean += distance / self.count
        self.squares += distance * (score - self.mean)
        self.best = max(self.best, score)


class GeneratedNode:
    """A state of a generated search, and what came of it."""

    __slots__ = (
        "call",
        "children",
        "closed",
        "cost",
        "depth",
        "edges",
        "final",
        "further",
        "generator",
        "parent",
        "place",
        "repeats",
        "score",
        "silent",
        "state",
        "used",
    )

    def __init__(
        self, call: int, parent: "GeneratedNode | None", state: Any, score: float | None, generator: str, cost: float
    ) -> None:
        self.call = call  # the number of the call that made it; 0 for the root
        self.parent = parent
        self.state = state
        self.score = score  # None at the root
        self.generator = generator
        self.cost = cost  # of the calls that made and scored it
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.place = 0  # its row among its parent's edges
        self.children: list[GeneratedNode] = []
        self.edges: Rows = np.zeros((1, COLUMNS))
        self.edges[0, BEST] = -np.inf
        self.further = ScoreTally()  # of what was generated below its children
        self.closed = False  # nothing more can be generated here or below
        self.final = False  # nothing is generated from it
        self.repeats = 0  # states in a row that were proposed here and known already
        self.silent: set[str] = set()  # generators with nothing more to propose here
        self.used = 1

    def __repr__(self) -> str:
        score = "no score" if self.score is None else f"score {self.score:.4g}"
        return f"<GeneratedNode {self.call}: {score}, {len(self.children)} children>"

    @property
    def visits(self) -> int:
        """Answers that were generated here or below."""
        return int(self.edges[GENERATE, VISITS]) + self.further.count

    @property
    def line(self) -> list["GeneratedNode"]:
        """The nodes from the root to this one."""
        found: list[GeneratedNode] = []
        node: GeneratedNode | None = self
        while node is not None:
            found.append(node)
            node = node.parent
        return found[::-1]

    def walk(self) -> Iterator["GeneratedNode"]:
        """This node and all below it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def add(self, child: "GeneratedNode") -> None:
        """Append a child, whose own score is the first of its edge."""
        if self.used == len(self.edges):
            room = np.zeros((max(FIRST_ROOM, 2 * self.used), COLUMNS))
            room[: self.used] = self.edges
            self.edges = room
        child.place = self.used
        row = self.edges[self.used]
        row[:] = 0.0
        row[VISITS], row[MEAN], row[BEST] = 1.0, child.score, child.score
        self.children.append(child)
        self.used += 1
        node = self
        while node.closed:  # the answer to a call that was under way when all else was closed
            node.closed = False
            if node.parent is None:
                return
            node.parent.edges[node.place, CLOSED] = 0.0
            node = node.parent

    def count(self, place: int, score: float) -> None:
        """Count a score that came through one of its edges."""
        row = self.edges[place]
        visits, mean, squares, best = row[:4].tolist()
        distance = score - mean
        mean += distance / (visits + 1.0)
        row[:4] = visits + 1.0, mean, squares + distance * (score - mean), max(best, score)

    def close(self) -> None:
        """Generate nothing here any more; where nothing is left below either, the parents learn of it."""
        self.edges[GENERATE, CLOSED] = 1.0
        node = self
        while node.edges[: node.used, CLOSED].all():
            node.closed = True
            if node.parent is None:
                return
            node.parent.edges[node.place, CLOSED] = 1.0
            node = node.parent


def back_up(parent: GeneratedNode, score: float) -> None:
    """Count a generated score: at the parent for the edge that generates, above it for the edges that lead there."""
    parent.count(GENERATE, score)
    node = parent
    while node.parent is not None:
        node.parent.count(node.place, score)
        node.parent.further.add(score)
        node = node.parent


def mark_pending(parent: GeneratedNode, change: float) -> None:
    """Mark the way to a call in flight, or take the mark back."""
    parent.edges[GENERATE, PENDING] += change
    node = parent
    while node.parent is not None:
        node.parent.edges[node.place, PENDING] += change
        node = node.parent
