"""Messages for wrong functions of policies and backups: which one, where, what it did, what was expected."""

import contextlib
import dis
import functools
import re
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import from_dtype, typeof, types
from numba.core.errors import NumbaExperimentalFeatureWarning, NumbaTypeSafetyWarning

from playout.common.arguments import did_you_mean
from playout.core.columns import EDGE_FIELDS
from playout.core.compile_errors import reason_of, where_of
from playout.core.parts import PartCode as Code
from playout.core.tree import ROOT
from playout.core.views import EdgeView, NodeView
from playout.errors import SettingsError

NODE = NodeView(*(np.int64(1),) * 2, *(np.float64(1),) * 3, np.int64(0), np.int64(1))
EDGE = EdgeView(*(np.int64(1),) * 2, *(np.float64(1),) * 3, np.int64(0), False)
NUMBERS = (int, float, np.integer, np.floating, np.bool_)


# Uncompiled: what a function returns or writes is checked at once.


def checked(cls: type[Any], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A part's function with a check of what it returns or writes, as strict as compiled code."""
    if name == "update":
        return _checked_update(cls, function)
    if name == "look":
        return function  # it returns nothing, and its record takes numbers only

    @functools.wraps(function)
    def call(*seen: Any) -> Any:
        got = function(*seen)
        if wrong := wrong_answer(cls, name, got):
            raise SettingsError(f"{cls.__name__}.{name} returned {got!r:.60}, {wrong}")
        return got

    call.py_func = function  # type: ignore[attr-defined]  # for its file and line
    return call


def _checked_update(cls: type[Any], function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def update(part: Any, edge: Any, got: Any) -> None:
        known = set(vars(edge))
        function(part, edge, got)
        if new := set(vars(edge)) - known:
            raise SettingsError(
                f"{cls.__name__}.update writes `edge.{min(new)}`, which is neither a field nor a column; "
                f"declare it in `columns`"
            )
        for name, value in vars(edge).items():
            if not isinstance(value, NUMBERS):
                raise SettingsError(f"{cls.__name__}.update set `edge.{name}` to {value!r:.60}, expected a number")

    update.py_func = function  # type: ignore[attr-defined]
    return update


def wrong_answer(cls: type[Any], name: str, got: Any) -> str:
    """What was expected instead of an answer; empty if it is right."""
    if name == "terms":
        if not isinstance(got, tuple) or len(got) != len(cls.term_names):
            return f"expected {_expected_terms(cls)}"
        wrong = [
            f"'{n}' is {term!r:.60}"
            for n, term in zip(cls.term_names, got, strict=True)
            if not isinstance(term, NUMBERS)
        ]
        return f"and {wrong[0]}, expected {_expected_terms(cls)}" if wrong else ""
    return "" if isinstance(got, NUMBERS) else "expected a number"


def _expected_terms(cls: type[Any]) -> str:
    """What `terms` must return.

    >>> _expected_terms(type("Mine", (), {"term_names": ("value",)}))
    "a tuple of 1 number, one for each of term_names ('value',)"
    """
    count = len(cls.term_names)
    return f"a tuple of {count} number{'s' * (count != 1)}, one for each of term_names {cls.term_names}"


# Compiled: a function that raises, or that Numba can't compile.


def raised_in(parts: Iterable[Any], error: BaseException) -> tuple[str, str] | None:
    """The function of a part that raised an exception, as `Class.function`, and the line; None if none did.

    It is found by file and line, since the names of frames in compiled code are not reliable.
    """
    for frame in traceback.extract_tb(error.__traceback__):
        for part in parts:
            for name in part._signatures:
                code = getattr(getattr(part, name, None), "__code__", None)
                if code is not None and code.co_filename == frame.filename and frame.lineno in _lines_of(code):
                    return f"{type(part).__name__}.{name}", f"{frame.filename}:{frame.lineno}"
    return None


def _lines_of(code: Any) -> set[int | None]:
    return {line for _, _, line in code.co_lines()}


@contextlib.contextmanager
def larger_records_may_stand_in() -> Iterator[None]:
    """While compiling parts, reuse helpers made for one record for another record that starts with the same fields.

    Numba warns that this is experimental. It is safe here, since a record is passed by its address. Numba's warning of
    an unsafe cast is left out, too: where the cast can't work, the error says so.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
        warnings.simplefilter("ignore", NumbaTypeSafetyWarning)
        yield


@larger_records_may_stand_in()
def not_compiled(cls: type[Any], code: Code) -> str | None:
    """Why a part's functions can't be compiled: the first such function, its line and the reason; None if all can.

    Each is compiled on its own, so that the error does not come from the code generated around it.
    """
    for name, function in code.functions.items():
        here, start = f"{cls.__name__}.{name}", function.__code__
        try:
            made = code.ready(name)
            made.compile(arguments_of(code, name))
        except Exception as error:  # noqa: BLE001  # Numba raises many kinds
            file, line = where_of(error, function)
            file = start.co_filename if Path(file).resolve() == Path(start.co_filename).resolve() else file
            return f"{here} can't be compiled, at {file}:{line}: {_reason(function, name, code, error)}"
        answer = made.overloads[arguments_of(code, name)].signature.return_type
        if wrong := _wrong_type(cls, name, answer):
            return f"{here}, at {start.co_filename}:{start.co_firstlineno}, {wrong}"
    return None


def arguments_of(code: Code, name: str) -> tuple[Any, ...]:
    """The argument types that a part's function is compiled for."""
    part, edge = _record(code.record), _record(np.dtype([*EDGE_FIELDS, *_fields(code.shown)]))
    told = _record(np.dtype([*EDGE_FIELDS, *_fields(code.told)]))
    rng = types.Array(types.uint64, 1, "C")
    seen = edge if code.shown.names else typeof(EDGE)
    shared = _record(np.dtype(code.facts["shared"])) if code.facts.get("shared") else types.float64
    return {
        "score": (part, typeof(NODE), seen, shared, rng),
        "prepare": (part, typeof(NODE), rng),
        "look": (part, typeof(NODE), seen, shared, types.int64),
        "terms": (part, typeof(NODE), seen, shared),
        "update": (part, told, types.float64),
    }[name]


def _record(layout: np.dtype[Any]) -> Any:
    return from_dtype(np.dtype((np.record, layout)))


def _fields(layout: np.dtype[Any]) -> list[tuple[str, Any]]:
    return [(name, layout[name]) for name in layout.names or ()]


def _wrong_type(cls: type[Any], name: str, answer: Any) -> str:
    """What is wrong with the return type; empty if it is right."""
    if name in ("update", "look"):
        return ""
    if name == "terms":
        if not isinstance(answer, types.BaseTuple):
            return f"returns {_named(answer)}, expected {_expected_terms(cls)}"
        if len(answer) != len(cls.term_names):
            return f"returns {len(answer)} value{'s' * (len(answer) != 1)}, expected {_expected_terms(cls)}"
        wrong = [(n, term) for n, term in zip(cls.term_names, answer, strict=True) if not _is_number(term)]
        return f"returns {_named(wrong[0][1])} as '{wrong[0][0]}', expected {_expected_terms(cls)}" if wrong else ""
    if _is_number(answer):
        return ""
    if isinstance(answer, types.Optional):
        return "returns nothing on some path, expected a number on every path"
    return f"returns {_named(answer)}, expected a number"


def _is_number(kind: Any) -> bool:
    return isinstance(kind, types.Integer | types.Float | types.Boolean)


def _named(kind: Any) -> str:
    if isinstance(kind, types.NoneType):
        return "nothing"
    return "a string" if isinstance(kind, types.UnicodeType | types.StringLiteral) else f"a value of type {kind}"


def _reason(function: Callable[..., Any], name: str, code: Code, error: Exception) -> str:
    """The reason in terms of parts if it is a known one, otherwise as for rules."""
    text = str(error)
    if found := re.search(r"No definition for lowering (?:Edge|Node)View\(.*?\)\.(\w+) =", text):
        return (
            f"it writes `{_owner(function, found[1])}.{found[1]}`, but `{name}` must not write; store data about an "
            f"edge in a column, and write it in `update`"
        )
    unknown = error.args[0] if isinstance(error, KeyError) else None
    if found := re.search(r"Unknown attribute '(\w+)' of type (?:Edge|Node)View", text):
        unknown = found[1]
    if unknown is None:
        return reason_of(error)
    owner = _owner(function, unknown)
    edge = [*EdgeView._fields, *((code.told if name == "update" else code.shown).names or ())]
    settings = [field for field in code.record.names or () if field != "none"]
    shared = [field for field, *_ in code.facts.get("shared", [])]
    known = {"node": list(NodeView._fields), "edge": edge, "shared": shared}
    fields = {**known, function.__code__.co_varnames[0]: settings}.get(owner, [])
    listed = f" (it has: {', '.join(fields) or 'nothing'})"
    return f"`{owner}` has no `{unknown}`{listed}{did_you_mean(unknown, fields)}"


def _owner(function: Callable[..., Any], attribute: str) -> str:
    """The name of the object whose attribute is used."""
    before = ""
    for step in dis.get_instructions(function):
        if step.argval == attribute and step.opname in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD"):
            return before
        before = str(step.argval)
    return "its argument"


def wrong_score(runner: Any, depth: int) -> str:
    """Message for a score that is not a number: of which edge, where, and what it was asked with."""
    policy = type(runner.settings.policy).__name__
    where = f"at a node of {runner.game.title}"
    with contextlib.suppress(Exception):  # the place is a help; without it the message is true as well
        where = _edge_without_score(runner, depth) or where
    return f"{policy}.score gave nan {where}; return a number for every edge (po.check_part finds such cases)"


def _edge_without_score(runner: Any, depth: int) -> str:
    tree, work, position, number = runner.tree, runner.work, runner.position, ROOT
    if runner.params.open_loop:
        return ""
    for e in work.path_edges[:depth].tolist():
        position, number = position.play(int(tree.edges[e]["action"])), abs(int(tree.edges[e]["child"]))
    node, row = tree.nodes[number], min(depth, len(work.scores) - 1)
    at = int(np.flatnonzero(np.isnan(work.scores[row, : int(node["count"])]))[0])
    edge = tree.edges[int(node["first_edge"]) + at]
    action = position.action_text(int(edge["action"]))
    return (
        f"for action {action} in {position.text or 'the start'} (visits {edge['visits']}, value {edge['value']:.4g}, "
        f"prior {edge['prior']:.4g})"
    )
