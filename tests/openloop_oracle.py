"""The oracle for open loops: the same search on a blackboard where a node stands for the actions played.

There are no proofs and no nodes for chance; a node has an edge for each action that was ever taken there.
"""

import math

import numpy as np

import playout as po
from tests.oracle import Edge, Node, Oracle, total


class Best:
    """The best of what comes along; out of n equals each with a chance of 1 / n, drawn as they come."""

    def __init__(self, random):
        self.random, self.found, self.score, self.count = random, None, -math.inf, 0

    def offer(self, edge, score):
        if score > self.score:
            self.found, self.score, self.count = edge, score, 1
        elif score == self.score:
            self.count += 1
            if self.random and self.random.below(self.count) == 0:
                self.found = edge


class OpenLoopOracle(Oracle):
    def __init__(self, game, settings, position=None, seed=0):
        super().__init__(game, settings.replace(solver=False), position, seed)

    def play(self, action):
        """An open loop begins again at the next position."""
        self.simulations, self.leader_since, self.leader = 0, 0, None
        self.least, self.greatest = math.inf, -math.inf
        self.plant(self.rules.play(self.root.state, action)[0])

    def simulate(self):
        # 1. Selection, and 2. expansion: as long as the node below is known, and the same player's as before.
        node, path, state, known = self.root, [], self.root.state, True
        while known:
            edge = self.select_legal(node, state)
            state, rewards, scale = self.play_and_draw(state, edge.action)
            path.append((node, edge, rewards, scale))
            player = self.rules.player(state)
            known = player != po.TERMINAL and edge.visits > 0
            if known:
                if edge.child is None:
                    edge.child = Node(None, player, [])
                    edge.child.visits = edge.child.own = edge.visits
                node = edge.child
                known = node.player == player
        # 3. Evaluation.
        returns = [0.0] * self.game.players if player == po.TERMINAL else self.evaluate(state)
        # 4. Backup.
        for node, edge, rewards, scale in reversed(path):
            returns = [r + scale * g for r, g in zip(rewards, returns, strict=True)]
            self.add_visit(node, edge, returns[node.chooser])

    def select_legal(self, node, state):
        """The best of the actions that are legal this time."""
        legal, random = self.choices(state), self.random if self.s.ties == "random" else None
        visited, waiting, taken = Best(random), Best(random), 0
        self.prepare(node)
        for prior, action in legal:
            edge = next((e for e in node.edges if e.action == action), None)
            if edge is None:
                edge = Edge(action, prior, None)
                edge.prior = prior  # in double precision until it is taken
            if edge.visits == 0:
                waiting.offer(edge, edge.prior if self.by_prior else 0.0)
                continue
            taken += 1
            if self.s.policy.scores_unvisited and node is not self.root:  # the root's may have noise
                edge.prior = float(np.float32(prior))  # that of the position as it is this time
            visited.offer(edge, self.score(node, edge))
        if waiting.found is None or 0 < taken >= self.allowed(node, len(legal)):
            return visited.found
        if taken and self.unvisited != "infinity" and not isinstance(self.s.expansion, po.OneAtATime):
            score = self.score(node, waiting.found)
            lot = score == visited.score and random and random.below(visited.count + 1) > 0
            if score < visited.score or lot:
                return visited.found
        return self.take(node, waiting.found)

    def take(self, node, edge):
        """An edge is taken for the first time: it comes after those that were."""
        edge.prior = float(np.float32(edge.prior))
        if edge not in node.edges:
            node.edges.append(edge)
        at, other = len(node.visited()), node.edges.index(edge)
        node.edges[at], node.edges[other] = node.edges[other], node.edges[at]
        return edge

    def play_and_draw(self, state, action):
        """Play an action and what chance does after it: (state, all their rewards, the discount of what follows)."""
        state, rewards = self.rules.play(state, action)
        scale = self.s.discount
        while self.rules.player(state) == po.CHANCE:
            outcomes, weights = self.rules.actions(state)
            outcome = outcomes[self.random.pick(weights, total(weights))]
            state, more = self.rules.play(state, outcome)
            rewards = [r + scale * m for r, m in zip(rewards, more, strict=True)]
            scale *= self.s.discount
        return state, rewards, scale
