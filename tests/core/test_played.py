"""The record of what a simulation played, which policies and playouts that learn read, against a step of a twin."""

import pytest

import playout as po
from playout import games
from playout.core.played import NOTHING
from playout.policies import UCT
from tests.games.toy_games import Nim


class Reading(UCT):
    """UCT that asks for what simulations play, and makes no use of it."""

    ref: int = 10
    amaf = "ref"


class Kept(Nim):
    """States are stored, not replayed; a code is the number of stones left, and the action."""

    keep_states = True
    action_codes = 100

    @staticmethod
    def action_code(state, action):
        return 4 * state.stones + action


def recorded(position, action):
    """The entry of an action in a position."""
    number = position.action(action)
    return (
        NOTHING if position.player < 0 else position.player * position.game.rules.codes + position.action_code(number)
    )


def record_of(step):
    """The record that a step's own account of its simulation gives."""
    found = [recorded(position, choice.text) for position, choice in zip(step.positions, step.selection, strict=False)]
    for playout in step.playouts:
        before = [step.positions[-1], *playout.positions[:-1]]
        entries = [recorded(p, action) for p, action in zip(before, playout.actions, strict=True)]
        found += [entry for entry in entries if entry != NOTHING] + [NOTHING]
    return found


CASES = {
    "tree": ("connect4", "", {}),
    "kept": (Kept(), "", {}),
    "graph": ("tictactoe", "", {"transpositions": True}),
    "chance": ("game2048", "0,0,0,2/0,0,0,0/0,0,0,0/0,0,4,2", {"evaluator": po.Rollouts(n=2, depth=5)}),
    "open loop": ("game2048", "", {"policy": UCT(), "open_loop": True, "evaluator": po.Rollouts(depth=4, mast=True)}),
    "guided": ("connect4", "", {"evaluator": po.Rollouts(guided=True), "evaluate_root": True}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_record_has_every_action_of_a_simulation_with_its_player(case):
    game, text, settings = CASES[case]
    game = games.load(game) if isinstance(game, str) else game
    position = game.position(text)
    first, second = (
        po.Search(game, po.Settings(**{"policy": Reading(), **settings}), position=position) for _ in range(2)
    )
    for _ in range(40):
        first.run(1)
        step = second.step()
        played = first.runner.work.played
        assert played[1 : played[0]].tolist() == record_of(step)


def test_without_a_reader_nothing_is_recorded():
    search = po.Search("connect4")
    search.run(10)
    assert len(search.runner.work.played) == 0


class Short(Kept):
    """The codes of more than nine stones don't fit."""

    action_codes = 40


def test_a_code_outside_its_range_ends_the_run_and_names_the_position():
    for stones, where in ((12, "stones=12 turn=0"), (10, "stones=10 turn=0"), (9, None)):
        search = po.Search(Short(stones=stones), po.Settings(policy=Reading()))
        if where is None:
            search.run(100)
            continue
        with pytest.raises(po.GameError) as caught:
            search.run(100)
        assert f"Short.action_code returned {4 * stones + 1} for action 1 in {where}; " in str(caught.value)
        assert search.simulations == 0


def test_python_objects_are_refused():
    class Coin:
        def current_player(self):
            return 0

        def legal_actions(self):
            return ["head", "tail"]

        def play(self, action):
            return self

        def returns(self):
            return [0.0]

    with pytest.raises(po.SettingsError, match="so that Reading can"):
        po.Search(po.wrap(Coin()), po.Settings(policy=Reading()))
