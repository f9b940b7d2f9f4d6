"""Nested search: against the oracle, against exact answers, and that it goes on as if it had never stopped."""

import threading
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from playout.core.nest import ENTRIES
from playout.solve import runs
from tests.oracles.nested_oracle import NmcsOracle, NrpaOracle
from tests.sizes import examples

from .small_games import GuidedTour, Stairs, Tour, shortest_tour

GAMES = {"tour": Tour(), "guided": GuidedTour(), "stairs": Stairs(), "sum": po.games.load("target_sum")}
NAMES = ["nrpa", "nmcs"]
QUIET = {"deadline": None, "derandomize": True}


def found_by(game, method, playouts, seed=0, **more):
    solver = po.Solver(game, method, seed=seed, runs=1)
    return solver, solver.run(playouts=playouts, **more)


def seed_of(seed, number):
    return int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])


METHODS = st.builds(
    po.NRPA,
    levels=st.integers(1, 4),
    iterations=st.integers(2, 7),
    alpha=st.sampled_from([0.1, 0.5, 1.0, 2.5]),
    playouts=st.integers(1, 3),
    repetitions=st.sampled_from([0, 0, 1, 2]),
    priors=st.booleans(),
)


@given(st.sampled_from(sorted(GAMES)), METHODS, st.integers(1, 200), st.integers(0, 2**63))
@budget(max_examples=examples(300), **QUIET)
def test_nrpa_finds_the_same_lines_as_the_oracle(name, method, playouts, seed):
    game = GAMES[name]
    solver, found = found_by(game, method, playouts, seed)
    oracle = NrpaOracle(game.position(), seed_of(seed, 0), playouts, method).run()
    assert (list(found.actions), found.value) == (oracle.line, pytest.approx(oracle.best))
    assert (solver.playouts, int(solver.all_runs[0].arrays.rng[0])) == (playouts - oracle.left, oracle.random.state)


@given(st.sampled_from(sorted(GAMES)), st.integers(1, 3), st.booleans(), st.integers(1, 200), st.integers(0, 2**63))
@budget(max_examples=examples(300), **QUIET)
def test_nmcs_finds_the_same_lines_as_the_oracle(name, levels, priors, playouts, seed):
    game, method = GAMES[name], po.NMCS(levels=levels, priors=priors)
    solver, found = found_by(game, method, playouts, seed)
    oracle = NmcsOracle(game.position(), seed_of(seed, 0), playouts, method).run()
    assert (list(found.actions), found.value) == (oracle.line, pytest.approx(oracle.best))
    assert (solver.playouts, int(solver.all_runs[0].arrays.rng[0])) == (playouts - oracle.left, oracle.random.state)


@pytest.mark.parametrize("method", ["nrpa", "nmcs"])
@pytest.mark.parametrize("game", ["tour", "guided"])
def test_the_shortest_tour_is_found(game, method):
    found = po.solve(GAMES[game], method, playouts=20_000 if COMPILED else 1500, runs=1, target=-shortest_tour())
    assert found.value == -shortest_tour()
    assert found.stopped_by == "target"
    assert found.position.is_terminal


def test_a_policy_is_as_before_when_all_levels_are_done():
    solver, _ = found_by(Stairs(), po.NRPA(levels=3, iterations=4), 4**3)
    nest = solver.all_runs[0].arrays
    assert solver.restarts == 1
    assert nest.counters[ENTRIES] == 0
    assert (nest.factors == 1.0).all()
    assert (nest.deltas == 0.0).all()


def test_an_adaptation_is_that_of_the_paper():
    # One level, one step worth a choice: the weights are alpha * (1 - p) and -alpha * p with p = 1/3.
    class Choice(Tour):
        max_actions, action_codes = 3, 3
        state = np.dtype([("done", np.int8)])

        @staticmethod
        def initial_state(state):
            pass

        @staticmethod
        def current_player(state):
            return po.TERMINAL if state.done else 0

        @staticmethod
        def legal_actions(state, actions):
            for i in range(3):
                actions[i] = i
            return 3

        @staticmethod
        def action_code(state, action):
            return action

        @staticmethod
        def apply(state, action, rewards):
            state.done = 1
            rewards[0] = action

    solver, found = found_by(Choice(), po.NRPA(levels=1, iterations=5, alpha=0.6), 1)
    weights = np.log(solver.all_runs[0].arrays.factors[:3])
    expected = np.full(3, -0.2)
    expected[found.actions[0]] = 0.4
    assert weights == pytest.approx(expected)


