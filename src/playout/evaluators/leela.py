"""Read and check networks of Leela's format (`.pb.gz`). `leela_model.py` makes ONNX models of them.

The file is a gzipped protobuf message (`net.proto` of LeelaChessZero/lczero-common has its field numbers). It is parsed
by hand: nothing in it is executed, and every length in it is checked before it is used.
"""

import hashlib
import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from playout.errors import FileError
from playout.games.chess.leela import MOVES, LeelaChess

MAGIC = 0x1C0
MOST_BYTES = 512 * 2**20  # of the file, and of the message in it; a network of 30 blocks and 512 filters has 300 MB
MOST_BLOCKS, MOST_FILTERS = 256, 4096
EPSILON = 1e-5  # what the training adds to variances
PLANES = LeelaChess.planes[0]
POLICY_PLANES = 80  # of the convolutional policy: 56 of a queen, 8 of a knight, 9 promotions, 7 unused

# Field numbers of a `Net`, of its `Format` and `NetworkFormat`.
NET_MAGIC, NET_FORMAT, NET_WEIGHTS, NET_ONNX = 1, 4, 10, 11
ENCODING, NETWORK_FORMAT = 1, 2
INPUT_FORMAT, STRUCTURE, POLICY_FORMAT, VALUE_FORMAT, ACTIVATION = 1, 3, 4, 5, 7
# Of its `Weights`: blocks of layers.
INPUT, RESIDUAL, POLICY, POLICY_WEIGHTS, POLICY_BIASES, VALUE = 1, 2, 3, 4, 5, 6
VALUE_WEIGHTS_1, VALUE_BIASES_1, VALUE_WEIGHTS_2, VALUE_BIASES_2, POLICY_1 = 7, 8, 9, 10, 11
ENCODERS, POLICY_ENCODERS, POLICY_HEADS = 27, 21, 45
WEIGHTS, BIASES, MEANS, VARIANCES, GAMMAS, BETAS = 1, 2, 3, 4, 5, 6
FIRST_CONVOLUTION, SECOND_CONVOLUTION, EXCITATION = 1, 2, 3
LEAST, MOST, PARAMETERS = 1, 2, 3

LINEAR16, CLASSICAL_PLANES, CLASSICAL, WITH_HEADS, RELU = 1, 1, 1, (3, 4), 0
CONVOLUTION, WDL = 2, 2
STRUCTURES = {5: "an ONNX model", 6: "attention body", 7: "attention body, several heads", 134: "attention body"}
INPUTS = {2: "castling as rooks", 3: "canonical", 4: "canonical, hectoplies", 5: "canonical, version 2"}
POLICIES, VALUES, ACTIVATIONS = {3: "attention"}, {3: "parameters"}, {1: "mish"}


class _Damaged(Exception):
    """A damaged or unknown file: what is wrong, and what was expected."""


@dataclass(frozen=True)
class Dense:
    """A fully connected layer, or a convolution, with its normalisation folded in."""

    weights: Any  # [out, in] or [out, in, side, side]
    biases: Any  # [out]


@dataclass(frozen=True)
class LeelaBlock:
    """Two convolutions, and perhaps a squeeze-excitation unit of two layers."""

    first: Dense
    second: Dense
    excitation: tuple[Dense, Dense] | None


@dataclass(frozen=True)
class LeelaNetwork:
    """A convolution, a tower of residual blocks, a policy head and a value head."""

    source: str  # SHA-256 of the file
    input: Dense
    blocks: tuple[LeelaBlock, ...]
    policy: tuple[Dense, Dense]  # two convolutions, or one and a fully connected layer
    policy_is_convolutional: bool
    value: tuple[Dense, Dense, Dense]  # a convolution and two fully connected layers
    wdl: bool  # the value is win, draw and loss, not one number

    @property
    def filters(self) -> int:
        """The number of filters of the tower."""
        return len(self.input.biases)

    def __str__(self) -> str:
        unit = ", squeeze-excitation" if any(block.excitation for block in self.blocks) else ""
        policy = "convolutional" if self.policy_is_convolutional else "fully connected"
        value = "win/draw/loss" if self.wdl else "scalar"
        return f"{len(self.blocks)} blocks of {self.filters} filters{unit}, {policy} policy, {value} value"


