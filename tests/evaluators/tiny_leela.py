"""Small networks of Leela's format: written byte by byte, and computed the long way."""

import gzip
import struct

import numpy as np

from playout.evaluators import leela_model


def varint(value):
    found = b""
    while value > 127:
        found, value = found + bytes([value & 127 | 128]), value >> 7
    return found + bytes([value])


def part(number, value):
    """One field: an integer, a float32 or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def message(*pairs):
    return b"".join(part(number, value) for number, value in pairs)


class Tiny:
    """A small network of random numbers, as numbers and as the file's message. Parts can be left out, or be wrong."""

    def __init__(self, blocks=2, filters=3, squeeze=True, convolutional=True, wdl=True, scales=True, **wrong):
        self.rng, self.numbers, self.wrong, self.filters = np.random.default_rng(7), {}, wrong, filters
        self.blocks, self.squeeze, self.convolutional, self.wdl, self.scales = (
            blocks,
            squeeze,
            convolutional,
            wdl,
            scales,
        )
        n = filters
        self.weights = message((1, self.normalised("input", n, 112, 3)))
        for i in range(blocks):
            inside = [(1, self.normalised(f"{i}a", n, n, 3)), (2, self.normalised(f"{i}b", n, n, 3))]
            if squeeze:
                unit = [(1, self.layer(f"{i}w1", 2, n)), (2, self.layer(f"{i}b1", 2))]
                unit += [(3, self.layer(f"{i}w2", 2 * n, 2)), (4, self.layer(f"{i}b2", 2 * n))]
                inside.append((3, message(*unit)))
            self.weights += part(2, message(*inside))
        if convolutional:
            self.weights += part(11, self.normalised("policy1", n, n, 3))
            pair = (1, self.layer("policy.w", 80, n, 3, 3)), (2, self.layer("policy.b", 80))
            self.weights += part(3, message(*pair))
        else:
            self.weights += part(3, self.normalised("policy1", 2, n, 1))
            self.weights += message((4, self.layer("policy.w", 1858, 128)), (5, self.layer("policy.b", 1858)))
        self.weights += part(6, self.normalised("value", 2, n, 1))
        self.weights += message((7, self.layer("value.w1", 5, 128)), (8, self.layer("value.b1", 5)))
        outputs = 3 if wdl else 1
        self.weights += message((9, self.layer("value.w2", outputs, 5)), (10, self.layer("value.b2", outputs)))
        self.weights += wrong.get("more_weights", b"")

    def layer(self, name, *shape, least=-0.5, most=0.5):
        if f"shape of {name}" in self.wrong:
            shape = self.wrong[f"shape of {name}"]
        least, most = self.wrong.get(f"range of {name}", (least, most))
        coded = self.rng.integers(0, 65536, shape, np.uint16)
        self.numbers[name] = least + coded / 65535 * (most - least)
        data = coded.astype("<u2").tobytes() + self.wrong.get(f"more of {name}", b"")
        return message((1, float(least)), (2, float(most)), (3, data))

    def normalised(self, name, outputs, inputs, side):
        pairs = [(1, self.layer(f"{name}.w", outputs, inputs, side, side))]
        pairs += [(3, self.layer(f"{name}.m", outputs)), (4, self.layer(f"{name}.v", outputs, least=0.5, most=2.0))]
        if self.scales:
            pairs += [(5, self.layer(f"{name}.g", outputs)), (6, self.layer(f"{name}.s", outputs))]
        return message(*pairs)

    @property
    def form(self):
        kind = 4 if self.squeeze else 3
        pairs = [(1, 1), (2, 2), (3, kind), (4, 2 if self.convolutional else 1), (5, 2 if self.wdl else 1)]
        pairs = [(number, self.wrong.get(f"format {number}", value)) for number, value in pairs]
        return message(*pairs, (7, self.wrong.get("activation", 0)))

    @property
    def data(self):
        form = message((1, self.wrong.get("encoding", 1)))
        if "no format" not in self.wrong:
            form += part(2, self.form)
        head = varint(1 << 3 | 5) + struct.pack("<I", self.wrong.get("magic", 0x1C0))
        head += message((2, b"a licence"), (3, message((1, 0), (2, 21))), (4, form))
        head += self.wrong.get("more", b"")
        return head if "no weights" in self.wrong else head + part(10, self.weights)

    def save(self, folder, name="tiny.pb.gz"):
        path = folder / name
        path.write_bytes(gzip.compress(self.data, mtime=0))
        return path

    # The same network, computed the long way.

    def convolved(self, x, weights, biases=0.0):
        side = weights.shape[2]
        padded = np.pad(x, ((0, 0), (0, 0), (side // 2,) * 2, (side // 2,) * 2))
        found = np.zeros((len(x), len(weights), 8, 8))
        for dy in range(side):
            for dx in range(side):
                found += np.einsum("oi,biyx->boyx", weights[:, :, dy, dx], padded[:, :, dy : dy + 8, dx : dx + 8])
        return found + np.reshape(biases, (-1, 1, 1))

    def normal(self, x, name):
        get = self.numbers.get
        means, variances = (np.reshape(get(f"{name}.{letter}"), (-1, 1, 1)) for letter in "mv")
        scales, shifts = get(f"{name}.g", np.ones(1)), get(f"{name}.s", np.zeros(1))
        found = (self.convolved(x, get(f"{name}.w")) - means) / np.sqrt(variances + 1e-5)
        return found * np.reshape(scales, (-1, 1, 1)) + np.reshape(shifts, (-1, 1, 1))

    def answers(self, x):
        n, get = self.numbers, self.numbers.get
        x = np.maximum(self.normal(x, "input"), 0)
        for i in range(self.blocks):
            y = self.normal(np.maximum(self.normal(x, f"{i}a"), 0), f"{i}b")
            if self.squeeze:
                hidden = np.maximum(y.mean(axis=(2, 3)) @ get(f"{i}w1").T + get(f"{i}b1"), 0)
                both = hidden @ get(f"{i}w2").T + get(f"{i}b2")
                factor, shift = both[:, : self.filters], both[:, self.filters :]
                y = y / (1 + np.exp(-factor))[:, :, None, None] + shift[:, :, None, None]
            x = np.maximum(x + y, 0)
        policy = np.maximum(self.normal(x, "policy1"), 0)
        if self.convolutional:
            raw = self.convolved(policy, n["policy.w"], n["policy.b"]).reshape(len(x), -1)
            policy = raw[:, leela_model.policy_places()]
        else:
            policy = policy.reshape(len(x), -1) @ n["policy.w"].T + n["policy.b"]
        value = np.maximum(self.normal(x, "value"), 0).reshape(len(x), -1)
        value = np.maximum(value @ n["value.w1"].T + n["value.b1"], 0) @ n["value.w2"].T + n["value.b2"]
        if self.wdl:
            value = np.exp(value) / np.exp(value).sum(axis=1, keepdims=True)
        return policy, value if self.wdl else np.tanh(value)
