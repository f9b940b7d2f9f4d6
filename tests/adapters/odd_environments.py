"""Environments with something wrong, or out of the ordinary, for the tests."""

import random
from typing import Any

import gymnasium as gym
import numpy as np


class Corridor(gym.Env[Any, Any]):
    """Walk right to the end of a corridor of `length` cells: 1 at the end, nothing before."""

    def __init__(self, length: int = 4) -> None:
        self.length, self.at = length, 0
        self.action_space = gym.spaces.Discrete(2)
        self.observation_space = gym.spaces.Discrete(100)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.at = 0
        return self.at, {}

    def moved(self, action: Any) -> int:
        return max(0, self.at + (1 if action == 1 else -1))

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.at = self.moved(action)
        done = self.at >= self.length
        return self.at, float(done), done, False, {}


class Native(Corridor):
    """Its position is where no copy of attributes reaches, as with a library in C; a deep copy begins again."""

    def __init__(self) -> None:
        super().__init__()
        place = [0]

        def move(by: int | None) -> int:
            place[0] = 0 if by is None else max(0, place[0] + by)
            return place[0]

        self.move = move

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)()

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return self.move(None), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        at = self.move(1 if action == 1 else -1)
        return at, float(at >= self.length), at >= self.length, False, {}


class Uncopyable(Native):
    """And there can be only one."""

    def __deepcopy__(self, memo: Any) -> Any:
        raise TypeError("there can be only one")


class GlobalRandom(Corridor):
    """Draws from the global generator."""

    def moved(self, action: Any) -> int:
        return self.at + random.randint(0, 1)


class OwnGenerator(Corridor):
    """Draws from a generator that hangs deep inside."""

    def __init__(self) -> None:
        super().__init__()
        self.dice = {"box": [random.Random(5)]}

    def moved(self, action: Any) -> int:
        return max(0, self.at + (1 if self.dice["box"][0].random() < 0.5 else -1))


class Hides(Corridor):
    """A coin lies under a cup: guess which."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.coin = int(self.np_random.integers(2))
        return 0, {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return 0, float(action == self.coin), True, False, {}


class ChangesSpace(Corridor):
    """Has another action space after the first step."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.action_space = gym.spaces.Discrete(3)
        return super().step(action)


class Raises(Corridor):
    """Raises at the second cell."""

    def moved(self, action: Any) -> int:
        if self.at + action == 2:
            raise RuntimeError("the floor\nis gone")
        return super().moved(action)


class NanReward(Corridor):
    """Returns NaN."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return super().step(action)[0], np.nan, False, False, {}


class NanSeen(Corridor):
    """Shows NaN."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return np.array([np.nan]), 0.0, False, False, {}


class NeverEnds(Corridor):
    """Has no end and no time limit."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return super().step(action)[0], float(action), False, False, {}


class Masked(Corridor):
    """Only the right step is legal."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return super().reset(seed=seed)[0], {"action_mask": np.array([0, 1], np.int8)}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        assert action == 1, "the mask forbids it"
        return *super().step(action)[:4], {"action_mask": np.array([0, 1], np.int8)}


class KeepsState(Native):
    """Like `Native`, with an interface of its own."""

    def get_state(self) -> int:
        return self.move(0)

    def set_state(self, state: int) -> None:
        self.move(None)
        self.move(state)


class TwoDials(Corridor):
    """Actions of two parts: both dials must be turned up."""

    def __init__(self) -> None:
        super().__init__()
        self.action_space = gym.spaces.MultiDiscrete([2, 3])

    def moved(self, action: Any) -> int:
        return self.at + (1 if tuple(action) == (1, 2) else 0)


class MaskedOut(Corridor):
    """Forbids every action after the first step."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        return *super().step(action)[:4], {"action_mask": np.zeros(2, np.int8)}


class MaskedOnce(Corridor):
    """Has a mask where the corridor begins, and none further on."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        return super().reset(seed=seed)[0], {"action_mask": np.array([0, 1], np.int8)}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        found = super().step(action)
        return *found[:4], {} if self.at else {"action_mask": np.array([0, 1], np.int8)}
