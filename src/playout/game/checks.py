"""Checks of a game's class, its settings, and the default text of a state, field by field."""

import inspect
import math
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.common.arguments import plain, whole_text
from playout.errors import GameError, SettingsError

if TYPE_CHECKING:
    from .game import Game

REQUIRED = {
    "initial_state": "initial_state(state)",
    "current_player": "current_player(state)",
    "legal_actions": "legal_actions(state, actions)",
    "apply": "apply(state, action, rewards)",
}
OPTIONAL = {
    "chance_outcomes": "chance_outcomes(state, actions, probabilities)",
    "chance_action": "chance_action(state, rng)",
    "priors": "priors(state, actions, count, out)",
    "evaluate": "evaluate(state, values)",
    "playout_action": "playout_action(state, actions, count, rng)",
    "hash": "hash(state)",
    "observe": "observe(state, player, planes)",
    "features": "features(state, player, out)",
    "is_known": "is_known(state)",
    "action_index": "action_index(state, action)",
    "action_code": "action_code(state, action)",
    "sample_action": "sample_action(state, rng, out)",
    "playout": "playout(state, actions, weights, rewards, returns, rng, trace, limit, discount)",
}
FACTS = {"players": "players = 2", "max_actions": "max_actions = 9", "state": "state = np.dtype([…])"}
MOST = {"players": 127, "max_actions": 65535}  # the tree stores them in one byte and in two
MOST_TEXT = 1_000_000  # characters of a setting that is a text
MOST_CODES = 1 << 20  # tables have an entry for each, and for each player
MOST_FEATURES = 1 << 20
MOST_WIDTH = 1024  # numbers of a drawn action
# Rules for actions as numbers, which a game whose actions are drawn can't have.
OF_NUMBERS = ("priors", "playout_action", "action_code", "action_index", "observe", "features", "is_known", "playout")
BOOLEANS = ("False", "True")  # as a field's text has them


def rule_of(cls: "type[Game]", name: str) -> Callable[..., Any] | None:
    """A rule as a plain function, with or without @staticmethod; None where the class does not define it."""
    found = inspect.getattr_static(cls, name, None)
    found = getattr(found, "__func__", found)
    function: Callable[..., Any] | None = getattr(found, "py_func", found)
    return function


def check_class(cls: "type[Game]") -> None:
    """Raise `GameError` for whatever is wrong with the class itself, and say what to write."""
    name = cls.name or cls.__name__
    for attribute, example in FACTS.items():
        if not hasattr(cls, attribute):
            raise GameError(f"{name} has no '{attribute}'; add `{example}` to the class")
    for attribute, most in MOST.items():
        value = getattr(cls, attribute)
        if not isinstance(value, int) or not 1 <= value <= most:
            raise GameError(f"{name}.{attribute} is {value!r}, expected a whole number from 1 to {most}")
    dtype = _checked_dtype(cls, name, "state")
    constants = _checked_dtype(cls, name, "constants") if cls.constants is not None else None
    if both := set(dtype.names or ()) & set(constants.names or () if constants else ()):
        raise GameError(f"{name}: '{sorted(both)[0]}' is a field of the state and of the constants; give it two names")
    _check_draws(cls, name)
    for rule, call in (REQUIRED | OPTIONAL).items():
        _check_rule(cls, name, rule, call)
    codes = cls.action_codes
    if not isinstance(codes, int) or isinstance(codes, bool) or not 0 <= codes <= MOST_CODES:
        raise GameError(
            f"{name}.action_codes is {codes!r:.80}, expected how many codes `action_code` gives, up to {MOST_CODES}; "
            f"0: not known"
        )
    if rule_of(cls, "observe") is not None:
        _check_observation(cls, name)
    if rule_of(cls, "features") is not None:
        _check_features(cls, name)
    for key, default in cls.settings.items():
        if not isinstance(default, str) and field_of(cls, key) is None:
            raise GameError(
                f"{name}: setting '{key}' is not a field of the state; add it to `state` for the rules, or to "
                f"`constants` if they never change it"
            )
    for key, target in cls.files.items():
        if key in cls.settings or not isinstance(cls.settings.get(target), str):
            raise GameError(
                f"{name}.files has '{key}': '{target}', expected a new name for the file, and a setting that is a text "
                f"for its content"
            )
    names = cls.player_names
    if names and not (len(names) == cls.players and all(isinstance(text, str) and text for text in names)):
        raise GameError(f"{name}.player_names is {names!r:.80}, expected {cls.players} texts, one for each player")
    for field in cls.unkeyed:
        if field not in (dtype.names or ()):
            known = ", ".join(dtype.names or ())
            raise GameError(f"{name}: '{field}' in unkeyed is not a field of the state (there are: {known})")
    limits = cls.value_range
    ordered = isinstance(limits, tuple) and len(limits) == 2 and limits[0] < limits[1]
    if limits not in (None, "default") and not ordered:
        raise GameError(f"{name}.value_range is {limits!r}, expected (least, most) or None")


