"""The answer of a search: one test for each clause of the rule, and the temperature."""

import math

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from tests.search.test_search import connect4, refused, root_edges

# The answer, one test for each clause of the rule


def answer(rule, *edges, solved=False):
    """The answer among root edges given as (visits, value), or with more: spread=…, proven=True."""
    search = connect4(po.Settings(answer=rule))
    block = root_edges(search)
    for edge, (visits, value, more) in zip(block, edges, strict=False):
        edge["visits"], edge["value"], edge["spread"] = visits, value, more.get("spread", 0.0)
        edge["child"] = -core.END if more.get("proven") else core.NO_NODE
    if solved:
        search.tree.nodes[core.ROOT]["proof"] = core.END_PROOF
    best = search.result().best
    return None if best is None else block["action"].tolist().index(best)


def edge(visits, value, **more):
    return visits, value, more


RULES = ["visits", "value", "bound", "proof"]


def test_choose_nothing_before_the_first_visit():
    assert answer("visits") is None


@pytest.mark.parametrize("rule", RULES)
def test_choose_proven_win_over_most_visited(rule):
    assert answer(rule, edge(1000, 0.999), edge(2, 1.0, proven=True)) == 1


@pytest.mark.parametrize("rule", RULES)
def test_choose_anything_over_proven_loss(rule):
    assert answer(rule, edge(1000, -1.0, proven=True), edge(2, -0.99, spread=0.5)) == 1


@pytest.mark.parametrize("rule", RULES)
def test_choose_a_proven_loss_where_there_is_nothing_else(rule):
    assert answer(rule, edge(3, -1.0, proven=True)) == 0


def test_choose_most_visited_over_highest_value():
    assert answer("visits", edge(10, 0.9), edge(11, 0.1)) == 1


def test_choose_higher_value_among_equally_visited():
    assert answer("visits", edge(10, 0.1), edge(10, 0.2)) == 1


def test_choose_most_visited_over_proven_draw():
    assert answer("visits", edge(10, 0.0, proven=True), edge(11, -0.5)) == 1


def test_choose_highest_value_over_most_visited():
    assert answer("value", edge(1000, 0.1), edge(2, 0.2)) == 1


def test_choose_more_visited_among_equal_values():
    assert answer("value", edge(5, 0.5), edge(6, 0.5)) == 1


def test_choose_the_certain_over_the_lucky_by_lower_bound():
    # 2 visits, 0 and 1: mean 0.5, spread 0.5, error sqrt(0.5 / 1 / 2) = 0.5, bound 0.5 - 1.96 * 0.5 = -0.48
    # 100 visits, mean 0.3, spread 9: error sqrt(9 / 99 / 100) = 0.03, bound 0.3 - 1.96 * 0.03 = 0.24
    assert answer("bound", edge(2, 0.5, spread=0.5), edge(100, 0.3, spread=9.0)) == 1


def test_choose_two_visits_over_one_by_lower_bound():
    assert answer("bound", edge(1, 0.9), edge(2, -0.5, spread=0.1)) == 1


def test_choose_a_proven_value_by_itself_as_its_lower_bound():
    assert answer("bound", edge(1, 0.0, proven=True), edge(4, 0.5, spread=3.0)) == 0  # error sqrt(3 / 3 / 4) = 0.5


def test_choose_proven_draw_over_equal_estimate():
    assert answer("proof", edge(1000, 0.0), edge(2, 0.0, proven=True)) == 1
    assert answer("proof", edge(2, 0.0, proven=True), edge(1000, 0.0)) == 0


def test_choose_better_estimate_over_proven_draw():
    assert answer("proof", edge(2, 0.0, proven=True), edge(1000, 0.3)) == 1


def test_choose_higher_value_among_proven():
    assert answer("proof", edge(9, -0.5, proven=True), edge(2, 0.5, proven=True)) == 1


def test_choose_most_visited_where_nothing_is_proven():
    assert answer("proof", edge(9, 0.9), edge(10, 0.2)) == 1


