"""A small network over sparse inputs, evaluated inside the compiled loop: to the kernels, two more rules of the game.

The game's `features` lists the active inputs. Their rows of weights are added to the bias, each sum is clipped to 0 to
1 and perhaps squared: the hidden layer. The value head is one dot product with it, or three for win, draw and loss; the
policy head has a row for each `action_index`, and only those of legal actions are multiplied.

A network may build on what the game knows already, and learn only what that misses: `base_value` times the inverse
tanh of the game's `evaluate` is added to the value's sum, `base_policy` times the logs of its `priors` to the policy's.
Where the game's `is_known` says so, its own answers stand alone.

`evaluate` and `priors` each compute the hidden layer from nothing. To keep it from a leaf's evaluation to its
expansion, every leaf would need a row of its own.

The weights lie in one array, whose address stands in `FACTS` beside the sizes; the address of those is an entry of the
rules table. So another file of weights compiles nothing.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from .checked_rules import WrongAnswerError
from .jit import inlined
from .lanes import WIDTH, array_at, clipped, lanes_at, no_lanes, plus, put_lanes, stack_array, sum_of, times

MOST_ACTIVE = 1024  # features of one position
MOST_HIDDEN = 1024

# Rows of `weights`, float32: inputs [feature_count, hidden], their bias [hidden], value head [outputs, hidden], policy
# head [policy_size, hidden]; then the biases of the heads, [outputs] and [policy_size].
FACTS = np.dtype(
    [
        ("weights", np.int64),  # the address
        ("length", np.int64),
        ("hidden", np.int64),  # units, a multiple of WIDTH
        ("squared", np.int64),  # 1: a clipped sum is squared
        ("outputs", np.int64),  # 1: a value, by tanh; 3: win, draw and loss, by softmax
        ("feature_count", np.int64),
        ("policy_size", np.int64),
        ("power", np.float64),  # of the policy: 1 / temperature
        ("middle", np.float64),  # of the range of values, and half its width
        ("half", np.float64),
        ("returns_sum", np.float64),  # of two players
        ("base_value", np.float64),  # the weight of the game's own `evaluate`, and that of its `priors`; 0: not asked
        ("base_policy", np.float64),
    ]
)
MOST_BASE = 0.999  # of a static value from -1 to 1, whose inverse tanh stays below 3.8
LEAST_BASE = 1e-4  # of a prior, whose logarithm stays above -9.3

BLOCK = 4 * WIDTH
new_active, new_hidden = stack_array(types.int32, MOST_ACTIVE), stack_array(types.float32, MOST_HIDDEN)


@inlined
def fill_hidden(weights, facts, active, count, out):
    """Fill `out` with the hidden layer; four vectors at a time stay in registers while the rows are added."""
    hidden = np.int64(facts.hidden)
    bias, at = np.int64(facts.feature_count) * hidden, np.int64(0)
    while at < hidden:
        if at + BLOCK <= hidden:
            a, b = lanes_at(weights, bias + at), lanes_at(weights, bias + at + WIDTH)
            c, d = lanes_at(weights, bias + at + 2 * WIDTH), lanes_at(weights, bias + at + 3 * WIDTH)
            for k in range(count):
                row = np.int64(active[k]) * hidden + at
                a, b = plus(a, lanes_at(weights, row)), plus(b, lanes_at(weights, row + WIDTH))
                c = plus(c, lanes_at(weights, row + 2 * WIDTH))
                d = plus(d, lanes_at(weights, row + 3 * WIDTH))
            put_lanes(out, at, a)
            put_lanes(out, at + WIDTH, b)
            put_lanes(out, at + 2 * WIDTH, c)
            put_lanes(out, at + 3 * WIDTH, d)
            at += BLOCK
        else:
            a = lanes_at(weights, bias + at)
            for k in range(count):
                a = plus(a, lanes_at(weights, np.int64(active[k]) * hidden + at))
            put_lanes(out, at, a)
            at += WIDTH
    for at in range(0, hidden, WIDTH):
        unit = clipped(lanes_at(out, at))
        put_lanes(out, at, times(unit, unit) if facts.squared else unit)


@inlined
def dot(weights, start, units, hidden):
    """The dot product of the hidden layer with the row that begins at `start`."""
    a, b, c, d = no_lanes(), no_lanes(), no_lanes(), no_lanes()
    at = np.int64(0)
    while at + BLOCK <= hidden:
        row = start + at
        a = plus(a, times(lanes_at(units, at), lanes_at(weights, row)))
        b = plus(b, times(lanes_at(units, at + WIDTH), lanes_at(weights, row + WIDTH)))
        c = plus(c, times(lanes_at(units, at + 2 * WIDTH), lanes_at(weights, row + 2 * WIDTH)))
        d = plus(d, times(lanes_at(units, at + 3 * WIDTH), lanes_at(weights, row + 3 * WIDTH)))
        at += BLOCK
    while at < hidden:
        a = plus(a, times(lanes_at(units, at), lanes_at(weights, start + at)))
        at += WIDTH
    return sum_of(plus(plus(a, b), plus(c, d)))


def make_active(features: Callable[..., Any], checked: bool) -> Callable[..., Any]:
    """A game's `features`, for a user's game with its answers checked."""

    def list_active(state, player, out, feature_count):
        count = np.int64(features(state, player, out))
        if checked:
            if count < 0 or count > out.shape[0]:
                raise WrongAnswerError("features returns an impossible number of features")
            for i in range(count):
                if out[i] < 0 or out[i] >= feature_count:
                    raise WrongAnswerError("features gives a feature that is not below feature_count")
        return count

    return list_active


@inlined
def base_of_value(value, middle, half):
    """The inverse tanh of a static value, moved from its range to -1 to 1: what a network builds on.

    >>> round(base_of_value(0.5, 0.0, 1.0), 4), round(base_of_value(1.0, 0.0, 1.0), 4)
    (0.5493, 3.8002)
    """
    return math.atanh(min(MOST_BASE, max(-MOST_BASE, (value - middle) / half)))


@inlined
def base_of_priors(weights, count):
    """Turn a game's priors into the logarithms of their shares; where all are 0, into zeros."""
    total = 0.0
    for i in range(count):
        total += weights[i]
    for i in range(count):
        weights[i] = math.log(max(LEAST_BASE, weights[i] / total)) if total > 0.0 else 0.0


