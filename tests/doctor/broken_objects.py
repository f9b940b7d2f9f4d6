"""Python objects of both kinds, each with one thing done wrong; `BROKEN_OBJECTS` has them with what must be found."""

import itertools
import random
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import playout as po
from tests.game.objects import Board, Roulette, Stones

# The object, and the finding's code, rule, level, and words that its text must hold.
BROKEN_OBJECTS: dict[str, tuple[Any, str, str, str, tuple[str, ...]]] = {}


def broken(code, rule, *words, level="error", start=()):
    """Put an object of a class into `BROKEN_OBJECTS`."""

    def enter(cls):
        BROKEN_OBJECTS[cls.__name__] = (cls(*start), code, rule, level, words)
        return cls

    return enter


@broken("changes-object", "play", "stones: before 10, after", "copy.deepcopy", "in '10 stones, player 0', action")
class PlaysOnItself(Stones):
    def play(self, action):
        self.stones -= action
        return type(self)(self.stones, 1 - self.turn)


@broken("changes-object", "play", "n: before nothing, after 1")
class CountsInAnAttributeThatAppears(Stones):
    def play(self, action):
        self.n = getattr(self, "n", 0) + 1
        return type(self)(self.stones - action, 1 - self.turn)


@broken("changes-object", "play", "n: before 1, after 2")
class CountsFromNone(Stones):
    def __init__(self, stones=10, turn=0):
        super().__init__(stones, turn)
        self.n = None

    def play(self, action):
        self.n = 1 if self.n is None else self.n + 1
        return type(self)(self.stones - action, 1 - self.turn)


@broken("changes-object", "play", "played: before nothing, after True")
class AnswersChangeOnceItWasPlayed(Stones):
    def legal_actions(self):
        return [1] if hasattr(self, "played") else super().legal_actions()

    def play(self, action):
        self.played = True
        return type(self)(self.stones - action, 1 - self.turn)


@broken("changes-object", "play", "last: before nothing, after", level="warning")
class RemembersTheLastAction(Stones):
    def play(self, action):
        self.last = action
        return type(self)(self.stones - action, 1 - self.turn)


@broken("changes-object", "play", "once: before None, after nothing")
class LosesAnAttribute(Stones):
    def __init__(self, stones=10, turn=0):
        super().__init__(stones, turn)
        self.once = None

    def play(self, action):
        del self.once
        return type(self)(self.stones - action, 1 - self.turn)


@broken("returns-itself", "play", "returned the object itself")
class ReturnsItself(Stones):
    def play(self, action):
        self.stones, self.turn = self.stones - action, 1 - self.turn
        return self


@broken("no-object", "play", "returned None, which has no current_player()")
class ReturnsNothing(Stones):
    def play(self, action):
        pass


@broken("changes-object", "legal_actions", "stones: before")
class ListsByPlaying(Stones):
    def legal_actions(self):
        self.stones -= 1
        return [1]


class Cells:
    """Two players fill five cells; whoever fills the last one wins. Nothing is wrong with it."""

    def __init__(self, cells=None, turn=0):
        self.cells, self.turn = cells or [None] * 5, turn

    def current_player(self):
        return self.turn if None in self.cells else None

    def legal_actions(self):
        return [i for i, cell in enumerate(self.cells) if cell is None]

    def play(self, action):
        after = type(self)(list(self.cells), 1 - self.turn)
        after.cells[action] = self.turn
        return after

    def returns(self):
        return [0.0, 0.0] if None in self.cells else [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]


@broken(
    "shared-container", "play", "shares the list `cells` between two objects", "[0]: before -1, after 0", "list(self.…)"
)
class SharedCells(Cells):
    def __init__(self, cells=None, turn=0):
        self.cells, self.turn = cells or [-1], turn

    def current_player(self):
        return self.turn if self.cells[0] < 4 else None

    def legal_actions(self):
        return [0, 1]

    def play(self, action):
        after = type(self)(self.cells, 1 - self.turn)
        after.cells[0] += 1
        return after


@broken("shared-container", "play", "shares the list `history` between", "before 0 entries, after 1 entries")
class ClassHistory(Stones):
    history: list[int] = []  # noqa: RUF012  # the mistake

    def play(self, action):
        self.history.append(action)
        return super().play(action)


@broken(
    "class-state", "play", "changes an attribute of the class (ClassTurn.shared: before 0, after 1)", "store it in the"
)
class ClassTurn(Stones):
    shared = 0

    def current_player(self):
        return type(self).shared if self.stones else None

    def play(self, action):
        type(self).shared = 1 - type(self).shared
        return super().play(action)


@broken("class-state", "play", "(CountsCalls.calls: before", level="warning")
class CountsCalls(Stones):
    """A counter that nothing depends on."""

    calls = 0

    def play(self, action):
        CountsCalls.calls += 1
        return super().play(action)


