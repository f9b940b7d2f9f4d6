"""Nim whose rules go wrong where its settings say: one class, compiled once, for thousands of different mistakes.

Two players take one to three stones in turn; who takes the last one wins. With `chance`, a coin takes another one after
each move, on behalf of the player who moved.
"""

import random
from functools import cache
from typing import Any, ClassVar

import numpy as np

import playout as po

NONE = 0
# What can go wrong in each rule; a mistake is a number in this list, plus one.
MISTAKES = {
    "current_player": ("another player", "raises", "loops"),
    "legal_actions": (
        "writes past the end",
        "returns too many",
        "leaves a place unwritten",
        "returns none",
        "returns below zero",
        "lists one twice",
        "writes before the beginning",
        "lists a huge action",
        "changes the state",
        "raises",
        "loops",
    ),
    "apply": (
        "rewards past the end",
        "state past the end",
        "nan",
        "infinity",
        "out of range",
        "wrong sum",
        "rewards too often",
        "changes nothing",
        "raises",
        "loops",
    ),
    "chance_outcomes": ("writes past the end", "wrong sum", "below zero", "nan", "returns none", "raises"),
    "priors": ("writes past the end", "leaves a place unwritten", "nan", "below zero", "zero", "raises"),
    "evaluate": (
        "writes past the end",
        "leaves a place unwritten",
        "nan",
        "infinity",
        "out of range",
        "wrong sum",
        "raises",
    ),
    "hash": ("the same for all", "raises"),
    "playout_action": ("another action", "raises"),
}
RULES = tuple(MISTAKES)
PLAYER, LEGAL, APPLY, OUTCOMES, PRIORS, EVALUATE, HASH, PLAYOUT = range(len(RULES))


