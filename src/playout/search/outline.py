"""The most visited part of a tree, read from its arrays: `Node` objects would be too slow for thousands of nodes."""

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from playout.core.tree import END, ROOT

if TYPE_CHECKING:
    from .search import Search


class OutlinedNode(NamedTuple):
    """A node of an outline. `value` is for `value_for`, as in `Node`."""

    parent: int  # index in the outline; -1: none
    action: int | None
    visits: int
    value: float | None
    value_for: int
    least: int  # visits of the parent: everything with more visits has come before


def outline(search: "Search", depth: int) -> Iterator[OutlinedNode]:
    """The visited nodes down to `depth`, the children of the most visited first; stop whenever it is enough."""
    tree, root = search.tree, search.root
    visits, values, actions, children = (tree.edges[name] for name in ("visits", "value", "action", "child"))
    firsts, counts, players = (tree.nodes[name] for name in ("first_edge", "count", "player"))
    yield OutlinedNode(-1, None, root.visits, root.value, root.value_for, root.visits)
    waiting, found = [(-root.visits, 0, ROOT, 0)], 1  # visits, index, node, depth
    while waiting:
        above, at, node, level = heapq.heappop(waiting)
        if level >= depth:
            continue
        block = slice(first := int(firsts[node]), first + int(counts[node]))
        player, here = max(0, int(players[node])), visits[block]
        order = (-here).argsort(kind="stable")[: int((here > 0).sum())]
        rows = (here[order], actions[block][order], values[block][order], children[block][order])
        for count, action, value, child in zip(*(row.tolist() for row in rows), strict=True):
            yield OutlinedNode(at, action, count, value, player, -above)
            if abs(child) > END:
                heapq.heappush(waiting, (-count, found, abs(child), level + 1))
            found += 1
