"""Checks of what an object's methods return: each message is one line that names the method, what it returned, at which
object, and what was expected."""

import math
import operator
import re
import sys
from collections.abc import Callable, Mapping, Sequence, Set
from itertools import islice
from typing import Any

import numpy as np

from playout.core.rules import CHANCE, TERMINAL
from playout.errors import GameError

SIMULTANEOUS = -2  # as OpenSpiel numbers it
SUM_TOLERANCE = 1e-6
LARGEST = sys.float_info.max
LONG = 1 << 16
MOST_LISTED = 1 << 16  # the most entries read, since an iterator may never end; max_actions is always less
WORDS = 60  # the longest text of an object that is shown in full
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def shown(value: Any, most: int = WORDS, as_text: Callable[[Any], str] = str) -> str:
    """Any value in one short line."""
    try:
        text = " ".join(as_text(value).split())
    except Exception:  # noqa: BLE001  # the user's own __str__ may fail, and it is only a text
        text = f"<{type(value).__name__}>"
    return text if len(text) <= most else text[: most - 1] + "…"


def own_text(value: Any) -> str:
    """An object's own text, without addresses; "" where its class defines none."""
    kind: Any = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return ""
    return ADDRESS.sub("", shown(value, LONG))


def got(value: Any) -> str:
    """A wrong value with its type.

    >>> got("draw"), got(None)
    ("'draw' (str)", 'None')
    """
    return "None" if value is None else f"{shown(value, 80, repr)} ({type(value).__name__})"


def refused(obj: Any, call: str, value: Any, expected: str) -> GameError:
    """The error for what a method returned."""
    return GameError(f"{type(obj).__name__}.{call} returned {got(value)} at {shown(obj)}, expected {expected}")


def player(obj: Any, value: Any, players: int, has_chance: bool) -> int:
    """Who moves: 0 and up, CHANCE, or TERMINAL."""
    if value is None:
        return TERMINAL
    expected = f"0 to {players - 1}, po.CHANCE (-1), or None or po.TERMINAL (-4) at the end"
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool | np.bool_):
        raise refused(obj, "current_player()", value, f"a whole number: {expected}")
    if 0 <= number < players or number == TERMINAL:
        return number
    if number == CHANCE:
        if has_chance:
            return CHANCE
        raise refused(obj, "current_player()", value, "chance_outcomes() beside it; define it, or name another player")
    if number == SIMULTANEOUS:
        expected += "; -2 stands for players who move at the same time, which Playout can't search"
    elif number >= players:
        expected += f"; for more than {players} player{'s' * (players > 1)} give players= to po.wrap"
    raise refused(obj, "current_player()", value, expected)


def finished(obj: Any, value: Any) -> bool:
    """What `is_terminal()` says."""
    if isinstance(value, bool | np.bool_) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise refused(obj, "is_terminal()", value, "True or False")


def no_actions(obj: Any, actions: Any, player: int) -> GameError:
    """The error for an empty list of actions before the end."""
    expected = (
        f"at least one action, since current_player() returned {player}; where the game is over, return None or "
        f"po.TERMINAL from current_player(), and where a player must pass, list an action that says so"
    )
    return refused(obj, "legal_actions()", actions, expected)


def moved_on(obj: Any, action: Any, after: Any) -> None:
    """Refuse a `play` that returns the object it was called on: stored positions would change with it."""
    if after is obj:
        raise GameError(
            f"{type(obj).__name__}.play({shown(action)}) returned the object itself, now {shown(obj)}; it must leave "
            f"the object as it is and return another one, a changed copy.deepcopy(self) for instance"
        )


def listed(obj: Any, call: str, given: Any) -> list[Any]:
    """Actions, outcomes or children as a list."""
    if isinstance(given, list | tuple | set | frozenset):
        return given if isinstance(given, list) else list(given)
    if given is None or isinstance(given, str | bytes):
        raise refused(obj, call, given, "a list")
    try:
        parts = iter(given)
    except TypeError:
        raise refused(obj, call, given, "a list") from None
    found = list(islice(parts, MOST_LISTED))
    if len(found) == MOST_LISTED:
        raise refused(obj, call, given, f"at most {MOST_LISTED - 1:,} entries; does it end?")
    return found


