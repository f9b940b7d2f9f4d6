"""Learning: the state of a training, and the gradient steps that change it."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import FileError, SettingsError
from playout.evaluators.pytorch import load_torch, using_threads
from playout.game import Game
from playout.play.chance import seed_of

from .network_kind import kind_of
from .recipe import Recipe
from .replay import Samples, check_array, packed, reason, unpacked
from .report import check_history

FORMAT = 1
NEVER = -1e9  # the logit of an action that is marked as illegal
ABOUT = ("generation", "steps", "best_generation", "seconds", "history")  # of a state, in a checkpoint's `about`


@dataclass
class State:
    """The state of a training, as a checkpoint holds it."""

    generation: int
    model: Any
    optimiser: Any
    average: dict[str, Any]  # the weights of the network that plays
    steps: int = 0
    best: bytes = b""  # the best network so far, as a file
    best_generation: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


def new_state(game: Game, recipe: Recipe) -> State:
    """The state before the first generation."""
    torch = load_torch()
    torch.manual_seed(seed_of(recipe.seed, "weights"))
    model = new_model(game, recipe)
    average = {name: tensor.clone() for name, tensor in model.state_dict().items() if tensor.is_floating_point()}
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    return State(0, model, optimiser, average)


def new_model(game: Game, recipe: Recipe) -> Any:
    """A network with new weights."""
    return kind_of(recipe).new_model(game, recipe)


def averaged(state: State, game: Game, recipe: Recipe) -> Any:
    """The network that plays: the running average of the weights."""
    model = new_model(game, recipe)
    model.load_state_dict({**state.model.state_dict(), **state.average})
    return model


# A checkpoint as arrays.


def state_arrays(state: State, recipe: Recipe) -> dict[str, Any]:
    """The arrays of a checkpoint, by name."""
    arrays: dict[str, Any] = {}
    for name, tensor in state.model.state_dict().items():
        arrays[f"model/{name}"] = tensor.numpy()
    for name, tensor in state.average.items():
        arrays[f"average/{name}"] = tensor.numpy()
    for index, values in state.optimiser.state_dict()["state"].items():
        for name, tensor in values.items():
            arrays[f"optimiser/{index}/{name}"] = tensor.numpy()
    arrays["best"] = np.frombuffer(state.best, np.uint8)
    arrays["about"] = packed(
        {
            "format": FORMAT,
            **{name: getattr(state, name) for name in ABOUT},
            "recipe": recipe.to_dict(),
        }
    )
    return arrays


def state_of(arrays: dict[str, Any], game: Game, recipe: Recipe, path: Path) -> State:
    """The state in a checkpoint; `FileError` where it is damaged or belongs to another training."""
    state = new_state(game, recipe)
    try:
        about = checked_about(unpacked(arrays["about"]), int(path.stem))
        weights = read_tensors(arrays, "model", state.model.state_dict())
        state.average = read_tensors(arrays, "average", state.average)
        moments = [
            read_tensors(arrays, f"optimiser/{index}", moments_of(tensor.detach()))
            for index, tensor in enumerate(state.model.parameters())
        ]
        state.model.load_state_dict(weights)
        groups = state.optimiser.state_dict()["param_groups"]
        state.optimiser.load_state_dict({"state": dict(enumerate(moments)), "param_groups": groups})
        state.best = arrays["best"].tobytes()
        kind_of(recipe).check_playable(state.best, game)
        for name in ABOUT:
            setattr(state, name, about[name])
    except (KeyError, ValueError, RuntimeError, TypeError) as error:
        raise FileError(f"{path}: is not a checkpoint of this training ({reason(error)})") from None
    return state


def checked_about(about: Any, generation: int) -> dict[str, Any]:
    """Check the `about` of a checkpoint; `generation` is that in the file's name."""
    if not isinstance(about, dict):
        raise ValueError(f"`about` is {about!r:.40}, expected an object")
    for name in ABOUT[:4]:
        value, kind = about[name], int | float if name == "seconds" else int
        if not isinstance(value, kind) or isinstance(value, bool) or not 0 <= value < 1e15:
            raise ValueError(f"{name} is {value!r:.40}, expected a number from 0 up")
    if about["generation"] != generation or about["best_generation"] > generation:
        raise ValueError(
            f"it is of generation {about['generation']}, with the best of {about['best_generation']}, but its name "
            f"says {generation}"
        )
    check_history(about["history"], generation)
    return about


