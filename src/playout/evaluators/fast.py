"""`FastNetwork`: a small network over sparse inputs that is evaluated inside the search; its file, and its checks.

docs/networks.md describes the network and the file. `core/fast.py` computes it for the kernels.
"""

import hashlib
import json
import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playout.common.disk import write_whole
from playout.common.sources import here
from playout.core.fast import FACTS, LEAST_BASE, MOST_BASE, MOST_HIDDEN
from playout.core.lanes import WIDTH
from playout.errors import FileError, SettingsError
from playout.game import Game
from playout.settings import is_fast
from playout.settings.kinds import SHIPPED as SHIPPED_HERE

from .evaluator import SHIPPED

MAGIC, VERSIONS = b"PLAYFAST", (1, 2)  # 2: builds on what the game knows
START = struct.Struct("<8sII")  # magic, version of the format, bytes of the header
CHECKSUM = 32  # bytes of a SHA-256, at the end
MOST_HEADER, MOST_BYTES = 1 << 20, 1 << 32
MOST_WEIGHT = 1000.0  # of what the game knows itself
LARGEST = 1e30  # of a weight: sums of a thousand of them are still finite
OUTPUTS = {"scalar": 1, "wdl": 3}  # by the kind of value
ACTIVATIONS = ("clipped", "squared")
ALIGNED = 64  # bytes of a cache line

Array = NDArray[np.float32]