def read(path: str | Path) -> LeelaNetwork:
    """Read a network; a file that is damaged, or of a kind that is not supported, is a `FileError`."""
    return _parsed(path, _contents(path))


def _parsed(path: str | Path, file: bytes) -> LeelaNetwork:
    try:
        return _network(_unpacked(file), hashlib.sha256(file).hexdigest())
    except _Damaged as error:
        raise FileError(f"network '{path}': {error}") from None


def _contents(path: str | Path) -> bytes:
    try:
        with Path(path).open("rb") as file:
            found = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or error
        raise FileError(f"network '{path}' can't be read: {reason}, expected a Leela network (.pb.gz)") from None
    if len(found) > MOST_BYTES:
        raise FileError(f"network '{path}' is larger than {MOST_BYTES >> 20} MiB, expected a Leela network (.pb.gz)")
    return found


def _unpacked(file: bytes) -> bytes:
    if file[:2] != b"\x1f\x8b":
        _fail(f"not a gzip file (it begins with {file[:2].hex(' ') or 'nothing'}), expected a Leela network (.pb.gz)")
    stream = zlib.decompressobj(wbits=31)  # gzip, with its checksum
    try:
        message = stream.decompress(file, MOST_BYTES + 1)
    except zlib.error as error:
        _fail(f"the gzip data is damaged ({error}), expected a whole .pb.gz file; fetch it again")
    if len(message) > MOST_BYTES:
        _fail(f"unpacks to more than {MOST_BYTES >> 20} MiB, expected a smaller network")
    if not stream.eof:
        _fail(f"cut off after {len(file)} bytes, expected a whole .pb.gz file; fetch it again")
    if stream.unused_data:
        _fail(f"{len(stream.unused_data)} bytes follow the end of the gzip data, expected none; fetch it again")
    return message


def _fail(reason: str) -> NoReturn:
    raise _Damaged(reason)


# The wire format: a message is a sequence of (field number and kind of value, value).


class _Message:
    """A protobuf message; of a field that is repeated by mistake, the last one counts."""

    def __init__(self, data: memoryview, name: str) -> None:
        self.name = name
        self.fields = dict[int, list[int | memoryview]]()
        for number, value in _wire(data, name):
            self.fields.setdefault(number, []).append(value)

    def __contains__(self, number: int) -> bool:
        return number in self.fields

    def integer(self, number: int, default: int = 0) -> int:
        value = self.fields.get(number, [default])[-1]
        if not isinstance(value, int):
            _fail(f"field {number} of the {self.name} is a text, expected a number; the file is damaged")
        return value

    def number(self, number: int) -> float:
        """A float32, which arrives as the integer of its bits."""
        bits = self.integer(number)
        if bits >= 1 << 32:
            _fail(f"field {number} of the {self.name} has 64 bits, expected 32; the file is damaged")
        value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
        return value

    def bytes(self, number: int) -> memoryview:
        return self._bytes(self.fields.get(number, [memoryview(b"")])[-1], number)

    def message(self, number: int, name: str) -> "_Message":
        return _Message(self.bytes(number), name)

    def messages(self, number: int, name: str) -> list["_Message"]:
        found = [self._bytes(value, number) for value in self.fields.get(number, [])]
        return [_Message(data, f"{name} {i}") for i, data in enumerate(found, start=1)]

    def _bytes(self, value: int | memoryview, number: int) -> memoryview:
        if isinstance(value, int):
            _fail(f"field {number} of the {self.name} is a number, expected data; the file is damaged")
        return value


def _wire(data: memoryview, name: str) -> Iterator[tuple[int, int | memoryview]]:
    at = 0
    while at < len(data):
        tag, at = _varint(data, at, name)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at, name)
            yield tag >> 3, value
            continue
        if kind == 2:
            size, at = _varint(data, at, name)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            _fail(f"the {name} has a value of the unknown kind {kind}, expected a protobuf message")
        if size > len(data) - at:
            _fail(f"the {name} ends in the middle of a value ({size} bytes, {len(data) - at} are there)")
        part = data[at : at + size]
        yield tag >> 3, part if kind == 2 else int.from_bytes(part, "little")
        at += size


def _varint(data: memoryview, at: int, name: str) -> tuple[int, int]:
    value = 0
    for i, byte in enumerate(data[at : at + 10]):
        value |= (byte & 127) << (7 * i)
        if byte < 128:
            return value, at + i + 1
    _fail(f"the {name} has a number that does not end, expected a protobuf message")


