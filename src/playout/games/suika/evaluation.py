"""The heuristic of suika: a weight for each column, and a static value."""

import numpy as np

from playout.games._shared import helper

from .rules import FOUR, NIBBLE, ZERO
from .settings import HIGHEST

OVERFLOWING = HIGHEST  # in `by_height`: where a column is too high


@helper
def fill_tables(state):
    """The factors that a column's weight is made of, e to each term of its score over the temperature."""
    for equal in range(4):
        state.by_equal[equal] = np.exp(state.equal * equal / state.temperature)
    for height in range(HIGHEST):
        state.by_height[height] = np.exp(-state.height * min(height / state.line, 1.0) / state.temperature)
    state.by_height[OVERFLOWING] = np.exp(-(state.height + state.overflow) / state.temperature)
    middle = (state.columns + 1) / 2
    for column in range(1, state.columns + 1):
        nearness = 1.0 - abs(column - middle) / middle
        state.by_column[column] = np.exp(state.centre * nearness / state.temperature)


@helper
def weigh(state, weights):
    """Fill in the heuristic's weight of each column, the product of its factors; returns their sum."""
    kind = np.uint64(state.queue & np.uint32(15))
    total = 0.0
    left, stack = ZERO, state.stacks[1]
    for column in range(1, state.columns + 1):
        right = state.stacks[column + 1]
        height = np.int64(state.heights[column])
        place = np.uint64(4 * height)
        below = (stack << FOUR) >> place  # the fruit on top, 0 for the floor
        equal = np.int64(below == kind) + np.int64((left >> place) & NIBBLE == kind)
        equal += np.int64((right >> place) & NIBBLE == kind)
        if height >= state.line and below != kind:  # on an equal one it would merge, and not stay
            height = OVERFLOWING
        weights[column - 1] = state.by_equal[equal] * state.by_height[height] * state.by_column[column]
        total += weights[column - 1]
        left, stack = stack, right
    return total


def priors(state, actions, count, out):
    """The weights of the columns, scaled to sum to 1."""
    scale = 1.0 / weigh(state, out)
    for i in range(count):
        out[i] *= scale


def evaluate(state, values):
    """Minus the penalties for the share of the box filled and for the highest column; points so far don't count."""
    fruits, highest = 0, 0
    for column in range(1, state.columns + 1):
        height = np.int64(state.heights[column])
        fruits += height
        highest = max(highest, height)
    filled_share, highest_share = fruits / (state.columns * state.line), highest / state.line
    values[0] = -state.height_penalty * filled_share - state.highest_penalty * highest_share
