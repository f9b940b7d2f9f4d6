"""What a part of the search sees: a node and an edge as plain numbers, whatever the tree keeps them as."""

from typing import Any, NamedTuple

from numba import types
from numba.extending import overload_attribute

from .jit import COMPILED, inlined


class NodeView(NamedTuple):
    """A node, values in the unit of scores."""

    visits: Any  # walks under way included
    through: Any  # of these, those that went on to a child
    value: Any  # the mean for the player who chooses here
    width: Any  # of the range of values
    player: Any  # who chooses
    count: Any  # children
    # Where `spread` comes from.
    edges: Any
    first: Any
    opened: Any
    own: Any  # visits that ended here and are in the mean
    mean: Any  # as the tree has it
    multiply: Any

    @property
    def spread(self) -> Any:
        """The sum of squared deviations of the returns from the node's mean."""
        return spread_of(self.edges, self.first, self.opened, self.own, self.mean, self.multiply)


class EdgeView(NamedTuple):
    """An edge, values in the unit of scores."""

    visits: Any  # walks under way included
    pending: Any  # walks under way
    value: Any  # for the player who chooses at the node; virtual loss included
    spread: Any  # sum of squared deviations of completed visits
    prior: Any
    action: Any
    proven: Any


@inlined
def spread_of(edges, first, opened, own, mean, multiply):
    """Within the edges of a node and between them, and of the visits that ended at the node, by their mean."""
    total, beyond = 0.0, 0.0
    for e in range(first, first + opened):
        off = edges[e]["value"] - mean
        total += edges[e]["spread"] + edges[e]["visits"] * off * off
        beyond += edges[e]["visits"] * off
    if own > 0:
        total += beyond * beyond / own  # all deviations from a mean sum to zero
    return total * multiply * multiply


@overload_attribute(types.NamedTuple, "spread")  # type: ignore[untyped-decorator]
def _spread(node: Any) -> Any:
    if node.instance_class is not NodeView or not COMPILED:
        return None
    return lambda node: spread_of(node.edges, node.first, node.opened, node.own, node.mean, node.multiply)
