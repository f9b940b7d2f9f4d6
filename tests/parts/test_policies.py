"""Policies that users write: the same search as with a built-in one, and one line for what is wrong with them."""

import math

import numpy as np
import pytest
from examples.policies.epsilon_greedy import EpsilonGreedy

import playout as po
from playout.core.jit import COMPILED
from playout.core.rng import random_float, random_normal
from tests.games.toy_games import Auction, Dice, Nim, PriorNim
from tests.oracles.oracle import Oracle, compiled_tree, oracle_tree

from .own_policies import Louder, Noted, OwnPUCT, OwnUCT

SIMULATIONS = 2000 if COMPILED else 150


def visits(search):
    return [(node.path, node.visits, node.value) for node in search.root.walk(depth=4)]


KINDS = {
    "tree": {},
    "graph": {"transpositions": True},
    "open loop": {"open_loop": True},
    "widening": {"expansion": po.Widening()},
    "normalised": {"normalise": True},
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("game", [Nim, Dice, Auction, PriorNim], ids=lambda game: game.__name__)
def test_a_copy_of_a_built_in_policy_grows_the_same_tree(game, kind):
    for own, built_in in ((OwnUCT(0.9), po.UCT(0.9)), (OwnPUCT(2.0), po.PUCT(2.0))):
        grown = []
        for policy in (own, built_in):
            search = po.Search(game(), po.Settings(policy=policy, **KINDS[kind]), seed=3)
            search.run(SIMULATIONS)
            grown.append(visits(search))
        assert grown[0] == grown[1]


def test_a_copy_is_the_same_where_values_come_from_outside():
    def value(planes):
        return np.full((len(planes), 7), 1 / 7), np.tanh(planes.reshape(len(planes), -1).sum(1) / 9)

    grown = []
    for policy in (OwnPUCT(), po.PUCT()):
        settings = po.Settings(policy=policy, evaluator=po.Outside(value, batch=8))
        search = po.Search("connect4", settings, seed=3)
        search.run(300)
        grown.append(visits(search))
    assert grown[0] == grown[1]


def test_a_look_at_all_edges_sees_columns():
    settings, game = po.Settings(policy=Noted()), Nim()
    search, oracle = po.Search(game, settings, seed=2), Oracle(game, settings, seed=2)
    search.run(200)
    oracle.run(200)
    assert compiled_tree(search) == oracle_tree(oracle)


MOST = np.dtype([("most", np.int64)])
LOOKS = {"shared": MOST, "look": staticmethod(lambda policy, node, edge, shared, turn: None)}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"look": LOOKS["look"]}, "has a look, but no `shared`, the record it fills"),
        ({"shared": MOST}, "has shared, but no `look"),
        ({**LOOKS, "look": staticmethod(lambda policy, node: None)}, "look takes .* expected `look"),
        ({**LOOKS, "looks": 0}, "looks is 0, expected a whole number from 1 to 8"),
        ({**LOOKS, "shared": np.dtype([("most", np.int8)])}, "'most' is int8, expected float64 or int64"),
        ({**LOOKS, "shared": np.dtype([("most", np.int64, (3,))])}, "shared has a field that is an array"),
        ({**LOOKS, "prepare": staticmethod(lambda policy, node, rng: 0.0)}, "has both prepare and look"),
    ],
)
def test_a_look_that_cannot_be_is_refused(body, message):
    score = staticmethod(lambda policy, node, edge, shared, rng: 0.0)
    with pytest.raises(po.SettingsError, match=message):
        type("Wrong", (po.Policy,), {"score": score, **body})


def test_a_subclass_of_a_built_in_policy_keeps_its_settings_and_changes_its_rule():
    louder, plain = Louder(0.5), po.UCT(1.5)
    assert (louder.c, louder.factor) == (0.5, 3.0)
    grown = [po.Search(Nim(), po.Settings(policy=p), seed=1) for p in (louder, plain)]
    for search in grown:
        search.run(SIMULATIONS)
    assert visits(grown[0]) == visits(grown[1])  # 3 times 0.5


def test_a_policy_that_draws_numbers_is_repeated_by_its_seed():
    def run(seed, epsilon=0.3):
        search = po.Search(Nim(), po.Settings(policy=EpsilonGreedy(epsilon), solver=False), seed=seed)
        search.run(SIMULATIONS)
        return visits(search)

    assert run(1) == run(1)
    assert run(1) != run(2)
    always = {path: n for path, n, _ in run(1, epsilon=1.0) if len(path) == 1}
    assert max(always.values()) < 1.5 * min(always.values())  # any child, as often as the others


def test_another_setting_compiles_nothing_again():
    first, second = OwnUCT(1.0), OwnUCT(2.0)
    assert first.code(Nim()) is second.code(Nim())
    assert first.kept(Nim()).record.tobytes() != second.kept(Nim()).record.tobytes()


def test_policies_that_are_compiled_apart_have_names_apart():
    """Two of one name, compiled in two processes and read from disk by a third, would be taken for each other."""
    names = set()
    for policy in (po.UCT(), po.PUCT(), OwnUCT(), OwnPUCT()):
        po.Search(Nim(), po.Settings(policy=policy))
        names |= {made.__qualname__ for made, _ in policy.code(Nim()).made.values()}
    assert len(names) >= (4 if COMPILED else 1)


