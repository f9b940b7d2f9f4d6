"""Trees written by hand, so that selection, expansion and backup can be checked by eye.

A tree is nested dictionaries. A node has `visits` (if left out: those of its children), `children` by action (text or
number), and below the root `value` (mean return for the player who chooses at the node above, 0 if left out),
`prior` and `variance` (of the returns, 0 if left out), and the columns of policy and backup by their names (of edges
that were visited; 0 if left out). `value` at the root is for the player who moves there; if left out, it is the mean of
the children:

    {"visits": 10, "children": {"a": {"visits": 6, "value": 0.5}, "b": {"visits": 4, "value": -0.25}}}

Legal actions that are not named are unvisited. A node whose children are named has been expanded. What no search could
have found is refused: a value or variance outside the game's `value_range`, or a value other than the reward where the
action ends the game (if left out, it is the reward).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import answer
from playout.core import tree as core
from playout.errors import ActionError, PositionError, SettingsError
from playout.game import CHANCE, Position

if TYPE_CHECKING:
    from .search import Search

KEYS = {"visits", "value", "prior", "variance", "children"}
MOST_VISITS = 2**31
SAME = 1e-9  # a reward that was written down by hand may be rounded


def plant(search: "Search", literal: Mapping[str, Any]) -> None:
    """Fill the empty tree of a search from a literal."""
    if search.position.is_terminal:
        raise PositionError(
            f"{search.game.title}: the game is over in {search.position.text}; there is no tree to write"
        )
    root = search.tree.nodes[core.ROOT]
    _check(search, literal, ())
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
        named[action] = _with_reward(search, position, action, child, (*path, str(key)))
    below = _visits_of_children(literal)
    if below > visits:
        raise SettingsError(f"tree, at {_where(path)}: {visits} visits, but its children have {below} together")
    node = search.tree.nodes[number]
    first, count = int(node["first_edge"]), int(node["count"])
    block = search.tree.edges[first : first + count]
    for e, edge in enumerate(block, start=first):
        child = named.get(int(edge["action"]))
        if child is None:
            continue
        for column in search.columns:
            column.of_edges[e] = child.get(column.name, 0)
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
        for words in (search.tree.policy_columns, search.tree.backup_columns):
            words[first : first + count] = words[first : first + count][order]
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
    return sum(child.get("visits", _visits_of_children(child)) for child in literal.get("children", {}).values())


def _with_reward(
    search: "Search", position: Position, action: int, literal: Mapping[str, Any], path: tuple[str, ...]
) -> Mapping[str, Any]:
    """A child; where its action ends the game, the value is the reward and nothing else."""
    after = position.play(action)
    if not after.is_terminal:
        return literal
    reward = float(after.rewards[max(0, position.player)])
    value = literal.get("value", reward)
    if abs(value - reward) > SAME * max(1.0, abs(reward)):
        raise SettingsError(
            f"tree, at {_where(path)}: value is {value!r}, but the game is over in {after.text}, and the action that "
            f"ends it brings {reward:g}; leave the value out"
        )
    return {**literal, "value": reward}


def _check(search: "Search", literal: Any, path: tuple[str, ...]) -> None:
    """Reject what is not a node, or can't be one of this game, by its place in the tree; then all below it."""
    where, columns = f"tree, at {_where(path)}", [column.name for column in search.columns]
    known = ", ".join(sorted(KEYS | set(columns)))
    if not isinstance(literal, Mapping):
        raise SettingsError(f"{where}: {literal!r} is no node, expected a dictionary with {known}")
    for key in literal:
        if key not in KEYS and key not in columns:
            raise SettingsError(f"{where}: unknown '{key}', expected {known}")
    visits = literal.get("visits", 0)
    if not isinstance(visits, int) or isinstance(visits, bool) or not 0 <= visits < MOST_VISITS:
        raise SettingsError(f"{where}: visits is {visits!r}, expected a whole number of at least 0")
    for key in ("value", "prior", "variance", *columns):
        number, least = literal.get(key, 0.0), " of at least 0" if key in ("prior", "variance") else ""
        is_number = isinstance(number, int | float) and not isinstance(number, bool) and np.isfinite(number)
        if not is_number or (least and number < 0):
            raise SettingsError(f"{where}: {key} is {number!r}, expected a number{least}")
    _check_range(search, literal, where)
    children = literal.get("children", {})
    if not isinstance(children, Mapping):
        raise SettingsError(f"{where}: children is {children!r}, expected a dictionary by action")
    for key, child in children.items():
        _check(search, child, (*path, str(key)))
    visits = literal.get("visits", _visits_of_children(literal))
    if visits >= MOST_VISITS:
        raise SettingsError(
            f"{where}: its children have {visits:,} visits together, expected less than {MOST_VISITS:,}"
        )
    if children and path and not visits:
        raise SettingsError(f"{where}: it has children but no visits")
    _check_columns(search, literal, where, path, visits)


def _check_columns(
    search: "Search", literal: Mapping[str, Any], where: str, path: tuple[str, ...], visits: int
) -> None:
    """Reject columns where there is no edge, or none that was ever updated, and fractions of whole numbers."""
    for name, numbers in search.columns:
        number = literal.get(name, 0)
        if name in literal and not path:
            raise SettingsError(f"{where}: {name} is a column, and edges have columns; write it at a child")
        if number and not visits:
            raise SettingsError(f"{where}: {name} is {number!r} without a visit, expected 0; give `visits` as well")
        if numbers.dtype == np.int64 and number != int(number):
            raise SettingsError(f"{where}: {name} is {number!r}, expected a whole number")


def _check_range(search: "Search", literal: Mapping[str, Any], where: str) -> None:
    """Reject a value or a variance that returns within the game's range can't have."""
    limits = search.game.range
    if limits is None:
        return
    low, high = limits
    value, most = literal.get("value", low), (high - low) ** 2 / 4
    if not search.params.least_return <= value <= search.params.most_return:
        raise SettingsError(
            f"{where}: value is {value!r}, expected {low:g} to {high:g}, the value_range of {search.game.title}"
        )
    if literal.get("variance", 0.0) > most:
        raise SettingsError(
            f"{where}: variance is {literal['variance']!r}, but returns from {low:g} to {high:g}, the value_range of "
            f"{search.game.title}, have at most {most:g}"
        )


def _where(path: tuple[str, ...]) -> str:
    return " ".join(path) or "the root"
