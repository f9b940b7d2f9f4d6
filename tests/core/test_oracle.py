"""The compiled search and the readable oracle grow the same tree, visit for visit, with the same random numbers."""

import math

import pytest
from examples.backups.discounted_mean import DiscountedMean
from examples.policies.bayes_ucb import BayesUCB
from examples.policies.boltzmann import Boltzmann
from examples.policies.epsilon_greedy import EpsilonGreedy
from examples.policies.progressive_bias import ProgressiveBias
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from tests.games.toy_games import (
    TOY_GAMES,
    Auction,
    Coins,
    Corridor,
    Dice,
    GuidedNim,
    KeptDice,
    NimOfThree,
    PriorNim,
    TwiceNim,
)
from tests.oracles.oracle import Oracle, SplitMix64, compiled_tree, oracle_tree
from tests.parts.own_policies import AsksAll, Habit, Latest, Remembers, Rivals, Sampled
from tests.sizes import CHECKED, FULL_SIZE, examples

EXAMPLES = examples(400)
TOY_SIMULATIONS = 300 if COMPILED else 120
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


def assert_same_number(found, expected, where):
    same = found == expected or math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12)
    assert same, f"{where}: compiled {found!r}, oracle {expected!r}"


def assert_same(search, oracle):
    """Compare both trees in full, the random numbers used, and the answer."""
    found, expected = compiled_tree(search), oracle_tree(oracle)
    assert search.simulations == oracle.simulations
    assert found.keys() == expected.keys()
    for path, record in expected.items():
        for field, wanted in record.items():
            got = found[path][field]
            if isinstance(wanted, float):
                assert_same_number(got, wanted, (path, field))
            elif field == "exact" and wanted is not None and got is not None:
                for a, b in zip(got, wanted, strict=True):
                    assert_same_number(a, b, (path, field))
            else:
                assert got == wanted, f"{path}, {field}: compiled {got!r}, oracle {wanted!r}"
    assert int(search.tree.rng[0]) == oracle.random.state
    result, best = search.result(), oracle.answer()
    assert result.best == (best.action if best else None)
    assert result.leader_since == oracle.leader_since
    assert result.visits == oracle.root.visits


def compare(game, settings, simulations, seed=0, position=None, then=(), kind=Oracle):
    """Search, then for each of `then` play the answer and search on with what is left of the tree."""
    start = game.position(position)
    search, oracle = po.Search(game, settings, position=start, seed=seed), kind(game, settings, start, seed)
    search.run(simulations)
    oracle.run(simulations)
    assert_same(search, oracle)
    for more in then:
        action = search.result().best
        if action is None:  # the one simulation so far was the root's own
            return
        search.play(action)
        oracle.play(action)
        while search.position.player == po.CHANCE:
            outcome = search.position.outcomes()[0][0]
            search.play(outcome)
            oracle.play(outcome)
        if search.position.is_terminal:
            return
        assert_same(search, oracle)
        search.run(more)
        oracle.run(more)
        assert_same(search, oracle)


@st.composite
def settings_for(draw, game, all_parts=not CHECKED or FULL_SIZE):
    """Any settings that the game has the rules for; without `all_parts`, no parts that are only another formula."""
    c = draw(st.sampled_from([0.0, 0.1, 0.7, 1.0, math.sqrt(2), 3.0]))
    built_in = [po.UCT(c), po.UCB1Tuned(c), po.PUCT(c), po.PUCT(c, growth=1.0, base=20.0)]
    built_in += [po.Thompson(c), po.UCBV(c), po.UCBV(c, bonus=1.0)]
    if game.range is not None:
        built_in.append(po.PUCT(c, variance=0.85, expected=0.3))
    built_in += [po.Improved(), po.Improved(20.0, 0.1, rescale=True)]
    own = [Sampled(), Remembers(c), AsksAll(), Habit(c), Rivals(c)]
    formulas = [EpsilonGreedy(0.3), Boltzmann(), BayesUCB(c), ProgressiveBias(c)]
    policy = draw(st.sampled_from([*built_in, *own, *formulas] if all_parts else [*built_in, *own]))
    known = game.range is not None
    backups = [po.Mean(), Latest()]
    if all_parts and not hasattr(policy, "update"):  # a policy that has one would be compiled again with each backup
        backups += [po.Best(), DiscountedMean()]
        if not known or game.range[0] >= 0:
            backups.append(po.PowerMean(2.0))
    numbers = st.sampled_from([-1.0, -0.25, 0.0, 0.5, 1.0])
    unvisited = draw(
        st.one_of(
            st.none(),
            st.just("infinity"),
            numbers,
            st.builds(po.Parent, st.sampled_from([0.0, 0.2, -0.3]), st.booleans()),
        )
    )
    expansion = draw(
        st.one_of(
            st.builds(po.All, first_visit=st.booleans()),
            st.just(po.OneAtATime()),
            st.builds(
                po.Widening,
                initial=st.sampled_from([0.0, 1.0, 2.0]),
                k=st.sampled_from([0.0, 0.5, 1.0]),
                alpha=st.sampled_from([0.25, 0.5, 1.0]),
                cap=st.sampled_from([None, 1.0, 2.0]),
            ).map(lambda w: w if w.initial or w.k else po.Widening(1.0, 0.0, w.alpha, w.cap)),
        )
    )
    can_guide = game.has("playout_action") or game.has("priors")
    rollouts = st.builds(
        po.Rollouts,
        n=st.sampled_from([1, 1, 2, 3]),
        depth=st.sampled_from([None, 1, 3]),
        guided=st.booleans() if can_guide else st.just(False),
    )
    evaluators = [rollouts]
    if game.has("evaluate"):
        evaluators += [st.just(po.Static()), st.builds(po.Mixed, st.sampled_from([0.0, 0.3, 1.0]), rollouts)]
    # Some need the width of the range of values: the game's, or that of the values seen.
    may_not_scale = known or not policy.needs_range
    return po.Settings(
        policy=policy,
        backup=draw(st.sampled_from(backups)),
        evaluator=draw(st.one_of(evaluators)),
        expansion=expansion,
        priors=draw(st.sampled_from([None, None, True, False])),
        unvisited=unvisited,
        answer=draw(st.sampled_from(["visits", "value", "bound", "proof"])),
        solver=draw(st.booleans()),
        discount=draw(st.sampled_from([1.0, 1.0, 0.9, 0.5])),
        normalise=draw(st.sampled_from([None, True, False] if may_not_scale else [None, True])),
        noise=draw(st.sampled_from([None, None, po.Noise(0.25, 0.3), po.Noise(1.0, 1.0)])),
        confidence=draw(st.sampled_from([0.95, 0.5])),
        ties=draw(st.sampled_from(["random", "random", "first"])),
        evaluate_root=draw(st.booleans()),
    )


