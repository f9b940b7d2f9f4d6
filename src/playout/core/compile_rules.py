"""Compile a game's functions into a rules table (`core/rules.py`).

Rules that did not come with Playout are guarded (`core/guard.py`) and their answers checked
(`core/checked_rules.py`).
"""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import register_jitable

from .checked_rules import CHECKS, UNDECLARED_CODES, make_code, make_hash, make_observe
from .compile_errors import RuleCompileError, reason_of, where_of
from .constants import StateType, make_entry, make_network_entry, record_with
from .draws import lists_nothing, make_drawn_apply
from .evaluate import make_playout
from .fast import FACTS, MAKERS, make_active
from .guard import guarded
from .jit import COMPILED, OPTIONS, address, compile_function, compile_part
from .learned import pair_bits_for
from .policy_playout import make_policy_playout
from .references import fingerprint, is_proven, referenced
from .rules import (
    CONSTANTS,
    NAMES,
    NETWORK,
    OF_ROWS,
    PLAYOUT,
    POLICY_PLAYOUT,
    RECORDED_PLAYOUT,
    SIGNATURES,
    TABLE_SIZE,
    with_entry,
)

PLAYOUTS = {"playout": PLAYOUT, "policy_playout": POLICY_PLAYOUT}
PLAYOUTS |= dict.fromkeys(("recorded_playout", "mast_playout", "nst_playout"), RECORDED_PLAYOUT)