# From the message to the layers.


def _network(data: bytes, source: str) -> LeelaNetwork:
    net = _Message(memoryview(data), "network")
    if net.integer(NET_MAGIC) != MAGIC:
        _fail(f"magic number {net.integer(NET_MAGIC):#x}, expected {MAGIC:#x} as in every Leela network")
    if NET_ONNX in net:
        _fail("holds an ONNX model, expected convolutional weights (the ONNX model can be used by itself)")
    convolutional, wdl = _heads(net.message(NET_FORMAT, "format"))
    if NET_WEIGHTS not in net:
        _fail("has no weights; the file is damaged")
    weights = net.message(NET_WEIGHTS, "weights")
    if any(field in weights for field in (ENCODERS, POLICY_ENCODERS, POLICY_HEADS)):
        _fail("a network with attention, expected convolutions in residual blocks")

    first = _convolution(weights.message(INPUT, "input"), PLANES, 3)
    filters = len(first.biases)
    blocks = weights.messages(RESIDUAL, "block")
    if len(blocks) > MOST_BLOCKS:
        _fail(f"{len(blocks)} blocks, expected {MOST_BLOCKS} at most")
    policy, value = weights.message(POLICY, "policy"), weights.message(VALUE, "value")
    if convolutional:
        inner = _convolution(weights.message(POLICY_1, "policy's first convolution"), filters, 3)
        outer = _convolution(policy, len(inner.biases), 3, POLICY_PLANES)
    else:
        inner = _convolution(policy, filters, 1)
        outer = _dense(weights, POLICY_WEIGHTS, POLICY_BIASES, "policy's layer", 64 * len(inner.biases), MOVES)
    seen = _convolution(value, filters, 1)
    hidden = _dense(weights, VALUE_WEIGHTS_1, VALUE_BIASES_1, "value's first layer", 64 * len(seen.biases))
    answer = _dense(weights, VALUE_WEIGHTS_2, VALUE_BIASES_2, "value's last layer", len(hidden.biases), 3 if wdl else 1)
    return LeelaNetwork(
        source=source,
        input=first,
        blocks=tuple(_block(block, filters) for block in blocks),
        policy=(inner, outer),
        policy_is_convolutional=convolutional,
        value=(seen, hidden, answer),
        wdl=wdl,
    )


def _heads(form: _Message) -> tuple[bool, bool]:
    """Whether the policy is convolutional and the value win/draw/loss; anything else unknown is refused."""

    def unknown(what: str, given: int, names: dict[int, str], expected: str) -> NoReturn:
        name = f" ({names[given]})" if given in names else ""
        _fail(f"{what} {given}{name} is not supported, expected {expected}")

    encoding = form.integer(ENCODING)
    if encoding != LINEAR16:
        unknown("encoding of weights", encoding, {}, f"{LINEAR16} (LINEAR16)")
    if NETWORK_FORMAT not in form:
        return False, False  # the oldest files
    network = form.message(NETWORK_FORMAT, "network's format")
    planes, structure = network.integer(INPUT_FORMAT), network.integer(STRUCTURE)
    policy, value = network.integer(POLICY_FORMAT), network.integer(VALUE_FORMAT)
    if planes != CLASSICAL_PLANES:
        unknown("input format", planes, INPUTS, f"{CLASSICAL_PLANES} (the classical 112 planes)")
    if network.integer(ACTIVATION) != RELU:
        unknown("activation", network.integer(ACTIVATION), ACTIVATIONS, f"{RELU} (ReLU)")
    if structure in (1, 2):
        return False, False  # older than the fields for heads
    if structure not in WITH_HEADS:
        unknown("network structure", structure, STRUCTURES, "1 to 4 (convolutions in residual blocks)")
    if policy not in (CLASSICAL, CONVOLUTION):
        unknown("policy format", policy, POLICIES, f"{CLASSICAL} (fully connected) or {CONVOLUTION} (convolution)")
    if value not in (CLASSICAL, WDL):
        unknown("value format", value, VALUES, f"{CLASSICAL} (scalar) or {WDL} (win/draw/loss)")
    return policy == CONVOLUTION, value == WDL