@dataclass(eq=False)
class FastNetwork:
    """The weights of a network, float32; `answer` says what it computes.

    >>> network = empty_network("connect4", features=85, hidden=8, moves=7)
    >>> network.answer([0, 43], [2, 3])
    (0.0, [0.5, 0.5])
    """

    inputs: Array  # [feature_count, hidden]
    input_bias: Array  # [hidden]
    value: Array  # [1, hidden], or [3, hidden] for win, draw and loss
    value_bias: Array  # [1] or [3]
    policy: Array  # [policy_size, hidden], by `action_index`
    policy_bias: Array  # [policy_size]
    game: str  # its name
    game_version: int = 1  # `version` of the game, whose features and policy these are
    activation: str = "squared"  # or "clipped"
    value_range: tuple[float, float] = (-1.0, 1.0)  # what the least and the greatest value stand for
    base_value: float = 0.0  # the weight of the game's own `evaluate`; 0: it is not asked
    base_policy: float = 0.0  # and that of its `priors`
    about: str = ""  # how it was made, for people
    name: str = field(default="a network", compare=False)  # the file's, for messages

    def __post_init__(self) -> None:
        self.value_range = (float(self.value_range[0]), float(self.value_range[1]))
        self.base_value, self.base_policy = float(self.base_value), float(self.base_policy)
        for key in ARRAYS:
            setattr(self, key, np.ascontiguousarray(getattr(self, key), np.float32))
        if why := _fault(self):
            raise FileError(f"{self.name}: {why}")

    @property
    def hidden(self) -> int:
        """Units of the hidden layer."""
        return len(self.input_bias)

    @property
    def value_kind(self) -> str:
        """`scalar`, or `wdl` for win, draw and loss."""
        return "scalar" if len(self.value) == 1 else "wdl"

    def answer(
        self, features: Sequence[int], indices: Sequence[int], static: float = 0.0, priors: Sequence[float] = ()
    ) -> tuple[float, list[float]]:
        """The value for the player who looks, and the probabilities of the moves with these indices in the policy.

        `static` and `priors` are the game's own value and priors, where the network builds on them.

        Units: u = clip(bias + the sum of the rows of active features, 0, 1), squared or not. Value: tanh(v u + bias),
        or win - loss of the softmax of three such; from -1 and 1 moved to `value_range`. Policy: the softmax of p u +
        bias over the given moves. What it builds on is added to v u, or to win and from loss, and to p u. Computed by
        plain NumPy, for tests and for reading; a search does not call it.
        """
        units = np.clip(self.input_bias + self.inputs[np.asarray(features, np.int64)].sum(axis=0), 0, 1)
        units = units**2 if self.activation == "squared" else units
        raw = (self.value @ units + self.value_bias).astype(float)
        low, high = self.value_range
        if self.base_value:
            known_value = np.clip((2 * static - low - high) / (high - low), -MOST_BASE, MOST_BASE)
            raw += self.base_value * math.atanh(known_value) * np.array([1.0, 0.0, -1.0])[: len(raw)]
        judged = math.tanh(raw[0]) if len(raw) == 1 else float(np.dot(_softmax(raw), (1.0, 0.0, -1.0)))
        chosen = np.asarray(indices, np.int64)
        logits = (self.policy[chosen] @ units + self.policy_bias[chosen]).astype(float)
        if self.base_policy:
            known, total = np.array(priors, float), sum(priors)
            logits += self.base_policy * (np.log(np.maximum(LEAST_BASE, known / total)) if total > 0.0 else 0.0)
        return (low + high) / 2 + (high - low) / 2 * judged, _softmax(logits).tolist()

    def check(self, game: Game) -> None:
        """Raise `SettingsError` if this network can't play `game`."""
        game.check_has_features(self.name)
        if self.game != game.title:
            raise SettingsError(f"{self.name}: a network for {self.game}, not for {game.title}")
        if self.game_version != game.version:
            raise SettingsError(
                f"{self.name}: was made for version {self.game_version} of {game.title}, which has version "
                f"{game.version} now; train it again"
            )
        for what, own, wanted in (
            ("features", len(self.inputs), game.feature_count),
            ("moves in its policy", len(self.policy), game.policy_size),
        ):
            if own != wanted:
                raise SettingsError(f"{self.name}: has {own} {what}, but {game.title} has {wanted}")
        if not game.one_value_tells_all:
            raise SettingsError(
                f"{self.name}: values a position for the player who moves, which says nothing of the others in "
                f"{game.title}; it needs one player, or two whose returns sum to a constant"
            )
        for rule, weight in (("evaluate", self.base_value), ("priors", self.base_policy)):
            if weight and not game.has(rule):
                raise SettingsError(f"{self.name}: builds on `{rule}` of {game.title}, which has none")
        limits, (low, high) = game.range, self.value_range
        if limits is not None and not limits[0] <= low < high <= limits[1]:
            raise SettingsError(
                f"{self.name}: has values from {low:g} to {high:g}, but those of {game.title} go from {limits[0]:g} to "
                f"{limits[1]:g}"
            )

    def facts(self, game: Game, temperature: float = 1.0) -> "LoopFacts":
        """What the kernels read: one record, and the weights that it points to."""
        parts = (self.inputs, self.input_bias, self.value, self.policy, self.value_bias, self.policy_bias)
        length = sum(part.size for part in parts)
        buffer = np.zeros(4 * length + ALIGNED, np.uint8)
        start = -buffer.ctypes.data % ALIGNED
        weights = buffer[start : start + 4 * length].view(np.float32)
        np.concatenate([part.ravel() for part in parts], out=weights)
        record, (low, high) = np.zeros(1, FACTS), self.value_range
        for key, fact in {
            "weights": weights.ctypes.data,
            "length": length,
            "hidden": self.hidden,
            "squared": self.activation == "squared",
            "outputs": len(self.value),
            "feature_count": len(self.inputs),
            "policy_size": len(self.policy),
            "power": 1.0 / temperature,
            "middle": (low + high) / 2,
            "half": (high - low) / 2,
            "returns_sum": game.sums_to or 0.0,
            "base_value": self.base_value,
            "base_policy": self.base_policy,
        }.items():
            record[key] = fact
        return LoopFacts(record, weights)


@dataclass(frozen=True, eq=False)
class LoopFacts:
    """A network as the kernels read it; a search keeps it alive."""

    record: Any  # of `core.fast.FACTS`
    weights: Array


ARRAYS = ("inputs", "input_bias", "value", "value_bias", "policy", "policy_bias")


