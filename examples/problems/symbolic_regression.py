"""Symbolic regression: find the formula behind a table, here one of Nguyen-1 to Nguyen-8 (Uy et al. 2011).

playout analyze examples/problems/symbolic_regression.py:Formula --set nguyen=2 -n 100000
"""

import math

import numpy as np

import playout as po

TOKENS = ("+", "-", "*", "/", "sin", "cos", "exp", "log", "x", "1")
OPERANDS = np.array([2, 2, 2, 2, 1, 1, 1, 1, 0, 0])
POINTS, LONGEST = 20, 32
TARGETS = (
    lambda x: x**3 + x**2 + x,
    lambda x: x**4 + x**3 + x**2 + x,
    lambda x: x**5 + x**4 + x**3 + x**2 + x,
    lambda x: x**6 + x**5 + x**4 + x**3 + x**2 + x,
    lambda x: np.sin(x**2) * np.cos(x) - 1,
    lambda x: np.sin(x) + np.sin(x + x**2),
    lambda x: np.log(x + 1) + np.log(x**2 + 1),
    np.sqrt,
)
RANGES = ((-1, 1),) * 6 + ((0, 2), (0, 4))


class Formula(po.Game):
    """A formula in prefix notation, one token an action: `+ x * x x` is x + x * x.

    It brings 1 / (1 + error), where the error is the root of the mean squared difference over the spread of the table.
    """

    name = "formula"
    players = 1
    max_actions = len(TOKENS)
    action_codes = len(TOKENS) * LONGEST
    value_range = (0.0, 1.0)
    settings = {"nguyen": 1, "length": 21}  # noqa: RUF012
    state = np.dtype([("tokens", np.int8, (LONGEST,)), ("count", np.int32), ("open", np.int32), ("length", np.int32)])
    constants = np.dtype(
        [("nguyen", np.int64), ("spread", np.float64), ("x", np.float64, (POINTS,)), ("y", np.float64, (POINTS,))]
    )

    def check_settings(self):
        if not 1 <= self.values["nguyen"] <= len(TARGETS) or not 1 <= self.values["length"] <= LONGEST:
            raise po.SettingsError(f"{self.title}: expected nguyen from 1 to 8 and a length from 1 to {LONGEST}")

    def fill_constants(self, constants):
        number = self.values["nguyen"] - 1
        low, high = RANGES[number]
        constants.x[:] = low + (high - low) * (np.arange(POINTS) + 0.5) / POINTS
        constants.y[:] = TARGETS[number](constants.x)
        constants.spread = constants.y.std()

    @staticmethod
    def initial_state(state):
        state.open = 1

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.open == 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for token in range(len(TOKENS)):
            if state.open > 0 and state.count + state.open + OPERANDS[token] <= state.length:
                actions[count] = token
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.tokens[state.count] = action
        state.count += 1
        state.open += OPERANDS[action] - 1
        if state.open > 0:
            return
        total = 0.0
        stack = np.zeros(LONGEST)
        for point in range(POINTS):
            top = 0
            for i in range(state.count - 1, -1, -1):  # the operands of a token come after it
                token = state.tokens[i]
                if token == 8:
                    stack[top] = state.x[point]
                    top += 1
                elif token == 9:
                    stack[top] = 1.0
                    top += 1
                elif token < 4:
                    a, b = stack[top - 1], stack[top - 2]
                    top -= 1
                    if token == 0:
                        stack[top - 1] = a + b
                    elif token == 1:
                        stack[top - 1] = a - b
                    elif token == 2:
                        stack[top - 1] = a * b
                    else:
                        stack[top - 1] = a / b if b != 0.0 else math.nan
                elif token == 4:
                    stack[top - 1] = math.sin(stack[top - 1])
                elif token == 5:
                    stack[top - 1] = math.cos(stack[top - 1])
                elif token == 6:
                    stack[top - 1] = math.exp(stack[top - 1]) if stack[top - 1] < 50.0 else math.nan
                else:
                    stack[top - 1] = math.log(stack[top - 1]) if stack[top - 1] > 0.0 else math.nan
                if not abs(stack[top - 1]) < 1e100:
                    return  # not a number anywhere in the table: worth nothing
            total += (stack[0] - state.y[point]) ** 2
        rewards[0] = 1.0 / (1.0 + math.sqrt(total / POINTS) / state.spread)

    @staticmethod
    def action_code(state, action):
        return state.count * len(TOKENS) + action

    def action_to_text(self, state, action):
        return TOKENS[action]

    def state_to_text(self, state):
        return " ".join(TOKENS[token] for token in state.tokens[: state.count]) or "empty"

    def state_from_text(self, state, text):
        for word in text.split() if text != "empty" else ():
            self.rules.functions["apply"](state, self.action_from_text(state, word), np.zeros(1))
