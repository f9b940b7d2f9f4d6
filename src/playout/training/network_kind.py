"""The kinds of networks that self-play trains: convolutions over planes, or a hidden layer over sparse inputs.

Everything in which their trainings differ is here; games, replay, checkpoints, matches and the report are the same.
"""

import hashlib
import math
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.disk import write_whole
from playout.errors import SettingsError
from playout.evaluators.fast import load_fast, save_fast
from playout.evaluators.onnx import OnnxNetwork
from playout.evaluators.pytorch import export
from playout.game import Game, Position
from playout.search.lockstep import check_finite
from playout.settings import Network, Outside
from playout.workers.parcel import received_file

from .recipe import Recipe, value_kind
from .turns import feature_turns, symmetries_of

ILLEGAL = -1.0  # marks an action in a policy to learn
PLAYERS_KEPT = 4  # files of networks that play


class NetworkKind(ABC):
    """What a training needs to know of its networks."""

    suffix: str  # of their files
    in_lockstep: bool  # whether searches collect leaves, which one call answers for many games

    @abstractmethod
    def check_game(self, game: Game) -> None:
        """Refuse a game that such a network can't be trained for."""

    @abstractmethod
    def shape(self, game: Game) -> tuple[int, ...]:
        """The shape of what the network sees of one position."""

    @abstractmethod
    def seen(self, position: Position) -> Any:
        """What the network sees of a position, float32 and flat."""

    @abstractmethod
    def empty_policy(self, position: Position) -> Any:
        """A policy to learn in a position, before the actions get their weights."""

    @abstractmethod
    def turns(self, game: Game) -> tuple[Any, Any]:
        """The symmetries of a game, the identity first: where the inputs and the policy come from."""

    @abstractmethod
    def new_model(self, game: Game, recipe: Recipe) -> Any:
        """A PyTorch module with new weights: from inputs to logits of all actions and values."""

    @abstractmethod
    def write(self, model: Any, game: Game, path: Path, about: dict[str, str]) -> None:
        """Write a model as a file that a search can use."""

    @abstractmethod
    def check_playable(self, data: bytes, game: Game) -> None:
        """`ValueError` unless the bytes of a file are a network that can play the game."""

    @abstractmethod
    def sent(self, data: bytes, folder: Path) -> bytes | str:
        """What is sent to the processes that play with a network, given the bytes of its file."""

    @abstractmethod
    def opened(self, sent: Any, game: Game) -> Any:
        """The network in a process that plays with it."""

    @abstractmethod
    def evaluator(self, opened: Any, batch: int, cache: int | None = None) -> Network | Outside:
        """The evaluator of a search with an opened network."""


class PlanesKind(NetworkKind):
    """Convolutions over planes, as ONNX files."""

    suffix, in_lockstep = ".onnx", True

    def check_game(self, game: Game) -> None:
        if game.keeps_objects:
            raise SettingsError(
                f"{game.title} is made of Python objects; write it as a po.Game with `observe` to train a network "
                f"for it"
            )
        if not (game.has("observe") and game.planes and game.policy_size > 0):
            raise SettingsError(
                f"{game.title} has nothing that a network could see: define `observe(state, player, planes)`, `planes` "
                f"(its shape) and `policy_size`"
            )

    def shape(self, game: Game) -> tuple[int, ...]:
        return tuple(game.planes)

    def seen(self, position: Position) -> Any:
        planes = position.observe().ravel()
        check_finite(position.game, planes, f"in {position.text or 'the start'}")
        return planes

    def empty_policy(self, position: Position) -> Any:
        return np.zeros(position.game.policy_size, np.float32)

    def turns(self, game: Game) -> tuple[Any, Any]:
        return symmetries_of(game)

    def new_model(self, game: Game, recipe: Recipe) -> Any:
        from .model import Model  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

        return Model(game, recipe.blocks, recipe.filters, recipe.width)

    def write(self, model: Any, game: Game, path: Path, about: dict[str, str]) -> None:
        export(model, game, path, about, value=value_kind(game))

    def check_playable(self, data: bytes, game: Game) -> None:
        network = OnnxNetwork(data)
        network.check(game)
        for answer in network(np.zeros((1, *game.planes), np.float32)):
            if not np.isfinite(answer).all():
                raise ValueError("its best network gives numbers that are not finite")

    def sent(self, data: bytes, folder: Path) -> bytes | str:
        return data

    def opened(self, sent: Any, game: Game) -> Any:
        network = OnnxNetwork(sent)
        network.check(game)
        return network

    def evaluator(self, opened: Any, batch: int, cache: int | None = None) -> Network | Outside:
        return Outside(opened, batch=batch) if cache is None else Outside(opened, batch=batch, cache=cache)


