"""The doctor on what rules do outside of their arrays and of the state: what `BROKEN` has no room for."""

import cProfile
import inspect
import time

import numpy as np
import pytest

import playout as po
from playout.core.jit import COMPILED
from playout.core.recorder import Recorder, StateGuard, guarded
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.doctor import rules, speed
from tests.games import toy_games

from . import broken_buffers
from .broken_games import Nim
from .test_doctor import line_of, only

# Guarded arrays


def test_a_guarded_array_computes_what_a_plain_one_does():
    plain = np.arange(6.0).reshape(2, 3)
    array = guarded(plain.copy(), Recorder(), "board")
    for compute in (
        lambda a: a.sum(),
        lambda a: a.max(),
        lambda a: a.argmax(),
        lambda a: a + 1,
        lambda a: a @ a.T,
        np.count_nonzero,
        lambda a: a[1].mean(),
        lambda a: a[0, 1],
        lambda a: a.ravel()[2:4] * 2,
        lambda a: np.where(a > 2, 1, 0),
    ):
        one, two = compute(plain), compute(array)
        assert np.array_equal(one, two)
        assert isinstance(two, np.ndarray) == isinstance(one, np.ndarray)


def test_views_of_a_guarded_array_are_guarded():
    recorder = Recorder()
    array = guarded(np.zeros((2, 3)), recorder, "board")
    row = array[1]
    row[2] = 1.0
    assert not recorder.outside
    row[3] = 1.0  # in memory that would be behind the array; compiled, of row 0 it would be row 1
    assert recorder.outside["board"].first == (3,)
    assert np.asarray(array).tolist() == [[0, 0, 0], [0, 0, 1]]


def test_nested_fields_of_a_guarded_state_are_guarded():
    piece = np.dtype([("kind", np.int8), ("path", np.int8, (2,))])
    guard = StateGuard(np.dtype((np.record, np.dtype([("turn", np.int8), ("pieces", piece, (3,))]))))
    recorder, buffer = Recorder(), np.zeros(10, np.uint8)
    state = guard.view(buffer, recorder)
    state.turn = 1
    state.pieces[2].path[1] = 7
    state["pieces"]["kind"][0] = 5
    assert buffer.tolist() == [1, 5, 0, 0, 0, 0, 0, 0, 0, 7]
    state.pieces[1].path[2] = 9
    assert list(recorder.outside) == ["state.path"]
    assert buffer.tolist() == [1, 5, 0, 0, 0, 0, 0, 0, 0, 7]


def test_a_place_counted_from_the_end_of_a_field_is_a_warning():
    report = po.check_game(broken_buffers.CountsRows(), games=5)
    finding = only(report, "negative-index", "apply")
    assert "writes `state.last[-1]`" in finding.what
    assert finding.level == "warning"
    assert report.ok


# Odd on purpose: their legal_actions also answers at the end, or their priors are what a search must bear.
ODD = {name: {"end-goes-on"} for name in ("Dice", "KeptDice", "Gamble", "Shares", "Auction", "MostlyPass")}
ODD |= {"GuidedNim": {"bad-priors"}}
TOYS = [c for c in vars(toy_games).values() if isinstance(c, type) and issubclass(c, po.Game) and c is not po.Game]


@pytest.mark.parametrize("cls", TOYS, ids=lambda cls: cls.__name__)
def test_correct_games_of_every_kind_have_no_finding(cls):
    report = po.check_game(cls(), games=5)
    assert {finding.code for finding in report.findings} == ODD.get(cls.__name__, set()), str(report)


# Rules that do not return


def count_for_ever():
    rounds = 0
    while True:
        rounds += 1


def test_the_watchdog_interrupts_what_uses_too_much_processor_time():
    with Watchdog(0.2) as watchdog:
        with pytest.raises(NeverReturnedError):
            watchdog.call(count_for_ever)
        assert watchdog.call(sum, [1, 2]) == 3


def test_the_watchdog_interrupts_again_where_the_exception_was_caught():
    caught = []

    def stubborn():
        while True:
            try:
                while True:
                    pass
            except BaseException as error:  # as a destructor would lose it
                caught.append(error)
                if len(caught) == 3:
                    raise

    with Watchdog(0.1) as watchdog:
        with pytest.raises(NeverReturnedError):
            watchdog.call(stubborn)
        assert watchdog.call(sum, [1, 2]) == 3
    assert len(caught) == 3


def test_the_watchdog_works_under_a_profiler():
    profile = cProfile.Profile()
    with Watchdog(0.2) as watchdog:
        profile.enable()
        try:
            assert watchdog.call(sum, [1, 2]) == 3
            with pytest.raises(NeverReturnedError):
                watchdog.call(count_for_ever)
            assert watchdog.call(sum, [3, 4]) == 7
        finally:
            profile.disable()


def test_waiting_is_not_computing():
    """A function that waits is given more time, so that a busy machine is not taken for a loop without an end."""
    with Watchdog(0.2) as watchdog:
        watchdog.call(time.sleep, 0.5)


