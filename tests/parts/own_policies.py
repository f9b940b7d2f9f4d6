"""Policies as users write them, for the tests."""

import math

import numpy as np

import playout as po
from playout.core.lookup import inverse_root, root_log


class OwnUCT(po.Policy):
    """UCT, as a user would write it who knows how the built-in one rounds."""

    c: float = 1.4

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * root_log(node.visits)

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * inverse_root(edge.visits)


class OwnPUCT(po.Policy):
    """PUCT, with what all edges share worked out for each of them."""

    c: float = 1.25
    scores_unvisited = True
    by_prior = True
    unvisited = po.Parent()

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + policy.c * math.sqrt(max(1, node.through)) * edge.prior / (1.0 + edge.visits)


class Sampled(po.Policy):
    """Each mean with noise that grows smaller with the visits, and one number that all edges of a node share."""

    @staticmethod
    def prepare(policy, node, rng):
        return 1.0 + abs(node.value) + node.count

    @staticmethod
    def score(policy, node, edge, shared, rng):
        error = math.sqrt((1.0 + edge.spread) / (1.0 + edge.visits))
        return edge.value + error * po.normal(rng) / shared


class Louder(po.UCT):
    """A subclass of a built-in policy: its formula, with more exploration."""

    factor: float = 3.0

    @staticmethod
    def prepare(policy, node, rng):
        return policy.factor * policy.c * root_log(node.visits)


class Rivals(po.Policy):
    """The distance to the best sibling, with exploration that grows with the number of its rivals: needs two looks."""

    c: float = 0.7
    shared = np.dtype([("greatest", np.float64), ("rivals", np.int64), ("proven", np.int64)])
    looks = 2

    @staticmethod
    def look(policy, node, edge, shared, turn):
        if turn == 0:
            shared.greatest = max(shared.greatest, edge.value)
            shared.proven += 1 if edge.proven else 0
        elif edge.value > shared.greatest - 0.5:
            shared.rivals += 1

    @staticmethod
    def score(policy, node, edge, shared, rng):
        crowd = shared.rivals + shared.proven
        return edge.value - shared.greatest + policy.c * math.sqrt(crowd * node.visits) / (1.0 + edge.visits)


class Noted(Rivals):
    """The same for a policy that keeps a column, which `look` sees."""

    columns = np.dtype([("sum", np.float64)])

    @staticmethod
    def look(policy, node, edge, shared, turn):
        shared.greatest = max(shared.greatest, edge.sum)
        shared.rivals += turn

    @staticmethod
    def update(policy, edge, got):
        edge.sum += got


class Remembers(po.Policy):
    """PUCT with a share of the best return that an edge ever got, which is kept in columns."""

    c: float = 1.25
    share: float = 0.25
    scores_unvisited = True
    by_prior = True
    unvisited = po.Parent()
    columns = np.dtype([("greatest", np.float64), ("times", np.int64)])
    term_names = ("value", "memory", "exploration")

    @staticmethod
    def update(policy, edge, got):
        edge.greatest = got if edge.times == 0 else max(edge.greatest, got)
        edge.times += 1

    @staticmethod
    def score(policy, node, edge, shared, rng):
        exploration = policy.c * math.sqrt(max(1, node.through)) * edge.prior / (1.0 + edge.visits)
        return edge.value + policy.share * edge.greatest + exploration

    @staticmethod
    def terms(policy, node, edge, shared):
        exploration = policy.c * math.sqrt(max(1, node.through)) * edge.prior / (1.0 + edge.visits)
        return edge.value, policy.share * edge.greatest, exploration


class AsksAll(po.Policy):
    """Every unvisited edge is asked, too: their scores are not those of their priors."""

    scores_unvisited = True
    unvisited = 0.25

    @staticmethod
    def score(policy, node, edge, shared, rng):
        liking = ((edge.action * 7) % 5) * 0.1
        return edge.value + (liking + 1.0) / (1.0 + edge.visits)


class Habit(po.Policy):
    """UCT that grows tired of actions taken often anywhere in the tree, which a table counts."""

    c: float = 1.0
    tables = np.dtype([("taken", np.float64, (16,))])

    @staticmethod
    def update(policy, edge, got):
        policy.taken[edge.action % 16] += 1.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        tired = 0.01 * math.sqrt(policy.taken[edge.action % 16])
        return edge.value + policy.c * math.sqrt(math.log(max(1, node.visits)) / edge.visits) - tired


class Hopeful(po.Backup):
    """The mean, raised by a share of the best that follows; the hope of an edge counts what it once brought, too."""

    share: float = 0.5
    columns = np.dtype([("hope", np.float64), ("sum", np.float64)])
    below = "hope"

    @staticmethod
    def update(backup, edge, got):
        edge.hope = 0.75 * edge.below + 0.25 * got
        edge.sum += got
        edge.value = edge.sum / edge.visits + backup.share * max(0.0, edge.below - edge.sum / edge.visits)


class Latest(po.Backup):
    """The mean with as much weight for the last return as for all before; what is new counts for a lot."""

    weight: float = 0.5
    graph = True

    @staticmethod
    def update(backup, edge, got):
        edge.value = got if edge.visits == 1 else (1.0 - backup.weight) * edge.value + backup.weight * got