class Fuzzed(po.Game):
    """`rule` goes wrong by `mistake` where `at` stones are left; `amount` says how much."""

    players = 2
    max_actions = 3
    settings: ClassVar = {"stones": 10, "chance": 0, "rule": 0, "mistake": 0, "at": 0, "amount": 1}
    state = np.dtype(
        [
            ("stones", np.int32),
            ("chance", np.int8),
            ("rule", np.int8),
            ("mistake", np.int8),
            ("at", np.int32),
            ("amount", np.int32),
            ("turn", np.int8),
            ("rolling", np.int8),
            ("last", np.int8, (4,)),
        ]
    )

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.rule == PLAYER and state.stones == state.at:
            if state.mistake == 1:
                return state.amount + 1
            if state.mistake == 2:
                raise ValueError("fuzzed")
            while state.mistake == 3:
                pass
        if state.stones <= 0:
            return po.TERMINAL
        return po.CHANCE if state.rolling else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = i + 1
        if state.rule == LEGAL and state.stones == state.at:
            if state.mistake == 1:
                for i in range(state.amount):
                    actions[3 + i] = 1
            if state.mistake == 2:
                return np.int64(3) + state.amount
            if state.mistake == 3:
                return 3
            if state.mistake == 4:
                return 0
            if state.mistake == 5:
                return -np.int64(state.amount)
            if state.mistake == 6:
                actions[1] = 1
                return 2
            if state.mistake == 7:
                actions[-state.amount] = 1
            if state.mistake == 8:
                actions[0] = 2**31 - 1
            if state.mistake == 9:
                state.stones += 1
            if state.mistake == 10:
                raise ValueError("fuzzed")
            while state.mistake == 11:
                pass
        return count

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0] = probabilities[1] = 0.5
        if state.rule == OUTCOMES and state.stones == state.at:
            if state.mistake == 1:
                for i in range(state.amount):
                    probabilities[3 + i] = 0.5
            if state.mistake == 2:
                probabilities[0] = 0.1
            if state.mistake == 3:
                probabilities[0], probabilities[1] = -0.5, 1.5
            if state.mistake == 4:
                probabilities[1] = np.nan
            if state.mistake == 5:
                return 0
            if state.mistake == 6:
                raise ValueError("fuzzed")
        return 2

    @staticmethod
    def apply(state, action, rewards):
        wrong = state.mistake if state.rule == APPLY and state.stones == state.at else 0
        if wrong == 8:
            return
        if wrong == 9:
            raise ValueError("fuzzed")
        while wrong == 10:
            pass
        state.last[action % 4] = 1
        if wrong == 1:
            rewards[1 + state.amount] = 1.0
        if wrong == 2:
            state.last[3 + state.amount] = 1
        state.stones -= action
        if state.stones <= 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        if wrong == 3:
            rewards[0] = np.nan
        if wrong == 4:
            rewards[state.turn] = np.inf
        if wrong == 5:
            rewards[state.turn], rewards[1 - state.turn] = 5.0, -5.0
        if wrong == 6:
            rewards[state.turn] += 0.5
        if wrong == 7:
            rewards[state.turn] += 0.75
            rewards[1 - state.turn] -= 0.75
        if state.rolling or state.chance == 0:
            state.rolling = 0
            state.turn = 1 - state.turn
        else:
            state.rolling = 1

    @staticmethod
    def priors(state, actions, count, out):
        wrong = state.mistake if state.rule == PRIORS and state.stones == state.at else 0
        for i in range(count - 1 if wrong == 2 else count):
            out[i] = 1.0 + i
        if wrong == 1:
            for i in range(state.amount):
                out[3 + i] = 1.0
        if wrong == 3:
            out[0] = np.nan
        if wrong == 4:
            out[count - 1] = -1.0
        if wrong == 5:
            for i in range(count):
                out[i] = 0.0
        if wrong == 6:
            raise ValueError("fuzzed")

    @staticmethod
    def evaluate(state, values):
        wrong = state.mistake if state.rule == EVALUATE and state.stones == state.at else 0
        for p in range(1 if wrong == 2 else 2):
            values[p] = 0.25 if p == state.turn else -0.25
        if wrong == 1:
            values[1 + state.amount] = 0.0
        if wrong == 3:
            values[0] = np.nan
        if wrong == 4:
            values[0], values[1] = np.inf, -np.inf
        if wrong == 5:
            values[0], values[1] = 7.0, -7.0
        if wrong == 6:
            values[0] = values[1] = 0.5
        if wrong == 7:
            raise ValueError("fuzzed")

    @staticmethod
    def hash(state):
        if state.rule == HASH and state.stones == state.at:
            if state.mistake == 1:
                return np.uint64(1)
            if state.mistake == 2:
                raise ValueError("fuzzed")
        return np.uint64((state.stones * 4 + state.turn * 2 + state.rolling + 8) * 1_000_003)

    @staticmethod
    def playout_action(state, actions, count, rng):
        if state.rule == PLAYOUT and state.stones == state.at:
            if state.mistake == 1:
                return np.int64(3) + state.amount
            if state.mistake == 2:
                raise ValueError("fuzzed")
        return actions[po.random_below(rng, count)]


@cache
def exact(stones: int, rolling: bool, chance: bool) -> float:
    """What the position is worth to the player at turn, of whom the coin is part, by going through all of it."""
    if rolling:
        outcomes = (1.0 if stones - taken <= 0 else -exact(stones - taken, False, chance) for taken in (0, 1))
        return sum(outcomes) / 2
    values = []
    for action in range(1, min(3, stones) + 1):
        left = stones - action
        values.append(1.0 if left == 0 else exact(left, True, True) if chance else -exact(left, False, False))
    return max(values)


# The same as Python objects, whose methods can return anything.

