"""A position of a game of Python objects."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from playout.core.rules import CHANCE, TERMINAL
from playout.game.position import Position

if TYPE_CHECKING:
    from .game import ObjectGame


class ObjectPosition(Position):
    """A position of a game of objects: it works in Python, also while a search is running."""

    game: "ObjectGame"

    def __init__(self, game: "ObjectGame", buffer: NDArray[np.uint8], rewards: Any = None, way: Any = None) -> None:
        super().__init__(game, buffer, rewards, way)
        self.slot = game.slot_of(self.state)
        game.positions.add(self)  # an object stays in its slot while there is a position of it

    @property
    def object(self) -> Any:
        """The object itself; it must not be changed."""
        return self.game.objects[self.slot]

    @property
    def player(self) -> int:
        return self.game.players_in[self.slot]

    def actions(self) -> list[int]:
        return [] if self.player == TERMINAL else list(self.game.numbers_in(self.slot))

    def outcomes(self) -> list[tuple[int, float]]:
        if self.player != CHANCE:
            return []
        return list(zip(self.actions(), self.game.probabilities[self.slot], strict=True))

    def priors(self) -> list[tuple[int, float]]:
        return list(zip(self.actions(), self.game.priors_in(self.slot), strict=True))

    def evaluate(self) -> NDArray[np.float64]:
        return np.array(self.game.value_of(self.object), np.float64)

    def play(self, action: Any) -> "ObjectPosition":
        number = int(action) if isinstance(action, int | np.integer) else self.action(action)
        self.check_legal(number)
        with self.game.sweeping:
            child = self.game.child(self.slot, number)
            rewards = self.game.rewards_in[child]
            brought = None if rewards is None else np.array(rewards, np.float64)
            return ObjectPosition(self.game, self.game.state_in(child), brought, self._way_after(number))

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(f"{self.game.title}: a position of a Python object can't leave its process")
