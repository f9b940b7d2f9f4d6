"""The oracle for graphs: the same search in plain Python, where several edges may lead to one node.

Positions are found by their fields themselves, in a dictionary, so that no hash of the package is involved.
"""

import math

import playout as po
from playout.core.tree import CHANGED, END, NO_PROOF, ROOT, SCALARS  # to read the compiled graph, not to search

from .oracle import Edge, Node, Oracle, counted


class GraphOracle(Oracle):
    def __init__(self, game, settings, position=None, seed=0):
        self.known = {}  # by position: a node, or the edge through which it was seen
        self.one_number = settings.params(game).graph == SCALARS
        super().__init__(game, settings, position, seed)

    def plant(self, state):
        self.known = {}
        super().plant(state)
        self.enter(self.root)

    def name(self, state):
        return tuple(state[f].tobytes() for f in self.game.dtype.names if f not in self.game.unkeyed)

    def enter(self, node):
        node.told, node.into = None, []  # told: what the edges above know, if not the value; into: (node, edge) above
        node.means, node.told_means = [0.0] * self.game.players, [0.0] * self.game.players
        self.known[self.name(node.state)] = node

    def simulate(self):
        # 1. Selection, and 2. expansion.
        node, path, joins, ending, self.added = self.root, [], {}, None, False
        while ending is None:
            edge = self.select(node)
            state, rewards = self.rules.play(node.state, edge.action)
            path.append((node, edge, rewards))
            ending, node = self.arrive(path, joins, state)
        # 3. Evaluation.
        child = joins.get(len(path) - 1, edge.child)
        if ending in ("new", "known"):
            returns = self.evaluate(state)
        elif ending == "proven":
            returns = child.exact if child else [0.0] * self.game.players
        elif ending in ("met", "cycle"):
            returns = [self.mean_for(child, p) for p in range(self.game.players)]
        else:
            returns = [0.0] * self.game.players
        # 4. Backup.
        self.learner.learn(path, returns)
        self.amaf.count(self.root, path, returns)
        edge.over = edge.over or ending == "finished"
        fresh = ending == "finished" or (ending == "proven" and not edge.exact)
        (self.back_up_values if self.one_number else self.back_up_means)(path, joins, list(returns), ending)
        if ending == "new":
            self.known[self.name(state)] = edge
        if fresh and self.s.solver and not edge.exact:
            self.settle(path[-1][0], edge)

    def arrive(self, path, joins, state):
        """How the simulation ends at the last edge of the path, or the node to go on from."""
        above, edge, rewards = path[-1]
        if edge.exact:
            return "proven", None
        if edge.over or self.rules.player(state) == po.TERMINAL:
            return "finished", None
        child = edge.child
        if child is None:
            found = self.known.get(self.name(state))
            if found is None and (self.added or not self.first_visit):
                return "new", None
            if found is None or isinstance(found, Edge):
                if self.added or (edge.visits == 0 and not self.first_visit):
                    return "known", None
                self.added = True
                edge.child = child = self.expand(above, edge, state, rewards)
                self.enter(child)
                if self.one_number:
                    child.counted = child.visits
                else:
                    child.value, child.counted = 0.0, 0
                child.into.append((above, edge))
                return None, child
            joins[len(path) - 1] = child = found
            if found.exact:
                return "proven", None
            if edge.visits == 0:
                return "met", None
        if any(child is node for node, _, _ in path):
            return "cycle", None
        return None, child

    def expand(self, above, edge, state, rewards):
        node = super().expand(above, edge, state, rewards)
        if edge.visits == 0:
            node.value = 0.0
        return node

    def own_visits(self, node):
        return node.own if self.one_number else super().own_visits(node)

    def join(self, node, edge, child):
        edge.child = child
        child.into.insert(1, (node, edge))

    def mean_for(self, node, player):
        if not self.one_number:
            return node.means[player]
        return node.value if player == node.chooser else self.low + self.high - node.value

    def note(self, node, edge, sample, before, value):
        edge.value = value
        edge.spread = max(0.0, edge.spread + (sample - before) * (sample - value))
        self.least, self.greatest = min(self.least, value), max(self.greatest, value)

    def back_up_values(self, path, joins, returns, ending):
        gamma, total = self.s.discount, self.low + self.high
        below, in_step = returns[0], False
        for d, (node, edge, rewards) in reversed(list(enumerate(path))):
            returns = [r + gamma * g for r, g in zip(rewards, returns, strict=True)]
            mine = node.chooser
            before = edge.value
            edge.visits += 1
            if d in joins:
                self.join(node, edge, joins[d])
            child = edge.child if not edge.exact else None
            if d == len(path) - 1 and ending == "proven":
                child = None
            if not isinstance(self.s.backup, po.Mean):
                edge.visits -= 1
                returns[mine] = self.add_visit(node, edge, returns[mine])
                continue
            if child and not (in_step and child.visits == edge.visits):
                value = rewards[mine] + gamma * self.mean_for(child, mine)
                added = edge.visits * value - (edge.visits - 1) * before
                below = added if mine == 0 else total - added
            else:
                below = rewards[0] + gamma * below
                added = below if mine == 0 else total - below
                value = before + (added - before) / edge.visits
            self.note(node, edge, returns[mine], before, value)
            self.tell_policy(edge, returns[mine])
            if self.at_hand(node) > -math.inf:
                added = below = returns[0] = counted(self.at_hand(node), edge.visits, before, value, added)
            node.visits += 1
            old, in_step = node.value, node.told is None
            node.value = old + (added - old) / node.visits
            change = gamma * (node.value - (old if in_step else node.told))
            node.told = None
            walked = path[d - 1][1] if d else None
            for above, into in node.into:
                if into is not walked:
                    if above.told is None:
                        above.told = above.value
                    turned = change if above.chooser == node.chooser else -change
                    exact, was = self.at_hand(above), into.value
                    into.value += turned
                    if exact > -math.inf:
                        turned = max(into.value, exact) - max(was, exact)
                    above.value += turned * into.visits / max(1, above.visits)

    def back_up_means(self, path, joins, returns, ending):
        gamma, players = self.s.discount, range(self.game.players)
        last = joins.get(len(path) - 1, path[-1][1].child)
        told = list(last.told_means) if last else [0.0] * self.game.players
        for d, (node, edge, rewards) in reversed(list(enumerate(path))):
            returns = [r + gamma * g for r, g in zip(rewards, returns, strict=True)]
            before = edge.value
            edge.visits += 1
            if d in joins:
                self.join(node, edge, joins[d])
            node.visits += 1
            node.counted += 1
            child = edge.child if edge.child and not edge.exact and not edge.child.exact else None
            new_end = d in joins or (child is not None and max(1, child.counted) == 1)
            for p in players:
                added = returns[p]
                if child:
                    now = rewards[p] + gamma * child.means[p]
                    old = now if new_end else rewards[p] + gamma * told[p]
                    added = edge.visits * now - (edge.visits - 1) * old
                node.means[p] += (added - node.means[p]) / max(1, node.counted)
            mine = node.chooser
            value = before + (returns[mine] - before) / edge.visits
            if child:
                value = rewards[mine] + gamma * child.means[mine]
            self.note(node, edge, returns[mine], before, value)
            self.tell_policy(edge, returns[mine])
            told = list(node.told_means)
            node.value = node.means[mine]
            walked = path[d - 1][1] if d else None
            for above, into in node.into:
                if into is not walked:
                    share = gamma * into.visits / max(1, above.counted)
                    for p in players:
                        above.means[p] += share * (node.means[p] - node.told_means[p])
                    into.value += gamma * (node.means[above.chooser] - node.told_means[above.chooser])
                    above.value = above.means[above.chooser]
            node.told_means = list(node.means)

    def settle(self, node, edge):
        """Make an edge to an exact value exact too; then perhaps its node, and the edges that lead there."""
        _, rewards = self.rules.play(node.state, edge.action)
        below = [0.0] * self.game.players if edge.over else edge.child.exact
        edge.exact = [r + self.s.discount * x for r, x in zip(rewards, below, strict=True)]
        edge.value, edge.spread = edge.exact[node.chooser], 0.0
        if node.exact:
            return
        node.exact = self.exact_values(node, edge)
        if node.exact:
            for above, into in node.into:
                if not into.exact:
                    self.settle(above, into)


