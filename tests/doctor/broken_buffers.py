"""Games that write outside of their buffers, leave places unwritten, never return, or refer to what changes outside."""

import numba
import numpy as np

from .broken_games import Dice, Nim, broken


@broken(
    "past-end", "legal_actions", "writes 1,000 entries of `actions`, which has 3 (max_actions)", "write only as far"
)
class WritesThousand(Nim):
    """Returns a small count all the same."""

    @staticmethod
    def legal_actions(state, actions):
        for i in range(1000):
            actions[i] = 1
        for i in range(3):
            actions[i] = i + 1
        return min(3, state.stones)


@broken("too-many-actions", "legal_actions", "lists 300 actions, more than max_actions = 100")
class ListsThreeHundred(Nim):
    max_actions = 100

    @staticmethod
    def legal_actions(state, actions):
        for i in range(300):
            actions[i] = i + 1
        return 300


@broken("past-end", "apply", "writes 3 entries of `rewards`, which has 2 (one per player)", "in 'stones=", "action 3")
class RewardsThird(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if action == 3:
            rewards[2] = 1.0
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("past-end", "evaluate", "writes 5 entries of `values`, which has 2 (one per player)")
class ValuesOfFive(Nim):
    @staticmethod
    def evaluate(state, values):
        for p in range(5):
            values[p] = 0.0


@broken("past-end", "priors", "writes 64 entries of `out`, which has 3 (max_actions)")
class PriorsOfSixtyFour(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        for i in range(64):
            out[i] = 1.0


@broken("past-end", "chance_outcomes", "writes 8 entries of `probabilities`, which has 6 (max_actions)")
class EightProbabilities(Dice):
    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
        for i in range(8):
            probabilities[i] = 1 / 6
        return 6


@broken("past-end", "observe", "writes `planes[2, 0]`, but the shape of `planes` is (2, 3)")
class ThirdPlane(Nim):
    planes, policy_size = (2, 3), 4

    @staticmethod
    def observe(state, player, planes):
        for i in range(3):
            planes[i, 0] = 1.0


@broken("past-end", "apply", "writes 12 entries of `state.taken`, which has 4", "its shape")
class LongHistory(Nim):
    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("moves", np.int8), ("taken", np.int8, (4,))])

    @staticmethod
    def apply(state, action, rewards):
        for i in range(12):
            state.taken[i] = action
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("past-end", "initial_state", "writes `state.board[0, 5]`, but the shape of `state.board` is (2, 5)")
class WideBoard(Nim):
    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("board", np.int8, (2, 5))])

    @staticmethod
    def initial_state(state):
        state.stones = 11
        for c in range(6):
            state.board[0, c] = 1


@numba.njit
def fill(actions, count):
    for i in range(count):
        actions[i] = i + 1


@broken("past-end", "legal_actions", "writes 9 entries of `actions`, which has 3 (max_actions)")
class HelperWrites(Nim):
    """The loop is in a compiled helper, which the doctor runs as plain Python too."""

    @staticmethod
    def legal_actions(state, actions):
        fill(actions, 9)
        return min(3, state.stones)


@broken("negative-index", "legal_actions", "writes `actions[-1]`, which counts from the end", "check the index")
class WritesTheLast(Nim):
    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i - 1] = i + 1
        actions[0], actions[1], actions[2] = 1, 2, 3
        return count


@broken("never-returns", "apply", "did not return within 0.5 s", "broken_buffers.py:", "in 'stones=", "action 1")
class LoopsNearTheEnd(Nim):
    @staticmethod
    def apply(state, action, rewards):
        rounds = 0
        while state.stones < 6 and action == 1:
            rounds += 1
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("never-returns", "evaluate", "did not return within 0.5 s", "in 'stones=")
class EvaluatesForEver(Nim):
    @staticmethod
    def evaluate(state, values):
        values[0], values[1] = 0.0, 0.0
        while state.stones < 5:
            values[0] = 0.0


@broken("never-returns", "draw", "did not return within 0.5 s", "in 'stones=11")
class DrawsForEver(Nim):
    def draw(self, state):
        while True:
            pass


@broken("not-written", "evaluate", "leaves `values[1]` unwritten", "write `values[player]` for every player")
class ValueOfOne(Nim):
    @staticmethod
    def evaluate(state, values):
        values[state.turn] = 1.0 if state.stones % 4 else -1.0


@broken("not-written", "evaluate", "uses the old values in `values`")
class AddsToValues(Nim):
    @staticmethod
    def evaluate(state, values):
        values[state.turn] += 0.5
        values[1 - state.turn] -= 0.5


@broken("not-written", "chance_outcomes", "leaves `probabilities[5]` unwritten")
class FiveProbabilities(Dice):
    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
        for i in range(5):
            probabilities[i] = 1 / 6
        return 6


@broken(
    "value-sum", "evaluate", "gives the values 0.5, 0.5, which sum to 1, expected 0", "wrong player's point of view"
)
class ValueForBoth(Nim):
    @staticmethod
    def evaluate(state, values):
        values[0] = values[1] = 0.5


@broken("bad-value", "evaluate", "gives the value nan, expected -1 to 1")
class ValueNan(Nim):
    @staticmethod
    def evaluate(state, values):
        values[0] = values[1] = np.nan


@broken("bad-priors", "priors", "gives nan to an action")
class NanPriors(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = np.nan


@broken("bad-reward", "apply", "gives the rewards nan, nan")
class NanReward(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[0] = rewards[1] = np.nan
        state.turn = 1 - state.turn


@broken("changes-actions", "priors", "changes the `actions` that it was given", "work on a copy")
class SortsActions(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0
        actions[0], actions[count - 1] = actions[count - 1], actions[0]


class RarelyRaises(Nim):
    """Two games in three come to one stone, where `apply` raises."""

    @staticmethod
    def apply(state, action, rewards):
        if state.stones == 1:
            raise ValueError("the last one")
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


SIZE = 3


def set_size(size):
    global SIZE  # noqa: PLW0603  # the mistake
    SIZE = size


class ReadsSize(Nim):
    """Correct as long as nobody calls `set_size`."""

    @staticmethod
    def legal_actions(state, actions):
        count = min(SIZE, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count


TAKEN = np.array([1, 2, 3])


@numba.njit
def number_at(i):
    return TAKEN[i]


class ReadsTable(Nim):
    """A table, by way of a helper."""

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = number_at(i)
        return count


class CountsRows(Nim):
    """Writes a place counted from the end on purpose."""

    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("last", np.int8, (2,))])

    @staticmethod
    def apply(state, action, rewards):
        state.last[-1] = action
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn
