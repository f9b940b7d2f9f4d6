"""The rules of the travelling salesman problem: visit every city once and come back, as short as can be."""

import numpy as np

from playout.game import TERMINAL, Game
from playout.games._shared import helper, lowest_bit

# Five cities, 1-4-2 so far:
#
#      1 --- 4            visited 1, 2, 4: bits 0, 1, 3
#          /              here    2
#        2                actions 3 and 5; the second of them also goes back to 1
#      5     3

MOST_CITIES = 128
ONE = np.uint64(1)


@helper
def distance(state, start, end):
    return state.distances[start * state.cities + end]


class TspRules(Game):
    """An action is the next city, counted from 0."""

    players = 1
    max_actions = MOST_CITIES
    action_codes = MOST_CITIES * MOST_CITIES
    unkeyed = ("order", "length")
    settings = {"cities": 12, "seed": 1, "coordinates": "", "distances": "", "tsplib": ""}  # noqa: RUF012
    files = {"file": "tsplib"}  # noqa: RUF012
    state = np.dtype(
        [
            ("visited", np.uint64, (2,)),  # a bit for each city
            ("here", np.uint8),
            ("count", np.uint8),  # cities visited
            ("order", np.uint8, (MOST_CITIES,)),  # for people: the cities as they were visited
            ("length", np.float64),  # of the way so far; at the end, of the whole tour
        ]
    )
    constants = np.dtype(
        [
            ("cities", np.int64),
            ("seed", np.int64),
            ("distances", np.float64, (MOST_CITIES * MOST_CITIES,)),  # from * cities + to
            ("weights", np.float64, (MOST_CITIES * MOST_CITIES,)),  # the priors of a step, not normalised
            ("places", np.float64, (MOST_CITIES, 2)),  # on a map, for the drawing
        ]
    )

    @staticmethod
    def initial_state(state):
        state.visited[0] = ONE
        state.count = 1

    @staticmethod
    def current_player(state):
        return TERMINAL if state.count == state.cities else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for word in range((state.cities + 63) >> 6):
            here = np.uint64(min(64, state.cities - 64 * word))  # cities of this word
            left = ~state.visited[word] & (~np.uint64(0) >> (np.uint64(64) - here))
            while left != np.uint64(0):
                actions[count] = 64 * word + lowest_bit(left)
                left &= left - ONE
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        step = distance(state, np.int64(state.here), action)
        state.visited[action >> 6] |= ONE << np.uint64(action & 63)
        state.here = action
        state.order[state.count] = action
        state.count += 1
        if state.count == state.cities:
            step += distance(state, action, 0)
        state.length += step
        rewards[0] = -step

    @staticmethod
    def action_code(state, action):
        """The step: from where, and where to."""
        return np.int64(state.here) * state.cities + action

    @staticmethod
    def priors(state, actions, count, out):
        """Near cities first."""
        first = np.int64(state.here) * state.cities
        total = 0.0
        for i in range(count):
            out[i] = state.weights[first + actions[i]]
            total += out[i]
        for i in range(count):
            out[i] /= total

    @staticmethod
    def hash(state):
        """The cities visited, and where the salesman is."""
        key = state.visited[0] * np.uint64(0x9E3779B97F4A7C15)
        key = (key ^ (key >> np.uint64(29)) ^ state.visited[1]) * np.uint64(0xBF58476D1CE4E5B9)
        key = (key ^ (key >> np.uint64(32)) ^ np.uint64(state.here)) * np.uint64(0x94D049BB133111EB)
        return key ^ (key >> np.uint64(31))