@pytest.mark.parametrize("method", [po.NRPA(levels=2, iterations=9), po.NMCS(levels=2)], ids=NAMES)
def test_room_grows_without_a_difference(method, monkeypatch):
    _, expected = found_by(Stairs(), method, 150, seed=3)
    monkeypatch.setattr(runs, "STEPS", 2)
    monkeypatch.setattr(runs, "ENTRIES", 8)
    _, found = found_by(Stairs(), method, 150, seed=3)
    assert (found.actions, found.value) == (expected.actions, expected.value)


@pytest.mark.slow
@pytest.mark.parametrize("method", [po.NRPA(iterations=6), po.NMCS(levels=2)], ids=NAMES)
def test_runs_are_the_same_whatever_the_number_of_threads(method):
    found = [po.solve(Stairs(), method, playouts=1000, runs=5, threads=threads, seed=9) for threads in (1, 2, 4)]
    assert len({(f.actions, f.value, f.playouts, f.restarts) for f in found}) == 1


@pytest.mark.parametrize("method", [po.NRPA(iterations=6), po.NMCS(levels=2)], ids=NAMES)
def test_a_search_in_pieces_is_the_search_at_once(method, tmp_path):
    whole = po.Solver(Stairs(), method, seed=4, runs=2)
    whole.run(playouts=900)
    pieces = po.Solver(Stairs(), method, seed=4, runs=2)
    for n in (100, 300):
        pieces.run(playouts=n)
    pieces.save(tmp_path / "stairs.solve")
    again = po.Solver.load(tmp_path / "stairs.solve", Stairs())
    found = again.run(playouts=500)
    for ours, theirs in zip(again.all_runs, whole.all_runs, strict=True):
        for name, array in theirs.arrays._asdict().items():
            if name not in ("touched", "taken", "ends", "chosen", "codes", "biases", "paths", "lines"):
                assert np.array_equal(getattr(ours.arrays, name), array), name
    assert found.playouts == 900
    assert found.value == whole.value


def test_solve_goes_on_with_its_file(tmp_path):
    file = tmp_path / "tour.solve"
    first = po.solve(Tour(), playouts=200, runs=2, file=file)
    first_saved = po.Solver.load(file, Tour()).seconds
    second = po.solve(Tour(), playouts=100, file=file, runs=2)
    assert (first.playouts, second.playouts) == (200, 300)
    assert second.value >= first.value
    assert second.seconds > first.seconds == pytest.approx(first_saved)
    assert second.method == first.method
    with pytest.raises(po.SettingsError, match=r"has a search with seed 0, not 1; give that, or another file"):
        po.solve(Tour(), playouts=100, file=file, seed=1)
    with pytest.raises(po.SettingsError, match=r"has a search with method NRPA\(.*, not NMCS"):
        po.solve(Tour(), "nmcs", playouts=100, file=file)
    with pytest.raises(po.FileError, match=r"is of a game with name 'Tour', but Stairs has 'Stairs'"):
        po.solve(Stairs(), playouts=100, file=file)


def test_seconds_and_stop_end_a_search():
    found = po.solve(Tour(), seconds=0.2)
    assert found.stopped_by == "seconds"
    solver = po.Solver(Tour())
    timer = threading.Timer(0.3, solver.stop)
    timer.start()
    began = time.monotonic()
    assert solver.run(seconds=60).stopped_by == "stop"
    assert time.monotonic() - began < 30
    timer.join()


def test_the_most_that_the_game_can_give_ends_a_search():
    found = po.solve("target_sum", seconds=60)
    assert (found.value, found.stopped_by) == (1.0, "value_range")


@cache
def best_by_search():
    """The best return of the stairs, by dynamic programming over height and the step before."""
    best = {}
    for height in range(27, -1, -1):
        for before in range(5):
            steps = (1,) if height % 5 == 3 else (1, 2, 3, 4)
            rewards = [(((height * 7 + before * 5 + a * 11) % 13 - 6) * 0.5, height + a, a) for a in steps]
            best[height, before] = 0.0 if height >= 24 else max(r + best[h, a] for r, h, a in rewards)
    return best[0, 0]


@pytest.mark.compiled_only
def test_the_best_of_the_stairs_is_found():
    found = po.solve(Stairs(), po.NMCS(priors=False), playouts=200_000, runs=2, seed=1, target=best_by_search())
    assert found.value == pytest.approx(best_by_search())
