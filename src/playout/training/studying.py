"""Learning from a teacher: a model over sparse inputs, its steps in epochs, its figures on held-out positions."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playout.errors import FileError, SettingsError
from playout.evaluators.pytorch import load_torch
from playout.game import Game
from playout.play.chance import seed_of

from .inputs import Inputs
from .learning import deterministic, moments_of, read_tensors
from .replay import packed, reason, unpacked
from .report import check_figures
from .taught_recipe import TaughtRecipe

MEASURED = 4096  # positions that are measured at once
STEPS, LEAST_BATCH = 100, 32  # with few positions batches are smaller, down to 32, for 100 steps in an epoch
# The figures of every epoch: losses and move accuracy on positions that were learnt from, and on held-out ones.
FIGURES = ("epoch", "policy_loss", "value_loss", "accuracy", "held_policy_loss", "held_value_loss", "held_accuracy")


@dataclass
class Study:
    """The state of the learning, as a checkpoint holds it."""

    model: Any
    optimiser: Any
    epoch: int = 0
    history: list[dict[str, Any]] = field(default_factory=list)


def new_study(game: Game, recipe: TaughtRecipe) -> Study:
    """The state before the first epoch."""
    torch = load_torch()
    from .sparse_model import SparseModel  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

    torch.manual_seed(seed_of(recipe.seed, "weights"))
    model = SparseModel(game, recipe.hidden, recipe.squared, recipe.wdl, recipe.base)
    return Study(model, torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=recipe.decay))


# A checkpoint as arrays.


def study_arrays(study: Study, identity: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a checkpoint, by name; `identity` says which learning it is of."""
    arrays: dict[str, Any] = {f"model/{name}": t.numpy() for name, t in study.model.state_dict().items()}
    for index, values in study.optimiser.state_dict()["state"].items():
        for name, tensor in values.items():
            arrays[f"optimiser/{index}/{name}"] = tensor.numpy()
    arrays["about"] = packed({"epoch": study.epoch, "history": study.history, "identity": identity})
    return arrays


def study_of(arrays: dict[str, Any], game: Game, recipe: TaughtRecipe, identity: dict[str, Any], path: Any) -> Study:
    """The state in a checkpoint; `FileError` where it is damaged, or of learning with other settings or positions."""
    study = new_study(game, recipe)
    try:
        about = unpacked(arrays["about"])
        if not isinstance(about, dict) or about.get("identity") != identity:
            raise ValueError("it has other settings or positions")
        study.epoch, study.history = about["epoch"], about["history"]
        if not isinstance(study.history, list) or len(study.history) != study.epoch or study.epoch > recipe.epochs:
            raise ValueError(f"its history is {study.history!r:.40}, expected one of {study.epoch!r:.20} epochs")
        for figures in study.history:
            check_figures(figures, FIGURES, "an epoch")
        weights = read_tensors(arrays, "model", study.model.state_dict())
        moments = [
            read_tensors(arrays, f"optimiser/{index}", moments_of(tensor.detach()))
            for index, tensor in enumerate(study.model.parameters())
        ]
        study.model.load_state_dict(weights)
        groups = study.optimiser.state_dict()["param_groups"]
        study.optimiser.load_state_dict({"state": dict(enumerate(moments)), "param_groups": groups})
    except (KeyError, ValueError, RuntimeError, TypeError, RecursionError) as error:
        raise FileError(f"{path}: is not a checkpoint of this training ({reason(error)})") from None
    return study


# Steps.


