"""`BaseNetwork`: what all networks share: the form of answers, the check against a game, the best batch size."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.errors import EvaluatorError, SettingsError
from playout.game import Game

from .answers import POLICIES, VALUES, shape_text, values, weights

FORMS = ("", "leela")
SLOW = 0.25  # seconds: a larger batch would make a search wait too long
BESIDE = 0.0005  # seconds that a search spends on a batch, however small, beside the network
MEASURED = 0.01  # seconds to measure each size, at least, in each round
ROUNDS = 3  # so that a moment when the machine was busy does not speak against a size; of slow sizes only one


class BaseNetwork(ABC):
    """A callable from observations, float32[B, *planes], to (policy, value).

    The policy is float32[B, K], weights from 0 up; the value float32[B], for the player who moves, or float32[B,
    players], for each player in the order of their numbers. `metadata` describes the network:

    | key | value |
    |---|---|
    | `playout.game` | the game's name; missing: any game whose planes and policy fit |
    | `playout.form` | `leela` for Leela's planes and moves; empty or missing: the game's own |
    | `playout.policy` | `logits` or `probabilities` |
    | `playout.value` | `scalar`; `wdl`, the probabilities of win, draw and loss; `players`, a value for each |
    """

    name: str
    planes: tuple[int, ...]  # of one observation; empty: not known yet
    policy_size: int
    players: int  # columns of a value for each player; 0: the value is for the player who moves
    metadata: dict[str, str]
    policy_kind: str
    value_kind: str

    def __init__(self) -> None:
        self._best: dict[int, int] = {}

    @abstractmethod
    def _outputs(self, observations: Any) -> tuple[Any, Any]:
        """The raw policy and value of the network."""

    @abstractmethod
    def _look(self, planes: tuple[int, ...]) -> None:
        """Find out `planes`, `policy_size` and `players`, if they are not known, for a game with these planes."""

    @property
    def form(self) -> str:
        """Which planes and moves the network uses: `leela`, or empty for the game's own."""
        return self.metadata.get("playout.form", "")

    def __call__(self, observations: Any) -> tuple[Any, Any]:
        """The policy and the value of each observation."""
        try:
            given = np.ascontiguousarray(observations, np.float32)
        except (TypeError, ValueError) as error:
            raise EvaluatorError(f"{self.name}: can't read the observations as numbers: {error}") from None
        if self.planes and given.shape[1:] != self.planes:
            wanted = ", ".join(map(str, self.planes))
            raise EvaluatorError(
                f"{self.name}: observations of shape {shape_text(given)}, expected (B, {wanted}) with B of them"
            )
        policy, value = self._outputs(given)
        return weights(policy, self.policy_kind), values(value, self.value_kind, self.name)

    def check(self, game: Game) -> None:
        """Raise `SettingsError` if this network can't play `game`."""
        made_for = self.metadata.get("playout.game", "")
        if self.form not in FORMS:
            raise SettingsError(f"{self.name}: a network of the unknown form '{self.form}', expected 'leela' or none")
        if made_for and made_for != game.title:
            raise SettingsError(f"{self.name}: a network for {made_for}, not for {game.title}")
        if not (game.has("observe") and game.planes and game.policy_size > 0):
            raise SettingsError(
                f"{game.title} has nothing that a network could see: define `observe(state, player, planes)`, "
                f"`planes` (its shape) and `policy_size`"
            )
        planes = tuple(game.planes)
        self._look(planes)
        if self.planes != planes:
            hint = "; Leela's are those of playout.games.chess.leela.LeelaChess" if self.form == "leela" else ""
            raise SettingsError(
                f"{self.name}: sees planes of {_times(self.planes)}, but {game.title} has {_times(planes)}{hint}"
            )
        if self.policy_size != game.policy_size:
            raise SettingsError(
                f"{self.name}: has a policy of {self.policy_size} moves, but {game.title} has {game.policy_size}"
            )
        if self.players not in (0, game.players):
            raise SettingsError(
                f"{self.name}: has values for {self.players} players, but {game.title} has {game.players}"
            )

    def best_batch(self, limit: int = 256) -> int:
        """The smallest batch, of 1, 2, 4, … up to `limit` observations, that is within a tenth of the fastest.

        Measured once, with empty observations; what a search spends on a batch beside the network is added. Sizes that
        take more than a quarter of a second are not tried.
        """
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise SettingsError(f"{self.name}: the largest batch is {limit!r}, expected a whole number from 1 up")
        if not self.planes:
            raise SettingsError(f"{self.name}: its planes are not known yet; call `check(game)` first")
        if limit not in self._best:
            self._best[limit] = smallest_good(lambda size: self._seconds(size) + BESIDE, limit)
        return self._best[limit]

    def _seconds(self, size: int) -> float:
        """The time of a batch: the shortest of several, since other programs use the machine too."""
        observations = np.zeros((size, *self.planes), np.float32)
        self(observations)
        found: list[float] = []
        while len(found) < 2 or sum(found) < MEASURED:
            start = time.perf_counter()
            self(observations)
            found.append(time.perf_counter() - start)
        return min(found)

    def __repr__(self) -> str:
        made_for = self.metadata.get("playout.game", "")
        return f"<{type(self).__name__} {self.name}{f' for {made_for}' if made_for else ''}>"


def smallest_good(seconds: Callable[[int], float], limit: int) -> int:
    """The smallest of 1, 2, 4, … `limit` whose speed, size / seconds(size), is at least 0.9 of the best.

    >>> smallest_good(lambda size: 0.001 + 0.001 * size, 256)
    16
    """
    took: dict[int, float] = {}
    size = 1
    while size <= limit and (not took or took[size // 2] <= SLOW):
        took[size] = seconds(size)
        size *= 2
    for _ in range(ROUNDS - 1):
        for size, shortest in took.items():
            if shortest < SLOW / 10:
                took[size] = min(shortest, seconds(size))
    speeds = {size: size / max(shortest, 1e-9) for size, shortest in took.items()}
    best = max(speeds.values())
    return min(size for size, speed in speeds.items() if speed >= 0.9 * best)


def checked_kinds(policy: str, value: str, name: str, error: type[Exception]) -> None:
    """Reject unknown kinds of policy and value."""
    for what, word, known in (("policy", policy, POLICIES), ("value", value, VALUES)):
        if word not in known:
            raise error(f"{name}: its {what} is called {word!r}, expected {' or '.join(known)}")


def checked_threads(threads: int) -> int:
    """The number of threads, if it is one."""
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise SettingsError(f"threads is {threads!r}, expected a whole number from 1 up")
    return threads


def _times(planes: tuple[int, ...]) -> str:
    return " x ".join(map(str, planes))
