"""Trees written by hand, to check selection, expansion and backup by eye.

A tree is nested dictionaries. A node has `visits` (if left out: those of its children), `children` by action (text or
number), and below the root `value` (mean return for the player who chooses at the node above, 0 if left out),
`prior` and `variance` (of the returns, 0 if left out), and the columns of policy and backup by their names (of edges
that were visited; 0 if left out). `value` at the root is for the player who moves there; if left out, it is the mean of
the children:

    {"visits": 10, "children": {"a": {"visits": 6, "value": 0.5}, "b": {"visits": 4, "value": -0.25}}}

Legal actions that are not named are unvisited. A node whose children are named is expanded. Numbers that no search can
give are refused: a value or variance outside the game's `value_range`, or a value other than the reward where the
action ends the game (if left out, it is the reward).
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import answer
from playout.core import tree as core
from playout.errors import ActionError, PositionError, SettingsError
from playout.game import CHANCE, Position

if TYPE_CHECKING:
    from .runner import Runner

KEYS = {"visits", "value", "prior", "variance", "children"}
MOST_VISITS = 2**31
MOST_BITS = 256  # of a whole number that a message shows in full
MOST_PRIOR = float(np.finfo(np.float32).max)
ANY = (-math.inf, math.inf, "")  # the least and the most, and words for them
LIMITS = {"prior": (0.0, MOST_PRIOR, f" from 0 to {MOST_PRIOR:.3g}"), "variance": (0.0, math.inf, " of at least 0")}
WHOLE = np.iinfo(np.int64)  # of columns of whole numbers
SAME = 1e-9  # a reward that was written by hand may be rounded


def plant(runner: "Runner", literal: Mapping[str, Any]) -> None:
    """Fill an empty tree from a literal."""
    if runner.position.is_terminal:
        raise PositionError(
            f"{runner.game.title}: the game is over in {runner.position.text}; there is no tree to write"
        )
    if runner.game.draws:
        raise SettingsError(f"{runner.game.title} draws its actions, so that a tree can't be written down for it")
    root = runner.tree.nodes[core.ROOT]
    _check(runner, literal, ())
    visits = literal.get("visits", _visits_of_children(literal))
    _fill(runner, core.ROOT, runner.position, literal, (), visits)
    if "value" in literal:
        root["value"] = float(literal["value"])
    tree = runner.tree
    tree.counters[core.POSITIONS] = 1 + int(np.count_nonzero(tree.edges[: tree.counters[core.EDGES]]["visits"]))
    runner.tree.counters[core.LEADER] = answer.best_edge(runner.params, runner.tree, core.ROOT)


def _fill(
    runner: "Runner", number: int, position: Position, literal: Mapping[str, Any], path: tuple[str, ...], visits: int
) -> None:
    """Write the numbers of a node's edges; those with children get nodes, which are filled in turn."""
    children = literal.get("children", {})
    named: dict[int, Mapping[str, Any]] = {}
    for key, child in children.items():
        try:
            action = position.action(key)
            if action not in position.actions():
                raise ActionError(f"{runner.game.title}: action {action} is not legal in {position.text}")
        except ActionError as error:
            raise ActionError(f"tree, at {_where(path)}: {error}") from None
        named[action] = _with_reward(runner, position, action, child, (*path, str(key)))
    below = _visits_of_children(literal)
    if below > visits:
        raise SettingsError(f"tree, at {_where(path)}: {visits} visits, but its children have {below} together")
    node = runner.tree.nodes[number]
    first, count = int(node["first_edge"]), int(node["count"])
    block = runner.tree.edges[first : first + count]
    for e, edge in enumerate(block, start=first):
        child = named.get(int(edge["action"]))
        if child is None:
            continue
        for column in runner.columns:
            column.of_edges[e] = child.get(column.name, 0)
        edge["visits"] = child.get("visits", _visits_of_children(child))
        edge["value"] = child.get("value", 0.0)
        edge["spread"] = float(child.get("variance", 0.0)) * edge["visits"]
        if "prior" in child:
            edge["prior"] = child["prior"]
    player = int(node["player"])
    if player != CHANCE or runner.params.few_outcomes:  # visited ones first, then by prior; stable
        order = sorted(
            range(count),
            key=lambda i: (block[i]["visits"] == 0, -float(block[i]["prior"]) if block[i]["visits"] == 0 else 0.0),
        )
        block[:] = block[order]
        for words in (runner.tree.policy_columns, runner.tree.backup_columns):
            words[first : first + count] = words[first : first + count][order]
        node["opened"] = int(np.count_nonzero(block["visits"]))
    seen = block["visits"] > 0
    node["visits"], node["own"] = visits, visits - below
    if below:
        node["value"] = float(np.sum(block["value"][seen] * block["visits"][seen]) / below)
    for p in block["value"][seen] if runner.params.normalise else ():
        runner.tree.bounds[core.LEAST] = min(runner.tree.bounds[core.LEAST], p)
        runner.tree.bounds[core.GREATEST] = max(runner.tree.bounds[core.GREATEST], p)
    for i in range(count):
        child = named.get(int(block[i]["action"]))
        if child is not None and child.get("children"):
            _add(runner, first + i, position, child, path)