@pytest.mark.parametrize("rule", RULES)
def test_choose_best_proven_value_at_a_proven_root(rule):
    edges = edge(1000, 0.9), edge(5, 0.0, proven=True), edge(3, 0.5, proven=True)
    assert answer(rule, *edges, solved=True) == 2


@pytest.mark.parametrize("rule", RULES)
def test_choose_the_same_whatever_order_the_actions_were_tried_in(rule):
    # The first beats the second by visits, the second the proven one by value, the proven one the first by proof.
    first, second, proven = edge(100, 0.1, spread=9.0), edge(50, 0.5, spread=9.0), edge(10, 0.3, proven=True)
    by_order = set()
    edges = [first, second, proven]
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        by_order.add(order[answer(rule, *(edges[i] for i in order))])
    assert len(by_order) == 1


# Temperature


def test_temperature_zero_plays_the_answer():
    result = connect4(seed=1).run(100)
    assert result.policy(0.0) == {s.action: float(s.action == result.best) for s in result.actions}
    assert {result.choose(0.0, seed=s) for s in range(20)} == {result.best}


def test_temperature_one_plays_by_visits_and_lower_ones_sharpen():
    result = connect4(seed=1).run(101)
    assert result.actions[0].visits > result.actions[1].visits
    for temperature in (1.0, 0.5, 2.0):
        weights = {s.action: s.visits ** (1 / temperature) for s in result.actions}
        total = sum(weights.values())
        assert result.policy(temperature) == pytest.approx({a: w / total for a, w in weights.items()})
    assert result.policy(1e-3)[result.actions[0].action] == pytest.approx(1, abs=1e-9)  # nothing overflows


def test_temperature_of_the_settings_is_the_default():
    result = connect4(po.Settings(temperature=1.0), seed=1).run(100)
    assert result.policy() == result.policy(1.0)
    drawn = [result.choose(seed=s) for s in range(300)]
    assert len(set(drawn)) > 3
    assert drawn == [result.choose(seed=s) for s in range(300)]


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_a_temperature_that_cannot_be_is_refused(wrong):
    assert "temperature" in refused(po.SettingsError, connect4().run(5).policy, wrong)


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0, None])
def test_the_policy_is_uniform_over_the_legal_actions_before_any_has_a_visit(temperature):
    unsearched = connect4(position="7777771").result()  # column 7 is full
    assert unsearched.policy(temperature) == pytest.approx(dict.fromkeys(range(6), 1 / 6))
    only_the_root = connect4(po.Settings(evaluate_root=True)).run(1)
    assert only_the_root.visits == 1
    assert only_the_root.policy(temperature) == pytest.approx(dict.fromkeys(range(7), 1 / 7))
    assert len({only_the_root.choose(temperature, seed=s) for s in range(200)}) == 7


def test_nothing_can_be_chosen_before_the_first_simulation_at_the_end_or_where_chance_moves():
    assert "before the first simulation" in refused(po.SettingsError, connect4().result().choose, 1.0)
    over = po.Search(po.games.load("tictactoe"), position="XXX/OO./...").result()
    assert over.policy(1.0) == {}
    assert "the game is over in XXX/OO./..." in refused(po.PositionError, over.choose, 1.0)
    luck = po.Search(po.games.load("game2048"))
    luck.run(50)
    luck.play(luck.result().best)
    assert luck.position.player == po.CHANCE
    assert "chance moves" in refused(po.PositionError, luck.result().policy, 1.0)
    assert "chance moves" in refused(po.PositionError, luck.result().choose, 0.0)


def test_variety_does_not_throw_a_proven_result_away():
    results = [connect4(position="112233", seed=seed).run(1000) for seed in range(10)]  # 4 wins at once
    assert any(stats.visits for result in results for stats in result.actions[1:])
    for result in results:
        assert result.proven == 1.0
        assert {result.choose(1.0, seed=s) for s in range(50)} == {3}


def test_a_temperature_may_be_a_numpy_number():
    result = connect4(seed=1).run(101)
    assert result.policy(np.float32(0.5)) == result.policy(0.5)
    assert result.policy(np.int64(1)) == result.policy(1)