def empty_network(game: str, features: int, hidden: int, moves: int, value: str = "scalar") -> FastNetwork:
    """A network whose weights are all 0: every position is worth nothing, and all moves are equal."""
    shapes = _shapes(features, hidden, OUTPUTS[value], moves)
    zeros: dict[str, Any] = {key: np.zeros(shape, np.float32) for key, shape in shapes.items()}
    return FastNetwork(**zeros, game=game)


def _shapes(features: int, hidden: int, outputs: int, moves: int) -> dict[str, tuple[int, ...]]:
    return {
        "inputs": (features, hidden),
        "input_bias": (hidden,),
        "value": (outputs, hidden),
        "value_bias": (outputs,),
        "policy": (moves, hidden),
        "policy_bias": (moves,),
    }


def _softmax(logits: Any) -> Any:
    found = np.exp(logits - logits.max())
    return found / found.sum()


# Checks.


def _fault(network: FastNetwork) -> str | None:
    """What is wrong with a network, if anything."""
    found = {key: getattr(network, key).shape for key in ARRAYS}
    hidden = len(network.input_bias)
    if found["inputs"][1:] != (hidden,) or found["value"][1:] != (hidden,) or found["policy"][1:] != (hidden,):
        return f"its layers don't fit together: {', '.join(f'{key} {list(shape)}' for key, shape in found.items())}"
    if why := _wrong_size(len(network.inputs), hidden, len(network.value), len(network.policy)):
        return why
    for key, shape in _shapes(len(network.inputs), hidden, len(network.value), len(network.policy)).items():
        if found[key] != shape:
            return f"{key} has the shape {list(found[key])}, expected {list(shape)}"
        array = getattr(network, key)
        wrong = np.flatnonzero(~(np.abs(array) <= LARGEST))
        if wrong.size:
            return f"{key} has a weight of {array.ravel()[wrong[0]]:g}, expected finite numbers up to {LARGEST:g}"
    if network.activation not in ACTIVATIONS:
        return f"its activation is {network.activation!r:.40}, expected {' or '.join(ACTIVATIONS)}"
    for key in ("base_value", "base_policy"):
        weight = getattr(network, key)
        if not abs(weight) <= MOST_WEIGHT:
            return f"{key} is {weight:g}, expected a weight up to {MOST_WEIGHT:g}"
    low, high = network.value_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return f"its values go from {low:g} to {high:g}, expected a finite range"
    return None


def _wrong_size(features: int, hidden: int, outputs: int, moves: int) -> str | None:
    if not WIDTH <= hidden <= MOST_HIDDEN or hidden % WIDTH:
        return f"has {hidden} hidden units, expected a multiple of {WIDTH} up to {MOST_HIDDEN}"
    if outputs not in OUTPUTS.values():
        return f"has a value of {outputs} outputs, expected 1, or 3 for win, draw and loss"
    if features < 1 or moves < 1:
        return f"has {features} features and {moves} moves, expected at least one of each"
    return None


# The file.


def save_fast(path: str | Path, network: FastNetwork) -> None:
    """Write a network to a file, whose name should end in `.fast`; the old file stays until the new one is whole."""
    if why := _fault(network):
        raise FileError(f"{path}: not written, since {why}")
    header: dict[str, Any] = {
        "game": network.game,
        "game_version": network.game_version,
        "features": len(network.inputs),
        "hidden": network.hidden,
        "activation": network.activation,
        "value": network.value_kind,
        "value_range": list(network.value_range),
        "moves": len(network.policy),
        "about": network.about,
    }
    version = 1
    if network.base_value or network.base_policy:
        version, header = 2, {**header, "base_value": network.base_value, "base_policy": network.base_policy}
    text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    parts = [START.pack(MAGIC, version, len(text)), text]
    parts += [getattr(network, key).astype("<f4").tobytes() for key in ARRAYS]
    data = b"".join(parts)
    write_whole(Path(path).expanduser(), data + hashlib.sha256(data).digest())


