"""What compiled rules keep of the world outside: globals and closures have the value that they had when compiling."""

from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from .guard import is_followed, names_in
from .jit import fingerprint


def referenced(function: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """All globals and closure variables that a function and its helpers refer to: a fingerprint and a text of each.

    >>> {name: text for name, (_, text) in referenced(lambda: np.int64(LIMIT)).items()}
    {'LIMIT': '3'}
    """
    found: dict[str, tuple[str, str]] = {}
    _follow(getattr(function, "py_func", function), found, set())
    return found


LIMIT = 3  # of the example


def _follow(function: Any, found: dict[str, tuple[str, str]], seen: set[int]) -> None:
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    names, scope = names_in(function.__code__), function.__globals__
    values = {name: scope[name] for name in names if name in scope}
    for name, module in list(values.items()):
        if isinstance(module, ModuleType) and is_followed(getattr(module, "__file__", None)):
            values |= {f"{name}.{part}": vars(module)[part] for part in names if part in vars(module)}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # still empty
            continue
    for name, value in values.items():
        inner = getattr(value, "py_func", value)
        if isinstance(inner, FunctionType):
            found[name] = (fingerprint(inner.__code__), "a function")
            _follow(inner, found, seen)
        elif not isinstance(value, ModuleType | type):
            found[name] = (fingerprint(value), _text(value))


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"a {type(value).__name__}"
