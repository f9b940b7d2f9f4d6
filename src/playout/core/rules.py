"""The rules table: a game's functions as native addresses, so that one compiled search serves every game.

A game's functions are compiled on their own (`core/compile_rules.py`). Their addresses go into an int64 array, and
kernels call through it with one intrinsic each (`call_apply`, `call_playout`, …). The rules see a NumPy record, the
kernels see its bytes. Uncompiled, the table is a tuple of Python functions, called by the same names.
"""

from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from .arrays import copy, zero
from .jit import COMPILED, njit

TERMINAL = -4  # no player moves: the game is over
CHANCE = -1  # no player chooses: the next action is drawn by its probability

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
    "action_code": types.int64(STATE, types.int64),
    "recorded_playout": types.int64(
        STATE,
        *(ACTIONS, FLOATS, FLOATS, FLOATS, RNG, ACTIONS, types.int64, types.float64),
        *(ACTIONS, FLOATS, types.int64, types.int64, types.float64),
    ),
    "playout_action": types.int64(STATE, ACTIONS, types.int64, RNG),
    "chance_action": types.int64(STATE, RNG),
    "initial_state": types.void(STATE),
    "policy_playout": types.int64(
        STATE,
        *(ACTIONS, FLOATS, FLOATS, FLOATS, RNG, FLOATS),
        *(ACTIONS, ACTIONS, ACTIONS, ACTIONS, FLOATS, ACTIONS),
    ),
    "features": types.int64(STATE, types.int64, ACTIONS),
    "is_known": types.int64(STATE),
    "sample_action": types.void(STATE, RNG, FLOATS),
}
OF_ROWS = {"apply": types.void(STATE, FLOATS, FLOATS)}  # rules as written in a game whose actions are rows
NAMES = tuple(SIGNATURES)
CURRENT_PLAYER, LEGAL_ACTIONS, APPLY, PLAYOUT, CHANCE_OUTCOMES, PRIORS, EVALUATE, HASH = range(8)
OBSERVE, ACTION_INDEX, ACTION_CODE, RECORDED_PLAYOUT = range(8, 12)
CHOOSE, BACK_UP, DESCEND = 12, 13, 18  # the kernels made for the policy and the backup (`core/parts.py`)
CONSTANTS = 14  # the address of the game's constants (`core/constants.py`), 0 if it has none
POLICY_PLAYOUT = 15  # a playout by a learned policy (`core/policy_playout.py`)
FEATURES = 16
NETWORK = 17  # the address of a network's facts (`core/fast.py`), which `priors` and `evaluate` get; 0: there is none
TABLE_SIZE = 19  # other rules are called only from Python or from inside `playout`


def with_entry(table: Any, index: int, entry: Any) -> Any:
    """A copy of a rules table with one more function in it."""
    if not COMPILED:
        return (*table[:index], entry, *table[index + 1 :])
    table = table.copy()
    table[index] = entry
    return table


def _caller(index: int, signature: Any, rows: tuple[int, ...] = (), beside: tuple[int, ...] = (CONSTANTS,)) -> Any:
    """An intrinsic `call(rules, state, …)` for the function at `rules[index]`.

    Arguments numbered in `rows` are passed as three: a flat array, an offset and a length; the function sees that part.
    The addresses at `beside` are passed after the arguments; a function that does not want them ignores them.
    """

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
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
        table = make_array(sig.args[0])(context, builder, values[0]).data
        for slot in beside:
            address = builder.load(builder.gep(table, [context.get_constant(types.intp, slot)]))
            passed.append(builder.inttoptr(address, passed[0].type))
        with_more = signature.return_type(*signature.args, *[STATE] * len(beside))
        return call_entry(context, builder, sig.args[0], values[0], index, with_more, passed)

    def typer(typingctx: Any, *args: Any) -> Any:
        return signature.return_type(*args), codegen

    count = 1 + len(signature.args) + 2 * len(rows)
    names = ", ".join(f"a{i}" for i in range(count))
    scope = {"typer": typer}
    exec(f"def call(typingctx, {names}): return typer(typingctx, {names})", scope)  # intrinsics need named parameters
    return intrinsic(scope["call"])


def call_entry(context: Any, builder: Any, kind: Any, table: Any, index: int, signature: Any, passed: list[Any]) -> Any:
    """Generate a call of the function at `table[index]` by Numba's own calling convention; errors are passed on."""
    data = make_array(kind)(context, builder, table).data
    slot = builder.gep(data, [context.get_constant(types.intp, index)])
    function_type = context.call_conv.get_function_type(signature.return_type, signature.args)
    pointer = builder.inttoptr(builder.load(slot), function_type.as_pointer())
    status, result = context.call_conv.call_function(builder, pointer, signature.return_type, signature.args, passed)
    with builder.if_then(status.is_error, likely=False):
        context.call_conv.return_status_propagate(builder, status)
    return result


def _python_caller(index: int, signature: Any, rows: tuple[int, ...] = (), beside: tuple[int, ...] = ()) -> Any:
    """The same, uncompiled: the table holds Python functions of a record, which know what lies beside it."""

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
call_priors = _make(PRIORS, SIGNATURES["priors"], beside=(CONSTANTS, NETWORK))
call_evaluate = _make(EVALUATE, SIGNATURES["evaluate"], beside=(CONSTANTS, NETWORK))
call_hash = _make(HASH, SIGNATURES["hash"])
call_observe = _make(OBSERVE, SIGNATURES["observe"], rows=(2,))
call_action_index = _make(ACTION_INDEX, SIGNATURES["action_index"])
call_action_code = _make(ACTION_CODE, SIGNATURES["action_code"])
call_features = _make(FEATURES, SIGNATURES["features"])
call_recorded_playout = _make(RECORDED_PLAYOUT, SIGNATURES["recorded_playout"])
call_policy_playout = _make(POLICY_PLAYOUT, SIGNATURES["policy_playout"], rows=(7, 8, 9, 10, 11))


# The same calls for Python, compiled once for all games.


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
def action_code(rules, state, action):
    return call_action_code(rules, state, action)


@njit
def features(rules, state, player, out):
    """List the active inputs of a network inside the loop, as `player` sees the position; returns their number."""
    return call_features(rules, state, player, out)


@njit
def position_hash(rules, state):
    return call_hash(rules, state)


@njit
def perft(rules, states, actions, weights, rewards, counts, at, depth):
    """Count the sequences of `depth` actions; a row of `states` and of `actions` for each level, no recursion.

    Row 0 of `states` holds the position; `counts` and `at` are scratch of length `depth + 1`. Chance outcomes count as
    actions, as in OpenSpiel's perft. A result below zero is -1 - the level at which the rules gave an impossible number
    of actions.
    """
    total = np.int64(0)
    level = 0
    counts[0] = -1
    while level >= 0:
        if counts[level] < 0:  # a new position: list its actions
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
            if level == depth - 1:  # bulk counting: the last level is counted, not played
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
