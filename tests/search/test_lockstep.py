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


def test_a_walk_may_begin_with_any_action():
    lockstep = Lockstep()
    member = lockstep.join(searches()[0])
    lockstep.answer([(member, member.collect(1, 1))])
    for action in (6, 2, 6):
        lockstep.answer([(member, member.collect(1, member.search.simulations + 1, action))])
    root = RootEdges.of(member.search)
    assert dict(zip(root.actions.tolist(), root.edge_visits.tolist(), strict=True)) == {
        a: {6: 2, 2: 1}.get(a, 0) for a in range(7)
    }
    assert root.visits == 4
