"""The oracle's root: sequential halving with and without Gumbel noise, and forced playouts, in plain Python."""

import math

import playout as po


def gumbel(random):
    return -math.log(max(-math.log(1 - random.float()), 2**-54))


class Plan:
    """Sequential halving between the edges of a root, for `length` simulations.

    An edge has `visits`, `value`, `prior` and `exact`; `visits(edge)` also counts simulations in flight.
    """

    def __init__(self, root, edges, length, value, settings, scale, random, visits):
        self.root, self.edges, self.scale, self.visits = root, edges, scale, visits
        self.value = value  # a function: the mean of the root
        considered = len(edges) if isinstance(root, po.Halving) else root.considered or 16
        self.size, self.length = min(considered, len(edges), length), length
        self.rounds = max(1, math.ceil(math.log2(self.size)))
        self.before, self.now, self.base, self.goal = [], [], 0, self.passes()
        for i, edge in enumerate(edges):
            at = random.below(i + 1) if settings.ties == "random" else i
            self.before.insert(i, self.before[at] if at < i else edge)
            self.before[at] = edge
        self.start = {id(e): e.visits for e in edges}
        self.noise = {id(e): 0.0 for e in edges}
        if isinstance(root, po.Gumbel) and root.noise > 0:
            self.noise = {id(e): root.noise * gumbel(random) for e in self.before}

    def passes(self):
        return max(1, self.length // (self.rounds * self.size))

    def terms(self):
        """What each edge's value counts for, by its id; an unvisited edge is worth the mixed value."""
        visited = [e for e in self.edges if e.visits]
        count, mixed = sum(e.visits for e in visited), self.value()
        if visited:
            # The root's own value, if one visit was for the root itself: the rest of its mean.
            own = mixed * (1 + count) - sum(e.visits * e.value for e in visited)
            weights = [max(e.prior, 1e-12) for e in visited]
            mean = sum(w * e.value for w, e in zip(weights, visited, strict=True))
            mixed = (own + count * mean / sum(weights)) / (1 + count)
        completed = {id(e): e.value if e.visits else mixed for e in self.edges}
        if isinstance(self.root, po.Halving):
            return completed
        low, high = self.scale()
        if self.root.rescale:
            low, high = min(completed.values()), max(completed.values())
        if not high > low:
            return dict.fromkeys(completed, 0.0)
        factor = self.root.visit_offset + max((e.visits for e in visited), default=0)
        factor *= self.root.value_scale / max(high - low, 1e-8)
        return {key: factor * (q - low) for key, q in completed.items()}

    def logit(self, edge):
        return math.log(max(edge.prior, 1e-12)) if isinstance(self.root, po.Gumbel) else 0.0

    def scores(self):
        return {id(e): self.noise[id(e)] + self.logit(e) + t for e, t in self.by_edge(self.terms())}

    def by_edge(self, numbers):
        return [(e, numbers[id(e)]) for e in self.edges]

    def since(self, edge):
        return self.visits(edge) - self.start[id(edge)]

    def is_over(self):
        """Whether every candidate of the round has had its visits."""
        here = [e for e in self.now if not e.exact]
        return len(self.now) == self.size and all(self.since(e) >= self.goal for e in here)

    def left(self):
        """How many candidates are to be visited before one of them is visited again."""
        here = [self.since(e) for e in self.now if not e.exact]
        return here.count(min(here, default=0)) * (min(here, default=0) < self.goal) + self.size - len(self.now)

    def next(self):
        scores = self.scores()
        while True:
            here = [e for e in self.now if not e.exact]
            fewest = min((self.since(e) for e in here), default=math.inf)
            if len(self.now) < self.size and fewest > self.base:
                best = max(self.before, key=lambda e: scores[id(e)])
                self.before.remove(best)
                self.now.append(best)
            elif not here:
                return None
            elif fewest < self.goal:
                return max((e for e in here if self.since(e) == fewest), key=lambda e: scores[id(e)])
            else:
                self.before, self.now, self.base = self.now, [], self.goal
                self.size = max(min(2, self.size), self.size // 2)
                self.goal += self.passes()

    def best(self, low):
        """The answer: the best of the candidates left."""
        scores = self.scores()
        most = max((e.visits - self.start[id(e)] for e in self.now if not e.exact), default=0)
        left = [e for e in self.now if e.visits and not e.exact and e.visits - self.start[id(e)] == most]
        left = [e for e in self.now if e in left or (e.exact and e.visits and e.value > low)]
        return max(left, key=lambda e: scores[id(e)], default=None)

    def improved(self):
        """The improved policy: softmax(logit + what the value counts for)."""
        logits = {id(e): self.logit(e) + t for e, t in self.by_edge(self.terms())}
        highest = max(logits.values())
        weights = {e.action: math.exp(logits[id(e)] - highest) for e in self.edges}
        return {action: weight / sum(weights.values()) for action, weight in weights.items()}


def forced_edge(k, edges, visits):
    """The first edge that has a visit, and fewer than sqrt(k P N)."""
    of = sum(visits(e) for e in edges)
    return next((e for e in edges if not e.exact and 0 < visits(e) < math.sqrt(k * e.prior * of)), None)