@broken("raises", "__str__", "ValueError: no text", "broken_objects.py:", "fix that line")
class WritesNothing(Stones):
    def __str__(self):
        raise ValueError("no text")


CLOCK = itertools.count()


@broken("hidden-randomness", "play", "leads to another object the second time", "not by `random`", "chance_outcomes()")
class HiddenClock(Stones):
    def play(self, action):
        return type(self)(max(0, self.stones - action - next(CLOCK) % 2), 1 - self.turn)


@broken("hidden-randomness", "play", "by `random`)", level="warning")
class RollsDice(Stones):
    def play(self, action):
        return type(self)(max(0, self.stones - random.randint(1, 3)), 1 - self.turn)


@broken("hidden-randomness", "play", "name: first", level="warning")
class CountsObjects(Stones):
    """A name that nothing depends on: nobody but the object itself can tell."""

    def __init__(self, stones=10, turn=0):
        super().__init__(stones, turn)
        self.name = next(CLOCK)


@broken("value-range", "returns", "outside of value_range = (-1, 1)", "value_range=(least, most)` to po.wrap")
class LargeReturns(Stones):
    def returns(self):
        return [10 * value for value in super().returns()]


@broken("returns-sum", "returns", "1, 0 from here on, which sum to 1, expected 0", "returns_sum=1` to po.wrap")
class WinnerOnly(Stones):
    def returns(self):
        return [max(0.0, value) for value in super().returns()]


@broken("bad-answer", "returns", "returned [1.0], expected 2 numbers, one for each player")
class ShortReturns(Stones):
    players = 2

    def returns(self):
        return [1.0]


@broken("bad-answer", "returns", "returned 'white', expected 2 numbers")
class TextReturns(Stones):
    players = 2

    def returns(self):
        return "white"


@broken("bad-reward", "returns", "returned nan, nan")
class NanReturns(Stones):
    players = 2

    def returns(self):
        return [float("nan")] * 2


class Wheel(Roulette):
    def play(self, action):
        after = super().play(action)
        return type(self)(after.money, after.rounds, after.bet)


@broken("chance-sum", "chance_outcomes", "sum to 0.7, expected 1")
class ShortWheel(Wheel):
    def chance_outcomes(self):
        return [("win", 0.1), ("lose", 0.6)]


@broken("bad-probability", "chance_outcomes", "gives outcome 'win' the probability -0.5")
class NegativeWheel(Wheel):
    def chance_outcomes(self):
        return [("win", -0.5), ("lose", 1.5)]


@broken("bad-priors", "priors", "gives -1 to an action")
class NegativePriors(Stones):
    def priors(self):
        return [-1] * len(self.legal_actions())


@broken("bad-answer", "priors", "returned [1.0], expected 3 weights, one for each legal action")
class ShortPriors(Stones):
    def priors(self):
        return [1.0]


@broken("bad-answer", "priors", "expected a list or a mapping, since a set has no order")
class SetOfPriors(Stones):
    def priors(self):
        return {1.0, 2.0, 3.0}


@broken("value-sum", "evaluate", "gives the values 0.5, 0.5, which sum to 1, expected 0")
class EvaluatesForBoth(Stones):
    def evaluate(self):
        return [0.5, 0.5]


@broken("bad-value", "evaluate", "gives the value 3, expected -1 to 1")
class LargeEvaluate(Stones):
    def evaluate(self):
        return [3.0, -3.0]


@broken("no-such-player", "current_player", "returned -2", "move at the same time")
class Simultaneous(Stones):
    def current_player(self):
        return -2 if self.stones == 4 else super().current_player()


@broken("no-chance-outcomes", "current_player", "has no chance_outcomes()")
class NoWheel(Stones):
    def current_player(self):
        return po.CHANCE if self.stones < 9 else super().current_player()


@broken("bad-answer", "legal_actions", "returned None, expected a list")
class ListsNothing(Stones):
    def legal_actions(self):
        return super().legal_actions() if self.stones > 8 else None


@broken("no-actions", "legal_actions", "lists nothing", "report the end in current_player()", "in '1 stones, player")
class StopsAtOne(Stones):
    def legal_actions(self):
        return super().legal_actions() if self.stones > 1 else []


@broken("raises", "legal_actions", "ValueError: no more", "broken_objects.py:")
class RaisesInGenerator(Stones):
    def legal_actions(self):
        yield 1
        if self.stones < 8:
            raise ValueError("no more")


@broken("too-many-actions", "legal_actions", "lists 1025, more than max_actions = 1024")
class ListsForEver(Stones):
    def legal_actions(self):
        return itertools.count(1) if self.stones < 8 else super().legal_actions()


@broken("too-many-actions", "legal_actions", "lists 1025, more than max_actions = 1024")
class LongRange(Stones):
    def legal_actions(self):
        return range(1, 10**15) if self.stones < 8 else super().legal_actions()


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no text")


