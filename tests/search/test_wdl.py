"""The games that each action won, drew and lost: counted as the oracle counts them, kept with the tree, and shown."""

import json
import re

import numpy as np
import pytest
from examples.backups.discounted_mean import DiscountedMean
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from tests.core.test_oracle import QUIET, SEEDS, assert_same, settings_for
from tests.games.toy_games import Auction, Dice, GuidedNim, Lots, Nim, NimOfThree, PointNim, Shares, TwiceNim
from tests.oracles.openloop_oracle import OpenLoopOracle
from tests.oracles.oracle import Oracle
from tests.sizes import examples

COUNTED = po.Settings(wdl=True)
SIMULATIONS = 200 if COMPILED else 60


def assert_same_counts(search, oracle):
    """Every edge of the tree has the oracle's wins, draws and losses, which add up to its visits."""
    assert_same(search, oracle)
    todo = [(search.root, oracle.root)]
    for node, expected in todo:
        for edge in expected.edges:
            child = node.find(edge.action)
            assert child.wdl == tuple(edge.wdl)
            assert sum(child.wdl) == child.visits
            if edge.child:
                todo.append((child, edge.child))


@budget(max_examples=examples(120), deadline=None, suppress_health_check=QUIET)
@given(
    data=st.data(),
    kind=st.sampled_from([Nim, PointNim, NimOfThree, TwiceNim, Dice, Lots, GuidedNim, Shares, Auction]),
    simulations=st.integers(1, SIMULATIONS),
    seed=SEEDS,
)
def test_any_settings_count_what_the_oracle_counts(data, kind, simulations, seed):
    game = kind()
    settings = data.draw(settings_for(game)).replace(
        policy=data.draw(st.sampled_from([po.UCT(), po.PUCT(1.0)])),
        backup=data.draw(st.sampled_from([po.Mean(), DiscountedMean()])),
        evaluator=po.Rollouts(guided=game.has("playout_action") and data.draw(st.booleans())),
        discount=1.0,
        wdl=True,
    )
    search, oracle = po.Search(game, settings, seed=seed), Oracle(game, settings, seed=seed)
    search.run(simulations)
    oracle.run(simulations)
    assert_same_counts(search, oracle)


def test_an_open_loop_counts_what_the_oracle_counts():
    settings = COUNTED.replace(open_loop=True)
    search, oracle = po.Search(Dice(), settings, seed=4), OpenLoopOracle(Dice(), settings, seed=4)
    search.run(SIMULATIONS)
    oracle.run(SIMULATIONS)
    assert_same_counts(search, oracle)


def test_a_simulation_counts_for_the_player_who_chose():
    # Two stones: taking both wins at once; after one, the other player has to take the last one, and wins.
    search = po.Search(Nim(stones=2), COUNTED.replace(solver=False), seed=1)
    search.run(40)
    one, two = search.root.find(1), search.root.find(2)
    assert (one.wdl, two.wdl) == ((0, 0, one.visits), (two.visits, 0, 0))
    assert one.find(1).wdl == (one.find(1).visits, 0, 0)
    assert search.root.wdl == (two.visits, 0, one.visits)


class Difference(Nim):
    """Nim whose returns are a difference of points, which can be up to 6 and is 2."""

    value_range = (-6.0, 6.0)

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 2.0, -2.0
        state.turn = 1 - state.turn


def test_a_win_is_what_beats_the_others_whatever_the_range():
    # As with two stones above, but the points are far from the ends of the range.
    search = po.Search(Difference(stones=2), COUNTED.replace(solver=False), seed=1)
    search.run(40)
    one, two = search.root.find(1), search.root.find(2)
    assert (one.wdl, two.wdl) == ((0, 0, one.visits), (two.visits, 0, 0))


def test_an_unknown_range_is_counted_and_who_shares_the_most_draws():
    class Pot(po.Game):
        """Three players: the first one chooses a table of returns."""

        name, players, max_actions, value_range, returns_sum = "pot", 3, 4, None, None
        state = np.dtype([("over", np.int64)])

        @staticmethod
        def initial_state(state):
            state.over = 0

        @staticmethod
        def current_player(state):
            return po.TERMINAL if state.over else 0

        @staticmethod
        def legal_actions(state, actions):
            for i in range(4):
                actions[i] = i
            return 4

        @staticmethod
        def apply(state, action, rewards):
            state.over = 1
            rewards[0] = 10.0
            rewards[1] = 9.0 if action == 0 else 10.0 if action == 1 else 11.0
            rewards[2] = -50.0 if action == 2 else 0.0

    search = po.Search(Pot(), COUNTED.replace(solver=False, policy=po.UCT()), seed=1)
    search.run(40)
    visits = [search.root.find(a).visits for a in range(4)]
    assert [search.root.find(a).wdl for a in range(4)] == [
        (visits[0], 0, 0),
        (0, visits[1], 0),
        (0, 0, visits[2]),
        (0, 0, visits[3]),
    ]