class Rules:
    """The functions of one game, compiled when they are first needed.

    `functions` has the game's own functions by name, `record` is the dtype of its state. One instance serves every
    instance of the game's class, since a game's settings are data; if the game has `constants` (their dtype), each
    instance has its own by `with_constants`.
    """

    def __init__(
        self,
        functions: dict[str, Callable[..., Any]],
        record: np.dtype[Any],
        players: int,
        max_actions: int,
        planes: tuple[int, ...] = (),
        action_codes: int = 0,
        constants: np.dtype[Any] | None = None,
        action_width: int = 0,
    ):
        self.draws, self.lists, self.width = action_width > 0, "legal_actions" in functions, action_width
        if self.draws and not self.lists:
            functions = functions | {"legal_actions": lists_nothing}
        self.functions, self.players, self.max_actions = functions, players, max_actions
        self.record = np.dtype((np.record, record))
        self.planes, self._declared_codes = planes, action_codes
        self._layouts = [np.dtype((np.record, kind)) for kind in (record, constants) if kind is not None]
        self.constants: Any = None  # a record, read-only
        layout: tuple[Any, ...] = record.descr, players, max_actions, planes, action_codes
        layout += () if constants is None else (constants.descr,)
        layout += (action_width,) if action_width else ()
        # For the disk cache. A rule's own does not change with the other rules: games that share it compile it once.
        self._key = fingerprint(layout, *(functions[name] for name in sorted(functions)))
        self._keys = {name: fingerprint(layout, function) for name, function in functions.items()}
        self.guard = not all(is_proven(function) for function in functions.values())
        # The length of buffers for actions, with room to spare where an index past the end would not be caught.
        self.room = max_actions if self.guard else 2 * max_actions + 64
        self._address = 0  # of the constants
        self._compiled: dict[str, Any] = {}  # keeps the dispatchers alive, and with them the machine code
        self._tables: dict[tuple[bool, tuple[str, ...]], Any] = {}
        self.frozen: dict[str, dict[str, tuple[str, str]]] = {}  # by rule: the globals when it was compiled

    @property
    def codes(self) -> int:
        """Room for the codes of a player, a power of two: the kernels get 0 to `codes` - 1."""
        return 1 << (self._declared_codes - 1).bit_length() if self._declared_codes else UNDECLARED_CODES

    def with_constants(self, constants: Any) -> "Rules":
        """The same rules for these constants, an array with one record; nothing is compiled again."""
        found = copy.copy(self)
        constants.flags.writeable = False
        found.constants, found._tables = constants.view(np.dtype((np.record, constants.dtype)))[0], {}
        found._address = constants.ctypes.data  # `constants` stays alive as the base of its record
        found.record = record_with(self.record, found.constants)
        return found

    def table(self, guided: bool = False, wanted: tuple[str, ...] = ()) -> Any:
        """The rules table, read-only: what every search needs, and the optional rules named in `wanted`."""
        if (guided, wanted) not in self._tables:
            self._tables[guided, wanted] = self._make_table(guided, wanted)
        return self._tables[guided, wanted]

    def _make_table(self, guided: bool, wanted: tuple[str, ...]) -> Any:
        names = ["current_player", "legal_actions", "apply"]
        if "chance_outcomes" in self.functions:
            names.append("chance_outcomes")
        names += [n for n in wanted if (n in self.functions and n not in PLAYOUTS) or n == "action_code"]
        playouts = [name for name in PLAYOUTS if name in wanted]
        if COMPILED:
            table = np.zeros(TABLE_SIZE, np.int64)
            for name in names:
                table[NAMES.index(name)] = address(self._entry(self._checked(name), name, name))
            for name in playouts:
                kind = f"guided_{name}" if guided else name
                table[PLAYOUTS[name]] = address(self._entry(self._playout(guided, name), kind, NAMES[PLAYOUTS[name]]))
            table[CONSTANTS] = self._address
            return table
        entries: list[Any] = [None] * TABLE_SIZE
        for name in names:
            function = self._checked(name)
            if name == "observe":
                function = make_observe(function, self.planes)
            elif name == "hash":
                function = make_hash(function)
            entries[NAMES.index(name)] = self._on_bytes(function)
        for name in playouts:
            entries[PLAYOUTS[name]] = self._on_bytes(self._playout(guided, name))
        return tuple(entries)

    def with_network(self, table: Any, facts: Any) -> Any:
        """A copy of a table whose `evaluate` and `priors` are a network's (`core/fast.py`); `facts` is an array with
        one record, which must stay alive."""
        for name, base in (("evaluate", "base_value"), ("priors", "base_policy")):
            entry = self._network_entry(name, based=bool(facts[base][0]))
            table = with_entry(table, NAMES.index(name), address(entry) if COMPILED else self._on_bytes(entry, facts))
        return with_entry(table, NETWORK, facts.ctypes.data) if COMPILED else table

    def _network_entry(self, name: str, based: bool) -> Any:
        kind = f"{'based' if based else 'network'}_{name}"
        if kind not in self._compiled:
            listed = make_active(self._part("features"), self.guard)
            index = self._part("action_index") if "action_index" in self.functions else None
            if COMPILED:
                listed = register_jitable(listed)
            own = self._checked(name) if based else None
            known = self._part("is_known") if "is_known" in self.functions else None
            made = MAKERS[name](self.players, self.guard, self._part("current_player"), listed, index, own, known)
            if COMPILED:
                kinds, signature = list(map(from_dtype, self._layouts)), SIGNATURES[name]
                made = make_network_entry(register_jitable(made), len(signature.args), len(kinds) == 2)
                exact = signature.return_type(kinds[0], *signature.args[1:], kinds[-1], from_dtype(FACTS))
                key = fingerprint(self._key, made, kind, repr(OPTIONS), self.guard)
                made = compile_part(made, exact, f"rules.{kind}", key)
            self._compiled[kind] = made
        return self._compiled[kind]

    def view(self, buffer: Any) -> Any:
        """A state's bytes as the record that the rules read and write."""
        return buffer.view(self.record)[0]

    def _on_bytes(self, function: Callable[..., Any], facts: Any = None) -> Callable[..., Any]:
        beside = () if facts is None else (facts.view(np.dtype((np.record, facts.dtype)))[0],)

        def call(state: Any, *rest: Any) -> Any:
            with np.errstate(over="ignore"):  # like compiled integers, which wrap silently
                return function(self.view(state), *rest, *beside)

        return call

    def _checked(self, name: str) -> Any:
        """A rule as searches call it: a user's rule has its answers checked."""
        kind = f"checked_{name}"
        if name != "action_code" and (not self.guard or name not in CHECKS):
            return self._part(name)
        if kind not in self._compiled:
            if name == "action_code":
                own = self._part(name) if name in self.functions else None
                function = make_code(own, self._declared_codes, self.guard)
            else:
                function = CHECKS[name](self._part(name), self.max_actions)
            made = self._compile(kind, function, SIGNATURES[name], name) if COMPILED else function
            self._compiled[kind] = made
        return self._compiled[kind]

    def _part(self, name: str) -> Any:
        """A rule as other rules and playouts call it, with actions as numbers."""
        if name == "apply" and self.draws:
            return self._drawn_apply()
        return self._own(name)

    def _own(self, name: str) -> Any:
        return self._dispatcher(name) if COMPILED else self.functions[name]

    def _drawn_apply(self) -> Any:
        if "drawn_apply" not in self._compiled:
            function = make_drawn_apply(self._own("apply"), self._own("sample_action"), self.width, self.guard)
            made = self._compile("drawn_apply", function, SIGNATURES["apply"], "apply") if COMPILED else function
            self._compiled["drawn_apply"] = made
        return self._compiled["drawn_apply"]

    def _dispatcher(self, name: str) -> Any:
        if name not in self._compiled:
            function = self.functions[name]
            self.frozen[name] = referenced(function)
            signature = OF_ROWS.get(name, SIGNATURES[name]) if self.draws else SIGNATURES[name]
            self._compiled[name] = self._compile(name, function, signature, name)
        return self._compiled[name]

    def _entry(self, dispatcher: Any, kind: str, rule: str) -> Any:
        """A compiled function as kernels call it."""
        if self.constants is None:
            return dispatcher
        name = f"entry_{kind}"
        if name not in self._compiled:
            wanted = SIGNATURES[rule]
            entry = make_entry(dispatcher, len(wanted.args))
            state, constants = map(from_dtype, self._layouts)
            signature = wanted.return_type(state, *wanted.args[1:], constants)
            key = fingerprint(self._key, dispatcher, entry, name, repr(OPTIONS), self.guard)
            self._compiled[name] = compile_function(entry, signature, f"rules.{name}", key, guard=False)
        return self._compiled[name]

    def compiled(self, rule: str) -> Callable[..., Any]:
        """One of the game's own functions, compiled, for Python to call with a record."""
        entry = self._entry(self._dispatcher(rule), f"own_{rule}", rule)
        return entry if self.constants is None else lambda *arguments: entry(*arguments, self.constants)

    def asked(self, rule: str) -> Callable[..., Any]:
        """One of the game's own functions for Python to call with a record, compiled unless compiling is off."""
        return self.compiled(rule) if COMPILED else self.functions[rule]

    def _playout(self, guided: bool, playout: str) -> Any:
        kind = f"guided_{playout}" if guided else playout
        if kind in self._compiled:
            return self._compiled[kind]
        if playout == "policy_playout":
            self._compiled[kind] = self._policy_playout(guided, kind)
            return self._compiled[kind]
        if "playout" in self.functions:  # a game of Python objects has its own, in Python
            function = self.functions["playout"]
            self._compiled[kind] = self._dispatcher("playout") if COMPILED else function
            return self._compiled[kind]
        parts: dict[str, Any] = {}
        for name in (
            "current_player",
            "legal_actions",
            "apply",
            "chance_outcomes",
            "chance_action",
            "playout_action",
            "priors",
            "evaluate",
        ):
            used = name in self.functions and (guided or name not in ("playout_action", "priors"))
            rule = self._checked if name in ("priors", "playout_action") else self._part
            parts[name] = rule(name) if used else None
        parts["action_code"] = self._checked("action_code") if playout != "playout" else None
        drawn: dict[str, Any] = {"draws": True, "lists": self.lists} if self.draws else {}
        learns = playout in ("mast_playout", "nst_playout")
        bits = pair_bits_for(self.players, self.codes) if playout == "nst_playout" else 0
        function = make_playout(self.players, self.max_actions, self.codes, learns, bits, self.guard, **parts, **drawn)
        if COMPILED:
            signature = SIGNATURES[NAMES[PLAYOUTS[playout]]]
            left_out = (function.__defaults__ or ())[len(signature.args) - len(SIGNATURES["playout"].args) :]
            signature = signature.return_type(*signature.args, *map(types.Omitted, left_out))
            function = self._compile(kind, function, signature, "playout")
        self._compiled[kind] = function
        return function

    def _policy_playout(self, guided: bool, kind: str) -> Any:
        parts = {name: self._part(name) for name in ("current_player", "legal_actions", "apply")}
        parts["priors"] = self._checked("priors") if guided and "priors" in self.functions else None
        function = make_policy_playout(self.max_actions, **parts, action_code=self._checked("action_code"))
        return self._compile(kind, function, SIGNATURES["policy_playout"], "playout") if COMPILED else function

    def _compile(self, name: str, function: Callable[..., Any], signature: Any, rule: str) -> Any:
        kinds = list(map(from_dtype, self._layouts))
        exact = signature.return_type(StateType(*kinds) if len(kinds) == 2 else kinds[0], *signature.args[1:])
        try:
            made = self._on_flat_planes(function) if name == "observe" else function
            # The function again, since a global may have changed after `_keys` were computed.
            key = fingerprint(self._keys.get(rule, self._key), made, name, repr(OPTIONS), self.guard)
            return compile_function(made, exact, f"rules.{name}", key, self.guard)
        except Exception as error:  # Numba raises many kinds; a missing field is a bare KeyError
            file, line = where_of(error, function)
            raise RuleCompileError(rule, file, line, reason_of(error)) from error

    def _on_flat_planes(self, observe: Callable[..., Any]) -> Callable[..., Any]:
        return make_observe(guarded(observe, **OPTIONS) if self.guard else register_jitable(observe), self.planes)
