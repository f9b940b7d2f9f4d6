"""The oracle's account of all moves as first: a dictionary for each node, from (player, code) to a count and a mean."""

import numpy as np


class Amaf:
    """The statistics for one tree. A simulation notes the nodes it reaches, the steps from them, and its playouts."""

    def __init__(self, rules, policy, discount):
        self.rules, self.discount = rules, discount
        self.ref = getattr(policy, policy.amaf) if policy.amaf else None
        self.begin()

    def begin(self):
        self.steps, self.played, self.reference = [], [], 0

    def begin_table(self, node):
        if self.ref is not None and node.table is None:
            node.table = {}

    def reach(self, node):
        """A simulation is at a node; from `ref` visits on, the node's own statistics count for it and what follows."""
        if self.ref is not None and node.table is not None and node.player >= 0 and node.visits >= self.ref:
            self.reference = len(self.steps)

    def took(self, node, action):
        if self.ref is not None:
            _, rewards = self.rules.play(node.state, action)
            what = (node.player, self.rules.code(node.state, action)) if node.player >= 0 else None
            self.steps.append((node, rewards, what))

    def played_out(self, state, action):
        """A playout took an action."""
        player = self.rules.player(state)
        if self.ref is not None and player >= 0:
            self.played.append((player, self.rules.code(state, action)))

    def shown(self, node, action):
        """What a policy sees of an action: how many returns from the reference on, and their mean less what was got
        on the way from there."""
        table = self.steps[self.reference][0].table if self.reference < len(self.steps) else node.table
        count, mean = table.get((node.player, self.rules.code(node.state, action)), (0, 0.0))
        got, scale = 0.0, 1.0
        for _, rewards, _ in self.steps[self.reference :]:
            got += scale * rewards[node.player]
            scale *= self.discount
        return count, (mean - got) / scale

    def count(self, root, path, returns):
        """A simulation ended: its actions count in every table from the root on, each action once."""
        if self.ref is None:
            return
        wanting = [n for n, *_ in path if n.table is None and n.player >= 0 and 2 * (n.visits + 1) >= self.ref]
        if wanting:  # one table is begun, that of the first
            wanting[0].table = {}
        if not path:
            self.add(root, set(self.played), returns)
        for i in range(len(path) - 1, -1, -1):
            node, rewards, _ = self.steps[i]
            returns = [r + self.discount * g for r, g in zip(rewards, returns, strict=True)]
            below = {what for _, _, what in self.steps[i:] if what is not None} | set(self.played)
            self.add(node, below, returns)

    def add(self, node, actions, returns):
        if node.table is not None:
            for player, code in actions:
                count, mean = node.table.get((player, code), (0, 0.0))
                mean = float(np.float32(mean + (returns[player] - mean) / (count + 1)))  # kept in single precision
                node.table[player, code] = count + 1, mean
