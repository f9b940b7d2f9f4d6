"""A game's functions as a table of native addresses, so that one compiled search serves every game.

A game's functions are compiled on their own; their addresses go into an int64 array, and kernels call through it with
one intrinsic each (`call_apply`, `call_playout`, …). The rules see a NumPy record, the kernels see its bytes.
Uncompiled, the table is a tuple of Python functions and the same names call them.
"""

import dis
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import intrinsic, register_jitable
from numba.np.arrayobj import make_array, populate_array

from .arrays import copy, zero
from .frozen import referenced
from .guard import guarded, is_proven
from .jit import COMPILED, OPTIONS, address, compile_function, fingerprint, njit
from .rng import random_below, sample

TERMINAL = -4  # no player moves: the game is over
CHANCE = -1  # nobody chooses: the next action is drawn by its probability

# What `playout` returns when the rules break the contract; otherwise the number of actions played.
NO_ACTIONS = -1  # nobody can move, yet the game is not over
TOO_MANY_ACTIONS = -2  # more than `max_actions`
BAD_ACTION = -4  # `playout_action` or `chance_action` gave one that can't be played; the last one of the trace

MOST_COMPARED = 64  # actions that are compared with each other where they are not in rising order
OUTCOMES_SHIFT = np.uint64(60)  # one in 16 outcomes of `chance_action` is looked for in `chance_outcomes`

STATE = from_dtype(np.dtype([("any", np.uint8)]))  # stands for a pointer to any game's record
ACTIONS = types.Array(types.int32, 1, "C")
FLOATS = types.Array(types.float64, 1, "C")
PLANES = types.Array(types.float32, 1, "C")
RNG = types.Array(types.uint64, 1, "C")

SIGNATURES = {
    "current_player": types.int64(STATE),
    "legal_actions": types.int64(STATE, ACTIONS),
    "apply": types.void(STATE, types.int64, FLOATS),
    "playout": types.int64(STATE, ACTIONS, FLOATS, FLOATS, FLOATS, RNG, ACTIONS, types.int64, types.float64),
    "chance_outcomes": types.int64(STATE, ACTIONS, FLOATS),
    "priors": types.void(STATE, ACTIONS, types.int64, FLOATS),
    "evaluate": types.void(STATE, FLOATS),
    "hash": types.uint64(STATE),
    "observe": types.void(STATE, types.int64, PLANES),
    "action_index": types.int64(STATE, types.int64),
    "playout_action": types.int64(STATE, ACTIONS, types.int64, RNG),
    "chance_action": types.int64(STATE, RNG),
    "initial_state": types.void(STATE),
}
NAMES = tuple(SIGNATURES)
CURRENT_PLAYER, LEGAL_ACTIONS, APPLY, PLAYOUT, CHANCE_OUTCOMES, PRIORS, EVALUATE, HASH, OBSERVE, ACTION_INDEX = range(
    10
)
CHOOSE, BACK_UP = 10, 11  # what the policy and the backup were made into (`core/parts.py`)
TABLE_SIZE = 12  # the other names are called from Python or from inside `playout` only


class WrongAnswerError(Exception):
    """A rule's answer that no search can use; the text says of which rule, and what is wrong."""


class RuleCompileError(Exception):
    """A rule that Numba can't compile: which one, where, and what Numba says."""

    def __init__(self, rule: str, file: str, line: int, reason: str) -> None:
        super().__init__(rule, file, line, reason)
        self.rule, self.file, self.line, self.reason = rule, file, line, reason


