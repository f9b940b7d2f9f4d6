"""The rules of every game of objects, compiled once: each calls back into Python and reads the result.

The state is the number of the slot that holds the object, who moves there, and addresses: of the callbacks, and of two
arrays in which callbacks leave their results (`floats`, `ints`).
"""

import numpy as np

from playout.core.callback import FAILED, CallbackError, call_back, read_float, read_int, write_float

CALLBACKS = ("on_apply", "on_actions", "on_playout", "on_evaluate", "on_priors", "on_key")
ALL_ACTIONS = -1  # instead of the index of one action
UNTOLD = -2  # the actions of the last playout have no numbers, or it was cut off
STATE = np.dtype([(n, np.int64) for n in ("slot", "player", "floats", "ints", *CALLBACKS)])


def initial_state(state):
    state.slot = 0


def current_player(state):
    return state.player


def legal_actions(state, actions):
    count = call_back(state.on_actions, state.slot, 0)
    if count == FAILED:
        raise CallbackError
    for i in range(count):
        actions[i] = read_int(state.ints, i)
    return count


def chance_outcomes(state, actions, probabilities):
    count = call_back(state.on_actions, state.slot, 0)
    if count == FAILED:
        raise CallbackError
    for i in range(count):
        actions[i] = read_int(state.ints, i)
        probabilities[i] = read_float(state.floats, i)
    return count


def apply(state, action, rewards):
    slot = call_back(state.on_apply, state.slot, action)
    if slot == FAILED:
        raise CallbackError
    state.slot = slot
    state.player = read_int(state.ints, 0)
    if read_int(state.ints, 1):  # the step brought rewards
        for p in range(rewards.shape[0]):
            rewards[p] = read_float(state.floats, p)


def playout(state, actions, weights, rewards, returns, rng, trace, limit, discount):
    """The whole playout in one call, which reads the discount from `floats` and leaves the discounted return there.

    With a limit below zero, the numbers of the last playout's actions are written to the trace instead.
    """
    if limit < 0:
        length = call_back(state.on_playout, ALL_ACTIONS, limit)
        if length == FAILED:
            raise CallbackError
        for i in range(length):
            call_back(state.on_playout, i, limit)
            trace[trace[0] + i] = read_int(state.ints, 0)
        return length
    write_float(state.floats, 0, discount)
    length = call_back(state.on_playout, state.slot, limit)
    if length == FAILED:
        raise CallbackError
    for p in range(returns.shape[0]):
        returns[p] += read_float(state.floats, p)
    return length


def evaluate(state, values):
    if call_back(state.on_evaluate, state.slot, 0) == FAILED:
        raise CallbackError
    for p in range(values.shape[0]):
        values[p] = read_float(state.floats, p)


def priors(state, actions, count, out):
    if call_back(state.on_priors, state.slot, count) == FAILED:
        raise CallbackError
    for i in range(count):
        out[i] = read_float(state.floats, i)


def hash_key(state):
    key = call_back(state.on_key, state.slot, 0)
    if key == FAILED:
        raise CallbackError
    return np.uint64(key)
