"""Backups that look below an edge: implicit minimax, and what a user writes with the same hook."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from tests.core.test_oracle import QUIET, SEEDS, assert_same, compare, settings_for
from tests.games.toy_games import Dice, GuidedNim, KnownCoins, NimOfThree, PointNim, Shares, TwiceNim
from tests.oracles.oracle import Oracle
from tests.search.test_batches import SeenCoins, SeenNim, assert_same_as_oracle
from tests.sizes import examples

from .own_policies import Hopeful
from .test_parts import TOTAL, backup, keeps, refused

EXAMPLES = examples(120)


class RatedDice(Dice):
    """Chance, and a static value from the points."""

    @staticmethod
    def evaluate(state, values):
        lead = 0.1 * (state.points[0] - state.points[1]) - 0.05 * state.turn
        values[0], values[1] = lead, -lead


class KeptRatedDice(RatedDice):
    keep_states = True


class RatedTwice(TwiceNim):
    """A player who moves twice in a row."""

    @staticmethod
    def evaluate(state, values):
        values[0] = 0.25 * (state.stones * 7 % 5) - 0.5
        values[1] = -values[0]


class RatedPoints(PointNim):
    """Returns that sum to 1."""

    @staticmethod
    def evaluate(state, values):
        values[state.turn] = 0.75 if state.stones % 4 else 0.125
        values[1 - state.turn] = 1.0 - values[state.turn]


class RatedCoins(KnownCoins):
    """One player, and rewards on the way."""

    @staticmethod
    def evaluate(state, values):
        values[0] = 4.0 * (4 - state.shelf) - state.shelf % 2


RATED = (GuidedNim, RatedDice, KeptRatedDice, RatedTwice, RatedPoints, RatedCoins)
BACKUPS = (po.ImplicitMinimax(0.0), po.ImplicitMinimax(), po.ImplicitMinimax(1.0), Hopeful())


@budget(max_examples=EXAMPLES, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(RATED), simulations=st.integers(1, 200 if COMPILED else 80), seed=SEEDS)
def test_any_settings_grow_the_oracles_tree(data, kind, simulations, seed):
    game = kind()
    settings = data.draw(settings_for(game))
    changes = {"backup": data.draw(st.sampled_from(BACKUPS))}
    if hasattr(settings.policy, "update"):  # it would be compiled again with each backup
        changes["policy"] = po.PUCT(1.0)
    if game.sums_to:
        changes["discount"] = 1.0
    then = data.draw(st.sampled_from([(), (40,), (20, 20)]))
    compare(game, settings.replace(**changes), simulations, seed, then=then)


@pytest.mark.parametrize("name", ["connect4", "target_sum", "othello"])
def test_the_built_in_games_grow_the_oracles_tree(name):
    for preset in ("default", "connect4", "chess-classic"):
        settings = po.preset(preset, backup=po.ImplicitMinimax(0.3))
        if not (name == "othello" and preset == "connect4"):  # which has nothing to guide playouts
            compare(po.games.load(name), settings, 40 if COMPILED else 10, seed=5, then=[10])


def test_no_weight_is_the_mean():
    for settings in (po.Settings(), po.Settings(evaluator=po.Mixed(0.5), solver=False)):
        searches = [po.Search(GuidedNim(), settings.replace(backup=b), seed=2) for b in (po.Mean(), BACKUPS[0])]
        visits = [[c.visits for c in s.run(300 if COMPILED else 60).actions] for s in searches]
        assert visits[0] == visits[1]


def test_the_minimax_value_is_the_best_reply_by_hand():
    # Of nine stones the first player took one; the second has tried 1 and 2, and tries 3 now. That leaves five, which
    # the game rates 0.25 for who moves: -0.25 for the second player, whose best is still 0.5; so the first has -0.5.
    replies = {
        "1": {"visits": 1, "value": 0.25, "mean": 1.0, "minimax": -0.75},
        "2": {"visits": 1, "value": -0.5, "mean": -1.0, "minimax": 0.5},
    }
    tree = {
        "children": {
            "1": {"visits": 3, "value": 0.5, "mean": 0.5, "minimax": 0.25, "children": replies},
            "2": {"visits": 1, "value": -1.0},
            "3": {"visits": 1, "value": -1.0},
        }
    }
    settings = po.Settings(policy=po.UCT(0.1), backup=po.ImplicitMinimax(0.25), solver=False)
    step = po.Search.from_tree(GuidedNim(stones=9), tree, settings).step()
    assert [choice.text for choice in step.selection] == ["1", "3"]
    assert step.static_values == (0.25, -0.25)
    got = step.returns[0]
    changed = {(change.path, change.field): change.after for change in step.backup if change.what == "edge"}
    assert changed[("1", "3"), "minimax"] == -0.25
    assert changed[("1",), "minimax"] == -0.5
    assert changed[("1",), "mean"] == 0.5 + (got - 0.5) / 4
    assert changed[("1",), "value"] == pytest.approx(0.75 * (0.5 + (got - 0.5) / 4) - 0.25 * 0.5)


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("backup", [po.ImplicitMinimax(0.5), Hopeful()], ids=lambda b: type(b).__name__)
def test_batches_grow_the_oracles_tree(batch, backup):
    for game in (SeenNim(stones=9), SeenCoins()):
        for solver in (True, False):
            simulations = 250 if COMPILED else 60
            assert_same_as_oracle(game, None, simulations, batch, solver=solver, backup=backup)


def test_a_search_can_be_stepped_saved_and_played_on(tmp_path):
    settings = po.Settings(backup=Hopeful(), evaluator=po.Mixed(0.5))
    searches = [po.Search(RatedDice(), settings, seed=7) for _ in range(3)]
    oracle = Oracle(RatedDice(), settings, seed=7)
    searches[0].run(60)
    oracle.run(60)
    for _ in range(60):
        searches[1].step()
    searches[2].run(30)
    searches[2].save(tmp_path / "search")
    searches[2] = po.Search.load(tmp_path / "search", game=RatedDice())
    searches[2].run(30)
    for search in searches:
        assert_same(search, oracle)
    kept = [s.tree.backup_columns[: s.tree.counters[1]].tobytes() for s in searches]
    assert kept[0] == kept[1] == kept[2]


# What is refused.


def test_what_names_no_column_is_refused():
    columns = {"columns": np.dtype([("total", np.float64), ("n", np.int64)])}
    refused("Mine.below is 'totl', expected the name of a column ('total', 'n')", lambda: mine("totl", **columns))
    refused("Mine.below is 3, expected the name of a column (it has none)", lambda: mine(3))
    refused("Mine.below: 'n' is int64, expected float64", lambda: mine("n", **columns))
    refused(
        "has 'below', which is a field of every edge or a reserved word",
        lambda: backup(update=keeps, columns=np.dtype([("below", np.float64)])),
    )
    refused(
        "has below and graph = True, where a position could lie below itself",
        lambda: mine("total", columns=TOTAL, graph=True),
    )
    refused(
        "has below and plain_mean = True, where the search would never call",
        lambda: mine("total", columns=TOTAL, plain_mean=True),
    )


def mine(below, **body):
    return backup(update=keeps, below=below, **body)


def test_another_update_does_not_inherit_what_it_looks_at():
    own = type("Mine", (po.ImplicitMinimax,), {"__module__": __name__, "update": staticmethod(keeps)})
    assert own.below == ""
    same = type("Mine", (po.ImplicitMinimax,), {"__module__": __name__, "weight": 0.2})
    assert same.below == "minimax"
    assert same().weight == 0.2


def test_a_game_or_a_search_where_nothing_lies_below_is_refused():
    with_it = po.Settings(backup=po.ImplicitMinimax())
    nim = (
        "settings: ImplicitMinimax needs a static value, and NimOfThree has none: define `evaluate(state, values)`, or"
    )
    refused(nim, lambda: po.Search(NimOfThree(), with_it))
    outside = with_it.replace(evaluator=po.Outside())
    refused(
        "for one player, or two whose returns sum to a constant, and NimOfThree has 3 players",
        lambda: po.Search(NimOfThree(), outside),
    )
    refused("and Shares has returns that don't sum to a constant; take another", lambda: po.Search(Shares(), outside))
    refused(
        "can't be used with discount 0.9 in RatedPoints, whose returns sum to 1",
        lambda: po.Search(RatedPoints(), with_it.replace(discount=0.9)),
    )
    refused("the nodes of an open loop are not positions; leave one", lambda: with_it.replace(open_loop=True))
    refused("ImplicitMinimax can't be used with transpositions", lambda: with_it.replace(transpositions=True))


class WrongRating(GuidedNim):
    @staticmethod
    def evaluate(state, values):
        values[0], values[1] = (3.0, -3.0) if state.stones == 5 else (0.0, 0.0)


def test_a_static_value_out_of_range_is_told_with_its_position():
    search = po.Search(WrongRating(stones=9), po.Settings(backup=po.ImplicitMinimax()), seed=1)
    with pytest.raises(po.GameError, match=r"WrongRating.evaluate .*stones=5.* value_range") as told:
        search.run(200)
    assert "\n" not in str(told.value)
    assert search.result().visits == search.simulations


def too_much(backup, edge, got):
    edge.total = edge.below
    edge.value = got + 3.0 * edge.below


def test_a_value_out_of_range_is_told_as_it_was():
    # At the first visit with a static value of 0.25, after 1, 2 or 3 of nine stones: 1 + 0.75 or less, which may be;
    # -1 - 2.25 may not.
    wrong = backup(update=too_much, below="total", columns=TOTAL)()
    search = po.Search(GuidedNim(stones=9), po.Settings(backup=wrong), seed=1)
    with pytest.raises(
        po.SettingsError, match=r"^Mine.update gave -?3\.25 for action \d in stones=\d turn=\d of"
    ) as told:
        search.run(200)
    assert "expected a number within value_range -1 to 1" in str(told.value)
