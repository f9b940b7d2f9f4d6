"""Action codes: what playouts that learn remember an action by. Those of the built-in games, and mistakes in them."""

import random

import pytest

import playout as po
from playout import games
from tests.games.toy_games import Nim


def code(game, text, action):
    position = games.load(game).position(text)
    return position.action_code(position.action(action))


@pytest.mark.parametrize("name", games.names())
def test_every_code_of_a_built_in_game_is_below_its_number_of_codes(name):
    game, rng, seen = games.load(name), random.Random(1), set()
    for _ in range(2):
        position = game.position()
        while not position.is_terminal:
            if position.player >= 0:
                codes = [position.action_code(action) for action in position.actions()]
                assert 0 <= min(codes) <= max(codes) < game.action_codes
                seen.update(codes)
            position = position.play(rng.choice(position.actions()))
    assert len(seen) > 2


def test_a_code_says_what_an_action_does():
    assert code("connect4", "", "4") == 21  # the cells of a column have seven numbers: the lowest of the fourth
    assert code("connect4", "44", "4") == 23  # two cells above it
    assert code("connect4", "444", "4") == 24
    assert code("tictactoe", "5", "1") == 0
    assert code("othello", "", "d3") == 19
    # The kind of the piece (pawn 1, knight 2) and the square it goes to, f3 being number 21.
    assert code("chess", "startpos", "g1f3") == 2 * 64 + 21
    assert code("chess", "startpos moves g1h3 e7e5", "h3g5") == 2 * 64 + 38
    assert code("chess", "8/5P1k/8/8/8/8/8/K7 w - - 0 1", "f7f8q") == 64 + 61
    assert code("chess", "8/5P1k/8/8/8/8/8/K7 w - - 0 1", "f7f8n") == 64 + 61
    assert code("target_sum", "", "3") == 2  # the third of the numbers 1, 2, 3
    assert code("game2048", "", "down") == 3
    assert code("suika", "", "4") == 17 + 4  # kind 1, column 4


def test_without_a_rule_the_code_is_the_number_of_the_action():
    assert [Nim().position().action_code(action) for action in (1, 2, 3)] == [1, 2, 3]


class Many(Nim):
    """Codes of which only the lowest twelve bits count, since their number is not declared."""

    @staticmethod
    def action_code(state, action):
        return action - 2 + (5 << 12)


def test_of_an_undeclared_number_of_codes_the_lowest_bits_count():
    assert [Many().position().action_code(action) for action in (1, 2, 3)] == [4095, 0, 1]


class Few(Nim):
    """Codes go up to the number of stones; one is missing."""

    action_codes = 21

    @staticmethod
    def action_code(state, action):
        return state.stones


class Numbered(Nim):
    action_codes = 3


def refusal(error, function, *given):
    with pytest.raises(error) as caught:
        function(*given)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_code_outside_its_range_is_refused_with_rule_position_and_limit():
    assert Few(stones=20).position().action_code(1) == 20
    message = refusal(po.GameError, Few().position().action_code, 2)
    assert message.startswith("Few.action_code returned 21 for action 2 in stones=21 turn=0; ")
    assert "codes are 0 to action_codes - 1 = 20; raise action_codes" in message
    message = refusal(po.GameError, Numbered().position().action_code, 3)
    assert message.startswith("Numbered.action_code is missing, so that the code is the action's number for action 3 ")
    assert "codes are 0 to action_codes - 1 = 2; raise action_codes, or define the rule" in message


@pytest.mark.parametrize("codes", [-1, 2.5, True, "many", 10**9])
def test_a_wrong_number_of_codes_is_refused(codes):
    wrong = type("Wrong", (Nim,), {"action_codes": codes})
    message = refusal(po.GameError, wrong)
    assert message.startswith(f"Wrong.action_codes is {codes!r}, expected how many codes")


class Stack:
    """A Python object: its actions are numbered separately in each position."""

    def current_player(self):
        return 0

    def legal_actions(self):
        return ["left", "right"]

    def play(self, action):
        return self

    def returns(self):
        return [0.0]


def test_actions_of_python_objects_have_no_codes():
    message = refusal(po.SettingsError, po.wrap(Stack()).position().action_code, 0)
    assert "is made of Python objects, whose actions are numbered separately in each position" in message
