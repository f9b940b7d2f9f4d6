"""Policies and backups with one mistake each, and what the doctor says of it: code, function, and words of the text."""

import math
import random

import numpy as np

import playout as po

BROKEN = {}
COLUMN = np.dtype([("noted", np.float64)])
calls = np.zeros(1, np.int64)


def broken(code, function, *words):
    def note(cls):
        BROKEN[cls] = (code, function, words)
        return cls

    return note


@broken("writes", "score", "edge.noted", "visits ")
class ScoreWritesColumn(po.Policy):
    columns = COLUMN

    @staticmethod
    def score(policy, node, edge, shared, rng):
        edge.noted += 1.0
        return edge.value


@broken("writes", "score", "a setting of `policy`")
class ScoreWritesSetting(po.Policy):
    c: float = 1.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        policy.c *= 0.5
        return edge.value + policy.c


@broken("writes", "prepare", "a table of `policy`", "node visits")
class PrepareWritesTable(po.Policy):
    tables = np.dtype([("walks", np.float64, (4,))])

    @staticmethod
    def prepare(policy, node, rng):
        policy.walks[0] += 1.0
        return 1.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value


@broken("writes", "terms", "edge.noted")
class TermsWrite(po.Policy):
    columns = COLUMN

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value

    @staticmethod
    def terms(policy, node, edge, shared):
        edge.noted = 1.0
        return edge.value, 0.0


@broken("not-a-number", "score", "returned nan", "visits ")
class NanForWinners(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value / (0.0 * edge.visits) if edge.value == 0.0 else edge.value


@broken("infinite-score", "score", "gave inf to")
class Infinite(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return math.inf if edge.visits > 0 else 0.0


@broken("hidden-randomness", "score", "the module random")
class Dices(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + random.random()


@broken("hidden-randomness", "prepare", "gives another answer the second time")
class Counts(po.Policy):
    @staticmethod
    def prepare(policy, node, rng):
        calls[0] += 1
        return float(calls[0])

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared


@broken("compiled-differs", "score", "uncompiled", "compiled")
class Wraps(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        power = 3 ** (int(edge.visits) % 40 + 60)  # of Python's numbers without an end, and of 64 bits
        return edge.value + float(power) * 1e-28


@broken("by-prior-broken", "score", "to an unvisited edge of prior")
class LikesTheUnlikely(po.Policy):
    scores_unvisited = True
    by_prior = True

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + (1.0 - edge.prior) / (1.0 + edge.visits)


@broken("sets-value", "update", "got ")
class SetsValue(po.Policy):
    @staticmethod
    def update(policy, edge, got):
        edge.value = max(edge.value, got)

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value


@broken("writes", "update", "edge.visits")
class SetsVisits(po.Policy):
    @staticmethod
    def update(policy, edge, got):
        edge.visits += 1

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value


@broken("terms-differ", "terms", "but the score is")
class ForgetsATerm(po.UCT):
    @staticmethod
    def terms(policy, node, edge, shared):
        return edge.value, 0.5 * shared


@broken("not-a-number", "terms", "returned nan")
class TermIsNaN(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value

    @staticmethod
    def terms(policy, node, edge, shared):
        return edge.value, math.nan


@broken("terms-differ", "terms", "which sum to nan, but the score is")
class TermsAreInfinite(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value

    @staticmethod
    def terms(policy, node, edge, shared):
        return math.inf, -math.inf


@broken("terms-count", "terms", "gave 3 numbers, but term_names has 2")
class OneTermMore(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value

    @staticmethod
    def terms(policy, node, edge, shared):
        return edge.value, 0.0, 0.0


@broken("raises", "score", "IndexError", "broken_parts.py:")
class PastTheEnd(po.Policy):
    tables = np.dtype([("first", np.float64, (4,))])

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + policy.first[edge.visits]


@broken("never-returns", "score", "did not return within")
class Hangs(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        left = edge.visits
        while left != 0:
            left += 1 if left > 0 else -1
        return edge.value


@broken("not-compiled", "score", "`edge` has no `valu`", "broken_parts.py:")
class Misspells(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value if edge.visits > 0 else edge.valu


@broken("leaves-range", "update", "of returns from")
class Doubles(po.Backup):
    @staticmethod
    def update(backup, edge, got):
        edge.value += 2.0 * (got - edge.value) / edge.visits


@broken("not-a-number", "update", "set edge.value to", "nan")
class NanBackup(po.Backup):
    @staticmethod
    def update(backup, edge, got):
        edge.value = got if edge.visits < 5 else math.nan


@broken("value-not-set", "update", "left edge.value unchanged")
class Returns(po.Backup):
    @staticmethod
    def update(backup, edge, got):
        return edge.value + (got - edge.value) / edge.visits


@broken("not-the-mean", "update", "whose mean is")
class NotTheMean(po.Backup):
    plain_mean = True

    @staticmethod
    def update(backup, edge, got):
        edge.value = got


@broken("writes", "update", "a setting of `backup`")
class BackupWritesSetting(po.Backup):
    weight: float = 0.5

    @staticmethod
    def update(backup, edge, got):
        edge.value = got
        backup.weight *= 0.99


@broken("unknown-field", "update", "edge.total")
class Undeclared(po.Backup):
    @staticmethod
    def update(backup, edge, got):
        edge.total = got
        edge.value = got


@broken("writes", "update", "edge.below", "got", "below")
class WritesBelow(po.Backup):
    columns = COLUMN
    below = "noted"

    @staticmethod
    def update(backup, edge, got):
        edge.below = max(edge.below, got)
        edge.noted = edge.value = edge.below


@broken("leaves-range", "update", "made the value")
class AddsWhatIsBelow(po.Backup):
    columns = COLUMN
    below = "noted"

    @staticmethod
    def update(backup, edge, got):
        edge.noted = edge.below
        edge.value = got + edge.below
