"""The oracle: the same search as in a textbook, an object for each node, nothing compiled.

It takes the settings and a game's rules, and shares no code with `playout.core`. Numbers are rounded as the compiled
search rounds them, since two scores that are equal are a tie, and a tie draws a random number.
"""

import math
import operator
from functools import reduce
from statistics import NormalDist
from types import SimpleNamespace

import numpy as np

import playout as po
from playout.core.tree import END, NO_PROOF, ROOT  # to read the compiled tree, not to search

from .amaf import Amaf
from .learner import Learner
from .root_oracle import Plan, forced_edge

BUILT_IN = (po.UCT, po.UCB1Tuned, po.PUCT, po.Improved, po.GRAVE)  # the oracle has its own formulas for these
SAME = 1e-12  # sums of the same rewards in another order may differ by rounding


def total(numbers):
    """Sum from left to right; Python's own `sum` rounds differently."""
    return reduce(operator.add, numbers, 0.0)


def counted(exact, visits, before, value, got):
    """What the last of an edge's visits adds to a node where a single player could choose an `exact` value instead.

    As if all visits so far had been worth the edge's mean, or the exact value if that is more.
    """
    was, now = max(before, exact) if visits > 1 else exact, max(value, exact)
    if was == now == exact:
        return exact
    if now == value and (visits == 1 or was == before):
        return got
    return visits * now - (visits - 1) * was


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        x = self.state
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
        return x ^ (x >> 31)

    def below(self, n):
        return (self.bits() >> 32) * n >> 32

    def float(self):
        return (self.bits() >> 11) / 2**53

    def pick(self, weights, of):
        """Draw an index by weight."""
        rest = self.float() * of
        for i, weight in enumerate(weights):
            if weight > 0:
                rest -= weight
                last = i
                if rest < 0:
                    break
        return last


class Rules:
    """A game's own functions, uncompiled."""

    def __init__(self, game):
        self.game, self.call = game, game.rules.functions
        self.room = 2 * game.max_actions
        self.has_priors = game.has("priors")

    def player(self, state):
        return int(self.call["current_player"](state))

    def actions(self, state):
        """Legal actions, or chance's outcomes, with weights: priors, probabilities, or none."""
        actions, weights = np.zeros(self.room, np.int32), np.zeros(self.room)
        if self.player(state) == po.CHANCE:
            count = self.call["chance_outcomes"](state, actions, weights)
        else:
            count = self.call["legal_actions"](state, actions)
        return actions[:count], weights[:count]

    def priors(self, state, actions):
        weights = np.zeros(len(actions))
        self.call["priors"](state, actions, len(actions), weights)
        return weights.tolist()

    def play(self, state, action):
        state, rewards = state.copy(), np.zeros(self.game.players)
        with np.errstate(over="ignore"):
            self.call["apply"](state, action, rewards)
        return state, rewards.tolist()

    def code(self, state, action):
        """What playouts that learn remember an action by."""
        code = int(self.call["action_code"](state, action)) if "action_code" in self.call else int(action)
        return code if self.game.action_codes else code % 4096

    def evaluate(self, state):
        values = np.zeros(self.game.players)
        self.call["evaluate"](state, values)
        return values.tolist()


class Edge:
    def __init__(self, action, prior, probability):
        self.action, self.prior = int(action), float(np.float32(prior))  # priors are kept in single precision
        self.probability = probability
        self.visits, self.value, self.spread = 0, 0.0, 0.0
        self.child, self.over, self.exact = None, False, None  # exact: the value for each player, this step included
        self.noted, self.kept = {}, {}  # columns of the policy, and of the backup
        self.below = 0.0  # what the backup sees by this name
        self.wdl = [0, 0, 0]  # wins, draws and losses


class Node:
    def __init__(self, state, player, edges):
        self.state, self.player, self.chooser = state, player, max(0, player)
        self.edges = edges  # in the order in which they are compared
        self.visits, self.own, self.value, self.counted, self.exact = 0, 0, 0.0, 0, None
        self.table = None  # of actions (`amaf.py`)

    def visited(self):
        return [e for e in self.edges if e.visits]

    def waiting(self):
        return [e for e in self.edges if not e.visits]


