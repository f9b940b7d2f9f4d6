"""The oracle for batches under virtual loss, slow and readable: an object for each node, no compiled code.

PUCT or a policy of a user's own, and any backup; unvisited children like their parent, equal scores by the order of
priors, no noise, no chance, no discount; only a policy draws random numbers. One player, or two whose returns sum to
zero; values have a known range.
"""

import math
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

import playout as po
from playout.game import Position

from .oracle import SAME, counted
from .root_oracle import Plan, forced_edge


@dataclass
class Node:
    position: Position
    value: float  # the mean of the returns, for the player who moves here
    visits: int = 1
    under_way: int = 0
    children: list = field(default_factory=list)  # by prior, after those that a simulation has taken

    @property
    def player(self):
        return self.position.player

    def taken(self):
        return [c for c in self.children if c.visits + c.under_way]


@dataclass
class Child:
    action: int
    prior: float
    position: Position
    visits: int = 0
    value: float = 0.0  # the mean of the returns, for the player above
    under_way: int = 0
    node: Node | None = None
    exact: list | None = None  # for each player, with the rewards of the step
    spread: float = 0.0
    noted: dict = field(default_factory=dict)  # columns of the policy
    kept: dict = field(default_factory=dict)  # and of the backup


class BatchOracle:
    """`evaluate(position)` gives ({action: weight}, value for the player who moves)."""

    def __init__(
        self,
        start,
        evaluate,
        policy,
        virtual_loss=1.0,
        solver=False,
        expansion=None,
        backup=None,
        rule=None,
        seed=0,
    ):
        self.evaluate, self.policy, self.virtual_loss, self.solver = evaluate, policy, virtual_loss, solver
        self.backup = backup or po.Mean()
        self.widening = expansion if isinstance(expansion, po.Widening) else None
        self.alone, (self.low, self.high) = start.game.players == 1, start.game.range
        self.root, self.solved = None, False
        self.start, self.simulations = start, 0
        self.rng = np.array([seed], np.uint64)
        self.rule, self.plan, self.ends = rule, None, 0  # of the root

    def run(self, simulations, batch, ramp):
        while self.simulations < simulations and not self.solved:
            if self.root is None:
                self.root = self.new_node(self.start)[0]
                self.simulations += 1
                continue
            good = max(1 + self.root.visits // ramp, self.plan.left() if self.plan else 0)
            wanted = min(batch, good, simulations - self.simulations)
            for path, child in self.collect(wanted, simulations):
                child.node, value = self.new_node(child.position)
                self.mark(path, -1)
                self.back_up(path, self.for_each(value, child.position.player))

    def collect(self, wanted, simulations):
        waiting, shadows = [], []
        while len(waiting) < wanted and len(shadows) <= wanted and self.simulations + len(waiting) < simulations:
            if self.solved or (waiting and self.plan and self.must_wait(len(waiting))):
                break
            if isinstance(self.rule, po.Gumbel | po.Halving) and self.simulations >= self.ends:
                self.begin_plan(simulations - self.simulations)
            path, node = [], self.root
            while node:
                child = (self.by_root() if node is self.root else None) or self.select(node)
                path.append((node, child))
                node = child.node if child.exact is None else None
            if child.exact or child.position.is_terminal:
                self.back_up(path, self.for_each(0.0, 0))
                if self.solver and not child.exact:
                    self.prove(path)
            elif child.under_way:
                self.mark(path, 1)
                shadows.append(path)
            else:
                self.mark(path, 1)
                waiting.append((path, child))
        for path in shadows:
            self.mark(path, -1)
        return waiting

    def begin_plan(self, length):
        settings, scale = SimpleNamespace(ties="first"), lambda: (self.low, self.high)
        args = (lambda: self.root.value, settings, scale, None, self.visits)
        self.plan = Plan(self.rule, self.root.children, length, *args)
        self.ends = self.simulations + length

    def must_wait(self, waiting):
        """Whether a round or the plan ends: what follows depends on the values that are still to come."""
        return self.plan.is_over() or self.simulations + waiting >= self.ends

    def visits(self, child):
        return child.visits + child.under_way

    def by_root(self):
        """The child that the root's own rule takes; None: the policy chooses."""
        if isinstance(self.rule, po.Forced):
            return forced_edge(self.rule.k, self.root.children, self.visits)
        child = self.plan.next() if self.plan else None
        return child if child is None or self.visits(child) else self.take(self.root, child)

    def select(self, node):
        taken, waiting = node.taken(), node.children[len(node.taken()) :]
        allowed = len(node.children)
        if self.widening:
            most = self.widening.initial + self.widening.k * node.visits**self.widening.alpha
            allowed = max(1, min(allowed, int(most if self.widening.cap is None else min(most, self.widening.cap))))
        if taken and waiting and all(c.exact for c in taken):  # go beyond widening: all else is proven
            return waiting[0]
        self.shared = 0.0
        if hasattr(self.policy, "prepare") and not isinstance(self.policy, po.PUCT):
            self.shared = self.policy.prepare(self.policy, self.node_view(node), self.rng)
        scores = [self.score(node, child) for child in taken]
        if len(taken) < allowed:
            one_for_all = self.policy.by_prior or not self.policy.scores_unvisited
            asked = waiting[: 1 if one_for_all else allowed - len(taken)]
            others = [self.score(node, child) for child in asked]
            if max(others) >= max(scores, default=-math.inf):
                return self.take(node, asked[others.index(max(others))])
        if max(scores) == -math.inf:  # all are proven: take the best
            return max(taken, key=lambda c: c.value)
        return taken[scores.index(max(scores))]

    def take(self, node, child):
        """A child taken for the first time moves before all that were never taken."""
        node.children.remove(child)
        node.children.insert(len(node.taken()), child)
        return child

    def score(self, node, child):
        if child.exact:
            passed = self.solver and (self.alone or node.visits % 4 == 1)
            return -math.inf if passed or child.value <= self.low else child.value
        n = child.visits + child.under_way
        value = child.value if child.visits else node.value
        if n:
            value -= self.virtual_loss * (value - self.low) * child.under_way / n
        above = self.node_view(node)
        if isinstance(self.policy, po.PUCT):
            return value + self.policy.c * math.sqrt(max(1, above.through)) * child.prior / (1 + n)
        if not n and not self.policy.scores_unvisited:
            return value
        seen = self.view(child, n, value, self.policy, child.noted)
        with np.errstate(over="ignore"):
            return self.policy.score(self.policy, above, seen, self.shared, self.rng)

    def node_view(self, node):
        visits = node.visits + node.under_way
        return SimpleNamespace(
            visits=visits,
            through=visits - 1,  # less the node's own visit
            value=node.value,
            width=self.high - self.low,
            player=node.player,
            count=len(node.children),
        )

    def view(self, child, visits, value, part, columns):
        return SimpleNamespace(
            visits=visits,
            pending=child.under_way,
            value=value,
            spread=child.spread,
            prior=child.prior,
            action=child.action,
            proven=False,
            **{name: columns.get(name, part.columns[name].type(0)) for name in part.columns.names or ()},
        )

    def update(self, part, child, columns, got, below=None):
        """Run a part's own `update` on its view of a child, and store its columns."""
        seen = self.view(child, child.visits, child.value, part, columns)
        seen.below = below
        part.update(part, seen, got)
        columns.update({name: getattr(seen, name) for name in part.columns.names or ()})
        return seen.value

    def mark(self, path, by):
        for node, child in path:
            child.under_way += by
            node.under_way += by

    def for_each(self, value, player):
        return [value] if self.alone else [value, -value] if player == 0 else [-value, value]

    def back_up(self, path, returns):
        ahead = returns
        for node, child in reversed(path):
            # An edge that was proven while the leaf waited is already exact.
            returns = child.exact or [r + g for r, g in zip(child.position.rewards, returns, strict=True)]
            ahead = child.exact or [r + g for r, g in zip(child.position.rewards, ahead, strict=True)]
            got, before = returns[node.player], child.value
            child.visits += 1
            if isinstance(self.backup, po.Mean):
                child.value += (got - before) / child.visits
                added = got
            else:
                child.value = (
                    child.value if child.exact else self.update(self.backup, child, child.kept, got, ahead[node.player])
                )
                added = child.visits * child.value - (child.visits - 1) * before
            child.spread = max(0.0, child.spread + (got - before) * (got - child.value))
            if hasattr(self.policy, "update") and not child.exact:
                self.update(self.policy, child, child.noted, got)
            exact = max((c.value for c in node.children if c.exact), default=None)
            if self.alone and exact is not None:
                added = counted(exact, child.visits, before, child.value, added)
                returns = [added if isinstance(self.backup, po.Mean) else max(got, exact)]
            node.visits += 1
            node.value += (added - node.value) / node.visits
            if self.backup.below:
                best = max(c.value if c.exact else c.kept[self.backup.below] for c in node.children if c.visits)
                ahead = self.for_each(best, node.player)
        self.simulations += 1

    def prove(self, path):
        below = self.for_each(0.0, 0)
        for node, child in reversed(path):
            child.exact = [r + x for r, x in zip(child.position.rewards, below, strict=True)]
            child.value, child.spread = child.exact[node.player], 0.0
            if child.value < self.high - SAME and not all(c.exact for c in node.children):
                return
            below = max((c.exact for c in node.children if c.exact), key=lambda exact: exact[node.player])
        self.solved = True

    def new_node(self, position):
        weights, value = self.evaluate(position)
        total = sum(weights.values())
        order = sorted(weights, key=lambda action: -weights[action])
        return Node(position, value, children=[Child(a, weights[a] / total, position.play(a)) for a in order]), value


def oracle_edges(oracle):
    """By path: visits, value, and whether it is proven; named as in `compiled_tree` of `oracle.py`."""
    edges, todo = {}, [((), oracle.root)]
    for path, node in todo:
        for child in node.children:
            below = (*path, child.action)
            edges[below, "edge"] = {"visits": child.visits, "value": child.value, "proven": child.exact is not None}
            if child.node:
                todo.append((below, child.node))
    return edges
