"""Constants beside the state: rules read them like fields and never change them; other values compile nothing."""

import pickle

import numpy as np
import pytest

import playout as po
from tests.games.test_games import refusal


class Steps(po.Game):
    """Take each of three steps once; the order does not matter."""

    players = 1
    max_actions = 3
    state = np.dtype([("left", np.int32), ("scale", np.float64)])
    constants = np.dtype([("costs", np.float64, (3,)), ("bonus", np.int64)])
    settings = {"scale": 1.0, "bonus": 5, "costs_text": "1 2 3"}  # noqa: RUF012
    files = {"file": "costs_text"}  # noqa: RUF012

    def fill_constants(self, constants):
        constants.costs[:] = [float(word) for word in self.values["costs_text"].split()]

    @staticmethod
    def initial_state(state):
        state.left = 7

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.left == 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for i in range(3):
            if state.left >> i & 1:
                actions[count] = i
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.left &= ~(1 << action)
        rewards[0] = -state.scale * state.costs[action]
        if state.left == 0:
            rewards[0] += state.bonus


class Writes(Steps):
    @staticmethod
    def apply(state, action, rewards):
        state.left &= ~(1 << action)
        state.bonus = 3


class WritesArray(Steps):
    @staticmethod
    def apply(state, action, rewards):
        state.left &= ~(1 << action)
        state.costs[action] = 0.0


def total(game):
    position, got = game.position(), 0.0
    while not position.is_terminal:
        position = position.play(position.actions()[0])
        got += position.rewards[0]
    return got


def test_rules_read_constants_like_fields_of_the_state():
    assert total(Steps()) == 5 - 6
    assert total(Steps(costs_text="1 1 1", bonus=0)) == -3
    assert total(Steps(costs_text=[1, 1, 2.5], scale=2)) == 5 - 9
    assert po.Search(Steps(bonus=1), seed=1).run(100).proven == -5


def test_games_with_other_constants_live_side_by_side():
    one, other = Steps(costs_text="1 2 3"), Steps(costs_text="10 20 30")
    first, second = po.Search(one, seed=1), po.Search(other, seed=1)
    assert (first.run(100).proven, second.run(100).proven, first.run(10).proven) == (-1, -55, -1)
    assert total(pickle.loads(pickle.dumps(other))) == -55


@pytest.mark.compiled_only
def test_other_constants_compile_nothing_again():
    one, other = Steps(), Steps(costs_text="4 5 6")
    one.rules_table()
    before = dict(one.rules._compiled)
    other.rules_table()
    assert other.rules._compiled is one.rules._compiled
    assert other.rules._compiled == before


def test_the_doctor_accepts_constants_and_finds_rules_that_write_them():
    assert po.check_game(Steps(), games=5).findings == ()
    assert any(f.rule == "apply" for f in po.check_game(Writes(), games=5).findings)
    assert any(f.rule == "apply" for f in po.check_game(WritesArray(), games=5).findings)


@pytest.mark.compiled_only
def test_a_rule_that_writes_a_constant_is_not_compiled():
    assert "constants" in refusal(po.GameError, po.Search, Writes())
    refusal(po.GameError, po.Search, WritesArray())


def test_a_file_gives_the_content_of_a_text(tmp_path):
    path = tmp_path / "costs.txt"
    path.write_text("7 7 7\n")
    game = Steps(file=path)
    assert game.values["costs_text"].strip() == "7 7 7"
    path.unlink()
    assert total(game) == 5 - 21
    (tmp_path / "empty.txt").write_text("")
    assert "is empty" in refusal(po.SettingsError, Steps, file=str(tmp_path / "empty.txt"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    assert "it is not a text" in refusal(po.SettingsError, Steps, file=str(tmp_path / "bytes"))
    assert "expected the path of a file" in refusal(po.SettingsError, Steps, file=3)


def test_classes_with_wrong_constants_are_refused():
    class Twice(Steps):
        constants = np.dtype([("left", np.int64), ("bonus", np.int64)])

    class Nowhere(Steps):
        settings = {"speed": 3}  # noqa: RUF012

    class NoText(Steps):
        files = {"file": "bonus"}  # noqa: RUF012

    assert "'left' is a field of the state and of the constants" in refusal(po.GameError, Twice)
    assert "setting 'speed' is not a field of the state" in refusal(po.GameError, Nowhere)
    assert "expected a new name for the file" in refusal(po.GameError, NoText)
