"""Policies and backups: compiled like a game's rules and called by address.

A kernel is made around a part's functions (`core/choose.py`, `core/backup.py`), compiled on its own and cached on disk,
so that a new part compiles nothing else. The part's settings and tables are a record beside the tree, its columns are
words beside the edges (`core/columns.py`).
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import typeof

from .backup import Updates, make_back_up, make_show
from .choose import Functions, make_choose, make_preparation, make_split
from .columns import AMAF_FIELDS, BELOW, NONE, WDL, column_moves, new_edge, new_record, record_view
from .compile_errors import RuleCompileError, reason_of, where_of
from .guard import guarded
from .jit import COMPILED, OPTIONS, address, compile_part, inlined
from .params import SHARED
from .part_calls import signature_of
from .references import fingerprint, is_proven
from .rules import BACK_UP, CHOOSE, DESCEND
from .select import make_descend


class PartCode:
    """The functions of one policy or backup class, and the layout of its data. It serves all settings of that class."""

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
        self.made: dict[Any, Any] = {}  # keeps the dispatchers alive, and with them the machine code

    @property
    def looks_below(self) -> bool:
        """Whether `update` sees the best of a column below the edge."""
        return bool(self.facts.get("below", -1) >= 0)

    @property
    def shown(self) -> np.dtype[Any]:
        """What a choice sees of an edge beside its fields: the columns, and the statistics of its action."""
        return np.dtype([*_described(self.columns), *AMAF_FIELDS]) if self.facts.get("amaf") else self.columns

    @property
    def told(self) -> np.dtype[Any]:
        """What `update` sees of an edge beside its fields: the columns, and what lies below."""
        return np.dtype([*_described(self.columns), (BELOW, np.float64)]) if self.looks_below else self.columns

    @property
    def traits(self) -> tuple[Any, ...]:
        """Everything the compiled code depends on, for its key in the disk cache."""
        functions = [self.functions[name] for name in sorted(self.functions)]
        facts = sorted(self.facts.items())
        return (self.record.descr, _described(self.columns), self.guard, facts, *functions)

    def ready(self, name: str) -> Any:
        """A function of the part, ready to be inlined into a kernel."""
        function = self.functions[name]
        if not COMPILED:
            return function
        options = {**OPTIONS, "forceinline": True}
        return guarded(function, **options) if self.guard else numba.njit(**options)(function)


def choose_entry(
    policy: PartCode, topology: int, waiting: int, shown: bool, arrays: tuple[Any, ...], draws: bool = False
) -> tuple[int, Any]:
    """An entry of the rules table, (its index, the entry): the way down to a leaf, with the policy's choices.

    Where threads share a node, it is the choice there alone. `draws`: the game's actions are drawn.
    """
    index = CHOOSE if waiting == SHARED else DESCEND

    def make() -> Callable[..., Any]:
        prepares, splits = "prepare" in policy.functions, "terms" in policy.functions and shown
        facts = policy.facts
        given: dict[str, Any] = {
            "score": policy.ready("score"),
            "settings": record_view(policy.record),
            "prepare": make_preparation(policy.ready("prepare") if prepares else None),
            "split": _splitter(policy.ready("terms"), policy.facts["terms"]) if splits else make_split(),
        }
        if policy.shown.names:
            given |= {"slate": new_edge(policy.shown), "show": _shower(policy)}
        if facts["looks"]:
            given |= {"prepare": new_record(np.dtype(facts["shared"])), "look": policy.ready("look")}
        of_policy = (facts["scores_unvisited"], facts["asks_first"], facts["looks"], policy.guard)
        choose = make_choose(Functions(**given), topology, waiting, *of_policy, shown, draws)
        return make_descend(choose, topology, waiting, facts["amaf"], draws)

    kind = (index, topology, waiting, shown, "draws") if draws else (index, topology, waiting, shown)
    return index, _entry((policy,), kind, make, arrays)


def back_up_entry(
    backup: PartCode, policy: PartCode, topology: int, waiting: int, counts: bool, arrays: tuple[Any, ...]
) -> Any:
    """The entry of the rules table for the backup from a leaf to the root; `counts`: of wins, draws and losses, too."""
    parts = (backup, policy) if "update" in policy.functions else (backup,)
    beside = len(WDL) if counts else 0

    def make() -> Callable[..., Any]:
        each = [
            Updates(
                part.ready("update"),
                record_view(part.record),
                new_edge(part.told),
                make_show(part.looks_below),
                *column_moves(part.columns, beside if part is backup else 0),
            )
            for part in parts
        ]
        notes = each[1] if len(each) > 1 else None
        mean, word, wins = backup.facts["plain_mean"], backup.facts["below"], len(backup.columns.names or ())
        return make_back_up(each[0], notes, topology, waiting, mean, word, wins if counts else -1)

    return _entry(parts, (BACK_UP, topology, waiting, counts), make, arrays)


def _splitter(terms: Any, count: int) -> Any:
    """Like `make_split` of `core/choose.py`, but with the policy's own terms."""
    places = ", ".join(f"out[row, at, {k}]" for k in range(count)) + ("," if count == 1 else "")
    scope = {"terms": terms}
    exec(
        f"def split(out, row, at, policy, node, edge, shared, got):\n"
        f"    {places} = terms(policy, node, edge, shared)\n",
        scope,
    )
    return inlined(scope["split"])


