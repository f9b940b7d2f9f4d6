"""Search as its users see it: limits, seeds, reuse, noise, walking back, and every refusal."""

import math
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core import tree as core
from playout.core.copying import copied
from playout.core.jit import COMPILED
from tests.games.toy_games import TOY_GAMES, Corridor, Dice, GuidedNim, KeptTwiceNim, Nim
from tests.oracles.oracle import compiled_tree
from tests.sizes import examples
from tests.trees import assert_adds_up

FEW = 1000 if COMPILED else 100


def connect4(settings=None, **options):
    return po.Search(po.games.load("connect4"), settings, **options)


def arrays(search):
    """Everything the tree holds, as bytes."""
    return {name: array.tobytes() for name, array in copied(search.tree)._asdict().items()}


def assert_same_trees(a, b):
    found, expected = arrays(a), arrays(b)
    for name, content in expected.items():
        assert found[name] == content, f"{name} differ"


def root_edges(search):
    root = search.tree.nodes[core.ROOT]
    return search.tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]


def refused(error, function, *arguments, **named) -> str:
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Limits


def test_simulations_are_counted_exactly():
    search = connect4()
    for count in (1, 2, 63, 100):
        result = search.run(count)
        assert (result.simulations, result.stopped_by) == (count, "simulations")
    assert search.simulations == 166
    assert search.result().visits == 166


def test_seconds_end_a_run():
    result = connect4().run(seconds=0.15)
    assert result.stopped_by == "seconds"
    assert result.simulations > 0
    assert result.seconds > 0.1


def test_nodes_end_a_run_at_the_very_number():
    search = connect4()
    result = search.run(nodes=150)
    assert (result.nodes, result.stopped_by) == (150, "nodes")
    # 150 positions: the root and 149 that a simulation has come to.
    assert np.count_nonzero(search.tree.edges[: result.edges]["visits"]) == 149
    assert search.run(nodes=150).simulations == 0


def test_bytes_end_a_run_and_are_never_exceeded():
    for limit in (20_000, 50_000):
        search = connect4()
        result = search.run(bytes=limit)
        assert result.stopped_by == "bytes"
        assert limit / 2 < result.bytes <= limit
        grown = search.tree
        assert grown.nodes.nbytes + grown.edges.nbytes <= limit + grown_slack(search)


def grown_slack(search):
    """What an empty tree has room for from the start."""
    empty = core.new_tree(search.position.buffer, 2, False, 0)
    return empty.nodes.nbytes + empty.edges.nbytes


@pytest.mark.parametrize(
    ("first", "limits"),
    [
        ("simulations", {"simulations": 10, "seconds": 60, "nodes": 10**6, "bytes": 10**9}),
        ("seconds", {"simulations": 10**9, "seconds": 0.05, "nodes": 10**9, "bytes": 10**10}),
        ("nodes", {"simulations": 10**6, "seconds": 60, "nodes": 20, "bytes": 10**9}),
        ("bytes", {"simulations": 10**6, "seconds": 60, "nodes": 10**6, "bytes": 10_000}),
    ],
)
def test_of_several_limits_the_first_one_reached_ends_the_run(first, limits):
    assert connect4().run(**limits).stopped_by == first


def test_limits_of_simulations_count_new_work_after_a_reused_subtree():
    search = connect4(seed=1)
    search.run(FEW)
    search.play(search.result().best)
    before = search.result().visits
    assert before > 10
    result = search.run(50)
    assert (result.simulations, result.visits) == (50, before + 50)


def test_a_proven_root_ends_the_run():
    search = po.Search(po.games.load("tictactoe"), position="XX./OO./...")
    result = search.run(10_000)
    assert (result.stopped_by, result.proven, result.best_text) == ("proven", 1.0, "3")
    assert result.simulations < 10_000
    assert search.run(10).simulations == 0