def load_fast(path: str | Path) -> FastNetwork:
    """Read a network from a file; `FileError` says in one line why it can't be."""
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > MOST_BYTES:
            raise FileError(f"{path}: is not a fast network (it has {file.stat().st_size:,} bytes)")
        data = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a character that file names can't have
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"{str(path)!r}: the network can't be read: {reason}") from None
    network = _parsed(str(path), data)
    network.name = file.name
    return network


def _parsed(path: str, data: bytes) -> FastNetwork:
    if not data.startswith(MAGIC):
        raise FileError(f"{path}: is not a fast network (it does not begin with {MAGIC.decode()})")
    if len(data) < START.size + CHECKSUM:
        raise FileError(f"{path}: is damaged (it ends after {len(data)} bytes)")
    _, version, length = START.unpack_from(data)
    if version not in VERSIONS:
        raise FileError(
            f"{path}: has version {version} of the format, this Playout reads versions up to {VERSIONS[-1]}"
        )
    if hashlib.sha256(data[:-CHECKSUM]).digest() != data[-CHECKSUM:]:
        raise FileError(f"{path}: is damaged (its checksum is wrong)")
    try:
        if length > min(MOST_HEADER, len(data)):
            raise ValueError(f"a header of {length} bytes")
        header = json.loads(data[START.size : START.size + length])
        features, hidden, moves = (int(header[key]) for key in ("features", "hidden", "moves"))
        outputs = OUTPUTS[header["value"]]
        low, high = map(float, header["value_range"])
        shapes = _shapes(features, hidden, outputs, moves)
        if why := _wrong_size(features, hidden, outputs, moves):
            raise FileError(f"{path}: {why}")
        at = START.size + length
        if sum(map(math.prod, shapes.values())) * 4 != len(data) - CHECKSUM - at:
            raise ValueError(f"{len(data) - CHECKSUM - at} bytes of weights for {features} x {hidden} x {moves}")
        arrays: dict[str, Any] = {}
        for key, shape in shapes.items():
            arrays[key] = np.frombuffer(data, "<f4", math.prod(shape), at).reshape(shape).astype(np.float32)
            at += 4 * math.prod(shape)
        return FastNetwork(
            **arrays,
            game=str(header["game"]),
            game_version=int(header["game_version"]),
            activation=str(header["activation"]),
            value_range=(low, high),
            base_value=float(header["base_value"]) if version > 1 else 0.0,
            base_policy=float(header["base_policy"]) if version > 1 else 0.0,
            about=str(header["about"]),
            name=path,
        )
    except FileError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        reason = " ".join(str(error).split())[:160]
        raise FileError(f"{path}: its header can't be used ({type(error).__name__}: {reason})") from None


def fast_facts(evaluator: Any, game: Game) -> LoopFacts | None:
    """What the kernels read, where the evaluator is a network inside the loop; None where it is something else."""
    if not is_fast(evaluator):
        return None
    return fast_for(here(evaluator.file), game).facts(game, evaluator.temperature)


def fast_for(file: str, game: Game) -> FastNetwork:
    """The network in a file, checked for a game; read once for all searches that use it.

    `shipped:chess.fast` is the network that comes with the package; `chess.fast` as well, if the current folder has no
    such file.
    """
    path = Path(file).expanduser()
    if file.startswith(SHIPPED_HERE):
        path = SHIPPED / Path(file.removeprefix(SHIPPED_HERE)).name
    elif path.name == file and "\0" not in file and not path.exists() and (SHIPPED / file).is_file():
        path = SHIPPED / file
    try:
        stamp = path.stat()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise FileError(f"{file!r}: the network can't be read: {reason}") from None
    network = _kept(path.resolve(), (stamp.st_mtime_ns, stamp.st_size))
    network.check(game)
    return network


@lru_cache(maxsize=8)
def _kept(path: Path, stamp: tuple[int, int]) -> FastNetwork:
    return load_fast(path)
