"""The oracle's account of what playouts learn: dictionaries by player and code, where every pair has its own place."""

import itertools
import math

TRUSTED = 7  # returns of a pair


class Learner:
    """MAST and NST for one tree: what a simulation plays is noted, and its return is added to all of it."""

    def __init__(self, rules, rollouts, discount):
        self.rules, self.rollouts, self.discount = rules, rollouts, discount
        self.on = rollouts is not None and (rollouts.mast or rollouts.nst)
        self.means, self.counts = {}, {}
        self.path, self.playouts = [], []

    def begin(self):
        self.path, self.playouts = [], []

    def took(self, state, player, action):
        """Note an action on the way through the tree."""
        if self.on and player >= 0:
            self.path.append((player, self.rules.code(state, action)))

    def begin_playout(self):
        self.playouts.append(self.path[-1:])

    def action(self, state, actions, length, random):
        """The action that a playout takes after `length` others, those of chance included."""
        player, sequence = self.rules.player(state), self.playouts[-1]
        bits = random.bits()
        chosen = actions[(bits >> 32) * len(actions) >> 32]
        led = self.rollouts.led is None or length < self.rollouts.led
        if led and bits % 2**32 / 2**32 >= self.rollouts.epsilon:
            best = self.promise(player, sequence, self.rules.code(state, chosen))
            for action in actions:
                promise = self.promise(player, sequence, self.rules.code(state, action))
                if promise > best:
                    chosen, best = action, promise
        sequence.append((player, self.rules.code(state, chosen)))
        return chosen

    def promise(self, player, sequence, code):
        mean = self.means.get((player, code), math.nan)
        pair = (player, sequence[-1][1], code) if sequence else None
        if self.rollouts.nst and self.counts.get(pair, 0) >= TRUSTED:
            return 0.5 * (mean + self.means[pair])
        return mean

    def learn(self, path, returns):
        """Add a simulation's return, from the root on; `path` has the rewards of each step, and the discount of what
        follows it where that is not the usual one."""
        if not self.on:
            return
        for _, _, rewards, *scale in reversed(path):
            factor = scale[0] if scale else self.discount
            returns = [r + factor * g for r, g in zip(rewards, returns, strict=True)]
        for player, code in self.path:
            self.add((player, code), returns[player])
        for playout in self.playouts:
            for player, code in playout[len(self.path[-1:]) :]:
                self.add((player, code), returns[player])
        if self.rollouts.nst:
            for sequence in (self.path, *self.playouts):
                for (_, before), (player, code) in itertools.pairwise(sequence):
                    self.add((player, before, code), returns[player])

    def add(self, what, got):
        self.counts[what] = self.counts.get(what, 0.0) + 1
        before = self.means.get(what, got)
        self.means[what] = before + (got - before) / self.counts[what]

    def decay(self):
        """An action was played, and its subtree is kept."""
        if self.on:
            self.counts = {what: self.rollouts.decay * count for what, count in self.counts.items()}
            self.means = {what: self.means[what] for what, count in self.counts.items() if count > 0}
            self.counts = {what: count for what, count in self.counts.items() if count > 0}
