"""`Node`: the tree as objects. Each reads the flat arrays when it is asked, and stores none of their numbers."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.common.arguments import checks_calls, whole_from
from playout.core import answer
from playout.core import tree as core
from playout.core.tree import Tree
from playout.errors import ActionError, PlayoutError
from playout.game import CHANCE, TERMINAL, Position
from playout.parts.part import counts_of
from playout.report.svg import tree_svg
from playout.report.words import clean, number

from .scores import scores_at

if TYPE_CHECKING:
    from .search import Search


@checks_calls
class Node:
    """The root of a search's tree, or an action in it and the position that it leads to.

    Numbers are current: when the search goes on, the same Node shows the new ones. After `play` or `rewind` the search
    has another tree, and using a Node of the old one raises an error. Nothing is locked: during a run in another
    thread, two numbers read one after the other may be some simulations apart.

    Points of view: `value`, `error`, `interval` and `proven` are for the player `value_for`. That is the player who
    chose the action, i.e. who moves at the parent (player 0 where chance moves there); at the root, who moves there.

    >>> import playout as po
    >>> search = po.Search(po.games.load("tictactoe"), position="XX./OO./...", seed=1)
    >>> result = search.run(simulations=200)
    >>> node = search.root.find(["3"])
    >>> node.text, node.value, node.proven, node.value_for
    ('3', 1.0, 1.0, 0)
    """

    __slots__ = ("_counters", "_edge", "_position", "action", "depth", "parent", "search")

    def __init__(self, search: "Search", parent: "Node | None", action: int | None, edge: int, counters: Any) -> None:
        self.search, self.parent, self.action, self._edge = search, parent, action, edge
        self.depth: int = parent.depth + 1 if parent is not None else 0
        # The one array that stays the same object while a tree grows: it identifies the tree.
        self._counters = counters
        self._position: Position | None = None if parent is not None else search.position

    @classmethod
    def root_of(cls, search: "Search") -> "Node":
        """The root of a search's tree."""
        return cls(search, None, None, -1, search.tree.counters)

    # Identity.

    @property
    def path(self) -> tuple[int, ...]:
        """The actions from the root to here."""
        return tuple(n.action for n in self._lineage() if n.action is not None)

    @property
    def text(self) -> str:
        """The action in the game's words; empty at the root."""
        if self.parent is None or self.action is None:
            return ""
        return self.parent.position.action_text(self.action)

    @property
    def position(self) -> Position:
        """The position here, found by playing the path; in an open loop, with the likeliest outcomes of chance."""
        tree = self._tree()
        if self._position is None:
            lineage = self._lineage()
            known = max(i for i, node in enumerate(lineage) if node._position is not None)
            for above, node in zip(lineage[known:], lineage[known + 1 :], strict=False):
                child = node._child(tree)
                if len(tree.states) and child > core.END:  # kept, where playing again would cost more
                    row = node._number(tree) if core.is_graph(tree) else child
                    node._position = Position(self.search.game, tree.states[child].copy(), tree.rewards[row].copy())
                else:
                    node._position = above._position.play(node.action)  # type: ignore[union-attr]
                    while self.search.params.open_loop and node._position.player == CHANCE:
                        outcomes = node._position.outcomes()
                        node._position = node._position.play(max(outcomes, key=lambda o: o[1])[0])
        return self._position  # type: ignore[return-value]

    @property
    def player(self) -> int:
        """The player who moves here: 0, 1, …, `CHANCE` or `TERMINAL`."""
        tree = self._tree()
        child = self._child(tree)
        if self.parent is None or child == core.NO_NODE:  # seen at most once: it has no record yet
            return self.position.player
        return int(tree.nodes[child]["player"])

    @property
    def value_for(self) -> int:
        """The player whose value is shown; see the class."""
        return max(0, self.player if self.parent is None else self.parent.player)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over here."""
        return self.player == TERMINAL

    # Statistics.

    @property
    def visits(self) -> int:
        """The visits of the action; at the root, those of the root."""
        tree = self._tree()
        return int(tree.nodes[core.ROOT]["visits"] if self.parent is None else tree.edges[self._number(tree)]["visits"])

    @property
    def parents(self) -> int:
        """The number of known edges that lead to the position; more than one only in a graph search."""
        tree = self._tree()
        child = self._child(tree)
        return max(1, int(tree.nodes[child]["parents"])) if child > core.ROOT else int(self.parent is not None)

    @property
    def node_visits(self) -> int:
        """The visits of the position over all edges; in a tree those of the action."""
        tree = self._tree()
        child = self._child(tree)
        return int(tree.nodes[child]["visits"]) if core.is_graph(tree) and child > core.END else self.visits

    @property
    def number(self) -> int | None:
        """The number of the node's record, one for a shared node; None if it has no record yet."""
        child = self._child(self._tree())
        return child if child > core.END else None

    @property
    def is_visited(self) -> bool:
        """Whether it has a visit."""
        return self.visits > 0

    @property
    def value(self) -> float | None:
        """The mean return for `value_for`, exact if proven; None before the first visit."""
        if (proven := self.proven) is not None:
            return proven
        tree = self._tree()
        record = tree.nodes[core.ROOT] if self.parent is None else tree.edges[self._number(tree)]
        return float(record["value"]) if record["visits"] else None

    @property
    def proven(self) -> float | None:
        """The exact value for `value_for`, or None."""
        tree = self._tree()
        if self.parent is None:
            node = tree.nodes[core.ROOT]
            return float(tree.proofs[node["proof"], self.value_for]) if node["proof"] > core.NO_PROOF else None
        edge = tree.edges[self._number(tree)]
        return float(edge["value"]) if edge["child"] < 0 else None

    @property
    def prior(self) -> float | None:
        """The prior of the action, or the probability of chance's outcome; None at the root."""
        tree = self._tree()
        return None if self.parent is None else float(tree.edges[self._number(tree)]["prior"])

    @property
    def wdl(self) -> tuple[int, int, int] | None:
        """The wins, draws and losses of `value_for`. None: they are not counted.

        At the root, those of all actions: a playout from the root itself (`evaluate_root`) belongs to no action.
        """
        tree = self._tree()
        if not self.search.settings.wdl:
            return None
        return counts_of(tree, *(self._block(tree) if self.parent is None else (self._number(tree),)))

    @property
    def error(self) -> float | None:
        """The standard error of the value; 0 if proven, None if unknown (at the root, before the second visit)."""
        if self.proven is not None:
            return 0.0
        if self.parent is None:
            return None
        tree = self._tree()
        edge = tree.edges[self._number(tree)]
        visits = int(edge["visits"])
        return math.sqrt(max(0.0, float(edge["spread"])) / (visits - 1) / visits) if visits > 1 else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the value, cut at the range of the game."""
        value, error = self.value, self.error
        if value is None or error is None:
            return None
        low, high = self.search.game.range or (-math.inf, math.inf)
        half = self.search.params.z * error
        return max(low, value - half), min(high, value + half)

    # Children.

    @property
    def is_expanded(self) -> bool:
        """Whether the tree holds its children. A position that was seen once may have none yet."""
        return self.child_count > 0

    def scores(self) -> dict[int, float]:
        """By action, the scores that the policy would compare here next. Not during a run in another thread.

        Empty before the first visit, where chance moves, and in graphs and open loops.
        """
        child = self._child(self._tree())
        return scores_at(self.search.runner, child, self.position) if child > core.END else {}

    @property
    def children(self) -> list["Node"]:
        """One for each action: the most visited first, then those of higher value; the unvisited last, by prior."""
        return self.first_children(None)

    @property
    def child_count(self) -> int:
        """The number of `children`, visited or not."""
        return self._block(self._tree())[1]

    def first_children(self, most: int | None) -> list["Node"]:
        """The first `most` of `children`; None: all."""
        tree = self._tree()
        first, count = self._block(tree)
        block = tree.edges[first : first + count]
        worth = np.where(block["visits"] > 0, block["value"], block["prior"])
        order = np.lexsort((-worth, -block["visits"].astype(np.int64)))[:most]
        return [self._below(tree, first + int(i)) for i in order]

    @property
    def best(self) -> "Node | None":
        """The child that `Settings.answer` takes; where chance moves, the most visited one; None before any visit."""
        tree = self._tree()
        child = self._child(tree)
        if child <= core.END:
            return None
        if tree.nodes[child]["player"] == CHANCE:
            return next((node for node in self.first_children(1) if node.is_visited), None)
        edge = int(answer.best_edge(self.search.params, tree, child))
        return self._below(tree, edge) if edge >= 0 else None

    def find(self, path: Sequence[int | str] | int | str) -> "Node":
        """The node that actions lead to from here, each by its number or its text."""
        node = self
        for step in [path] if isinstance(path, int | np.integer | str) else path:
            node = node._step(step)
        return node

    def walk(self, depth: int | None = None, visits: int = 1) -> Iterator["Node"]:
        """This node and those below it, parents first, down to a depth and with at least `visits` visits."""
        depth = None if depth is None else whole_from(depth, "depth", 0)
        visits = whole_from(visits, "visits", 0, 2**62)
        waiting, seen = [self], set[int]()
        while waiting:
            node = waiting.pop()
            yield node
            if (record := node.number) is not None:  # shared nodes come once
                if record in seen:
                    continue
                seen.add(record)
            if depth is None or node.depth - self.depth < depth:
                tree = node._tree()
                first, count = node._block(tree)
                enough = np.flatnonzero(tree.edges["visits"][first : first + count] >= visits)
                waiting += [node._below(tree, first + int(i)) for i in enough[::-1]]

    def to_dict(self, depth: int = 2, width: int = 8) -> dict[str, Any]:
        """Nested JSON objects of `depth` levels and `width` children each; `more` counts the children left out."""
        depth, width = whole_from(depth, "depth", 0), whole_from(width, "width", 0)
        interval, count, visits, wdl = self.interval, self.child_count, self.visits, self.wdl
        shown = self.first_children(width) if depth > 0 and count else []
        return {
            "action": self.text if self.parent is not None else None,
            "number": self.action,
            "visits": visits,
            "value": self.value if visits else None,
            "value_for": self.value_for,
            "interval": list(interval) if interval else None,
            "prior": self.prior,
            "wdl": list(wdl) if wdl is not None else None,
            "proven": self.proven,
            "player": self._player_if_known(),
            "node": self.number,
            "parents": self.parents,
            "node_visits": self.node_visits,
            "expanded": count > 0,
            "children": [node.to_dict(depth - 1, width) for node in shown],
            "more": count - len(shown),
        }

    def _player_if_known(self) -> int | None:
        """The player who moves here; None if the rules fail at this position."""
        try:
            return self.player
        except Exception:  # noqa: BLE001  # a user's object may raise anything; the rest of the tree can still be shown
            return None

    # Display.

    def svg(self, depth: int = 3, width: int = 4, most: int = 26) -> str:
        """The top of the tree as a drawing: `depth` levels, `width` children each, `most` nodes in all."""
        return tree_svg(self, whole_from(depth, "depth", 0), whole_from(width, "width"), whole_from(most, "most"))

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'

    def __repr__(self) -> str:
        what = f"action {clean(self.text)}" if self.parent is not None else "root"
        return f"<Node {what}: {self.visits:,} visits, value {number(self.value)}, depth {self.depth}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and self._counters is other._counters and self.path == other.path

    def __hash__(self) -> int:
        return hash((id(self._counters), self.path))

    # Internals.

    def _tree(self) -> Tree:
        """The search's tree; an error if this node belongs to an older one."""
        tree = self.search.tree
        if tree.counters is not self._counters:
            where = f"path {list(self.path)}" if self.parent is not None else "the root"
            raise PlayoutError(
                f"this Node ({where}) belongs to a tree that the search no longer has, since play() or rewind() was "
                f"called; begin again at search.root"
            )
        return tree

    def _lineage(self) -> list["Node"]:
        """The nodes from the root to this one."""
        found, node = [self], self
        while node.parent is not None:
            node = node.parent
            found.append(node)
        return found[::-1]

    def _number(self, tree: Tree) -> int:
        """The number of the edge, found by its action: unvisited edges may change places."""
        if tree.edges[self._edge]["action"] != self.action and self.parent is not None:
            first, count = self.parent._block(tree)
            at = np.flatnonzero(tree.edges["action"][first : first + count] == self.action)
            self._edge = first + int(at[0])
        return self._edge

    def _child(self, tree: Tree) -> int:
        """The number of the node record, END or NO_NODE."""
        return core.ROOT if self.parent is None else abs(int(tree.edges[self._number(tree)]["child"]))

    def _block(self, tree: Tree) -> tuple[int, int]:
        """The first edge, and the number of edges."""
        child = self._child(tree)
        if child <= core.END:
            return 0, 0
        return int(tree.nodes[child]["first_edge"]), int(tree.nodes[child]["count"])

    def _below(self, tree: Tree, edge: int) -> "Node":
        return Node(self.search, self, int(tree.edges[edge]["action"]), edge, self._counters)

    def _step(self, step: int | str) -> "Node":
        tree = self._tree()
        first, count = self._block(tree)
        where = self.position.text or "the start"
        if not count:
            why = "the game is over" if self.is_terminal else "the search has not gone on from"
            raise ActionError(f"no node for action {step!r}: {why} {'in ' if self.is_terminal else ''}{where}")
        action = self.position.action(step)
        at = np.flatnonzero(tree.edges["action"][first : first + count] == action)
        if not len(at):
            names = ", ".join(node.text for node in self.first_children(8))
            raise ActionError(f"no action {step!r} in {where} (there are: {names}{', …' if count > 8 else ''})")
        return self._below(tree, first + int(at[0]))
