"""Heuristics for target sum: priors, and a static value that looks one number ahead."""

import numpy as np


def priors(state, actions, count, out):
    """A hit first; then numbers that leave the target within reach; last those that go too far."""
    smallest, largest = actions[0], actions[0]
    for i in range(count):
        smallest, largest = min(smallest, actions[i]), max(largest, actions[i])
    moves_after = np.int64(state.moves - state.made - 1)
    total = 0.0
    for i in range(count):
        rest = state.target - state.total - actions[i]
        if rest == 0:
            weight = 100.0
        elif rest < 0:
            weight = 0.01
        elif rest < smallest or rest > moves_after * largest:
            weight = 0.1
        else:
            weight = 1.0
        out[i] = weight
        total += weight
    for i in range(count):
        out[i] /= total


def evaluate(state, values):
    """1 when one number hits, -1 when every number goes too far, -0.5 when the target is out of reach, otherwise 0."""
    values[0] = 0.0
    rest = state.target - state.total
    if rest <= 0 or state.made >= state.moves:
        return  # the game is over: no more rewards
    smallest, largest = state.numbers[0], state.numbers[0]
    hit = False
    for i in range(16):
        number = state.numbers[i]
        if number > 0:
            smallest, largest = min(smallest, number), max(largest, number)
            hit = hit or number == rest
    if hit:
        values[0] = 1.0
    elif rest < smallest:
        values[0] = -1.0
    elif rest > np.int64(state.moves - state.made) * largest:
        values[0] = -0.5
