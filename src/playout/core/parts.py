"""Parts of a search that are classes with compiled functions: compiled like a game's rules, called by address.

A part's settings are a record, its functions see nodes and edges as in `core/views.py`. What the kernel calls is made
around them (`core/choose.py`), compiled for itself and kept on disk, so that a new part compiles nothing else.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import from_dtype, typeof, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from .choose import make_choose, make_choose_open, make_terms, no_preparation
from .guard import guarded, is_proven
from .jit import COMPILED, OPTIONS, address, compile_part, fingerprint
from .pack import origin_of
from .rules import CHOOSE, STATE, RuleCompileError, reason_of, where_of

IN_TREE, WAITING, OPEN, TERMS = "choose", "choose_waiting", "choose_open", "terms"  # what is made of a policy


class PolicyPart:
    """The functions of one policy's class. One instance serves every instance of the class: settings are data."""

    def __init__(
        self, name: str, functions: dict[str, Callable[..., Any]], record: np.dtype[Any], scores_unvisited: bool
    ) -> None:
        self.name, self.functions, self.scores_unvisited = name, functions, scores_unvisited
        self.record = np.dtype((np.record, record))
        self.guard = not all(is_proven(function) for function in functions.values())
        self._made: dict[str, Any] = {}  # the machine code lives as long as its dispatcher

    def entry(self, kind: str, params: Any, tree: Any, work: Any) -> Any:
        """What the rules table holds for the choice: an address, or uncompiled a function."""
        if kind not in self._made:
            counts = (types.int64, types.int64, types.int64)
            self._made[kind] = self._compiled(kind, types.int64, params, tree, work, *counts)
        return address(self._made[kind]) if COMPILED else self._on_bytes(self._made[kind])

    def terms(self, policy: Any, params: Any, tree: Any, number: int, rng: Any, out: Any) -> None:
        """As `make_terms` has it."""
        if TERMS not in self._made:
            self._made[TERMS] = self._compiled(TERMS, types.void, params, tree, types.int64, rng, out)
        self._made[TERMS](self.view(policy), params, tree, number, rng, out)

    def _on_bytes(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(policy: Any, *rest: Any) -> Any:
            with np.errstate(all="ignore"):  # as compiled
                return function(self.view(policy), *rest)

        return call

    def view(self, policy: Any) -> Any:
        """A policy's settings as its functions see them. A plain record, uncompiled, has attributes of its own, too."""
        record = policy.view(self.record)[0]
        return record if COMPILED else SimpleNamespace(**{name: record[name] for name in self.record.names or ()})

    def _make(self, kind: str, prepare: Any = no_preparation, *, score: Any) -> Callable[..., Any]:
        if kind == TERMS:
            return make_terms(prepare, score, self.scores_unvisited)
        if kind == OPEN:
            return make_choose_open(prepare, score, self.scores_unvisited, self.guard)
        return make_choose(prepare, score, self.scores_unvisited, kind == WAITING, self.guard)

    def _compiled(self, kind: str, result: Any, *given: Any) -> Any:
        if not COMPILED:
            return self._make(kind, **self.functions)
        options = {**OPTIONS, "forceinline": True}
        kinds = [each if isinstance(each, types.Type) else typeof(each) for each in given]
        signature = result(from_dtype(self.record), *kinds)
        try:
            inner = {
                name: guarded(function, **options) if self.guard else numba.njit(**options)(function)
                for name, function in self.functions.items()
            }
            # Not before: a helper or a constant may be defined after the class.
            functions = [self.functions[name] for name in sorted(self.functions)]
            key = fingerprint(self.record.descr, self.scores_unvisited, kind, self.guard, *functions)
            return compile_part(self._make(kind, **inner), signature, f"{self.name}.{kind}", key)
        except Exception as error:  # Numba's are of many kinds
            wrong = next((f for n, f in self.functions.items() if f"'{n}'" in str(error)), self.functions["score"])
            raise RuleCompileError(wrong.__name__, *where_of(error, wrong), reason_of(error)) from error


def _caller() -> Any:
    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        table = make_array(sig.args[0])(context, builder, values[0])
        slot = builder.gep(table.data, [context.get_constant(types.intp, CHOOSE)])
        wanted = (STATE, *sig.args[2:5], types.int64, types.int64, types.int64)
        function_type = context.call_conv.get_function_type(types.int64, wanted)
        pointer = builder.inttoptr(builder.load(slot), function_type.as_pointer())
        data = make_array(sig.args[1])(context, builder, values[1]).data
        passed = [builder.bitcast(data, ir.PointerType(context.get_value_type(STATE).pointee))]
        passed += [origin_of(builder, kind, value) for kind, value in zip(sig.args[2:5], values[2:5], strict=True)]
        passed += [
            context.cast(builder, value, kind, types.int64)
            for kind, value in zip(sig.args[5:], values[5:], strict=True)
        ]
        status, result = context.call_conv.call_function(builder, pointer, types.int64, wanted, passed)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result

    def call_choose(
        typingctx: Any, rules: Any, policy: Any, params: Any, tree: Any, work: Any, n: Any, d: Any, f: Any
    ) -> Any:
        return types.int64(rules, policy, params, tree, work, n, d, f), codegen

    return intrinsic(call_choose)


def _python_caller(rules: Any, policy: Any, *rest: Any) -> Any:
    return rules[CHOOSE](policy, *rest)


call_choose = _caller() if COMPILED else _python_caller
