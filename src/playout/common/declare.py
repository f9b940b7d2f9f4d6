"""How a setting is declared: a frozen dataclass whose constructor says in one line what is wrong with a value."""

import dataclasses
import functools
import inspect
import math
from dataclasses import dataclass, field
from typing import Any, TypeVar, dataclass_transform

from playout.errors import SettingsError

from .arguments import plain, refuses_unknown_names, whole

T = TypeVar("T")
MOST_WHOLE = 2**63


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def setting(cls: type[T]) -> type[T]:
    """A frozen dataclass whose constructor refuses unknown names in one line and takes NumPy's numbers, and 1e5 for a
    whole number."""
    made: Any = dataclass(frozen=True)(cls)
    counted = {f.name for f in dataclasses.fields(made) if f.type in (int, int | None)}
    fill = made.__init__
    signature = inspect.signature(fill)

    def initialise(*values: Any, **named: Any) -> None:
        given = signature.bind(*values, **named).arguments
        for name, value in given.items():
            number = whole(value) if name in counted else None
            given[name] = plain(value) if number is None else number
        fill(**given)

    made.__init__ = refuses_unknown_names(functools.wraps(fill)(initialise))
    found: type[T] = made
    return found


def number(*, default: float, least: float = -math.inf, most: float = math.inf, above: float | None = None) -> Any:
    """A field that takes a number within limits: from `least` on, or more than `above`; at most `most`."""
    return field(default=default, metadata={"least": least, "most": most, "above": above})


def check_number(name: str, value: Any, least: float = -math.inf, most: float = math.inf, above: bool = False) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not least <= value <= most or (above and value == least):
        limits = f"{'more than' if above else 'at least'} {least:g}" if math.isfinite(least) else ""
        limits += (" and " if limits else "") + f"at most {most:g}" if math.isfinite(most) else ""
        raise SettingsError(f"settings: {name} is {value!r}, expected a number{' of ' + limits if limits else ''}")


def check_numbers(name: str, part: Any) -> None:
    """Refuse values of a part's fields that are no numbers, or outside of their limits."""
    for f in dataclasses.fields(part):
        value, limits = getattr(part, f.name), f.metadata
        if f.type is bool:
            if not isinstance(value, bool):
                raise SettingsError(f"settings: {name}.{f.name} is {value!r}, expected True or False")
            continue
        if f.type is int and not (isinstance(value, int) and -MOST_WHOLE <= value < MOST_WHOLE):
            raise SettingsError(f"settings: {name}.{f.name} is {value!r:.80}, expected a whole number of 64 bits")
        above = limits.get("above")
        least = limits.get("least", -math.inf) if above is None else above
        check_number(f"{name}.{f.name}", value, least, limits.get("most", math.inf), above is not None)
