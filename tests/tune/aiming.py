"""A game of one move, and a policy that plays the action its setting aims at: the best setting is known."""

import numpy as np

import playout as po

BEST = 7  # the action of the highest return


class Line(po.Game):
    """Choose a number from 0 to 20: the closer to 7, the better. Luck adds 0 or 1."""

    players = 1
    max_actions = 21
    state = np.dtype([("chosen", np.int8), ("drawn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.chosen = -1

    @staticmethod
    def current_player(state):
        if state.chosen < 0:
            return 0
        return po.TERMINAL if state.drawn else po.CHANCE

    @staticmethod
    def legal_actions(state, actions):
        for i in range(21):
            actions[i] = i
        return 21

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if state.chosen < 0:
            state.chosen = action
        else:
            state.drawn = 1
            rewards[0] = action - abs(state.chosen - 7)


class Aim(po.Policy):
    """All visits go to the action nearest `where`."""

    where: float = 0.0
    scores_unvisited = True
    unvisited = 0.0

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return -abs(edge.action - policy.where)
