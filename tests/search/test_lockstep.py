"""Searches in lockstep: each grows the tree that it grows alone, whatever the shared cache holds."""

import numpy as np
import pytest

import playout as po
from playout.core.jit import COMPILED
from playout.search.lockstep import Lockstep, RootEdges

from .test_batches import CONNECT4, is_clean, noisy, numbers, outside

POSITIONS = ["", "4", "44", "4433"]


def row_by_row(observations):
    """As `noisy`, with the same rounding whatever the size of the batch."""
    rows = [noisy(row[None]) for row in observations]
    return np.concatenate([policy for policy, _ in rows]), np.concatenate([value for _, value in rows])


def searches(leaves: int = 4) -> list[po.Search]:
    settings = outside(row_by_row, batch=leaves, cache=0)
    return [po.Search(CONNECT4, settings, position=position, seed=3) for position in POSITIONS]


def run_together(lockstep: Lockstep, members: list, simulations: int, leaves: int = 4) -> None:
    while any(member.search.simulations < simulations for member in members):
        lockstep.answer([(member, member.collect(leaves, simulations)) for member in members])


@pytest.mark.parametrize("leaves", [1, 4])
def test_the_shared_cache_does_not_change_the_trees(leaves):
    found = []
    for cache in (0, 1 << 12):
        lockstep = Lockstep(cache)
        members = [lockstep.join(search) for search in searches(leaves)]
        run_together(lockstep, members, 200 if COMPILED else 50, leaves)
        assert all(is_clean(member.search) for member in members)
        found.append([numbers(member.search) for member in members])
    assert found[0] == found[1]


def test_one_leaf_at_a_time_is_the_search_alone():
    lockstep = Lockstep()
    together, alone = searches(1), searches(1)
    run_together(lockstep, [lockstep.join(search) for search in together], 100, 1)
    for search in alone:
        search.run(100, early_stop=False)
    assert [numbers(search) for search in together] == [numbers(search) for search in alone]
    assert lockstep.evaluations <= 400


@pytest.mark.parametrize("leaves", [1, 4])
def test_a_plan_in_lockstep_is_the_plan_alone(leaves):
    settings = outside(row_by_row, batch=leaves, cache=0, root=po.Gumbel(5))
    searches = [[po.Search(CONNECT4, settings, position=p, seed=3) for p in POSITIONS] for _ in range(2)]
    lockstep = Lockstep()
    members = [lockstep.join(search) for search in searches[0]]
    for member in members:
        member.aim(30)
    run_together(lockstep, members, 30, leaves)
    for member, alone in zip(members, searches[1], strict=True):
        assert alone.run(30).best == member.search.result().best
        assert numbers(alone) == numbers(member.search)
        root = RootEdges.of(member.search)
        improved = dict(zip(root.actions.tolist(), root.improved.tolist(), strict=True))
        assert improved == pytest.approx(alone.result().policy(1.0))
        assert root.actions[root.best] == alone.result().best
