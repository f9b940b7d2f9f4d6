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
]


class Faulty(po.Game):
    """Take one to three of 21 stones; the last one wins. The fault shows where seven stones are left, or nine."""

    players = 2
    max_actions = 3
    settings: ClassVar = {"fault": 0}
    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("fault", np.int8), ("board", np.int8, (4,))])

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
        for i in range(written):
            actions[i] = i + 1
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
        for i in range(count):
            out[i] = 1.0
        if state.stones == 9 and state.fault == 16:
            out[5000] = 1.0


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
