"""Checks what the methods of a Python object return; each mistake is noted with the object."""

import math
from collections.abc import Mapping, Set
from numbers import Real
from typing import Any

import numpy as np

from playout.core.rules import CHANCE, TERMINAL
from playout.game import Game

from .findings import numbers as shown
from .notes import CLOSE, Notes, shorten
from .picture import safe_text


class ObjectAnswers:
    """Converts what methods return, and notes what is wrong with it."""

    def __init__(self, game: Game, notes: Notes) -> None:
        self.game, self.notes = game, notes

    def player(self, obj: Any, value: Any) -> int:
        """0 and up, CHANCE, or TERMINAL."""
        last = self.game.players - 1
        if value is None:
            return TERMINAL
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not (0 <= value <= last or value in (CHANCE, TERMINAL)):
            self.notes.fail("no-such-player", "current_player", obj, value=_text(value), last=last)
        if value == CHANCE and not callable(getattr(obj, "chance_outcomes", None)):
            self.notes.fail("no-chance-outcomes", "current_player", obj)
        return int(value)

    def ended(self, obj: Any, value: Any) -> bool:
        """True or False, from `is_terminal`."""
        if not isinstance(value, bool | np.bool_) and not (isinstance(value, int) and value in (0, 1)):
            self.notes.fail("bad-answer", "is_terminal", obj, value=_text(value), expected="True or False")
        return bool(value)

    def listed(self, obj: Any, rule: str, value: Any) -> list[Any]:
        """Actions, children or pairs, as a list."""
        if value is None or isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
            self.notes.fail("bad-answer", rule, obj, value=_text(value), expected="a list")
        found = list(value)
        if not found:
            end = "is_terminal()" if rule == "find_children" else "current_player()"
            self.notes.fail("no-actions", rule, obj, end=end)
        if len(found) > self.game.max_actions:
            self.notes.fail("too-many-actions", rule, obj, value=len(found), most=self.game.max_actions)
        if rule in (
            "legal_actions",
            "chance_outcomes",
        ):  # children may be equal: different moves may lead to the same position
            texts = [repr(action) for action in found]
            if len(set(texts)) < len(texts):
                self.notes.note("action-twice", rule, obj, values=shown(found))
        return found

    def outcomes(self, obj: Any, value: Any) -> tuple[list[Any], list[float]]:
        """Outcomes and their probabilities, from pairs or a mapping."""
        rule = "chance_outcomes"
        pairs = list(value.items()) if isinstance(value, Mapping) else self.listed(obj, rule, value)
        if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
            self.notes.fail("bad-answer", rule, obj, value=_text(value), expected="pairs (outcome, probability)")
        for outcome, weight in pairs:
            if not _is_number(weight) or not 0 <= weight < math.inf:
                self.notes.fail("bad-probability", rule, obj, outcome, value=_text(outcome), weight=_text(weight))
        names, weights = [outcome for outcome, _ in pairs], [float(weight) for _, weight in pairs]
        if abs(math.fsum(weights) - 1) > CLOSE:
            self.notes.fail("chance-sum", rule, obj, total=math.fsum(weights), values=shown(weights))
        return names, weights

    def priors(self, obj: Any, value: Any, actions: list[Any]) -> None:
        """One weight of at least 0 for each action, or a mapping of some actions to weights."""
        if isinstance(value, Set):
            expected = "a list or a mapping, since a set has no order"
            self.notes.fail("bad-answer", "priors", obj, value=_text(value), expected=expected)
        weights = list(value.values()) if isinstance(value, Mapping) else self.listed(obj, "priors", value)
        few = len(weights) <= len(actions) if isinstance(value, Mapping) else len(weights) == len(actions)
        if not few:
            expected = f"{len(actions)} weights, one for each legal action"
            self.notes.fail("bad-answer", "priors", obj, value=_text(value), expected=expected)
        for weight in weights:
            if not _is_number(weight) or not 0 <= weight < math.inf:
                self.notes.fail("bad-priors", "priors", obj, value=_text(weight), whom="an action")
        if not any(weights):
            self.notes.note("bad-priors", "priors", obj, value="0", whom="every action")

    def numbers(self, obj: Any, rule: str, value: Any, one: bool = False) -> tuple[float, ...]:
        """One finite number for each player; with one player, it need not be in a list."""
        count = 1 if one else self.game.players
        parts = [value] if count == 1 and _is_number(value) else value
        good = isinstance(parts, list | tuple | np.ndarray) and len(parts) == count
        if not good or not all(_is_number(part) for part in parts):
            expected = "a number" if count == 1 else f"{count} numbers, one for each player"
            self.notes.fail("bad-answer", rule, obj, value=_text(value), expected=expected)
        found = tuple(float(part) for part in parts)
        if not all(math.isfinite(part) for part in found):
            self.notes.fail("bad-reward", rule, obj, values=shown(found))
        return found

    def random_child(self, obj: Any, child: Any, children: list[Any]) -> None:
        """One of the children, if they can be compared."""
        if has_equality(child) and child not in children:
            self.notes.note("bad-random-child", "find_random_child", obj, value=_text(child))


def has_equality(obj: Any) -> bool:
    """Whether its class defines `__eq__`."""
    kind: Any = type(obj)
    return kind.__eq__ is not object.__eq__


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.number) and not isinstance(value, np.complexfloating)


def _text(value: Any) -> str:
    return shorten(safe_text(repr, value), 60)