def test_progress_goes_up_to_the_whole():
    seen = []
    connect4().run(300, progress=lambda search, share: seen.append((search.simulations, share)))
    assert seen[0] == (0, 0.0)
    assert seen[-1] == (300, 1.0)
    assert seen == sorted(seen)


# Early stop


def test_early_stop_gives_the_answer_of_the_full_run_with_fewer_simulations():
    plain, early = po.Settings(solver=False), po.Settings(solver=False, early_stop=True)
    saved = 0
    for seed in range(5):
        full = connect4(plain, position="44455", seed=seed).run(2 * FEW)
        short = connect4(early, position="44455", seed=seed).run(2 * FEW)
        assert short.best == full.best
        assert short.simulations <= full.simulations
        assert (short.stopped_by == "decided") == (short.simulations < full.simulations)
        saved += full.simulations - short.simulations
    assert saved > 0


def test_early_stop_comes_at_the_same_simulation_however_the_run_is_cut():
    settings = po.Settings(solver=False, early_stop=True)
    a, b = connect4(settings, position="44455", seed=3), connect4(settings, position="44455", seed=3)
    assert a.run(FEW).simulations == b.run(FEW, seconds=1000).simulations
    assert_same_trees(a, b)


def test_early_stop_works_by_the_clock_too():
    result = po.Search(Nim(stones=3), po.Settings(solver=False, early_stop=True)).run(seconds=4)
    assert result.stopped_by == "decided"


# Stopping and threads


def test_stop_from_another_thread_ends_the_run_promptly():
    search, results = connect4(po.Settings(solver=False)), []
    search.run(10)  # compiled by now
    thread = threading.Thread(target=lambda: results.append(search.run(seconds=600)))
    thread.start()
    while search.simulations < 50:
        time.sleep(0.001)
    search.stop()
    thread.join(300)  # far from the ten minutes it was told
    assert results[0].stopped_by == "stop"
    assert search.run(5).simulations == 5  # the next run is not stopped by the last one's call


def test_a_second_thread_is_refused_and_the_tree_is_unharmed():
    search, results = connect4(po.Settings(solver=False), seed=4), []
    search.run(10)
    thread = threading.Thread(target=lambda: results.append(search.run(seconds=600)))
    thread.start()
    try:
        while search.simulations < 50:
            time.sleep(0.001)
        for call in (lambda: search.run(1), search.result, lambda: search.play(3), lambda: search.rewind(1)):
            assert "another thread" in refused(po.BusyError, call)
    finally:
        search.stop()
        thread.join(300)
    alone = connect4(po.Settings(solver=False), seed=4)
    alone.run(search.simulations)
    assert_same_trees(search, alone)


# Seeds


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_the_same_seed_gives_the_same_tree_however_it_is_cut(kind):
    searches = [po.Search(kind(), po.Settings(solver=False), seed=7) for _ in range(4)]
    searches[0].run(200)
    searches[1].run(200)
    for _ in range(10):
        searches[2].run(20)
    for _ in range(200):
        searches[3].run(1)
    for other in searches[1:]:
        assert_same_trees(searches[0], other)


def test_different_seeds_give_different_trees():
    trees = {connect4(seed=seed).run(100).actions for seed in range(10)}
    assert len(trees) == 10


def test_the_whole_range_of_seeds_is_taken():
    assert connect4(seed=2**64 - 1).run(5).simulations == 5
    assert connect4(seed=np.uint64(3)).run(50).actions == connect4(seed=3).run(50).actions


# Reuse


@pytest.mark.parametrize("kind", [Nim, Dice, KeptTwiceNim, GuidedNim], ids=lambda kind: kind.__name__)
def test_playing_keeps_exactly_the_subtree(kind):
    search = po.Search(kind(), po.Settings(solver=False), seed=2)
    search.run(400)
    before = compiled_tree(search)
    action = search.result().best
    search.play(action)
    kept = compiled_tree(search)
    expected = {}
    for key, record in before.items():
        path, mark = (key[0], key[1:]) if key and key[-1] == "edge" else (key, ())
        if path[:1] == (action,) and not (mark and len(path) == 1):
            expected[(path[1:], *mark) if mark else path[1:]] = record
    assert kept == expected
    assert len(kept) > 20
    assert search.simulations == 0
    # Each position but the root hangs on a visited edge.
    assert search.result().nodes == 1 + sum(1 for k, r in kept.items() if k and k[-1] == "edge" and r["visits"])