class FastKind(NetworkKind):
    """A hidden layer over sparse inputs, evaluated inside the search. What it sees is kept as counts of each."""

    suffix, in_lockstep = ".fast", False

    def check_game(self, game: Game) -> None:
        if game.keeps_objects:
            raise SettingsError(
                f"{game.title} is made of Python objects; write it as a po.Game with `features` to train a fast "
                f"network for it"
            )
        if not (game.has("features") and game.feature_count and game.policy_size > 0):
            raise SettingsError(
                f"{game.title} has no features for a fast network: define `features(state, player, out)`, "
                f"`feature_count` and `policy_size`"
            )
        if game.range is None or not game.one_value_tells_all:
            raise SettingsError(
                f"{game.title} has values that one number can't say: a fast network needs a `value_range`, and "
                f"`returns_sum` where there are two players"
            )
        if game.position().is_terminal:
            raise SettingsError(f"{game.title} is over at the start: there is nothing to learn")

    def shape(self, game: Game) -> tuple[int, ...]:
        return (game.feature_count,)

    def seen(self, position: Position) -> Any:
        found = np.zeros(position.game.feature_count, np.float32)
        np.add.at(found, np.array(position.features(), np.int64), 1.0)
        return found

    def empty_policy(self, position: Position) -> Any:
        found = np.full(position.game.policy_size, ILLEGAL, np.float32)
        found[[position.action_index(action) for action in position.actions()]] = 0.0
        return found

    def turns(self, game: Game) -> tuple[Any, Any]:
        features, policy = feature_turns(game)
        return np.argsort(features, axis=1), np.argsort(policy, axis=1)

    def new_model(self, game: Game, recipe: Recipe) -> Any:
        from .sparse_model import SparseModel  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

        return SparseModel(game, recipe.hidden, recipe.squared, wdl=False)

    def write(self, model: Any, game: Game, path: Path, about: dict[str, str]) -> None:
        from .sparse_model import as_fast  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

        said = f"self-play, generation {about['playout.generation']}: {about['playout.command']}"
        save_fast(path, as_fast(model, game, said))

    def check_playable(self, data: bytes, game: Game) -> None:
        with tempfile.TemporaryDirectory() as folder:
            load_fast(self.sent(data, Path(folder))).check(game)

    def sent(self, data: bytes, folder: Path) -> str:
        """The path of a file with these bytes: the search reads a network from a file."""
        path = folder / f"{hashlib.sha256(data).hexdigest()[:16]}.fast"
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
        files = sorted(folder.glob("*.fast"), key=lambda file: file.stat().st_mtime_ns)
        for old in files[:-PLAYERS_KEPT]:
            old.unlink(missing_ok=True)
        return str(path)

    def opened(self, sent: Any, game: Game) -> Any:
        if isinstance(sent, bytes):  # from another machine
            sent = str(received_file(sent, f"{hashlib.sha256(sent).hexdigest()[:16]}.fast"))
        load_fast(sent).check(game)
        return sent

    def evaluator(self, opened: Any, batch: int, cache: int | None = None) -> Network | Outside:
        return Network(opened)


PLANES, FAST = PlanesKind(), FastKind()


def kind_of(recipe: Recipe) -> NetworkKind:
    """The kind of network that a recipe trains."""
    return FAST if recipe.fast else PLANES


def width(kind: NetworkKind, game: Game) -> int:
    """How many numbers the network sees of one position."""
    return math.prod(kind.shape(game))
