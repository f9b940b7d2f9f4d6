"""Snapshots, the log and replay: what a search did can be told, copied and done again."""

import numpy as np
import pytest

import playout as po
from playout.core.jit import COMPILED

from .test_batches import CONNECT4, noisy, numbers, outside


def test_the_log_tells_what_was_done_since_the_origin():
    search = po.Search(CONNECT4, position="44", seed=2)
    assert search.log == []
    search.run(30)
    search.run(10)
    search.play("3")
    search.step()
    search.run(5)
    assert search.log == [("run", 40), ("play", 2), ("run", 6)]
    assert (search.origin.text, search.position.text) == ("44", "443")


def test_the_log_counts_a_run_that_is_under_way():
    search, seen = po.Search(CONNECT4, seed=2), []
    search.run(10)
    search.run(500, progress=lambda search, share: seen.append((search.log, search.simulations)))
    assert all(log == [("run", simulations)] for log, simulations in seen)
    assert len(seen) > 2
    assert search.log == [("run", 510)]


def test_batches_that_were_cut_are_logged_apart():
    search = po.Search(CONNECT4, outside(noisy, batch=4), seed=2)
    search.run(10)
    search.run(7)
    assert search.log == [("run", 10), ("run", 7)]
    again = po.Search(CONNECT4, outside(noisy, batch=4), seed=2)
    assert again.replay(search.log)
    assert numbers(again) == numbers(search)


def test_what_is_found_while_asking_is_logged():
    """X wins at once in column 4: walks that end there need no answer."""
    search, told = po.Search(CONNECT4, outside(solver=False), position="112233", seed=2), 0
    for _ in range(20):
        for leaf in search.ask(3):
            search.tell(leaf, 0.0)
            told += 1
    assert search.simulations > told
    assert sum(number for _, number in search.log) == search.simulations


@pytest.mark.slow
def test_a_snapshot_from_progress_is_the_search_at_that_moment():
    search, taken = po.Search(CONNECT4, seed=2), []
    simulations = 300 if COMPILED else 60
    search.run(simulations, progress=lambda search, share: taken.append(search.snapshot()))
    for twin in taken:
        again = po.Search(CONNECT4, seed=2)
        assert again.replay(twin.log)
        assert numbers(again) == numbers(twin)
    taken[0].run(simulations)
    assert numbers(taken[0]) == numbers(search)


def test_a_snapshot_and_its_search_go_on_apart():
    search = po.Search(CONNECT4, seed=2)
    search.run(100)
    twin, before = search.snapshot(), numbers(search)
    twin.run(100)
    assert numbers(search) == before
    assert (search.log, twin.log) == ([("run", 100)], [("run", 200)])
    assert not np.shares_memory(search.tree.edges, twin.tree.edges)


def test_a_search_that_did_something_else_is_not_brought_there():
    search = po.Search(CONNECT4, seed=2)
    assert search.replay([("run", 20), ("play", 3)])
    before = numbers(search)
    assert not search.replay([("run", 20), ("play", 4)])
    assert numbers(search) == before


@pytest.mark.parametrize("simulations", [0, 7, 60])
def test_a_search_goes_back_and_on_to_where_the_log_says(simulations):
    search, wanted = po.Search(CONNECT4, seed=2), po.Search(CONNECT4, seed=2)
    search.run(20)
    if simulations:
        wanted.run(simulations)
    assert search.replay(wanted.log)
    assert numbers(search) == numbers(wanted)