def test_playing_an_unvisited_action_begins_a_new_tree():
    search = connect4(seed=1)
    search.play("4")
    assert (search.result().visits, search.position.text) == (0, "4")
    assert search.run(20).visits == 20
    assert [p.text for p in search.history] == [""]


def test_playing_to_the_end_and_past_it():
    search = po.Search(Nim(stones=2))
    search.run(20)
    search.play(2)
    assert search.position.is_terminal
    assert search.result().best is None
    assert "the game is over" in refused(po.PositionError, search.run, 10)
    refused(po.ActionError, search.play, 1)


def test_a_reused_tree_still_proves():
    search = po.Search(po.games.load("tictactoe"), seed=1)
    search.run(FEW)
    while not search.position.is_terminal:
        result = search.run(50 * FEW if COMPILED else 5 * FEW)
        search.play(result.best)
    # Both sides took the best move at every step, and tic-tac-toe is a draw.
    if COMPILED:
        assert not search.position.rewards.any()


# Noise


NOISE = po.Settings(policy=po.PUCT(), noise=po.Noise(0.25, 0.3), solver=False)


def test_noise_differs_between_actions_and_sums_to_one():
    priors = root_edges(connect4(NOISE, seed=1))["prior"]
    assert len(set(priors.tolist())) == 7
    assert float(priors.sum()) == pytest.approx(1, abs=1e-6)
    assert (priors > 0).all()
    # The game's own share of three quarters is still there: connect four has priors or they are uniform, 1/7 each.
    if not po.games.load("connect4").has("priors"):
        assert (priors >= 0.75 / 7 - 1e-6).all()


def test_noise_is_applied_anew_to_a_reused_root():
    noisy, plain = connect4(NOISE, seed=1), connect4(NOISE.replace(noise=None), seed=1)
    noisy.run(400)
    action = noisy.result().best
    number = next(int(e["child"]) for e in root_edges(noisy) if e["action"] == action)
    node = noisy.tree.nodes[number]
    inside = noisy.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
    before = {int(e["action"]): float(e["prior"]) for e in inside}
    plain.play(action)
    # Below the root there is no noise: the priors are those of a search without.
    assert before == pytest.approx({int(e["action"]): float(e["prior"]) for e in root_edges(plain)})
    noisy.play(action)
    after = {int(e["action"]): float(e["prior"]) for e in root_edges(noisy)}
    assert after.keys() == before.keys()
    assert len({round(after[a] - 0.75 * before[a], 7) for a in after}) == len(after)  # for each action its own
    assert sum(after.values()) == pytest.approx(1, abs=1e-6)


def test_noise_never_makes_an_illegal_action():
    search = connect4(NOISE, position="444444", seed=5)
    assert sorted(root_edges(search)["action"].tolist()) == [0, 1, 2, 4, 5, 6]
    assert search.run(100).visits == 100


def test_noise_alone_says_what_is_tried_first_where_priors_are_equal():
    # All of the prior is noise and an unvisited action is worth the parent's value: PUCT begins with the largest.
    for seed in range(10):
        search = po.Search(Nim(), po.Settings(policy=po.PUCT(1.0), noise=po.Noise(1.0, 1.0)), seed=seed)
        wanted = max(root_edges(search), key=lambda e: float(e["prior"]))["action"]
        assert search.run(1).actions[0].action == wanted


# Walking back


