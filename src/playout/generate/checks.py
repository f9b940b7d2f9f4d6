"""Checks of what a generated search is made with."""

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from playout.common.arguments import plain
from playout.errors import SettingsError

Generators = dict[str, Callable[..., Any]]


def generators_from(given: Any) -> Generators:
    """Generators by name; one function is named after itself."""
    if callable(given) and not isinstance(given, Mapping):
        return {_name(given): _checked(_name(given), given)}
    if isinstance(given, Mapping) and given:
        for name in given:
            if not isinstance(name, str) or not name:
                raise SettingsError(f"a generator is named {name!r:.60}, expected a text")
        return {name: _checked(name, function) for name, function in given.items()}
    raise SettingsError(f"generators is {given!r:.80}, expected a function of a parent state, or several by name")


def _name(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "generate" if name == "<lambda>" else str(name)


def _checked(name: str, given: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = given
    if not callable(given):
        raise SettingsError(f"generator '{name}' is {function!r:.80}, expected a function of a parent state")
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return function  # built in, without a signature
    first = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    others = [p for p in parameters if p not in first[:1] and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = [p for p in others if p.default is p.empty and p.name != "call"]
    if not first or first[0].name == "call" or needed:
        raise SettingsError(
            f"generator '{name}' takes {inspect.signature(function)}, expected (parent) or (parent, call)"
        )
    return function


def range_from(given: Any) -> tuple[float, float] | None:
    """The declared range of scores."""
    if given is None:
        return None
    try:
        low, high = (plain(bound) for bound in given)
        good = all(isinstance(b, int | float) and math.isfinite(b) for b in (low, high)) and low < high
    except (TypeError, ValueError):
        good = False
    if not good:
        raise SettingsError(f"scores is {given!r:.80}, expected (low, high), or None for any finite number")
    return float(low), float(high)


def prices_from(given: Any, names: list[str]) -> dict[str, float]:
    """Prices by generator."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise SettingsError(f"prices is {given!r:.80}, expected numbers by the names of generators")
    for name, price in given.items():
        if name not in names:
            raise SettingsError(f"prices names '{name}', which is none of {', '.join(names)}")
        value = plain(price)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise SettingsError(f"the price of '{name}' is {price!r:.60}, expected a number of at least 0")
    return {name: float(plain(price)) for name, price in given.items()}


def is_hashable(state: Any) -> bool:
    """Whether a state can't change in place, as far as Python tells."""
    try:
        hash(state)
    except TypeError:
        return False
    return True