def _add(runner: "Runner", e: int, position: Position, literal: Mapping[str, Any], path: tuple[str, ...]) -> None:
    """Expand an edge and fill its node."""
    edge = runner.tree.edges[e]
    text = position.action_text(int(edge["action"]))
    after = position.play(int(edge["action"]))
    if after.is_terminal:
        raise PositionError(
            f"tree, at {_where((*path, text))}: the game is over in {after.text}, there are no children"
        )
    runner.make_room()
    runner.work.state[:] = after.buffer
    runner.work.path_rewards[: runner.game.players] = after.rewards
    number = runner.add_node(after.player, e)
    runner.tree.edges[e]["child"] = number
    if runner.params.keep_states:
        runner.tree.rewards[e if runner.params.graph else number] = after.rewards
    _fill(runner, number, after, literal, (*path, text), int(runner.tree.edges[e]["visits"]))


def _visits_of_children(literal: Mapping[str, Any]) -> int:
    return sum(child.get("visits", _visits_of_children(child)) for child in literal.get("children", {}).values())


def _with_reward(
    runner: "Runner", position: Position, action: int, literal: Mapping[str, Any], path: tuple[str, ...]
) -> Mapping[str, Any]:
    """The literal of a child; where its action ends the game, with the reward as its value."""
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


def _check(runner: "Runner", literal: Any, path: tuple[str, ...]) -> None:
    """Reject a literal that can't be a node of this game, naming its place in the tree; then all below it."""
    where, columns = f"tree, at {_where(path)}", [column.name for column in runner.columns]
    known = ", ".join(sorted(KEYS | set(columns)))
    if not isinstance(literal, Mapping):
        raise SettingsError(f"{where}: {literal!r} is not a node, expected a dictionary with {known}")
    for key in literal:
        if key not in KEYS and key not in columns:
            raise SettingsError(f"{where}: unknown '{key}', expected {known}")
    visits = literal.get("visits", 0)
    if not isinstance(visits, int) or isinstance(visits, bool) or not 0 <= visits < MOST_VISITS:
        raise SettingsError(
            f"{where}: visits is {_short(visits)}, expected a whole number from 0 to {MOST_VISITS - 1:,}"
        )
    for key in ("value", "prior", "variance", *columns):
        number, (least, most, limits) = literal.get(key, 0.0), LIMITS.get(key, ANY)
        if not (_is_finite(number) and least <= number <= most):
            raise SettingsError(f"{where}: {key} is {_short(number)}, expected a finite number{limits}")
    _check_range(runner, literal, where)
    children = literal.get("children", {})
    if not isinstance(children, Mapping):
        raise SettingsError(f"{where}: children is {children!r}, expected a dictionary by action")
    for key, child in children.items():
        _check(runner, child, (*path, str(key)))
    visits = literal.get("visits", _visits_of_children(literal))
    if visits >= MOST_VISITS:
        raise SettingsError(
            f"{where}: its children have {visits:,} visits together, expected less than {MOST_VISITS:,}"
        )
    if children and path and not visits:
        raise SettingsError(f"{where}: it has children but no visits")
    _check_columns(runner, literal, where, path, visits)


def _check_columns(
    runner: "Runner", literal: Mapping[str, Any], where: str, path: tuple[str, ...], visits: int
) -> None:
    """Reject columns at the root or at an unvisited edge, and fractions in columns of whole numbers."""
    for name, numbers in runner.columns:
        number = literal.get(name, 0)
        if name in literal and not path:
            raise SettingsError(f"{where}: {name} is a column of edges; write it at a child")
        if number and not visits:
            raise SettingsError(
                f"{where}: {name} is {_short(number)} without a visit, expected 0; give `visits` as well"
            )
        if numbers.dtype == np.int64 and not (number == int(number) and WHOLE.min <= number <= WHOLE.max):
            raise SettingsError(f"{where}: {name} is {_short(number)}, expected a whole number of 64 bits")


def _check_range(runner: "Runner", literal: Mapping[str, Any], where: str) -> None:
    """Reject a value or a variance that returns within the game's range can't have."""
    limits = runner.game.range
    if limits is None:
        return
    low, high = limits
    value, most = literal.get("value", low), (high - low) ** 2 / 4
    if not runner.params.least_return <= value <= runner.params.most_return:
        raise SettingsError(
            f"{where}: value is {_short(value)}, expected {low:g} to {high:g}, the value_range of {runner.game.title}"
        )
    if literal.get("variance", 0.0) > most:
        raise SettingsError(
            f"{where}: variance is {_short(literal['variance'])}, but returns from {low:g} to {high:g}, the "
            f"value_range of {runner.game.title}, have at most {most:g}"
        )


def _is_finite(number: Any) -> bool:
    """Whether something is a number that fits into a float."""
    if not isinstance(number, int | float) or isinstance(number, bool):
        return False
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number above 1e308
        return False


def _short(value: Any) -> str:
    """A value in a message; Python refuses to write whole numbers of more than 4,300 digits."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    return f"{value!r:.80}"


def _where(path: tuple[str, ...]) -> str:
    return " ".join(path) or "the root"