def moments_of(weights: Any) -> dict[str, Any]:
    """The shapes of what AdamW keeps for an array of weights."""
    return {"step": load_torch().tensor(0.0), "exp_avg": weights, "exp_avg_sq": weights}


def read_tensors(arrays: dict[str, Any], part: str, like: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a part as tensors; `ValueError` unless their names, shapes and types are those of `like`."""
    found = {name.removeprefix(f"{part}/") for name in arrays if name.startswith(f"{part}/")}
    for name in sorted(found ^ set(like)):
        raise ValueError(f"it has {'no' if name in like else 'an unknown'} {part}/{name}")
    for name, tensor in like.items():
        check_array(f"{part}/{name}", arrays[f"{part}/{name}"], tuple(tensor.shape), tensor.numpy().dtype)
    return {name: load_torch().from_numpy(np.array(arrays[f"{part}/{name}"])) for name in like}


# Steps.


def learn(
    state: State,
    game: Game,
    recipe: Recipe,
    samples: Samples,
    steps: int,
    seed: int,
    look: Callable[[int], None] = lambda step: None,
) -> dict[str, Any]:
    """Take `steps` steps on cross-entropy of the policy plus squared error of the value.

    Each step takes random rows, each turned by a random symmetry. Returns the mean losses.
    """
    with deterministic(recipe.threads):
        return _learn(state, game, recipe, samples, steps, np.random.default_rng(seed), look)


def _learn(
    state: State, game: Game, recipe: Recipe, samples: Samples, steps: int, random: Any, look: Callable[[int], None]
) -> dict[str, Any]:
    torch = load_torch()
    kind = kind_of(recipe)
    turns = kind.turns(game)
    model, optimiser = state.model, state.optimiser
    spread = float(model.spread)
    sums = np.zeros(3)
    for group in optimiser.param_groups:
        group["lr"] = recipe.rate * 0.5 ** (state.generation / recipe.halved)
    model.train()
    rows = min(recipe.batch, max(2, len(samples)))
    for step in range(steps):
        chosen = random.integers(len(samples), size=rows)
        planes, policy, values = turned_rows(samples, chosen, turns, random)
        logits, judged = model(torch.from_numpy(planes.reshape(rows, *kind.shape(game))))
        wanted = torch.from_numpy(policy)
        logs = torch.log_softmax(logits.masked_fill(wanted < 0, NEVER), dim=1)
        policy_loss = -(wanted.clamp(min=0) * logs).sum(dim=1).mean()
        value_loss = (((judged - torch.from_numpy(values)) / spread) ** 2).mean()
        optimiser.zero_grad()
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimiser.step()
        state.steps += 1
        keep = min(recipe.average, (1 + state.steps) / (10 + state.steps))
        with torch.no_grad():
            now = model.state_dict()
            for name, tensor in state.average.items():
                tensor.lerp_(now[name], 1.0 - keep)
            entropy = -(logs.exp() * logs).sum(dim=1).mean()
        sums += (float(policy_loss.detach()), float(value_loss.detach()), float(entropy))
        look(step)
    model.eval()
    if not np.isfinite(sums).all():
        raise SettingsError("training: the loss is not a finite number any more; a smaller `rate` may help")
    losses = sums / steps
    return {
        "policy_loss": round(float(losses[0]), 5),
        "value_loss": round(float(losses[1]), 5),
        "answer_entropy": round(float(losses[2]), 5),
    }


def turned_rows(samples: Samples, chosen: Any, turns: tuple[Any, Any], random: Any) -> tuple[Any, Any, Any]:
    """The chosen rows, each turned by a random symmetry."""
    ways = random.integers(len(turns[0]), size=len(chosen))
    rows = chosen[:, None]
    return samples.planes[rows, turns[0][ways]], samples.policy[rows, turns[1][ways]], samples.values[chosen]


def set_scale(model: Any, samples: Samples) -> None:
    """Scale values by the returns of the first games, where the game's range is not known."""
    middle, spread = float(samples.values.mean()), float(samples.values.std())
    model.middle.fill_(middle)
    model.spread.fill_(spread if spread > 1e-6 else 1.0)


@contextlib.contextmanager
def deterministic(threads: int) -> Iterator[None]:
    """Make PyTorch give the same numbers each time, with `threads` threads."""
    torch = load_torch()
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        with using_threads(torch, threads):
            yield
    finally:
        torch.use_deterministic_algorithms(before)
