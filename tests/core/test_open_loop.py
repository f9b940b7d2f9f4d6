"""Open loops: the compiled search and the readable oracle grow the same tree, visit for visit."""

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from tests.games.toy_games import TOY_GAMES, Corridor, Dice, Gamble, Lots
from tests.oracles.openloop_oracle import OpenLoopOracle
from tests.sizes import FULL_SIZE, examples

from .test_chance import FrozenLake, Guess, Turns, Wheel
from .test_oracle import QUIET, SEEDS, compare, settings_for

EXAMPLES = examples(300)
CHANCE_GAMES = (Dice, Lots, Gamble, Corridor, Guess, Turns, Wheel, FrozenLake)
SHORT = po.Rollouts(depth=20)  # on ice one goes in circles


def compare_open(game, settings, simulations, seed=0, then=()):
    compare(game, settings.replace(open_loop=True, outcomes=None), simulations, seed, then=then, kind=OpenLoopOracle)


@pytest.mark.parametrize("kind", [*TOY_GAMES, Guess, Turns, Wheel], ids=lambda kind: kind.__name__)
def test_default_settings_grow_the_oracles_open_loop(kind):
    compare_open(kind(), po.Settings(), 300 if COMPILED else 80, seed=1, then=[40])


@budget(max_examples=EXAMPLES, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(CHANCE_GAMES), simulations=st.integers(1, 150), seed=SEEDS)
def test_any_settings_grow_the_oracles_open_loop_on_toy_games(data, kind, simulations, seed):
    game = kind()
    settings = data.draw(settings_for(game, all_parts=FULL_SIZE))
    if kind is FrozenLake:
        settings = settings.replace(evaluator=SHORT)
    compare_open(game, settings, simulations, seed, then=data.draw(st.sampled_from([(), (20,)])))


@budget(max_examples=EXAMPLES // 5, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), name=st.sampled_from(["game2048", "suika", "tictactoe"]), seed=SEEDS)
def test_any_settings_grow_the_oracles_open_loop_on_built_in_games(data, name, seed):
    game = po.games.load(name)
    settings = data.draw(settings_for(game, all_parts=FULL_SIZE)).replace(evaluator=po.Rollouts(depth=3))
    most = {"suika": 8}.get(name, 30)
    compare_open(game, settings, data.draw(st.integers(1, most if COMPILED else most // 3)), seed)


@pytest.mark.parametrize("policy", [po.UCT(), po.UCB1Tuned(), po.PUCT()], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("expansion", [po.All(), po.OneAtATime(), po.Widening()], ids=lambda e: type(e).__name__)
def test_every_policy_and_expansion_with_an_open_loop(policy, expansion):
    for kind in (Lots, Turns):
        compare_open(kind(), po.Settings(policy=policy, expansion=expansion), 200 if COMPILED else 60, seed=3)
