"""The answer of a rule, and how two answers or two states differ."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.game import Game

from .findings import numbers
from .notes import shorten


@dataclass
class RuleAnswer:
    """What a rule returned, what it wrote, and the state afterwards."""

    value: Any
    written: tuple[tuple[Any, ...], ...]
    after: bytes
    actions_changed: bool = False  # whether it changed the actions it was given


def contrast(game: Game, one: RuleAnswer, two: RuleAnswer, first: str, second: str) -> str:
    """The first difference between two answers, with both values."""
    if not same(one.value, two.value):
        return f"{first} {one.value}, {second} {two.value}"
    for a, b in zip(one.written, two.written, strict=True):
        if not all(same(x, y) for x, y in zip(a, b, strict=False)):
            return f"{first} {numbers(a)}, {second} {numbers(b)}"
    return differences(game, one.after, two.after, first, second)


def differences(game: Game, one: bytes, two: bytes, first: str = "before", second: str = "after") -> str:
    """The fields in which two states differ, with both values of the first such field."""
    a, b = game.rules.view(as_buffer(one)), game.rules.view(as_buffer(two))
    names = [name for name in game.dtype.names or () if a[name].tobytes() != b[name].tobytes()]
    if not names:
        return "in bytes between the fields"
    x, y = np.ravel(a[names[0]]), np.ravel(b[names[0]])
    at = next((i for i in range(x.size) if x[i] != y[i]), 0)
    place = names[0] + (f".flat[{at}]" if x.size > 1 else "")
    rest = f"; also {', '.join(names[1:])}" if len(names) > 1 else ""
    return f"{place}: {first} {x[at]}, {second} {y[at]}{rest}"


def as_buffer(data: bytes) -> Any:
    return np.frombuffer(data, np.uint8).copy()


def whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)


def equal(one: RuleAnswer, two: RuleAnswer) -> bool:
    return (
        same(one.value, two.value)
        and one.after == two.after
        and all(
            len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
            for a, b in zip(one.written, two.written, strict=True)
        )
    )


def same(a: Any, b: Any) -> bool:
    """Equal up to rounding: compiled code may add in another order."""
    if isinstance(a, float | np.floating) and isinstance(b, float | np.floating):
        return bool((math.isnan(a) and math.isnan(b)) or a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))
    return bool(a == b)


def plain_value(rule: str, value: Any) -> Any:
    """What a rule returned, as comparisons and messages use it."""
    if rule in ("apply", "evaluate", "priors", "observe", "initial_state"):
        return None  # the search ignores what they return
    if whole(value):
        return int(value) % 2**64 if rule == "hash" else int(value)  # -1 and 2^64 - 1 are the same 64 bits
    if value is not None and not isinstance(value, float):
        return shorten(repr(value), 40)
    return value