def make_value(
    players: int, checked: bool, current_player: Any, list_active: Any, action_index: Any, own: Any, is_known: Any
) -> Callable[..., Any]:
    """A network's value head as a game's `evaluate`; `own` is that of the game, if the network builds on it.

    Where chance moves, it is player 0 who looks.
    """
    two, has_own, may_know = players == 2, own is not None, own is not None and is_known is not None

    def network_value(state, values, facts):
        if may_know and is_known(state):
            own(state, values)
            return
        weights, hidden = array_at(facts.weights, facts.length), np.int64(facts.hidden)
        active, units = new_active(min(facts.feature_count, MOST_ACTIVE)), new_hidden(hidden)
        player = max(np.int64(current_player(state)), np.int64(0))
        if checked and player >= players:
            raise WrongAnswerError("current_player names a player that the game does not have")
        count = list_active(state, player, active, facts.feature_count)
        fill_hidden(weights, facts, active, count, units)
        head = (np.int64(facts.feature_count) + 1) * hidden
        bias = head + (np.int64(facts.outputs) + np.int64(facts.policy_size)) * hidden
        first = np.float64(dot(weights, head, units, hidden) + weights[bias])
        base = 0.0
        if has_own:
            own(state, values)
            base = facts.base_value * base_of_value(values[player], facts.middle, facts.half)
        first += base
        if facts.outputs == 1:
            found = math.tanh(first)
        else:
            draw = np.float64(dot(weights, head + hidden, units, hidden) + weights[bias + 1])
            loss = np.float64(dot(weights, head + 2 * hidden, units, hidden) + weights[bias + 2]) - base
            most = max(first, draw, loss)
            first, draw, loss = math.exp(first - most), math.exp(draw - most), math.exp(loss - most)
            found = (first - loss) / (first + draw + loss)
        value = facts.middle + facts.half * found
        values[player] = value
        if two:
            values[1 - player] = facts.returns_sum - value

    return network_value


def make_policy(
    players: int, checked: bool, current_player: Any, list_active: Any, action_index: Any, own: Any, is_known: Any
) -> Callable[..., Any]:
    """A network's policy head as a game's `priors`: weights exp(logit / temperature), the greatest of them 1.

    `own` is the game's own rule, if the network builds on it.
    """
    has_index, has_own, may_know = action_index is not None, own is not None, own is not None and is_known is not None

    def network_priors(state, actions, count, out, facts):
        if may_know and is_known(state):
            own(state, actions, count, out)
            return
        weights, hidden = array_at(facts.weights, facts.length), np.int64(facts.hidden)
        active, units = new_active(min(facts.feature_count, MOST_ACTIVE)), new_hidden(hidden)
        player = max(np.int64(current_player(state)), np.int64(0))
        if checked and player >= players:
            raise WrongAnswerError("current_player names a player that the game does not have")
        fill_hidden(weights, facts, active, list_active(state, player, active, facts.feature_count), units)
        head = (np.int64(facts.feature_count) + 1 + np.int64(facts.outputs)) * hidden
        bias = head + np.int64(facts.policy_size) * hidden + np.int64(facts.outputs)
        if has_own:
            own(state, actions, count, out)
            base_of_priors(out, count)
        most = -np.inf
        for i in range(count):
            index = np.int64(actions[i])
            if has_index:
                index = np.int64(action_index(state, index))
            if checked and (index < 0 or index >= facts.policy_size):
                raise WrongAnswerError("action_index gives an index that is not below policy_size")
            found = np.float64(dot(weights, head + index * hidden, units, hidden) + weights[bias + index])
            out[i] = found + facts.base_policy * out[i] if has_own else found
            most = max(most, out[i])
        for i in range(count):
            out[i] = math.exp((out[i] - most) * facts.power)

    return network_priors


MAKERS = {"evaluate": make_value, "priors": make_policy}
