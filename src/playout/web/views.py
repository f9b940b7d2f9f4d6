"""A search in JSON. Each view is limited in size, and the large ones in time."""

import heapq
import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from playout.errors import ActionError
from playout.game import CHANCE, Game, Position
from playout.report.explain import render
from playout.report.facts import explain_data
from playout.search import Search
from playout.search.found import BestFound
from playout.search.node import Node
from playout.search.outline import outline
from playout.search.result import ActionStats, Result
from playout.search.step import Playout, Step

from .refusals import Refusal
from .requests import MapWatch, TreeWatch, WatchedViews

ACTIONS = 1000  # of a position that are listed
NODES = 1000  # of a tree
CELLS = 5000  # of a map
NAMED = 0.002  # share of the visits that a cell of the map needs to get its action's text
SHOWN = 60  # positions of a playout
DRAWN = 4  # playouts of a step whose positions are drawn
LISTED = 100  # playouts of a step
LINE_VISITS = 4  # fewer say nothing about what to expect
FOUND = 1000  # actions of the best line found
SVG_BYTES = 1 << 20
PATIENCE = 0.05  # seconds that a large view may take


def plain(value: Any) -> Any:
    """A value without NaN and infinities, which JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "infinity" if value > 0 else "-infinity"
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def drawn(position: Position) -> str:
    """The position as SVG; as a drawing of its text, where the game's own drawing fails or is huge."""
    try:
        svg = position.draw()
        if isinstance(svg, str) and len(svg) <= SVG_BYTES and svg.lstrip().startswith("<"):
            return svg
    except (Exception, SystemExit):  # noqa: BLE001, S110, RUF100  # a user's drawing may raise anything, and is only a drawing
        pass
    return Game.draw(position.game, position.state)


def position_view(position: Position) -> dict[str, Any]:
    """A position, its actions and its drawing."""
    chances = dict(position.outcomes())
    actions: list[dict[str, Any]] = [
        {"number": a, "action": position.action_text(a)} for a in position.actions()[:ACTIONS]
    ]
    for action in actions if chances else ():
        action["probability"] = chances[action["number"]]
    return {
        "text": position.text,
        "player": position.player,
        "over": position.is_terminal,
        "chance": position.player == CHANCE,
        "show": position.show(),
        "svg": drawn(position),
        "actions": actions,
    }


def result_view(result: Result, lines: bool = True) -> dict[str, Any]:
    """A Result, with the numbers of the actions; without `lines`, only the best action has its line."""
    data, total = result.to_dict(), sum(s.visits for s in result.actions)

    def action(stats: ActionStats, shown: dict[str, Any]) -> dict[str, Any]:
        with_line = lines or stats.action == result.best
        return shown | {
            "number": stats.action,
            "share": stats.visits / total if total else 0.0,
            "error": stats.error,
            "line": result.line_text(stats.line) if with_line else [],
            "line_numbers": list(stats.line) if with_line else [],
        }

    found = result.best_found
    if found is not None:
        data["best_found"] = found_view(found)
    return data | {
        "player": result.position.player,
        "value_for": max(0, result.position.player),
        "value": result.value if result.visits or result.proven is not None else None,
        "best_number": result.best,
        "line_numbers": list(result.line),
        "total": result.total,
        "actions": [action(s, d) for s, d in zip(result.actions, data["actions"], strict=True)],
    }


def found_view(found: BestFound) -> dict[str, Any]:
    """The best complete line, its first actions, with a drawing of its end."""
    return {
        "value": found.value,
        "line": list(found.line[:FOUND]),
        "line_numbers": list(found.actions[:FOUND]),
        "line_length": len(found.line),
        "simulation": found.simulation,
        "position": found.position.text,
        "svg": drawn(found.position),
    }


def explanation_view(result: Result, language: str) -> dict[str, Any]:
    """Why this action: in words, and the facts behind them."""
    facts = explain_data(result)
    names = result.position.game.player_names
    return {"text": render(facts, language, names), "facts": plain(facts)}


def settings_view(game: Game) -> dict[str, Any]:
    """A game's settings as they were given: lists without the zeros at their end."""
    return {key: unpadded(value) for key, value in game.values.items()}


def unpadded(value: Any) -> Any:
    """A list without the zeros at its end, which the game fills in again.

    >>> unpadded((1, 2, 0, 0)), unpadded((0, 0)), unpadded(5)
    ([1, 2], [0], 5)
    """
    if not isinstance(value, tuple | list):
        return value
    used = max((i + 1 for i, number in enumerate(value) if number), default=1)
    return list(value[:used])


