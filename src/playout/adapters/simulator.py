"""An environment as something that can be searched: stepped, copied, and reseeded. Gymnasium's and PettingZoo's derive.

The real environment is never stepped: its state is put into a second instance.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import GameError

from .copies import StateCopies
from .generators import reseed

CHECK_EVERY = 4096  # times that a state is put into the simulator between two checks that nothing else has changed
EPISODES, STEPS = 3, 60  # of the random walk that finds out which attributes change


class Simulator:
    """An environment that is stepped for a search. Derived classes step it and read what it shows."""

    players = 1
    title: str  # how messages name the environment
    copies: StateCopies
    random: bool  # its steps draw random numbers
    # Of the position it stands at.
    player: int
    legal: Sequence[int]
    rewards: tuple[float, ...]
    done: bool
    seen: Any  # the observation

    def __init__(self, title: str) -> None:
        self.title, self.random, self._puts = title, True, 0
        self._seed: int | None = None

    # What derived classes do.

    def layers_of(self, env: Any) -> list[Any]:
        """The environment and its wrappers from the outside in, without those that keep nothing."""
        raise NotImplementedError

    def reset(self, seed: int | None) -> None:
        raise NotImplementedError

    def advance(self, action: int) -> None:
        """Step and read: `player`, `legal`, `rewards`, `done`, `seen`."""
        raise NotImplementedError

    def text_of(self, action: int) -> str:
        return str(action)

    # What they share.

    def called(self, what: str, function: Any, *arguments: Any, **named: Any) -> Any:
        """Call the environment's own code; what it raises becomes one line."""
        try:
            return function(*arguments, **named)
        except GameError:
            raise
        except Exception as error:
            raise GameError(f"{self.title}: {what} raised {described(error)}") from error

    def step(self, action: int) -> None:
        self.advance(action)
        self.copies.note(self._seed, action)
        self._seed = None

    @property
    def noted(self) -> bool:
        """Whether the copies must be told of each step: `step`, and not `advance` alone."""
        return type(self.copies).note is not StateCopies.note

    def put(self, state: Any) -> None:
        self.copies.put(state)
        self._seed = None
        self._puts += 1
        if self._puts % CHECK_EVERY == 0 and (reason := self.copies.check()):
            raise GameError(f"{self.title}: {reason}")

    def reseed(self, seed: int) -> None:
        if self.random:
            reseed(self.copies.generators, seed)
            self._seed = seed

    def play_again(self, start: int | None, actions: Sequence[tuple[int | None, Any]]) -> None:
        """Reset, and play actions, each with the generators set to its seed where it has one."""
        self.reset(start)
        self.copies.find_generators()  # a reset makes new ones
        for seed, action in actions:
            if seed is not None:
                reseed(self.copies.generators, seed)
            self.advance(action)

    def wander(self, seed: int) -> Iterator[None]:
        """Walk at random through several episodes; stops at each position."""
        draw = random.Random(seed)
        for episode in range(EPISODES):
            self.reset(seed + episode)
            yield
            for _ in range(STEPS):
                if self.done:
                    break
                self.step(draw.choice(list(self.legal)))
                yield


def refuse_nan(title: str, action: Any, seen: Any) -> None:
    """Refuse an observation with NaN in it."""
    parts = seen.values() if isinstance(seen, dict) else seen if isinstance(seen, tuple) else (seen,)
    for part in parts:
        numbers = np.asarray(part) if isinstance(part, np.ndarray | float | np.floating) else None
        if numbers is not None and np.issubdtype(numbers.dtype, np.floating) and np.isnan(numbers).any():
            raise GameError(f"{title}: step({action}) returned an observation with NaN in it: {part!s:.80}")
