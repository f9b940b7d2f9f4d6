"""Games whose plain Python never returns, or raises what ends a program; the front ends load them from this file."""

import playout as po
from tests.game.objects import Stones
from tests.games.toy_games import Nim


class Forever(Nim):
    """Never begins."""

    @staticmethod
    def initial_state(state):  # type: ignore[no-untyped-def]
        while True:
            state.stones = 21


class Leaves(Nim):
    """Begins by ending the program."""

    @staticmethod
    def initial_state(state):  # type: ignore[no-untyped-def]
        raise SystemExit(3)


class Speechless(Nim):
    """Ends the program when somebody asks how a position is written."""

    def state_to_text(self, state):  # type: ignore[no-untyped-def]
        raise SystemExit("no words")


class Wordless(Nim):
    """Never finds the words for a position."""

    def state_to_text(self, state):  # type: ignore[no-untyped-def]
        while True:
            pass


class Nameless(Nim):
    """Never finds the words for an action."""

    def action_to_text(self, state, action):  # type: ignore[no-untyped-def]
        while True:
            pass


class Undrawn(Nim):
    """Ends the program when a picture is wanted."""

    def draw(self, state):  # type: ignore[no-untyped-def]
        raise SystemExit("no pencil")


class Odd(BaseException):
    """Not an `Exception`, as few are."""


class Quitting(Stones):
    """Raises `error` when few stones are left."""

    error: type[BaseException] = SystemExit

    def play(self, action: int) -> Stones:
        if self.stones < 4:
            raise self.error("enough")
        return super().play(action)


class Pressing(Quitting):
    error = KeyboardInterrupt


class Strange(Quitting):
    error = Odd


def hangs() -> Stones:
    while True:
        pass


def leaves() -> Stones:
    raise SystemExit(3)


def quitting() -> po.Game:
    return po.wrap(Quitting(12), players=2)
