"""Convert networks of Leela's format to ONNX models, once, and keep them on disk."""

import atexit
import contextlib
import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.disk import replacing
from playout.core.cache import base_folder
from playout.errors import FileError
from playout.games.chess.board import BISHOP, KNIGHT_STEPS, QUEEN, ROOK
from playout.games.chess.leela import MOVES, LeelaChess, move_index

from .leela import Dense, LeelaBlock, LeelaNetwork, _contents, _parsed

CONVERTER = 1  # raise it when the converted models change, so that those on disk are made again


def policy_places() -> Any:
    """The index of each of the 1858 moves in the convolutional policy: 64 * plane + square of origin."""
    found = np.full(MOVES, -1, np.int64)
    straight = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
    planes = [(steps * dx, steps * dy, 0) for dx, dy in straight for steps in range(1, 8)]
    planes += [(dx, dy, 0) for dx, dy in KNIGHT_STEPS]
    planes += [(dx, 1, promotion) for dx in (-1, 0, 1) for promotion in (ROOK, BISHOP, QUEEN)]
    for plane, (dx, dy, promotion) in enumerate(planes):
        for origin in range(64):
            file, rank = origin % 8 + dx, origin // 8 + dy
            if 0 <= file < 8 and 0 <= rank < 8 and (not promotion or rank == 7):
                found[move_index(origin, 8 * rank + file, promotion)] = 64 * plane + origin
    return found


def _part(layer: Dense, start: int, stop: int) -> Dense:
    return Dense(layer.weights[start:stop], layer.biases[start:stop])


class _Graph:
    """An ONNX graph under construction."""

    def __init__(self) -> None:
        self.nodes, self.constants = list[Any](), list[Any]()

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        from onnx import helper  # noqa: PLC0415  # heavy, and optional

        name = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, value: Any) -> str:
        from onnx import numpy_helper  # noqa: PLC0415  # heavy, and optional

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def convolution(self, layer: Dense, given: str) -> str:
        weights = layer.weights if layer.weights.ndim == 4 else layer.weights[:, :, None, None]
        side = weights.shape[2]
        pads = [side // 2] * 4
        constants = self.constant(weights), self.constant(layer.biases)
        return self.add("Conv", given, *constants, kernel_shape=[side, side], pads=pads)

    def dense(self, layer: Dense, given: str, name: str = "") -> str:
        constants = self.constant(layer.weights), self.constant(layer.biases)
        return self.add("Gemm", given, *constants, name=name, transB=1)

    def relu(self, given: str) -> str:
        return self.add("Relu", given)

    def block(self, block: LeelaBlock, given: str) -> str:
        inside = self.convolution(block.second, self.relu(self.convolution(block.first, given)))
        if block.excitation is not None:
            squeeze, excite = block.excitation
            mean = self.add("GlobalAveragePool", inside)  # [batch, filters, 1, 1]: the layers are convolutions here
            squeezed, filters = self.relu(self.convolution(squeeze, mean)), len(block.second.biases)
            factor = self.add("Sigmoid", self.convolution(_part(excite, 0, filters), squeezed))
            shift = self.convolution(_part(excite, filters, 2 * filters), squeezed)
            inside = self.add("Add", self.add("Mul", inside, factor), shift)
        return self.relu(self.add("Add", inside, given))


def to_onnx(network: LeelaNetwork) -> Any:
    """The network as an ONNX model: `planes` [batch, 112, 8, 8] to `policy` [batch, 1858], as logits, and `value`,
    [batch, 3] probabilities of win, draw and loss for the side to move, or [batch, 1] from -1 to 1.
    """
    from onnx import TensorProto, helper  # noqa: PLC0415  # heavy, and optional

    graph = _Graph()
    tower = graph.relu(graph.convolution(network.input, "planes"))
    for block in network.blocks:
        tower = graph.block(block, tower)

    inner, outer = network.policy
    policy = graph.relu(graph.convolution(inner, tower))
    if network.policy_is_convolutional:
        places = graph.constant(policy_places())
        graph.add("Gather", graph.add("Flatten", graph.convolution(outer, policy)), places, name="policy", axis=1)
    else:
        graph.dense(outer, graph.add("Flatten", policy), name="policy")

    seen, hidden, answer = network.value
    value = graph.add("Flatten", graph.relu(graph.convolution(seen, tower)))
    value = graph.dense(answer, graph.relu(graph.dense(hidden, value)))
    if network.wdl:
        graph.add("Softmax", value, name="value", axis=1)
    else:
        graph.add("Tanh", value, name="value")

    def tensor(name: str, *shape: int) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *shape])

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "leela",
            [tensor("planes", *LeelaChess.planes)],
            [tensor("policy", MOVES), tensor("value", 3 if network.wdl else 1)],
            graph.constants,
        ),
        producer_name="playout",
        ir_version=8,
        opset_imports=[helper.make_opsetid("", 17)],
    )
    facts = {
        "game": LeelaChess.name,
        "form": "leela",
        "policy": "logits",
        "value": "wdl" if network.wdl else "scalar",
        "source": network.source,
    }
    helper.set_model_props(model, {f"playout.{key}": value for key, value in facts.items()})
    return model


# The models on disk.


def converted(path: str | Path) -> Path:
    """The ONNX file for a Leela file, made at first use and kept in the cache folder; if that can't be written, in a
    temporary folder until the process ends.
    """
    file = _contents(path)
    name = f"{hashlib.sha256(file).hexdigest()}-{CONVERTER}.onnx"
    target = base_folder() / "networks" / name
    with contextlib.suppress(OSError):
        if _is_sealed(target.read_bytes()):
            os.utime(target.parent)  # the cache deletes folders that were not used for long
            return target
    model = _sealed(to_onnx(_parsed(path, file)).SerializeToString())
    with contextlib.suppress(OSError):
        _write(target, model)
        return target
    try:
        target = _temporary_folder() / name
        _write(target, model)
    except OSError as error:
        reason = error.strerror or error
        raise FileError(
            f"network '{path}': the converted model can be written neither to {base_folder()} nor to a temporary "
            f"folder ({reason}); PLAYOUT_CACHE_DIR names another place"
        ) from None
    return target


def _write(target: Path, data: bytes) -> None:
    """Write a file completely or not at all, even if another process writes it at the same time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as file:
        file.write(data)


@cache
def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="playout-networks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sealed(model: bytes) -> bytes:
    """The model with its checksum appended.

    Concatenated protobuf messages are one message, so the checksum is one more entry of `metadata_props` (field 14: a
    pair of strings), and the file stays a plain ONNX file.
    """
    key, value = b"playout.checksum", hashlib.sha256(model).hexdigest().encode()
    pair = b"\x0a" + bytes([len(key)]) + key + b"\x12" + bytes([len(value)]) + value
    return model + b"\x72" + bytes([len(pair)]) + pair


def _is_sealed(data: bytes) -> bool:
    length = len(_sealed(b""))
    return len(data) > length and _sealed(data[:-length]) == data
