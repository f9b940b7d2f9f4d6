"""Trees drawn by hand: selection, expansion and backup checked by eye, one policy at a time.

The game is a row of stones of which one to three are taken; who takes the last wins. Actions are their own numbers.
"""

import math

import numpy as np
import pytest

import playout as po
from tests.games.toy_games import Nim

FIRST = "first"


def scores(search: po.Search) -> dict[str, float]:
    """The scores that the next simulation compares at the root."""
    return {edge.text: edge.score for edge in search.step().selection[0].edges}


def changed(step: object, what: str, path: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    return {c.field: (c.before, c.after) for c in step.backup if c.what == what and c.path == path}


def test_uct_adds_c_root_of_log_n_over_n() -> None:
    tree = {
        "visits": 10,
        "children": {
            "1": {"visits": 6, "value": 0.5},
            "2": {"visits": 3, "value": -0.25},
            "3": {"visits": 1, "value": 0.0},
        },
    }
    search = po.Search.from_tree(Nim(), tree, po.Settings(policy=po.UCT(2.0)))
    found = scores(search)
    # ln 10 = 2.302585; 0.5 + 2 sqrt(2.302585 / 6) = 0.5 + 2 * 0.619487 = 1.738974
    assert found["1"] == pytest.approx(1.738974, abs=1e-6)
    # -0.25 + 2 sqrt(2.302585 / 3) = -0.25 + 2 * 0.876087 = 1.502173
    assert found["2"] == pytest.approx(1.502173, abs=1e-6)
    # 0 + 2 sqrt(2.302585) = 3.034854: one visit, so it is explored
    assert found["3"] == pytest.approx(3.034854, abs=1e-6)


def test_ucb1_tuned_uses_the_variance_up_to_a_quarter_of_the_range() -> None:
    tree = {
        "visits": 20,
        "children": {
            "1": {"visits": 10, "value": 0.2, "variance": 0.04},
            "2": {"visits": 10, "value": 0.2, "variance": 0.9},
        },
    }
    found = scores(po.Search.from_tree(Nim(), tree, po.Settings(policy=po.UCB1Tuned(), unvisited=-9.0)))
    # Values from -1 to 1 are 2 wide. ln 20 / 10 = 0.2995732, sqrt(2 * 0.2995732) = 0.7740455.
    # 1: V = 0.04 / 4 + 0.7740 = 0.7840, above 1/4: 0.2 + 2 sqrt(0.2995732 / 4) = 0.2 + 0.5473328 = 0.7473328
    assert found["1"] == pytest.approx(0.7473328, abs=1e-6)
    # 2: V is above 1/4 as well: the same
    assert found["2"] == pytest.approx(0.7473328, abs=1e-6)
    many = {
        "visits": 100_000,
        "children": {
            "1": {"visits": 90_000, "value": 0.2, "variance": 0.04},
            "2": {"visits": 10_000, "value": 0.1, "variance": 0.36},
        },
    }
    found = scores(po.Search.from_tree(Nim(), many, po.Settings(policy=po.UCB1Tuned(), unvisited=-9.0)))
    # ln 100000 = 11.512925. 1: r = 11.512925 / 90000 = 1.279214e-4, V = 0.01 + sqrt(2 r) = 0.01 + 0.0159951,
    # 0.2 + 2 sqrt(r V) = 0.2 + 2 * 1.823541e-3 = 0.2036471
    assert found["1"] == pytest.approx(0.2036471, abs=1e-6)
    # 2: r = 1.1512925e-3, V = 0.09 + sqrt(2 r) = 0.09 + 0.0479852 = 0.1379852, 0.1 + 2 sqrt(r V) = 0.1 + 0.0252080
    assert found["2"] == pytest.approx(0.1252080, abs=1e-6)


def test_puct_weighs_the_prior_by_the_root_of_all_visits() -> None:
    tree = {
        "visits": 17,  # 16 through the children, one of the root's own
        "value": 0.1,
        "children": {
            "1": {"visits": 12, "value": 0.25, "prior": 0.5},
            "2": {"visits": 4, "value": -0.5, "prior": 0.3},
            "3": {"prior": 0.2},
        },
    }
    settings = po.Settings(policy=po.PUCT(1.5), unvisited=po.Parent(0.3))
    found = scores(po.Search.from_tree(Nim(), tree, settings))
    # 1: 0.25 + 1.5 * 0.5 * sqrt(16) / 13 = 0.25 + 0.2307692
    assert found["1"] == pytest.approx(0.4807692, abs=1e-6)
    # 2: -0.5 + 1.5 * 0.3 * 4 / 5 = -0.5 + 0.36
    assert found["2"] == pytest.approx(-0.14, abs=1e-6)
    # 3: the root's value 0.1 less 0.3, + 1.5 * 0.2 * 4 / 1 = -0.2 + 1.2
    assert found["3"] == pytest.approx(1.0, abs=1e-6)


def test_puct_can_grow_its_constant_with_the_log_of_the_visits() -> None:
    tree = {"visits": 100, "children": {"1": {"visits": 99, "value": 0.0, "prior": 1.0}}}
    settings = po.Settings(policy=po.PUCT(1.0, growth=2.0, base=99.0), unvisited=-5.0)
    found = scores(po.Search.from_tree(Nim(), tree, settings))
    # c = 1 + 2 ln((100 + 99 + 1) / 99) = 1 + 2 * 0.7031975 = 2.406395; 2.406395 * sqrt(99) / 100 = 0.2394334
    assert found["1"] == pytest.approx(0.2394334, abs=1e-6)


def test_unvisited_edges_score_infinity_a_number_or_the_parents_value() -> None:
    tree = {"visits": 5, "value": 0.4, "children": {"1": {"visits": 5, "value": 0.4}}}
    assert scores(po.Search.from_tree(Nim(), tree, po.Settings()))["2"] == math.inf
    assert scores(po.Search.from_tree(Nim(), tree, po.Settings(unvisited=0.7)))["2"] == pytest.approx(0.7)
    assert scores(po.Search.from_tree(Nim(), tree, po.Settings(unvisited=po.Parent(0.1))))["2"] == pytest.approx(0.3)


def test_values_of_unknown_range_are_scaled_to_the_least_and_greatest_seen() -> None:
    class Wide(Nim):
        value_range = None

    tree = {
        "visits": 8,
        "children": {
            "1": {"visits": 4, "value": 300.0},
            "2": {"visits": 2, "value": 100.0},
            "3": {"visits": 2, "value": 150.0},
        },
    }
    found = scores(po.Search.from_tree(Wide(), tree, po.Settings(policy=po.UCT(1.0))))
    # (300 - 100) / 200 = 1, (150 - 100) / 200 = 0.25; ln 8 = 2.0794415, sqrt(2.0794415 / 4) = 0.7210134, / 2: 1.0196670
    assert found["1"] == pytest.approx(1.7210134, abs=1e-6)
    assert found["2"] == pytest.approx(1.0196670, abs=1e-6)
    assert found["3"] == pytest.approx(1.2696670, abs=1e-6)


def test_widening_opens_initial_plus_k_n_to_the_alpha_children_in_order_of_prior() -> None:
    tree = {
        "visits": 9,
        "children": {"1": {"prior": 0.2}, "2": {"visits": 9, "value": 1.0, "prior": 0.5}, "3": {"prior": 0.3}},
    }
    # 1 + 0.5 * 9^0.5 = 2.5: two children, by prior 2 (visited) and 3; 1 has to wait
    settings = po.Settings(expansion=po.Widening(1.0, 0.5, 0.5))
    step = po.Search.from_tree(Nim(), tree, settings).step()
    assert step.selection[0].text == "3"
    assert {e.text: e.score for e in step.selection[0].edges}["1"] == -math.inf
    capped = po.Settings(expansion=po.Widening(1.0, 0.5, 0.5, cap=1))
    assert po.Search.from_tree(Nim(), tree, capped).step().selection[0].text == "2"


def test_one_at_a_time_takes_an_unvisited_child_whatever_the_others_score() -> None:
    tree = {"visits": 2, "children": {"1": {"visits": 1, "value": 1.0}, "2": {"visits": 1, "value": 1.0}}}
    settings = po.Settings(expansion=po.OneAtATime(), unvisited=-100.0)
    assert po.Search.from_tree(Nim(), tree, settings).step().selection[0].text == "3"


def test_a_leaf_seen_once_is_expanded_and_its_first_child_is_played_out() -> None:
    tree = {
        "visits": 3,
        "children": {
            "1": {"visits": 1, "value": 1.0},
            "2": {"visits": 1, "value": -1.0},
            "3": {"visits": 1, "value": -1.0},
        },
    }
    search = po.Search.from_tree(Nim(), tree, po.Settings(ties=FIRST, solver=False), position="stones=10 turn=0")
    step = search.step()
    assert [c.text for c in step.selection] == ["1", "1"]  # the best child, then the first of its new edges
    assert step.expansion is not None
    assert step.expansion.actions == ("1", "2", "3")
    assert step.expansion.position == "stones=9 turn=1"
    assert step.ending == "new"
    assert step.leaf == "stones=8 turn=0"


def test_backup_gives_each_edge_the_return_of_the_player_who_chose_it() -> None:
    """Two stones are left after 1 and 1; player 1 takes both and wins."""
    tree = {
        "visits": 4,
        "children": {
            "1": {
                "visits": 3,
                "value": 1 / 3,
                "children": {"1": {"visits": 1, "value": -1.0}, "2": {"visits": 1, "value": 1.0}},
            },
            "2": {"visits": 1, "value": -1.0},
        },
    }
    settings = po.Settings(policy=po.UCT(0.0), ties=FIRST, solver=False, unvisited=-5.0)
    search = po.Search.from_tree(Nim(), tree, settings, position="stones=3 turn=0")
    step = search.step()
    assert [c.text for c in step.selection] == ["1", "2"]  # player 1 takes the last two stones
    assert step.ending == "finished"
    assert step.selection[1].rewards == (-1.0, 1.0)
    assert changed(step, "edge", ("1", "2")) == {"visits": (1, 2)}  # (1 + 1) / 2 = 1, as before
    # player 0's edge: (1/3 * 3 - 1) / 4 = 0
    assert changed(step, "edge", ("1",))["value"] == (pytest.approx(1 / 3), pytest.approx(0.0))
    assert changed(step, "edge", ("1",))["visits"] == (3, 4)
    # the root: (1/3 * 3 - 1 - 1) / 5; before, (1/3 * 3 - 1) / 4 = 0
    assert changed(step, "node", ())["value"] == (pytest.approx(0.0), pytest.approx(-0.2))


def test_a_proven_loss_is_left_alone_while_there_is_anything_else() -> None:
    """With c = 0 a proven loss would tie with an open edge of mean -1, and an unvisited one at -5 never be tried."""
    settings = po.Settings(policy=po.UCT(0.0), ties=FIRST, unvisited=-5.0)
    search = po.Search(Nim(), settings, position="stones=3 turn=0")
    assert search.run(30).proven == 1.0


def test_a_finished_game_is_proven_and_the_proof_goes_up() -> None:
    """Player 1 can take the last two stones: proven for him, so lost for player 0's edge 1, and with it all edges."""
    tree = {
        "visits": 4,
        "children": {
            "1": {"visits": 3, "value": 1 / 3, "children": {"2": {"visits": 1, "value": 1.0}}},
            "2": {"visits": 1, "value": -1.0},
        },
    }
    search = po.Search.from_tree(
        Nim(), tree, po.Settings(policy=po.UCT(0.0), ties=FIRST, unvisited=-5.0), position="stones=3 turn=0"
    )
    step = search.step()
    assert changed(step, "edge", ("1", "2"))["proven"] == (None, 1.0)
    assert changed(step, "node", ("1",))["proven"] == (None, 1.0)
    assert changed(step, "edge", ("1",))["proven"] == (None, -1.0)
    assert changed(step, "edge", ("1",))["value"][1] == -1.0  # exact, not the mean
    assert changed(step, "node", ()).get("proven") is None  # taking all three is still there to be found
    assert search.run(20).proven == 1.0


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"visits": 1, "children": {"7": {"visits": 1}}}, "'7' is not a legal action"),
        ({"visits": 1, "children": {"1": {"visits": 2}}}, "at the root: 1 visits, but its children have 2"),
        ({"visits": -1}, "visits is -1"),
        ({"visits": 1, "wins": 1}, "unknown 'wins'"),
        ({"visits": 2, "children": {"1": {"visits": 1, "value": math.nan}}}, "at 1: value is nan"),
        ({"children": {"1": {"visits": 1, "value": 7}}}, "at 1: value is 7, expected -1 to 1, the value_range of Nim"),
        ({"visits": 1, "value": -1.5}, "at the root: value is -1.5, expected -1 to 1"),
        ({"children": {"1": {"visits": 2, "variance": 1.1}}}, "at 1: variance is 1.1, but returns from -1 to 1"),
        ({"children": {"1": {"visits": 1, "value": True}}}, "at 1: value is True, expected a finite number"),
        (
            {"children": {"1": {"visits": 1, "value": 10**30}}},
            "at 1: value is 1000000000000000000000000000000, expected",
        ),
        ({"children": {"1": {"visits": 1, "value": 10**400}}}, "at 1: value is a whole number of 1,329 bits, expected"),
        (
            {"children": {"1": {"visits": 1, "prior": 1e300}}},
            r"at 1: prior is 1e\+300, expected a finite number from 0",
        ),
        ({"children": {"1": {"visits": 10**5000}}}, "at 1: visits is a whole number of 16,610 bits, expected"),
        ({"children": {"1": {"visits": "many"}}}, "at 1: visits is 'many', expected a whole number"),
        ({"children": {"1": {"visits": 2.5}}}, r"at 1: visits is 2\.5, expected a whole number"),
        (
            {"children": {"1": {"visits": 2**30}, "2": {"visits": 2**30}}},
            "at the root: its children have 2,147,483,648",
        ),
        ({"visits": 2, "children": {"1": 3}}, "at 1: 3 is not a node"),
        ({"visits": 2, "children": [1, 2]}, "expected a dictionary by action"),
        ({"visits": 2, "children": {"1": {"visits": 1, "children": {"9": {"visits": 1}}}}}, "at 1: "),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_a_tree_that_cannot_be_says_where_it_is_wrong(tree: dict[str, object], message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message):
        po.Search.from_tree(Nim(), tree)


def test_a_move_that_ends_the_game_is_worth_what_it_brings() -> None:
    def plant(**child: float) -> po.Search:
        return po.Search.from_tree(
            Nim(), {"children": {"2": {"visits": 3, **child}}}, position="stones=2 turn=1", settings=po.Settings()
        )

    assert plant().result().stats("2").value == 1.0  # for the player who takes the last two stones
    assert plant(value=1.0).result().stats("2").value == 1.0
    with pytest.raises(po.SettingsError, match=r"at 2: value is 0\.5, but the game is over .* brings 1; leave"):
        plant(value=0.5)


def test_a_search_goes_on_from_a_tree_by_hand_and_can_be_walked_back_to_it() -> None:
    tree = {"visits": 5, "children": {"1": {"visits": 3, "value": 0.5}, "2": {"visits": 2, "value": 0.0}}}
    search = po.Search.from_tree(Nim(), tree, seed=4)
    before = search.tree.edges[: search.tree.counters[1]].copy()
    search.run(30)
    assert search.result().visits == 35
    search.rewind(0)
    assert np.array_equal(search.tree.edges[: search.tree.counters[1]], before)
