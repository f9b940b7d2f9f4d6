"""Small games whose actions are drawn."""

import numpy as np

import playout as po


class Throw(po.Game):
    """Three throws of a length from 0 to 1 each, closer to 1.7 in all is better; chance adds wind after each."""

    players = 1
    max_actions = 20
    action_width = 1
    settings = {"wind": 0.0}  # noqa: RUF012
    state = np.dtype([("x", np.float64), ("thrown", np.int8), ("blows", np.int8), ("wind", np.float64)])

    @staticmethod
    def initial_state(state):
        state.x = 0.0

    @staticmethod
    def current_player(state):
        if state.blows:
            return po.CHANCE
        return po.TERMINAL if state.thrown == 3 else 0

    @staticmethod
    def sample_action(state, rng, out):
        out[0] = po.normal(rng) if state.blows else po.random(rng)

    @staticmethod
    def apply(state, action, rewards):
        if state.blows:
            state.x += state.wind * action[0]
            state.blows = 0
        else:
            state.x += action[0]
            state.thrown += 1
            state.blows = state.wind > 0.0
            rewards[0] = 0.1 * action[0]
        if state.thrown == 3 and not state.blows:
            rewards[0] -= abs(state.x - 1.7)

    @staticmethod
    def evaluate(state, values):
        values[0] = -abs(state.x - 1.7)


class KeptThrow(Throw):
    """The same, with the state kept at each node."""

    keep_states = True


class Bids(po.Game):
    """Two players in turn pass or name an amount and a share; the player with the larger product wins."""

    players = 2
    max_actions = 12
    action_width = 2
    value_range = (0.0, 1.0)
    returns_sum = 1.0
    state = np.dtype([("named", np.float64, 2), ("turn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.turn = 0

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.turn >= 4 else state.turn % 2

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 0  # pass: the row (0, 0)
        actions[1] = 1  # all or nothing: the row (1, 0)
        return 2

    @staticmethod
    def sample_action(state, rng, out):
        out[0] = 2.0 + po.random_below(rng, 3)
        out[1] = po.random(rng)

    @staticmethod
    def apply(state, action, rewards):
        who = state.turn % 2
        state.named[who] = max(state.named[who], action[0] * action[1])
        state.turn += 1
        if state.turn == 4:
            rewards[0] = 0.5 if state.named[0] == state.named[1] else 1.0 if state.named[0] > state.named[1] else 0.0
            rewards[1] = 1.0 - rewards[0]