def _checked_dtype(cls: "type[Game]", name: str, what: str) -> np.dtype[Any]:
    given = getattr(cls, what)
    try:
        dtype: np.dtype[Any] = np.dtype(given)
    except TypeError as error:
        raise GameError(f"{name}.{what} is {given!r}, expected a NumPy record dtype ({error})") from None
    if not dtype.names or dtype.hasobject:
        raise GameError(f"{name}.{what} is {dtype}, expected a NumPy dtype with named fields of numbers")
    for field in _names(dtype):
        if hasattr(np.record, field):
            raise GameError(
                f"{name}.{what} has a field '{field}', and NumPy records have an attribute of that name, which "
                f"uncompiled rules would see instead; call it something else, as in '{field}_'"
            )
    return dtype


def _names(dtype: np.dtype[Any]) -> Iterator[str]:
    """The names of all fields, with those of records inside."""
    for name in dtype.names or ():
        yield name
        yield from _names(dtype[name].base)


def _check_rule(cls: "type[Game]", name: str, rule: str, call: str) -> None:
    function = rule_of(cls, rule)
    if function is None:
        if rule == "legal_actions" and rule_of(cls, "sample_action") is not None:
            return
        if rule in REQUIRED:
            raise GameError(f"{name} has no '{rule}'; define `@staticmethod def {call}` in the class")
        return
    if not callable(function):
        raise GameError(f"{name}.{rule} is {function!r}, expected a function `{call}`")
    given = list(inspect.signature(function).parameters)
    if len(given) != call.count(",") + 1:
        raise GameError(f"{name}.{rule} takes ({', '.join(given)}), expected `{call}`, without self")


def _check_draws(cls: "type[Game]", name: str) -> None:
    width, draws = cls.action_width, rule_of(cls, "sample_action") is not None
    if not isinstance(width, int) or isinstance(width, bool) or not 0 <= width <= MOST_WIDTH:
        raise GameError(
            f"{name}.action_width is {width!r:.80}, expected how many numbers `sample_action` writes, 1 to {MOST_WIDTH}"
        )
    if draws and width == 0:
        raise GameError(f"{name} has sample_action but no action_width; add `action_width = 1`: the length of `out`")
    if width and not draws:
        raise GameError(
            f"{name}.action_width is {width}, but there is no sample_action; define `@staticmethod def "
            f"sample_action(state, rng, out)`"
        )
    for rule in OF_NUMBERS if draws else ():
        if rule_of(cls, rule) is not None:
            raise GameError(
                f"{name} has {rule} and sample_action; {rule} is for actions that are listed as numbers, and a drawn "
                f"action is a row of numbers: remove one of them"
            )


def _check_observation(cls: "type[Game]", name: str) -> None:
    shape = cls.planes
    if not isinstance(shape, tuple) or not shape or not all(isinstance(n, int) and n > 0 for n in shape):
        raise GameError(f"{name}.planes is {shape!r}, expected the shape of what `observe` fills, as in (3, 6, 7)")
    _check_policy(cls, name)


def _check_features(cls: "type[Game]", name: str) -> None:
    count = cls.feature_count
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= MOST_FEATURES:
        raise GameError(
            f"{name}.feature_count is {count!r:.80}, expected how many features there are, 1 to {MOST_FEATURES}: one "
            f"more than the largest number that `features` writes"
        )
    _check_policy(cls, name)


def _check_policy(cls: "type[Game]", name: str) -> None:
    if not isinstance(cls.policy_size, int) or cls.policy_size < 1:
        raise GameError(
            f"{name}.policy_size is {cls.policy_size!r}, expected the number of entries in a policy: one more than "
            f"the largest action, or than the largest index that `action_index` gives"
        )


def field_of(cls: "type[Game]", key: str) -> np.dtype[Any] | None:
    """The field of the state or of the constants that a setting fills; None for a text, which fills none."""
    for record in (cls.state, cls.constants) if not isinstance(cls.settings[key], str) else ():
        layout: np.dtype[Any] | None = None if record is None else np.dtype(record)
        if layout is not None and key in (layout.names or ()):
            return layout[key]
    return None


def with_files(game: "Game", given: dict[str, Any]) -> dict[str, Any]:
    """The settings given, with the content of a file in place of its name."""
    found = dict(given)
    for key in [key for key in given if key in game.files]:
        path, target = found.pop(key), game.files[key]
        if target in given:
            raise SettingsError(f"{game.title}: settings '{key}' and '{target}' are both given; give one of them")
        if not isinstance(path, str | os.PathLike):
            raise SettingsError(f"{game.title}: setting '{key}' is {path!r:.80}, expected the path of a file")
        try:
            with Path(path).open(encoding="utf-8") as file:
                content = file.read(MOST_TEXT + 1)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is not a text"
            raise SettingsError(f"{game.title}: can't read the file '{path}' of setting '{key}': {why}") from None
        if not content.strip():
            raise SettingsError(f"{game.title}: the file '{path}' of setting '{key}' is empty")
        found[target] = content
    return found


