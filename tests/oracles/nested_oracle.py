"""Nested search again, slow and readable: recursion, a dictionary of weights, exponentials as in the papers.

It plays with positions of the public interface and draws the same random numbers, so that it finds the same lines.
"""

import math

from .oracle import SplitMix64


class Stopped(Exception):
    """The playouts are used up, or not needed any more."""


class NestedOracle:
    """What both methods share: playouts by a policy, and the best line of all."""

    def __init__(self, position, seed, playouts, priors):
        self.root, self.random, self.left, self.priors = position, SplitMix64(seed), playouts, priors
        self.best, self.line, self.restarts = -math.inf, [], 0
        self.most = position.game.range[1] if position.game.range else math.inf

    def probabilities(self, position, policy):
        """Softmax over the legal actions: e^(weight of the code) times the prior."""
        actions = position.actions()
        priors = dict(position.priors()) if self.priors else dict.fromkeys(actions, 1.0)
        factors = [math.exp(policy.get(position.action_code(a), 0.0)) * priors[a] for a in actions]
        return actions, factors, sum(factors)

    def playout(self, position, policy, total=0.0):
        """Play on to the end: the return, `total` included, and the actions."""
        line = []
        while not position.is_terminal:
            actions, factors, whole = self.probabilities(position, policy)
            action = actions[0]
            if len(actions) > 1 and whole > 0:
                drawn, so_far = self.random.float() * whole, 0.0
                for action, factor in zip(actions, factors, strict=True):  # noqa: B007
                    so_far += factor
                    if so_far > drawn:
                        break
            elif len(actions) > 1:
                action = actions[self.random.below(len(actions))]
            position = position.play(action)
            total += position.rewards[0]
            line.append(action)
        return total, line

    def seen(self, value, line):
        """Count a line; raises `Stopped` after the last one, and when no line can be better."""
        if value > self.best:
            self.best, self.line = value, line
        self.left -= 1
        if self.left == 0 or self.best >= self.most:
            raise Stopped

    def run(self):
        try:
            while True:
                self.search_once()
                self.restarts += 1
        except Stopped:
            return self


class NrpaOracle(NestedOracle):
    """Rosin's algorithm; with priors Cazenave's GNRPA."""

    def __init__(self, position, seed, playouts, method):
        super().__init__(position, seed, playouts, method.priors and position.game.has("priors"))
        self.method = method

    def search_once(self):
        self.level(self.method.levels, {})

    def level(self, level, policy):
        if level == 0:
            found = self.playout(self.root, policy)
            self.seen(*found)
            return found
        method, policy, best, line, repeats = self.method, dict(policy), -math.inf, None, 0
        rounds = method.playouts if level == 1 else 1
        for i in range(1, method.iterations * rounds + 1):
            value, found = self.level(level - 1, policy)
            if (value, found) == (best, line):
                repeats += 1
            elif value >= best:
                best, line, repeats = value, found, 0
            if method.repetitions and repeats >= method.repetitions:
                break
            if i % rounds == 0 and i < method.iterations * rounds:
                policy = self.adapted(policy, line)
        return best, line

    def adapted(self, policy, line):
        new, position = dict(policy), self.root
        for action in line:
            actions, factors, whole = self.probabilities(position, policy)
            if len(actions) > 1 and whole > 0:
                code = position.action_code(action)
                new[code] = new.get(code, 0.0) + self.method.alpha
                for other, factor in zip(actions, factors, strict=True):
                    code = position.action_code(other)
                    new[code] = new.get(code, 0.0) - self.method.alpha * factor / whole
            position = position.play(action)
        return new


class NmcsOracle(NestedOracle):
    """Cazenave's nested Monte Carlo search, which remembers its best line."""

    def __init__(self, position, seed, playouts, method):
        super().__init__(position, seed, playouts, method.priors and position.game.has("priors"))
        self.levels = method.levels

    def search_once(self):
        self.level(self.levels, self.root, 0.0, [])

    def level(self, level, position, total, path):
        """The best return and line of a game that begins at `position`, to which `path` led with rewards of `total`."""
        if level == 0:
            value, line = self.playout(position, {}, total)
            self.seen(value, path + line)
            return value, path + line
        if position.is_terminal:
            self.seen(total, path)
            return total, path
        best, line = -math.inf, None
        while not position.is_terminal:
            for action in position.actions():
                after = position.play(action)
                value, found = self.level(level - 1, after, total + after.rewards[0], [*path, action])
                if value > best:
                    best, line = value, found
            action = line[len(path)]
            position = position.play(action)
            total, path = total + position.rewards[0], [*path, action]
        return best, line
