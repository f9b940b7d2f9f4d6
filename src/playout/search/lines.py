"""Lines of play in a tree: the expected play after an action, and the proof of a win."""

from typing import Any

import numpy as np

from playout.core import answer
from playout.core import tree as core
from playout.core.params import Params
from playout.core.tree import Tree
from playout.game import CHANCE

MOST = 64  # actions of an expected line
FAR = 2**31  # longer than any proof


def expected_line(params: Params, tree: Tree, edge: int) -> tuple[int, ...]:
    """The expected play through an edge: the answer at each node below; where chance moves, the most visited outcome.

    In an open loop with chance, only the action itself: its nodes don't tell the outcomes between them.
    """
    if params.open_loop and params.has_chance:
        return (int(tree.edges[edge]["action"]),)
    line, seen = [int(tree.edges[edge]["action"])], {core.ROOT}
    while len(line) < MOST:
        child = abs(int(tree.edges[edge]["child"]))
        if child <= core.END or child in seen:  # a graph may have circles
            break
        seen.add(child)
        node = tree.nodes[child]
        if node["player"] == CHANCE:
            block = tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
            edge = int(node["first_edge"]) + int(np.argmax(block["visits"]))
            if tree.edges[edge]["visits"] == 0:
                break
        else:
            edge = int(answer.best_edge(params, tree, child))
            if edge < 0:
                break
        line.append(int(tree.edges[edge]["action"]))
    return tuple(line)


def proven_line(params: Params, tree: Tree, action: int) -> tuple[int, ...]:
    """The play behind a proven win or loss of two players; see `Search.proven_line`."""
    root = tree.nodes[core.ROOT]
    block = tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
    at = np.flatnonzero((block["action"] == action) & (block["child"] < 0))
    if not len(at) or params.players != 2 or params.lowest < block[at[0]]["value"] < params.highest:
        return ()
    winner = int(root["player"]) if block[at[0]]["value"] >= params.highest else 1 - int(root["player"])
    start = -int(block[at[0]]["child"])
    edges, owners = _proof(params, tree, start, winner)
    children = -tree.edges["child"][edges].astype(np.int64)
    # The actions to the win from each node, by relaxation: from the ends up until nothing changes.
    length = np.full(int(tree.counters[core.NODES]), FAR, np.int64)
    length[core.END] = 0
    wins = tree.nodes["player"][: len(length)] == winner
    while True:
        least, most = np.full_like(length, FAR), np.zeros_like(length)
        np.minimum.at(least, owners, length[children])
        np.maximum.at(most, owners, length[children])
        found = length.copy()
        found[owners] = np.minimum(FAR, 1 + np.where(wins, least, most))[owners]
        if np.array_equal(found, length):
            break
        length = found
    line, number = [int(action)], start
    while number > core.END:
        e = np.flatnonzero((owners == number) & (length[children] == length[number] - 1))[0]
        line.append(int(tree.edges["action"][edges[e]]))
        number = int(children[e])
    return tuple(line)


def _proof(params: Params, tree: Tree, start: int, winner: int) -> tuple[Any, Any]:
    """The edges of a proof and their nodes: the winning ones where the winner chooses, all where the loser does."""
    seen = np.zeros(int(tree.counters[core.NODES]), bool)
    seen[: core.ROOT] = True
    found, level = [(np.zeros(0, np.int64), np.zeros(0, np.int64))], np.array([start])
    while len(level := level[~seen[level]]):
        seen[level] = True
        nodes = tree.nodes[level]
        count = nodes["count"].astype(np.int64)
        edges = np.repeat(nodes["first_edge"] - np.cumsum(count) + count, count) + np.arange(count.sum())
        chooses = np.repeat(nodes["player"] == winner, count)
        kept = (tree.edges["child"][edges] < 0) & (~chooses | (tree.edges["value"][edges] >= params.highest))
        found.append((edges[kept], np.repeat(level, count)[kept]))
        level = np.unique(-tree.edges["child"][edges[kept]])
    return np.concatenate([e for e, _ in found]), np.concatenate([o for _, o in found])
