"""Nim with one fault at a time, chosen by a setting, so that one compilation serves them all."""

import math
from typing import ClassVar

import numba
import numpy as np

import playout as po

FAULTS = [
    "none",
    "many actions",
    "many actions, few returned",
    "no actions",
    "reward past the end",
    "index past the end of the state",
    "nan",
    "infinity",
    "out of range",
    "wrong sum",
    "player",
    "raises",
    "values past the end",
    "static nan",
    "static out of range",
    "static for one player",
    "priors past the end",
    "never returns",
    "a long range",
    "nested ranges",
    "a range of step zero",
    "one action too many",
    "an action twice",
    "index below zero",
    "square past the end of the state",
    "mask past the end of the state",
    "prior nan",
    "prior below zero",
    "prior infinite",
    "prior unwritten",
    "playout action",
    "playout action past the end",
    "hash raises",
]


class Faulty(po.Game):
    """Take one to three of 21 stones; the last one wins. The fault shows where seven stones are left, or nine."""

    players = 2
    max_actions = 3
    settings: ClassVar = {"fault": 0}
    state = np.dtype(
        [
            ("stones", np.int32),
            ("turn", np.int8),
            ("fault", np.int8),
            ("board", np.int8, (4,)),
            ("grid", np.int8, (2, 3)),
        ]
    )

    @staticmethod
    def initial_state(state):
        state.stones = 21

    @staticmethod
    def current_player(state):
        if state.fault == 10 and state.stones == 7:
            return 9
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        written = count
        if state.stones == 9 and state.fault == 1:
            count = written = 300
        if state.stones == 9 and state.fault == 2:
            written = 1000
        if state.stones == 9 and state.fault == 3:
            count = 0
        if state.stones == 9 and state.fault == 21:
            written = 4
        for i in range(written):
            actions[i] = i + 1
        if state.stones == 9 and state.fault == 22:
            actions[2] = 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 7:
            if state.fault == 4:
                rewards[2] = 1.0
            if state.fault == 5:
                state.board[action + 3] = 1
            if state.fault == 6:
                rewards[0] = math.nan
            if state.fault == 7:
                rewards[1] = math.inf
            if state.fault == 8:
                rewards[0], rewards[1] = 5.0, -5.0
            if state.fault == 9:
                rewards[0] = 0.25
            if state.fault == 11:
                raise ValueError("no such stone")
            while state.fault == 17:
                state.board[0] += 1
            if state.fault == 18:
                for i in range(10**15):
                    state.board[0] ^= i
            if state.fault == 19:
                for i in range(30_000):
                    for j in range(30_000):
                        for k in range(30_000):
                            state.board[0] += i * j ^ k * state.board[0]
            if state.fault == 20:
                for i in range(0, 5, state.stones - 7):
                    state.board[0] = i
            if state.fault == 23:
                rewards[-2 - action] = 1.0
            if state.fault == 24:
                state.grid[2, action] = 1
            if state.fault == 25:
                state.board[np.ones(9, np.bool_)] = 1
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn

    @staticmethod
    def evaluate(state, values):
        values[0] = values[1] = 0.0
        if state.stones == 7 and state.fault == 12:
            values[7] = 1.0
        if state.stones == 7 and state.fault == 13:
            values[0] = math.nan
        if state.stones == 7 and state.fault == 14:
            values[0], values[1] = 3.0, -3.0
        if state.stones == 7 and state.fault == 15:
            values[0] = 0.5

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count - 1 if state.fault == 29 and state.stones == 9 else count):
            out[i] = 1.0
        if state.stones == 9 and state.fault == 16:
            out[5000] = 1.0
        if state.stones == 9 and state.fault == 26:
            out[1] = math.nan
        if state.stones == 9 and state.fault == 27:
            out[1] = -0.5
        if state.stones == 9 and state.fault == 28:
            out[1] = math.inf


class Drawing(Faulty):
    """It draws the actions of guided playouts itself, and has keys of its own."""

    @staticmethod
    def playout_action(state, actions, count, rng):
        if state.stones == 7 and state.fault == 30:
            return 99
        if state.stones == 7 and state.fault == 31:
            return actions[count + 1]
        return actions[po.random_below(rng, count)]

    @staticmethod
    def hash(state):
        if state.stones == 9 and state.fault == 32:
            raise ValueError("no key")
        return state.stones * 2 + state.turn


class Forgetful(Faulty):
    """A key of its own that is another one each time."""

    @staticmethod
    def hash(state):
        return np.random.randint(0, 1 << 60)  # noqa: NPY002  # what Numba compiles


class Coin(po.Game):
    """One player bets on four tosses of a coin, which can't land on its edge."""

    players = 1
    max_actions = 3
    settings: ClassVar = {"fault": 0}
    state = np.dtype([("tosses", np.int8), ("bet", np.int8), ("fault", np.int8)])

    @staticmethod
    def initial_state(state):
        state.bet = -1

    @staticmethod
    def current_player(state):
        if state.tosses == 4:
            return po.TERMINAL
        return po.CHANCE if state.bet >= 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(4 if state.fault == 3 and state.tosses == 3 else 3):
            probabilities[i] = 0.5 if i < 2 else 0.0
        for i in range(3):
            actions[i] = i
        return 3

    @staticmethod
    def chance_action(state, rng):
        if state.tosses == 3 and state.fault == 1:
            return 7
        if state.tosses == 3 and state.fault == 2:
            return 2
        return po.random_below(rng, 2)

    @staticmethod
    def apply(state, action, rewards):
        if state.bet < 0:
            state.bet = action
        else:
            rewards[0] = 0.25 if state.bet == action else 0.0
            state.tosses += 1
            state.bet = -1


@numba.njit
def fill(actions, count):
    for i in range(count):
        actions[i] = i


class Helpless(Faulty):
    """Its actions are written by a function of its own, far past the end."""

    @staticmethod
    def legal_actions(state, actions):
        fill(actions, 1000)
        return 3


@numba.njit
def countdown(stones):
    return 0 if stones == 0 else 1 + countdown(stones - 1)


@numba.njit
def is_even(stones):
    return True if stones == 0 else is_odd(stones - 1)


@numba.njit
def is_odd(stones):
    return False if stones == 0 else is_even(stones - 1)


class Recursive(Faulty):
    """A helper of its own calls itself."""

    @staticmethod
    def legal_actions(state, actions):
        fill(actions, 3)
        return min(3, countdown(state.stones))


class MutuallyRecursive(Faulty):
    """Two helpers of its own call each other."""

    @staticmethod
    def legal_actions(state, actions):
        fill(actions, 3)
        return 2 if is_even(state.stones) else 1
