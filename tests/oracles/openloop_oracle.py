"""The oracle for open loops: the same search in plain Python, where a node stands for the actions played.

There are no proofs and no nodes for chance; a node has an edge for each action that was ever taken there.
"""

import math

import numpy as np

import playout as po

from .oracle import Edge, Node, Oracle, total


class OpenLoopOracle(Oracle):
    def __init__(self, game, settings, position=None, seed=0):
        super().__init__(game, settings.replace(solver=False), position, seed)

    def play(self, action):
        """Start a new tree at the next position: an open loop keeps none."""
        self.simulations, self.leader_since, self.leader = 0, 0, None
        self.least, self.greatest = math.inf, -math.inf
        self.plant(self.rules.play(self.root.state, action)[0])

    def simulate(self):
        # 1. Selection, and 2. expansion: while the node below is known and belongs to the same player as before.
        node, path, state, known, added = self.root, [], self.root.state, True, False
        while known:
            edge = self.select_legal(node, state)
            self.learner.took(state, node.player, edge.action)
            state, rewards, scale = self.play_and_draw(state, edge.action)
            path.append((node, edge, rewards, scale))
            player = self.rules.player(state)
            known = player != po.TERMINAL and not added and (edge.visits > 0 or self.first_visit)
            if known:
                if edge.child is None:
                    added = edge.visits == 0
                    edge.child = Node(None, player, [])
                    edge.child.visits = edge.child.own = edge.visits
                node = edge.child
                known = node.player == player
        # 3. Evaluation.
        returns = [0.0] * self.game.players if player == po.TERMINAL else self.evaluate(state)
        # 4. Backup.
        self.learner.learn(path, returns)
        for node, edge, rewards, scale in reversed(path):
            returns = [r + scale * g for r, g in zip(rewards, returns, strict=True)]
            self.count_result(edge, node.chooser, returns)
            self.add_visit(node, edge, returns[node.chooser])

    def select_legal(self, node, state):
        """The best of the actions that are legal now."""
        visited, waiting = [], []
        for prior, action in self.choices(state):
            edge = next((e for e in node.edges if e.action == action), None)
            if edge is None:
                edge = Edge(action, prior, None)
                edge.prior = prior  # in double precision until it is taken
            elif edge.visits and node is not self.root:  # the root's may have noise
                edge.prior = float(np.float32(prior))  # for this position
            (visited if edge.visits else waiting).append(edge)
        if self.by_prior:
            waiting.sort(key=lambda e: -e.prior)
        return self.by_root(node) or self.choose(node, visited, waiting)

    def take(self, node, edge):
        """Move an edge that is taken for the first time behind those taken before."""
        edge.prior = float(np.float32(edge.prior))
        if edge not in node.edges:
            node.edges.append(edge)
        return super().take(node, edge)

    take_any = take

    def play_and_draw(self, state, action):
        """Play an action and the chance outcomes after it: (state, all rewards, the discount of what follows)."""
        state, rewards = self.rules.play(state, action)
        scale = self.s.discount
        while self.rules.player(state) == po.CHANCE:
            outcomes, weights = self.rules.actions(state)
            outcome = outcomes[self.random.pick(weights, total(weights))]
            state, more = self.rules.play(state, outcome)
            rewards = [r + scale * m for r, m in zip(rewards, more, strict=True)]
            scale *= self.s.discount
        return state, rewards, scale
