"""The network that is trained: residual blocks of convolutions, or of plain layers where a game has no board.

It gives the logits of a policy, and the value for the player who moves, or one for each player where one value does not
determine the others. The value stays within the game's range where that is known; otherwise it is scaled by the returns
of the first games (`middle`, `spread`).
"""

from typing import Any

import torch
from torch import nn

from playout.game import Game

from .recipe import value_kind

HEAD = 8  # filters of the convolution before each head


class ResidualBlock(nn.Module):  # type: ignore[misc]  # mypy skips PyTorch's types
    """x + f(x), with two layers in f."""

    def __init__(self, filters: int, board: bool) -> None:
        super().__init__()
        self.first, self.second = layer(filters, filters, board), layer(filters, filters, board)
        self.norms = nn.ModuleList([norm(filters, board), norm(filters, board)])

    def forward(self, x: Any) -> Any:
        inner = torch.relu(self.norms[0](self.first(x)))
        return torch.relu(x + self.norms[1](self.second(inner)))


class Model(nn.Module):  # type: ignore[misc]
    """From planes, float32[B, *planes], to (policy logits [B, K], value [B, 1] or [B, players])."""

    middle: Any
    spread: Any

    def __init__(self, game: Game, blocks: int, filters: int, width: int) -> None:
        super().__init__()
        planes = tuple(game.planes)
        self.board = len(planes) == 3
        size = 1
        for n in planes:
            size *= n
        trunk = filters if self.board else 4 * filters
        self.stem = layer(planes[0] if self.board else size, trunk, self.board)
        self.stem_norm = norm(trunk, self.board)
        self.blocks = nn.ModuleList([ResidualBlock(trunk, self.board) for _ in range(blocks)])
        head = HEAD * planes[1] * planes[2] if self.board else trunk
        if self.board:
            self.policy_layer, self.policy_norm = nn.Conv2d(trunk, HEAD, 1, bias=False), nn.BatchNorm2d(HEAD)
            self.value_layer, self.value_norm = nn.Conv2d(trunk, HEAD, 1, bias=False), nn.BatchNorm2d(HEAD)
        self.policy = nn.Linear(head, game.policy_size)
        self.hidden = nn.Linear(head, width)
        self.value = nn.Linear(width, 1 if value_kind(game) == "scalar" else game.players)
        # An untrained network gives all actions the same prior, and the middle of the range as value.
        for last in (self.policy, self.value):
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
        self.bounded = game.range is not None
        low, high = game.range or (-1.0, 1.0)
        self.register_buffer("middle", torch.tensor((low + high) / 2))
        self.register_buffer("spread", torch.tensor((high - low) / 2))

    def forward(self, x: Any) -> Any:
        x = x if self.board else x.flatten(1)
        x = torch.relu(self.stem_norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        policy, value = x, x
        if self.board:
            policy = torch.relu(self.policy_norm(self.policy_layer(x))).flatten(1)
            value = torch.relu(self.value_norm(self.value_layer(x))).flatten(1)
        judged = self.value(torch.relu(self.hidden(value)))
        if self.bounded:
            judged = torch.tanh(judged)
        return self.policy(policy), self.middle + self.spread * judged


def layer(inputs: int, outputs: int, board: bool) -> Any:
    return nn.Conv2d(inputs, outputs, 3, padding=1, bias=False) if board else nn.Linear(inputs, outputs, bias=False)


def norm(filters: int, board: bool) -> Any:
    return nn.BatchNorm2d(filters) if board else nn.BatchNorm1d(filters)
