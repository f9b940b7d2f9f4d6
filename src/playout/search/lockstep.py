"""Searches in lockstep: each collects a few leaves, one call of the evaluator answers all of them.

    lockstep = Lockstep(cache=1 << 16)
    members = [lockstep.join(search) for search in searches]
    found = [(member, member.collect(4, stop_at)) for member in members]
    lockstep.answer(found)

The searches have the same game and evaluator, and share one cache of answers.
"""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.core import answer, endings
from playout.core import tree as core
from playout.errors import GameError
from playout.evaluators import NO_ANSWERS, LeafAnswers
from playout.game import Game

from .forest import check_single
from .result import improved_policy
from .search import Search

NOTHING_LEFT = (endings.SOLVED, endings.FULL, endings.DECIDED)


@dataclass(frozen=True)
class RootEdges:
    """The numbers at a search's root: the edges in the order of the tree, n of them, for the player who moves."""

    visits: int  # of the root
    value: float  # of the root
    proven: Any  # float64[players]: the exact return of each player; None if it is not proven
    actions: Any  # int32[n]
    edge_visits: Any  # int[n]
    values: Any  # float[n]: mean returns, 0 before the first visit
    priors: Any  # float[n]
    is_proven: Any  # bool[n]
    is_exact: Any  # bool[n]: proven, or the end of the game
    improved: Any  # float[n]: the improved policy, where the root is Gumbel's; otherwise None
    best: int  # where the answer of the settings is; -1: no edge is visited

    @classmethod
    def of(cls, search: Search) -> "RootEdges":
        """A copy of the numbers as they are now."""
        tree, node = search.tree, search.tree.nodes[core.ROOT]
        first = int(node["first_edge"])
        block = tree.edges[first : first + int(node["count"])]
        best = int(answer.best_edge(search.params, tree, core.ROOT))
        proven = node["proof"] > core.NO_PROOF and search.params.solver
        improved = improved_policy(search.params, tree)
        return cls(
            visits=int(node["visits"]),
            value=float(node["value"]),
            proven=tree.proofs[node["proof"]].copy() if proven else None,
            actions=block["action"].copy(),
            edge_visits=block["visits"].copy(),
            values=block["value"].copy(),
            priors=block["prior"].copy(),
            is_proven=block["child"] < 0,
            is_exact=(block["child"] < 0) | (block["child"] == core.END),
            improved=np.array(improved) if improved and improved[0] is not None else None,
            best=best - first if best >= 0 else -1,
        )


class Member:
    """One of the searches; `Lockstep.join` makes it."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.is_exhausted = False  # nothing is left to search at this root: it is proven, full or decided

    @property
    def waiting(self) -> int:
        """How many of its leaves wait for an answer."""
        return self.search.batches.waiting

    def aim(self, simulations: int) -> None:
        """Say how many simulations this root will get, for one that plans them."""
        self.search.past.aim(simulations)

    def collect(self, most: int, stop_at: int) -> list[int]:
        """The slots of new leaves, up to `most` and no more than are good at once; fewer once `stop_at` simulations are
        done or wait, or a plan's round is over."""
        runner, batches, found = self.search.runner, self.search.batches, list[int]()
        wanted = min(most, batches.good_at_once())
        while len(found) < wanted:
            status, detail = batches.collect(wanted - len(found), stop_at, self.search.game.policy_size)
            found += batches.found().tolist()
            if status in (endings.GROW, endings.DEEPER):
                runner.serve(status, detail)
                continue
            if status in NOTHING_LEFT:
                self.is_exhausted = True
            elif status not in (endings.DONE, endings.NO_SLOT):
                runner.serve(status, detail)
                raise GameError(f"{self.search.game.title}: the search came back with status {status}")
            break
        return found

    def unknown(self, slots: list[int]) -> list[int]:
        """Those of the slots whose answers the cache does not have."""
        known = self.search.batches.arrays.known
        return [slot for slot in slots if not known[slot]]

    def settle(self, slots: list[int], answers: LeafAnswers) -> None:
        """Back up the leaves in `slots`, with a row of `answers` for each that is `unknown`."""
        self.search.batches.settle(np.array(slots, np.int32), answers)


class Lockstep:
    """Answers the leaves of many searches together, and keeps the answers for all of them."""

    def __init__(self, cache: int = 0) -> None:
        self.evaluations, self.seconds = 0, 0.0  # so far, and the time that they took
        self._size = cache  # answers to keep, a power of two
        self._cache: dict[str, Any] | None = None

    def join(self, search: Search) -> Member:
        """Take a search in, before it has searched; its evaluator must be a function or a network."""
        check_single(search.grown, "self-play")
        batches, game = search.batches, search.game
        batches.check_evaluator()
        if self._cache is None:
            self._cache = {
                "cache_keys": np.zeros(self._size, np.uint64),
                "cache_weights": np.zeros((self._size, game.max_actions), np.float32),
                "cache_values": np.zeros((self._size, game.players)),
            }
        batches.arrays = batches.arrays._replace(**self._cache)
        return Member(search)

    def answer(self, found: list[tuple[Member, list[int]]]) -> int:
        """Back up the leaves that `collect` found, each in its search; returns how many had to be evaluated.

        One call of the evaluator answers all leaves that the cache does not know.
        """
        asked = [(member, member.unknown(slots)) for member, slots in found]
        answers, row = self._evaluated([(member, slots) for member, slots in asked if slots]), 0
        for (member, slots), (_, unknown) in zip(found, asked, strict=True):
            if slots:
                rows = slice(row, row + len(unknown))
                row += len(unknown)
                member.settle(slots, LeafAnswers(answers.policy[rows], answers.values[rows]))
        return row

    def _evaluated(self, asked: list[tuple[Member, list[int]]]) -> LeafAnswers:
        if not asked:
            return NO_ANSWERS
        first = asked[0][0].search
        planes = np.concatenate([member.search.batches.arrays.planes[slots] for member, slots in asked])
        _check_planes(planes, asked)
        began = time.perf_counter()
        answers = first.batches.evaluator(planes.reshape(len(planes), *first.game.planes))
        self.seconds += time.perf_counter() - began
        self.evaluations += len(planes)
        return answers


def check_finite(game: Game, planes: Any, where: str) -> None:
    """Refuse observations that are not finite: a network would answer with nonsense, and be blamed for it."""
    bad = planes[~np.isfinite(planes)]
    if len(bad):
        raise GameError(
            f"{game.title}.observe wrote {bad[0]} {where}, expected finite numbers; `playout doctor` tells more"
        )


def _check_planes(planes: Any, found: list[tuple[Member, list[int]]]) -> None:
    if np.isfinite(planes).all():
        return
    row = int(np.flatnonzero(~np.isfinite(planes).all(axis=1))[0])
    ends = np.cumsum([len(slots) for _, slots in found])
    search = found[int(np.searchsorted(ends, row, side="right"))][0].search
    check_finite(search.game, planes[row], f"some actions after {search.position.text or 'the start'}")
