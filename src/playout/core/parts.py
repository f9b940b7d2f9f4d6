"""Parts of a search that are classes with compiled functions: compiled like a game's rules, called by address.

What the kernel calls is made around a part's functions (`core/choose.py`, `core/backup.py`), compiled for itself and
kept on disk, so that a new part compiles nothing else. The part's settings and tables are a record beside the tree, its
columns are words beside the edges (`core/columns.py`).
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import typeof, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from .backup import Updates, make_back_up, make_show
from .choose import Functions, make_choose, make_preparation, make_split
from .columns import NONE, column_moves, new_edge, record_view
from .guard import guarded, is_proven
from .jit import COMPILED, OPTIONS, address, compile_part, fingerprint, inlined
from .pack import origin_of
from .params import OPEN, TREE
from .rules import BACK_UP, CHOOSE, RuleCompileError, reason_of, where_of


class Part:
    """The functions of one part's class, and the layout of what it keeps. Settings are data: one serves them all."""

    def __init__(
        self,
        name: str,
        functions: dict[str, Callable[..., Any]],
        record: np.dtype[Any],
        columns: np.dtype[Any] = NONE,
        **facts: Any,
    ) -> None:
        self.name, self.functions, self.record, self.columns, self.facts = name, functions, record, columns, facts
        self.guard = not all(is_proven(function) for function in functions.values())
        self.made: dict[Any, Any] = {}  # the machine code lives as long as its dispatcher

    @property
    def traits(self) -> tuple[Any, ...]:
        """What tells the code that is made of it apart, for the cache on disk."""
        functions = [self.functions[name] for name in sorted(self.functions)]
        facts = sorted(self.facts.items())
        return (self.record.descr, self.columns.descr if self.columns.names else (), self.guard, facts, *functions)

    def ready(self, name: str) -> Any:
        """A function as others are compiled around it."""
        function = self.functions[name]
        if not COMPILED:
            return function
        options = {**OPTIONS, "forceinline": True}
        return guarded(function, **options) if self.guard else numba.njit(**options)(function)


def choose_entry(policy: Part, topology: int, waiting: bool, shown: bool, arrays: tuple[Any, ...]) -> Any:
    """What the rules table holds for the choice at a node; in a graph it is that of a tree."""
    topology = OPEN if topology == OPEN else TREE

    def make() -> Callable[..., Any]:
        prepares, splits = "prepare" in policy.functions, "terms" in policy.functions and shown
        given: dict[str, Any] = {
            "score": policy.ready("score"),
            "settings": record_view(policy.record),
            "prepare": policy.ready("prepare") if prepares else make_preparation(),
            "split": _splitter(policy.ready("terms"), policy.facts["terms"]) if splits else make_split(),
        }
        if policy.columns.names:
            given |= {"slate": new_edge(policy.columns), "show": _shower(policy.columns)}
        facts = policy.facts
        return make_choose(
            Functions(**given), topology, waiting, facts["scores_unvisited"], facts["asks_first"], policy.guard, shown
        )

    return _entry((policy,), ("choose", topology, waiting, shown), make, arrays)


def back_up_entry(backup: Part, policy: Part, topology: int, waiting: bool, arrays: tuple[Any, ...]) -> Any:
    """What the rules table holds for the way back from a leaf to the root."""
    parts = (backup, policy) if "update" in policy.functions else (backup,)

    def make() -> Callable[..., Any]:
        each = [
            Updates(
                part.ready("update"),
                record_view(part.record),
                new_edge(part.columns),
                make_show(),
                *column_moves(part.columns),
            )
            for part in parts
        ]
        return make_back_up(each[0], each[1] if len(each) > 1 else None, topology, waiting, backup.facts["plain_mean"])

    return _entry(parts, ("back_up", topology, waiting), make, arrays)


def _splitter(terms: Any, count: int) -> Any:
    """As `make_split` of `core/choose.py`, by a policy's own terms."""
    places = ", ".join(f"out[row, at, {k}]" for k in range(count)) + ("," if count == 1 else "")
    scope = {"terms": terms}
    exec(
        f"def split(out, row, at, policy, node, edge, shared, got):\n"
        f"    {places} = terms(policy, node, edge, shared)\n",
        scope,
    )
    return inlined(scope["split"])


def _shower(columns: np.dtype[Any]) -> Any:
    """What adds a part's columns to what is seen of an edge."""
    load, _ = column_moves(columns)

    def show(slate, seen, tree, row):
        slate.visits, slate.pending, slate.value, slate.spread = seen.visits, seen.pending, seen.value, seen.spread
        slate.prior, slate.action, slate.proven = seen.prior, seen.action, np.int64(seen.proven)
        load(slate, tree.policy_columns, row)
        return slate

    return inlined(show)


def _entry(parts: tuple[Part, ...], kind: tuple[Any, ...], make: Callable[[], Any], arrays: tuple[Any, ...]) -> Any:
    """What `make` gives, compiled: its address, or uncompiled the function itself."""
    made, key = parts[0].made, (*kind, *(id(part) for part in parts[1:]))
    if key not in made:
        made[key] = (_compiled(parts, kind, make, arrays), parts)  # the others must live as long as the code
    return address(made[key][0]) if COMPILED else _quiet(made[key][0])


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        with np.errstate(all="ignore"):  # as compiled
            return function(*given)

    return call


def _compiled(parts: tuple[Part, ...], kind: tuple[Any, ...], make: Callable[[], Any], arrays: tuple[Any, ...]) -> Any:
    if not COMPILED:
        return make()
    signature = types.int64(*(typeof(each) for each in arrays), types.int64, types.int64, types.int64)
    try:
        # Not before: a helper or a constant may be defined after the class.
        key = fingerprint(kind, *(part.traits for part in parts))
        return compile_part(make(), signature, f"{parts[0].name}.{'-'.join(map(str, kind))}", key)
    except Exception as error:  # Numba's are of many kinds
        functions = [(name, function) for part in parts for name, function in part.functions.items()]
        wrong = next((f for name, f in functions if f"'{name}'" in str(error)), functions[-1][1])
        raise RuleCompileError(wrong.__name__, *where_of(error, wrong), reason_of(error)) from error


def _caller(index: int) -> Any:
    """An intrinsic `call(rules, params, tree, work, a, b, c)` for what a part was made into."""

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        table = make_array(sig.args[0])(context, builder, values[0])
        slot = builder.gep(table.data, [context.get_constant(types.intp, index)])
        wanted = (*sig.args[1:4], types.int64, types.int64, types.int64)
        function_type = context.call_conv.get_function_type(types.int64, wanted)
        pointer = builder.inttoptr(builder.load(slot), function_type.as_pointer())
        passed = [origin_of(builder, kind, value) for kind, value in zip(sig.args[1:4], values[1:4], strict=True)]
        passed += [
            context.cast(builder, value, kind, types.int64)
            for kind, value in zip(sig.args[4:], values[4:], strict=True)
        ]
        status, result = context.call_conv.call_function(builder, pointer, types.int64, wanted, passed)
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result

    def call(typingctx: Any, rules: Any, params: Any, tree: Any, work: Any, a: Any, b: Any, c: Any) -> Any:
        return types.int64(rules, params, tree, work, a, b, c), codegen

    return intrinsic(call)


def _python_caller(index: int) -> Any:
    return lambda rules, *rest: rules[index](*rest)


call_choose, call_back_up = ((_caller if COMPILED else _python_caller)(index) for index in (CHOOSE, BACK_UP))