def graphs_differ(search, oracle):
    """The first difference between the compiled graph and the oracle's, or None."""
    tree, pairs, todo = search.tree, {ROOT: oracle.root}, [ROOT]
    for number in todo:
        node, other = tree.nodes[number], pairs[number]
        block = tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        exact = tree.proofs[node["proof"]].tolist() if node["proof"] > NO_PROOF else None
        facts = [
            ("player", int(node["player"]), other.player),
            ("visits", int(node["visits"]), other.visits),
            ("own", int(node["own"]), other.own),
            ("value", float(node["value"]), other.value),
            ("proven", exact is not None, other.exact is not None),
            ("order", block["action"].tolist(), [e.action for e in other.edges]),
        ]
        if number != ROOT:
            facts.append(("parents", int(node["parents"]), len(other.into)))
        if oracle.one_number:
            facts.append(("told", bool(node["flags"] & CHANGED), other.told is not None))
        for edge, same in zip(block, other.edges, strict=True):
            child = abs(int(edge["child"]))
            facts += [
                ((same.action, "prior"), float(edge["prior"]), same.prior),
                ((same.action, "visits"), int(edge["visits"]), same.visits),
                ((same.action, "value"), float(edge["value"]), same.value),
                ((same.action, "spread"), float(edge["spread"]), same.spread),
                ((same.action, "proven"), bool(edge["child"] < 0), same.exact is not None),
                ((same.action, "over"), child == END, same.over),
                ((same.action, "node"), child > END, isinstance(same.child, Node)),
            ]
            if child > END and same.child:
                if pairs.setdefault(child, same.child) is not same.child:
                    return number, same.action, "leads to another node"
                if child not in todo:
                    todo.append(child)
        for field, found, expected in facts:
            near = isinstance(expected, float) and abs(found - expected) <= 1e-9 * max(1.0, abs(expected))
            if found != expected and not near:
                return number, field, found, expected
    return None
