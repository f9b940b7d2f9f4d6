"""The constants of a game: a record beside the state, which rules read as further fields of `state` and never write.

What a whole search shares (a matrix of distances, the durations of all jobs) would make each state large, and compiled
into the rules it would mean compiling for each instance. It lies in a record instead, whose address is an entry of the
rules table. Kernels pass it after a rule's other arguments. A game without constants ignores that argument, as every C
calling convention allows. A game with constants gets an entry function for each rule, which joins the two records.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import typing
from numba.core.errors import TypingError
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    register_model,
)


class StateType(types.Type):  # type: ignore[misc]  # Numba is untyped
    """Two records as one value: the state, and the constants."""

    def __init__(self, record: Any, constants: Any) -> None:
        self.record, self.constants = record, constants
        super().__init__(name=f"RecordWithConstants({record.name}, {constants.name})")

    @property
    def mangling_args(self) -> tuple[str, tuple[Any, ...]]:
        return "RecordWithConstants", (self._code,)


@register_model(StateType)
class _StateModel(models.StructModel):  # type: ignore[misc]  # Numba is untyped
    def __init__(self, manager: Any, kind: StateType) -> None:
        super().__init__(manager, kind, [("record", kind.record), ("constants", kind.constants)])


@infer_getattr
class _StateAttribute(AttributeTemplate):  # type: ignore[misc]  # Numba is untyped
    key = StateType

    def generic_resolve(self, kind: StateType, name: str) -> Any:
        if name not in kind.constants.fields:
            return kind.record.typeof(name)
        found = kind.constants.typeof(name)
        return types.Array(found.dtype, found.ndim, "C", readonly=True) if isinstance(found, types.Array) else found


@lower_getattr_generic(StateType)  # type: ignore[untyped-decorator]  # Numba is untyped
def _read_field(context: Any, builder: Any, kind: StateType, value: Any, name: str) -> Any:
    is_constant = name in kind.constants.fields
    owner = kind.constants if is_constant else kind.record
    pointer = builder.extract_value(value, int(is_constant))
    return context.get_getattr(owner, name)(context, builder, owner, pointer, name)


@lower_setattr_generic(StateType)  # type: ignore[untyped-decorator]  # Numba is untyped
def _write_field(context: Any, builder: Any, signature: Any, values: Any, name: str) -> Any:
    kind, given = signature.args
    if name in kind.constants.fields:
        raise TypingError(f"`{name}` is one of the constants, which rules can't change")
    pointer = builder.extract_value(values[0], 0)
    write = context.get_setattr(name, typing.signature(types.none, kind.record, given))
    return write(builder, (pointer, values[1]))


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def joined(typingctx: Any, state: Any, constants: Any) -> Any:
    """A state and the game's constants as one value of `StateType`."""
    kind = StateType(state, constants)

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        pair = context.make_helper(builder, kind)
        pair.record, pair.constants = values
        return pair._getvalue()

    return kind(state, constants), codegen


def make_entry(function: Any, count: int) -> Callable[..., Any]:
    """A function as kernels call it, with the constants after its `count` arguments; the first one is the state."""
    names = "".join(f"a{i}, " for i in range(1, count))
    scope = {"joined": joined, "function": function, "__name__": __name__}  # the disk cache asks for its module
    exec(f"def entry(state, {names}constants): return function(joined(state, constants), {names})", scope)
    made: Callable[..., Any] = scope["entry"]
    return made


def make_network_entry(function: Any, count: int, has_constants: bool) -> Callable[..., Any]:
    """A rule of a network as kernels call it: after its `count` arguments, the constants and the network's facts."""
    names = "".join(f"a{i}, " for i in range(1, count))
    state = "joined(state, constants)" if has_constants else "state"
    scope = {"joined": joined, "function": function, "__name__": __name__}  # the disk cache asks for its module
    exec(f"def entry(state, {names}constants, facts): return function({state}, {names}facts)", scope)
    made: Callable[..., Any] = scope["entry"]
    return made


class _Record(np.record):  # type: ignore[misc]  # NumPy's stubs call its base final
    """A state whose constants can be read like its fields."""

    _constants: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._constants:
            raise AttributeError(f"`{name}` is one of the constants, which rules can't change")
        super().__setattr__(name, value)


def record_with(record: np.dtype[Any], constants: Any) -> np.dtype[Any]:
    """The dtype of a state for Python: its records also have the fields of `constants`, a read-only record."""
    names = constants.dtype.names
    kind = type("record", (_Record,), {"_constants": names} | {name: constants[name] for name in names})
    return np.dtype((kind, record))
