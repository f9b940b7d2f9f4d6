"""A game of one file."""

from typing import ClassVar

import numpy as np

import playout as po


class Race(po.Game):
    """Add one or two; whoever reaches the goal wins."""

    players = 2
    max_actions = 2
    state = np.dtype([("goal", np.int32), ("total", np.int32), ("turn", np.int8)])
    preset = "toy_quick"
    settings: ClassVar = {"goal": 7}

    @staticmethod
    def initial_state(state):
        state.total = 0

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.total >= state.goal else state.turn

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 2
        return 2

    @staticmethod
    def apply(state, action, rewards):
        state.total += action
        if state.total >= state.goal:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn
