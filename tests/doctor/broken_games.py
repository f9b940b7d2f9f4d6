"""One small game for each mistake that `check_game` knows, each a correct game with one part done wrong.

`BROKEN` has them with the finding's code and rule, and words that its text must hold.
"""

import random
from typing import ClassVar

import numpy as np

import playout as po

BROKEN: dict[type[po.Game], tuple[str, str, tuple[str, ...]]] = {}
COMPILED_ONLY: set[type[po.Game]] = set()  # uncompiled, nothing is wrong with them


def broken(code, rule, *words, compiled_only=False):
    """Put a class into `BROKEN`."""

    def enter(cls):
        BROKEN[cls] = (code, rule, words)
        if compiled_only:
            COMPILED_ONLY.add(cls)
        return cls

    return enter


class Nim(po.Game):
    """Take one to three stones; whoever takes the last one wins. Nothing is wrong with it."""

    players = 2
    max_actions = 3
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = 11

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


class Dice(po.Game):
    """Roll and add until ten or more; one point for exactly ten. Nothing is wrong with it."""

    players = 1
    max_actions = 6
    state = np.dtype([("total", np.int32), ("rolling", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.total >= 10:
            return po.TERMINAL
        return po.CHANCE if state.rolling else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 0
        return 1

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
            probabilities[i] = 1 / 6
        return 6

    @staticmethod
    def apply(state, action, rewards):
        if state.rolling:
            state.total += action
            rewards[0] = 1.0 if state.total == 10 else 0.0
        state.rolling = 1 - state.rolling


# The mistakes that the design names.


@broken("action-refused", "apply", "ValueError: not so many stones", "broken_games.py:", "legal_actions lists")
class Refusing(Nim):
    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions[i] = i + 1
        return 3

    @staticmethod
    def apply(state, action, rewards):
        if action > state.stones:
            raise ValueError("not so many stones")
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("nothing-happens", "apply", "changes nothing", "silently ignores the action")
class RefusingQuietly(Refusing):
    @staticmethod
    def apply(state, action, rewards):
        if action > state.stones:
            return
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("end-goes-on", "current_player", "returns po.TERMINAL", "after which player 0 moves", "list no actions")
class MovingOn(Nim):
    @staticmethod
    def legal_actions(state, actions):
        count = max(1, min(3, state.stones))
        for i in range(count):
            actions[i] = i + 1
        return count


@broken("returns-sum", "apply", "1, 0 from here on, which sum to 1, expected 0", "`returns_sum = 1`")
class LoserForgotten(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn] = 1.0
        state.turn = 1 - state.turn


@broken("value-range", "apply", "outside of value_range = (-1, 1)", "set `value_range = (least, most)`")
class LargeRewards(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 100.0, -100.0
        state.turn = 1 - state.turn


@broken("changes-state", "legal_actions", "stones: before 11, after 8", "work on local variables")
class ListingByPlaying(Nim):
    @staticmethod
    def legal_actions(state, actions):
        count = 0
        while count < 3 and state.stones > 0:
            state.stones -= 1
            count += 1
            actions[count - 1] = count
        return count


@broken("too-many-actions", "legal_actions", "lists 3 actions, more than max_actions = 2", "set max_actions")
class FewAnnounced(Nim):
    max_actions = 2


@broken("hidden-randomness", "apply", "uses np.random", "po.CHANCE")
class Gambling(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if np.random.random() < 0.3 or state.stones == 0:  # noqa: NPY002  # the mistake
            state.stones = 0
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken("chance-sum", "chance_outcomes", "sum to 0.6, expected 1", "divide each by their sum")
class ShortDice(Dice):
    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
            probabilities[i] = 0.1
        return 6


@broken("compiled-differs", "apply", "stones: uncompiled", "np.int8 keeps its size", compiled_only=True)
class SmallNumbers(Nim):
    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("scale", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = 1100
        state.scale = 100

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= state.scale * np.int8(action)  # 8 bits uncompiled, 64 compiled
        if state.stones <= 0:
            state.stones = 0
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@broken(
    "compiled-differs", "legal_actions", "uncompiled 2, compiled 1", "Python integer has no limit", compiled_only=True
)
class EndlessNumbers(Nim):
    @staticmethod
    def legal_actions(state, actions):
        power = 1
        for _ in range(60):
            power *= 3  # 3^60 in Python, its last 64 bits compiled
        actions[0], actions[1] = 1, 2
        return min(2 if power % 7 == 1 else 1, state.stones)


@broken("state-text", "state_from_text", "reads another state", "turn: before 1, after 0")
class TurnForgotten(Nim):
    def state_to_text(self, state):
        return str(state.stones)

    def state_from_text(self, state, text):
        state.stones = int(text)


@broken("state-text", "state_from_text", "refuses 'stones:11'", "can't read")
class TextRefused(Nim):
    def state_to_text(self, state):
        return f"stones:{state.stones}"


@broken("action-text", "action_from_text", "reads '4' as 2", "make action_from_text read")
class OffByOne(Nim):
    def action_to_text(self, state, action):
        return str(action + 1)

    def action_from_text(self, state, text):
        return min(max(1, int(text) - 1), 2)


@broken("action-text-twice", "action_to_text", "writes 'take' for action 1 and for action 2")
class SameText(Nim):
    def action_to_text(self, state, action):
        return "take"


# And the others.


@broken("raises", "current_player", "IndexError", "broken_games.py:", "fix that line")
class OutOfTheTable(Nim):
    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("table", np.int8, (11,))])

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn + state.table[state.stones]


@broken("raises", "draw", "AttributeError", "broken_games.py:")
class DrawingRaises(Nim):
    def draw(self, state):
        return state.nothing.strip()


@broken("no-such-player", "current_player", "returned 2, expected 0 to 1", "counted from 0")
class PlayerTwo(Nim):
    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn + 1


@broken("no-chance-outcomes", "current_player", "returned po.CHANCE", "define `@staticmethod def chance_outcomes")
class NoOutcomes(Nim):
    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn - 1


@broken("no-actions", "legal_actions", "lists no action", "po.TERMINAL")
class Stuck(Nim):
    @staticmethod
    def current_player(state):
        return state.turn


@broken("bad-count", "legal_actions", "returned -1", "count what is written")
class NegativeCount(Nim):
    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 1
        return -1


@broken("action-twice", "legal_actions", "more than once: 1, 1", "list each action once")
class Twice(Nim):
    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 1
        return 2 * min(1, state.stones)


@broken("action-too-large", "legal_actions", "lists action 1099511627776", "32-bit")
class Packed(Nim):
    @staticmethod
    def legal_actions(state, actions):
        actions[0] = np.int64(1) << np.int64(40)
        return 1


@broken("not-written", "legal_actions", "leaves `actions[2]` unwritten", "write `actions[i]`")
class Unwritten(Nim):
    @staticmethod
    def legal_actions(state, actions):
        for i in range(min(3, state.stones) - 1):
            actions[i] = i + 1
        return min(3, state.stones)


@broken("not-written", "priors", "leaves `out[1]` unwritten")
class UnwrittenPriors(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        out[0] = 1.0


@broken("never-ends", "current_player", "did not return po.TERMINAL within", "Rollouts(depth=200)")
class ForEver(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones = 12 - state.stones
        state.turn = 1 - state.turn


@broken("changes-state", "evaluate", "turn: before 0, after 1")
class EvaluatingByPlaying(Nim):
    @staticmethod
    def evaluate(state, values):
        values[0], values[1] = 0.0, 0.0
        state.turn = 1 - state.turn


@broken("changes-state", "draw", "stones: before 11, after 0")
class DrawingByPlaying(Nim):
    def draw(self, state):
        state.stones = 0
        return "<svg/>"


MEMORY = random.Random(7)


@broken("hidden-randomness", "legal_actions", "the random generator behind")
class RandomListing(Nim):
    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 1 + int(MEMORY.random() < 0.5 and state.stones > 1)
        return min(1, state.stones)


@broken("bad-probability", "chance_outcomes", "gives outcome 1 the probability -0.5")
class NegativeDice(Dice):
    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 1, 2
        probabilities[0], probabilities[1] = -0.5, 1.5
        return 2


@broken("bad-reward", "apply", "gives the rewards inf, -inf", "finite")
class InfiniteReward(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = np.inf, -np.inf
        state.turn = 1 - state.turn


@broken("bad-priors", "priors", "gives -1 to an action", "at least 0")
class NegativePriors(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = i - 1.0


@broken("bad-priors", "priors", "gives 0 to every action")
class ZeroPriors(Nim):
    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 0.0


@broken("bad-observation", "observe", "writes inf")
class InfiniteObservation(Nim):
    planes, policy_size = (2,), 4

    @staticmethod
    def observe(state, player, planes):
        planes[1] = np.inf


@broken("bad-feature", "features", "gives feature 11, expected 0 to feature_count - 1 = 10", "increase feature_count")
class ShortFeatures(Nim):
    feature_count, policy_size = 11, 4

    @staticmethod
    def features(state, player, out):
        out[0] = state.stones
        return 1


@broken("bad-feature-count", "features", "returned -1, expected how many features it wrote, 0 to 11")
class StonesAsFeatureCount(Nim):
    feature_count, policy_size = 11, 4

    @staticmethod
    def features(state, player, out):
        return state.stones - 12


@broken("past-end", "features", "writes 12 entries of `out`, which has 11")
class FeaturesPastTheEnd(Nim):
    feature_count, policy_size = 11, 4

    @staticmethod
    def features(state, player, out):
        for i in range(12):
            out[i] = 0
        return 11


@broken("bad-index", "action_index", "returned 3, expected 0 to policy_size - 1 = 2", "increase policy_size")
class ShortPolicy(Nim):
    planes, policy_size = (1,), 3

    @staticmethod
    def observe(state, player, planes):
        planes[0] = state.stones / 21


@broken("index-twice", "action_index", "returned 0, which it also returned for 1")
class OneIndexForAll(Nim):
    planes, policy_size = (1,), 4

    @staticmethod
    def observe(state, player, planes):
        planes[0] = state.stones / 21

    @staticmethod
    def action_index(state, action):
        return 0


@broken("bad-code", "action_code", "returned 11, expected 0 to action_codes - 1 = 10", "increase action_codes")
class FewCodes(Nim):
    action_codes = 11

    @staticmethod
    def action_code(state, action):
        return state.stones


@broken("bad-code", "action_code", "returned 3, expected 0 to action_codes - 1 = 2", "define action_code")
class NumbersAsCodes(Nim):
    action_codes = 3


@broken("bad-code", "action_code", "expected a whole number", "increase action_codes")
class HalfACode(Nim):
    @staticmethod
    def action_code(state, action):
        return state.stones / 2


@broken("bad-value", "evaluate", "gives the value 11, expected -1 to 1", "tanh")
class LargeValue(Nim):
    @staticmethod
    def evaluate(state, values):
        values[state.turn], values[1 - state.turn] = state.stones, -state.stones


@broken("bad-playout-action", "playout_action", "returned 0, which is not among the actions 1, 2, 3")
class PlayoutIndex(Nim):
    @staticmethod
    def playout_action(state, actions, count, rng):
        return 0


@broken("bad-chance-action", "chance_action", "returned 7, which is not among the outcomes 1, 2, 3, 4, 5, 6")
class DrawsSomethingElse(Dice):
    @staticmethod
    def chance_action(state, rng):
        return 7


@broken("hash-collides", "hash", "gives the same number as in", "every field that matters")
class HashForgetsTurn(Nim):
    @staticmethod
    def hash(state):
        return np.uint64(state.stones)


@broken("not-a-text", "action_to_text", "returned 1, expected a string")
class NumberForText(Nim):
    def action_to_text(self, state, action):
        return action


@broken("bad-drawing", "draw", "SVG that can't be read", "html.escape")
class OpenTag(Nim):
    def draw(self, state):
        return "<svg><rect></svg>"


@broken("not-compiled", "apply", "`CHOICES` is a dict", "broken_games.py:", "Numba:", compiled_only=True)
class Dictionary(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= CHOICES[action]
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


CHOICES = {1: 1, 2: 2, 3: 3}


# Suspicious, but it may be meant: a warning.


class Walker(po.Game):
    """A walk along five cells, with walls at the ends; ten steps, and a point at the right end."""

    players = 1
    max_actions = 2
    state = np.dtype([("cell", np.int8)])
    names: ClassVar[tuple[str, ...]] = ("left", "right")

    @staticmethod
    def initial_state(state):
        state.cell = 1

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.cell == 4 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def apply(state, action, rewards):
        state.cell = max(0, state.cell + 2 * action - 1)
        if state.cell == 4:
            rewards[0] = 1.0

    def action_to_text(self, state, action):
        return self.names[action]


class NoRewards(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        state.turn = 1 - state.turn