class Oracle:
    rules_of = Rules

    def __init__(self, game, settings, position=None, seed=0):
        self.game, self.s, self.rules, self.random = game, settings, self.rules_of(game), SplitMix64(seed)
        self.low, self.high = game.range or (-math.inf, math.inf)
        others = (game.players - 1) * self.low
        self.decides = game.players == 1 or (
            game.sums_to is not None and abs(self.high + others - game.sums_to) < 1e-9 and settings.discount == 1
        )
        self.alone = game.players == 1
        self.normalise = game.range is None if settings.normalise is None else settings.normalise
        needs_priors = settings.policy.by_prior or isinstance(settings.expansion, po.Widening)
        needs_priors = needs_priors or isinstance(settings.root, po.Gumbel)
        self.by_prior = needs_priors or settings.priors is True
        self.priors = needs_priors if settings.priors is None else settings.priors
        # In a game of one player, proven edges get no visits, so visits say nothing about them.
        self.asks_for_proof = settings.answer == "proof" or (
            settings.answer == "visits" and settings.solver and self.alone
        )
        self.unvisited = settings.unvisited
        if self.unvisited is None:
            self.unvisited = settings.policy.unvisited
        self.least, self.greatest = math.inf, -math.inf  # edge values seen
        self.simulations, self.leader, self.leader_since = 0, None, 0
        self.first_visit = isinstance(settings.expansion, po.All) and settings.expansion.first_visit
        self.plant((position or game.position()).state.copy())

    def plant(self, state):
        tables = self.s.policy.tables
        self.policy = SimpleNamespace(**vars(self.s.policy))
        for name in tables.names or ():
            setattr(self.policy, name, np.zeros(tables[name].shape))
        self.learner = Learner(self.rules, self.s.rollouts, self.s.discount)
        self.amaf = Amaf(self.rules, self.s.policy, self.s.discount)
        self.root, self.plan, self.ends, self.wanted = self.new_node(state), None, 0, 0
        self.amaf.begin_table(self.root)
        self.shape_priors()

    def run(self, simulations):
        self.wanted = max(self.wanted, self.simulations + simulations)
        self.go_on(simulations)

    def go_on(self, simulations):
        """Like `run`, or as many steps: the root does not learn how many there will be."""
        for _ in range(simulations):
            if self.s.solver and self.root.exact:
                return
            self.run_one()

    def play(self, action):
        """The subtree of an action becomes the tree."""
        edge = next(e for e in self.root.edges if e.action == action)
        self.simulations, self.leader_since, self.leader = 0, 0, None
        self.plan, self.ends, self.wanted = None, 0, 0
        if edge.child:
            self.root = edge.child
            self.amaf.begin_table(self.root)
            self.learner.decay()
            if self.root.player != po.CHANCE:
                self.leader = self.answer()
                self.shape_priors()
        else:
            self.plant(self.rules.play(self.root.state, action)[0])
            self.least, self.greatest = math.inf, -math.inf

    def run_one(self):
        done, self.simulations = self.simulations, self.simulations + 1
        self.learner.begin()
        self.amaf.begin()
        if self.s.evaluate_root and self.root.visits == 0:
            self.root.means = self.evaluate(self.root.state)
            self.learner.learn([], self.root.means)
            self.amaf.count(self.root, [], self.root.means)
            self.root.value = self.root.means[self.root.chooser]
            self.root.visits = self.root.own = self.root.counted = 1
            return
        if isinstance(self.s.root, po.Gumbel | po.Halving) and done >= self.ends:
            self.begin_plan(done)
        self.simulate()
        best = self.answer()
        if best is not self.leader:
            self.leader, self.leader_since = best, self.simulations

    def simulate(self):
        # 1. Selection, and 2. expansion: down to an edge never visited, or one whose value needs no playout.
        node, path, added = self.root, [], False
        while True:
            edge = self.select(node)
            state, rewards = self.rules.play(node.state, edge.action)
            path.append((node, edge, rewards))
            if edge.exact or edge.over or self.rules.player(state) == po.TERMINAL:
                break
            if edge.child is None:
                if added or (edge.visits == 0 and not self.first_visit):
                    break
                edge.child, added = self.expand(node, edge, state, rewards), True
            node = edge.child
        # 3. Evaluation.
        known = edge.exact or edge.over
        fresh = not known and self.rules.player(state) == po.TERMINAL
        edge.over = edge.over or fresh
        if edge.over:
            returns = [0.0] * self.game.players
        elif edge.exact:
            returns = edge.child.exact
        else:
            returns = self.evaluate(state)
        ahead = returns if known or fresh or not self.s.backup.below else self.rules.evaluate(state)
        # 4. Backup.
        self.learner.learn(path, returns)
        self.amaf.count(self.root, path, returns)
        for node, edge, rewards in reversed(path):
            edge.below = rewards[node.chooser] + self.s.discount * ahead[node.chooser]
            returns = [r + self.s.discount * g for r, g in zip(rewards, returns, strict=True)]
            self.count_result(edge, node.chooser, returns)
            returns[node.chooser] = self.add_visit(node, edge, returns[node.chooser])
            ahead = self.best_column(node) if self.s.backup.below else ahead
        if fresh and self.s.solver:
            self.prove(path)

    # 1. Selection.

    def begin_plan(self, done):
        """Plan for the rest of the run; where it is not known, for so many simulations, then for as many as before."""
        root, length = self.s.root, self.wanted - done
        if length <= 0:
            count = len(self.root.edges)
            size = count if isinstance(root, po.Halving) else min(root.considered or 16, count)
            length = max(root.simulations or 8 * size, done)
        node = self.root
        args = (root, node.edges, length, lambda: node.value, self.s, self.value_range, self.random, lambda e: e.visits)
        self.plan, self.ends = Plan(*args), done + length

    def value_range(self):
        return (self.least, self.greatest) if self.normalise else (self.low, self.high)

    def select(self, node):
        self.amaf.reach(node)
        if node.player == po.CHANCE:
            edge = node.edges[self.random.pick([e.prior for e in node.edges], 1.0)]
        else:
            edge = self.by_root(node) or self.choose(node, node.visited(), node.waiting())
        self.learner.took(node.state, node.player, edge.action)
        self.amaf.took(node, edge.action)
        return edge

    def by_root(self, node):
        """The edge that the root's own rule takes; None: the policy chooses."""
        if node is not self.root or self.s.root is None:
            return None
        if isinstance(self.s.root, po.Forced):
            return forced_edge(self.s.root.k, node.edges, lambda e: e.visits)
        chosen = self.plan.next()
        return chosen if chosen is None or chosen.visits else Oracle.take_any(self, node, chosen)

    def choose(self, node, visited, waiting):
        """The highest score; of equals a random one, or the first, with unvisited edges before visited ones."""
        allowed = self.allowed(node, len(visited) + len(waiting))
        more = len(visited) < allowed
        if more and (self.unvisited == "infinity" or isinstance(self.s.expansion, po.OneAtATime)):
            return self.next_unvisited(node, waiting)
        self.prepare(node, [*visited, *waiting])
        if visited and waiting and all(e.exact for e in visited):  # nothing else to learn here
            return self.next_unvisited(node, waiting)
        one_for_all = self.s.policy.by_prior or not self.s.policy.scores_unvisited
        asked = waiting[: 1 if one_for_all else allowed - len(visited)] if more else []
        scores = [(self.score(node, e), e) for e in [*visited, *asked]]
        best = max(score for score, _ in scores)
        tied = [e for score, e in scores if score == best]
        if best == -math.inf:  # all are proven: take the best
            chosen = max(visited, key=lambda e: e.value) if visited else waiting[0]
        elif self.s.ties == "first":
            chosen = next((e for e in tied if not e.visits), tied[0])
        else:
            chosen = tied[self.random.below(len(tied))] if len(tied) > 1 else tied[0]
        if chosen.visits:
            return chosen
        return self.next_unvisited(node, waiting) if one_for_all else self.take_any(node, chosen)

    def prepare(self, node, edges):
        """Call a user's `prepare`, or `look` for each edge, once per node and simulation, before any score."""
        policy = self.s.policy
        self.shared = 0.0
        if isinstance(policy, po.Improved):
            self.shared = self.improved(policy, node, edges)
        elif hasattr(policy, "look"):
            self.shared = SimpleNamespace(**{name: policy.shared[name].type(0) for name in policy.shared.names})
            for turn in range(policy.looks):
                for edge in edges:
                    seen = self.seen_edge(node, edge)
                    seen.proven = edge.exact is not None
                    policy.look(self.policy, self.view(node), seen, self.shared, np.int64(turn))
        elif hasattr(policy, "prepare") and type(policy) not in BUILT_IN:
            self.shared = self.asked(policy.prepare, self.view(node))

    def improved(self, policy, node, edges):
        """Gumbel's improved policy at a node: softmax(ln prior + sigma(completed value)), by the ids of its edges."""
        visited = [e for e in edges if e.visits]
        count, mixed, (base, scale) = sum(e.visits for e in visited), node.value, self.scale()
        if visited:
            own = mixed * (1 + count) - sum(e.visits * e.value for e in visited)
            weights = [max(e.prior, 1e-12) for e in visited]
            mean = sum(w * e.value for w, e in zip(weights, visited, strict=True)) / sum(weights)
            mixed = (own + count * mean) / (1 + count)
        values = {id(e): ((e.value if e.visits else mixed) - base) * scale for e in edges}
        width = 1.0 if self.normalise else self.high - self.low
        if policy.rescale:
            width = max(max(values.values()) - min(values.values()), 1e-8)
        factor = (policy.visit_offset + max((e.visits for e in visited), default=0)) * policy.value_scale / width
        highest = max(values.values())
        weights = {id(e): max(e.prior, 1e-12) * math.exp(factor * (values[id(e)] - highest)) for e in edges}
        return {key: weight / sum(weights.values()) for key, weight in weights.items()}

    def asked(self, function, *seen):
        """Call a function of a user's policy unchanged; it may draw random numbers."""
        policy, rng = self.policy, np.array([self.random.state], np.uint64)
        rest = (self.shared, rng) if len(seen) > 1 else (rng,)
        with np.errstate(all="ignore"):
            got = float(function(policy, *seen, *rest))
        self.random.state = int(rng[0])
        return got

    def scale(self):
        if self.normalise and self.greatest > self.least:
            return self.least, 1.0 / (self.greatest - self.least)
        return 0.0, 1.0

    def view(self, node):
        base, scale = self.scale()
        return SimpleNamespace(
            visits=np.int64(node.visits),
            through=np.int64(node.visits - node.own),
            value=np.float64((node.value - base) * scale),
            spread=np.float64(self.spread_of(node) * scale * scale),
            width=np.float64(1.0 if self.normalise else self.high - self.low),
            player=np.int64(node.player),
            count=np.int64(len(node.edges)),
        )

    def seen_edge(self, node, edge):
        """What a policy sees of an edge when it chooses."""
        base, scale = self.scale()
        seen = self.edge_view(edge, self.seen_value(node, edge), scale)
        if self.s.policy.amaf:
            count, mean = self.amaf.shown(node, edge.action)
            seen.amaf_visits, seen.amaf_value = np.int64(count), np.float64((mean - base) * scale if count else 0.0)
        return seen

    def edge_view(self, edge, value, scale):
        columns = self.s.policy.columns
        return SimpleNamespace(
            **{name: edge.noted.get(name, columns[name].type(0)) for name in columns.names or ()},
            visits=np.int64(edge.visits),
            pending=np.int64(0),
            value=np.float64(value),
            spread=np.float64(edge.spread * scale * scale),
            prior=np.float64(edge.prior),
            action=np.int64(edge.action),
            proven=False,
        )

    def score(self, node, edge):
        """Value plus exploration; a proven edge has no exploration, and a proven loss is the last resort."""
        value, (_, scale) = self.seen_value(node, edge), self.scale()
        if edge.exact:  # passed over: by all visits with one player, by every fourth with more
            passed = self.s.solver and (self.alone or node.visits % 4 == 1)
            return -math.inf if edge.value <= self.low or passed else value
        if type(self.s.policy) not in BUILT_IN:
            if not edge.visits and not self.s.policy.scores_unvisited:
                return value
            return self.asked(self.s.policy.score, self.view(node), self.seen_edge(node, edge))
        if isinstance(self.s.policy, po.Improved):
            return self.shared[id(edge)] - edge.visits / (1 + node.visits - node.own)
        if isinstance(self.s.policy, po.GRAVE):
            seen, n = self.seen_edge(node, edge), edge.visits
            if not seen.amaf_visits:
                return value
            beta = seen.amaf_visits / (seen.amaf_visits + n + self.s.policy.bias * seen.amaf_visits * n)
            return (1 - beta) * value + beta * seen.amaf_value
        return value + self.exploration(node, edge, scale)

    def seen_value(self, node, edge):
        """What a policy takes an edge to be worth, in the unit of scores."""
        base, scale = self.scale()
        if edge.visits:
            return (edge.value - base) * scale
        if isinstance(self.unvisited, po.Parent):
            seen = math.sqrt(total(e.prior for e in node.visited())) if self.unvisited.by_seen else 1.0
            return (node.value - base) * scale - self.unvisited.reduction * seen
        return 0.0 if self.unvisited == "infinity" else (self.unvisited - base) * scale

    def exploration(self, node, edge, scale):
        policy, n = self.s.policy, edge.visits
        if isinstance(policy, po.PUCT):
            c = policy.c
            if policy.growth:
                c += policy.growth * math.log((node.visits + policy.base + 1) / policy.base)
            if policy.variance:
                c *= self.by_deviation(policy, node, scale)
            return c * math.sqrt(max(1, node.visits - node.own)) * edge.prior / (1 + n)
        if n == 0:
            return 0.0
        if isinstance(policy, po.UCT):  # N rounded down to ten binary digits
            drop = max(0, node.visits.bit_length() - 10)
            return policy.c * math.sqrt(math.log(max(1, node.visits >> drop << drop))) * (1 / math.sqrt(n))
        log = math.log(max(1, node.visits))
        width = 1.0 if self.normalise else self.high - self.low
        variance = edge.spread / n * scale * scale / (width * width)
        return policy.c * width * math.sqrt(log / n * min(0.25, variance + math.sqrt(2 * (log / n))))

    def by_deviation(self, policy, node, scale):
        """KataGo's factor for c: the standard deviation of all returns at the node, with a prior, over that prior."""
        expected = policy.expected * (1.0 if self.normalise else self.high - self.low) / 2
        seen = self.spread_of(node) * scale * scale + policy.expected_visits * expected**2
        deviation = math.sqrt(seen / max(1.0, node.visits + policy.expected_visits - 1))
        return 1 + policy.variance * (deviation / expected - 1)

    def spread_of(self, node):
        """The sum of squared deviations of the returns: within the edges, between them, and of own visits."""
        off = [(e.visits, e.value - node.value, e.spread) for e in node.edges if e.visits]
        total_off, beyond = total(s + n * x * x for n, x, s in off), total(n * x for n, x, _ in off)
        own = self.own_visits(node)
        return total_off + beyond * beyond / own if own > 0 else total_off

    def own_visits(self, node):
        """Visits that ended at a node and are in its mean."""
        return node.counted - sum(e.visits for e in node.edges)

    def allowed(self, node, count):
        """How many of `count` edges may be visited."""
        if not isinstance(self.s.expansion, po.Widening):
            return count
        w = self.s.expansion
        most = w.initial + w.k * node.visits**w.alpha
        return max(1, min(count, int(most if w.cap is None else min(most, w.cap))))

    def next_unvisited(self, node, waiting):
        """The edge of highest prior; of equals a random one."""
        chosen = waiting[0]
        if self.s.ties == "random" and len(waiting) > 1:
            equal = [e for e in waiting if e.prior == waiting[0].prior] if self.by_prior else waiting
            chosen = equal[self.random.below(len(equal))]
        return self.take(node, chosen)

    def take(self, node, edge):
        """Swap an edge that is taken for the first time with the first that was never taken."""
        at, other = len(node.visited()), node.edges.index(edge)
        node.edges[at], node.edges[other] = node.edges[other], node.edges[at]
        return edge

    def take_any(self, node, edge):
        """The same, but the edges before it keep their order."""
        node.edges.remove(edge)
        node.edges.insert(len(node.visited()), edge)
        return edge

    # 2. Expansion.

    def new_node(self, state):
        player = self.rules.player(state)
        if player == po.CHANCE:
            return Node(state, player, [Edge(a, w, w) for a, w in zip(*self.rules.actions(state), strict=True)])
        return Node(state, player, [Edge(a, w, None) for w, a in self.choices(state)])

    def choices(self, state):
        """(prior, action) for each legal action, by falling prior."""
        actions, _ = self.rules.actions(state)
        weights = [1.0] * len(actions)
        if self.priors and self.rules.has_priors:
            weights = [w if w > 0 else 0.0 for w in self.rules.priors(state, actions)]
        if not total(weights):
            weights = [1.0] * len(actions)
        choices = [(w / total(weights), int(a)) for w, a in zip(weights, actions, strict=True)]
        return sorted(choices, key=lambda choice: -choice[0])

    def expand(self, above, edge, state, rewards):
        """The node starts with the edge's first visit, if the value of the player above determines this player's."""
        node = self.new_node(state)
        node.visits = node.own = edge.visits
        if not edge.visits:
            return node
        mean = (edge.value - rewards[above.chooser]) / self.s.discount
        if node.chooser == above.chooser:
            node.value, node.counted = mean, edge.visits
        elif self.game.players == 2 and self.decides:
            node.value, node.counted = self.low + self.high - mean, edge.visits
        return node

    def shape_priors(self):
        """Temperature, then noise, on the root's priors."""
        edges, noise, temperature = self.root.edges, self.s.noise, self.s.root_temperature
        if self.root.player == po.CHANCE or (noise is None and temperature == 1):
            return
        if temperature != 1:
            most = max(e.prior for e in edges)
            flat = [(e.prior / most) ** (1 / temperature) for e in edges]
            for edge, weight in zip(edges, flat, strict=True):
                edge.prior = float(np.float32(weight / sum(flat)))
        if noise is not None:
            drawn = np.random.default_rng(self.random.bits()).dirichlet(self.alphas(noise))
            for edge, share in zip(edges, drawn, strict=True):
                kept = np.float32(1 - noise.fraction) * np.float32(edge.prior)
                edge.prior = float(np.float32(kept + noise.fraction * share))
        self.root.edges = self.root.visited() + sorted(self.root.waiting(), key=lambda e: -e.prior)

    def alphas(self, noise):
        """One for each edge; if shaped, half of their sum by how far each log prior, cut at 1%, is above the mean."""
        edges = self.root.edges
        logs = [math.log(min(e.prior, 0.01) + 1e-20) for e in edges]
        above = [max(0.0, x - sum(logs) / len(logs)) for x in logs]
        if not noise.shaped or sum(above) <= 0:
            return [noise.alpha] * len(edges)
        return [noise.alpha * (0.5 + 0.5 * len(edges) * x / sum(above)) for x in above]

    # 3. Evaluation.

    def evaluate(self, state):
        evaluator = self.s.evaluator
        if isinstance(evaluator, po.Static):
            return self.rules.evaluate(state)
        rollouts = evaluator.rollouts if isinstance(evaluator, po.Mixed) else evaluator
        returns = [0.0] * self.game.players
        for _ in range(rollouts.n):
            self.playout(state, rollouts, returns)
        returns = [r / rollouts.n for r in returns]
        if isinstance(evaluator, po.Mixed):
            static = self.rules.evaluate(state)
            returns = [evaluator.weight * r + (1 - evaluator.weight) * v for r, v in zip(returns, static, strict=True)]
        return returns

    def playout(self, state, rollouts, returns):
        """Play on and add the discounted rewards to the returns; at the limit, add the static value."""
        scale, length = 1.0, 0
        self.learner.begin_playout()
        while self.rules.player(state) != po.TERMINAL:
            if length == rollouts.depth:
                if self.game.has("evaluate"):
                    for p, value in enumerate(self.rules.evaluate(state)):
                        returns[p] += scale * value
                return
            action = self.playout_action(state, rollouts.guided, length)
            self.amaf.played_out(state, action)
            state, rewards = self.rules.play(state, action)
            for p, reward in enumerate(rewards):
                returns[p] += scale * reward
            scale *= self.s.discount
            length += 1

    def playout_action(self, state, guided, length):
        actions, weights = self.rules.actions(state)
        if self.rules.player(state) == po.CHANCE:
            if self.game.has("chance_action"):
                return self.drawn(lambda rng: self.rules.call["chance_action"](state, rng))
            return actions[self.random.pick(weights, total(weights))]
        if guided and self.game.has("playout_action"):
            return self.drawn(lambda rng: self.rules.call["playout_action"](state, actions, len(actions), rng))
        if guided:
            weights = self.rules.priors(state, actions)
            if total(weights) > 0:
                return actions[self.random.pick(weights, total(weights))]
        if self.learner.on:
            return self.learner.action(state, actions, length, self.random)
        return actions[self.random.below(len(actions))]

    def drawn(self, rule):
        """Call a rule of the game that draws with the search's random numbers."""
        rng = np.array([self.random.state], np.uint64)
        with np.errstate(over="ignore"):
            action = rule(rng)
        self.random.state = int(rng[0])
        return int(action)

    # 4. Backup.

    def count_result(self, edge, chooser, returns):
        """A win if all others get less, a loss if one gets more."""
        most = max((got for player, got in enumerate(returns) if player != chooser), default=-math.inf)
        edge.wdl[1 if abs(returns[chooser] - most) <= SAME else 0 if returns[chooser] > most else 2] += 1

    def add_visit(self, node, edge, got):
        """Add a visit to an edge and its node; returns what goes on to the node above."""
        edge.visits += 1
        before = edge.value
        if isinstance(self.s.backup, po.Mean):
            edge.value += (got - before) / edge.visits
            added = got
        else:
            if not edge.exact:
                edge.value = float(self.update(self.s.backup, edge, edge.kept, got).value)
            added = edge.visits * edge.value - (edge.visits - 1) * before
        edge.spread = max(0.0, edge.spread + (got - before) * (got - edge.value))
        self.least, self.greatest = min(self.least, edge.value), max(self.greatest, edge.value)
        self.tell_policy(edge, got)
        if self.at_hand(node) > -math.inf:
            added = counted(self.at_hand(node), edge.visits, before, edge.value, added)
            got = added if isinstance(self.s.backup, po.Mean) else max(got, self.at_hand(node))
        node.visits += 1
        node.counted += 1
        node.value += (added - node.value) / node.counted
        return got

    def tell_policy(self, edge, got):
        if hasattr(self.s.policy, "update") and not edge.exact:
            self.update(self.s.policy, edge, edge.noted, got)

    def update(self, part, edge, columns, got):
        """Run a part's own `update` on its view of an edge, and store its columns."""
        seen = self.edge_view(edge, edge.value, 1.0)
        for name in part.columns.names or ():
            setattr(seen, name, columns.setdefault(name, part.columns[name].type(0)))
        if part is self.s.backup and part.below:
            seen.below = np.float64(edge.below)
        with np.errstate(all="ignore"):
            part.update(self.policy if part is self.s.policy else part, seen, np.float64(got))
        columns.update({name: part.columns[name].type(getattr(seen, name)) for name in part.columns.names or ()})
        return seen

    def best_column(self, node):
        """The best of the column that the backup names among a node's visited edges, for each player."""
        found = [(e.prior, e.value if e.exact else e.kept[self.s.backup.below]) for e in node.visited()]
        best = max(value for _, value in found)
        if node.player == po.CHANCE:
            best = total(p * value for p, value in found) / total(p for p, _ in found)
        others = None if self.alone else self.game.sums_to - best
        return [best if p == node.chooser else others for p in range(self.game.players)]

    def at_hand(self, node):
        """The best exact value that a single player can choose at a node."""
        if not (self.alone and self.s.solver) or node.player == po.CHANCE:
            return -math.inf
        return max((e.value for e in node.edges if e.exact), default=-math.inf)

    def prove(self, path):
        exact = [0.0] * self.game.players  # nothing follows the end of the game
        for node, edge, rewards in reversed(path):
            edge.exact = [r + self.s.discount * x for r, x in zip(rewards, exact, strict=True)]
            edge.value, edge.spread = edge.exact[node.chooser], 0.0
            exact = self.exact_values(node, edge)
            if exact is None:
                return
            node.exact = exact

    def exact_values(self, node, edge):
        if node.player != po.CHANCE and self.decides and edge.value >= self.high - SAME:
            return edge.exact  # a win: nothing is better, and it determines what the others get
        if not all(e.exact for e in node.edges):
            return None
        if node.player == po.CHANCE:
            return [total(e.probability * e.exact[p] for e in node.edges) for p in range(self.game.players)]
        best = max(e.value for e in node.edges)
        equals = [e.exact for e in node.edges if e.value >= best - SAME]
        agree = all(math.isclose(x, y, abs_tol=SAME) for other in equals for x, y in zip(equals[0], other, strict=True))
        return equals[0] if agree else None

    # The answer.

    def answer(self):
        proven, others = [e for e in self.root.visited() if e.exact], [e for e in self.root.visited() if not e.exact]
        if self.root.exact:
            return self.best_of(proven)
        best = self.best_of(self.root.visited())
        if self.asks_for_proof:
            best = self.best_of([e for e in (self.best_of(others), self.best_of(proven)) if e])
        if self.plan and best and self.s.answer == "visits" and not (best.exact and best.value >= self.high):
            return self.plan.best(self.low) or best
        return best

    def best_of(self, edges):
        best = None
        for edge in edges:
            if best is None or self.is_better(edge, best):
                best = edge
        return best

    def is_better(self, edge, other):
        """A proven win first, a proven loss last; then by the rule; the earlier edge if all is equal."""
        if self.root.exact and edge.value != other.value:
            return edge.value > other.value
        a, b = self.rank(edge), self.rank(other)
        if a != b:
            return a > b
        if self.s.answer == "value":
            return (edge.value, edge.visits) > (other.value, other.visits)
        if self.s.answer == "bound":
            return self.lower_bound(edge) > self.lower_bound(other)
        if self.asks_for_proof and (edge.exact or other.exact):
            if not (edge.exact and other.exact):
                return edge.value >= other.value if edge.exact else edge.value > other.value
            return (edge.value, edge.visits) > (other.value, other.visits)
        return (edge.visits, edge.value) > (other.visits, other.value)

    def rank(self, edge):
        if not edge.exact:
            return 0
        return 1 if edge.value >= self.high else -1 if edge.value <= self.low else 0

    def lower_bound(self, edge):
        if edge.exact:
            return edge.value
        if edge.visits < 2:
            return -math.inf
        z = NormalDist().inv_cdf(0.5 + self.s.confidence / 2)
        return edge.value - z * math.sqrt(edge.spread / (edge.visits - 1) / edge.visits)