def _described(layout: np.dtype[Any]) -> list[Any]:
    """The fields of a dtype; of none, `descr` would name an empty one."""
    return list(layout.descr) if layout.names else []


def _shower(policy: PartCode) -> Any:
    """A function that adds a policy's columns to its view of an edge, and the statistics of the edge's action."""
    load, _ = column_moves(policy.columns)
    amaf = bool(policy.facts.get("amaf"))

    def show(slate, seen, tree, row, work, i):
        slate.visits, slate.pending, slate.value, slate.spread = seen.visits, seen.pending, seen.value, seen.spread
        slate.prior, slate.action, slate.proven = seen.prior, seen.action, np.int64(seen.proven)
        load(slate, tree.policy_columns, row)
        if amaf:
            slate.amaf_visits, slate.amaf_value = np.int64(work.amaf[i, 0]), work.amaf[i, 1]
        return slate

    return inlined(show)


def _entry(parts: tuple[PartCode, ...], kind: tuple[Any, ...], make: Callable[[], Any], arrays: tuple[Any, ...]) -> Any:
    """The address of what `make` returns, compiled; uncompiled, the function itself."""
    made, key = parts[0].made, (*kind, *(id(part) for part in parts[1:]))
    if key not in made:
        made[key] = (_compiled(parts, kind, make, arrays), parts)  # the code needs the other parts alive
    return address(made[key][0]) if COMPILED else _quiet(made[key][0])


def _quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any) -> Any:
        with np.errstate(all="ignore"):  # like compiled code
            return function(*given)

    return call


def _compiled(
    parts: tuple[PartCode, ...], kind: tuple[Any, ...], make: Callable[[], Any], arrays: tuple[Any, ...]
) -> Any:
    if not COMPILED:
        return make()
    signature = signature_of(kind[0], tuple(typeof(each) for each in arrays))
    try:
        # Only now: a helper or a constant may be defined after the class.
        key = fingerprint(kind, *(part.traits for part in parts))
        return compile_part(make(), signature, f"{parts[0].name}.{'-'.join(map(str, kind))}", key)
    except Exception as error:  # Numba raises many kinds
        functions = [(name, function) for part in parts for name, function in part.functions.items()]
        wrong = next((f for name, f in functions if f"'{name}'" in str(error)), functions[-1][1])
        raise RuleCompileError(wrong.__name__, *where_of(error, wrong), reason_of(error)) from error
