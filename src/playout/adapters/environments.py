"""Our games as environments: `gym_env(game)` for one player, `pettingzoo_env(game)` for any number.

Observations are the planes of `observe` where the game has them, otherwise the bytes of the state. Action `i` is the
network's policy index where the game has one, otherwise the i-th legal action; the mask says which there are. Chance is
drawn inside. An action that the mask forbids ends the episode with `illegal_reward`.
"""

import copy
import math
import operator
import random
from functools import cache
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names
from playout.errors import GameError, SettingsError
from playout.game import CHANCE, Game, Position
from playout.games import as_game
from playout.play.chance import draw_outcome

from .packages import package

PENALTY = -1.0


class Table:
    """A game under way, as both kinds of environment need it."""

    def __init__(self, game: Game, caller: str) -> None:
        if game.keeps_objects:
            raise GameError(
                f"{caller} got {game.title}, a game of Python objects, which can't be observed as an array; write it "
                f"as a po.Game"
            )
        if game.draws:
            raise GameError(f"{caller} got {game.title}, whose actions are drawn; an environment lists its actions")
        self.game, self.draw = game, random.Random(0)
        self.position: Position = game.position()
        self.indexed = game.policy_size > 0
        self.size = game.policy_size if self.indexed else game.max_actions
        self.sees = game.has("observe")
        self.shape = tuple(game.planes) if self.sees else (game.dtype.itemsize,)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Table":
        new = copy.copy(self)
        new.draw = memo.get(id(self.draw)) or copy.deepcopy(self.draw)
        return new

    def __getstate__(self) -> Any:
        return bytes(self.position.buffer)

    def __copy__(self) -> "Table":
        new = Table.__new__(Table)
        new.__dict__.update(self.__dict__)
        return new

    def reset(self, seed: int | None) -> None:
        if seed is not None:
            self.draw = random.Random(seed)
        self.position, _ = self._past_chance(self.game.position(), np.zeros(self.game.players))

    def _past_chance(self, position: Position, rewards: Any) -> tuple[Position, Any]:
        while position.player == CHANCE:
            position = position.play(draw_outcome(position, self.draw))
            rewards = rewards + position.rewards
        return position, rewards

    def options(self) -> dict[int, int]:
        """The legal actions by their index."""
        actions = [] if self.position.is_terminal else self.position.actions()
        if not self.indexed:
            return dict(enumerate(actions))
        return {self.position.action_index(action): action for action in actions}

    def mask(self) -> Any:
        mask = np.zeros(self.size, np.int8)
        mask[list(self.options())] = 1
        return mask

    def play(self, index: int) -> Any:
        """Play an action by its index; returns the rewards of all players, or None if it is not legal."""
        try:
            number = operator.index(index.item() if isinstance(index, np.ndarray) else index)
        except (TypeError, ValueError):
            raise GameError(f"{self.game.title}: step got {index!r:.80}, expected an action: a whole number") from None
        action = self.options().get(number)
        if action is None:
            return None
        after = self.position.play(action)
        self.position, rewards = self._past_chance(after, np.array(after.rewards, np.float64))
        return rewards

    def observation(self, player: int) -> Any:
        if self.sees:
            return np.asarray(self.position.observe(player), np.float32).reshape(self.shape)
        return np.frombuffer(bytes(self.position.buffer), np.uint8).copy()

    def space(self, spaces: Any) -> Any:
        if self.sees:
            return spaces.Box(-np.inf, np.inf, self.shape, np.float32)
        return spaces.Box(0, 255, self.shape, np.uint8)


@cache
def _gym_class() -> type:
    gym = package("gymnasium", "gym_env")

    class GameEnv(gym.Env):  # type: ignore[misc,name-defined]
        """A game for one player as a Gymnasium environment; `info` has the action mask."""

        metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012  # as Gymnasium declares it

        def __init__(self, game: Game, illegal_reward: float, render_mode: str | None) -> None:
            self.table = Table(game, "gym_env")
            self.illegal_reward, self.render_mode = illegal_reward, render_mode
            self.observation_space = self.table.space(gym.spaces)
            self.action_space = gym.spaces.Discrete(self.table.size)

        def _info(self) -> dict[str, Any]:
            return {"action_mask": self.table.mask(), "position": self.table.position.text}

        def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
            super().reset(seed=seed)
            self.table.reset(int(self.np_random.integers(2**62)))
            return self.table.observation(0), self._info()

        def step(self, action: Any) -> tuple[Any, float, bool, bool, Any]:
            rewards = self.table.play(action)
            if rewards is None:
                return self.table.observation(0), self.illegal_reward, True, False, {**self._info(), "illegal": True}
            ended = bool(self.table.position.is_terminal)
            return self.table.observation(0), float(rewards[0]), ended, False, self._info()

        def render(self) -> str | None:
            return self.table.position.show() if self.render_mode == "ansi" else None

    return GameEnv


