"""Checks of a policy or backup when its class is defined, with one-line messages."""

import dataclasses
import inspect
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from playout.common.arguments import plain
from playout.core.columns import AMAF_FIELDS, BELOW, NAMES, NONE
from playout.errors import SettingsError

NUMBERS: dict[Any, Any] = {float: np.float64, int: np.int64, bool: np.int64}
BY_TEXT = {kind.__name__: kind for kind in NUMBERS}
WORDS = (np.dtype(np.float64), np.dtype(np.int64))
RESERVED = (
    "children",
    "variance",
    BELOW,
    *(name for name, _ in AMAF_FIELDS),
)  # trees written by hand use the first two beside the columns
WHOLE = 2**63


def settings_of(cls: type[Any]) -> list[tuple[str, Any]]:
    """The settings of a part, as the fields of a record."""
    return [(f.name, NUMBERS[f.type]) for f in dataclasses.fields(cls)]


def check_settings(cls: type[Any], base: type[Any]) -> None:
    """Check, before the class becomes a dataclass, that each field is a number and has a free name.

    Annotations that are strings (`from __future__ import annotations`) become types.
    """
    _keep_inherited(cls)
    annotations = inspect.get_annotations(cls)
    for name, kind in annotations.items():
        if "ClassVar" in str(kind):
            continue
        if hasattr(base, name):
            raise SettingsError(
                f"{cls.__name__}.{name} is declared as a setting, but every {base._role} already has it; write "
                f"`{name} = …` without a type to set it, or choose another name"
            )
        annotations[name] = kind = BY_TEXT.get(kind, kind) if isinstance(kind, str) else kind
        if kind not in NUMBERS:
            shown = getattr(kind, "__name__", kind)
            raise SettingsError(
                f"{cls.__name__}.{name}: the type is {shown}, expected float, int or bool (settings are numbers)"
            )
        given = cls.__dict__.get(name, 0)
        default = given.default if isinstance(given, dataclasses.Field) else given
        if default is not dataclasses.MISSING and not _fits(kind, default):
            raise SettingsError(f"{cls.__name__}.{name}: the default is {default!r:.80}, expected {_named(kind)}")
    cls.__annotations__ = annotations


def _keep_inherited(cls: type[Any]) -> None:
    """Make `c = 2.0` in a subclass a new default of the setting `c`, which a dataclass would ignore."""
    inherited, annotations = getattr(cls, "__dataclass_fields__", {}), inspect.get_annotations(cls)
    for name in inherited.keys() & vars(cls).keys() - annotations.keys():
        cls.__annotations__ = annotations = {**annotations, name: inherited[name].type}
        setattr(cls, name, dataclasses.field(default=getattr(cls, name), metadata=inherited[name].metadata))


def _fits(kind: Any, value: Any) -> bool:
    if kind is bool:
        return isinstance(value, bool | np.bool_)
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return False
    return kind is float or (float(value).is_integer() and abs(value) < WHOLE)


def _named(kind: Any) -> str:
    return {float: "a number", int: "a whole number", bool: "True or False"}[kind]


def check_functions(cls: type[Any]) -> None:
    """Check that each function is a static method with the right arguments."""
    if not hasattr(cls, cls._needed):
        raise SettingsError(
            f"{cls.__name__} has no `{cls._signatures[cls._needed]}`; a {cls._role} needs one, as a @staticmethod"
        )
    for name, signature in cls._signatures.items():
        found = cls.__dict__.get(name)
        if found is None:
            continue
        if not isinstance(found, staticmethod):
            raise SettingsError(f"{cls.__name__}.{name} is not a @staticmethod; expected `{signature}` as one")
        if not inspect.isfunction(found.__func__):
            what = "compiled already" if hasattr(found.__func__, "py_func") else f"{found.__func__!r:.60}"
            raise SettingsError(
                f"{cls.__name__}.{name} is {what}, expected a plain function `{signature}`; the search compiles it"
            )
        if not _takes(found.__func__, signature.count(",") + 1):
            raise SettingsError(
                f"{cls.__name__}.{name} takes {inspect.signature(found.__func__)}, expected `{signature}`"
            )


def _takes(function: Any, count: int) -> bool:
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def check_flags(cls: type[Any], names: Iterable[str]) -> None:
    """Check that these class attributes are True or False."""
    for name in names:
        if not isinstance(getattr(cls, name), bool):
            raise SettingsError(f"{cls.__name__}.{name} is {getattr(cls, name)!r:.80}, expected True or False")


def check_columns(cls: type[Any]) -> None:
    """Check the columns: single numbers with free names."""
    check_layout(cls, "columns", cls.columns, {*NAMES, *RESERVED}, "a field of every edge or a reserved word")
    if any(cls.columns[name].shape for name in cls.columns.names or ()):
        raise SettingsError(f"{cls.__name__}.columns has a field that is an array; expected single numbers")


def check_amaf(cls: type[Any]) -> None:
    """Check that a policy's `amaf` names one of its settings, a whole number."""
    if not cls.amaf and isinstance(cls.amaf, str):
        return
    kinds = {name: kind for base in reversed(cls.__mro__) for name, kind in inspect.get_annotations(base).items()}
    whole = [name for name, kind in kinds.items() if kind in (int, "int")]
    if not isinstance(cls.amaf, str) or cls.amaf not in whole:
        listed = ", ".join(map(repr, whole)) or "it has none"
        raise SettingsError(
            f"{cls.__name__}.amaf is {cls.amaf!r:.80}, expected the name of a setting that is a whole number ({listed})"
        )


def check_below(cls: type[Any]) -> None:
    """Check that a backup's `below` names one of its columns, where the values below an edge are its own."""
    if not cls.below and isinstance(cls.below, str):
        return
    columns: Any = cls.columns
    if not isinstance(cls.below, str) or cls.below not in (columns.names or ()):
        listed = ", ".join(map(repr, columns.names or ())) or "it has none"
        raise SettingsError(f"{cls.__name__}.below is {cls.below!r:.80}, expected the name of a column ({listed})")
    if columns[cls.below] != np.float64:
        raise SettingsError(f"{cls.__name__}.below: '{cls.below}' is {columns[cls.below]}, expected float64")
    if cls.graph or cls.plain_mean:
        fact = "graph" if cls.graph else "plain_mean"
        why = "a position could lie below itself" if cls.graph else "the search would never call `update`"
        raise SettingsError(f"{cls.__name__} has below and {fact} = True, where {why}; remove one of them")


def check_layout(cls: type[Any], what: str, layout: Any, taken: set[str], whose: str) -> None:
    """Check the dtype of columns or tables; `taken` names can't be used, since each is `whose`."""
    if not isinstance(layout, np.dtype):
        raise SettingsError(
            f"{cls.__name__}.{what} is {layout!r:.80}, expected a dtype with named fields, as in "
            f"np.dtype([('total', np.float64)])"
        )
    if layout.names is None and layout != NONE:
        raise SettingsError(f"{cls.__name__}.{what} is {layout}, expected a dtype with named fields")
    for name in layout.names or ():
        if name in taken:
            raise SettingsError(f"{cls.__name__}.{what} has '{name}', which is {whose}; choose another name")
        if layout[name].base not in WORDS:
            raise SettingsError(f"{cls.__name__}.{what}: '{name}' is {layout[name].base}, expected float64 or int64")
