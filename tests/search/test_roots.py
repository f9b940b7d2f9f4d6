# ruff: noqa: RUF001  # Chinese punctuation
"""Several trees, merged at the root: the same on any number of threads, and what a merge by hand gives."""

import copy
import math
import signal
import threading
import time
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.copying import copied
from playout.core.jit import COMPILED
from playout.report.explain import explain
from playout.search import forest_run
from playout.search.forest import seeds_of
from playout.search.lockstep import Lockstep
from playout.search.merge import MergedRoot, is_proven
from tests.game.faulty_games import FAULTS, Faulty
from tests.game.objects import Stones
from tests.games.toy_games import Dice
from tests.processes import hearing_ctrl_c

from .test_batches import CONNECT4, outside
from .test_lockstep import row_by_row
from .test_search import refused

MANY = 6000 if COMPILED else 60
compiled_only = pytest.mark.skipif(not COMPILED, reason="uncompiled, all trees grow in one thread")
VARIANTS = {
    "uct": {},
    "puct": {"policy": po.PUCT(), "noise": po.Noise()},
    "graph": {"transpositions": True},
    "open loop": {"open_loop": True},
    "results": {"wdl": True},
    "playouts that learn": {"evaluator": po.Rollouts(mast=True)},
}


def connect4(roots=4, position="444", seed=3, **changes):
    return po.Search(CONNECT4, po.Settings(roots=roots, **changes), position=position, seed=seed)


def contents(search):
    """Everything that the trees hold, as bytes; of a graph's links without the scratch of replays and proofs."""
    kept = [copied(tree)._asdict() for tree in search.trees]
    for one in kept:
        one["node_links"] = one["node_links"][["key", "first_in"]].tolist()
    return [{name: array.tobytes() if name != "node_links" else array for name, array in one.items()} for one in kept]


def facts(result):
    """The JSON of a result, without the times."""
    return {k: v for k, v in result.to_dict().items() if k not in ("seconds", "simulations_per_second")}


def root_edges(tree):
    root = tree.nodes[core.ROOT]
    return tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]


def tree_threads():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("playout-tree")]


# The same result


