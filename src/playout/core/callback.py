"""Compiled code that calls Python, for games made of Python objects.

A rule is compiled once and calls the function whose address is in its state. Compiled, that is a ctypes callback, which
takes the GIL itself; uncompiled, the address is looked up in a table.
"""

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from .jit import COMPILED

SIGNATURE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
FAILED = -1  # what a callback returns after an exception

_python_functions: dict[int, Callable[[int, int], int]] = {}


class CallbackError(Exception):
    """A Python function that compiled code called has raised; the game keeps the exception."""


def make_callback(function: Callable[[int, int], int]) -> tuple[Any, int]:
    """A C function of two int64 that calls `function`: (the object that keeps it alive, its address)."""
    callback = SIGNATURE(function)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    if not COMPILED:
        _python_functions[address] = function
    return callback, address


if COMPILED:

    @intrinsic  # type: ignore[untyped-decorator]
    def call_back(typingctx: Any, address: Any, first: Any, second: Any) -> Any:
        """Call the C function at `address` with two int64."""

        def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            word = ir.IntType(64)
            pointer = builder.inttoptr(values[0], ir.FunctionType(word, [word, word]).as_pointer())
            return builder.call(pointer, values[1:])

        return types.int64(types.int64, types.int64, types.int64), codegen

    def _reader(kind: Any, width: int) -> Any:
        @intrinsic  # type: ignore[untyped-decorator]
        def read(typingctx: Any, address: Any, index: Any) -> Any:
            def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
                offset = builder.mul(values[1], ir.Constant(ir.IntType(64), width))
                pointer = builder.inttoptr(builder.add(values[0], offset), context.get_value_type(kind).as_pointer())
                return builder.load(pointer)

            return kind(types.int64, types.int64), codegen

        return read

    read_float, read_int = _reader(types.float64, 8), _reader(types.int32, 4)

    @intrinsic  # type: ignore[untyped-decorator]
    def write_float(typingctx: Any, address: Any, index: Any, value: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            offset = builder.mul(values[1], ir.Constant(ir.IntType(64), 8))
            pointer = builder.inttoptr(builder.add(values[0], offset), ir.DoubleType().as_pointer())
            builder.store(values[2], pointer)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.float64), codegen
else:

    def call_back(address: int, first: int, second: int) -> int:
        return _python_functions[int(address)](int(first), int(second))

    def read_float(address: int, index: int) -> float:
        return ctypes.c_double.from_address(int(address) + 8 * index).value

    def read_int(address: int, index: int) -> int:
        return ctypes.c_int32.from_address(int(address) + 4 * index).value

    def write_float(address: int, index: int, value: float) -> None:
        ctypes.c_double.from_address(int(address) + 8 * index).value = value
