"""Threads on one tree: every visit is counted, values and proofs are right, and failures leave the tree whole."""

import threading

import numpy as np
import pytest

import playout as po
from playout.core import learned
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import TOY_GAMES, Corridor, Dice, Nim
from tests.trees import assert_adds_up

THREADS = [2, 4, 8]  # also more than cores, so that threads are interrupted anywhere
SIMULATIONS = 4000 if COMPILED else 200


def grown(game, settings=None, threads=4, simulations=SIMULATIONS, **changes):
    settings = (settings or po.Settings()).replace(threads=threads, **changes)
    search = po.Search(game, settings, seed=1)
    search.run(simulations)
    return search


def assert_means_match(search):
    """The root's mean is that of its edges: no return was lost or counted twice."""
    root = search.tree.nodes[core.ROOT]
    block = search.tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
    total = float((block["visits"] * block["value"]).sum())
    assert total / root["visits"] == pytest.approx(float(root["value"]), abs=1e-9)


@pytest.mark.parametrize("threads", THREADS)
def test_every_visit_is_counted(threads):
    search = grown(po.games.load("connect4"), threads=threads, simulations=5 * SIMULATIONS, solver=False)
    assert search.simulations == 5 * SIMULATIONS == search.tree.nodes[core.ROOT]["visits"]
    assert_adds_up(search)
    assert_means_match(search)


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_trees_of_all_kinds_of_games_add_up(kind):
    assert_adds_up(grown(kind()))


@pytest.mark.parametrize(
    "changes",
    [
        {"expansion": po.OneAtATime()},
        {"expansion": po.Widening(2, 1.0, 0.5)},
        {"expansion": po.All(first_visit=True)},
        {"policy": po.PUCT(1.5)},
        {"policy": po.UCB1Tuned()},
        {"policy": po.Thompson()},
        {"policy": po.UCBV()},
        {"evaluate_root": True},
        {"wdl": True},
        {"ties": "first"},
    ],
    ids=str,
)
def test_all_settings_that_take_threads_add_up(changes):
    search = grown(po.games.load("connect4"), solver=False, **changes)
    assert_adds_up(search)
    if changes.get("wdl"):
        stats = search.result().actions
        assert all(sum(each.wdl) == each.visits for each in stats)


