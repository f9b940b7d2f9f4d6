"""`check_game` of Python objects: each mistake is found and explained, and correct objects have no finding."""

import random
import re
import weakref

import pytest

import playout as po
from tests.game.objects import Board, NamedStones, Roulette, SetBoard, Stones

from .broken_objects import BROKEN_OBJECTS, Cells, Lazy, ListNode, Memo, Rewarded


@pytest.mark.parametrize("name", BROKEN_OBJECTS)
def test_each_mistake_of_an_object_is_found_and_explained(name):
    obj, code, rule, level, words = BROKEN_OBJECTS[name]
    report = po.check_game(obj, games=20, max_length=300, rule_seconds=0.5)
    found = [finding for finding in report.findings if (finding.code, finding.rule) == (code, rule)]
    assert len(found) == 1, str(report)
    text = str(found[0])
    assert text.startswith(f"{level} {code}: {rule} ")
    assert report.ok == (level == "warning")
    assert text.count("\n") == 1
    assert ". Fix: " in text
    for word in words:
        assert word in text
    assert "{" not in text
    assert not re.search(r"\bapply\b|\bstate, |in the class|NUMBA|`rewards`|the rule\b", text)  # compiled rules' words
    assert {finding.code for finding in report.findings} == {code}, str(report)


@pytest.mark.parametrize(
    "game",
    [
        Board(),
        SetBoard(),
        Stones(),
        NamedStones(),
        Cells(),
        Memo(),
        Lazy(),
        ListNode(),
        po.wrap(Roulette(), value_range=(0.0, 12.0)),
        po.wrap(Rewarded(), value_range=(0.0, 4.0)),
    ],
    ids=lambda game: game.title if isinstance(game, po.Game) else type(game).__name__,
)
def test_correct_objects_have_no_finding(game):
    report = po.check_game(game, games=20)
    assert report.findings == (), str(report)
    assert report.games == 20
    assert sum(count for _, count in report.results) == 20


@pytest.mark.parametrize(
    ("describe", "code", "words"),
    [
        (lambda action: 1 / 0, "raises", "ZeroDivisionError"),
        (lambda action: 5, "not-a-text", "returned 5, expected a string"),
    ],
    ids=["raises", "number"],
)
@pytest.mark.parametrize("obj", [Stones(), Board()], ids=["play", "node"])
def test_a_describe_that_fails_is_found(obj, describe, code, words):
    (found,) = po.check_game(po.wrap(obj, describe=describe), games=5).findings
    assert (found.code, found.rule) == (code, "describe")
    assert words in str(found)


def test_an_object_is_checked_as_it_was_wrapped():
    settings = {"value_range": (-10.0, 10.0)}
    obj = BROKEN_OBJECTS["LargeReturns"][0]
    assert po.check_game(po.wrap(obj, **settings), games=10).ok
    assert not po.check_game(obj, games=10).ok


def test_few_objects_of_a_long_game_are_kept(monkeypatch):
    alive, most = weakref.WeakSet(), 0

    class Growing(Stones):
        """A game without an end, whose objects remember everything."""

        def __init__(self, stones=10, turn=0):
            super().__init__(stones, turn)
            alive.add(self)

        def play(self, action):
            nonlocal most
            most = max(most, len(alive))
            return type(self)(self.stones + 1, 1 - self.turn)

        def __eq__(self, other):
            return (self.stones, self.turn) == (other.stones, other.turn)

        def __hash__(self):
            return self.stones

    monkeypatch.setattr("playout.doctor.objects.KEPT", 10)
    assert [found.code for found in po.check_game(Growing(), games=2, max_length=150).findings] == ["never-ends"]
    assert most < 40  # those kept, twice, and some at hand


def test_the_report_of_an_object_counts_positions_and_results():
    report = po.check_game(Stones(4), games=10)
    assert report.positions_uncompiled is None
    assert "uncompiled" not in str(report)
    assert {returns for returns, _ in report.results} <= {(1.0, -1.0), (-1.0, 1.0)}
    assert report.to_dict()["positions"] == report.positions


def test_rewards_on_the_way_add_up_to_the_return():
    report = po.check_game(Rewarded(), games=50)
    assert {returns[0] for returns, _ in report.results} == {0.0, 1.0, 2.0, 3.0, 4.0}


def test_the_global_random_generator_is_left_as_it_was():
    random.seed(5)
    wanted = random.random()
    random.seed(5)
    po.check_game(Board(), games=3)
    assert random.random() == wanted


def test_an_object_that_is_no_game_is_refused_in_one_line():
    with pytest.raises(po.GameError, match=r"expected a Game, a game's name, or po\.wrap\(object\)"):
        po.check_game([1, 2])
    with pytest.raises(po.GameError, match=r"expected Stones\(\)"):
        po.check_game(Stones)