def point_view(search: Search, most: int = 6) -> dict[str, Any]:
    """A point of the chart: the most visited actions now."""
    root = search.root
    first = root.first_children(most)
    total = max(1, root.visits)
    best = root.best if search.position.player >= 0 else None
    return {
        "simulations": search.simulations,
        "value": root.value,
        "value_for": root.value_for,
        "best_number": best.action if best is not None else None,
        "best_found": found.value if (found := search.best_found) is not None else None,
        "actions": [{"number": n.action, "share": n.visits / total, "value": n.value} for n in first if n.is_visited],
    }


# The tree.


def node_at(search: Search, path: Sequence[int]) -> Node:
    """The node that a path leads to."""
    try:
        node: Node = search.root
        for action in path:
            node = node.find(action)
        return node
    except ActionError as error:
        raise Refusal(404, "unknown_path", f"path {','.join(map(str, path))}: {error}") from None


def node_view(node: Node, position: bool = False) -> dict[str, Any]:
    """A node without its children; with `position`, its text."""
    best, data = node.best if node.is_expanded else None, node.to_dict(depth=0)
    more = {"position": node.position.text} if position else {}
    return data | {"best_number": best.action if best is not None else None, "shared": data["parents"] > 1} | more


def tree_view(
    search: Search,
    path: Sequence[int],
    depth: int,
    width: int,
    lean: bool = False,
    position: bool = False,
    score: bool = False,
) -> dict[str, Any]:
    """A node and its subtree; the most visited nodes are opened first, until there are `NODES`.

    `lean`: of each node's children only the best is opened. `position`: nodes have the text of their position. `score`:
    and the score that the policy at their parent gives them now, where the caller makes sure that the tree is still.
    """
    node, until = node_at(search, path), time.perf_counter() + PATIENCE
    top = node_view(node, position)
    waiting, order, room = [(0, 0, node, top)], 0, NODES
    while waiting and room > 0 and time.perf_counter() < until:
        _, _, node, shown = heapq.heappop(waiting)
        if node.depth - len(path) >= depth:
            continue
        scores = node.scores() if score else {}
        for child in node.first_children(min(width, room)):
            order += 1
            view = node_view(child, position)
            if score:
                view["score"] = None if child.action is None else scores.get(child.action)
            shown["children"].append(view)
            if view["expanded"] and (not lean or view["number"] == shown["best_number"]):
                heapq.heappush(waiting, (-view["visits"], order, child, view))
        shown["more"] = node.child_count - len(shown["children"])
        room -= len(shown["children"])
    return top | {"depth": len(path), "path": list(path)}


def detail_view(search: Search, path: Sequence[int]) -> dict[str, Any]:
    """A node with its position and the expected play."""
    node = node_at(search, path)
    nodes = [node_at(search, path[: i + 1]) for i in range(len(path))] if len(path) < 64 else []
    line = line_view(search, path)
    return node_view(node) | {
        "path": list(path),
        "line": [n.text for n in nodes],
        "position": position_view(node.position),
        "visited": sum(n.is_visited for n in node.first_children(None)),
        "expected": [n["action"] for n in line["nodes"]],
        "expected_numbers": line["path"][len(path) :],
        "error": node.error,
    }


def line_view(search: Search, path: Sequence[int], depth: int = 64) -> dict[str, Any]:
    """The expected play from a node on, its first move and as far as the moves after it have more than a few visits."""
    node, numbers = node_at(search, path), list(path)
    nodes: list[dict[str, Any]] = []
    while len(nodes) < depth and (best := node.best) is not None and best.action is not None:
        if nodes and best.visits < LINE_VISITS and best.proven is None:
            break
        nodes.append(node_view(best))
        numbers.append(best.action)
        node = best
    return {"path": numbers, "nodes": nodes}


def map_view(search: Search, depth: int, cells: int) -> dict[str, Any]:
    """The most visited nodes of the whole tree, nested: each a cell [parent, number, share, value, value_for]."""
    until = time.perf_counter() + PATIENCE
    named_until = until - PATIENCE / 2  # a name takes a position to be played; cells without names are better than none
    found: list[list[Any]] = []
    positions: dict[int, Position] = {0: search.position}
    names: list[str | None] = []
    total, least = max(1, search.root.visits), 0
    for node in outline(search, depth):
        if len(found) >= cells or time.perf_counter() >= until:
            least = node.least
            break
        share = node.visits / total if node.action is not None else 1.0
        found.append([node.parent, node.action, share, node.value, node.value_for])
        named = share >= NAMED and time.perf_counter() < named_until
        names.append(_name(positions, found, node.parent, node.action) if named else None)
    return {"visits": search.root.visits, "cells": found, "names": names, "least": least, "depth": depth}