# Both trees as dictionaries by path, to compare them independently of their layout.


def oracle_tree(oracle):
    tree, todo = {}, [((), oracle.root)]
    for path, node in todo:
        tree[path] = {
            "player": node.player,
            "visits": node.visits,
            "own": node.own,
            "value": node.value,
            "exact": node.exact,
            "order": [e.action for e in node.edges],
        }
        for edge in node.edges:
            below = (*path, edge.action)
            tree[below, "edge"] = {
                "prior": edge.prior,
                "visits": edge.visits,
                "value": edge.value,
                "spread": edge.spread,
                "proven": edge.exact is not None,
                "over": edge.over,
            }
            if edge.child:
                todo.append((below, edge.child))
    return tree


def compiled_tree(search):
    t, tree, todo = search.tree, {}, [((), ROOT)]
    for path, number in todo:
        node = t.nodes[number]
        block = t.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        tree[path] = {
            "player": int(node["player"]),
            "visits": int(node["visits"]),
            "own": int(node["own"]),
            "value": float(node["value"]),
            "exact": t.proofs[node["proof"]].tolist() if node["proof"] > NO_PROOF else None,
            "order": block["action"].tolist(),
        }
        for edge in block:
            below, child = (*path, int(edge["action"])), abs(int(edge["child"]))
            tree[below, "edge"] = {
                "prior": float(edge["prior"]),
                "visits": int(edge["visits"]),
                "value": float(edge["value"]),
                "spread": float(edge["spread"]),
                "proven": bool(edge["child"] < 0),
                "over": child == END,
            }
            if child > END:
                todo.append((below, child))
    return tree
