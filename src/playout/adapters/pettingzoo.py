"""PettingZoo's turn-based (AEC) environments: `from_pettingzoo(env)` gives a game that begins where the env stands."""

import copy
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names
from playout.common.raised import described
from playout.errors import GameError
from playout.game.wrap import ObjectGame, wrap

from .gymnasium import MOST_ACTIONS, SAMPLES, named
from .packages import package
from .simulator import Simulator
from .states import EnvPosition, Seen, World
from .trials import choose_copies, comes_back

OUTER = ("OrderEnforcingWrapper", "AssertOutOfBoundsWrapper", "TerminateIllegalWrapper", "BaseWrapper")
HIDDEN = ("gin_rummy", "hanabi", "leduc_holdem", "texas_holdem", "texas_holdem_no_limit")  # of pettingzoo.classic


class AecSimulator(Simulator):
    """A PettingZoo environment as a simulator; the players are its agents, in the order of `possible_agents`."""

    def __init__(self, env: Any) -> None:
        zoo = package("pettingzoo", "from_pettingzoo")
        gym = package("gymnasium", "from_pettingzoo")
        if isinstance(env, zoo.ParallelEnv):
            raise GameError(f"{env} is a parallel environment: its players move at the same time; expected an AECEnv")
        if not isinstance(env, zoo.AECEnv):
            raise GameError(f"from_pettingzoo got {env!r:.80}, expected an AECEnv, as connect_four_v3.env() makes it")
        facts = env.metadata
        super().__init__(str(facts.get("name", type(env.unwrapped).__name__)))
        if facts.get("is_parallelizable"):
            raise GameError(f"{self.title}: its players move at the same time, which Playout can't search")
        if (kind := self.title.rpartition("_v")[0]) in HIDDEN:
            raise GameError(f"{self.title}: {kind} hides cards from the players, and a search of a copy would see them")
        if not getattr(env, "agents", None):
            raise GameError(f"{self.title} was not reset, or is over; call env.reset(seed=…) first")
        self.agents = list(env.possible_agents)
        self.players, self.index = len(self.agents), {agent: i for i, agent in enumerate(self.agents)}
        # Several environments list their actions in `_legal_moves()`, faster than a mask; the trials compare both.
        self.lists, self.trying = callable(getattr(env.unwrapped, "_legal_moves", None)), True
        self.every: dict[Any, tuple[int, ...]] = {}
        for agent in self.agents:
            space = env.action_space(agent)
            if not isinstance(space, gym.spaces.Discrete) or space.n > MOST_ACTIONS * 64 - 1:
                raise GameError(f"{self.title}: the action space of {agent} is {space}, expected Discrete")
            self.every[agent] = tuple(range(int(space.start), int(space.start) + int(space.n)))
        self.player, self.legal, self.rewards, self.done, self.seen = 0, (), (0.0,) * self.players, False, None

    def layers_of(self, env: Any) -> list[Any]:
        while type(env).__name__ in OUTER and type(env).__module__.startswith("pettingzoo."):
            env = env.env
        layers = [env]
        while layers[-1].unwrapped is not layers[-1]:
            layers.append(layers[-1].env)
        return layers

    def reset(self, seed: int | None) -> None:
        self.called("reset()", self.copies.sim.reset, seed=seed)
        self.read()

    def advance(self, action: int) -> None:
        try:
            self.copies.sim.step(action)
            self.read()
        except GameError:
            raise
        except Exception as error:
            raise GameError(f"{self.title}: step({action}) failed: {described(error)}") from error

    def read(self) -> None:
        """Read who moves, the legal actions and the rewards; agents that are done are stepped past."""
        env = self.copies.sim
        rewards = env.rewards
        self.rewards = tuple([float(rewards.get(agent, 0.0)) for agent in self.agents])
        if not isfinite(sum(self.rewards)):
            raise GameError(f"{self.title}: the rewards are {rewards!r:.120}, expected finite numbers")
        while True:
            ended, cut, agent = env.terminations, env.truncations, env.agent_selection
            if env.agents and not ended[agent] and not cut[agent]:
                break
            if not env.agents or all(ended[agent] or cut[agent] for agent in env.agents):
                self.done, self.legal = True, ()
                return
            env.step(None)
        self.done = False
        self.player = self.index[agent]
        if self.lists and not self.trying:
            self.seen, self.legal = None, env._legal_moves()
            return
        self.seen = env.observe(agent)
        mask = self.seen.get("action_mask") if isinstance(self.seen, dict) else None
        if mask is None:
            mask = env.infos.get(agent, {}).get("action_mask")
        every = self.every[agent]
        if mask is None:
            self.legal = every
        elif len(mask) != len(every):
            raise GameError(f"{self.title}: the action mask of {agent} has {len(mask)} entries, expected {len(every)}")
        else:
            self.legal = [action for action, fits in zip(every, np.asarray(mask).tolist(), strict=True) if fits]
            if not self.legal:
                raise GameError(f"{self.title}: the action mask allows {agent} no action, and its game is not over")
        if self.lists and self.legal != env._legal_moves():
            self.lists = False


