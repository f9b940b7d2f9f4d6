"""Networks inside the search: what kernels compute, the trees they grow, and every way to run such a search."""

import math

import numpy as np
import pytest
from examples.policies.epsilon_greedy import EpsilonGreedy

import playout as po
from playout import games
from playout.core import rules as core
from playout.core.fast import base_of_priors
from playout.core.jit import COMPILED
from playout.core.tree import ROOT
from playout.evaluators.fast import empty_network
from playout.search.compiling import compiling
from tests.core.test_graph import GraphOracle, graphs_differ
from tests.core.test_oracle import assert_same
from tests.games.test_observation import random_positions
from tests.oracles.oracle import Oracle
from tests.trees import assert_adds_up

from .sparse import (
    SETTINGS,
    SparseDice,
    SparseNim,
    TableNim,
    game_knows,
    oracle_with,
    random_network,
    saved,
    seen_by,
    table_of,
)

GAMES = ["tictactoe", "connect4", "othello", "chess"]
SIMULATIONS = 400 if COMPILED else 40


def kernel_answer(game, network, position):
    """The values and the normalised priors that a kernel gets."""
    table, _facts = table_of(game, network)
    values, out, actions = np.zeros(game.players), np.zeros(game.rules.room), np.zeros(game.rules.room, np.int32)
    core.evaluate(table, position.buffer, values)
    count = len(position.actions())
    actions[:count] = position.actions()
    core.priors(table, position.buffer, actions, count, out)
    return values.tolist(), (out[:count] / out[:count].sum()).tolist()


# What is computed


def test_a_network_worked_out_by_hand():
    game = games.load("tictactoe")
    network = random_network(game, hidden=8, value="scalar")
    for array in (network.inputs, network.input_bias, network.value, network.value_bias, network.policy):
        array[:] = 0.0
    network.policy_bias[:] = 0.0
    network.inputs[4, 0] = 0.5  # an own stone in the middle
    network.inputs[9 + 0, 1] = 3.0  # the opponent's in a corner: clipped to 1
    network.value[0, :2] = 2.0, -1.0
    network.policy[8, 0] = 4.0
    position = game.position("O../.X./...")  # X moves: units are 0.5² and 1
    values, priors = kernel_answer(game, network, position)
    assert values == pytest.approx([math.tanh(2 * 0.25 - 1), -math.tanh(2 * 0.25 - 1)], abs=1e-7)
    assert priors[-1] == pytest.approx(math.e / (math.e + 6), abs=1e-7)
    network.activation = "clipped"
    values, _ = kernel_answer(game, network, position)
    assert values == pytest.approx([0.0, 0.0], abs=1e-7)  # 2 * 0.5 - 1


def test_win_draw_and_loss():
    game = games.load("tictactoe")
    network = random_network(game, hidden=8, value="wdl")
    network.value[:] = 0.0
    network.value_bias[:] = np.log([0.6, 0.3, 0.1])
    values, _ = kernel_answer(game, network, game.position("X../.../..."))
    assert values == pytest.approx([-0.5, 0.5], abs=1e-6)


@pytest.mark.parametrize("name", GAMES)
def test_kernels_agree_with_numpy(name):
    game = games.load(name)
    kinds = [(8, "scalar", "clipped"), (40, "wdl", "squared"), (64, "scalar", "squared")]
    for hidden, value, activation in kinds if COMPILED else kinds[1:2]:
        network = random_network(game, hidden, value, activation, seed=hidden)
        for position in [p for p in random_positions(name, 3) if not p.is_terminal][:: 1 if COMPILED else 9]:
            values, priors = kernel_answer(game, network, position)
            expected, weights = seen_by(network, position)
            assert values == pytest.approx(expected, abs=2e-5)
            assert priors == pytest.approx(weights, abs=2e-5)


def test_the_order_of_sums_does_not_matter_where_nothing_is_rounded():
    game = games.load("connect4")
    network = random_network(game, exact=True)
    for position in random_positions("connect4", 5):
        if not position.is_terminal:
            values, priors = kernel_answer(game, network, position)
            expected, weights = seen_by(network, position)
            assert values == pytest.approx(expected, abs=1e-14)
            assert priors == pytest.approx(weights, abs=1e-14)


