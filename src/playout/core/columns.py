"""The data of a policy or backup: a record with its settings and tables, and columns beside the edges.

The tree stores both as bytes and words. Here they become what the part's functions see: a record with fields, and an
edge that has the part's columns among its fields. All fields have eight bytes, float64 or int64.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from .jit import COMPILED

EDGE_FIELDS = [
    ("visits", np.int64),
    ("pending", np.int64),
    ("value", np.float64),
    ("spread", np.float64),
    ("prior", np.float64),
    ("action", np.int64),
    ("proven", np.int64),
]
NAMES = tuple(name for name, _ in EDGE_FIELDS)
AMAF_FIELDS = [("amaf_visits", np.int64), ("amaf_value", np.float64)]  # likewise, for a policy that asks for `amaf`
BELOW = "below"  # a further field, behind the columns, for the `update` of a backup that asks for it
WDL = ("wins", "draws", "losses")  # counts, whole numbers behind a backup's own columns, where the settings ask
WORD = 8
NONE = np.dtype([])


class Fields:
    """A part's record, uncompiled: its fields are attributes, which can be read and written."""

    def __init__(self, record: Any) -> None:
        object.__setattr__(self, "_record", record)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._record[name]
        except ValueError:
            raise AttributeError(f"a part's record has no '{name}'") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self._record[name] = value


def record_view(record: np.dtype[Any]) -> Callable[..., Any]:
    """A function that views an array of bytes as a record."""
    if not COMPILED:
        return lambda data: Fields(data.view(record)[0])
    kind = from_dtype(np.dtype((np.record, record)))

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        data = make_array(sig.args[0])(context, builder, values[0]).data
        return builder.bitcast(data, context.get_value_type(kind))

    def as_record(typingctx: Any, data: Any) -> Any:
        return kind(data), codegen

    return intrinsic(as_record)  # type: ignore[no-any-return]


def new_record(record: np.dtype[Any]) -> Callable[..., Any]:
    """A function of anything that makes an empty record on the stack."""
    if not COMPILED:
        return lambda *_: Fields(np.zeros(1, record)[0])
    kind = from_dtype(np.dtype((np.record, record)))

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        words = ir.ArrayType(ir.IntType(64), kind.size // WORD)
        place = cgutils.alloca_once(builder, words)
        builder.store(ir.Constant(words, None), place)
        return builder.bitcast(place, context.get_value_type(kind))

    def empty(typingctx: Any, policy: Any, node: Any, rng: Any) -> Any:
        return kind(policy, node, rng), codegen

    return intrinsic(empty)  # type: ignore[no-any-return]


def new_edge(columns: np.dtype[Any]) -> Callable[..., Any]:
    """A function that makes an edge with these columns: a record on the stack."""
    if not COMPILED:
        return SimpleNamespace
    kind = _edge_type(columns)

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        words = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), kind.size // WORD))
        return builder.bitcast(words, context.get_value_type(kind))

    def edge(typingctx: Any) -> Any:
        return kind(), codegen

    return intrinsic(edge)  # type: ignore[no-any-return]


def _edge_type(columns: np.dtype[Any]) -> Any:
    return from_dtype(np.dtype((np.record, np.dtype([*EDGE_FIELDS, *columns.descr] if columns.names else EDGE_FIELDS))))


def column_moves(columns: np.dtype[Any], beside: int = 0) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Two functions `(edge, words, row)` that load and store the columns of an edge made by `new_edge`.

    A row below zero loads zeros. `beside` words of a row come after the columns, and are left alone.
    """
    names = columns.names or ()
    if not COMPILED:

        def load(edge: Any, words: Any, row: Any) -> None:
            for i, name in enumerate(names):
                word = words[row, i : i + 1] if row >= 0 else np.zeros(1, np.int64)
                setattr(edge, name, word.view(columns[name])[0])

        def store(edge: Any, words: Any, row: Any) -> None:
            for i, name in enumerate(names):
                words[row, i : i + 1].view(columns[name])[0] = getattr(edge, name)

        return load, store
    width = len(names) + beside
    return _word_mover(len(names), width, into_tree=False), _word_mover(len(names), width, into_tree=True)


def _word_mover(count: int, width: int, into_tree: bool) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        word = ir.IntType(64).as_pointer()
        inside = builder.gep(builder.bitcast(values[0], word), [context.get_constant(types.intp, len(NAMES))])
        data = builder.bitcast(make_array(sig.args[1])(context, builder, values[1]).data, word)
        row = context.cast(builder, values[2], sig.args[2], types.intp)
        zero = context.get_constant(types.intp, 0)
        none = builder.icmp_signed("<", row, zero)
        row = builder.select(none, zero, row)
        outside = builder.gep(data, [builder.mul(row, context.get_constant(types.intp, width))])
        source, target = (inside, outside) if into_tree else (outside, inside)
        for i in range(count):
            at = [context.get_constant(types.intp, i)]
            word = builder.load(builder.gep(source, at))
            builder.store(word if into_tree else builder.select(none, zero, word), builder.gep(target, at))
        return context.get_dummy_value()

    def move(typingctx: Any, edge: Any, words: Any, row: Any) -> Any:
        return types.void(edge, words, row), codegen

    return intrinsic(move)
