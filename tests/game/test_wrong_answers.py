"""Rules that change what they should only read, and chance outcomes that are listed twice or not written."""

import numpy as np
import pytest

import playout as po
from tests.games.toy_games import Nim

FAR = 3_000_000


class ChangingPriors(Nim):
    """Changes an action in `priors`, where nine stones are left."""

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0
        if state.stones == 9:
            actions[1] = FAR


class ChangingPlayouts(Nim):
    """Makes an action legal in `playout_action`, where nine stones are left."""

    @staticmethod
    def playout_action(state, actions, count, rng):
        if state.stones == 9:
            actions[0] = 9
            return 9
        return actions[0]


class Sorting(ChangingPriors):
    """Changes only the order."""

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0
        if state.stones == 9:
            actions[0], actions[1] = actions[1], actions[0]


class Dice(po.Game):
    """Take one or two stones; then chance takes one or two. The last stone wins."""

    players = 1
    max_actions = 2
    value_range = (0.0, 1.0)
    state = np.dtype([("stones", np.int8), ("phase", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = 9

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else po.CHANCE if state.phase == 1 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 2
        return min(2, state.stones)

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        count = min(2, state.stones)
        for i in range(count):
            actions[i], probabilities[i] = i + 1, 1.0 / count
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0 and state.phase == 0:
            rewards[0] = 1.0
        state.phase = 1 - state.phase


class Unwritten(Dice):
    """Writes the first probability only."""

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 1, 2
        probabilities[0] = 1.0
        return min(2, state.stones)


class Twice(Dice):
    """Lists an outcome twice."""

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 1, 1
        probabilities[0], probabilities[1] = 0.5, 0.5
        return 2


def message(game, **settings):
    with pytest.raises(po.GameError) as caught:
        po.Search(game, po.Settings(**settings), seed=1).run(2000)
    assert "\n" not in str(caught.value)
    return str(caught.value)


GUIDED = po.Rollouts(guided=True)


@pytest.mark.parametrize("settings", [{"policy": po.PUCT()}, {"evaluator": GUIDED}], ids=["policy", "playouts"])
@pytest.mark.parametrize(("game", "said"), [(ChangingPriors, f"actions[1] from 2 to {FAR}"), (Sorting, "actions[0]")])
def test_priors_that_change_the_actions_are_refused(game, said, settings):
    text = message(game(), **settings)
    assert f"{game.__name__}.priors changed {said}" in text
    assert "in stones=9" in text


def test_a_playout_action_that_changes_the_actions_is_refused():
    text = message(ChangingPlayouts(), evaluator=GUIDED)
    assert "ChangingPlayouts.playout_action changed actions[0] from 1 to 9 in stones=9" in text


@pytest.mark.parametrize("open_loop", [False, True])
def test_probabilities_that_are_never_written_are_refused_by_name(open_loop):
    text = message(Unwritten(), open_loop=open_loop)
    assert "Unwritten.chance_outcomes gave the probabilities 1, nan in stones=" in text
    assert "add up to nan (nan was written, or nothing at all); expected" in text


@pytest.mark.parametrize("open_loop", [False, True])
def test_an_outcome_that_is_listed_twice_is_refused(open_loop):
    text = message(Twice(), open_loop=open_loop)
    assert "Twice.chance_outcomes listed outcome 1 more than once (1, 1) in stones=" in text


def test_the_doctor_finds_an_outcome_that_is_listed_twice():
    report = po.check_game(Twice())
    assert not report.ok
    assert "chance_outcomes lists an action more than once: 1, 1" in str(report)


def test_sound_chance_outcomes_are_not_refused():
    assert po.Search(Dice(), seed=1).run(500).proven is not None