SEEDS = st.integers(0, 2**64 - 1)


def test_generator_gives_the_published_numbers():
    # SplitMix64 from seed 1234567, from its author's test vectors.
    random = SplitMix64(1234567)
    assert [random.bits() for _ in range(3)] == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_default_settings_grow_the_oracles_tree(kind):
    compare(kind(), po.Settings(), TOY_SIMULATIONS, seed=1)
    compare(kind(), po.Settings(solver=False), TOY_SIMULATIONS, seed=2, then=[50, 50])


@budget(max_examples=EXAMPLES, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(TOY_GAMES), simulations=st.integers(1, TOY_SIMULATIONS), seed=SEEDS)
def test_any_settings_grow_the_oracles_tree_on_toy_games(data, kind, simulations, seed):
    game = kind()
    settings = data.draw(settings_for(game))
    compare(game, settings, simulations, seed, then=data.draw(st.sampled_from([(), (40,), (20, 20)])))


BOARDS = {
    "tictactoe": (None, "X.O/.X./..O", "5,1", "1,2,3,5,4"),
    "connect4": (None, "44455", "444444555522", "123456712345671234567"),
    "target_sum": (None, "5/2", "9/6"),
    "othello": (None, "f5d6c3"),
}


@budget(max_examples=EXAMPLES // 2, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), name=st.sampled_from(sorted(BOARDS)), seed=SEEDS)
def test_any_settings_grow_the_oracles_tree_on_built_in_games(data, name, seed):
    game = po.games.load(name)
    settings = data.draw(settings_for(game))
    position = data.draw(st.sampled_from(BOARDS[name]))
    most = {"othello": 15, "connect4": 60}.get(name, 120)
    simulations = data.draw(st.integers(1, most if COMPILED else most // 3))
    compare(game, settings, simulations, seed, position, then=data.draw(st.sampled_from([(), (10,)])))


@pytest.mark.parametrize("policy", [po.UCT(), po.UCB1Tuned(), po.PUCT()], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("expansion", [po.All(), po.OneAtATime(), po.Widening()], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "target_sum", "suika", "game2048"])
def test_every_policy_and_expansion_on_every_built_in_game(name, policy, expansion):
    settings = po.Settings(policy=policy, expansion=expansion)
    simulations = {"othello": 12, "connect4": 50, "suika": 8, "game2048": 8}.get(name, 120)
    compare(po.games.load(name), settings, simulations if COMPILED else simulations // 4, seed=3, then=[5])


def test_an_order_of_noise_is_kept_without_priors_of_the_game():
    # Nim of three has no priors: noise alone says which unvisited action is the most promising.
    settings = po.Settings(policy=po.PUCT(1.0), noise=po.Noise(1.0, 0.3), unvisited=0.0)
    for seed in range(20):
        compare(po.games.load("connect4"), settings, 30 if COMPILED else 8, seed)


def test_a_walk_deeper_than_the_first_path_grows_the_oracles_tree():
    settings = po.Settings(policy=po.UCT(0.01), evaluator=po.Rollouts(depth=1), solver=False)
    game = Corridor()
    search, oracle = po.Search(game, settings, seed=5), Oracle(game, settings, seed=5)
    simulations = 400 if COMPILED else 250
    search.run(simulations)
    oracle.run(simulations)
    assert search.result().max_depth > 130  # a path has room for 128 edges at first
    assert_same(search, oracle)


def test_states_kept_at_nodes_grow_the_same_tree_as_states_played_again():
    for kept, played in ((KeptDice(), Dice()),):
        for solver in (True, False):
            settings = po.Settings(solver=solver, discount=0.9)
            a, b = po.Search(kept, settings, seed=8), po.Search(played, settings, seed=8)
            a.run(500)
            b.run(500)
            assert compiled_tree(a) == compiled_tree(b)


@pytest.mark.parametrize("answer", ["visits", "value", "bound", "proof"])
@pytest.mark.parametrize("kind", [NimOfThree, TwiceNim, Coins, Auction, GuidedNim, PriorNim], ids=lambda k: k.__name__)
def test_answers_agree_after_every_single_simulation(kind, answer):
    game = kind()
    settings = po.Settings(answer=answer)
    search, oracle = po.Search(game, settings, seed=11), Oracle(game, settings, seed=11)
    for _ in range(60):
        search.run(1)
        oracle.run(1)
        best = oracle.answer()
        assert search.result().best == (best.action if best else None)
        assert search.result().leader_since == oracle.leader_since