def numbering(obj: Any, call: str, names: list[Any], most: int) -> Sequence[int]:
    """A number for each action: whole numbers keep theirs, others get their index in the list.

    Where a list has both, and they would clash, the indices start after the largest whole number.
    """
    if len(names) > most:
        raise GameError(
            f"{type(obj).__name__}.{call} returned {len(names):,} at {shown(obj)}, more than max_actions = {most:,}; "
            f"give max_actions= to po.wrap"
        )
    if not names:
        raise refused(obj, call, names, "at least one: it is not the end")
    whole = [
        int(n)
        for n in names
        if isinstance(n, int | np.integer) and not isinstance(n, bool) and -(2**31) < n < 2**31 - most
    ]
    if len(whole) == len(names):
        twice = _first_twice(whole)
    else:
        if any(name is None for name in names):
            raise refused(obj, call, names, "actions, none of them None")
        twice = _first_twice([key_of(name) for name in names])
    if twice is not None:
        raise refused(obj, call, names, f"each action once, and {shown(names[twice])} is there twice")
    if len(whole) == len(names):
        return whole
    clash = any(0 <= number < len(names) for number in whole)
    first = max(whole) + 1 if clash else 0
    return range(first, first + len(names))


def _first_twice(keys: list[Any]) -> int | None:
    if len(set(keys)) == len(keys):
        return None
    return next(i for i, key in enumerate(keys) if key in keys[:i])


def key_of(name: Any) -> Any:
    """Something hashable that is equal where the actions are."""
    try:
        hash(name)
    except TypeError:
        return (type(name), name.tobytes() if isinstance(name, np.ndarray) else repr(name))
    return name


def outcomes(obj: Any, given: Any) -> tuple[list[Any], list[float]]:
    """Chance's outcomes and their probabilities, from pairs or a mapping."""
    call, expected = "chance_outcomes()", "pairs (outcome, probability), or a mapping from outcomes to probabilities"
    pairs = list(given.items()) if isinstance(given, Mapping) else listed(obj, call, given)
    try:
        names, weights = [name for name, _ in pairs], [weight for _, weight in pairs]
    except (TypeError, ValueError):
        raise refused(obj, call, given, expected) from None
    try:
        good = min(weights) >= 0.0 and abs(sum(weights) - 1.0) <= SUM_TOLERANCE
    except (TypeError, ValueError):
        good = False
    if good:
        return names, weights
    for weight in weights:
        if not _is_number(weight) or not 0.0 <= weight <= LARGEST:
            raise refused(obj, call, given, f"probabilities of at least 0, and one is {got(weight)}")
    total = sum(weights)
    raise refused(obj, call, given, f"probabilities that sum to 1, and these sum to {total:.9g}")


def weights(obj: Any, given: Any, names: list[Any]) -> list[float]:
    """Priors in the order of the actions, from a sequence or a mapping; actions missing from a mapping weigh 0."""
    call = "priors()"
    expected = f"{len(names)} weights in the order of legal_actions(), or a mapping from actions to weights"
    if isinstance(given, Mapping):
        left = dict(given)
        found = [left.pop(name, 0.0) for name in names]
        if left:
            raise refused(obj, call, given, f"legal actions only, and {shown(next(iter(left)))} is none")
    elif isinstance(given, Set):
        raise refused(obj, call, given, f"{expected}; a set has no order")
    else:
        found = listed(obj, call, given)
    if len(found) != len(names):
        raise refused(obj, call, given, f"{expected}, and there are {len(found)}")
    for name, weight in zip(names, found, strict=True):
        if not _is_number(weight) or not 0.0 <= weight <= LARGEST:
            raise refused(obj, call, given, f"finite weights of at least 0, and that of {shown(name)} is {got(weight)}")
    return found


def numbers(obj: Any, call: str, given: Any, players: int) -> Sequence[float]:
    """One finite number for each player; with one player, no list is needed."""
    found: Any = given
    if isinstance(given, np.ndarray):
        found = given.tolist()
    if players == 1 and _is_number(found):
        found = (found,)
    if not isinstance(found, list | tuple):
        ordered = hasattr(given, "__getitem__") and not isinstance(given, Mapping | str | bytes)
        found = listed(obj, call, given) if ordered else None
    if found is None or len(found) != players:
        count = "" if found is None else f", and there {'is' if len(found) == 1 else 'are'} {len(found)}"
        one = "a number" if players == 1 else f"{players} numbers, one for each player"
        raise refused(obj, call, given, f"{one}{count}")
    for value in found:
        if not _is_number(value) or not -LARGEST <= value <= LARGEST:
            raise refused(obj, call, given, "finite numbers")
    return [float(value) for value in found]


def _is_number(value: Any) -> bool:
    """Whether a value is a real number; text is not, although `float` would read it."""
    if isinstance(value, float | int | np.number):
        return not isinstance(value, np.complexfloating)
    if isinstance(value, str | bytes) or getattr(value, "ndim", None):
        return False
    try:
        return not math.isnan(float(value))
    except (TypeError, ValueError):
        return False