def _name(positions: dict[int, Position], cells: list[list[Any]], at: int, action: int | None) -> str:
    """The text of an action at a cell; of the root, empty. Positions are played from the nearest known one above."""
    if action is None:
        return ""
    unknown = []  # several in a graph, where an edge may have more visits than the one above it
    above = at
    while above not in positions:
        unknown.append(above)
        above = cells[above][0]
    for cell in reversed(unknown):
        parent, number = cells[cell][:2]
        positions[cell] = positions[parent].play(number)
    return positions[at].action_text(action)


def find_view(search: Search, text: str, limit: int) -> dict[str, Any]:
    """The most visited nodes whose last action has this text."""
    wanted, until = text.strip().lower(), time.perf_counter() + PATIENCE
    found: list[dict[str, Any]] = []
    waiting, order, complete = [(0, 0, search.root)], 0, True
    while waiting and len(found) < limit:
        if time.perf_counter() > until:
            complete = False
            break
        _, _, node = heapq.heappop(waiting)
        if node.parent is not None and node.text.strip().lower() == wanted:
            lineage = [node]
            while (above := lineage[0].parent) is not None:
                lineage.insert(0, above)
            found.append(
                {
                    "path": list(node.path),
                    "line": [n.text for n in lineage[1:]],
                    "visits": node.visits,
                    "value": node.value,
                    "value_for": node.value_for,
                    "player": node.player,
                }
            )
        for child in node.first_children(None):
            if not child.is_visited:
                break
            order += 1
            heapq.heappush(waiting, (-child.visits, order, child))
    return {"found": found, "complete": complete}


def watched_views(search: Search, result: Callable[[], Result], wanted: WatchedViews, lean: bool) -> dict[str, Any]:
    """Several views of one moment; `lean`: a run is on, so they must be quick."""
    found: dict[str, Any] = {"point": point_view(search) if search.simulations else None}
    if wanted.result:
        found["result"] = result_view(result(), lines=not lean)
    if wanted.explain is not None:
        found["explanation"] = explanation_view(result(), wanted.explain)
    for name, view in (("tree", wanted.tree), ("line", wanted.line), ("map", wanted.map)):
        if view is None:
            continue
        given = view.model_dump()
        try:
            if isinstance(view, TreeWatch):
                found[name] = tree_view(search, **given | {"lean": view.lean and lean})
            else:
                found[name] = map_view(search, **given) if isinstance(view, MapWatch) else line_view(search, **given)
        except Refusal as refusal:  # a path that a move has left behind
            found[name] = None
            found.setdefault("missing", {})[name] = refusal.message
    return found


# One simulation.


def step_view(step: Step, svg: bool, simulations: int) -> dict[str, Any]:
    """A Step in JSON; with `svg`, its positions are drawn."""
    data: dict[str, Any] = plain(step.to_dict())
    numbers = [choice.action for choice in step.selection]
    for choice, position in zip(data["selection"], step.positions, strict=False):
        choice["svg"] = drawn(position) if svg else None
    if data["expansion"] is not None:
        data["expansion"]["svg"] = drawn(step.positions[step.expansion.depth]) if svg and step.expansion else None
    data["playouts"] = [
        playout_view(playout, step.positions[-1], svg and i < DRAWN) for i, playout in enumerate(step.playouts[:LISTED])
    ]
    return data | {
        "leaf_svg": drawn(step.positions[-1]) if svg else None,
        "played": len(step.playouts),
        "path": numbers,
        "simulations": simulations,
    }


def playout_view(playout: Playout, leaf: Position, svg: bool) -> dict[str, Any]:
    """A playout from the leaf; with `svg`, its first positions are drawn."""
    shown = playout.positions[:SHOWN] if svg else ()
    return {
        "actions": list(playout.actions),
        "returns": plain(playout.returns),
        "final_position": playout.final_position,
        "final_svg": drawn((leaf, *playout.positions)[-1]) if svg else None,
        "positions": [position.text for position in shown],
        "svgs": [drawn(position) for position in shown],
        "shown": len(shown),
    }