class AecAdapter:
    """What `from_pettingzoo` found out about an environment; makes games of its present position."""

    def __init__(
        self,
        env: Any,
        *,
        copies: str | None = None,
        history: Sequence[int] | None = None,
        start: int | None = None,
        samples: int = SAMPLES,
        seed: int = 0,
        value_range: tuple[float, float] | str | None = "default",
        returns_sum: float | str | None = "default",
        preset: str | None = None,
    ) -> None:
        self.sim = sim = AecSimulator(env)
        self.samples, self.seed, self.preset = samples, seed, preset
        self.value_range, self.returns_sum = value_range, returns_sum
        makers = [lambda: copy.deepcopy(sim.layers_of(env)[0])]
        self.copies = choose_copies(sim, env, makers, wanted=copies, start=start, history=history, look=sim.read)
        self.tabular = comes_back(sim, lambda: sim.copies.key(sim.copies.save()))
        sim.trying = False
        self._known: dict[Any, Any] = {}

    def game(self, env: Any, info: Any = None) -> ObjectGame:
        """The game that begins where the environment stands."""
        sim = self.sim
        world = World(sim, samples=self.samples, seed=self.seed, discount=1.0, limit=None)
        world.known, world.tabular = self._known, self.tabular and sim.random
        state = sim.copies.take(env)
        sim.put(state)
        sim.read()
        key = sim.copies.key(state)
        root = Seen(state, key, sim.player, tuple(sim.legal), (0.0,) * sim.players, sim.done, sim.seen)
        most = max(*map(len, sim.every.values()), self.samples if sim.random else 1)
        game = wrap(
            EnvPosition(world, root, 0),
            max_actions=most,
            value_range=self.value_range,
            returns_sum=self.returns_sum,
            preset=self.preset or "",
        )
        return named(game, sim, self.copies)


@refuses_unknown_names
def from_pettingzoo(
    env: Any,
    *,
    copies: str | None = None,
    history: Sequence[int] | None = None,
    start: int | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    value_range: tuple[float, float] | str | None = "default",
    returns_sum: float | str | None = "default",
    preset: str | None = None,
) -> ObjectGame:
    """A game of a turn-based PettingZoo environment, which begins where the environment stands; it is never stepped.

    `game.copies` says which way of copying was proven to work, and what it costs; `copies` names one to take. `start`,
    the seed of the last reset, and `history`, the actions since then, are needed where the state can only be replayed.
    Chance is sampled: `samples` is how often at most for each action, `seed` where it begins. `value_range` and
    `returns_sum` are as in `po.wrap`.
    """
    adapter = AecAdapter(
        env,
        copies=copies,
        history=history,
        start=start,
        samples=samples,
        seed=seed,
        value_range=value_range,
        returns_sum=returns_sum,
        preset=preset,
    )
    return adapter.game(env)
