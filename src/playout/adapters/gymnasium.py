"""Gymnasium's environments: `from_gymnasium(env)` gives a game that begins where the environment stands."""

import copy
import itertools
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names
from playout.common.raised import described
from playout.errors import GameError, SettingsError
from playout.game.wrap import ObjectGame, wrap

from .copies import fingerprint
from .packages import package
from .simulator import Simulator
from .states import EnvPosition, Seen, World
from .table import best_actions
from .trials import choose_copies, comes_back, playout_depth

HORIZON = 200  # steps, where the environment has no time limit
SAMPLES = 400  # of the outcomes of an action
MOST_ACTIONS = 1024
OUTER = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")  # wrappers of gym.make; the adapter counts the time itself
RESETS = 200  # that are compared to find out whether the observation hides anything


class GymSimulator(Simulator):
    """A Gymnasium environment as a simulator."""

    def __init__(self, env: Any) -> None:
        gym = package("gymnasium", "from_gymnasium")
        if not isinstance(env, gym.Env):
            kind = "a vector environment; give one of its environments" if hasattr(env, "num_envs") else repr(env)
            raise GameError(f"from_gymnasium got {kind:.80}, expected a gymnasium.Env, as gym.make(…) makes it")
        super().__init__(env.spec.id if env.spec is not None else type(env.unwrapped).__name__)
        self.time_limit: int | None = None
        self.space = self.known_space = env.action_space
        self.own = self._actions(gym.spaces)
        self.every = tuple(range(len(self.own)))
        if isinstance(self.space, gym.spaces.Discrete):
            self.every = tuple(int(action) for action in self.own)
        self.by_number = dict(zip(self.every, self.own, strict=True))
        self.player, self.legal, self.rewards, self.done, self.seen = 0, self.every, (0.0,), False, None

    def _actions(self, spaces: Any) -> list[Any]:
        space = self.space
        if isinstance(space, spaces.Discrete):
            if space.n <= MOST_ACTIONS:
                return [int(space.start) + i for i in range(int(space.n))]
            count = int(space.n)
        elif isinstance(space, spaces.MultiDiscrete | spaces.MultiBinary):
            sizes = np.ravel(space.nvec) if isinstance(space, spaces.MultiDiscrete) else [2] * int(np.prod(space.shape))
            starts = np.ravel(getattr(space, "start", np.zeros(len(sizes), int)))
            count = int(np.prod(np.array(sizes, object)))
            if count <= MOST_ACTIONS:
                ranges = [range(int(a), int(a) + int(n)) for a, n in zip(starts, sizes, strict=True)]
                return [np.array(a, space.dtype).reshape(space.shape) for a in itertools.product(*ranges)]
        elif isinstance(space, spaces.Box):
            raise GameError(
                f"{self.title}: the actions are continuous ({space}), and a search lists them; wrap the environment so "
                f"that its action_space is Discrete, or write it as a po.Game with sample_action"
            )
        else:
            raise GameError(f"{self.title}: the action space is {space}, expected Discrete, MultiDiscrete, MultiBinary")
        raise GameError(
            f"{self.title}: the action space {space} has {count:,} actions, expected at most {MOST_ACTIONS}"
        )

    def layers_of(self, env: Any) -> list[Any]:
        while type(env).__name__ in OUTER and type(env).__module__.startswith("gymnasium."):
            env = env.env
        layers = [env]
        while layers[-1].unwrapped is not layers[-1]:
            layers.append(layers[-1].env)
        return layers

    def time_of(self, env: Any) -> tuple[int, int | None]:
        """Steps since the reset, and the time limit, of the outer wrappers."""
        elapsed, limit = 0, None
        while type(env).__name__ in OUTER and type(env).__module__.startswith("gymnasium."):
            if not getattr(env, "_has_reset", True):
                raise GameError(f"{self.title} was not reset; call env.reset(seed=…) first")
            if type(env).__name__ == "TimeLimit":
                if env._elapsed_steps is None:
                    raise GameError(f"{self.title} was not reset; call env.reset(seed=…) first")
                elapsed, limit = int(env._elapsed_steps), int(env._max_episode_steps)
            env = env.env
        return elapsed, limit

    def reset(self, seed: int | None) -> None:
        found = self.called("reset()", self.copies.sim.reset, seed=seed)
        if not isinstance(found, tuple) or len(found) != 2:
            raise GameError(f"{self.title}: reset() returned {found!r:.60}, expected (observation, info)")
        self.seen, info = found
        self.rewards, self.done = (0.0,), False
        self._read_mask(info)

    def advance(self, action: int) -> None:
        sim = self.copies.sim
        try:
            self.seen, reward, terminated, truncated, info = sim.step(self.by_number[action])
            self.rewards = (float(reward),)
        except Exception as error:
            raise self._failed(action, error) from error
        if not isfinite(self.rewards[0]):
            raise GameError(
                f"{self.title}: step({self.text_of(action)}) returned the reward {self.rewards[0]}, expected a finite "
                f"number"
            )
        self.done = bool(terminated or truncated)
        if sim.action_space is not self.known_space:  # comparing two takes long
            self._check_space(action)
        if info or self.legal is not self.every:  # no mask: all actions again
            self._read_mask(info)

    def _check_space(self, action: int) -> None:
        space = self.copies.sim.action_space
        if space != self.space:
            raise GameError(
                f"{self.title}: the action space was {self.space} and is {space} after step({action}); give "
                f"it one space, and an info['action_mask'] for the actions of now"
            )
        self.known_space = space

    def _failed(self, action: int, error: Exception) -> GameError:
        return GameError(f"{self.title}: step({self.text_of(action)}) failed: {described(error)}")

    def _read_mask(self, info: Any) -> None:
        mask = info.get("action_mask") if isinstance(info, dict) else None
        if mask is None:
            self.legal = self.every
            return
        if len(mask) != len(self.every):
            raise GameError(f"{self.title}: the action mask has {len(mask)} entries, expected {len(self.every)}")
        self.legal = [action for action, fits in zip(self.every, mask, strict=True) if fits]
        if not self.legal and not self.done:
            raise GameError(f"{self.title}: the action mask allows no action; if the episode is over, call env.reset()")

    def text_of(self, action: int) -> str:
        own = self.by_number[action]
        return " ".join(str(own.tolist() if isinstance(own, np.ndarray) else own).split())