def _layer(message: _Message, number: int, name: str) -> Any:
    """Decode LINEAR16: 16 bits for each number, from the least value to the most; float64, empty if missing."""
    layer = message.message(number, name)
    least, most, data = layer.number(LEAST), layer.number(MOST), layer.bytes(PARAMETERS)
    if len(data) % 2:
        _fail(f"the {name} have {len(data)} bytes, expected two for each number")
    if not (math.isfinite(least) and math.isfinite(most)):
        _fail(f"the {name} lie between {least} and {most}, expected finite numbers")
    return least + np.frombuffer(data, "<u2") * ((most - least) / 65535)


def _sized(name: str, numbers: Any, *shape: int) -> Any:
    if len(numbers) != math.prod(shape):
        size = " x ".join(map(str, shape))
        _fail(f"the {name} are {len(numbers)} numbers, expected {math.prod(shape)} ({size})")
    return numbers.reshape(shape)


def _float32(name: str, numbers: Any) -> Any:
    with np.errstate(over="ignore"):
        found = numbers.astype(np.float32)
    if not np.isfinite(found).all():
        _fail(f"the {name} become infinite, expected finite numbers; the file is damaged")
    return found


def _convolution(block: _Message, inputs: int, side: int, outputs: int = 0) -> Dense:
    """A convolution, its normalisation folded in: the file has means and variances of the filters, then a scale and a
    shift of them (where they are missing: 1 and 0).
    """
    name = block.name

    def layer(number: int, what: str) -> Any:
        return _layer(block, number, f"{name}'s {what}")

    weights, biases = layer(WEIGHTS, "weights"), layer(BIASES, "biases")
    means, variances = layer(MEANS, "means"), layer(VARIANCES, "variances")
    found = len(biases) or len(means)
    if not 0 < found <= MOST_FILTERS:
        _fail(f"the {name} has {found} filters, expected 1 to {MOST_FILTERS}; the file is damaged")
    if outputs and found != outputs:
        _fail(f"the {name} has {found} filters, expected {outputs}")
    weights = _sized(f"{name}'s weights", weights, found, inputs, side, side)
    biases = _sized(f"{name}'s biases", biases, found) if len(biases) else np.zeros(found)
    if len(means):
        _sized(f"{name}'s means", means, found)
        _sized(f"{name}'s variances", variances, found)
        scale, shift = layer(GAMMAS, "scales"), layer(BETAS, "shifts")
        scale = _sized(f"{name}'s scales", scale, found) if len(scale) else np.ones(found)
        shift = _sized(f"{name}'s shifts", shift, found) if len(shift) else np.zeros(found)
        if variances.min() <= -EPSILON:
            _fail(f"the {name} has a variance of {variances.min():g}, expected none below 0")
        factor = scale / np.sqrt(variances + EPSILON)
        weights = weights * factor[:, None, None, None]
        biases = (biases - means) * factor + shift
    return Dense(_float32(f"{name}'s weights", weights), _float32(f"{name}'s biases", biases))


def _dense(message: _Message, weights: int, biases: int, name: str, inputs: int, outputs: int = 0) -> Dense:
    factors = _layer(message, weights, f"{name}'s weights")
    added = _layer(message, biases, f"{name}'s biases")
    found = outputs or len(added)
    if not 0 < found <= MOST_FILTERS:
        _fail(f"the {name} has {found} outputs, expected 1 to {MOST_FILTERS}; the file is damaged")
    factors = _sized(f"{name}'s weights", factors, found, inputs)
    added = _sized(f"{name}'s biases", added, found)
    return Dense(_float32(f"{name}'s weights", factors), _float32(f"{name}'s biases", added))


def _block(message: _Message, filters: int) -> LeelaBlock:
    parts = [
        message.message(field, f"{message.name}'s {which} convolution")
        for field, which in ((FIRST_CONVOLUTION, "first"), (SECOND_CONVOLUTION, "second"))
    ]
    first, second = (_convolution(part, filters, 3, filters) for part in parts)
    excitation = None
    if EXCITATION in message:
        unit = message.message(EXCITATION, f"{message.name}'s squeeze-excitation")
        squeeze = _dense(unit, 1, 2, f"{unit.name}, first layer", filters)
        excitation = squeeze, _dense(unit, 3, 4, f"{unit.name}, second layer", len(squeeze.biases), 2 * filters)
    return LeelaBlock(first, second, excitation)