def test_values_can_have_another_range():
    class Points(SparseNim):
        value_range, returns_sum = (0.0, 1.0), 1.0

        @staticmethod
        def apply(state, action, rewards):
            state.stones -= action
            if state.stones == 0:
                rewards[state.turn] = 1.0
            state.turn = 1 - state.turn

    game = Points()
    network = random_network(game, value="scalar", value_range=(0.0, 1.0))
    plain = random_network(game, value="scalar")
    position = game.position("stones=5 turn=1")
    (other, own), _ = kernel_answer(game, network, position)
    usual = seen_by(plain, position)[0][1]
    assert own == pytest.approx((usual + 1) / 2, abs=1e-6)
    assert own + other == 1.0


# A network that builds on what the game knows


@pytest.mark.parametrize("value", ["scalar", "wdl"])
def test_a_network_that_learnt_nothing_answers_as_the_game(value):
    game = games.load("connect4")
    network = empty_network("connect4", game.feature_count, 8, game.policy_size, value)
    network.base_value = network.base_policy = 1.0
    position = game.position("414")
    static, known = game_knows(position)
    values, priors = kernel_answer(game, network, position)
    if value == "scalar":
        assert values == pytest.approx(static, abs=1e-9)
    else:  # win and loss share it: tanh moves to (e^x - e^-x) / (e^x + 1 + e^-x)
        x = math.atanh(static[0])
        assert values[0] == pytest.approx(2 * math.sinh(x) / (2 * math.cosh(x) + 1), abs=1e-9)
    assert abs(static[0]) > 0.01
    assert priors == pytest.approx((np.array(known) / sum(known)).tolist(), abs=1e-9)


@pytest.mark.parametrize("name", ["connect4", "chess"])
def test_kernels_that_build_on_the_game_agree_with_numpy(name):
    game = games.load(name)
    network = random_network(game, 16, "wdl" if name == "chess" else "scalar", base_value=0.8, base_policy=1.2)
    for position in [p for p in random_positions(name, 3) if not p.is_terminal][:: 1 if COMPILED else 9]:
        values, priors = kernel_answer(game, network, position)
        expected, weights = seen_by(network, position)
        assert values == pytest.approx(expected, abs=2e-5)
        assert priors == pytest.approx(weights, abs=2e-5)


def test_where_the_game_knows_better_a_network_that_builds_on_it_adds_nothing():
    game = games.load("chess")
    position = game.position("8/8/8/3k4/8/8/8/KR6 w - - 0 1")  # a bare king
    based = random_network(game, 16, "scalar", base_value=0.8, base_policy=1.2)
    values, priors = kernel_answer(game, based, position)
    static, known = game_knows(position)
    assert values == static
    assert priors == pytest.approx(known, abs=1e-12)
    values, priors = kernel_answer(game, random_network(game, 16, "scalar"), position)
    assert values != pytest.approx(static, abs=1e-3)
    assert priors != pytest.approx(known, abs=1e-3)


def test_trees_of_networks_that_build_on_the_game_are_the_oracles(tmp_path):
    assert_oracles_tree(games.load("connect4"), {}, tmp_path, base_value=0.7, base_policy=0.9)


def test_priors_that_are_all_zero_say_nothing():
    weights = np.zeros(3)
    base_of_priors(weights, 3)
    assert weights.tolist() == [0.0, 0.0, 0.0]


# Trees


@pytest.mark.parametrize(
    "game", [games.load("tictactoe"), games.load("connect4"), TableNim(), SparseDice()], ids=lambda game: game.title
)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"policy": po.UCT(0.7), "unvisited": "infinity", "ties": "random"},
        {"expansion": po.Widening(2, 1.0, 0.5), "solver": False},
        {"root": po.Gumbel(considered=2, noise=0.0), "policy": po.Improved()},
    ],
    ids=["puct", "uct", "widening", "gumbel"],
)
def test_trees_are_the_oracles(game, changes, tmp_path):
    assert_oracles_tree(game, changes, tmp_path)


@pytest.mark.parametrize(
    "changes",
    [{"backup": po.ImplicitMinimax(0.4)}, {"policy": EpsilonGreedy(0.3)}],
    ids=["minimax", "own policy"],
)
def test_trees_with_other_parts_are_the_oracles(changes, tmp_path):
    assert_oracles_tree(games.load("tictactoe"), changes, tmp_path)


def test_a_policy_that_needs_playouts_is_refused():
    with pytest.raises(po.SettingsError, match="values come from Network, which plays none"):
        SETTINGS.replace(evaluator=po.Network("x.fast"), policy=po.GRAVE(5))


