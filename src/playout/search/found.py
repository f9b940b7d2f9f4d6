"""`BestFound`: the best complete line that a search of one player without chance has seen, and how it is kept."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import found
from playout.core import tree as core
from playout.core.params import FORGOTTEN
from playout.core.tree import Tree, Work
from playout.errors import FileError, PlayoutError
from playout.game import Position

if TYPE_CHECKING:
    from .runner import Runner

SAME = 1e-9  # by which fraction two sums of the same rewards may differ


@dataclass(frozen=True)
class BestFound:
    """The best complete line seen anywhere, in the tree or in a playout, and the position at its end."""

    value: float  # its return from the root on, discounted as the search counts it
    line: tuple[str, ...]  # its actions in the game's words
    actions: tuple[int, ...]
    position: Position
    simulation: int | None = None  # the one at this root that found it; None: an earlier one, or a proof

    def to_dict(self) -> dict[str, Any]:
        """One JSON object; actions and position are given in the game's words."""
        return {"value": self.value, "line": list(self.line), "position": self.position.text}


def take_line(tree: Tree, work: Work) -> Tree:
    """The tree with the line that a kernel has just found, if there is one."""
    length = int(work.line[0]) if len(work.line) else 0
    if not length:
        return tree
    work.line[0] = 0
    return tree._replace(line=work.line[1 : 1 + length].copy())


def carry_line(before: Tree, after: Tree, action: int, position: Position, discount: float) -> Tree:
    """The tree after an action with what the line before it has left: nothing, unless it began with that action."""
    if len(before.line) < 2 or before.line[0] != action:
        return after
    played = play_line(position, before.line[1:].tolist(), discount)
    if played is None:
        return after
    return after._replace(line=before.line[1:].copy(), best=np.array([played.value, 0.0]))


@dataclass(frozen=True)
class SeenLine:
    """The best complete line of a search at one moment. It is played again only when asked for, which takes time."""

    position: Position  # where it begins
    actions: list[int]
    discount: float
    value: float | None  # what its return must be; None: whatever it is
    simulation: int | None

    @cached_property
    def played(self) -> BestFound | None:
        """The line with its texts and its end; None if it can't be played again.

        That is so where a game draws random numbers of its own, unknown to the search.
        """
        return play_line(self.position, self.actions, self.discount, self.value, self.simulation)


def seen_line(runner: "Runner") -> SeenLine | None:
    """The best complete line from a runner's root; None if there is none."""
    tree, params, position = runner.tree, runner.params, runner.position
    if params.remembers == FORGOTTEN or position.is_terminal:
        return None
    proven = _proven_actions(tree, float(tree.best[core.BEST_RETURN]))
    line = _kept_line(runner) if proven is None else SeenLine(position, proven, params.discount, None, None)
    if runner.found != line:  # otherwise it may have been played already
        runner.found = line
    return runner.found


def check_line(path: Path, runner: "Runner") -> None:
    """Refuse a saved line that is not one of the game. An object may draw by itself: its line is dropped."""
    tree = runner.tree
    if (line := _kept_line(runner)) is None or line.played is not None:
        return
    if not runner.game.keeps_objects:
        raise FileError(
            f"{path}: the best line that it tells of can't be played; it is damaged, or the rules have changed"
        )
    runner.tree = tree._replace(line=tree.line[:0], best=np.array(core.NO_LINE))


def _kept_line(runner: "Runner") -> SeenLine | None:
    """The line that the tree keeps."""
    tree, params = runner.tree, runner.params
    if params.remembers == FORGOTTEN or not len(tree.line):
        return None
    value, simulation = float(tree.best[core.BEST_RETURN]), int(tree.best[core.FOUND_BY])
    return SeenLine(runner.position, tree.line.tolist(), params.discount, value, simulation or None)


def play_line(
    position: Position,
    actions: Iterable[int],
    discount: float,
    value: float | None = None,
    simulation: int | None = None,
) -> BestFound | None:
    """Play a line to the end of the game; None if it does not lead there, or to another return than `value`."""
    rewards, texts, numbers = list[float](), list[str](), tuple(actions)
    try:
        for action in numbers:
            texts.append(position.action_text(action))
            position = position.play(action)
            rewards.append(float(position.rewards[0]))
    except PlayoutError:
        return None
    total = 0.0
    for reward in reversed(rewards):
        total = reward + discount * total
    if not position.is_terminal or (value is not None and not math.isclose(total, value, rel_tol=SAME, abs_tol=SAME)):
        return None
    return BestFound(total, tuple(texts), numbers, position, simulation)


def _proven_actions(tree: Tree, value: float) -> list[int] | None:
    """The actions of a proven line with a higher return than `value`; None if there is none.

    In a graph, a proof reaches the root through edges on which no simulation ended.
    """
    root = tree.nodes[core.ROOT]
    block = tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
    exact = block["value"][block["child"] < 0]
    if not len(exact) or not float(exact.max()) > value + SAME * max(1.0, abs(value)):
        return None
    actions, number = list[int](), core.ROOT
    while number > core.END:
        edge = tree.edges[int(found.proven_edge(tree, number))]
        actions.append(int(edge["action"]))
        number = -int(edge["child"])
    return actions
