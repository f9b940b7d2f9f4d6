"""Threads on one graph: every visit is counted, values and proofs are right, and failures leave the graph whole."""

import threading

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import TOY_GAMES, Corridor, Dice, Nim
from tests.graphs import assert_graph_adds_up, assert_values_match
from tests.oracles.solved import tictactoe

THREADS = [1, 2, 4, 8]  # also more than cores, so that threads are interrupted anywhere
SIMULATIONS = 4000 if COMPILED else 200
GRAPH = po.Settings(transpositions=True)


def grown(game, threads=4, simulations=SIMULATIONS, **changes):
    search = po.Search(game, GRAPH.replace(threads=threads, **changes), seed=1)
    search.run(simulations)
    if threads > 1:
        assert_nothing_is_left(search)
    return search


def assert_nothing_is_left(search):
    """No simulation is in flight, and no thread has the turn."""
    crew = search.runner.crew
    assert not crew.pending.any()
    assert crew.shared[core.TURN] == crew.shared[core.UNDER_WAY] == 0
    assert not any(member.work.info[core.WAITING] for member in crew.members)


@pytest.mark.parametrize("threads", THREADS)
def test_every_visit_is_counted(threads):
    search = grown(po.games.load("connect4"), threads, 5 * SIMULATIONS, solver=False)
    assert search.simulations == 5 * SIMULATIONS == search.tree.nodes[core.ROOT]["visits"]
    assert search.result().saved > 0
    assert_graph_adds_up(search)
    assert_values_match(search)


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_graphs_of_all_kinds_of_games_add_up(kind):
    assert_graph_adds_up(grown(kind()))
    assert_graph_adds_up(grown(kind(), solver=False, simulations=SIMULATIONS // 2))


@pytest.mark.parametrize(
    "changes",
    [
        {"expansion": po.OneAtATime()},
        {"expansion": po.Widening(2, 1.0, 0.5)},
        {"policy": po.PUCT(1.5)},
        {"policy": po.UCB1Tuned()},
        {"policy": po.Thompson()},
        {"evaluate_root": True},
        {"ties": "first"},
        {"thread_loss": 1.0},
        {"evaluator": po.Rollouts(mast=True)},
        {"transpositions": "check"},
    ],
    ids=str,
)
def test_all_settings_that_take_threads_add_up(changes):
    search = grown(po.games.load("connect4"), solver=False, **changes)
    assert_graph_adds_up(search)
    used = search.tree.counters
    if "evaluator" in changes:  # every action of every simulation is in the tables
        learned = search.tree.learned[: 2 * 2 * search.params.codes]
        assert learned[1::2].sum() == used[core.DEPTH_SUM] + used[core.PLAYOUT_ACTIONS]


def test_chance_and_limited_outcomes_add_up():
    assert_graph_adds_up(grown(Dice(), outcomes=po.Widening(1, 1.0, 0.5)))


def test_a_part_of_the_users_own_counts_each_visit_once():
    class Counted(po.Backup):
        """The mean, with a column that counts its updates."""

        graph = True
        columns = np.dtype([("updates", np.int64)])

        @staticmethod
        def update(backup, edge, value):
            edge.updates += 1
            edge.value += (value - edge.value) / edge.visits

    search = grown(po.games.load("connect4"), solver=False, backup=Counted(), simulations=3 * SIMULATIONS)
    used = int(search.tree.counters[core.EDGES])
    assert (search.tree.backup_columns[:used, 0] == search.tree.edges["visits"][:used]).all()
    assert_graph_adds_up(search)


# Proofs


@pytest.mark.compiled_only
@pytest.mark.parametrize("threads", THREADS)
def test_proofs_are_true(threads):
    search = grown(po.games.load("tictactoe"), threads, 20 * SIMULATIONS)
    known = tictactoe()
    checked, stack, came = 0, [(core.ROOT, search.position)], {core.ROOT}
    while stack:
        number, position = stack.pop()
        node = search.tree.nodes[number]
        if node["proof"] > core.NO_PROOF:
            checked += 1
            mine = search.tree.proofs[node["proof"], position.player]
            assert mine == known[position.text.replace("/", "")].value, position.text
        for edge in search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]:
            child = abs(int(edge["child"]))
            assert edge["child"] <= core.END or search.tree.nodes[child]["proof"] == core.NO_PROOF
            if child > core.END and child not in came:
                came.add(child)
                stack.append((child, position.play(int(edge["action"]))))
    assert checked > 100
    assert search.result().proven == 0.0
    assert_graph_adds_up(search)


def test_the_best_line_found_is_the_best_of_all_threads():
    search = grown(po.games.load("knapsack"), simulations=SIMULATIONS)
    found, position, total = search.best_found, search.position, 0.0
    for action in found.actions:
        position = position.play(action)
        total += float(position.rewards[0])
    assert position.is_terminal
    assert total == pytest.approx(found.value)
    assert_graph_adds_up(search)


# What comes before and after


def test_a_threaded_graph_is_stepped_played_saved_and_gone_on_with(tmp_path):
    search = grown(po.games.load("connect4"))
    assert search.step().simulation == SIMULATIONS + 1
    search.run(500)
    assert_graph_adds_up(search)
    search.save(tmp_path / "graph.playout")
    again = po.Search.load(tmp_path / "graph.playout")
    assert again.settings.threads == 4
    again.run(500)
    assert_graph_adds_up(again)
    kept = search.tree.nodes[core.ROOT]["visits"]
    search.play(search.result().best)
    assert 0 < search.tree.nodes[core.ROOT]["visits"] < kept
    before = search.simulations
    search.run(500)
    assert search.simulations == before + 500


def test_one_thread_is_as_before():
    a, b = (po.Search(Nim(), settings, seed=3) for settings in (GRAPH, GRAPH.replace(threads=1)))
    a.run(300), b.run(300)
    assert a.tree.edges.tobytes() == b.tree.edges.tobytes()


def test_limits_hold_with_threads():
    search = po.Search(po.games.load("connect4"), GRAPH.replace(threads=4, solver=False))
    result = search.run(nodes=500)
    assert (result.nodes, result.stopped_by) == (500, "nodes")
    assert search.run(7).simulations == 7
    result = po.Search(po.games.load("connect4"), GRAPH.replace(threads=8, solver=False)).run(bytes=100_000)
    assert result.stopped_by == "bytes"
    assert 50_000 < result.bytes <= 100_000


def test_deep_graphs_get_longer_paths():
    assert_graph_adds_up(grown(Corridor(), simulations=SIMULATIONS))


@pytest.mark.compiled_only
def test_stop_ends_all_threads():
    search = po.Search(po.games.load("connect4"), GRAPH.replace(threads=4, solver=False))
    timer = threading.Timer(0.3, search.stop)
    timer.start()
    result = search.run(seconds=600)
    timer.join()
    assert result.stopped_by == "stop"
    assert_nothing_is_left(search)
    assert search.simulations == search.tree.nodes[core.ROOT]["visits"]


# Failures


class BreaksInThePlayout(Nim):
    """Raises where five stones are left and it is the second player's turn."""

    @staticmethod
    def initial_state(state):
        state.stones = 40

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 5 and state.turn == 1:
            raise ValueError("five stones")
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


def test_a_rule_that_raises_in_one_thread_ends_all_and_leaves_the_graph_whole():
    search = po.Search(BreaksInThePlayout(), GRAPH.replace(threads=4))
    for _ in range(20):
        with pytest.raises(po.GameError, match="five stones") as caught:
            search.run(SIMULATIONS)
        assert "\n" not in str(caught.value)
        assert_nothing_is_left(search)
        assert_graph_adds_up(search)
        assert search.simulations == search.tree.nodes[core.ROOT]["visits"]


@pytest.mark.parametrize("keep", [False, True])
def test_edges_that_are_closed_again_keep_their_links(keep):
    """A failure takes an edge back that lies before others: those move, and with them all that names them."""

    class Fails(Nim):
        """Nim whose playouts fail now and then, by the static value that follows them."""

        keep_states = keep

        @staticmethod
        def initial_state(state):
            state.stones = 60

        @staticmethod
        def evaluate(state, values):
            if state.stones < 12:
                raise ValueError("few stones")

    settings = GRAPH.replace(threads=8, evaluator=po.Rollouts(depth=4), solver=False)
    search = po.Search(Fails(), settings, seed=1)
    failed = 0
    for _ in range(40):
        try:
            search.run(SIMULATIONS)
        except po.GameError:
            failed += 1
        assert_nothing_is_left(search)
        assert_graph_adds_up(search)
    assert failed > 20


@pytest.mark.compiled_only
@pytest.mark.parametrize("rule", ["legal_actions", "hash"])  # in evaluation and selection; in selection alone
def test_a_rule_that_never_returns_ends_all_threads_in_time(rule):
    class Hangs(Nim):
        @staticmethod
        def legal_actions(state, actions):
            i = 0
            while rule == "legal_actions" and state.stones == 7:
                i += 1
            count = min(3, state.stones)
            for k in range(count):
                actions[k] = k + 1
            return count

        @staticmethod
        def hash(state):
            i = 0
            while rule == "hash" and state.stones == 7:
                i += 1
            return np.uint64(2 * state.stones + state.turn)

    search = po.Search(Hangs(), GRAPH.replace(threads=2))
    with pytest.raises(po.GameError, match=rule):
        search.run(seconds=0.2)
    assert_nothing_is_left(search)
    assert_graph_adds_up(search)


def test_a_policy_that_gives_nan_is_named():
    class Wrong(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return np.nan if node.visits > 50 else edge.value

    search = po.Search(Nim(), GRAPH.replace(policy=Wrong(), threads=4))
    with pytest.raises(po.PlayoutError, match="Wrong"):
        search.run(SIMULATIONS)
    assert_nothing_is_left(search)
    assert_graph_adds_up(search)


def test_what_threads_can_not_share_in_a_graph_is_refused():
    with pytest.raises(po.SettingsError, match=r"threads is 2, .*first_visit") as caught:
        GRAPH.replace(threads=2, expansion=po.All(first_visit=True))
    assert "\n" not in str(caught.value)