def test_chance_and_limited_outcomes_add_up():
    assert_adds_up(grown(po.games.load("game2048"), po.preset("game2048"), simulations=SIMULATIONS // 4))
    assert_adds_up(grown(Dice(), outcomes=po.Widening(1, 1.0, 0.5)))


def test_a_part_of_the_users_own_counts_each_visit_once():
    class Counted(po.Backup):
        """The mean, with a column that counts its updates."""

        columns = np.dtype([("updates", np.int64)])

        @staticmethod
        def update(backup, edge, value):
            edge.updates += 1
            edge.value += (value - edge.value) / edge.visits

    search = grown(po.games.load("connect4"), solver=False, backup=Counted(), simulations=3 * SIMULATIONS)
    used = int(search.tree.counters[core.EDGES])
    assert (search.tree.backup_columns[:used, 0] == search.tree.edges["visits"][:used]).all()
    assert_adds_up(search)


# Proofs


def minimax(position, known):
    """The exact value for player 0."""
    if position.text not in known:
        if position.is_terminal:
            known[position.text] = float(position.rewards[0])
        else:
            values = [minimax(position.play(action), known) for action in position.actions()]
            known[position.text] = max(values) if position.player == 0 else min(values)
    return known[position.text]


@pytest.mark.compiled_only
@pytest.mark.parametrize("threads", THREADS)
def test_proofs_are_true(threads):
    search = grown(po.games.load("tictactoe"), threads=threads, simulations=60 * SIMULATIONS)
    known, checked = {}, 0
    stack = [(core.ROOT, search.position)]
    while stack:
        number, position = stack.pop()
        node = search.tree.nodes[number]
        if node["proof"] > core.NO_PROOF:
            checked += 1
            assert search.tree.proofs[node["proof"], 0] == minimax(position, known), position.text
        for edge in search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]:
            if abs(int(edge["child"])) > core.END:
                stack.append((abs(int(edge["child"])), position.play(int(edge["action"]))))
    assert checked > 1000
    assert search.result().proven == 0.0


def test_the_best_line_found_is_the_best_of_all_threads():
    search = grown(po.games.load("knapsack"), simulations=SIMULATIONS)
    found = search.best_found
    assert found is not None
    position, total = search.position, 0.0
    for action in found.actions:
        position = position.play(action)
        total += float(position.rewards[0])
    assert position.is_terminal
    assert total == pytest.approx(found.value)
    if COMPILED:
        alone = po.Search(po.games.load("knapsack"), seed=1)
        alone.run(SIMULATIONS)
        assert found.value == pytest.approx(alone.best_found.value, rel=0.02)


# What comes before and after


def test_a_threaded_tree_is_stepped_played_saved_and_gone_on_with(tmp_path):
    search = grown(po.games.load("connect4"))
    step = search.step()
    assert step.simulation == SIMULATIONS + 1
    assert_adds_up(search)
    search.run(500)
    assert_adds_up(search)
    search.save(tmp_path / "tree.playout")
    again = po.Search.load(tmp_path / "tree.playout")
    assert again.settings.threads == 4
    again.run(500)
    assert_adds_up(again)
    kept = search.tree.nodes[core.ROOT]["visits"]
    search.play(search.result().best)
    assert 0 < search.tree.nodes[core.ROOT]["visits"] < kept
    search.run(500)
    assert_adds_up(search)


def test_one_thread_is_as_before():
    a, b = po.Search(Nim(), seed=3), po.Search(Nim(), po.Settings(threads=1), seed=3)
    a.run(300), b.run(300)
    assert a.tree.edges.tobytes() == b.tree.edges.tobytes()


def test_limits_hold_with_threads():
    search = po.Search(po.games.load("connect4"), po.Settings(threads=4, solver=False))
    result = search.run(nodes=500)
    assert (result.nodes, result.stopped_by) == (500, "nodes")
    result = search.run(7)  # fewer than twice the threads
    assert result.simulations == 7
    result = po.Search(po.games.load("connect4"), po.Settings(threads=8, solver=False)).run(bytes=100_000)
    assert result.stopped_by == "bytes"
    assert result.bytes <= 100_000


def test_deep_trees_get_longer_paths():
    search = grown(Corridor(), simulations=SIMULATIONS)
    assert_adds_up(search)


@pytest.mark.compiled_only
def test_stop_ends_all_threads():
    search = po.Search(po.games.load("connect4"), po.Settings(threads=4, solver=False))
    timer = threading.Timer(0.05, search.stop)  # a tree that is soon checked
    timer.start()
    result = search.run(seconds=600)
    timer.join()
    assert result.stopped_by == "stop"
    assert_adds_up(search)


# Failures


class BreaksLate(Nim):
    """Raises where five stones are left."""

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 5:
            raise ValueError("five stones")
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


def test_a_rule_that_raises_in_one_thread_ends_all_and_leaves_the_tree_whole():
    search = po.Search(BreaksLate(), po.Settings(threads=4))
    for _ in range(3):
        with pytest.raises(po.GameError, match="five stones") as caught:
            search.run(SIMULATIONS)
        assert "\n" not in str(caught.value)
        assert_adds_up(search)
    used = int(search.tree.counters[core.NODES])
    assert (search.tree.nodes["parents"][:used] == 0).all()  # no lock is left


@pytest.mark.compiled_only
def test_a_rule_that_never_returns_ends_all_threads_in_time():
    class Hangs(Nim):
        @staticmethod
        def legal_actions(state, actions):
            i = 0
            while state.stones == 7:
                i += 1
            count = min(3, state.stones)
            for k in range(count):
                actions[k] = k + 1
            return count

    search = po.Search(Hangs(), po.Settings(threads=2))
    with pytest.raises(po.GameError, match="legal_actions"):
        search.run(seconds=0.2)
    assert_adds_up(search)


def test_a_policy_that_gives_nan_is_named():
    class Wrong(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return np.nan if node.visits > 50 else edge.value

    search = po.Search(Nim(), po.Settings(policy=Wrong(), threads=4))
    with pytest.raises(po.PlayoutError, match="Wrong"):
        search.run(SIMULATIONS)
    assert_adds_up(search)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"open_loop": True}, "open loop"),
        ({"evaluator": po.Outside()}, "your own code"),
        ({"root": po.Gumbel(4)}, "Gumbel"),
        ({"policy": po.GRAVE()}, "GRAVE"),
    ],
    ids=str,
)
def test_what_threads_can_not_share_is_refused(changes, word):
    with pytest.raises(po.SettingsError, match="threads is 2") as caught:
        po.Settings(threads=2, **changes)
    assert word in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("wrong", [0, -1, 10_000, 1.5, "2", None, True])
