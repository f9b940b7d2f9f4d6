"""What a part of the search sees: a node and an edge as plain numbers, whatever the tree keeps them as."""

from typing import Any, NamedTuple


class NodeView(NamedTuple):
    """A node, values in the unit of scores."""

    visits: Any  # walks under way included
    through: Any  # of these, those that went on to a child
    value: Any  # the mean for the player who chooses here
    spread: Any  # the sum of squared deviations of the returns from that mean
    width: Any  # of the range of values
    player: Any  # who chooses
    count: Any  # children


class EdgeView(NamedTuple):
    """An edge, values in the unit of scores."""

    visits: Any  # walks under way included
    pending: Any  # walks under way
    value: Any  # for the player who chooses at the node; virtual loss included
    spread: Any  # the sum of squared deviations of completed visits
    prior: Any
    action: Any
    proven: Any
