"""Tuples of arrays and numbers that compiled functions pass as one pointer.

The tree, the scratch of a simulation and the settings are about two hundred words. Numba passes a named tuple word by
word in each call, and spends much of its compile time on that. A packed tuple is one pointer to a struct of the same
words. `unpacked` copies the struct into the function that Python calls: once all others are inlined into that one, LLVM
keeps the words in registers as if they had been passed one by one. Functions called by address, once per simulation,
read the original, word by word where they need one: copying it all would take a tenth of their time.
"""

import inspect
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    register_model,
    typeof_impl,
    unbox,
)

from .jit import COMPILED, apart, inlined

C = TypeVar("C", bound=type[tuple[Any, ...]])
F = TypeVar("F", bound=Callable[..., Any])


class Packed(types.Type):  # type: ignore[misc]  # Numba is untyped
    """The type of a packed tuple with fields of these types."""

    def __init__(self, instance: type[tuple[Any, ...]], fields: tuple[Any, ...]) -> None:
        self.instance, self.fields = instance, dict(zip(instance._fields, fields, strict=True))  # type: ignore[attr-defined]
        super().__init__(f"{instance.__name__}({', '.join(map(str, fields))})")

    @property
    def mangling_args(self) -> tuple[str, tuple[()]]:
        return f"{self.instance.__name__}{zlib.crc32(self.name.encode()):08x}", ()

    def place(self, name: str) -> int:
        return list(self.fields).index(name)


@register_model(Packed)
class _PackedModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Packed) -> None:
        members = [manager.lookup(field).get_value_type() for field in kind.fields.values()]
        # The last word is the address of the original struct. Functions that are called by address get that one: if
        # they could see the copy that `unpacked` makes, LLVM could not keep it in registers.
        super().__init__(manager, kind, ir.PointerType(ir.LiteralStructType([*members, ir.IntType(64)])))


@infer_getattr
class _Attributes(AttributeTemplate):  # type: ignore[misc]
    key = Packed

    def generic_resolve(self, kind: Packed, name: str) -> Any:
        return kind.fields.get(name)


@lower_getattr_generic(Packed)  # type: ignore[untyped-decorator]
def _load(context: Any, builder: Any, kind: Packed, value: Any, name: str) -> Any:
    word = builder.load(cgutils.gep_inbounds(builder, value, 0, kind.place(name)))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))  # LLVM need not load it again after a store
    return word


@unbox(Packed)  # type: ignore[untyped-decorator]
def _unbox(kind: Packed, value: Any, c: Any) -> Any:
    struct = cgutils.alloca_once(c.builder, c.context.get_value_type(kind).pointee)
    failed = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    cleanups = []
    for at, field in enumerate(kind.fields.values()):
        item = c.pyapi.tuple_getitem(value, at)
        native = c.unbox(field, item)
        c.builder.store(native.value, cgutils.gep_inbounds(c.builder, struct, 0, at))
        with c.builder.if_then(native.is_error):
            c.builder.store(cgutils.true_bit, failed)
        if native.cleanup is not None:
            cleanups.append(native.cleanup)

    origin = c.builder.ptrtoint(struct, ir.IntType(64))
    c.builder.store(origin, cgutils.gep_inbounds(c.builder, struct, 0, len(kind.fields)))

    def cleanup() -> None:
        for clean in reversed(cleanups):
            clean()

    return NativeValue(_hidden(c.builder, struct), is_error=c.builder.load(failed), cleanup=cleanup)


def _hidden(builder: Any, pointer: Any) -> Any:
    """A pointer of unknown origin to LLVM, so that it moves no load of a word before the word is stored."""
    place = cgutils.alloca_once(builder, pointer.type)
    builder.store(pointer, place).volatile = True
    shown = builder.load(place)
    shown.volatile = True
    return shown


def origin_of(builder: Any, kind: Packed, value: Any) -> Any:
    """The pointer to the original of a packed tuple, as Python passed it."""
    return builder.inttoptr(builder.load(cgutils.gep_inbounds(builder, value, 0, len(kind.fields))), value.type)


@intrinsic  # type: ignore[untyped-decorator]
def _copied(typing: Any, value: Any) -> Any:
    """A copy of the tuple, on the stack of the calling function."""
    if not isinstance(value, Packed):
        return None

    def copy(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        struct = cgutils.alloca_once(builder, arguments[0].type.pointee)
        builder.store(builder.load(arguments[0]), struct)
        return struct

    return value(value), copy


@intrinsic  # type: ignore[untyped-decorator]
def _original(typing: Any, value: Any) -> Any:
    """Of a packed tuple the original; other values are left as they are."""

    def give(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return origin_of(builder, value, arguments[0]) if isinstance(value, Packed) else arguments[0]

    return value(value), give


def called(function: F) -> F:
    """Compile a function of the core together with its callers, but as a function that they call.

    For what runs rarely or is called from many places: inlined, it would make each caller larger and slower to compile.
    It gets the originals of packed tuples: a copy whose address is passed on would not be kept in registers.
    """
    if not COMPILED:
        return function
    names = list(inspect.signature(function).parameters)
    scope = {"inner": apart(function), "original": _original}
    exec(
        f"def {function.__name__}({', '.join(names)}):\n"
        f"    return inner({', '.join(f'original({name})' for name in names)})\n",
        scope,
    )
    scope[function.__name__].__module__ = function.__module__
    return inlined(scope[function.__name__])  # type: ignore[no-any-return]


unpacked: Any = _copied if COMPILED else (lambda value: value)


def packed(cls: C) -> C:
    """Decorate a named tuple so that compiled functions get it as one pointer."""

    @typeof_impl.register(cls)  # type: ignore[untyped-decorator]
    def typeof(value: Any, c: Any) -> Any:
        fields = tuple(typeof_impl(field, c) for field in value)
        return None if None in fields else Packed(cls, fields)

    return cls
