"""Batches under virtual loss again, slow and readable: a dictionary for each node, no compiled code.

PUCT, unvisited children like their parent, equal scores by the order of priors, no proofs, no noise.
"""

import math
from dataclasses import dataclass, field

from playout.game import Position


@dataclass
class Node:
    position: Position
    value: float  # the sum of returns, for the player who moves here
    visits: int = 1
    under_way: int = 0
    children: dict = field(default_factory=dict)  # by action, in order of prior


@dataclass
class Child:
    prior: float
    position: Position
    visits: int = 0
    value: float = 0.0  # the sum of returns, for the player above
    under_way: int = 0
    node: Node | None = None

    @property
    def mean(self):
        return self.value / self.visits


class BatchOracle:
    """`evaluate(position)` gives ({action: weight}, value for the player who moves)."""

    def __init__(self, start, evaluate, c, virtual_loss=1.0):
        self.evaluate, self.c, self.virtual_loss = evaluate, c, virtual_loss
        self.root = None
        self.start, self.simulations = start, 0

    def run(self, simulations, batch, ramp):
        while self.simulations < simulations:
            if self.root is None:
                self.root = self.new_node(self.start)[0]
                self.simulations += 1
                continue
            wanted = min(batch, 1 + self.root.visits // ramp, simulations - self.simulations)
            for path, child in self.collect(wanted, simulations):
                node, value = self.new_node(child.position)
                child.node = node
                self.mark(path, -1)
                self.back_up(path, child.position.player, value)

    def collect(self, wanted, simulations):
        waiting, shadows = [], []
        while len(waiting) < wanted and len(shadows) <= wanted and self.simulations + len(waiting) < simulations:
            path, node = [], self.root
            while True:
                child = self.best(node)
                path.append((node, child))
                if child.node is None:
                    break
                node = child.node
            if child.position.is_terminal:
                mover = path[-1][0].position.player
                self.back_up(path, mover, child.position.rewards[mover])
            elif child.under_way:
                self.mark(path, 1)
                shadows.append(path)
            else:
                self.mark(path, 1)
                waiting.append((path, child))
        for path in shadows:
            self.mark(path, -1)
        return waiting

    def best(self, node):
        visits = node.visits + node.under_way
        weight = self.c * math.sqrt(max(1, visits - 1))  # one visit was the node's own
        own = node.value / node.visits
        scores = []
        for child in node.children.values():
            n = child.visits + child.under_way
            value = child.mean if child.visits else own
            if n:
                value -= self.virtual_loss * (value + 1.0) * child.under_way / n
            scores.append(value + weight * child.prior / (1 + n))
        return list(node.children.values())[scores.index(max(scores))]

    def mark(self, path, by):
        for node, child in path:
            child.under_way += by
            node.under_way += by

    def back_up(self, path, player, value):
        """`value` is for `player`; the game is one of two players whose returns sum to zero."""
        for node, child in path:
            got = value if node.position.player == player else -value
            child.visits += 1
            child.value += got
            node.visits += 1
            node.value += got
        self.simulations += 1

    def new_node(self, position):
        weights, value = self.evaluate(position)
        total = sum(weights.values())
        order = sorted(weights, key=lambda action: -weights[action])
        children = {a: Child(weights[a] / total, position.play(a)) for a in order}
        return Node(position, value, children=children), value
