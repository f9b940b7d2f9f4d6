"""Atomic operations on arrays and on fields of records, for threads that share a tree (`core/shared.py`).

Numba has none on the CPU: each is an intrinsic of one LLVM instruction. Uncompiled, threads run one after the other
(`search/crew.py`), and plain Python does.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .jit import COMPILED


class Place:
    """Where an operation works: an element of an array, or a field of a record in it."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any, field: str | None) -> None:
        self.context, self.builder, self.signature, self.values = context, builder, signature, values
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, values[0])
        index = context.cast(builder, values[1], signature.args[1], types.intp)
        self.kind, self.pointer = (
            kind.dtype,
            cgutils.get_item_pointer(context, builder, kind, array, [index], wraparound=False),
        )
        if field is not None:
            self.kind = kind.dtype.typeof(field)
            first = builder.bitcast(self.pointer, ir.IntType(8).as_pointer())
            at = builder.gep(first, [context.get_constant(types.intp, kind.dtype.offset(field))])
            self.pointer = builder.bitcast(at, context.get_value_type(self.kind).as_pointer())

    def argument(self, number: int) -> Any:
        return self.context.cast(self.builder, self.values[number], self.signature.args[number], self.kind)


def _operation(emit: Callable[[Place], Any], result: Any, field: str | None, arguments: int) -> Any:
    """An intrinsic `do(array, index, …)` with this many further arguments; without a `result`, it returns the old
    value."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return emit(Place(context, builder, signature, values, field))

    def returned(array: Any) -> Any:
        return result or (array.dtype if field is None else array.dtype.typeof(field))

    def none(typingctx: Any, array: Any, index: Any) -> Any:
        return returned(array)(array, index), codegen

    def one(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
        return returned(array)(array, index, value), codegen

    def two(typingctx: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
        return returned(array)(array, index, old, new), codegen

    return intrinsic((none, one, two)[arguments])


def _load(at: Place) -> Any:
    return at.builder.load_atomic(at.pointer, "acquire", at.kind.bitwidth // 8)


def _add(at: Place) -> Any:
    return at.builder.atomic_rmw("add", at.pointer, at.argument(2), "acq_rel")


def _swap(at: Place) -> Any:
    tried = at.builder.cmpxchg(at.pointer, at.argument(2), at.argument(3), "acq_rel", "acquire")
    return at.builder.extract_value(tried, 1)


def _store(at: Place) -> Any:
    at.builder.store_atomic(at.argument(2), at.pointer, "release", at.kind.bitwidth // 8)
    return at.context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]
def _call(typingctx: Any, address: Any) -> Any:
    """Call the C function without arguments at an address."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        function = ir.FunctionType(ir.IntType(32), []).as_pointer()
        builder.call(builder.inttoptr(values[0], function), [])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


def _python_load(array: Any, index: int) -> Any:
    return array[index]


def _python_add(array: Any, index: int, value: int) -> Any:
    before = array[index]
    array[index] += value
    return before


def _python_swap(array: Any, index: int, old: int, new: int) -> bool:
    if array[index] != old:
        return False
    array[index] = new
    return True


def _python_store(array: Any, index: int, value: int) -> None:
    array[index] = value


def _of_field(operation: Callable[..., Any], field: str) -> Any:
    return lambda records, *rest: operation(records[field], *rest)


load: Any = _operation(_load, None, None, 0) if COMPILED else _python_load
"""`load(array, index)`: what is read after it was not read before; so whoever stored this value is seen to have stored
what it stored before."""
add: Any = _operation(_add, None, None, 1) if COMPILED else _python_add
"""`add(array, index, value)`: add to an element; returns what it was before."""
swap: Any = _operation(_swap, types.boolean, None, 2) if COMPILED else _python_swap
"""`swap(array, index, old, new)`: put `new` where `old` is; returns whether it was."""
store: Any = _operation(_store, types.void, None, 1) if COMPILED else _python_store
"""`store(array, index, value)`: whoever sees this value sees what was stored before it, too."""
swap_lock: Any = _operation(_swap, types.boolean, "parents", 2) if COMPILED else _of_field(_python_swap, "parents")
store_lock: Any = _operation(_store, types.void, "parents", 1) if COMPILED else _of_field(_python_store, "parents")
load_child: Any = _operation(_load, None, "child", 0) if COMPILED else _of_field(_python_load, "child")
store_child: Any = _operation(_store, types.void, "child", 1) if COMPILED else _of_field(_python_store, "child")
give_way: Any = _call if COMPILED else (lambda address: None)
