"""The network over sparse inputs as a PyTorch model: what learns, and what becomes a `.fast` file.

It computes what `FastNetwork.answer` says, for many positions at once. Lists of different lengths come flat, with the
number of the position that each entry belongs to.
"""

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from playout.errors import EvaluatorError
from playout.evaluators.fast import FastNetwork
from playout.game import Game

from .inputs import Inputs

ALIKE = 1e-3  # how far the answers of a model and of its file may be apart: both add float32 numbers


class SparseModel(nn.Module):  # type: ignore[misc]  # mypy skips PyTorch's types
    """From active inputs and legal actions to logits of these actions, and to the outputs of the value head."""

    def __init__(self, game: Game, hidden: int, squared: bool, wdl: bool, base: bool = False) -> None:
        super().__init__()
        self.base_value = self.base_policy = None  # the weights of the game's own value and priors
        if base and game.has("evaluate"):
            self.base_value = nn.Parameter(torch.ones(1))
        if base and game.has("priors"):
            self.base_policy = nn.Parameter(torch.ones(1))
        self.squared, self.wdl, self.bounded = squared, wdl, True
        low, high = game.range or (-1.0, 1.0)
        self.middle, self.spread = (low + high) / 2, (high - low) / 2
        outputs = 3 if wdl else 1
        # Most sums begin between 0 and 1, where a clipped unit has a slope.
        self.inputs = nn.EmbeddingBag(game.feature_count, hidden, mode="sum")
        nn.init.normal_(self.inputs.weight, std=0.06)
        self.input_bias = nn.Parameter(torch.full((hidden,), 0.3))
        # An untrained network gives all actions the same prior, and the middle of the range as value.
        self.value, self.value_bias = nn.Parameter(torch.zeros(outputs, hidden)), nn.Parameter(torch.zeros(outputs))
        self.policy = nn.Parameter(torch.zeros(game.policy_size, hidden))
        self.policy_bias = nn.Parameter(torch.zeros(game.policy_size))

    def forward(self, given: Any) -> Any:
        """From counts of each feature [B, F] to logits of all actions [B, A] and values [B, 1] in the range."""
        units = torch.clamp(given @ self.inputs.weight + self.input_bias, 0.0, 1.0)
        units = units * units if self.squared else units
        worth = self.worth(self.judged(units))[:, None]
        return units @ self.policy.T + self.policy_bias, self.middle + self.spread * worth

    def units(self, features: Any, firsts: Any) -> Any:
        """The hidden layer [B, H]; `firsts` [B] says where the features of each position begin."""
        units = torch.clamp(self.inputs(features, firsts) + self.input_bias, 0.0, 1.0)
        return units * units if self.squared else units

    def judged(self, units: Any, base: Any = None) -> Any:
        """The outputs of the value head [B, 1] or [B, 3], before tanh or softmax; it builds on `base` [B]."""
        found = units @ self.value.T + self.value_bias
        if base is None or self.base_value is None:
            return found
        sides = torch.tensor([1.0, 0.0, -1.0])[: found.shape[1]]
        return found + (self.base_value * base)[:, None] * sides

    def logits(self, units: Any, indices: Any, rows: Any, base: Any = None) -> Any:
        """The logits of actions [M]: `indices` in the policy, in the positions `rows`; they build on `base` [M]."""
        found = (functional.embedding(indices, self.policy) * units[rows]).sum(dim=1) + self.policy_bias[indices]
        return found if base is None or self.base_policy is None else found + self.base_policy * base

    def worth(self, judged: Any) -> Any:
        """The value [B], from -1 to 1."""
        if not self.wdl:
            return torch.tanh(judged[:, 0])
        shares = torch.softmax(judged, dim=1)
        return shares[:, 0] - shares[:, 2]


def log_shares(logits: Any, rows: Any, positions: int) -> Any:
    """The log-softmax of logits over the actions of each position."""
    with torch.no_grad():
        most = torch.full((positions,), -torch.inf).scatter_reduce(0, rows, logits, "amax", include_self=True)
    moved = logits - most[rows]
    sums = torch.zeros(positions).index_add(0, rows, moved.exp())
    return moved - sums.log()[rows]


def value_losses(model: SparseModel, judged: Any, values: Any) -> Any:
    """Cross-entropy of the values [B]: of (1 + value) / 2, an expected score; or of win, draw and loss.

    As win, draw and loss, a value above 0 is so much of a win, one below 0 so much of a loss, and the rest a draw.
    """
    if model.wdl:
        shares = torch.stack([values.clamp(min=0.0), 1.0 - values.abs(), (-values).clamp(min=0.0)], dim=1)
        return -(shares * torch.log_softmax(judged, dim=1)).sum(dim=1)
    # tanh(x) is 2 sigmoid(2x) - 1
    return functional.binary_cross_entropy_with_logits(2.0 * judged[:, 0], (1.0 + values) / 2.0, reduction="none")


# Files.


def as_fast(model: SparseModel, game: Game, about: str) -> FastNetwork:
    """The weights of a model as a network for the search."""
    assert game.range is not None
    return FastNetwork(
        inputs=model.inputs.weight.detach().numpy().copy(),
        input_bias=model.input_bias.detach().numpy().copy(),
        value=model.value.detach().numpy().copy(),
        value_bias=model.value_bias.detach().numpy().copy(),
        policy=model.policy.detach().numpy().copy(),
        policy_bias=model.policy_bias.detach().numpy().copy(),
        game=game.title,
        game_version=game.version,
        activation="squared" if model.squared else "clipped",
        value_range=game.range,
        base_value=0.0 if model.base_value is None else model.base_value.item(),
        base_policy=0.0 if model.base_policy is None else model.base_policy.item(),
        about=about,
    )


def check_alike(model: SparseModel, network: FastNetwork, inputs: Inputs, chosen: Any) -> float:
    """The greatest difference between the answers of a model and of its file; an error where it is too large."""
    low, high = network.value_range
    apart = 0.0
    with torch.no_grad():
        for number in chosen.tolist():
            features, _ = inputs.features.rows(np.array([number]))
            indices, counts = inputs.indices.rows(np.array([number]))
            units = model.units(torch.from_numpy(features), torch.zeros(1, dtype=torch.int64))
            rows = torch.zeros(int(counts[0]), dtype=torch.int64)
            known, base = inputs.base_priors.rows(np.array([number]))[0], inputs.base_values[number]
            logits = model.logits(units, torch.from_numpy(indices).long(), rows, torch.from_numpy(known))
            shares = log_shares(logits, rows, 1).exp()
            static = (low + high) / 2 + (high - low) / 2 * float(np.tanh(base))
            value, priors = network.answer(features.tolist(), indices.tolist(), static, np.exp(known).tolist())
            worth = float(model.worth(model.judged(units, torch.from_numpy(np.array([base]))))[0])
            apart = max(apart, abs((low + high) / 2 + (high - low) / 2 * worth - value) * 2 / (high - low))
            apart = max(apart, float(np.abs(shares.numpy() - np.array(priors)).max()))
    if not apart <= ALIKE:
        raise EvaluatorError(
            f"{network.name}: its answers differ by {apart:g} from those of the model it was made from, expected at "
            f"most {ALIKE:g}"
        )
    return apart