@pytest.mark.parametrize("evaluate_root", [False, True])
def test_the_root_has_the_games_of_its_actions_and_none_of_its_own(evaluate_root):
    search = po.Search("tictactoe", COUNTED.replace(evaluate_root=evaluate_root), seed=1)
    search.run(30)
    counts = [child.wdl for child in search.root.children]
    assert search.root.wdl == tuple(map(sum, zip(*counts, strict=True)))
    assert sum(search.root.wdl) == search.root.visits - evaluate_root


def test_counting_changes_nothing_else():
    for backup in (po.Mean(), DiscountedMean()):
        plain, counted = (
            po.Search("tictactoe", po.Settings(backup=backup, wdl=wdl), seed=3).run(SIMULATIONS)
            for wdl in (False, True)
        )
        assert [(s.action, s.visits, s.value) for s in plain.actions] == [
            (s.action, s.visits, s.value) for s in counted.actions
        ]
        assert plain.bytes < counted.bytes
        assert all(s.wdl is None for s in plain.actions)


def test_counts_are_stepped_saved_played_on_and_written_by_hand(tmp_path):
    settings = COUNTED.replace(backup=DiscountedMean())
    whole, stepped, saved = (po.Search("tictactoe", settings, seed=2) for _ in range(3))
    whole.run(80)
    steps = [stepped.step() for _ in range(80)]
    changed = [change.field for change in steps[-1].backup if change.what == "edge"]
    assert sum(changed.count(name) for name in ("wins", "draws", "losses")) == len(steps[-1].selection)
    saved.run(40)
    saved.save(tmp_path / "search")
    saved = po.Search.load(tmp_path / "search")
    saved.run(40)
    found = {node.path: node.wdl for node in whole.root.walk()}
    assert found == {node.path: node.wdl for node in stepped.root.walk()}
    assert found == {node.path: node.wdl for node in saved.root.walk()}
    best = whole.result().best
    whole.play(best)
    assert {(best, *node.path): node.wdl for node in whole.root.walk() if node.parent} == {
        path: wdl for path, wdl in found.items() if path[:1] == (best,) and len(path) > 1
    }
    tree = {"children": {"5": {"visits": 6, "value": 0.5, "wins": 4, "draws": 1, "losses": 1}}}
    assert po.Search.from_tree("tictactoe", tree, COUNTED).root.find("5").wdl == (4, 1, 1)


# Shown.


def test_tables_json_and_words_have_the_counts():
    search = po.Search("tictactoe", COUNTED, seed=2)
    result = search.run(SIMULATIONS)
    best = result.stats(result.best)
    wins, draws, losses = best.wdl
    shares = re.compile(r"\b\d+/\d+/\d+%")
    assert "W/D/L" in str(result)
    assert len(shares.findall(str(result))) == len(shares.findall(result._repr_html_())) == 9
    assert "W/D/L" in result._repr_html_()
    assert f"won {wins:,} games, drew {draws:,} and lost {losses:,}." in result.explain()
    assert json.loads(json.dumps(result.to_dict()))["actions"][0]["wdl"] == [wins, draws, losses]
    assert search.root.to_dict(depth=1)["children"][0]["wdl"] == [wins, draws, losses]
    assert "won/drawn/lost" in search.root.svg()


def test_nothing_is_shown_where_nothing_is_counted():
    search = po.Search("tictactoe", seed=2)
    result = search.run(50)
    assert "W/D/L" not in str(result) + result._repr_html_()
    assert "drew" not in result.explain()
    assert result.to_dict()["actions"][0]["wdl"] is None
    assert search.root.wdl is None


# Refused.


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"evaluator": po.Static()}, "Static values positions without playing them to the end"),
        ({"evaluator": po.Mixed()}, "Mixed values positions without playing them to the end"),
        ({"evaluator": po.Network()}, "Network values positions without playing them to the end"),
        ({"evaluator": po.Rollouts(depth=9)}, "playouts are cut off after 9 actions"),
        ({"evaluator": po.Rollouts(2)}, "a simulation is the mean of 2 rollouts"),
        ({"discount": 0.5}, "with discount 0.5 late rewards count less than in the game"),
        ({"transpositions": True}, "with transpositions, simulations end at known positions"),
    ],
)
def test_where_simulations_end_no_game_counting_is_refused_in_one_line(changes, why):
    with pytest.raises(po.SettingsError) as told:
        COUNTED.replace(**changes)
    assert str(told.value) == f"settings: wdl counts games that playouts end, one a simulation, and {why}; change one"


def test_games_without_wins_and_losses_and_columns_of_the_same_name_are_refused():
    with pytest.raises(
        po.SettingsError, match=r"^settings: wdl counts games won, drawn and lost, and target_sum has one p"
    ):
        po.Search("target_sum", COUNTED)
    own = type(
        "Mine",
        (po.Backup,),
        {
            "__module__": __name__,
            "update": staticmethod(lambda backup, edge, got: None),
            "columns": np.dtype([("wins", np.float64)]),
        },
    )
    with pytest.raises(po.SettingsError, match=r"^settings: wdl counts in a column 'wins', and so is a column of the"):
        COUNTED.replace(backup=own())