def test_a_step_shows_the_terms_of_a_users_policy():
    search = po.Search(Nim(), po.Settings(policy=OwnUCT(1.0)), seed=1)
    search.run(50)
    choice = search.step().selection[0]
    for edge in choice.edges:
        if not edge.proven and edge.visits:
            expected = edge.value + math.sqrt(math.log(choice.visits) / edge.visits)
            assert edge.score == pytest.approx(expected)
            assert edge.value_term + edge.exploration_term == pytest.approx(edge.score)


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_shows_the_numbers_that_its_walk_drew(kind):
    search = po.Search(Nim(), po.Settings(policy=EpsilonGreedy(1.0), solver=False, **KINDS[kind]), seed=1)
    search.run(60)
    for _ in range(10):
        choice = search.step().selection[0]
        assert max(edge.score for edge in choice.edges) == next(edge.score for edge in choice.edges if edge.chosen)


def test_the_spread_of_a_node_is_that_of_all_its_returns():
    class Looks(po.Policy):
        """Every return of Nim is 1 or -1: their squares sum to the visits, and the spread follows from the mean."""

        @staticmethod
        def score(policy, node, edge, shared, rng):
            off = node.spread - node.visits * (1.0 - node.value * node.value)
            return edge.value if abs(off) < 1e-6 else math.nan

    for settings in (po.Settings(solver=False), po.Settings(solver=False, evaluate_root=True)):
        search = po.Search(Nim(), settings.replace(policy=Looks()), seed=1)
        assert search.run(SIMULATIONS).visits == SIMULATIONS


def test_normal_numbers_are_normal():
    rng = np.array([7], np.uint64)
    with np.errstate(over="ignore"):
        drawn = np.array([random_normal(rng) for _ in range(4000)])
        assert 0.0 <= random_float(rng) < 1.0
    assert abs(drawn.mean()) < 4 / math.sqrt(len(drawn))
    assert drawn.std() == pytest.approx(1.0, abs=0.05)


def test_a_saved_search_goes_on_with_the_policy_that_it_names(tmp_path):
    search, whole = (po.Search(Nim(), po.Settings(policy=EpsilonGreedy(0.2)), seed=5) for _ in range(2))
    search.run(60)
    search.save(tmp_path / "x.search")
    again = po.Search.load(tmp_path / "x.search", game=Nim())
    assert again.settings.policy == EpsilonGreedy(0.2)
    again.run(60)
    whole.run(120)
    assert visits(again) == visits(whole)


def test_settings_with_a_users_policy_are_written_and_read_back():
    settings = po.Settings(policy=Louder(0.5, factor=2.0))
    data = settings.to_dict()
    assert data["policy"] == {"kind": "tests.parts.own_policies:Louder", "c": 0.5, "factor": 2.0}
    assert po.Settings.from_dict(data) == settings
    assert po.Settings().to_dict()["policy"]["kind"] == "UCT"


# What is refused.


def test_a_policy_that_is_not_at_hand_is_named_with_its_module():
    with pytest.raises(po.SettingsError, match=r"policy is Gone of the module lost.place, which is not defined here"):
        po.Settings.from_dict({"policy": {"kind": "lost.place:Gone", "c": 1.0}})


def test_a_policy_without_a_score_is_refused_when_the_class_is_made():
    with pytest.raises(po.SettingsError, match=r"Mute has no `score\(policy, node, edge, shared, rng\)`"):

        class Mute(po.Policy):
            c: float = 1.0


def test_a_field_that_is_no_number_is_refused_when_the_class_is_made():
    with pytest.raises(po.SettingsError, match=r"Wordy.name: the type is .*expected float, int or bool"):

        class Wordy(po.Policy):
            name: str = "x"

            @staticmethod
            def score(policy, node, edge, shared, rng):
                return 0.0


class NotANumber(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return math.nan if edge.visits > 3 else edge.value


@pytest.mark.parametrize("kind", KINDS)
def test_a_score_that_is_no_number_ends_the_run_in_one_line(kind):
    search = po.Search(Nim(), po.Settings(policy=NotANumber(), **KINDS[kind]), seed=1)
    with pytest.raises(po.SettingsError, match=r"NotANumber.score gave nan"):
        search.run(SIMULATIONS)
    assert search.result().visits > 0  # what was found before is still there


@pytest.mark.compiled_only
def test_what_numba_cannot_compile_is_named_with_its_line():
    class Opens(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return edge.valu

    with pytest.raises(po.SettingsError, match=r"Opens.score can't be compiled, at .*test_policies.py:\d+"):
        po.Search(Nim(), po.Settings(policy=Opens()))


@pytest.mark.parametrize("value", [math.nan, math.inf, "x", None])
def test_a_setting_that_is_no_number_is_refused(value):
    with pytest.raises(po.SettingsError, match=r"policy.c is .*, expected a (finite )?number"):
        po.Settings(policy=OwnUCT(value))
