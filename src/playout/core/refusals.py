"""What users' rules can't do, found before they are compiled: get round the guard (`core/guard.py`), or recurse."""

import dis
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba.core.ccallback import CFunc
from numba.core.extending import _Intrinsic
from numba.experimental.jitclass.base import JitClassType
from numba.np.ufunc.dufunc import DUFunc
from numba.np.ufunc.gufunc import GUFunc
from numba.stencils.stencil import StencilFunc

from .references import calls_in, helper_of, is_users_own, line_of, overloads_of, steps_in, values_in

# Arrays from an address or with strides of their own.
UNCHECKED = {"as_strided": np.lib.stride_tricks.as_strided, "carray": numba.carray, "farray": numba.farray}
# What Numba's decorators make of a function, other than `numba.njit`.
COMPILED_OTHERWISE: dict[Any, str] = {
    GUFunc: "@numba.guvectorize",
    DUFunc: "@numba.vectorize",
    CFunc: "@numba.cfunc",
    StencilFunc: "@numba.stencil",
    _Intrinsic: "@intrinsic",
    JitClassType: "@jitclass",
}


def refuse_unchecked(function: FunctionType) -> None:
    """Reject what gets round the guard: ways to arrays whose indices Numba does not check, and helpers that are
    compiled in other ways than by `numba.njit` or `register_jitable`, which can't be copied guarded.
    """
    found = [(line_of(step, function), step.argval) for step in steps_in(function.__code__) if _loads_unchecked(step)]
    for line, value in values_in(function):
        if name := next((name for name, unchecked in UNCHECKED.items() if value is unchecked), None):
            found.append((line, name))
    if found:
        line, name = found[0]
        what = "`.flat`" if name == "flat" else f"`{name}`"
        raise ValueError(
            f"{what} can't be checked for indices past the end; index the array itself\n{_place(function, line)}"
        )
    for line, value in values_in(function):
        if how := _compiled_otherwise(value):
            raise ValueError(
                f"`{getattr(value, '__name__', 'a helper')}` is compiled by {how}, and neither its indices nor its "
                f"loops can be checked; write it as a function with @numba.njit above it\n{_place(function, line)}"
            )


def _loads_unchecked(step: dis.Instruction) -> bool:
    return step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in ("flat", *UNCHECKED)


def _compiled_otherwise(value: Any) -> str | None:
    """The decorator of a user's own function that Numba compiles without a guarded copy; None for any other value."""
    inner = getattr(value, "__wrapped__", None) or getattr(value, "_pyfunc", None) or value
    inner = getattr(inner, "py_func", inner)
    if isinstance(inner, FunctionType) and not is_users_own(inner):
        return None
    if how := next((how for kind, how in COMPILED_OTHERWISE.items() if isinstance(value, kind)), None):
        return how
    if isinstance(value, FunctionType) and overloads_of(value) and not helper_of(value):
        return "@overload"
    return None


def _place(function: FunctionType, line: int) -> str:
    return f'File "{function.__code__.co_filename}", line {line}'


def refuse_recursion(function: Callable[..., Any]) -> None:
    """Reject recursion: if endless, it crashes the process when it runs, or already when Numba infers its types."""
    done: set[int] = set()

    def follow(caller: FunctionType, path: list[FunctionType]) -> None:
        for line, callee in calls_in(caller):
            if any(callee is other for other in path):
                first, *others = [f"`{other.__name__}`" for other in path[path.index(callee) :]]
                how = f"{first} calls {', which calls '.join([*others, first]) if others else 'itself'}"
                place = _place(caller, line)
                raise ValueError(f"{how}, and recursion has no limit in compiled rules; write it as a loop\n{place}")
            if id(callee) not in done:
                follow(callee, [*path, callee])
        done.add(id(caller))

    first: Any = getattr(function, "py_func", function)
    follow(first, [first])
