"""What nested search refuses, each in one line: games, settings, rules that go wrong, files."""

import json
import math
import zipfile

import numpy as np
import pytest

import playout as po
from playout.solve import runs
from playout.solve.far import SolveSetup
from playout.solve.runs import new_run
from tests.game.objects import Shelf, Stones
from tests.games.toy_games import COINS, Nim

from .small_games import Stairs, Tour


def refused(kind, *arguments, **named):
    with pytest.raises(kind) as caught:
        po.solve(*arguments, **{"playouts": 200, "runs": 1} | named)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_games_that_have_no_best_line_are_refused():
    assert refused(po.SettingsError, Nim()) == (
        "Nim has 2 players; nested search solves games of one player, use Search"
    )
    assert refused(po.SettingsError, "game2048") == (
        "game2048 has chance, so that no line of actions is sure; nested search solves games without it, use Search"
    )
    assert refused(po.PositionError, "target_sum", position="10/4").endswith("there is nothing to solve")
    assert "expected Tour()" in refused(po.GameError, Tour)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"method": "nrpaa"}, "method is 'nrpaa', expected 'nrpa' or 'nmcs'; did you mean 'nrpa'?"),
        ({"runs": 0}, "runs is 0, expected a whole number of at least 1"),
        ({"seconds": -1}, "seconds is -1, expected a number above 0 and at most 1e+09"),
        ({"playouts": 0.5}, "playouts is 0.5, expected a whole number of at least 1"),
        ({"target": "best"}, "target is 'best', expected a number"),
        ({"seed": -1}, "seed is -1, expected a whole number from 0 to 2^64 - 1"),
        ({"time": 3}, "solve has no 'time' (it has: "),
    ],
    ids=lambda given: next(iter(given)) if isinstance(given, dict) else "",
)
def test_wrong_arguments_are_refused(given, message):
    assert refused(po.SettingsError, Tour(), **given).startswith(message)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: po.NRPA(levels=0), "settings: NRPA.levels is 0, expected a whole number of at least 1 and at most 8"),
        (lambda: po.NRPA(alpha=0), "settings: NRPA.alpha is 0, expected a number of more than 0 and at most 10"),
        (lambda: po.NMCS(iterations=5), "NMCS has no 'iterations' (it has: levels, priors)"),
    ],
    ids=["levels", "alpha", "iterations"],
)
def test_wrong_settings_are_refused(make, message):
    with pytest.raises(po.SettingsError) as caught:
        make()
    assert str(caught.value).startswith(message)


# Rules that go wrong.


class NotANumber(Tour):
    @staticmethod
    def apply(state, action, rewards):
        state.count += 1
        rewards[0] = np.nan if state.count == 4 else 1.0
        state.visited[action] = 1
        state.here = action


class OutOfRange(Tour):
    value_range = (-10.0, 0.0)


class NoActions(Tour):
    @staticmethod
    def legal_actions(state, actions):
        return 0


class TooLong(Stairs):
    @staticmethod
    def priors(state, actions, count, out):
        out[count + 40] = 1.0


class Coded(Tour):
    action_codes = 10


class Endless(Tour):
    @staticmethod
    def current_player(state):
        return 0

    @staticmethod
    def apply(state, action, rewards):
        pass


class Hanging(Tour):
    @staticmethod
    def apply(state, action, rewards):
        while state.count < 100:
            state.here = action


class Moody(Tour):
    """What it brings depends on random numbers that are not in the state."""

    @staticmethod
    def apply(state, action, rewards):
        state.count += 1
        state.visited[action] = 1
        state.here = action
        rewards[0] = np.random.random()  # noqa: NPY002


METHODS = [po.NRPA(iterations=5), po.NMCS(levels=2)]
BOTH = pytest.mark.parametrize("method", METHODS, ids=["nrpa", "nmcs"])


@BOTH
@pytest.mark.parametrize(
    ("game", "message"),
    [
        (NotANumber(), "NotANumber.apply gave nan for action "),
        (NoActions(), "NoActions.legal_actions returned 0 actions in "),
        (OutOfRange(), "OutOfRange.apply gave -"),
        pytest.param(Coded(), "Coded.action_code returned ", marks=pytest.mark.compiled_only),
    ],
    ids=["nan", "none", "range", "code"],
)
def test_a_wrong_answer_names_rule_and_position(game, message, method):
    assert refused(po.GameError, game, method).startswith(message)


@pytest.mark.compiled_only
@BOTH
def test_writing_past_the_end_names_rule_and_position(method):
    assert refused(po.GameError, TooLong(), method).startswith("TooLong.priors wrote out[")


@BOTH
def test_a_game_that_never_ends_is_refused(method, monkeypatch):
    monkeypatch.setattr(runs, "MOST_STEPS", 1000)
    assert "a playout did not end within 1,000 actions" in refused(po.GameError, Endless(), method)