def text_value(game: "Game", key: str, value: Any) -> str:
    """A setting that is a text. Numbers, lists and arrays become one: rows end with `;`."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, np.ndarray | Sequence) and not isinstance(value, bytes):
        rows = value.tolist() if isinstance(value, np.ndarray) else list(value)
        nested = any(isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) for row in rows)
        text = "; ".join(_row(row) for row in rows) if nested else _row(rows)
    else:
        raise SettingsError(f"{game.title}: setting '{key}' is {value!r:.80}, expected a text or a list of numbers")
    if len(text) > MOST_TEXT:
        raise SettingsError(f"{game.title}: setting '{key}' has more than {MOST_TEXT:,} characters")
    return text


def _row(row: Any) -> str:
    items = row if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else [row]
    return " ".join(str(plain(item)) for item in items)


def setting_value(game: "Game", key: str, value: Any) -> Any:
    """A setting, given as a value or as text from the command line, in the shape of its field."""
    field = field_of(type(game), key)
    if field is None:
        return text_value(game, key, value)
    kind = "a whole number" if np.issubdtype(field.base, np.integer) else "a number"
    expected = f"{kind}" if not field.shape else f"up to {field.shape[0]} numbers as in 1,2,3"
    parts = value.split(",") if isinstance(value, str) else value
    numbers = list(parts) if isinstance(parts, Sequence | np.ndarray) else [parts]
    counted = np.issubdtype(field.base, np.integer)
    try:
        found = [(whole_text(n) if counted else float(n)) if isinstance(n, str) else plain(n) for n in numbers]
        if any((int(n) if counted else float(n)) != n for n in found) or not found:
            raise ValueError
        if len(found) > (field.shape[0] if field.shape else 1):
            raise ValueError
        if field.base.kind in "iu":
            limits = np.iinfo(field.base)
            if any(not limits.min <= n <= limits.max for n in found):
                raise ValueError
            found = [int(n) for n in found]
    except (ValueError, TypeError, OverflowError):
        raise SettingsError(f"{game.title}: setting '{key}' is {value!r}, expected {expected}") from None
    if not field.shape:
        return found[0]
    return tuple(found) + (0,) * (field.shape[0] - len(found))


def field_text(value: Any) -> str:
    """A field of the state as text: its numbers, with commas between them; those of records inside of it one by one."""
    return ",".join(str(number) for number in _flat(np.asarray(value).tolist()))


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple | np.ndarray):
        for part in value.tolist() if isinstance(value, np.ndarray) else value:
            yield from _flat(part)
    else:
        yield value


def read_field(field: np.dtype[Any], text: str) -> Any:
    """What `field_text` wrote; `ValueError` or `OverflowError` where it does not fit into the field."""
    parts = text.split(",")
    if len(parts) != _count(field):
        raise ValueError
    return _filled(field, iter(parts))


def _filled(field: np.dtype[Any], parts: Iterator[str]) -> Any:
    """An array with the shape of a field, filled with the next of the parts."""
    found, base = np.zeros(field.shape, field.base), field.base
    readers: dict[str, Callable[[str], Any]] = {"b": BOOLEANS.index, "f": float}
    read = readers.get(base.kind, whole_text)
    for place in np.ndindex(field.shape):
        if base.names is None:
            found[place] = read(next(parts))
        for name in base.names or ():
            found[name][place] = _filled(base[name], parts)
    return found


def _count(field: np.dtype[Any]) -> int:
    """How many numbers a field has, with those of records inside of it."""
    names = field.base.names
    return math.prod(field.shape) * (1 if names is None else sum(_count(field.base[name]) for name in names))


def expected_text(field: np.dtype[Any]) -> str:
    """What the text of a field may be."""
    kind, count = field.base.kind, _count(field)
    if field.base.names:
        each = " of each record in turn" if field.shape else ""
        if count == 1:
            return f"a number: {field.base.names[0]}"
        return f"{count} numbers with commas between them: {', '.join(field.base.names)}{each}"
    numbers = {"b": "True or False", "f": "a number"}.get(kind, "a whole number")
    if kind in "iu":
        numbers += f" from {np.iinfo(field.base).min} to {np.iinfo(field.base).max}"
    return numbers if not field.shape else f"{count} values with commas between them, each {numbers}"


def shorten(names: Sequence[str], most: int = 12) -> str:
    """The first names, and the number of the others."""
    return ", ".join(names[:most]) + (f", … {len(names) - most} more" if len(names) > most else "")
