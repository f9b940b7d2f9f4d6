"""Compile a game's functions into a rules table (`core/rules.py`).

Rules that did not come with Playout are guarded (`core/guard.py`), and the answers of some are checked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import register_jitable

from .compile_errors import RuleCompileError, reason_of, where_of
from .evaluate import is_listed, make_playout
from .guard import guarded
from .jit import COMPILED, OPTIONS, address, compile_function, njit
from .references import fingerprint, is_proven, referenced
from .rules import NAMES, SIGNATURES, TABLE_SIZE

UNDECLARED_CODES = 4096  # entries in tables by action code where a game does not say how many codes it has
PLAYOUTS = ("playout", "recorded_playout")
MOST_COMPARED = 64  # actions that are not in rising order: longer lists are not searched for duplicates


class WrongAnswerError(Exception):
    """A rule gave an answer that no search can use; the text names the rule and says what is wrong."""


class Rules:
    """The functions of one game, compiled when they are first needed.

    `functions` has the game's own functions by name, `record` is the dtype of its state. One instance serves every
    instance of the game's class, since a game's settings are data.
    """

    def __init__(
        self,
        functions: dict[str, Callable[..., Any]],
        record: np.dtype[Any],
        players: int,
        max_actions: int,
        planes: tuple[int, ...] = (),
        action_codes: int = 0,
    ):
        self.functions, self.players, self.max_actions = functions, players, max_actions
        self.record = np.dtype((np.record, record))
        self.planes, self._declared_codes = planes, action_codes
        layout = record.descr, players, max_actions, planes, action_codes
        # For the disk cache. A rule's own does not change with the other rules: games that share it compile it once.
        self._key = fingerprint(layout, *(functions[name] for name in sorted(functions)))
        self._keys = {name: fingerprint(layout, function) for name, function in functions.items()}
        self.guard = not all(is_proven(function) for function in functions.values())
        # The length of buffers for actions, with room to spare where an index past the end would not be caught.
        self.room = max_actions if self.guard else 2 * max_actions + 64
        self._compiled: dict[str, Any] = {}  # keeps the dispatchers alive, and with them the machine code
        self._tables: dict[tuple[bool, tuple[str, ...]], Any] = {}
        self.frozen: dict[str, dict[str, tuple[str, str]]] = {}  # by rule: the globals when it was compiled

    @property
    def codes(self) -> int:
        """How many codes the kernels tell apart: they get 0 to `codes` - 1."""
        return self._declared_codes or UNDECLARED_CODES

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
                table[NAMES.index(name)] = address(self._checked(name))
            for name in playouts:
                table[NAMES.index(name)] = address(self._playout(guided, name))
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
            entries[NAMES.index(name)] = self._on_bytes(self._playout(guided, name))
        return tuple(entries)

    def view(self, buffer: Any) -> Any:
        """A state's bytes as the record that the rules read and write."""
        return buffer.view(self.record)[0]

    def _on_bytes(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(state: Any, *rest: Any) -> Any:
            with np.errstate(over="ignore"):  # like compiled integers, which wrap silently
                return function(self.view(state), *rest)

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
        return self._dispatcher(name) if COMPILED else self.functions[name]

    def _dispatcher(self, name: str) -> Any:
        if name not in self._compiled:
            function = self.functions[name]
            self.frozen[name] = referenced(function)
            self._compiled[name] = self._compile(name, function, SIGNATURES[name], name)
        return self._compiled[name]

    def _playout(self, guided: bool, playout: str) -> Any:
        kind = f"guided_{playout}" if guided else playout
        if kind in self._compiled:
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
        parts["action_code"] = self._checked("action_code") if playout == "recorded_playout" else None
        function = make_playout(self.players, self.max_actions, self.codes, self.guard, **parts)
        if COMPILED:
            signature = SIGNATURES[playout]
            left_out = (function.__defaults__ or ())[len(signature.args) - len(SIGNATURES["playout"].args) :]
            signature = signature.return_type(*signature.args, *map(types.Omitted, left_out))
            function = self._compile(kind, function, signature, "playout")
        self._compiled[kind] = function
        return function

    def _compile(self, name: str, function: Callable[..., Any], signature: Any, rule: str) -> Any:
        exact = signature.return_type(from_dtype(self.record), *signature.args[1:])
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


def make_checked_actions(legal_actions: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`legal_actions`, checked to list no action twice. Its callers check the number of actions."""

    def checked_actions(state, actions):
        count = legal_actions(state, actions)
        if count <= max_actions and lists_twice(actions, count):
            raise WrongAnswerError("legal_actions lists an action more than once")
        return count

    return checked_actions


def make_checked_outcomes(chance_outcomes: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`chance_outcomes`, checked to list no outcome twice. A probability that it does not write is not a number.

    Its callers check the number of outcomes and the probabilities.
    """

    def checked_outcomes(state, actions, probabilities):
        for i in range(min(max_actions, probabilities.shape[0])):
            probabilities[i] = np.nan
        count = chance_outcomes(state, actions, probabilities)
        if count <= max_actions and lists_twice(actions, count):
            raise WrongAnswerError("chance_outcomes lists an outcome more than once")
        return count

    return checked_outcomes


@njit
def lists_twice(actions, count):
    """Whether an action is listed more than once; long lists that are not in rising order are not searched."""
    rising = True
    for i in range(1, count):
        rising &= actions[i] > actions[i - 1]
    if not rising and count <= MOST_COMPARED:
        for i in range(1, count):
            if is_listed(actions, i, actions[i]):
                return True
    return False


def make_checked_priors(priors: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`priors`, checked to write a valid weight for every action, and not to change the actions."""

    def checked_priors(state, actions, count, out):
        for i in range(count):
            out[i] = np.nan
        before = checksum(actions, count)
        priors(state, actions, count, out)
        if checksum(actions, count) != before:
            raise WrongAnswerError("priors changes `actions`")
        total, fit = 0.0, True
        for i in range(count):
            fit &= out[i] >= 0.0
            total += out[i]
        if not (fit and total < np.inf):
            raise WrongAnswerError("priors gives weights that are below zero or not finite")

    return checked_priors


def make_checked_playout_action(playout_action: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`playout_action`, checked not to change the actions. Playouts check that it returns one of them."""

    def checked_playout_action(state, actions, count, rng):
        before = checksum(actions, count)
        action = playout_action(state, actions, count, rng)
        if checksum(actions, count) != before:
            raise WrongAnswerError("playout_action changes `actions`")
        return action

    return checked_playout_action


@njit
def checksum(actions, count):
    """A number that changes with any single action, and with their order."""
    total = np.int64(count)
    for i in range(count):
        total = total * 31 + actions[i]
    return total


CHECKS = {
    "legal_actions": make_checked_actions,
    "chance_outcomes": make_checked_outcomes,
    "priors": make_checked_priors,
    "playout_action": make_checked_playout_action,
}


def make_code(action_code: Callable[..., Any] | None, declared: int, checked: bool) -> Callable[..., Any]:
    """A game's `action_code` as kernels call it; without one, the code is the action's number.

    Codes are 0 to `declared` - 1, which is checked; if their number is not `declared`, they are the lowest bits.
    """
    has_rule, checked = action_code is not None, checked and declared > 0

    def code_of(state, action):
        code = np.int64(action_code(state, action)) if has_rule else np.int64(action)
        if checked and (code < 0 or code >= declared):
            raise WrongAnswerError("action_code gives a code that is not below action_codes")
        return code if declared > 0 else code & np.int64(UNDECLARED_CODES - 1)

    return code_of


def make_observe(observe: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    """A game's `observe` as kernels call it: they store observations flat."""

    def observe_flat(state, player, flat):
        observe(state, player, flat.reshape(shape))

    return observe_flat


def make_hash(hash: Callable[..., Any]) -> Callable[..., Any]:
    """A game's `hash`, uncompiled: any Python integer becomes one of 64 bits."""

    def hash_of(state: Any) -> Any:
        return np.uint64(int(hash(state)) % 2**64)

    return hash_of