def assert_oracles_tree(game, changes, tmp_path, **base):
    network = random_network(game, exact=True, seed=3, **base)
    settings = SETTINGS.replace(evaluator=po.Network(saved(tmp_path, network)), **changes)
    search = po.Search(game, settings, seed=2)
    oracle = oracle_with(Oracle, network)(game, settings, seed=2)
    for _ in range(2):
        search.run(SIMULATIONS)
        oracle.run(SIMULATIONS)
        assert_same(search, oracle)


def test_graphs_are_the_oracles(tmp_path):
    game = games.load("tictactoe")
    network = random_network(game, exact=True, seed=4)
    settings = SETTINGS.replace(evaluator=po.Network(saved(tmp_path, network)), transpositions=True)
    search = po.Search(game, settings)
    oracle = oracle_with(GraphOracle, network)(game, settings)
    search.run(SIMULATIONS)
    oracle.run(SIMULATIONS)
    assert graphs_differ(search, oracle) is None


def test_the_temperature_flattens_the_policy(tmp_path):
    game = games.load("connect4")
    network = random_network(game, exact=True)
    evaluator = po.Network(saved(tmp_path, network), temperature=2.0)
    settings = SETTINGS.replace(evaluator=evaluator, solver=False)
    search = po.Search(game, settings)
    search.run(SIMULATIONS)
    oracle = oracle_with(Oracle, network, 2.0)(game, settings)
    oracle.run(SIMULATIONS)
    assert_same(search, oracle)


def test_without_priors_all_actions_are_equal(tmp_path):
    file = saved(tmp_path, random_network(games.load("connect4")))
    search = po.Search("connect4", SETTINGS.replace(evaluator=po.Network(file), priors=False))
    assert {edge["prior"] for edge in search.tree.edges[:7]} == {np.float32(1 / 7)}


def test_proofs_are_found(tmp_path):
    file = saved(tmp_path, random_network(games.load("tictactoe")))
    search = po.Search("tictactoe", SETTINGS.replace(evaluator=po.Network(file)), position="X.O/.X./..O")
    assert search.run(5000).proven == 0.0


# Ways to run


def settings_for(tmp_path, game, **changes):
    return SETTINGS.replace(evaluator=po.Network(saved(tmp_path, random_network(game, exact=True))), **changes)


def test_threads_share_the_tree(tmp_path):
    game = games.load("connect4")
    search = po.Search(game, settings_for(tmp_path, game, threads=2, solver=False))
    search.run(10 * SIMULATIONS)
    assert search.simulations == 10 * SIMULATIONS == search.tree.nodes[ROOT]["visits"]
    assert_adds_up(search)


def test_several_roots(tmp_path):
    game = games.load("connect4")
    settings = settings_for(tmp_path, game, roots=2)
    first, second = (po.Search(game, settings, seed=1).run(SIMULATIONS).to_dict() for _ in range(2))
    assert first["simulations"] == SIMULATIONS
    assert first["actions"] == second["actions"]


def test_steps_grow_the_same_tree(tmp_path):
    game = games.load("connect4")
    settings = settings_for(tmp_path, game)
    whole, stepped = po.Search(game, settings), po.Search(game, settings)
    whole.run(20)
    steps = [stepped.step() for _ in range(20)]
    np.testing.assert_array_equal(whole.tree.edges[:100], stepped.tree.edges[:100])
    values, _ = seen_by(random_network(game, exact=True), steps[5].positions[-1])
    assert steps[5].static_values == steps[5].returns == pytest.approx(values)


def test_a_saved_search_goes_on(tmp_path):
    game = games.load("connect4")
    search = po.Search(game, settings_for(tmp_path, game), seed=5)
    search.run(SIMULATIONS)
    search.save(tmp_path / "search.playout")
    other = po.Search.load(tmp_path / "search.playout")
    for each in (search, other):
        each.run(SIMULATIONS)
        each.play(each.result().best)
        each.run(SIMULATIONS)
    assert search.result().to_dict()["actions"] == other.result().to_dict()["actions"]


@pytest.mark.compiled_only
def test_another_network_compiles_nothing(tmp_path):
    game = games.load("connect4")
    po.Search(game, settings_for(tmp_path, game)).run(10)
    before = compiling.functions
    for hidden, value in ((16, "scalar"), (64, "wdl")):
        file = saved(tmp_path, random_network(game, hidden, value), f"{hidden}.fast")
        po.Search(game, SETTINGS.replace(evaluator=po.Network(file, temperature=3.0))).run(10)
    assert compiling.functions == before