@pytest.mark.parametrize("kind", [Nim, Dice, KeptTwiceNim, GuidedNim], ids=lambda kind: kind.__name__)
def test_rewind_gives_the_tree_after_so_many_simulations_and_goes_on_the_same(kind):
    settings = po.Settings(solver=False)
    search = po.Search(kind(), settings, seed=5)
    many = 300 if COMPILED else 80
    search.run(many)
    whole = arrays(search)
    for k in (many - 1, many // 2, 1, 0):
        search.rewind(k)
        other = po.Search(kind(), settings, seed=5)
        if k:
            other.run(k)
        assert search.simulations == k
        assert_same_trees(search, other)
        search.run(many - k)
        assert arrays(search) == whole


def test_rewind_after_play_goes_back_to_the_reused_tree_at_the_earliest():
    search = connect4(NOISE, seed=9)
    search.run(300)
    search.play(search.result().best)
    reused = arrays(search)
    search.run(120)
    whole = arrays(search)
    search.rewind(60)
    search.run(60)
    assert arrays(search) == whole
    search.rewind(0)
    assert arrays(search) == reused


@pytest.mark.slow
def test_rewind_of_a_walk_deeper_than_the_first_path():
    search = po.Search(Corridor(), po.Settings(policy=po.UCT(0.01), evaluator=po.Rollouts(depth=1), solver=False))
    search.run(400)
    assert search.result().max_depth > 130
    whole = arrays(search)
    search.rewind(100)
    search.run(300)
    assert arrays(search) == whole


@pytest.mark.parametrize("wrong", [-1, 11, 1.5, "3", None])
def test_rewind_to_where_the_search_never_was_is_refused(wrong):
    search = connect4()
    search.run(10)
    before = arrays(search)
    assert "0 to 10" in refused(po.SettingsError, search.rewind, wrong)
    assert arrays(search) == before


# What always holds


@budget(max_examples=examples(120), deadline=None)
@given(
    kind=st.sampled_from(TOY_GAMES),
    policy=st.sampled_from([po.UCT(), po.UCB1Tuned(), po.PUCT()]),
    expansion=st.sampled_from([po.All(), po.OneAtATime(), po.Widening()]),
    solver=st.booleans(),
    evaluate_root=st.booleans(),
    simulations=st.integers(1, 300 if COMPILED else 100),
    seed=st.integers(0, 1000),
)
def test_every_tree_adds_up(kind, policy, expansion, solver, evaluate_root, simulations, seed):
    game = kind()
    settings = po.Settings(policy=policy, expansion=expansion, solver=solver, evaluate_root=evaluate_root)
    search = po.Search(game, settings, seed=seed)
    result = search.run(simulations)
    root = search.tree.nodes[core.ROOT]
    assert root["visits"] == result.simulations
    assert root["own"] == (evaluate_root and result.simulations > 0)
    assert_adds_up(search)
    assert result.nodes == search.tree.counters[core.POSITIONS]


@pytest.mark.parametrize("simulations", [1000, 20_000])
def test_connect_four_takes_at_most_forty_bytes_an_edge(simulations):
    result = connect4(seed=1).run(simulations if COMPILED else 300)
    assert result.bytes / result.edges <= 40


# Bad input


@pytest.mark.parametrize("name", ["simulations", "seconds", "nodes", "bytes"])
@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, "10", True, 1.5])
def test_a_limit_that_cannot_be_is_refused_and_the_search_goes_on(name, value):
    if name == "seconds" and value == 1.5:
        return
    search = connect4()
    message = refused(po.SettingsError, search.run, **{name: value})
    assert name in message
    assert repr(value) in message
    assert search.run(10).simulations == 10


def test_no_limit_at_all_is_refused():
    assert "no limit given" in refused(po.SettingsError, connect4().run)


def test_bytes_too_small_for_a_root_are_refused_with_what_is_needed():
    search = connect4()
    message = refused(po.SettingsError, search.run, bytes=100)
    least = int(message.rsplit(" ", 1)[1])
    assert "100" in message
    refused(po.SettingsError, search.run, bytes=least - 1)
    assert search.run(bytes=least).simulations >= 1
    assert search.run(10).simulations == 10