class GymAdapter:
    """What `from_gymnasium` found out about an environment; makes games of its present position."""

    def __init__(
        self,
        env: Any,
        *,
        discount: float = 1.0,
        horizon: int | None = None,
        depth: int | None = None,
        samples: int = SAMPLES,
        copies: str | None = None,
        history: Sequence[Any] | None = None,
        info: Any = None,
        redraw: Callable[[Any], None] | bool | None = None,
        seed: int = 0,
        preset: str | None = None,
    ) -> None:
        if not isinstance(discount, int | float) or not 0.0 < discount <= 1.0:
            raise SettingsError(f"from_gymnasium got discount={discount!r}, expected more than 0 and at most 1")
        for name, value in (("horizon", horizon), ("depth", depth), ("samples", samples)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise SettingsError(f"from_gymnasium got {name}={value!r}, expected a whole number of at least 1")
        self.sim = sim = GymSimulator(env)
        sim.time_of(env)
        self.discount, self.horizon, self.samples, self.seed, self.preset = discount, horizon, samples, seed, preset
        inner = env.unwrapped
        start = getattr(inner, "np_random_seed", None)
        numbers = None if history is None else [self.number_of(action) for action in history]
        self.copies = choose_copies(
            sim,
            env,
            _makers(sim, env),
            wanted=copies,
            start=start if isinstance(start, int) and start >= 0 else None,
            history=numbers,
            look=lambda: sim._read_mask(info) or setattr(sim, "done", False),  # type: ignore[func-returns-value]
        )
        self.redraw = self._redraw(inner, redraw)
        self.tabular = comes_back(sim, lambda: self._key(sim.copies.save(), sim.seen))
        self.depth = depth
        if depth is None and not self.tabular:
            self.depth = playout_depth(sim)
        self._known: dict[Any, Any] = {}
        self._leads: dict[bytes, Sequence[int]] = {}

    def _key(self, state: Any, seen: Any) -> bytes:
        return repr(seen).encode() if self.redraw else self.sim.copies.key(state)

    def number_of(self, action: Any) -> int:
        """The number of one of the environment's own actions."""
        for number, own in self.sim.by_number.items():
            if np.array_equal(own, action):
                return number
        raise GameError(f"{self.sim.title}: {action!r:.60} is not one of its actions")

    def _redraw(self, inner: Any, given: Callable[[Any], None] | bool | None) -> Callable[[Any], None] | None:
        if callable(given):
            return given
        if given is False:
            return None
        known = REDRAWS.get(f"{type(inner).__module__}.{type(inner).__qualname__}")
        if known is None and (what := _hidden(self.sim)):
            raise GameError(
                f"{self.sim.title} hides part of its state: {what}. A search of a copy would see it; give "
                f"redraw=function, which draws again what the player can't see of the env it gets, or redraw=False to "
                f"search with everything in view"
            )
        return known

    def game(self, env: Any, info: Any = None) -> ObjectGame:
        """The game that begins where the environment stands."""
        sim = self.sim
        elapsed, limit = sim.time_of(env)
        left = None if limit is None else max(0, limit - elapsed)
        ends = [steps for steps in (left, self.horizon) if steps is not None]
        world = World(
            sim, samples=self.samples, seed=self.seed, discount=self.discount, limit=min(ends) if ends else HORIZON
        )
        world.redraw, world.known, world.tabular, world.depth = self.redraw, self._known, self.tabular, self.depth
        state = sim.copies.take(env)
        sim.put(state)
        sim._read_mask(info)
        observe = getattr(env.unwrapped, "_get_obs", None)
        try:
            seen = observe() if callable(observe) else None
        except TypeError:  # it wants arguments
            seen = None
        key = self._key(state, seen)
        root = Seen(state, key, 0, tuple(sim.legal), (0.0,), left == 0, seen)
        if self.tabular and self._leads.get(key) is None and not root.done:
            found = best_actions(world, root)
            self._leads = self._leads | found if found else {key: ()}
        world.leads = self._leads if any(self._leads.values()) else {}
        most = max(len(sim.every), self.samples if sim.random else 1)
        preset = self.preset or ("environment" if self.tabular else "control")
        game = wrap(EnvPosition(world, root, 0), max_actions=most, preset=preset)
        named(game, sim, self.copies)
        if self.depth is not None:
            game.copies += f"; playouts of {self.depth} steps"
        return game


def named(game: ObjectGame, sim: Simulator, copies: str) -> ObjectGame:
    """A game with the environment's name, and what `copies` found out."""
    cls: Any = type(game)
    cls.name, cls.sampled, cls.__doc__ = sim.title, sim.random, f"{sim.title}. {copies[:1].upper()}{copies[1:]}."
    game.copies = f"{copies}; {'chance is sampled' if sim.random else 'no chance'}"
    return game


def _makers(sim: Simulator, env: Any) -> list[Callable[[], Any]]:
    """Ways to make a second instance, as deep as the layers that are searched."""
    found: list[Callable[[], Any]] = [lambda: copy.deepcopy(sim.layers_of(env)[0])]
    if getattr(env, "spec", None) is not None:
        gym = package("gymnasium", "from_gymnasium")
        found.append(lambda: sim.layers_of(gym.make(env.spec, render_mode=None))[0])
    return found


def _hidden(sim: GymSimulator) -> str:
    """Whether two positions that look the same go on differently, with the same random numbers: how, or "" if none do.

    Resets are compared, and only where observations come back.
    """
    first: dict[bytes, tuple[Any, Any]] = {}
    if sim.copies.name == "replay":  # it knows one start only
        return ""
    for seed in range(RESETS):
        try:
            sim.reset(seed)
        except GameError:
            return ""
        sim.copies.find_generators()
        seen, legal, state = fingerprint(sim.seen), tuple(sim.legal), sim.copies.save()
        if seen not in first:
            if seed >= RESETS // 4 and len(first) == seed:
                return ""  # observations don't come back
            first[seen] = (state, sim.seen)
            continue
        for action in legal:
            ends = []
            for one in (first[seen][0], state):
                sim.put(one)
                sim.reseed(7)
                sim.step(action)
                ends.append(fingerprint((sim.seen, sim.rewards, sim.done)))
            if ends[0] != ends[1]:
                return (
                    f"after {first[seen][1]!s:.60}, action {sim.text_of(action)} leads elsewhere in two such positions"
                )
    return ""


def _redraw_blackjack(env: Any) -> None:
    env.dealer[1] = int(env.np_random.choice(DECK))


DECK = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
REDRAWS: dict[str, Callable[[Any], None]] = {
    "gymnasium.envs.toy_text.blackjack.BlackjackEnv": _redraw_blackjack,  # the dealer's second card lies face down
}


@refuses_unknown_names
def from_gymnasium(
    env: Any,
    *,
    discount: float = 1.0,
    horizon: int | None = None,
    depth: int | None = None,
    samples: int = SAMPLES,
    copies: str | None = None,
    history: Sequence[Any] | None = None,
    info: Any = None,
    redraw: Callable[[Any], None] | bool | None = None,
    seed: int = 0,
    preset: str | None = None,
) -> ObjectGame:
    """A game of a Gymnasium environment, which begins where the environment stands; the environment is never stepped.

    `game.copies` says which way of copying was proven to work, and what it costs; `copies` names one to take.
    `discount` is the value of a reward one step later. `horizon` is how many steps the search looks ahead; by default
    to the time limit, or 200 where there is none. `depth` is how many steps a playout takes at most; by default half as
    many as random play lasts, if it soon fails and positions don't come back, otherwise to the end. Chance is sampled:
    `samples` is how often at most for each action, `seed` where it begins. `info` is what the last reset or step
    returned, for its action mask. `history`, the actions since the reset, is needed where the state can only be
    replayed. `redraw(env)` draws what the player can't see.
    """
    adapter = GymAdapter(
        env,
        discount=discount,
        horizon=horizon,
        depth=depth,
        samples=samples,
        copies=copies,
        history=history,
        info=info,
        redraw=redraw,
        seed=seed,
        preset=preset,
    )
    return adapter.game(env, info)
