"""Eight float32 numbers at once: vector code that needs neither `fastmath` nor luck with the compiler.

A value of the type `Lanes` is one LLVM vector. Each lane is computed as a float32 by itself, in the order written, so
that plain NumPy on slices of eight gives the same bits; uncompiled, it does the work.
"""

import ctypes
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model
from numba.np.arrayobj import make_array, populate_array

from .jit import COMPILED

WIDTH = 8
_VECTOR = ir.VectorType(ir.FloatType(), WIDTH)
_SCALARS = types.Array(types.float32, 1, "C")


class LanesType(types.Type):  # type: ignore[misc]  # Numba is untyped
    """Eight float32 numbers."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]  # Numba is untyped
    def __init__(self, manager: Any, kind: LanesType) -> None:
        super().__init__(manager, kind, _VECTOR)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _VECTOR.as_pointer())


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _lanes_at(typingctx: Any, array: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        loaded = builder.load(_pointer(context, builder, signature.args[0], *values))
        loaded.align = 4  # of a float: an array may begin anywhere
        return loaded

    return LANES(array, types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _put_lanes(typingctx: Any, array: Any, at: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        builder.store(values[2], _pointer(context, builder, signature.args[0], *values[:2])).align = 4
        return context.get_dummy_value()

    return types.void(array, types.int64, lanes), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _plus(typingctx: Any, one: Any, other: Any) -> Any:
    return LANES(one, other), lambda context, builder, signature, values: builder.fadd(*values)


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _times(typingctx: Any, one: Any, other: Any) -> Any:
    return LANES(one, other), lambda context, builder, signature, values: builder.fmul(*values)


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _clipped(typingctx: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        least, most = ir.Constant(_VECTOR, [0.0] * WIDTH), ir.Constant(_VECTOR, [1.0] * WIDTH)
        found = builder.select(builder.fcmp_ordered(">", values[0], least), values[0], least)
        return builder.select(builder.fcmp_ordered("<", found, most), found, most)

    return LANES(lanes), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _no_lanes(typingctx: Any) -> Any:
    return LANES(), lambda context, builder, signature, values: ir.Constant(_VECTOR, [0.0] * WIDTH)


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _sum_of(typingctx: Any, lanes: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        index = ir.IntType(32)
        parts = [builder.extract_element(values[0], index(i)) for i in range(WIDTH)]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [builder.fadd(parts[i], parts[i + half]) for i in range(half)]
        return parts[0]

    return types.float32(lanes), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _array_at(typingctx: Any, address: Any, length: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pointer = builder.inttoptr(values[0], ir.FloatType().as_pointer())
        return _as_array(context, builder, _SCALARS, pointer, values[1])

    return _SCALARS(types.int64, types.int64), codegen


def _as_array(context: Any, builder: Any, kind: Any, pointer: Any, length: Any) -> Any:
    array, size = make_array(kind)(context, builder), context.get_constant(types.intp, 4)
    populate_array(array, pointer, (length,), (size,), size, None)
    return array._getvalue()


def _on_stack(kind: Any, most: int) -> Any:
    """An intrinsic that gives an array of up to `most` entries on the stack of the function that calls it."""
    array_type = types.Array(kind, 1, "C")

    @intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
    def on_stack(typingctx: Any, length: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            pointer = cgutils.alloca_once(builder, context.get_value_type(kind), size=most)
            return _as_array(context, builder, array_type, pointer, values[0])

        return array_type(types.int64), codegen

    return on_stack


def stack_array(kind: Any, most: int) -> Any:
    """A function of a length, up to `most`, that gives such an array of float32 or int32, not filled, for as long as
    the function that calls it runs. Kernels can't allocate."""
    if COMPILED:
        return _on_stack(kind, most)
    return lambda length: np.empty(length, np.float32 if kind is types.float32 else np.int32)


# The same, uncompiled.


def _py_put(array: Any, at: Any, lanes: Any) -> None:
    array[at : at + WIDTH] = lanes


def _py_sum(lanes: Any) -> Any:
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    return lanes[0]


def _py_clipped(lanes: Any) -> Any:
    return np.minimum(np.maximum(lanes, np.float32(0)), np.float32(1))


def _py_array_at(address: Any, length: Any) -> Any:
    memory = (ctypes.c_float * int(length)).from_address(int(address))
    return np.frombuffer(memoryview(memory).cast("B"), np.float32)


lanes_at = _lanes_at if COMPILED else lambda array, at: array[at : at + WIDTH]
put_lanes = _put_lanes if COMPILED else _py_put
plus = _plus if COMPILED else lambda one, other: one + other
times = _times if COMPILED else lambda one, other: one * other
clipped = _clipped if COMPILED else _py_clipped  # to 0 to 1
no_lanes = _no_lanes if COMPILED else lambda: np.zeros(WIDTH, np.float32)
sum_of = _sum_of if COMPILED else _py_sum  # of all eight: halves are added until one is left
array_at = _array_at if COMPILED else _py_array_at  # float32[length] at an address
