"""Everything that an object returns is checked where it enters: one line with the method, the value and the object."""

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import playout as po

from .objects import Board, NamedStones, Roulette, Stones

NAN = math.nan


def words(value):
    """A name for a case that is the same in every process: functions have none."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value))


def changed(base: type, **methods: Callable[..., Any]) -> Any:
    """An object whose class has these methods instead; its children have them, too."""
    cls = type(f"Changed{base.__name__}", (base,), methods)

    if base is Stones:
        cls.play = lambda self, action: cls(self.stones - action, 1 - self.turn)  # type: ignore[attr-defined]
        if "play" in methods:
            cls.play = methods["play"]  # type: ignore[attr-defined]
    return cls()


def message(obj: Any, settings: po.Settings | None = None, **wrapped: Any) -> str:
    """What a search of it is refused with: one line."""
    with pytest.raises(po.PlayoutError) as caught:
        po.Search(po.wrap(obj, **wrapped), settings or po.Settings(solver=False), seed=1).run(200)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def at_three(wrong: Any, method: str) -> Callable[[Any], Any]:
    """A method that is right but where three stones are left; the first ones to see that are playouts."""

    def call(self: Any) -> Any:
        return wrong if self.stones == 3 else getattr(Stones, method)(self)

    return call


@pytest.mark.parametrize("where", ["the start", "later"])
@pytest.mark.parametrize(
    ("player", "expected"),
    [
        (-2, "same time"),
        (-3, "expected 0 to 1"),
        (-5, "expected 0 to 1"),
        (2, "players="),
        ("0", "a whole number"),
        (1.0, "a whole number"),
        (True, "a whole number"),
        (po.CHANCE, "chance_outcomes"),
    ],
)
def test_a_player_that_is_none_is_refused(player: Any, expected: str, where: str) -> None:
    method = (lambda self: player) if where == "the start" else at_three(player, "current_player")
    found = message(changed(Stones, current_player=method))
    assert f"ChangedStones.current_player() returned {player!r}" in found
    assert expected in found
    assert "stones, player" in found


@pytest.mark.parametrize("end", [None, po.TERMINAL, np.int64(po.TERMINAL)])
def test_none_and_terminal_are_the_end(end: Any) -> None:
    obj = changed(Stones, current_player=lambda self: self.turn if self.stones else end)
    assert po.Search(po.wrap(obj), seed=1).run(2000).proven == 1.0


def test_players_may_be_numpy_numbers() -> None:
    obj = changed(Stones, current_player=lambda self: np.int8(self.turn) if self.stones else None)
    assert po.Search(po.wrap(obj), seed=1).run(2000).proven == 1.0


@pytest.mark.parametrize("where", ["the start", "later"])
@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (None, "a list"),
        (3, "a list"),
        ("123", "a list"),
        ([1, None], "none of them None"),
        ([1, 2, 1], "1 is there twice"),
        (["a", "b", "a"], "a is there twice"),
        ([[1], [2], [1]], "[1] is there twice"),
    ],
    ids=words,
)
def test_legal_actions_that_are_none_are_refused(actions: Any, expected: str, where: str) -> None:
    method = (lambda self: actions) if where == "the start" else at_three(actions, "legal_actions")
    found = message(changed(Stones, legal_actions=method))
    assert "ChangedStones.legal_actions() returned" in found
    assert expected in found


@pytest.mark.parametrize(
    "listed",
    [np.array, tuple, iter, lambda actions: (a for a in actions), dict.fromkeys],
    ids=["array", "tuple", "iterator", "generator", "keys"],
)
def test_legal_actions_may_be_anything_that_can_be_listed(listed: Callable[[Any], Any]) -> None:
    obj = changed(Stones, legal_actions=lambda self: listed(Stones.legal_actions(self)))
    result = po.Search(po.wrap(obj), seed=1).run(2000)
    assert (result.best, result.best_action, result.proven) == (2, 2, 1.0)


@pytest.mark.parametrize("empty", [[], (), np.array([])], ids=["list", "tuple", "array"])
@pytest.mark.parametrize("where", ["the start", "later"])
def test_a_player_without_legal_actions_is_refused(empty: Any, where: str) -> None:
    actions = (lambda self: empty) if where == "the start" else at_three(empty, "legal_actions")
    found = message(changed(Stones, legal_actions=actions), players=2)
    assert "legal_actions() returned" in found
    assert "at 10 stones, player 0" in found if where == "the start" else "at 3 stones, player" in found
    assert "expected at least one action, since current_player() returned" in found
    assert "po.TERMINAL" in found


@pytest.mark.parametrize("where", ["the start", "later"])
def test_a_play_that_returns_the_object_itself_is_refused(where: str) -> None:
    def play(self: Any, action: int) -> Any:
        if where == "later" and self.stones > 3:
            return type(self)(self.stones - action, 1 - self.turn)
        self.stones, self.turn = self.stones - action, 1 - self.turn
        return self

    found = message(changed(Stones, play=play), players=2)
    assert re.search(r"ChangedStones\.play\(\d\) returned the object itself, now \d+ stones, player \d; it must", found)


@pytest.mark.parametrize("endless", [itertools.count(1), range(1, 10**15)], ids=["iterator", "range"])
def test_legal_actions_without_an_end_are_refused(endless: Any) -> None:
    found = message(changed(Stones, legal_actions=at_three(endless, "legal_actions")), players=2)
    assert "legal_actions() returned" in found
    assert "at 3 stones" in found
    assert "expected at most 65,535 entries; does it end?" in found


def test_actions_may_be_lists_and_arrays() -> None:
    class Cells(Stones):
        def legal_actions(self) -> Any:
            return [np.array([0, n]) for n in Stones.legal_actions(self)]

        def play(self, action: Any) -> "Cells":
            return Cells(self.stones - int(action[1]), 1 - self.turn)

    search = po.Search(po.wrap(Cells()), seed=1)
    result = search.run(2000)
    assert result.best_action.tolist() == [0, 2]
    assert str(search.play(np.array([0, 2])).text) == "8 stones, player 1"


def test_numbers_beside_words_are_not_taken_for_places() -> None:
    class Go(Stones):
        """Numbers run backwards, so that none is its own place, and there is a word, too."""

        def legal_actions(self) -> Any:
            return [*range(min(3, self.stones) - 1, -1, -1), "pass"]

        def play(self, action: Any) -> "Go":
            return Go(self.stones - (0 if action == "pass" else action + 1), 1 - self.turn)

    search = po.Search(po.wrap(Go(3)), po.Settings(evaluator=po.Rollouts()), seed=1)
    result = search.run(300)
    assert result.best_action == 2  # takes the last three
    assert search.play(result.best_action).text == "0 stones, player 1"


@pytest.mark.parametrize(
    ("given", "expected"),
    [(None, "None"), (7, "7 (int)"), ("next", "'next' (str)"), (Stones, "class"), ([], "[] (list)")],
    ids=words,
)
@pytest.mark.parametrize("where", ["the start", "later"])
def test_a_play_that_gives_no_object_is_refused(given: Any, expected: str, where: str) -> None:
    def play(self: Any, action: int) -> Any:
        after = self.stones - action
        return given if where == "the start" or after == 2 else type(self)(after, 1 - self.turn)

    found = message(changed(Stones, play=play))
    assert ".play(" in found
    assert expected in found
    assert "expected an object with current_player()" in found


def test_objects_of_several_classes_may_follow_each_other() -> None:
    class Even(Stones):
        def play(self, action: int) -> Any:
            return (Odd if (self.stones - action) % 2 else Even)(self.stones - action, 1 - self.turn)

    class Odd(Even):
        pass

    assert po.Search(po.wrap(Even(10)), seed=1).run(2000).best_action == 2


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ([1.0], "2 numbers, one for each player, and there is 1"),
        ([1.0, -1.0, 0.0], "and there are 3"),
        (1.0, "2 numbers"),
        (None, "2 numbers"),
        ("10", "2 numbers"),
        (["1", "0"], "finite numbers"),
        ([NAN, 0.0], "finite numbers"),
        ([math.inf, 0.0], "finite numbers"),
        ({0: 1.0, 1: -1.0}, "2 numbers"),
        ({1.0, -1.0}, "2 numbers"),
        ([None, 1.0], "finite numbers"),
        ([1j, 0.0], "finite numbers"),
        (np.zeros((2, 2)), "finite numbers"),
    ],
    ids=words,
)
def test_returns_that_are_none_are_refused(returns: Any, expected: str) -> None:
    found = message(changed(Stones, returns=lambda self: returns), players=2)
    assert "ChangedStones.returns() returned" in found
    assert expected in found
    assert "0 stones, player" in found


@pytest.mark.parametrize(
    "given",
    [tuple, np.array, lambda r: [np.float32(x) for x in r], lambda r: [int(x) for x in r]],
    ids=["tuple", "array", "float32", "int"],
)
def test_returns_may_be_any_numbers(given: Callable[[Any], Any]) -> None:
    obj = changed(Stones, returns=lambda self: given(Stones.returns(self)))
    assert po.Search(po.wrap(obj), seed=1).run(2000).proven == 1.0


MIXED = po.Settings(evaluator=po.Mixed(0.5))
STATIC = po.Settings(evaluator=po.Static(), solver=False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.5, "2 numbers"), ([0.5], "and there is 1"), ([NAN, 0.0], "finite"), ("ab", "2 numbers"), (None, "2 numbers")],
    ids=words,
)
def test_a_static_value_that_is_none_is_refused(value: Any, expected: str) -> None:
    found = message(changed(Stones, evaluate=lambda self: value), STATIC)
    assert "ChangedStones.evaluate() returned" in found
    assert expected in found


GUIDED = po.Settings(policy=po.PUCT(), solver=False)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([1.0, 2.0], "3 weights in the order of legal_actions()"),
        ([1.0, -2.0, 1.0], "that of 2 is -2.0"),
        ([1.0, 1.0, NAN], "that of 3 is nan"),
        ([1.0, 1.0, math.inf], "that of 3 is inf"),
        (["a", 1.0, 1.0], "that of 1 is 'a'"),
        ({1: 1.0, 4: 2.0}, "4 is none"),
        ({1: -1.0}, "that of 1 is -1.0"),
        (
            {0.2, 0.3, 0.5},
            "3 weights in the order of legal_actions(), or a mapping from actions to weights; a set has no",
        ),
        (frozenset({0.2, 0.3, 0.5}), "a set has no order"),
        (None, "a list"),
        (1.0, "a list"),
    ],
    ids=words,
)
def test_priors_that_are_none_are_refused(weights: Any, expected: str) -> None:
    found = message(changed(Stones, priors=lambda self: weights), GUIDED)
    assert "ChangedStones.priors() returned" in found
    assert expected in found


def test_priors_may_be_a_mapping_from_actions() -> None:
    class Guided(NamedStones):
        def play(self, action: Any) -> "Guided":
            return Guided(self.stones - 1 - self.WORDS.index(action), 1 - self.turn)

        def priors(self) -> dict[str, float]:
            return {"two": 3.0, "one": 1.0} if self.stones > 1 else {"one": 1.0}

    result = po.Search(po.wrap(Guided()), GUIDED, seed=1).run(10)
    assert {s.text: s.prior for s in result.actions} == {"one": 0.25, "two": 0.75, "three": 0.0}


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([("win", 0.4), ("lose", 0.3)], "these sum to 0.7"),
        ([("win", 0.4), ("lose", 0.7)], "these sum to 1.1"),
        ([("win", -0.5), ("lose", 1.5)], "one is -0.5"),
        ([("win", NAN), ("lose", 1.0)], "one is nan"),
        ([("win", "0.4"), ("lose", 0.6)], "one is '0.4'"),
        (["win", "lose"], "pairs (outcome, probability)"),
        ([0.4, 0.6], "pairs (outcome, probability)"),
        ([], "these sum to 0"),
        (None, "a list"),
        ([("win", 0.4), ("win", 0.6)], "win is there twice"),
    ],
    ids=words,
)
def test_outcomes_of_chance_that_are_none_are_refused(outcomes: Any, expected: str) -> None:
    class Wheel(Roulette):
        def chance_outcomes(self) -> Any:
            return outcomes

        def play(self, action: Any) -> Any:
            return Wheel(self.money, self.rounds - (not self.bet), 0 if self.bet else action)

    found = message(Wheel(), po.Settings(normalise=True), players=1)
    assert "Wheel.chance_outcomes() returned" in found
    assert expected in found


def test_outcomes_of_chance_may_be_a_mapping() -> None:
    class Wheel(Roulette):
        def chance_outcomes(self) -> Any:
            return dict(super().chance_outcomes())

        def play(self, action: Any) -> Any:
            after = super().play(action)
            return Wheel(after.money, after.rounds, after.bet)

    assert po.Search(po.wrap(Wheel()), seed=1).run(3000).proven == pytest.approx(4.8)


@pytest.mark.parametrize(
    ("methods", "expected"),
    [
        ({"find_children": lambda self: None}, "find_children() returned None"),
        ({"find_children": lambda self: []}, "at least one: it is not the end"),
        ({"find_children": lambda self: [1, 2]}, "find_children() returned 1 (int)"),
        ({"find_random_child": lambda self: None}, "find_random_child() returned None"),
        ({"find_random_child": lambda self: 3}, "find_random_child() returned 3 (int)"),
        ({"is_terminal": lambda self: None}, "is_terminal() returned None"),
        ({"is_terminal": lambda self: "no"}, "True or False"),
        ({"reward": lambda self: None}, "reward() returned None"),
        ({"reward": lambda self: NAN}, "reward() returned nan"),
        ({"reward": lambda self: "win"}, "reward() returned 'win'"),
        ({"reward": lambda self: [1.0, 0.0]}, "reward() returned [1.0, 0.0]"),
    ],
    ids=words,
)
def test_what_a_node_returns_is_checked_too(methods: dict[str, Any], expected: str) -> None:
    class Plain(Board):
        def after(self, i: int) -> Any:
            return type(self)((*self.cells[:i], self.turn, *self.cells[i + 1 :]), -self.turn)

    found = message(type("Odd", (Plain,), methods)())
    assert expected in found


class RichBoard(Board):
    def after(self, i: int) -> "RichBoard":
        return RichBoard(*super().after(i))

    def reward(self) -> float:
        return 3.0


@pytest.mark.parametrize(
    ("obj", "settings", "wrapped", "expected"),
    [
        (changed(Stones, returns=lambda self: [5.0, -5.0]), None, {}, "returns() gave 5, -5 at 0 stones"),
        (changed(Stones, evaluate=lambda self: [7.0, -7.0]), STATIC, {}, "evaluate() gave 7, -7 at"),
        (changed(Stones, returns=lambda self: [1.0, 1.0]), None, {}, "returns() gave 1, 1 at 0 stones"),
        (Roulette(), None, {"value_range": (0.0, 5.0)}, "returns() gave"),
        (RichBoard(), None, {}, "reward() gave"),
        (changed(Stones, evaluate=lambda self: [0.5, 0.5]), MIXED, {}, "evaluate() gave 0.5, 0.5 at"),
    ],
    ids=["returns", "evaluate", "sum", "given range", "Node kind", "a mix"],
)
def test_values_that_can_not_be_are_refused_by_method_and_object(
    obj: Any, settings: Any, wrapped: dict[str, Any], expected: str
) -> None:
    found = message(obj, settings, **wrapped)
    assert expected in found
    assert "po.wrap" in found


@pytest.mark.parametrize(
    ("evaluator", "expected"),
    [
        (po.Static(), "has no static value: define `evaluate(self)`, or"),
        (po.Rollouts(guided=True), "playouts of Python objects are not guided"),
        (po.Network(), "is made of Python objects, which a network can't see; use `ask` and `tell`"),
        (po.Outside(len), "is made of Python objects, which builtins:len can't see; use `ask` and `tell`"),
    ],
    ids=["static", "guided", "network", "function"],
)
def test_what_objects_can_not_do_is_told_in_their_words(evaluator: Any, expected: str) -> None:
    assert expected in message(Stones(), po.Settings(evaluator=evaluator))


def test_too_many_actions_are_refused_by_their_number() -> None:
    assert "returned 3 at 10 stones" in message(Stones(), max_actions=2)


@pytest.mark.parametrize(("describe", "expected"), [(lambda action: 3, "expected a text"), ("take {}", "a function")])
def test_describe_must_give_a_text(describe: Any, expected: str) -> None:
    with pytest.raises(po.GameError, match=expected):
        po.Search(po.wrap(Stones(), describe=describe)).run(5)


@pytest.mark.parametrize("players", [True, 2.0, "2"])
def test_players_must_be_a_whole_number(players: Any) -> None:
    with pytest.raises(po.GameError, match="players="):
        po.wrap(Stones(), players=players)