def study_epoch(
    study: Study,
    recipe: TaughtRecipe,
    inputs: Inputs,
    learnt: Any,
    turns: tuple[Any, Any],
    look: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """Learn from every position once, in batches of a random order, each turned by a random symmetry.

    Returns the mean losses and the accuracy on these positions, each taken before it was learnt from in this epoch.
    """
    torch = load_torch()
    from .sparse_model import value_losses  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

    random = np.random.default_rng(seed_of(recipe.seed, "epoch", study.epoch + 1))
    order = random.permutation(learnt)
    size = min(recipe.batch, max(LEAST_BATCH, len(order) // STEPS))
    batches = math.ceil(len(order) / size)
    sums = np.zeros(3)
    study.model.train()
    with deterministic(recipe.threads):
        for number, rows in enumerate(np.array_split(order, batches)):  # no tiny last batch with a full step
            done = (study.epoch + number / batches) / recipe.epochs
            for group in study.optimiser.param_groups:
                group["lr"] = recipe.rate * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)
            batch = SparseBatch.of(inputs, rows, turns, random.integers(len(turns[0]), size=len(rows)))
            logs, judged = batch.answers(study.model)
            policy_loss = -(batch.targets * logs).sum() / len(rows)
            value_loss = value_losses(study.model, judged, batch.values).mean()
            study.optimiser.zero_grad()
            (policy_loss + recipe.value_weight * value_loss).backward()
            torch.nn.utils.clip_grad_norm_(study.model.parameters(), 5.0)
            study.optimiser.step()
            sums += batch.sums(study.model, logs.detach(), judged.detach())
            look((number + 1) / batches)
    if not np.isfinite(sums).all():
        raise SettingsError("training: the loss is not a finite number any more; a smaller `rate` may help")
    return _figures(sums, len(order))


def measure(model: Any, inputs: Inputs, rows: Any, turns: tuple[Any, Any], threads: int) -> dict[str, Any]:
    """The mean losses and the accuracy on some positions, which are not learnt from."""
    torch = load_torch()
    sums = np.zeros(3)
    model.eval()
    with deterministic(threads), torch.no_grad():
        for first in range(0, len(rows), MEASURED):
            some = rows[first : first + MEASURED]
            batch = SparseBatch.of(inputs, some, turns, np.zeros(len(some), np.int64))
            sums += batch.sums(model, *batch.answers(model))
    return _figures(sums, len(rows))


def _figures(sums: Any, count: int) -> dict[str, Any]:
    names = ("policy_loss", "value_loss", "accuracy")
    return {name: round(float(total) / max(1, count), 5) for name, total in zip(names, sums, strict=True)}


@dataclass(frozen=True)
class SparseBatch:
    """Some positions as tensors: B positions, M legal actions in all."""

    features: Any
    firsts: Any  # [B] where the features of each begin
    indices: Any  # [M]
    rows: Any  # [M] the position of each action
    targets: Any  # [M]
    values: Any  # [B]
    base_priors: Any  # [M]
    base_values: Any  # [B]

    @classmethod
    def of(cls, inputs: Inputs, chosen: Any, turns: tuple[Any, Any], ways: Any) -> "SparseBatch":
        """The chosen positions, each turned by the symmetry `ways` [B] says."""
        torch = load_torch()
        features, active = inputs.features.rows(chosen)
        indices, legal = inputs.indices.rows(chosen)
        targets, _ = inputs.targets.rows(chosen)
        rows = np.repeat(np.arange(len(chosen)), legal)
        if len(turns[0]) > 1:
            features = turns[0][np.repeat(ways, active), features]
            indices = turns[1][ways[rows], indices]
        return cls(
            features=torch.from_numpy(features.astype(np.int64)),
            firsts=torch.from_numpy(np.cumsum(active) - active),
            indices=torch.from_numpy(indices.astype(np.int64)),
            rows=torch.from_numpy(rows),
            targets=torch.from_numpy(targets),
            values=torch.from_numpy(inputs.values[chosen]),
            base_priors=torch.from_numpy(inputs.base_priors.rows(chosen)[0]),
            base_values=torch.from_numpy(inputs.base_values[chosen]),
        )

    def answers(self, model: Any) -> tuple[Any, Any]:
        """The logarithms of the policy [M], and the outputs of the value head."""
        from .sparse_model import log_shares  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

        units = model.units(self.features, self.firsts)
        logits = model.logits(units, self.indices, self.rows, self.base_priors)
        return log_shares(logits, self.rows, len(self.values)), model.judged(units, self.base_values)

    def sums(self, model: Any, logs: Any, judged: Any) -> Any:
        """The sums over the positions: cross-entropy of the policy, squared error of the value, right first choices.

        A first choice is right if the teacher gives it as much as any other action.
        """
        torch = load_torch()
        with torch.no_grad():
            policy = -(self.targets * logs).sum()
            errors = ((model.worth(judged) - self.values) ** 2).sum()
            none = torch.full((len(self.values),), -torch.inf)
            best = none.scatter_reduce(0, self.rows, logs, "amax")
            wanted = none.scatter_reduce(0, self.rows, self.targets, "amax")
            first = (logs == best[self.rows]).float()
            chosen = torch.zeros(len(self.values)).index_add(0, self.rows, first)  # equal ones share the choice
            hits = (first * (self.targets == wanted[self.rows]) / chosen[self.rows]).sum()
        return np.array([float(policy), float(errors), float(hits)])