@pytest.mark.compiled_only
@BOTH
def test_a_rule_that_hangs_is_interrupted_when_the_time_is_up(method):
    message = refused(po.GameError, Hanging(), method, playouts=None, seconds=0.3)
    assert message.startswith("Hanging.apply was still running at ")
    assert "the time of the search was up" in message


@pytest.mark.compiled_only
def test_a_rule_that_hangs_is_interrupted_by_a_worker_too():
    setup = SolveSetup(Hanging().position(), METHODS[0], 0)
    arrays = new_run(setup.position, setup.method, 0, 0).arrays
    with pytest.raises(po.GameError, match=r"^Hanging\.apply was still running at .*the time of the search was up"):
        setup.worker().play(0, arrays, 10, 0.05, 0.1, math.inf)


@BOTH
def test_a_line_that_is_worth_something_else_when_played_again_is_an_error(method):
    message = refused(po.GameError, Moody(), method)
    assert message.startswith("Moody: the line found was worth ")
    assert " when played again, to " in message


# Python objects.


def test_objects_are_solved_by_nmcs():
    found = po.solve(po.wrap(Shelf(), players=1), playouts=300)
    assert isinstance(found.method, po.NMCS)
    assert found.value == COINS.max(axis=1).sum() == 44.25
    assert [found.line[step] for step in (0, 1, 3)] == ["1", "2", "1"]  # the third shelf has three equal coins


def test_objects_have_no_codes_for_nrpa_and_no_place_in_a_file(tmp_path):
    game = po.wrap(Shelf(), players=1)
    assert "or give method='nmcs'" in refused(po.SettingsError, game, "nrpa")
    assert "give runs=1" in refused(po.SettingsError, game, runs=2)
    assert "leave the file out" in refused(po.FileError, game, file=tmp_path / "x")
    assert "has 2 players" in refused(po.SettingsError, po.wrap(Stones()))


# Files.


def saved(tmp_path, method=METHODS[0]):
    solver = po.Solver(Stairs(), method, runs=1)
    solver.run(playouts=100)
    solver.save(tmp_path / "good")
    return tmp_path / "good"


def with_change(path, change):
    """A copy of a file in which `change` has altered the arrays and the header."""
    with zipfile.ZipFile(path) as archive:
        header = json.loads(archive.read("header.json"))
        arrays = {n: np.load(archive.open(n)) for n in archive.namelist() if n.endswith(".npy")}
    change(header, {name.split("/")[1].removesuffix(".npy"): array for name, array in arrays.items()})
    bad = path.with_name("bad")
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        for name, array in arrays.items():
            with archive.open(name, "w") as file:
                np.save(file, array)
    return bad


def damage(name, at, value):
    def change(header, arrays):
        arrays[name][at] = value

    return change


DAMAGE = {
    "a slot": (0, damage("slots", 0, 7)),
    "a code": (0, damage("codes", 3, 99_999)),
    "a negative code": (0, damage("codes", 3, -1)),
    "a mark": (0, damage("marks", 1, 10**9)),
    "an entry": (0, damage("chosen", 0, 10**6)),
    "an end": (0, damage("ends", 0, 10**6)),
    "the journal": (0, damage("noted", 0, 10**6)),
    "the policy": (0, damage("factors", 0, np.nan)),
    "the value": (0, damage("best_value", 0, 1e9)),
    "the line": (0, damage("best", 0, 77)),
    "the position": (0, lambda header, arrays: header.update(origin="AAAA")),
    "the runs": (0, lambda header, arrays: header.update(runs=3)),
    "the version": (0, lambda header, arrays: header.update(version=9)),
    "the format": (0, lambda header, arrays: header.update(format="playout-search")),
    "other levels": (0, lambda header, arrays: header["settings"].update(levels=4)),
    "no levels": (0, lambda header, arrays: header["settings"].update(levels="many")),
    "the level": (1, damage("counters", 6, 9)),
    "a depth": (1, damage("depths", 1, 10**6)),
    "a path": (1, damage("paths", (1, 0), 77)),
    "what was tried": (1, damage("tried", 1, 50)),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_a_damaged_file_is_refused(what, tmp_path):
    method, change = DAMAGE[what]
    bad = with_change(saved(tmp_path, METHODS[method]), change)
    with pytest.raises(po.FileError) as caught:
        po.Solver.load(bad, Stairs())
    assert str(caught.value).startswith(str(bad))
    assert "\n" not in str(caught.value)


def test_what_is_not_a_file_of_solve_is_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    for name, why in (("text", "not a file of `solve`"), ("none", "no such file"), (".", "can't be read")):
        with pytest.raises(po.FileError, match=why):
            po.Solver.load(tmp_path / name, Stairs())
    with pytest.raises(po.FileError, match=r"is of Stairs, which is not built in; give it: Solver.load"):
        po.Solver.load(saved(tmp_path))