WRONG_ANSWERS: dict[str, tuple[Any, ...]] = {
    "current_player": (-2, -3, 2, 99, 0.5, "white", True, [0], float("nan")),
    "legal_actions": (
        None,
        7,
        "ab",
        [[]],
        [1, 1],
        [None],
        {"a": 1},
        list(range(5000)),
        np.array([1.5]),
        [float("nan")],
    ),
    "play": (None, 3, "after", []),
    "returns": (None, 1.0, [1.0], [1.0, -1.0, 0.0], "win", [float("nan")] * 2, [5.0, -5.0], [1.0, 1.0], ["a", "b"]),
    "rewards": (None, 1.0, [1.0], "win", [float("inf"), 0.0], [5.0, -5.0], [0.5, 0.5]),
    "evaluate": (None, 1.0, [0.5], "good", [float("nan")] * 2, [7.0, -7.0], [0.5, 0.5], {0: 1.0, 1: 0.0}),
    "priors": (None, 1.0, [1.0], "abc", [-1.0] * 3, [float("nan")] * 3, {"x": 1.0}, [0.0] * 3),
    "chance_outcomes": (None, [], [1, 2], [("a", 0.5)], [(0, -0.5), (1, 1.5)], {0: 0.2}, [(0, float("nan"))], "ab"),
}
NODE_ANSWERS: dict[str, tuple[Any, ...]] = {
    "find_children": (None, [], [3], "ab", [None], 7),
    "find_random_child": (None, 3, "ab"),
    "is_terminal": (None, "no", 2, 0.5, []),
    "reward": (None, "won", float("nan"), float("inf"), 5.0, [1.0], -1.0),
}
RAISES = "raises"
CHANGES = "changes itself"


class Fuzz(Exception):
    """What a method raises on purpose."""


class FuzzedStones:
    """Nim as an object; `method` gives `answer` where `at` stones are left."""

    players = 2

    def __init__(self, plan: Any, stones: int, turn: int = 0, rolling: bool = False) -> None:
        self.plan, self.stones, self.turn, self.rolling = plan, stones, turn, rolling

    def _do(self, method: str, right: Any) -> Any:
        if self.plan.method == method and self.stones == self.plan.at:
            if self.plan.answer == RAISES:
                raise Fuzz("fuzzed")
            if self.plan.answer == CHANGES:
                self.stones = max(0, self.stones - 1)
            else:
                return self.plan.answer
        return right

    def current_player(self):
        right = None if self.stones <= 0 else po.CHANCE if self.rolling else self.turn
        return self._do("current_player", right)

    def legal_actions(self):
        return self._do("legal_actions", list(range(1, min(3, self.stones) + 1)))

    def play(self, action):
        rolls = self.plan.chance and not self.rolling and self.stones > action
        turn = self.turn if rolls else 1 - self.turn
        return self._do("play", type(self)(self.plan, self.stones - action, turn, rolls))

    def chance_outcomes(self):
        return self._do("chance_outcomes", [(0, 0.5), (1, 0.5)])

    def returns(self):
        right = [0.0, 0.0] if self.stones > 0 else [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]
        return self._do("returns", right)

    def evaluate(self):
        return self._do("evaluate", [0.25, -0.25] if self.turn == 0 else [-0.25, 0.25])

    def priors(self):
        return self._do("priors", [1.0] * min(3, self.stones))


class FuzzedRewards(FuzzedStones):
    """The same with rewards on the way."""

    def rewards(self):
        return self._do("rewards", FuzzedStones.returns(self))


class FuzzedNode(FuzzedStones):
    """The same of the `Node` kind: the one to move at the end has lost."""

    play = None

    def find_children(self):
        children = [type(self)(self.plan, self.stones - n, 1 - self.turn) for n in range(1, min(3, self.stones) + 1)]
        return self._do("find_children", children)

    def find_random_child(self):
        if self.stones == 0:
            raise Fuzz("asked at the end")
        left = self.stones - random.randint(1, min(3, self.stones))
        return self._do("find_random_child", type(self)(self.plan, left, 1 - self.turn))

    def is_terminal(self):
        return self._do("is_terminal", self.stones == 0)

    def reward(self):
        return self._do("reward", 0.0)

    def evaluate(self):
        return [0.75, 0.25] if self.turn == 0 else [0.25, 0.75]