def test_games_go_on_without_an_optional_rule_that_never_returns():
    report = po.check_game(broken_buffers.EvaluatesForEver(), games=10, rule_seconds=0.3)
    finding = only(report, "never-returns", "evaluate")
    assert finding.count == 1
    assert sum(count for _, count in report.results) == 10
    line = line_of(broken_buffers.EvaluatesForEver.evaluate, "while")
    assert any(f"broken_buffers.py:{at}" in finding.what for at in (line, line + 1))


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("cls", "code", "rule", "words"),
    [
        (broken_buffers.LoopsNearTheEnd, "never-returns", "apply", "broken_buffers.py:"),
        (broken_buffers.WritesThousand, "past-end", "legal_actions", "writes 1,000 entries of `actions`, which has 3"),
        (broken_buffers.LongHistory, "past-end", "apply", "writes 12 entries of `state.taken`, which has 4"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_the_same_is_found_where_only_compiled_code_runs(monkeypatch, cls, code, rule, words):
    """As it does once the positions that are looked at uncompiled are used up."""
    monkeypatch.setattr(rules, "FIRST_GAMES", 0)
    monkeypatch.setattr(rules, "PLAIN_POSITIONS", 0)
    report = po.check_game(cls(), games=20, rule_seconds=0.5)
    assert report.positions_uncompiled == 0
    assert words in only(report, code, rule).what


@pytest.mark.compiled_only
def test_what_only_the_playouts_come_to_is_found_too():
    game = broken_buffers.RarelyRaises()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "SPEED_SECONDS", 0.0)  # without playouts
        seed = next(seed for seed in range(100) if po.check_game(game, games=1, seed=seed).ok)
    report = po.check_game(game, games=1, seed=seed)
    finding = only(report, "playout-fails", "a playout")
    assert "RarelyRaises.apply raised ValueError: the last one" in finding.what
    assert "stones=1" in finding.what
    assert not report.ok


# Globals


@pytest.mark.compiled_only
def test_a_global_that_changed_since_the_rules_were_compiled_is_found(monkeypatch):
    game = broken_buffers.ReadsSize()
    po.Search(game).run(simulations=10)
    monkeypatch.setattr(broken_buffers, "SIZE", 2)
    report = po.check_game(game, games=5)
    finding = only(report, "frozen-global", "legal_actions")
    assert not report.ok
    assert "refers to `SIZE`, which was 3 when the rule was compiled and is 2 now" in finding.what
    assert "make it a setting" in finding.fix
    # One cause, one finding: that the compiled answers differ is not told as well.
    assert {f.code for f in report.findings} == {"frozen-global"}


@pytest.mark.compiled_only
def test_an_array_that_changed_since_the_rules_were_compiled_is_found(monkeypatch):
    game = broken_buffers.ReadsTable()
    po.Search(game).run(simulations=10)
    monkeypatch.setitem(vars(broken_buffers), "TAKEN", np.array([1, 3, 2]))
    finding = only(po.check_game(game, games=5), "frozen-global", "legal_actions")
    assert "refers to `TAKEN`, which has changed since the rule was compiled" in finding.what


def test_a_global_that_a_function_assigns_is_a_warning():
    report = po.check_game(broken_buffers.ReadsSize(), games=5)
    finding = only(report, "frozen-global", "legal_actions")
    line = inspect.getsourcelines(broken_buffers.set_size)[1]
    assert f"`SIZE`, which is assigned in set_size ({broken_buffers.__file__}:{line})" in finding.what
    assert finding.level == "warning"
    assert report.ok


@pytest.mark.compiled_only
def test_a_global_that_changes_between_making_and_searching_a_game_is_not_kept_for_later(monkeypatch):
    """Machine code is cached under the values that were compiled, not under those when the game was made."""

    def searched():
        made = type("Fresh", (broken_buffers.ReadsSize,), {"name": "frozen-cache"})()
        made.position()  # the rules are looked up here, and compiled later
        return made

    first = searched()
    monkeypatch.setattr(broken_buffers, "SIZE", 1)
    assert len(first.position().actions()) == 1
    monkeypatch.setattr(broken_buffers, "SIZE", 3)
    assert len(searched().position().actions()) == 3


def test_a_table_that_does_not_change_is_no_finding():
    assert po.check_game(broken_buffers.ReadsTable(), games=5).findings == ()


def test_the_doctor_finds_every_write_before_compiled_code_runs():
    """The rule writes a thousand places at one position only, late in the game."""

    class Late(Nim):
        @staticmethod
        def legal_actions(state, actions):
            count = min(3, state.stones)
            for i in range(1000 if state.stones == 1 else count):
                actions[i] = i + 1
            return count

    finding = only(po.check_game(Late(), games=30), "past-end", "legal_actions")
    assert "writes 1,000 entries of `actions`, which has 3" in finding.what
    assert finding.position.startswith("stones=1 ")
    assert COMPILED or finding.count > 1
