"""Small games of one player for nested search, with answers that can be calculated in another way."""

from itertools import pairwise, permutations

import numpy as np

import playout as po

CITIES = 7
PLACES = np.array([[0, 0], [7, 1], [2, 9], [9, 8], [4, 4], [1, 5], [8, 3]], np.float64)
DISTANCES = np.abs(PLACES[:, None] - PLACES[None]).sum(axis=2)  # as a taxi drives


class Tour(po.Game):
    """A round trip through seven cities."""

    players = 1
    max_actions = CITIES
    action_codes = CITIES * CITIES
    state = np.dtype([("here", np.int8), ("count", np.int8), ("visited", np.int8, (CITIES,))])

    @staticmethod
    def initial_state(state):
        state.visited[0] = 1
        state.count = 1

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.count == CITIES else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for city in range(CITIES):
            if not state.visited[city]:
                actions[count] = city
                count += 1
        return count

    @staticmethod
    def action_code(state, action):
        return state.here * CITIES + action

    @staticmethod
    def apply(state, action, rewards):
        rewards[0] = -DISTANCES[state.here, action]
        state.here = action
        state.visited[action] = 1
        state.count += 1
        if state.count == CITIES:
            rewards[0] -= DISTANCES[action, 0]


class GuidedTour(Tour):
    """The same with priors: near cities first."""

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0 / (1.0 + DISTANCES[state.here, actions[i]])


class Stairs(po.Game):
    """Steps of 1 to 4 up to 24, with rewards that look random; several actions share a code, after some steps there is
    one legal action, and codes are not declared."""

    players = 1
    max_actions = 4
    state = np.dtype([("height", np.int32), ("before", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.height >= 24 else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 1 if state.height % 5 == 3 else 4
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def action_code(state, action):
        return 8 * (state.height % 7) + min(action, 3)

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):  # none at heights that are multiples of 4: then all are equal
            out[i] = 0.0 if state.height % 4 == 0 else 0.5 * (actions[i] % 3)

    @staticmethod
    def apply(state, action, rewards):
        rewards[0] = ((state.height * 7 + state.before * 5 + action * 11) % 13 - 6) * 0.5
        state.height += action
        state.before = action


def shortest_tour():
    """The length of the shortest tour, by trying all of them."""
    tours = ((0, *middle, 0) for middle in permutations(range(1, CITIES)))
    return min(sum(DISTANCES[a, b] for a, b in pairwise(tour)) for tour in tours)