@cache
def _aec_class() -> type:
    gym, zoo = package("gymnasium", "pettingzoo_env", "pettingzoo"), package("pettingzoo", "pettingzoo_env")

    class GameAEC(zoo.AECEnv):  # type: ignore[misc,name-defined]
        """A game as a PettingZoo environment; an observation has `observation` and `action_mask`."""

        def __init__(self, game: Game, illegal_reward: float, render_mode: str | None) -> None:
            super().__init__()
            self.table, self.illegal_reward, self.render_mode = (
                Table(game, "pettingzoo_env"),
                illegal_reward,
                render_mode,
            )
            name = f"playout_{game.title.lower()}_v{game.version}"
            self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": False}
            self.possible_agents = [f"player_{p}" for p in range(game.players)]
            self.agents: list[str] = []
            seen = self.table.space(gym.spaces)
            mask = gym.spaces.Box(0, 1, (self.table.size,), np.int8)
            both = gym.spaces.Dict({"observation": seen, "action_mask": mask})
            self.observation_spaces = dict.fromkeys(self.possible_agents, both)
            self.action_spaces = {a: gym.spaces.Discrete(self.table.size) for a in self.possible_agents}

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            self.table.reset(seed)
            self.agents = self.possible_agents[:]
            self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
            self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
            self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
            self._choose()

        def _choose(self) -> None:
            self.agent_selection = self.agents[max(0, self.table.position.player)]

        def observe(self, agent: str) -> dict[str, Any]:
            player = self.possible_agents.index(agent)
            mine = agent == self.agent_selection and agent in self.agents and not self.terminations[agent]
            mask = self.table.mask() if mine else np.zeros(self.table.size, np.int8)
            return {"observation": self.table.observation(player), "action_mask": mask}

        def step(self, action: Any) -> None:
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            self._cumulative_rewards[agent] = 0.0
            rewards = self.table.play(action)
            if rewards is None:
                self.infos[agent]["illegal"] = True
                self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: self.illegal_reward}
                self.terminations = dict.fromkeys(self.agents, True)
            else:
                self.rewards = {a: float(r) for a, r in zip(self.agents, rewards, strict=True)}
                if self.table.position.is_terminal:
                    self.terminations = dict.fromkeys(self.agents, True)
                    self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
                else:
                    self._choose()
            self._accumulate_rewards()

        def render(self) -> str | None:
            return self.table.position.show() if self.render_mode == "ansi" else None

        def close(self) -> None:
            pass

    return GameAEC


@refuses_unknown_names
def gym_env(game: Game | str, *, illegal_reward: float = PENALTY, render_mode: str | None = None) -> Any:
    """A game for one player as a `gymnasium.Env`: planes or the state's bytes, and `info["action_mask"]`."""
    found = as_game(game, "gym_env")
    if found.players != 1:
        raise GameError(
            f"gym_env got {found.title}, a game for {found.players} players; an Env has one: use pettingzoo_env"
        )
    _check_arguments("gym_env", illegal_reward, render_mode)
    return _gym_class()(found, illegal_reward, render_mode)


@refuses_unknown_names
def pettingzoo_env(game: Game | str, *, illegal_reward: float = PENALTY, render_mode: str | None = None) -> Any:
    """A game as a turn-based PettingZoo environment (`AECEnv`), with `player_0`, `player_1`, … and action masks."""
    _check_arguments("pettingzoo_env", illegal_reward, render_mode)
    return _aec_class()(as_game(game, "pettingzoo_env"), illegal_reward, render_mode)


def _check_arguments(caller: str, illegal_reward: Any, render_mode: Any) -> None:
    if not isinstance(illegal_reward, int | float | np.number) or not math.isfinite(illegal_reward):
        raise SettingsError(f"{caller} got illegal_reward={illegal_reward!r:.80}, expected a finite number")
    if render_mode not in (None, "ansi"):
        raise SettingsError(f"{caller} got render_mode={render_mode!r:.80}, expected 'ansi' or None")