def _caller(index: int, signature: Any, rows: tuple[int, ...] = ()) -> Any:
    """An intrinsic `call(rules, state, …)` for the function at `rules[index]`, by Numba's own calling convention.

    Arguments numbered in `rows` are given as three: a flat array, an offset and a length; the function sees that part.
    """

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        table = make_array(sig.args[0])(context, builder, values[0])
        slot = builder.gep(table.data, [context.get_constant(types.intp, index)])
        function_type = context.call_conv.get_function_type(signature.return_type, signature.args)
        pointer = builder.inttoptr(builder.load(slot), function_type.as_pointer())
        data = make_array(sig.args[1])(context, builder, values[1]).data
        passed = [builder.bitcast(data, context.get_value_type(signature.args[0]))]
        at = 2
        for number, want in enumerate(signature.args[1:], start=1):
            if number in rows:
                flat = make_array(sig.args[at])(context, builder, values[at])
                offset = context.cast(builder, values[at + 1], sig.args[at + 1], types.intp)
                length = context.cast(builder, values[at + 2], sig.args[at + 2], types.intp)
                part = make_array(want)(context, builder)
                size = context.get_constant(types.intp, want.dtype.bitwidth // 8)
                populate_array(part, builder.gep(flat.data, [offset]), (length,), (size,), size, None)
                passed.append(part._getvalue())
                at += 3
            else:
                passed.append(context.cast(builder, values[at], sig.args[at], want))
                at += 1
        status, result = context.call_conv.call_function(
            builder, pointer, signature.return_type, signature.args, passed
        )
        with builder.if_then(status.is_error, likely=False):
            context.call_conv.return_status_propagate(builder, status)
        return result

    def typer(typingctx: Any, *args: Any) -> Any:
        return signature.return_type(*args), codegen

    count = 1 + len(signature.args) + 2 * len(rows)
    names = ", ".join(f"a{i}" for i in range(count))
    scope = {"typer": typer}
    exec(f"def call(typingctx, {names}): return typer(typingctx, {names})", scope)  # intrinsics want plain parameters
    return intrinsic(scope["call"])


def _python_caller(index: int, signature: Any, rows: tuple[int, ...] = ()) -> Any:
    """The same, uncompiled: the table holds Python functions of a record."""

    def call(rules: Any, state: Any, *values: Any) -> Any:
        passed: list[Any] = []
        rest = list(values)
        for number in range(1, len(signature.args)):
            if number in rows:
                flat, offset, length = rest[:3]
                passed.append(flat[offset : offset + length])
                del rest[:3]
            else:
                passed.append(rest.pop(0))
        return rules[index](state, *passed)

    return call


_make = _caller if COMPILED else _python_caller
call_current_player = _make(CURRENT_PLAYER, SIGNATURES["current_player"])
call_legal_actions = _make(LEGAL_ACTIONS, SIGNATURES["legal_actions"])
call_apply = _make(APPLY, SIGNATURES["apply"], rows=(2,))
call_playout = _make(PLAYOUT, SIGNATURES["playout"])
call_chance_outcomes = _make(CHANCE_OUTCOMES, SIGNATURES["chance_outcomes"])
call_priors = _make(PRIORS, SIGNATURES["priors"])
call_evaluate = _make(EVALUATE, SIGNATURES["evaluate"])
call_hash = _make(HASH, SIGNATURES["hash"])
call_observe = _make(OBSERVE, SIGNATURES["observe"], rows=(2,))
call_action_index = _make(ACTION_INDEX, SIGNATURES["action_index"])


# The same calls for Python callers, compiled once for all games.


@njit
def current_player(rules, state):
    return call_current_player(rules, state)


@njit
def legal_actions(rules, state, actions):
    return call_legal_actions(rules, state, actions)


@njit
def apply(rules, state, action, rewards):
    zero(rewards)
    call_apply(rules, state, action, rewards, 0, rewards.shape[0])


@njit
def chance_outcomes(rules, state, actions, probabilities):
    return call_chance_outcomes(rules, state, actions, probabilities)


@njit
def priors(rules, state, actions, count, out):
    call_priors(rules, state, actions, count, out)


@njit
def evaluate(rules, state, values):
    zero(values)
    call_evaluate(rules, state, values)


@njit
def observe(rules, state, player, planes):
    """Fill `planes`, flat and zeroed, with what a network sees from `player`'s side."""
    call_observe(rules, state, player, planes, 0, planes.shape[0])


@njit
def action_index(rules, state, action):
    return call_action_index(rules, state, action)


@njit
def position_hash(rules, state):
    return call_hash(rules, state)


@njit
def perft(rules, states, actions, weights, rewards, counts, at, depth):
    """Count the action sequences of `depth` actions; a row of `states` and of `actions` for each level, no recursion.

    Row 0 of `states` holds the position; `counts` and `at` are scratch, `depth + 1` long. Chance outcomes count as
    actions, as in OpenSpiel's perft. Below zero: -1 less the level at which there is no such number of actions.
    """
    total = np.int64(0)
    level = 0
    counts[0] = -1
    while level >= 0:
        if counts[level] < 0:  # a new position: who moves, and what is there to play
            player = call_current_player(rules, states[level])
            if player == TERMINAL:
                counts[level] = 0
            elif player == CHANCE:
                counts[level] = call_chance_outcomes(rules, states[level], actions[level], weights)
            else:
                counts[level] = call_legal_actions(rules, states[level], actions[level])
            if player != TERMINAL and (counts[level] < 1 or counts[level] > weights.shape[0]):
                return np.int64(-1 - level)
            at[level] = 0
            if level == depth - 1:  # bulk counting: the last level need not be played
                total += counts[level]
                counts[level] = 0
        if at[level] == counts[level]:
            level -= 1
            continue
        copy(states[level + 1], states[level])
        zero(rewards)
        call_apply(rules, states[level + 1], actions[level][at[level]], rewards, 0, rewards.shape[0])
        at[level] += 1
        level += 1
        counts[level] = -1
    return total


def make_checked_actions(legal_actions: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`legal_actions` that lists no action twice; what is wrong with their number, its callers see."""

    def checked_actions(state, actions):
        count = legal_actions(state, actions)
        if count > max_actions:
            return count
        rising = True
        for i in range(1, count):
            rising &= actions[i] > actions[i - 1]
        if not rising and count <= MOST_COMPARED:
            for i in range(1, count):
                if is_listed(actions, i, actions[i]):
                    raise WrongAnswerError("legal_actions lists an action more than once")
        return count

    return checked_actions


def make_checked_priors(priors: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`priors` that writes a weight for every action."""

    def checked_priors(state, actions, count, out):
        for i in range(count):
            out[i] = np.nan
        priors(state, actions, count, out)
        total, fit = 0.0, True
        for i in range(count):
            fit &= out[i] >= 0.0
            total += out[i]
        if not (fit and total < np.inf):
            raise WrongAnswerError("priors gives weights that are below zero or not finite")

    return checked_priors


CHECKS = {"legal_actions": make_checked_actions, "priors": make_checked_priors}


@njit
def is_listed(actions, count, action):
    for i in range(count):
        if actions[i] == action:
            return True
    return False


@njit
def is_possible(actions, weights, count, outcome):
    for i in range(min(count, weights.shape[0])):
        if actions[i] == outcome and weights[i] > 0.0:
            return True
    return False


def make_playout(
    players: int,
    max_actions: int,
    checked: bool,
    current_player: Callable[..., Any],
    legal_actions: Callable[..., Any],
    apply: Callable[..., Any],
    chance_outcomes: Callable[..., Any] | None,
    chance_action: Callable[..., Any] | None,
    playout_action: Callable[..., Any] | None,
    priors: Callable[..., Any] | None,
    evaluate: Callable[..., Any] | None,
) -> Callable[..., Any]:
    """A game's playout with its rules inlined; parts that the game lacks leave no trace in the machine code.

    Where it is `checked`, so is what `playout_action` gives, and now and then what `chance_action` gives.
    """
    has_chance, has_evaluate = chance_outcomes is not None, evaluate is not None
    draws_itself = chance_action is not None
    checks_outcomes = checked and has_chance
    own_policy, by_priors = playout_action is not None, playout_action is None and priors is not None

    def playout(state, actions, weights, rewards, returns, rng, trace, limit, discount):
        """Play to the end or for `limit` actions and add the discounted rewards to `returns`.

        `weights` and `rewards` are scratch, `rewards` zeroed. Where `trace` has room, the actions are written from
        index `trace[0]` on. A playout that is cut off goes on with the game's static value. Returns the number of
        actions, or a code below zero.
        """
        scale = 1.0
        length = 0
        fits = True
        room = trace.shape[0] - trace[0] if trace.shape[0] > 0 else 0
        player = current_player(state)
        while player != TERMINAL:
            if length >= limit:
                if has_evaluate:
                    evaluate(state, rewards)
                    for p in range(players):
                        returns[p] += scale * rewards[p]
                        rewards[p] = 0.0
                break
            if draws_itself and player == CHANCE:
                action = np.int64(chance_action(state, rng))
                if checks_outcomes and rng[0] >> OUTCOMES_SHIFT == 0:
                    fits = is_possible(actions, weights, chance_outcomes(state, actions, weights), action)
            elif has_chance and player == CHANCE:
                count = chance_outcomes(state, actions, weights)
                if count <= 0:
                    return NO_ACTIONS
                if count > max_actions:
                    return TOO_MANY_ACTIONS
                action = np.int64(actions[sample(rng, weights, count)])
            else:
                count = legal_actions(state, actions)
                if count <= 0:
                    return NO_ACTIONS
                if count > max_actions:
                    return TOO_MANY_ACTIONS
                if own_policy:
                    action = np.int64(playout_action(state, actions, count, rng))
                    if checked:
                        fits = is_listed(actions, count, action)
                elif by_priors:
                    priors(state, actions, count, weights)
                    action = np.int64(actions[sample(rng, weights, count)])
                else:
                    action = np.int64(actions[random_below(rng, count)])
            if length < room:
                trace[trace[0] + length] = action
            if not fits:
                return BAD_ACTION
            apply(state, action, rewards)
            for p in range(players):
                if rewards[p] != 0.0:
                    returns[p] += scale * rewards[p]
                    rewards[p] = 0.0
            scale *= discount
            length += 1
            player = current_player(state)
        return length

    return playout


def make_observe(observe: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    """A game's `observe` for kernels, which keep observations flat."""

    def observe_flat(state, player, flat):
        observe(state, player, flat.reshape(shape))

    return observe_flat


def make_hash(hash: Callable[..., Any]) -> Callable[..., Any]:
    """A game's `hash` uncompiled, where a whole number of any kind must become one of 64 bits."""

    def hash_of(state: Any) -> Any:
        return np.uint64(int(hash(state)) % 2**64)

    return hash_of


def with_entry(table: Any, index: int, entry: Any) -> Any:
    """A rules table with one more function in it."""
    if not COMPILED:
        return (*table[:index], entry, *table[index + 1 :])
    table = table.copy()
    table[index] = entry
    return table


class Rules:
    """The functions of one game, compiled when they are first asked for.

    `functions` has the game's own functions by name, `record` the dtype of its state. One instance serves every
    instance of the game's class: settings are data.
    """

    def __init__(
        self,
        functions: dict[str, Callable[..., Any]],
        record: np.dtype[Any],
        players: int,
        max_actions: int,
        name: str,
        planes: tuple[int, ...] = (),
    ):
        self.functions, self.players, self.max_actions, self.name = functions, players, max_actions, name
        self.record = np.dtype((np.record, record))
        self.planes = planes
        self._key = fingerprint(record.descr, players, max_actions, planes, *(functions[n] for n in sorted(functions)))
        self.guard = not all(is_proven(function) for function in functions.values())
        # How long buffers for actions are; with room to spare where a rule that lists too many would not be stopped.
        self.room = max_actions if self.guard else 2 * max_actions + 64
        self._compiled: dict[str, Any] = {}  # the machine code lives as long as its dispatcher
        self._tables: dict[tuple[bool, tuple[str, ...]], Any] = {}
        self.frozen: dict[str, dict[str, tuple[str, str]]] = {}  # by rule: the globals when it was compiled

    def table(self, guided: bool = False, wanted: tuple[str, ...] = ()) -> Any:
        """The rules table: what every search needs, and the optional parts named in `wanted`. Nobody writes to it."""
        if (guided, wanted) not in self._tables:
            self._tables[guided, wanted] = self._make_table(guided, wanted)
        return self._tables[guided, wanted]

    def _make_table(self, guided: bool, wanted: tuple[str, ...]) -> Any:
        names = ["current_player", "legal_actions", "apply"]
        if "chance_outcomes" in self.functions:
            names.append("chance_outcomes")
        names += [name for name in wanted if name in self.functions and name != "playout"]
        if COMPILED:
            table = np.zeros(TABLE_SIZE, np.int64)
            for name in names:
                table[NAMES.index(name)] = address(self._checked(name))
            if "playout" in wanted:
                table[PLAYOUT] = address(self._playout(guided))
            return table
        entries: list[Any] = [None] * TABLE_SIZE
        for name in names:
            function = self._checked(name)
            if name == "observe":
                function = make_observe(function, self.planes)
            elif name == "hash":
                function = make_hash(function)
            entries[NAMES.index(name)] = self._on_bytes(function)
        if "playout" in wanted:
            entries[PLAYOUT] = self._on_bytes(self._playout(guided))
        return tuple(entries)

    def view(self, buffer: Any) -> Any:
        """A state's bytes as the record that the rules read and write."""
        return buffer.view(self.record)[0]

    def _on_bytes(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(state: Any, *rest: Any) -> Any:
            with np.errstate(over="ignore"):  # compiled integers wrap silently; so must these
                return function(self.view(state), *rest)

        return call

    def _checked(self, name: str) -> Any:
        """A rule as searches call it: with a look at its answer where it is a user's."""
        kind = f"checked_{name}"
        if not self.guard or name not in CHECKS:
            return self._part(name)
        if kind not in self._compiled:
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

    def _playout(self, guided: bool) -> Any:
        kind = "guided_playout" if guided else "playout"
        if kind in self._compiled:
            return self._compiled[kind]
        if "playout" in self.functions:  # a game of Python objects plays out in Python
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
            rule = self._checked if name == "priors" else self._part
            parts[name] = rule(name) if used else None
        function = make_playout(self.players, self.max_actions, self.guard, **parts)
        if COMPILED:
            function = self._compile(kind, function, SIGNATURES["playout"], "playout")
        self._compiled[kind] = function
        return function

    def _compile(self, name: str, function: Callable[..., Any], signature: Any, rule: str) -> Any:
        exact = signature.return_type(from_dtype(self.record), *signature.args[1:])
        try:
            made = self._on_flat_planes(function) if name == "observe" else function
            # With the function itself: a global may have changed since `_key` was made.
            key = fingerprint(self._key, made, name, repr(OPTIONS), self.guard)
            return compile_function(made, exact, f"{self.name}.{name}", key, self.guard)
        except Exception as error:  # Numba's are of many kinds: a field that is not there is a bare KeyError
            file, line = where_of(error, function)
            raise RuleCompileError(rule, file, line, reason_of(error)) from error

    def _on_flat_planes(self, observe: Callable[..., Any]) -> Callable[..., Any]:
        return make_observe(guarded(observe, **OPTIONS) if self.guard else register_jitable(observe), self.planes)


def where_of(error: Exception, function: Callable[..., Any]) -> tuple[str, int]:
    """The file and line that Numba's message points at; the function's own first line if it names none."""
    code = getattr(function, "py_func", function).__code__
    unknown = re.search(r"NameError: name '(\w+)'", str(error))
    if isinstance(error, KeyError) or unknown:  # Numba says which field or name there is not, but not where
        name = unknown[1] if unknown else error.args[0]
        lines = [i.positions.lineno for i in dis.get_instructions(code) if i.argval == name and i.positions]
        return code.co_filename, lines[0] if lines and lines[0] else code.co_firstlineno
    places = re.findall(r'File "([^"]+)", line (\d+)', str(error))
    places += re.findall(r"Raised from (.+) \((\d+)\)", str(error))
    for file, line in reversed(places):
        if file and (code.co_filename.endswith(file.lstrip(".")) or file == code.co_filename):
            return code.co_filename, int(line)
    if places:
        return places[-1][0], int(places[-1][1])
    return code.co_filename, code.co_firstlineno


# What Numba says most often, and the same in our words.
REASONS = (
    (
        r"Untyped global name '(\w+)'.*<class 'function'>",
        r"`\1` is a plain Python function, and rules can call compiled ones only; write @numba.njit above it",
    ),
    (
        r"Untyped global name '(\w+)'.*<class '([\w.]+)'>",
        r"`\1` is a \2, and rules can use numbers, tuples and NumPy arrays from outside",
    ),
    (r"NameError: name '(\w+)' is not defined", r"there is no `\1`"),
    (r"No conversion from none to ", r"a way through the function returns nothing, expected a whole number"),
    (r"No conversion from (.+) to none", r"it returns something, expected no `return` with a value"),
    (r"No conversion from (.+) to u?int64", r"it returns something that is no number"),
    (r"Unknown attribute '(\w+)' of type (\w+)", r"there is no `.\1` on a value of type \2"),
    (r"Cannot cast (\S+) to (\w+)", r"\1 does not fit into a field of type \2"),
)


def reason_of(error: Exception) -> str:
    """Why a rule can't be compiled: in our words where we know them, then the line of Numba's message that says it."""
    if isinstance(error, KeyError):
        return f"the state has no field `{error.args[0]}`"
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    skip = ("Failed in", "File ", "During", "<source", "def ", "This error", "There are", "- Resolution", "^")
    wanted = [line for line in lines if not line.startswith(skip)]
    found = wanted[0] if wanted else lines[0] if lines else repr(error)
    found = re.sub(r"\.*\s*Raised from .*", "", found)
    for pattern, words in REASONS:
        if match := re.search(pattern, found):
            return f"{match.expand(words)} (Numba: {found})"
    return found