@broken("no-such-player", "current_player", "returned a Unprintable without a text")
class UnprintablePlayer(Stones):
    def current_player(self):
        return Unprintable() if self.stones < 8 else super().current_player()


@broken("action-twice", "legal_actions", "more than once: 1, 1")
class ListsTwice(Stones):
    def legal_actions(self):
        return [1, 1] if self.stones else []


@broken("action-refused", "play", "ValueError: no", "broken_objects.py:", "action 3")
class RefusesThree(Stones):
    def play(self, action):
        if action == 3:
            raise ValueError("no")
        return super().play(action)


@broken("never-returns", "play", "did not return within 0.5 s", "broken_objects.py:", "action 2")
class NeverPlaysTwo(Stones):
    def play(self, action):
        while action == 2:
            pass
        return super().play(action)


@broken("hash-differs", "__hash__", "gives two different numbers for objects that are equal", "frozen dataclass")
class HashById(Stones):
    def __eq__(self, other):
        return (self.stones, self.turn) == (other.stones, other.turn)

    def __hash__(self):
        return id(self)


@broken("equal-differs", "__eq__", "says that this is equal to", "which has other legal actions")
class EqualByTurn(Stones):
    def __eq__(self, other):
        return self.turn == other.turn

    def __hash__(self):
        return self.turn


@broken("equal-turns", "__eq__", "where player", "compare whose turn it is", level="warning")
class EqualByStones(Stones):
    def __eq__(self, other):
        return self.stones == other.stones

    def __hash__(self):
        return self.stones


@dataclass
class Rewarded:
    """A walk of four steps to the left or right; each step right brings a point. Nothing is wrong with it."""

    steps: int = 0
    last: int = 0
    players = 1

    def current_player(self):
        return 0 if self.steps < 4 else None

    def legal_actions(self):
        return [0, 1]

    def play(self, action):
        return replace(self, steps=self.steps + 1, last=action)

    def rewards(self):
        return [float(self.last)]

    def returns(self):
        return [float(self.last)]


@broken("bad-answer", "rewards", "returned None, expected a number")
class RewardsNothing(Rewarded):
    def rewards(self):
        return None


@dataclass
class Memo(Stones):
    """Keeps what it worked out: not a change that anybody can see. Nothing is wrong with it."""

    stones: int = 10
    turn: int = 0
    moves: Any = None
    table: dict[int, int] = field(default_factory=dict)

    def legal_actions(self):
        if self.moves is None:
            self.moves = super().legal_actions()
        self.table[self.stones] = len(self.moves)
        return self.moves


class Lazy(Stones):
    """Works out its actions when they are first needed. Nothing is wrong with it."""

    def legal_actions(self):
        if not hasattr(self, "moves"):
            self.moves = super().legal_actions()
        return self.moves

    @cached_property
    def half(self):
        return self.stones // 2

    def play(self, action):
        assert self.half <= self.stones
        return type(self)(self.stones - action, 1 - self.turn)


# The `Node` kind.


@broken("bad-answer", "is_terminal", "returned 'no', expected True or False")
class SaysNo(Board):
    def is_terminal(self):
        return super().is_terminal() or ("no" if any(self.cells) else False)

    def after(self, i):
        return SaysNo(*super().after(i))


@broken("value-range", "reward", "outside of value_range = (0, 1)")
class LosesOne(Board):
    def reward(self):
        return -1.0 if self.winner() else 0.0

    def after(self, i):
        return LosesOne(*super().after(i))


@broken("no-actions", "find_children", "lists nothing, but the game is not over")
class NoChildren(Board):
    def find_children(self):
        return []


@broken("bad-random-child", "find_random_child", "not equal to any of find_children()")
class JumpsAhead(Board):
    def find_random_child(self):
        return self.after(4).after(0) if not self.cells[4] and not self.cells[0] else super().find_random_child()

    def after(self, i):
        return JumpsAhead(*super().after(i))


class ListNode:
    """Nim of the `Node` kind."""

    def __init__(self, stones=6):
        self.stones, self.pile = stones, [stones]

    def find_children(self):
        return [type(self)(self.stones - n) for n in (1, 2) if n <= self.stones]

    def find_random_child(self):
        return random.choice(self.find_children())

    def is_terminal(self):
        return self.stones == 0

    def reward(self):
        return 0.0


@broken("changes-object", "find_children", "pile: before 1 entries, after 2 entries")
class KeepsChildren(ListNode):
    def find_children(self):
        self.pile.append(0)
        return super().find_children()


@broken("hidden-randomness", "find_children", "gives other children the second time")
class RandomChildren(ListNode):
    def find_children(self):
        return [type(self)(max(0, self.stones - random.randint(1, 3))) for _ in range(2)]
