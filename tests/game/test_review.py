"""What a review of "right or refused" found: helpers out of sight, probabilities, and games that raise."""

import importlib
import sys
from typing import ClassVar

import numba
import numpy as np
import pytest

import playout as po
from playout.cli import main
from playout.core.references import fingerprint
from tests.games.toy_games import Nim
from tests.web.web_server import serving

FAR = 100_000


@numba.njit
def fill(actions, count):
    for i in range(count):
        actions[i] = i
    return 3


HELPERS = (fill,)


class ThroughATuple(Nim):
    @staticmethod
    def legal_actions(state, actions):
        return HELPERS[0](actions, FAR)


class ThroughFlat(Nim):
    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions.flat[i] = i + 1
        return 3


@pytest.mark.compiled_only
def test_a_helper_in_a_tuple_is_guarded():
    with pytest.raises(po.GameError, match=r"ThroughATuple.legal_actions"):
        po.Search(ThroughATuple()).run(10)


@pytest.mark.compiled_only
@pytest.mark.parametrize("init", [True, False], ids=["package", "folder"])
def test_a_helper_in_a_module_of_a_package_is_guarded(init, tmp_path, monkeypatch):
    package = tmp_path / f"own_package_{init}"
    package.mkdir()
    if init:
        (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(
        "import numba\n\n@numba.njit\ndef fill(actions, count):\n"
        "    for i in range(count):\n        actions[i] = i\n    return 3\n"
    )
    (tmp_path / f"nested_{init}.py").write_text(
        f"import {package.name}.inner\nfrom tests.games.toy_games import Nim\n\n\nclass Nested(Nim):\n"
        f"    @staticmethod\n    def legal_actions(state, actions):\n"
        f"        return {package.name}.inner.fill(actions, {FAR})\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module(f"nested_{init}")
    with pytest.raises(po.GameError, match=r"Nested.legal_actions"):
        po.Search(module.Nested()).run(10)
    del sys.modules[module.__name__]


def test_a_change_of_a_helper_in_a_module_of_a_package_is_noticed(tmp_path, monkeypatch):
    package = tmp_path / "edited_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("import numba\n\n@numba.njit\ndef more(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    inner = importlib.import_module("edited_package.inner")
    scope = {"edited_package": sys.modules["edited_package"]}
    exec("def rule(x):\n    return edited_package.inner.more(x)\n", scope)
    before = fingerprint(scope["rule"])
    assert fingerprint(scope["rule"]) == before
    exec("def more(x):\n    return x + 2\n", vars(inner))
    assert fingerprint(scope["rule"]) != before


@pytest.mark.compiled_only
def test_flat_is_refused_since_nothing_checks_it():
    with pytest.raises(po.GameError, match=r"legal_actions can't be compiled, at .*test_review.py:\d+: `.flat` can't"):
        po.Search(ThroughFlat()).run(10)


class Lottery(po.Game):
    """Buy a ticket; chance says what it brings. The probabilities are what a test makes of them."""

    players = 1
    max_actions = 2
    value_range = (0.0, 1.0)
    state = np.dtype([("phase", np.int8), ("first", np.float64), ("second", np.float64)])
    settings: ClassVar[dict[str, float]] = {"first": 0.5, "second": 0.5}

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.phase == 2 else po.CHANCE if state.phase == 1 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 0
        return 1

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = state.first, state.second
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if state.phase == 1:
            rewards[0] = action
        state.phase += 1


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.4), (1.5, -0.5), (0.5, 0.6)], ids=str)
@pytest.mark.parametrize("changes", [{}, {"transpositions": True}, {"open_loop": True}], ids=str)
def test_probabilities_that_are_none_are_refused(first, second, changes):
    assert po.Search(Lottery(), po.Settings(**changes)).run(50).value == pytest.approx(0.5, abs=0.3)
    with pytest.raises(po.GameError, match=r"Lottery.chance_outcomes gave the probabilities .* in .*phase=1"):
        po.Search(Lottery(first=first, second=second), po.Settings(**changes)).run(50)


def test_a_sum_that_is_no_number_is_refused():
    class Odd(Nim):
        returns_sum = "x"

    with pytest.raises(po.GameError, match=r"Odd.returns_sum is 'x', expected a number, or None"):
        po.Search(Odd())


RAISES = """
from tests.games.toy_games import Nim

class NoText(Nim):
    def state_to_text(self, state):
        raise RuntimeError("no text today")
"""


def test_a_game_that_raises_is_one_line_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "raises.py"
    file.write_text(RAISES)
    assert main(["analyze", f"{file}:NoText", "-n", "10"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("playout: RuntimeError: no text today, raised at")
    assert f"{file}:6" in error
    assert error.count("\n") == 1


def test_a_game_that_raises_does_not_hide_the_others_on_the_page(tmp_path):
    file = tmp_path / "raises_too.py"
    file.write_text(RAISES)
    with serving(tmp_path, games=[f"{file}:NoText"]) as server:
        found = {game["game"]: game for game in server.get("/v1/games")["games"]}
    assert "does not work: RuntimeError: no text today" in found["NoText"]["about"]
    assert found["connect4"]["position"] == ""
