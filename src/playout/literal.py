"""Trees written by hand, so that selection, expansion and backup can be checked by eye.

A tree is nested dictionaries. A node has `visits` (if left out: those of its children), `children` by action (text or
number), and below the root `value` (mean return for the player who chooses at the node above, 0 if left out),
`prior` and `variance` (of the returns, 0 if left out). `value` at the root is for the player who moves there; if left
out, it is the mean of the children:

    {"visits": 10, "children": {"a": {"visits": 6, "value": 0.5}, "b": {"visits": 4, "value": -0.25}}}

Legal actions that are not named are unvisited. A node whose children are named has been expanded.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .core import answer
from .core import tree as core
from .errors import ActionError, PositionError, SettingsError
from .game import CHANCE, Position

if TYPE_CHECKING:
    from .search import Search

KEYS = {"visits", "value", "prior", "variance", "children"}


def plant(search: "Search", literal: Mapping[str, Any]) -> None:
    """Fill the empty tree of a search from a literal."""
    if search.position.is_terminal:
        raise PositionError(
            f"{search.game.title}: the game is over in {search.position.text}; there is no tree to write"
        )
    root = search.tree.nodes[core.ROOT]
    _check(literal, ())
    visits = literal.get("visits", _visits_of_children(literal))
    _fill(search, core.ROOT, search.position, literal, (), visits)
    if "value" in literal:
        root["value"] = float(literal["value"])
    tree = search.tree
    tree.counters[core.POSITIONS] = 1 + int(np.count_nonzero(tree.edges[: tree.counters[core.EDGES]]["visits"]))
    search.tree.counters[core.LEADER] = answer.best_edge(search.params, search.tree, core.ROOT)


def _fill(
    search: "Search", number: int, position: Position, literal: Mapping[str, Any], path: tuple[str, ...], visits: int
) -> None:
    """Write the children of a node that has its edges; those with children of their own get nodes, and so on down."""
    children = literal.get("children", {})
    named: dict[int, Mapping[str, Any]] = {}
    for key, child in children.items():
        try:
            action = position.action(key)
            if action not in position.actions():
                raise ActionError(f"{search.game.title}: action {action} is not legal in {position.text}")
        except ActionError as error:
            raise ActionError(f"tree, at {_where(path)}: {error}") from None
        _check(child, (*path, str(key)))
        named[action] = child
    below = sum(int(c.get("visits", _visits_of_children(c))) for c in named.values())
    if below > visits:
        raise SettingsError(f"tree, at {_where(path)}: {visits} visits, but its children have {below} together")
    node = search.tree.nodes[number]
    first, count = int(node["first_edge"]), int(node["count"])
    block = search.tree.edges[first : first + count]
    for edge in block:
        child = named.get(int(edge["action"]))
        if child is None:
            continue
        edge["visits"] = child.get("visits", _visits_of_children(child))
        edge["value"] = child.get("value", 0.0)
        edge["spread"] = float(child.get("variance", 0.0)) * edge["visits"]
        if "prior" in child:
            edge["prior"] = child["prior"]
    player = int(node["player"])
    if player != CHANCE or search.params.few_outcomes:  # visited ones first, then by prior, equal ones as they were
        order = sorted(
            range(count),
            key=lambda i: (block[i]["visits"] == 0, -float(block[i]["prior"]) if block[i]["visits"] == 0 else 0.0),
        )
        block[:] = block[order]
        node["opened"] = int(np.count_nonzero(block["visits"]))
    seen = block["visits"] > 0
    node["visits"], node["own"] = visits, visits - below
    if below:
        node["value"] = float(np.sum(block["value"][seen] * block["visits"][seen]) / below)
    for p in block["value"][seen] if search.params.normalise else ():
        search.tree.bounds[core.LEAST] = min(search.tree.bounds[core.LEAST], p)
        search.tree.bounds[core.GREATEST] = max(search.tree.bounds[core.GREATEST], p)
    for i in range(count):
        child = named.get(int(block[i]["action"]))
        if child is not None and child.get("children"):
            _add(search, first + i, position, child, path)


def _add(search: "Search", e: int, position: Position, literal: Mapping[str, Any], path: tuple[str, ...]) -> None:
    """Give an edge its node, as an expansion does, and fill that."""
    edge = search.tree.edges[e]
    text = position.action_text(int(edge["action"]))
    after = position.play(int(edge["action"]))
    if after.is_terminal:
        raise PositionError(
            f"tree, at {_where((*path, text))}: the game is over in {after.text}, there are no children"
        )
    search.make_room()
    search._work.state[:] = after.buffer
    search._work.path_rewards[: search.game.players] = after.rewards
    number = search.add_node(after.player, e)
    search.tree.edges[e]["child"] = number
    if search.params.keep_states:
        search.tree.rewards[e if search.params.graph else number] = after.rewards
    _fill(search, number, after, literal, (*path, text), int(search.tree.edges[e]["visits"]))


def _visits_of_children(literal: Mapping[str, Any]) -> int:
    children = literal.get("children", {})
    if not isinstance(children, Mapping):
        return 0
    return sum(int(c.get("visits", _visits_of_children(c))) for c in children.values() if isinstance(c, Mapping))


def _check(literal: Any, path: tuple[str, ...]) -> None:
    """Refuse what is no node, by its place in the tree."""
    where = _where(path)
    if not isinstance(literal, Mapping):
        raise SettingsError(
            f"tree, at {where}: {literal!r} is no node, expected a dictionary with {', '.join(sorted(KEYS))}"
        )
    for key in literal:
        if key not in KEYS:
            raise SettingsError(f"tree, at {where}: unknown '{key}', expected {', '.join(sorted(KEYS))}")
    visits = literal.get("visits", 0)
    if not isinstance(visits, int) or isinstance(visits, bool) or not 0 <= visits < 2**31:
        raise SettingsError(f"tree, at {where}: visits is {visits!r}, expected a whole number of at least 0")
    for key in ("value", "prior", "variance"):
        number = literal.get(key, 0.0)
        if not isinstance(number, int | float) or not np.isfinite(number) or (key != "value" and number < 0):
            raise SettingsError(
                f"tree, at {where}: {key} is {number!r}, expected a number{'' if key == 'value' else ' of at least 0'}"
            )
    if not isinstance(literal.get("children", {}), Mapping):
        raise SettingsError(f"tree, at {where}: children is {literal['children']!r}, expected a dictionary by action")
    if literal.get("children") and path and not literal.get("visits", _visits_of_children(literal)):
        raise SettingsError(f"tree, at {where}: it has children but no visits")


def _where(path: tuple[str, ...]) -> str:
    return " ".join(path) or "the root"
