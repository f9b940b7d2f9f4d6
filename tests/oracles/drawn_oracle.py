"""The oracle for games whose actions are drawn: a number seeds the draw, and nodes get more edges as they widen."""

import numpy as np

import playout as po

from .oracle import Edge, Oracle, Rules

FIRST = 2**30  # the lowest number of a drawn action


class DrawnRules(Rules):
    def row(self, state, action):
        row = np.zeros(self.game.action_width)
        if action < FIRST:
            row[0] = action
            return row
        with np.errstate(over="ignore"):
            self.call["sample_action"](state.copy(), np.array([action], np.uint64), row)
        return row

    def play(self, state, action):
        state, rewards = state.copy(), np.zeros(self.game.players)
        self.call["apply"](state, self.row(state, action), rewards)
        return state, rewards.tolist()

    def actions(self, state):
        if self.player(state) == po.CHANCE and "chance_outcomes" not in self.call:
            return np.zeros(0, np.int32), np.zeros(0)
        return super().actions(state)


class DrawnOracle(Oracle):
    rules_of = DrawnRules

    def __init__(self, game, settings, position=None, seed=0):
        super().__init__(game, settings.replace(solver=False), position, seed)

    def play(self, action):
        if not any(e.action == action for e in self.root.edges):  # it was never drawn here
            self.root.edges.append(Edge(action, 0.0, None))
        super().play(action)

    def draws_at(self, node):
        return node.player != po.CHANCE or not self.game.has("chance_outcomes")

    def draw(self, edges):
        """Add an edge with a new number; all are equally likely before they are tried."""
        number = FIRST + (self.random.bits() >> 34)
        while any(e.action == number for e in edges):
            number = FIRST + (self.random.bits() >> 34)
        edges.append(Edge(number, 1.0, None))
        for edge in edges:
            edge.prior = float(np.float32(1.0 / len(edges)))
        return edges[-1]

    def new_node(self, state):
        node = super().new_node(state)
        if self.draws_at(node) and not node.edges:
            self.draw(node.edges)
        return node

    def select(self, node):
        if node.player != po.CHANCE or not self.draws_at(node):
            return super().select(node)
        if not node.edges[-1].visits:
            return node.edges[-1]
        if len(node.edges) < self.most(self.s.outcomes, node):
            return self.draw(node.edges)
        return node.edges[self.random.below(len(node.edges))]

    def most(self, widening, node):
        if not isinstance(widening, po.Widening):
            return self.game.max_actions
        allowed = widening.initial + widening.k * node.visits**widening.alpha
        return max(1, min(self.game.max_actions, int(allowed if widening.cap is None else min(allowed, widening.cap))))

    def choose(self, node, visited, waiting):
        if not waiting and len(node.edges) < self.most(self.s.expansion, node):
            return self.draw(node.edges)
        if waiting and len(visited) < self.allowed(node, len(node.edges)):
            return self.next_unvisited(node, waiting)
        return super().choose(node, visited, waiting)

    def playout_action(self, state, guided, length):
        player = self.rules.player(state)
        if player == po.CHANCE and self.game.has("chance_outcomes"):
            return super().playout_action(state, guided, length)
        actions = self.rules.actions(state)[0] if self.game.rules.lists and player >= 0 else []
        at = self.random.below(len(actions) + 1) if self.game.rules.lists and player >= 0 else 0
        return actions[at] if at < len(actions) else FIRST + (self.random.bits() >> 34)
