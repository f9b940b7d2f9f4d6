"""Calls the functions of a policy or backup, uncompiled and compiled, and records what they change."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from playout.core.columns import BELOW, EDGE_FIELDS, Fields
from playout.core.jit import COMPILED
from playout.core.views import EdgeView, NodeView
from playout.core.watchdog import NeverReturnedError
from playout.parts.faults import larger_records_may_stand_in, not_compiled

from .notes import Notes
from .part_cases import Edge

SEED = 12345


@dataclass
class Given:
    """What a function is called with; `got` and `below` are for `update` only, `turn` for `look`."""

    record: bytes
    edge: Edge | None = None
    node: NodeView | None = None
    shared: float | bytes = 0.0  # a number, or the bytes of a record
    seed: int = SEED
    got: float = 0.0
    below: float = 0.0  # for an `update` that looks below
    turn: int = 0


@dataclass
class PartAnswer:
    """What a function returned, and the record and edge afterwards."""

    value: Any
    record: bytes
    edge: dict[str, Any]
    drew: bool  # whether it drew a random number
    shared: dict[str, Any]  # the record that a `look` fills; empty if there is none
    shared_bytes: bytes = b""


class PartAsker:
    """The functions of one part in one game."""

    def __init__(self, part: Any, game: Any, notes: Notes) -> None:
        self.part, self.cls, self.notes = part, type(part), notes
        self.code = part.code(game)
        self.names = [name for name in self.cls._signatures if hasattr(self.cls, name)]
        self.compiled: dict[str, Any] = {}
        self.shared = np.dtype(list(self.code.facts.get("shared", [])))
        self.asked = 0
        if COMPILED:
            reason = not_compiled(self.cls, self.code)
            if reason is None:
                self.compiled = {name: self.code.ready(name) for name in self.names}
            else:
                rule, _, what = reason.partition(".")[2].partition(" ")
                notes.note("not-compiled", rule.rstrip(","), reason=what)

    def ask(self, name: str, given: Given, asked: str) -> PartAnswer:
        """Call uncompiled; an exception is a finding and ends this case."""
        self.asked += 1
        record = np.frombuffer(given.record, np.uint8).copy()
        edge, rng = self._plain_edge(name, given), np.array([given.seed], np.uint64)
        shared = self._shared_record(given)
        settings, passed = Fields(record.view(self.code.record)[0]), None if shared is None else Fields(shared[0])
        seen = self._arguments(name, settings, given, edge, rng, passed)
        try:
            value = self.notes.watchdog.call(getattr(self.cls, name), *seen)
        except AttributeError as error:
            if "can't set attribute" in str(error):
                self.notes.fail("writes", name, what="a field of `edge` or `node`", asked=asked)
            self.notes.raised(name, error, f"called with {asked}")
        except (Exception, NeverReturnedError) as error:  # noqa: BLE001  # a user's function may raise anything
            self.notes.raised(name, error, f"called with {asked}")
        after = dict(vars(edge)) if isinstance(edge, SimpleNamespace) else {}
        return PartAnswer(value, record.tobytes(), after, int(rng[0]) != given.seed, *_written_in(shared))

    def ask_compiled(self, name: str, given: Given) -> PartAnswer | None:
        """Call the compiled function; None if there is none."""
        if name not in self.compiled:
            return None
        record = np.frombuffer(given.record, np.uint8).copy()
        edge, rng = self._compiled_edge(name, given), np.array([given.seed], np.uint64)
        settings, shared = record.view(np.dtype((np.record, self.code.record)))[0], self._shared_record(given)
        passed = None if shared is None else shared.view(np.dtype((np.record, self.shared)))[0]
        seen = self._arguments(name, settings, given, edge, rng, passed)
        with larger_records_may_stand_in():
            value = self.compiled[name](*seen)
        after = {field: edge[field] for field in edge.dtype.names or ()} if isinstance(edge, np.record) else {}
        return PartAnswer(value, record.tobytes(), after, int(rng[0]) != given.seed, *_written_in(shared))

    def _shared_record(self, given: Given) -> Any:
        """An array of the one record that a `look` fills; None where the edges share a number."""
        return np.frombuffer(given.shared, self.shared).copy() if isinstance(given.shared, bytes) else None

    def _arguments(self, name: str, settings: Any, given: Given, edge: Any, rng: Any, record: Any) -> tuple[Any, ...]:
        shared = np.float64(given.shared) if record is None else record
        return {
            "score": (settings, given.node, edge, shared, rng),
            "prepare": (settings, given.node, rng),
            "look": (settings, given.node, edge, shared, np.int64(given.turn)),
            "terms": (settings, given.node, edge, shared),
            "update": (settings, edge, np.float64(given.got)),
        }[name]

    def _plain_edge(self, name: str, given: Given) -> Any:
        """An edge as the uncompiled search passes it: writable for `update`, or if there are columns."""
        if given.edge is None:
            return None
        fields = self.fields(name, given)
        if name == "update" or self.code.shown.names:
            return SimpleNamespace(**fields, **self.columns(given.edge))
        return EdgeView(**{**fields, "proven": False})

    def _compiled_edge(self, name: str, given: Given) -> Any:
        if given.edge is None or not (name == "update" or self.code.shown.names):
            return self._plain_edge(name, given)
        columns = self.code.told if name == "update" else self.code.shown
        layout = [*EDGE_FIELDS, *((column, columns[column]) for column in columns.names or ())]
        array = np.zeros(1, np.dtype((np.record, np.dtype(layout))))
        for field, value in {**self.fields(name, given), **self.columns(given.edge)}.items():
            array[field] = value
        return array[0]

    def fields(self, name: str, given: Given) -> dict[str, Any]:
        """What a function sees of an edge beside its columns, by name."""
        seen = given.edge.fields() if given.edge is not None else {}
        if name != "update" and self.code.facts.get("amaf") and given.edge is not None:
            seen |= given.edge.statistics()
        return {**seen, BELOW: np.float64(given.below)} if name == "update" and self.code.looks_below else seen

    def columns(self, edge: Edge) -> dict[str, Any]:
        """The columns of an edge, by name."""
        names = self.code.columns.names or ()
        numbers = edge.columns or (0,) * len(names)
        return {name: self.code.columns[name].type(n) for name, n in zip(names, numbers, strict=True)}


def _written_in(shared: Any) -> tuple[dict[str, Any], bytes]:
    """The numbers of a shared record, and its bytes."""
    if shared is None:
        return {}, b""
    return {name: shared[name][0] for name in shared.dtype.names}, shared.tobytes()
