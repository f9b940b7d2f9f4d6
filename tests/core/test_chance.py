"""Chance: outcomes by probability, few outcomes at a node, open loops, and problems whose exact values are known."""

import numpy as np
import pytest

import playout as po
from playout.core import copying
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import Dice, Gamble
from tests.oracles.solved import frozen_lake


class FrozenLake(po.Game):
    """Cross the ice to the goal, on the map `solved.LAKE`. A step goes in the intended direction with probability 1/3,
    and to either side of it with 1/3 each."""

    players = 1
    max_actions = 4
    value_range = (0.0, 1.0)
    state = np.dtype([("at", np.int8), ("going", np.int8), ("slippery", np.int8)])
    settings = {"slippery": 1}  # noqa: RUF012

    @staticmethod
    def initial_state(state):
        state.going = -1

    @staticmethod
    def current_player(state):
        if state.at in (5, 7, 11, 12, 15):
            return po.TERMINAL
        return 0 if state.going < 0 else po.CHANCE

    @staticmethod
    def legal_actions(state, actions):
        for i in range(4):  # left, down, right, up
            actions[i] = i
        return 4

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        if not state.slippery:
            actions[0], probabilities[0] = state.going, 1.0
            return 1
        for i in range(3):
            actions[i], probabilities[i] = (state.going + i + 3) % 4, 1.0 / 3.0
        return 3

    @staticmethod
    def apply(state, action, rewards):
        if state.going < 0:
            state.going = action
            return
        row, column = state.at // 4, state.at % 4
        if action == 0:
            column = max(0, column - 1)
        elif action == 1:
            row = min(3, row + 1)
        elif action == 2:
            column = min(3, column + 1)
        else:
            row = max(0, row - 1)
        state.at, state.going = row * 4 + column, -1
        if state.at == 15:
            rewards[0] = 1.0

    def state_from_text(self, state, text):
        state.at = int(text)


# A discount for each step: an action and the outcome that follows.
GAMMA = 0.99
ICE = po.Settings(
    policy=po.UCT(0.7), evaluator=po.Rollouts(depth=200), discount=GAMMA**0.5, transpositions=True, solver=False
)


@pytest.mark.slow
@pytest.mark.parametrize("slippery", [True, False])
@pytest.mark.parametrize(
    ("simulations", "allowed"), [(1_000_000, 0.1), pytest.param(8_000_000, 0.06, marks=pytest.mark.reference)]
)
def test_frozen_lake_comes_to_the_values_of_value_iteration(slippery, simulations, allowed):
    values, best_actions = frozen_lake(slippery, GAMMA)
    game = FrozenLake(slippery=int(slippery))
    for at in (14, 13, 10, 9) if slippery else (14, 10, 9, 6, 0):
        search = po.Search(game, ICE, position=str(at), seed=1)
        errors = []
        for some in (100_000, simulations):  # on ice one goes in circles, which takes millions of simulations
            result = search.run(some)
            # The first half step is discounted here but not there, since rewards come with the outcome.
            best = max(a.value for a in result.actions if a.visits > 1000) / GAMMA**0.5
            errors.append(abs(best - values[at]))
        assert errors[1] < allowed, (at, errors)
        assert errors[1] <= errors[0] + 0.005, (at, errors)
        assert result.best in best_actions[at], at
        assert int(search.tree.counters[core.NODES]) <= core.ROOT + 11 * 5  # a node for each cell and direction


@pytest.mark.compiled_only
def test_a_tree_and_a_graph_come_to_the_exact_value_of_a_game_of_dice():
    exact = po.Search(Dice(), seed=1).run(100_000).proven
    assert exact is not None
    for on in (True, False):
        settings = po.Settings(policy=po.UCT(0.7), solver=False, transpositions=on)
        assert po.Search(Dice(), settings, seed=3).run(300_000).value == pytest.approx(exact, abs=0.03)


# Few outcomes.


