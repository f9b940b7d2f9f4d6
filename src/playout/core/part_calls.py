"""Calls of the kernels made for a policy and a backup (`core/parts.py`), by their addresses in the rules table.

A small file on its own, because the kernels that call them are also what they are made of.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

from .jit import COMPILED
from .pack import Packed, origin_of
from .rules import BACK_UP, CHOOSE, DESCEND, call_entry

TABLE = types.Array(types.int64, 1, "C")
# What each returns, and how many whole numbers it takes after the rules table, settings, tree and scratch.
RESULTS = {CHOOSE: types.int64, BACK_UP: types.int64, DESCEND: types.UniTuple(types.int64, 3)}
NUMBERS = {CHOOSE: 3, BACK_UP: 3, DESCEND: 4}


def signature_of(index: int, packed: tuple[Any, ...]) -> Any:
    """The signature of the kernel at `rules[index]`, given the types of settings, tree and scratch."""
    return RESULTS[index](TABLE, *packed, *[types.int64] * NUMBERS[index])


def _caller(index: int) -> Any:
    """An intrinsic `call(rules, params, tree, work, …)` for the kernel at `rules[index]`."""

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        wanted = signature_of(index, sig.args[1:4])
        passed = [
            origin_of(builder, given, value) if isinstance(given, Packed) else context.cast(builder, value, given, want)
            for given, want, value in zip(sig.args, wanted.args, values, strict=True)
        ]
        return call_entry(context, builder, sig.args[0], values[0], index, wanted, passed)

    def typer(typingctx: Any, *args: Any) -> Any:
        return RESULTS[index](*args), codegen

    names = ", ".join(f"a{i}" for i in range(4 + NUMBERS[index]))
    scope = {"typer": typer}
    exec(f"def call(typingctx, {names}): return typer(typingctx, {names})", scope)  # intrinsics need named parameters
    return intrinsic(scope["call"])


def _python_caller(index: int) -> Any:
    return lambda rules, *rest: rules[index](rules, *rest)


_make = _caller if COMPILED else _python_caller
call_choose, call_back_up, call_descend = (_make(index) for index in (CHOOSE, BACK_UP, DESCEND))