@pytest.mark.parametrize("name", VARIANTS)
def test_the_number_of_threads_changes_nothing(name, monkeypatch):
    found = []
    for cores in (1, 2, 4):
        monkeypatch.setattr(forest_run, "cores", lambda cores=cores: cores)
        search = connect4(**VARIANTS[name])
        first, second = search.run(MANY), search.run(7)
        after = search.play(second.best)
        found.append((facts(first), facts(second), facts(search.run(MANY // 2)), contents(search), after.text))
    assert found[0] == found[1] == found[2]


@compiled_only
def test_trees_grow_in_threads_of_their_own(monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: 3)
    seen = set()
    search = connect4(roots=5)
    for tree in search.grown:

        def advance(*arguments, plain=tree.runner.advance):
            seen.add(threading.current_thread().name)
            return plain(*arguments)

        tree.runner.advance = advance
    search.run(MANY)
    assert seen
    assert all(name.startswith("playout-tree") for name in seen)
    assert len(seen) <= 3
    assert not tree_threads()  # all are back


def test_one_root_is_a_plain_search():
    plain = po.Search(CONNECT4, position="444", seed=3)
    one = connect4(roots=1)
    assert facts(plain.run(MANY)) == facts(one.run(MANY))
    assert contents(plain) == contents(one)
    assert "trees" not in one.result().to_dict()


def test_a_run_in_parts_gives_the_same_trees_as_a_whole_one():
    whole, parts = connect4(), connect4()
    whole.run(90)
    for simulations in (1, 10, 2, 77):
        parts.run(simulations)
    assert contents(whole) == contents(parts)


def test_derived_seeds_differ_for_each_tree_and_each_seed():
    seeds = [seed for first in range(50) for seed in seeds_of(first, 8)]
    assert len(set(seeds)) == len(seeds)
    assert seeds_of(12, 8)[:3] == seeds_of(12, 3)
    assert seeds_of(2**64 - 1, 2)[0] == 2**64 - 1


# The merge


@pytest.mark.parametrize("name", ["uct", "graph", "results"])
def test_the_merge_is_what_separate_searches_add_up_to(name):
    count = MANY + 1
    search = connect4(**VARIANTS[name])
    result = search.run(count)
    shares = [count // 4 + (i < count % 4) for i in range(4)]
    alone = [connect4(roots=1, seed=tree.seed, **VARIANTS[name]) for tree in result.trees]
    results = [one.run(share) for one, share in zip(alone, shares, strict=True)]
    assert [tree.seed for tree in result.trees] == seeds_of(3, 4)
    assert [tree.simulations for tree in result.trees] == shares
    assert [tree.best for tree in result.trees] == [one.best for one in results]
    assert [tree.value for tree in result.trees] == [one.value for one in results]
    assert (result.simulations, result.visits) == (count, sum(one.visits for one in results))
    assert result.nodes == search.nodes == sum(one.nodes for one in results)
    assert result.bytes == search.tree_bytes == sum(one.bytes for one in results)
    for action in result.actions:
        each = [one.stats(action.action) for one in results]
        visits = sum(stats.visits for stats in each)
        mean = sum(stats.visits * (stats.value or 0.0) for stats in each) / visits
        # The sum of squares of all returns, from each search's mean and standard error.
        squares = sum(
            (stats.error or 0.0) ** 2 * stats.visits * (stats.visits - 1) + stats.visits * (stats.value or 0.0) ** 2
            for stats in each
        )
        error = math.sqrt(max(0.0, squares - visits * mean**2) / (visits - 1) / visits)
        assert action.visits == visits
        assert action.value == pytest.approx(mean, abs=1e-12)
        assert action.error == pytest.approx(error, abs=1e-9)
        assert action.prior == each[0].prior
        longest = max(each, key=lambda stats: stats.visits)
        assert action.line == longest.line
        if action.wdl is not None:
            assert action.wdl == tuple(np.sum([stats.wdl for stats in each], axis=0))
    assert result.best == max(result.actions, key=lambda stats: stats.visits).action
    assert result.value == pytest.approx(sum(one.visits * one.value for one in results) / result.visits)
    depth = sum(one.mean_depth * one.simulations for one in results) / count
    assert result.mean_depth == pytest.approx(depth)


def test_games_with_chance_and_with_one_player_are_merged():
    dice = po.Search(Dice(), po.Settings(roots=3), seed=1)
    result = dice.run(60)
    assert (result.visits, len(result.trees)) == (60, 3)
    alone = po.Search("target_sum", seed=5, position=None)
    search = po.Search("target_sum", po.Settings(roots=3), seed=5)
    found = search.run(90)
    alone.run(30)
    values = [po.Search("target_sum", seed=tree.seed).run(tree.simulations).best_found.value for tree in found.trees]
    assert found.best_found.value == search.best_found.value == max(values)
    assert found.best_found.simulation is None


# Proofs


def solved(position="X.O/.X./..O"):
    search = po.Search("tictactoe", position=position, seed=1)
    assert search.run(5000).proven is not None
    return search


def test_a_root_that_one_tree_has_proven_is_proven():
    proven = solved()
    fresh = po.Search("tictactoe", position="X.O/.X./..O", seed=2)
    fresh.run(3)
    assert fresh.result().proven is None
    merged = MergedRoot.of(fresh.params, [fresh.tree, proven.tree])
    assert merged.proven == merged.value == 0.0
    assert is_proven(fresh.params, [fresh.tree, proven.tree])
    assert proven.position.action_text(merged.edges[merged.best].action) == "6"  # the only move that does not lose


def test_actions_proven_in_different_trees_prove_the_root_together():
    """Two trees, of which each has proven every other action, and therefore not the root."""
    halves = []
    for parity in (0, 1):
        tree = copied(solved().tree)
        tree.nodes[core.ROOT]["proof"] = core.NO_PROOF
        for i, edge in enumerate(root_edges(tree)):
            if i % 2 == parity:
                edge["child"], edge["value"] = core.NO_NODE, -0.75
        halves.append(tree)
    params = solved().params
    assert [is_proven(params, [half]) for half in halves] == [False, False]
    assert is_proven(params, halves)
    merged = MergedRoot.of(params, halves)
    assert merged.proven == 0.0
    exact = {int(edge["action"]): float(edge["value"]) for edge in root_edges(solved().tree)}
    assert {edge.action: edge.proven for edge in merged.edges} == exact


def test_an_action_that_one_tree_has_proven_is_exact():
    first, second = (copied(solved().tree) for _ in range(2))
    for tree in (first, second):
        tree.nodes[core.ROOT]["proof"] = core.NO_PROOF
        for i, edge in enumerate(root_edges(tree)):
            if i != 1 or tree is first:
                edge["child"], edge["value"] = core.NO_NODE, 0.5
    root_edges(first)["visits"][1] += 100
    merged = MergedRoot.of(solved().params, [first, second])
    truth = root_edges(solved().tree)[1]
    assert merged.edges[1].shown[0] is second  # the line is that of the proof, though the other tree has more visits
    assert (merged.edges[1].proven, merged.edges[1].value) == (truth["value"], truth["value"])
    assert merged.edges[1].visits == 2 * truth["visits"] + 100
    assert (merged.proven, merged.edges[0].proven, merged.edges[0].value) == (None, None, 0.5)


@pytest.mark.parametrize("cores", [1, 2])
def test_a_proof_ends_the_run_at_the_same_count_on_any_number_of_cores(cores, monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: cores)
    search = po.Search("tictactoe", po.Settings(roots=3), position="X.O/.X./..O", seed=1)
    result = search.run(100_000)
    assert (result.proven, result.best_text, result.stopped_by) == (0.0, "6", "proven")
    alone = [po.Search("tictactoe", position="X.O/.X./..O", seed=seed).run(100_000) for seed in seeds_of(1, 3)]
    assert [tree.simulations for tree in result.trees] == [one.simulations for one in alone]
    again = search.run(100)
    assert (again.simulations, again.stopped_by) == (0, "proven")


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_a_proof_in_one_tree_ends_the_others_at_a_fixed_count(cores, monkeypatch):
    seeds = seeds_of(1, 4)
    alone = [po.Search("tictactoe", position="X.O/.X./..O", seed=seed).run(100_000).simulations for seed in seeds]
    assert len(set(alone)) > 1
    monkeypatch.setattr(forest_run, "cores", lambda: cores)
    monkeypatch.setattr(forest_run, "FIRST_STAGE", min(alone) + 1)
    result = po.Search("tictactoe", po.Settings(roots=4), position="X.O/.X./..O", seed=1).run(100_000)
    assert (result.proven, result.stopped_by) == (0.0, "proven")
    assert [tree.simulations for tree in result.trees] == [min(count, min(alone) + 1) for count in alone]
    assert None in [tree.proven for tree in result.trees]


def test_the_shortest_proof_of_all_trees_is_the_line():
    search = po.Search("tictactoe", po.Settings(roots=2), position="XX./OO./...", seed=1)
    result = search.run(1000)
    assert result.proven == 1.0
    assert search.proven_line(result.best) == (result.best,)


# Playing on


def test_every_tree_plays_the_action_and_keeps_its_subtree():
    search = connect4()
    action = search.run(MANY).best
    below = []
    for tree in search.trees:
        edge = next(edge for edge in root_edges(tree) if edge["action"] == action)
        below.append(int(tree.nodes[edge["child"]]["visits"]))
    search.play(action)
    assert [int(tree.nodes[core.ROOT]["visits"]) for tree in search.trees] == below
    assert search.result().visits == sum(below) > 0
    assert (search.simulations, search.position.text) == (0, "444" + CONNECT4.position("444").action_text(action))
    assert search.run(8).trees[3].simulations == 2


def test_a_copy_plays_on_by_itself_and_a_snapshot_keeps_its_trees():
    search = connect4()
    search.run(100)
    before, twin, kept = contents(search), copy.copy(search), search.snapshot()
    twin.play(3)
    assert contents(search) == before
    search.run(100)
    assert contents(kept) == before
    kept.run(100)
    assert contents(kept) == contents(search)


def test_trees_go_on_after_chance_and_end_with_the_game():
    search = po.Search(Dice(), po.Settings(roots=2), seed=1)
    while not search.position.is_terminal:
        if search.position.player == po.CHANCE:
            assert search.result().best is None
            search.play(search.position.outcomes()[0][0])
        else:
            search.play(search.run(20).best)
    result = search.result()
    assert (result.best, result.actions, len(result.trees)) == (None, (), 2)
    assert "over" in result.explain()


# Limits


def test_simulations_are_a_total_and_the_first_trees_get_the_remainder():
    search = connect4()
    result = search.run(10)
    assert [tree.simulations for tree in result.trees] == [3, 3, 2, 2]
    assert [tree.simulations for tree in search.run(10).trees] == [2, 2, 3, 3]
    assert (search.simulations, result.stopped_by) == (20, "simulations")
    few = connect4().run(3)
    assert [tree.simulations for tree in few.trees] == [1, 1, 1, 0]
    assert few.visits == 3


def test_positions_and_bytes_are_totals():
    result = connect4().run(nodes=400)
    assert (result.nodes, result.stopped_by) == (400, "nodes")
    few = connect4().run(nodes=5)
    assert [tree.simulations for tree in few.trees] == [1, 0, 0, 0]
    sized = connect4().run(bytes=1 << 18)
    assert sized.stopped_by == "bytes"
    assert sized.bytes <= 1 << 18
    assert "too small for 4 roots of connect4" in refused(po.SettingsError, connect4().run, bytes=100)


def test_a_time_limit_is_for_all_trees_together():
    search = connect4(roots=3, solver=False)
    search.run(3)
    began = time.perf_counter()
    result = search.run(seconds=0.2)
    assert result.stopped_by == "seconds"
    assert time.perf_counter() - began < 30  # however busy the machine is
    assert all(tree.simulations > 0 for tree in result.trees)


def test_a_run_stops_early_when_all_trees_together_have_decided():
    settings = po.Settings(roots=2, early_stop=True, solver=False)
    search = po.Search("connect4", settings, position="112233", seed=1)  # 4 wins at once
    result = search.run(20_000 if COMPILED else 4100)
    assert result.best_text == "4"
    assert result.stopped_by == "decided"
    assert result.simulations in (2 * 1024 * 2**k for k in range(5))  # where the trees are compared
    best, other = sorted((stats.visits for stats in result.actions), reverse=True)[:2]
    assert best - other > (20_000 if COMPILED else 4100) - result.simulations
    assert search.is_decided(best - other - 1)
    assert not search.is_decided(best - other)
    full = po.Search("connect4", settings, position="112233", seed=1).run(3000, early_stop=False)
    assert full.simulations == 3000


# Stopping and failing


@compiled_only
def test_stop_ends_all_trees(monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: 2)
    monkeypatch.setattr(forest_run, "FIRST_STAGE", 1 << 40)  # no tree ends by itself
    search, results = connect4(solver=False), []
    search.run(10)
    thread = threading.Thread(target=lambda: results.append(search.run(seconds=600)))
    thread.start()
    while search.simulations < 500:
        time.sleep(0.001)
    assert "another thread" in refused(po.BusyError, search.result)
    search.stop()
    thread.join(60)
    assert results, "still running"
    assert results[0].stopped_by == "stop"
    assert not tree_threads()
    assert search.run(8).simulations == 8


@compiled_only
def test_ctrl_c_ends_all_trees(monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: 2)
    search = connect4(solver=False)
    search.run(10)

    def press():
        while search.simulations < 500:
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    with hearing_ctrl_c():
        threading.Thread(target=press).start()
        with pytest.raises(KeyboardInterrupt):
            search.run(seconds=600)
    assert not tree_threads()
    before = search.simulations
    assert search.run(8).visits == before + 8


@compiled_only
def test_a_thread_that_starts_after_ctrl_c_leaves_the_trees_alone(monkeypatch):
    late = []

    class Late(threading.Thread):
        """Ctrl-C comes while the thread starts; it gets going later."""

        def start(self):
            late.append(self)
            raise KeyboardInterrupt

    monkeypatch.setattr(forest_run, "cores", lambda: 2)
    monkeypatch.setattr(forest_run, "threading", SimpleNamespace(Thread=Late, Condition=threading.Condition))
    search = connect4(solver=False)
    with pytest.raises(KeyboardInterrupt):
        search.run(1000)
    before = contents(search)
    for tree in search.grown:  # as the next run does
        tree.runner.control.start_over()
    late[0].run()
    assert contents(search) == before


@pytest.mark.parametrize("cores", [1, 2])
def test_an_error_in_one_tree_ends_all_and_the_trees_stay_whole(cores, monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: cores)
    search = connect4(solver=False)
    search.run(8)
    runner = search.grown[2].runner
    plain = runner.advance

    def fail(*arguments):
        raise po.GameError("connect4: the third tree failed")

    runner.advance = fail
    assert refused(po.GameError, search.run, seconds=600) == "connect4: the third tree failed"
    assert all(tree.runner.control.is_stopped for tree in search.grown)  # which also ends a rule that hangs
    assert not tree_threads()
    runner.advance = plain
    for tree in search.trees:
        assert int(root_edges(tree)["visits"].sum()) == int(tree.nodes[core.ROOT]["visits"])
    before = search.simulations
    assert search.run(8).visits == before + 8


@compiled_only
def test_a_rule_that_never_returns_is_interrupted_in_its_thread(monkeypatch):
    monkeypatch.setattr(forest_run, "cores", lambda: 2)
    search = po.Search(Faulty(fault=FAULTS.index("never returns")), po.Settings(roots=2))
    message = refused(po.GameError, search.run, seconds=0.2)
    assert "Faulty.apply was still running at stones=7" in message
    assert not tree_threads()


def test_progress_may_look_at_the_result_while_no_tree_grows(monkeypatch):
    monkeypatch.setattr(forest_run, "LOOK_SECONDS", 0.002)
    seen = []

    def look(search, share):
        result = search.result()
        assert result.visits == search.simulations == sum(tree.visits for tree in result.trees)
        assert sum(stats.visits for stats in result.actions) == result.visits
        assert "`progress` may only look" in refused(po.BusyError, search.run, 1)
        seen.append((search.simulations, share))

    search = connect4(solver=False)
    search.run(10 * MANY, progress=look)
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert seen[-1] == (10 * MANY, 1.0)
    stopped = connect4(solver=False).run(10 * MANY, progress=lambda search, share: search.stop())
    assert stopped.stopped_by == "stop"


# Python objects, functions and networks: one tree at a time


def test_trees_of_python_objects_take_turns_and_are_those_of_separate_searches():
    search = po.Search(po.wrap(Stones(10), players=2), po.Settings(roots=3, solver=False), seed=4)
    result = search.run(90)
    for tree in result.trees:
        alone = po.Search(po.wrap(Stones(10), players=2), po.Settings(solver=False), seed=tree.seed).run(30)
        assert (tree.best, tree.value, tree.visits) == (alone.best, alone.value, alone.visits)
    search.play(1)
    search.game.forget_unused()
    assert search.run(30).simulations == 30  # no object that a tree needs was released
    assert search.run(seconds=0.05).stopped_by == "seconds"


def test_a_proof_soon_ends_the_trees_of_python_objects():
    search = po.Search(po.wrap(Stones(2), players=2), po.Settings(roots=3), seed=4)
    result = search.run(10_000)
    assert (result.proven, result.stopped_by) == (1.0, "proven")
    assert result.simulations <= 3 * 16


@pytest.mark.parametrize("batch", [1, 4])
def test_trees_ask_a_function_in_turns(batch):
    callers = set()

    def asked(observations):
        callers.add(threading.current_thread())
        return row_by_row(observations)

    search = po.Search(CONNECT4, outside(asked, batch=batch, roots=3), seed=3)
    result = search.run(61)
    assert callers == {threading.current_thread()}
    for tree, share in zip(result.trees, (21, 20, 20), strict=True):
        alone = po.Search(CONNECT4, outside(row_by_row, batch=batch), seed=tree.seed).run(share)
        assert (tree.simulations, tree.best, tree.value) == (share, alone.best, alone.value)
    assert sum(stats.prior for stats in result.actions) == pytest.approx(1.0, abs=1e-5)


# What works on one tree only


def test_what_works_on_one_tree_is_refused_with_the_way_out(tmp_path):
    search = connect4()
    search.run(20)
    calls = {
        "step": search.step,
        "rewind": lambda: search.rewind(0),
        "log": lambda: search.log,
        "save": lambda: search.save(tmp_path / "four.search"),
        "ask and tell": search.ask,
        "set_root": lambda: search.set_root(po.Settings(noise=po.Noise())),
        "from_tree": lambda: po.Search.from_tree(CONNECT4, {"children": {}}, po.Settings(roots=4)),
    }
    for name, call in calls.items():
        message = refused(po.SettingsError, call)
        assert message == f"{name}: this search grows 4 trees, expected one; make it with roots=1"
    assert not list(tmp_path.iterdir())
    several = po.Search(CONNECT4, outside(row_by_row, roots=2))
    assert "self-play: this search grows 2 trees" in refused(po.SettingsError, Lockstep().join, several)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"roots": 0}, "roots is 0, expected a whole number of at least 1 and at most 256"),
        ({"roots": 10_000}, "roots is 10000, expected a whole number of at least 1 and at most 256"),
        ({"roots": "4"}, "roots is '4', expected a whole number"),
        ({"roots": 2, "root": po.Gumbel()}, "Gumbel() plans the simulations of one tree"),
        ({"roots": 2, "root": po.Halving()}, "Halving() plans the simulations of one tree"),
        ({"roots": 2, "evaluator": po.Outside()}, "ask and tell give out the leaves of one tree"),
    ],
)
def test_settings_that_can_not_be_are_refused(changes, reason):
    assert reason in refused(po.SettingsError, po.Settings, **changes)


# Explanations


def test_an_explanation_counts_which_tree_prefers_what():
    result = connect4(roots=9, position="", seed=2).run(270)
    wanted = Counter(tree.best_text for tree in result.trees)
    assert len(wanted) > 1, "choose another seed: the trees agree"
    english, chinese = explain(result), explain(result, "zh")
    assert "9 trees searched independently and disagree: " in english
    assert "9 棵树各自独立搜索，意见不一：" in chinese
    for action, count in wanted.items():
        assert f"{count} {'prefers' if count == 1 else 'prefer'} {action}" in english
        assert f"{count} 棵首选 {action}" in chinese
    values = [tree.value_of_best for tree in result.trees]
    assert f"are from {min(values):+.3f} to {max(values):+.3f}." in english
    assert "since simulation" not in english  # which each tree counts for itself


def test_an_explanation_says_when_all_trees_agree():
    result = po.Search("tictactoe", po.Settings(roots=2), position="XX./OO./...", seed=1).run(500)
    assert f"2 trees searched independently, and all of them prefer {result.best_text}." in result.explain()
    assert f"2 棵树各自独立搜索，都首选 {result.best_text}。" in explain(result, "zh")