class Wheel(po.Game):
    """Bet 0 (a sure 0.5) or 1: a wheel of 40 numbers, of which `i` comes with a probability in proportion to i + 1 and
    brings i / 40."""

    players = 1
    max_actions = 40
    value_range = (0.0, 1.0)
    state = np.dtype([("phase", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.phase == 2 else po.CHANCE if state.phase == 1 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(40):
            actions[i], probabilities[i] = i, (i + 1) / 820.0
        return 40

    @staticmethod
    def apply(state, action, rewards):
        if state.phase == 1:
            rewards[0], state.phase = action / 40.0, 2
        elif action == 0:
            rewards[0], state.phase = 0.5, 2
        else:
            state.phase = 1


WHEEL_MEAN = sum(i / 40 * (i + 1) / 820 for i in range(40))


def outcomes_seen(search):
    node = search.root.find([1])
    return [n for n in node.children if n.is_visited]


@pytest.mark.parametrize("limit", [po.Widening(1, 1, 0.5), po.Widening(3, 0, 0.5), po.Widening(0, 2, 0.4, cap=5)])
def test_a_chance_node_lets_in_as_many_outcomes_as_widening_allows(limit):
    search = po.Search(Wheel(), po.Settings(outcomes=limit, solver=False), seed=1)
    for _ in range(25):
        search.run(8)
        visits = search.root.find([1]).visits
        allowed = limit.initial + limit.k * visits**limit.alpha
        assert len(outcomes_seen(search)) <= max(1, int(min(allowed, limit.cap or 40, 40)))
    assert len(outcomes_seen(search)) >= 3


def test_widening_with_room_for_all_comes_to_the_mean():
    settings = po.Settings(outcomes=po.Widening(1, 1, 0.8), policy=po.UCT(0.5), solver=False)
    search = po.Search(Wheel(), settings, seed=2)
    search.run(100_000 if COMPILED else 1500)
    assert len(outcomes_seen(search)) > (38 if COMPILED else 20)
    assert search.root.find([1]).value == pytest.approx(WHEEL_MEAN, abs=0.01 if COMPILED else 0.05)


@pytest.mark.parametrize("few", [False, True])
def test_outcomes_come_as_often_as_their_probabilities_say(few):
    limit = po.Widening(40, 0, 0.5) if few else None
    search = po.Search(Wheel(), po.Settings(outcomes=limit, policy=po.UCT(9.0), solver=False), seed=3)
    search.run(40_000 if COMPILED else 2000)
    node = search.root.find([1])
    seen = {n.action: n.visits for n in node.children}
    total = sum(seen.values())
    expected = {i: total * (i + 1) / 820 for i in range(40)}
    chi_squared = sum((seen.get(i, 0) - expected[i]) ** 2 / expected[i] for i in range(40))
    assert chi_squared < 80  # 39 degrees of freedom: 72 has a chance of one in a thousand


def test_few_outcomes_are_proven_when_all_have_come():
    search = po.Search(Gamble(), po.Settings(outcomes=po.Widening(1, 1, 0.5)), seed=1)
    result = search.run(2000)
    assert result.proven == pytest.approx(0.5)
    assert result.stats(1).proven == pytest.approx(0.4)


@pytest.mark.parametrize("transpositions", [False, True])
def test_steps_and_runs_are_the_same_with_few_outcomes(transpositions):
    settings = po.Settings(outcomes=po.Widening(1, 0.5, 0.5), transpositions=transpositions, solver=False)
    run, stepped = po.Search(Dice(), settings, seed=5), po.Search(Dice(), settings, seed=5)
    run.run(80)
    for _ in range(80):
        stepped.step()
    used = copying.rows(run.tree, "edges")
    assert run.tree.edges[:used].tobytes() == stepped.tree.edges[:used].tobytes()


# Open loops.


class Guess(po.Game):
    """Guess a coin after it fell: a player who looks is always right, one who plans ahead only half of the time."""

    players = 1
    max_actions = 3
    value_range = (0.0, 1.0)
    state = np.dtype([("phase", np.int8), ("coin", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.phase == 3 else po.CHANCE if state.phase == 1 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1], actions[2] = 0, 1, 2
        return 3 if state.phase == 0 else 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 0.6, 0.4
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if state.phase == 1:
            state.coin = action
        elif state.phase == 2:
            rewards[0] = 1.0 if action == state.coin else 0.0
        elif action == 2:  # take 0.7 and leave
            rewards[0] = 0.7
            state.phase = 2
        state.phase += 1


class Turns(Guess):
    """The second choice depends on chance: after 0, actions 0 and 1 are legal, after 1 only 2."""

    @staticmethod
    def legal_actions(state, actions):
        if state.phase == 2 and state.coin == 1:
            actions[0] = 2
            return 1
        actions[0], actions[1] = 0, 1
        return 2


def test_an_open_loop_does_not_see_what_chance_will_have_done():
    closed = po.Search(Guess(), po.Settings(solver=False), seed=1).run(3000)
    loop = po.Search(Guess(), po.Settings(open_loop=True, policy=po.UCT(0.5)), seed=1)
    opened = loop.run(3000)
    planned = po.Search(Guess(), po.Settings(open_loop=True, policy=po.UCT(0.5)), seed=1, only=[0]).run(3000)
    assert closed.stats(0).value == pytest.approx(1.0, abs=0.05)  # it sees the coin
    assert closed.best in (0, 1)
    assert planned.value == pytest.approx(0.6, abs=0.05)  # the likelier side is the best plan
    assert opened.best == 2
    assert opened.proven is None
    assert {n.player for n in loop.root.walk()} <= {0, po.TERMINAL}  # chance has no nodes


def test_an_open_loop_takes_only_what_is_legal_this_time():
    search = po.Search(Turns(), po.Settings(open_loop=True), seed=1)
    search.run(400)
    below = search.root.find([0])
    assert {n.action for n in below.children} == {0, 1, 2}
    counts = {n.action: n.visits for n in below.children}
    assert counts[2] / sum(counts.values()) == pytest.approx(0.4, abs=0.1)


@pytest.mark.parametrize(
    "settings",
    [
        po.Settings(open_loop=True, discount=0.9),
        po.Settings(open_loop=True, policy=po.PUCT(1.0), expansion=po.Widening(1, 1, 0.5)),
        po.Settings(open_loop=True, expansion=po.OneAtATime(), ties="first", evaluate_root=True),
    ],
    ids=["discount", "widening", "one"],
)
@pytest.mark.parametrize("kind", [Dice, Guess, Turns, Wheel], ids=lambda kind: kind.__name__)
def test_open_loops_are_stepped_saved_and_walked_back(kind, settings, tmp_path):
    run, stepped = po.Search(kind(), settings, seed=5), po.Search(kind(), settings, seed=5)
    run.run(60)
    steps = [stepped.step() for _ in range(60)]
    used = copying.rows(run.tree, "edges")
    assert run.tree.edges[:used].tobytes() == stepped.tree.edges[:used].tobytes()
    assert all(str(step) and step.to_dict() for step in steps)
    run.save(tmp_path / "open.playout")
    again = po.Search.load(tmp_path / "open.playout", game=kind())
    again.run(20)
    stepped.run(20)
    assert [a.visits for a in again.result().actions] == [a.visits for a in stepped.result().actions]
    stepped.rewind(60)
    assert stepped.tree.edges[:used].tobytes() == run.tree.edges[:used].tobytes()


def test_an_open_loop_discounts_the_steps_of_chance_too():
    game = FrozenLake(slippery=0)
    settings = po.Settings(
        open_loop=True, policy=po.UCT(0.3), evaluator=po.Rollouts(depth=60), discount=0.9, solver=False
    )
    search = po.Search(game, settings, position="14", seed=1)
    result = search.run(400)
    assert result.best_text == "2"
    assert result.stats("2").value == pytest.approx(0.9)  # the reward comes with the outcome, one step later


def test_playing_on_begins_an_open_loop_anew():
    search = po.Search(Dice(), po.Settings(open_loop=True), seed=1)
    search.run(100)
    search.play(1)
    search.play(search.position.outcomes()[0][0])
    assert search.result().visits == 0
    assert search.run(50).simulations == 50


def test_open_loops_and_transpositions_exclude_each_other():
    with pytest.raises(po.SettingsError, match="open_loop and transpositions are both on"):
        po.Settings(open_loop=True, transpositions=True)


@pytest.mark.parametrize("wrong", [po.All(), 3, po.Widening(-1), po.Widening(1, 1, 2.0)])
def test_wrong_limits_of_outcomes_are_refused(wrong):
    with pytest.raises(po.SettingsError, match="outcomes"):
        po.Settings(outcomes=wrong)
