"""What rules use from outside of the state: randomness, and globals that may change after the rules are compiled."""

import dis
import random
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from playout.core.compile_rules import Rules
from playout.core.references import names_in, referenced


def random_source(function: Any, seen: set[int] | None = None) -> str:
    """The source of randomness that a function's code, or that of a helper it calls, refers to; "" if none."""
    seen = set() if seen is None else seen
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return ""
    seen.add(id(function))
    names = set(names_in(function.__code__))
    values = [function.__globals__[name] for name in sorted(names) if name in function.__globals__]
    for value in (*values, *(cell.cell_contents for cell in function.__closure__ or ())):
        if isinstance(value, ModuleType):
            if value.__name__ in ("random", "numpy.random", "secrets"):
                return f"the module {value.__name__}"
            if value is np and "random" in names:
                return "np.random"
        elif isinstance(getattr(value, "__self__", value), random.Random | np.random.Generator | np.random.RandomState):
            return f"the random generator behind {getattr(value, '__name__', 'a global')}"
        elif found := random_source(value, seen):
            return found
    return ""


def changed_globals(rules: Rules, rule: str) -> Iterator[tuple[str, str]]:
    """Globals that a compiled rule refers to and that have changed since it was compiled: the name, and how."""
    now = referenced(rules.functions[rule])
    for name, (mark, text) in rules.frozen.get(rule, {}).items():
        new_mark, new_text = now.get(name, ("", "nothing"))
        if new_mark == mark:
            continue
        if new_text == text:
            yield name, "has changed since the rule was compiled"
        else:
            yield name, f"was {text} when the rule was compiled and is {new_text} now"


def written_globals(function: Any) -> Iterator[tuple[str, str]]:
    """Globals that a rule refers to and that a function of its module assigns: the name, and where."""
    function = getattr(function, "py_func", function)
    stores: dict[str, str] = {}
    for value in list(function.__globals__.values()):
        if getattr(value, "__module__", None) == function.__module__:
            for code in _codes(value):
                for name in _stored(code):
                    stores.setdefault(name, f"{code.co_name} ({code.co_filename}:{code.co_firstlineno})")
    for name in referenced(function) if stores else ():
        if name in stores:
            yield name, f"is assigned in {stores[name]}"


def _codes(value: Any) -> Iterator[CodeType]:
    parts = vars(value).values() if isinstance(value, type) else (value,)
    for part in parts:
        inner = getattr(part, "fget", None) or getattr(part, "__func__", part)
        inner = getattr(inner, "py_func", inner)
        if isinstance(inner, FunctionType):
            yield inner.__code__


def _stored(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "STORE_GLOBAL":
            yield str(instruction.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _stored(constant)