def test_wrong_numbers_of_threads_are_refused(wrong):
    with pytest.raises(po.SettingsError, match="threads"):
        po.Settings(threads=wrong)


def test_a_part_may_refuse_threads():
    class Alone(po.UCT):
        threads = False

    with pytest.raises(po.SettingsError, match=r"Alone.*threads = False"):
        po.Settings(policy=Alone(), threads=2)
    assert po.Settings(policy=Alone()).threads == 1


def test_objects_are_searched_by_one_thread():
    class Count:
        def __init__(self, left=30):
            self.left = left

        def current_player(self):
            return None if self.left <= 0 else self.left % 2

        def legal_actions(self):
            return [1, 2]

        def play(self, action):
            return Count(self.left - action)

        def returns(self):
            return [1.0, -1.0]

    search = po.Search(po.wrap(Count()), po.Settings(threads=4))
    assert search.run(100).simulations == 100


# Networks


@pytest.mark.compiled_only
@pytest.mark.parametrize("batch", [1, 8, None])
def test_a_network_is_asked_by_several_threads(batch):
    settings = po.preset("network", evaluator=po.Network(batch=batch), threads=3, solver=False)
    search = po.Search(po.games.load("tictactoe"), settings, seed=1)
    for simulations in (1, 50, 300):
        assert search.run(simulations).simulations == simulations
        assert search.batches.waiting == 0
        assert not search.batches.arrays.flights.any()
        assert_adds_up(search)
    assert search.result().best_text == "5"
    search.step()
    search.play("5")
    search.run(100)
    assert_adds_up(search)


@pytest.mark.compiled_only
def test_a_network_that_fails_in_a_thread_leaves_the_tree_whole(monkeypatch):
    search = po.Search(po.games.load("tictactoe"), po.preset("network", threads=3), seed=1)
    search.run(100)
    asked, call = [], type(search.batches.evaluator).__call__

    def fails_late(self, planes):
        asked.append(len(planes))
        if len(asked) > 5:
            raise po.EvaluatorError("no answer")
        return call(self, planes)

    monkeypatch.setattr(type(search.batches.evaluator), "__call__", fails_late)
    with pytest.raises(po.EvaluatorError, match="no answer"):
        search.run(1000)
    assert search.batches.waiting == 0
    assert not search.batches.arrays.flights.any()
    assert_adds_up(search)
    monkeypatch.undo()
    assert search.run(50).simulations == 50


# Playouts that learn, and simulations of other threads


@pytest.mark.parametrize("kind", ["mast", "nst"])
def test_playouts_learn_from_all_threads(kind):
    evaluator = po.Rollouts(**{kind: True})
    search = grown(po.games.load("connect4"), evaluator=evaluator, solver=False, simulations=SIMULATIONS // 2)
    assert_adds_up(search)
    single = search.tree.learned[: 2 * 2 * search.params.codes]
    used = search.tree.counters
    # Every action of every simulation is in the tables.
    assert single[1::2].sum() == used[core.DEPTH_SUM] + used[core.PLAYOUT_ACTIONS]
    assert np.nanmax(np.abs(single[::2])) <= 1.0


def test_what_threads_learned_is_added_up():
    before = np.array([0.5, 4.0, np.nan, 0.0, -1.0, 2.0])
    one, other = before.copy(), before.copy()
    learned.add_return(one, 0, 1.0)
    learned.add_return(one, 1, 0.25)
    learned.add_return(other, 0, -1.0)
    learned.add_return(other, 1, 0.75)
    total = before.copy()
    for own in (one, other):
        learned.add_learned(total, before, own)
    assert total == pytest.approx([(0.5 * 4 + 1 - 1) / 6, 6.0, 0.5, 2.0, -1.0, 2.0])


def test_other_threads_simulations_may_count_as_losses():
    """The kernels that threads compile see the same virtual loss as batches do."""
    search = grown(po.games.load("connect4"), thread_loss=1.0, solver=False)
    assert_adds_up(search)
    assert search.params.virtual_loss == 1.0
    assert po.Settings().params(po.games.load("connect4")).virtual_loss == 0.0
    with pytest.raises(po.SettingsError, match="thread_loss"):
        po.Settings(thread_loss=1.5)