@pytest.mark.parametrize("action", [7, -1, "8", "x", 99])
def test_an_illegal_action_is_refused_and_the_tree_unharmed(action):
    search = connect4(seed=1)
    search.run(50)
    before = arrays(search)
    refused(po.ActionError, search.play, action)
    assert arrays(search) == before
    assert (search.history, search.position.text) == ([], "")
    search.rewind(20)
    search.run(30)
    assert arrays(search) == before


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True])
def test_a_seed_that_cannot_be_is_refused(seed):
    assert "seed" in refused(po.SettingsError, connect4, seed=seed)


def test_without_a_seed_a_random_one_is_taken_and_told():
    first, second = (connect4(seed=None) for _ in range(2))
    assert first.seed != second.seed
    result = first.run(200)
    assert result.seed == result.to_dict()["seed"] == first.seed
    again = connect4(seed=first.seed)
    again.run(200)
    assert_same_trees(first, again)


def test_a_search_takes_the_name_of_a_game():
    named, given = po.Search("connect4", seed=3), connect4(seed=3)
    named.run(100)
    given.run(100)
    assert_same_trees(named, given)


@pytest.mark.parametrize("number", [1e2, np.int64(100), np.float32(100)])
def test_a_limit_may_be_any_number_that_is_whole(number):
    assert connect4().run(number).simulations == 100
    assert connect4().run(nodes=number).nodes == 100
    assert connect4().run(bytes=1e2 * number).stopped_by == "bytes"
    assert connect4(seed=number).seed == 100


def test_an_unknown_preset_is_refused_with_the_names_there_are():
    message = refused(po.SettingsError, connect4, "texbook")
    assert "texbook" in message
    assert "textbook" in message


@pytest.mark.parametrize("game", ["conect4", Nim, None, po.Settings()])
def test_a_search_of_something_that_is_no_game_is_refused(game):
    refused(po.GameError, po.Search, game)


def test_settings_of_the_wrong_kind_are_refused():
    refused(po.SettingsError, po.Search, Nim(), {"policy": "uct"})


@pytest.mark.parametrize(
    ("settings", "missing"),
    [
        (po.Settings(evaluator=po.Static()), "evaluate"),
        (po.Settings(evaluator=po.Mixed()), "evaluate"),
        (po.Settings(evaluator=po.Rollouts(guided=True)), "playout_action"),
    ],
)
def test_settings_that_the_game_has_no_part_for_are_refused(settings, missing):
    assert missing in refused(po.SettingsError, po.Search, Nim(), settings)


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "UCT"},
        {"policy": po.UCT(-1)},
        {"policy": po.PUCT(base=0)},
        {"evaluator": po.Rollouts(n=0)},
        {"evaluator": po.Rollouts(depth=0)},
        {"evaluator": po.Mixed(weight=2)},
        {"expansion": po.Widening(alpha=2)},
        {"expansion": po.Widening(cap=0)},
        {"unvisited": "never"},
        {"answer": "best"},
        {"ties": "last"},
        {"discount": 0},
        {"discount": 1.5},
        {"temperature": -1},
        {"confidence": 1},
        {"noise": po.Noise(alpha=0)},
        {"noise": po.Noise(fraction=2)},
        {"noise": 0.25},
    ],
    ids=str,
)
def test_a_setting_that_cannot_be_is_refused_by_name(wrong):
    message = refused(po.SettingsError, po.Settings, **wrong)
    assert next(iter(wrong)) in message


def test_a_game_over_at_the_root_is_refused():
    search = po.Search(po.games.load("tictactoe"), position="XXX/OO./...")
    assert "the game is over" in refused(po.PositionError, search.run, 10)
    assert search.result().best is None


def test_chance_to_move_at_the_root_asks_for_an_outcome():
    search = po.Search(Dice(), seed=1)
    search.run(100)
    search.play(1)
    assert "chance moves next" in refused(po.PositionError, search.run, 10)
    search.play(3)
    assert search.run(50).simulations > 0
