"""Learning: what a training knows at a moment, and the steps that change it."""

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.arena.openings import seed_of
from playout.errors import FileError, SettingsError
from playout.game import Game

from .module import _threads, _torch
from .recipe import Recipe
from .replay import Samples, packed, unpacked

FORMAT = 1


@dataclass
class State:
    """All that a checkpoint holds."""

    generation: int
    model: Any
    optimiser: Any
    average: dict[str, Any]  # the weights of the network that plays
    steps: int = 0
    best: bytes = b""  # the network that won so far, as an ONNX file
    best_generation: int = 0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


def new_state(game: Game, recipe: Recipe) -> State:
    torch = _torch()
    torch.manual_seed(seed_of(recipe.seed, "weights"))
    model = new_model(game, recipe)
    average = {name: tensor.clone() for name, tensor in model.state_dict().items() if tensor.is_floating_point()}
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
    return State(0, model, optimiser, average)


def new_model(game: Game, recipe: Recipe) -> Any:
    from .model import Model

    return Model(game, recipe.blocks, recipe.filters, recipe.width)


def averaged(state: State, game: Game, recipe: Recipe) -> Any:
    """The network that plays."""
    model = new_model(game, recipe)
    model.load_state_dict({**state.model.state_dict(), **state.average})
    return model


# A checkpoint as arrays.


def state_arrays(state: State, recipe: Recipe) -> dict[str, Any]:
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
            "generation": state.generation,
            "steps": state.steps,
            "best_generation": state.best_generation,
            "seconds": state.seconds,
            "history": state.history,
            "recipe": recipe.to_dict(),
        }
    )
    return arrays


def state_of(arrays: dict[str, Any], game: Game, recipe: Recipe, path: Path) -> State:
    """The state that a checkpoint holds; `FileError` where it is that of another training."""
    torch = _torch()
    state = new_state(game, recipe)
    try:
        about = unpacked(arrays["about"])
        parts: dict[str, dict[str, Any]] = {"model": {}, "average": {}, "optimiser": {}}
        for key, array in arrays.items():
            part, _, name = key.partition("/")
            if part in parts:
                parts[part][name] = torch.from_numpy(np.array(array))
        state.model.load_state_dict(parts["model"])
        if set(parts["average"]) != set(state.average):
            raise ValueError("it has other weights")
        state.average = parts["average"]
        moments: dict[int, dict[str, Any]] = {}
        for key, tensor in parts["optimiser"].items():
            index, _, name = key.partition("/")
            moments.setdefault(int(index), {})[name] = tensor
        groups = state.optimiser.state_dict()["param_groups"]
        state.optimiser.load_state_dict({"state": moments, "param_groups": groups})
        state.best = arrays["best"].tobytes()
        for name in ("generation", "steps", "best_generation", "seconds", "history"):
            setattr(state, name, about[name])
    except (KeyError, ValueError, RuntimeError, TypeError) as error:
        reason = " ".join(str(error).split())[:160]
        raise FileError(f"{path}: is no checkpoint of this training ({reason})") from None
    return state


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
    """So many steps of cross-entropy of the policy plus squared error of the value, on random rows turned at random."""
    with deterministic(recipe.threads):
        return _learn(state, game, recipe, samples, steps, np.random.default_rng(seed), look)


def _learn(
    state: State, game: Game, recipe: Recipe, samples: Samples, steps: int, random: Any, look: Callable[[int], None]
) -> dict[str, Any]:
    torch = _torch()
    turns = symmetries_of(game)
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
        logits, judged = model(torch.from_numpy(planes.reshape(rows, *game.planes)))
        logs = torch.log_softmax(logits, dim=1)
        policy_loss = -(torch.from_numpy(policy) * logs).sum(dim=1).mean()
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
        raise SettingsError("training: the loss is no longer a number; a smaller `rate` may help")
    losses = sums / steps
    return {
        "policy_loss": round(float(losses[0]), 5),
        "value_loss": round(float(losses[1]), 5),
        "answer_entropy": round(float(losses[2]), 5),
    }


def symmetries_of(game: Game) -> tuple[Any, Any]:
    """The ways to turn a position, this one first: index arrays [S, K] of the planes and [S, A] of the policy."""
    size = math.prod(game.planes)
    planes, policies = [np.arange(size)], [np.arange(game.policy_size)]
    for i, j in game.symmetries():
        planes.append(np.asarray(i))
        policies.append(np.asarray(j))
        if len(planes[-1]) != size or len(policies[-1]) != game.policy_size:
            raise SettingsError(
                f"{game.title}.symmetries() has index arrays of {len(planes[-1])} and {len(policies[-1])} entries, "
                f"expected {size} for the planes and {game.policy_size} for the policy"
            )
    return np.stack(planes), np.stack(policies)


def turned_rows(samples: Samples, chosen: Any, turns: tuple[Any, Any], random: Any) -> tuple[Any, Any, Any]:
    """Some rows, each turned in its own way."""
    ways = random.integers(len(turns[0]), size=len(chosen))
    rows = chosen[:, None]
    return samples.planes[rows, turns[0][ways]], samples.policy[rows, turns[1][ways]], samples.values[chosen]


def set_scale(model: Any, samples: Samples) -> None:
    """Where the game's range is not known: values are learnt in units of what the first games brought."""
    middle, spread = float(samples.values.mean()), float(samples.values.std())
    model.middle.fill_(middle)
    model.spread.fill_(spread if spread > 1e-6 else 1.0)


@contextlib.contextmanager
def deterministic(threads: int) -> Iterator[None]:
    torch = _torch()
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        with _threads(torch, threads):
            yield
    finally:
        torch.use_deterministic_algorithms(before)
