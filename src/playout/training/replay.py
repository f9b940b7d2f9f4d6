"""The positions that are learnt from, on disk: one plain .npz file for each generation, never a pickle."""

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.disk import write_whole
from playout.errors import FileError

SPARE = 2  # generations kept beyond the window, for a run that falls back to an older checkpoint
DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    OSError,  # from inside of the archive
    NotImplementedError,
)
PARTS = ("planes", "policy", "values")


class DamagedError(FileError):
    """A file that could be read, but does not hold what was written."""


@dataclass(frozen=True)
class Samples:
    """Positions to learn from, one a row: `N` rows, `K` numbers of planes, `A` numbers of the policy."""

    planes: Any  # [N, K] float32
    policy: Any  # [N, A] float32: the policy of the search; sums to one
    values: Any  # [N, 1] float32: the return of the player who moves from there on; or [N, players], of each

    def __len__(self) -> int:
        return len(self.planes)

    @classmethod
    def joined(cls, parts: "list[Samples]") -> "Samples":
        """The rows of all parts, in their order."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in PARTS))


class Replay:
    """The files of the last generations in a folder. `widths`: the columns of planes, policy and values."""

    def __init__(self, folder: Path, window: int, widths: tuple[int, int, int]) -> None:
        self.folder, self.window, self.widths = folder, window, widths

    def path(self, generation: int) -> Path:
        """The file of a generation."""
        return self.folder / f"{generation:06d}.npz"

    def write(self, generation: int, samples: Samples, about: dict[str, Any]) -> None:
        """Write one generation, whole or not at all, and remove those that left the window long ago."""
        write_arrays(
            self.path(generation),
            {"planes": samples.planes, "policy": samples.policy, "values": samples.values, "about": packed(about)},
        )
        old = self.path(generation - self.window - SPARE)
        for path in self.folder.glob("*.npz"):
            if path.name <= old.name:
                path.unlink(missing_ok=True)

    def read(self, generation: int) -> tuple[Samples, dict[str, Any]]:
        """Read one generation; `FileError` says why it can't be read."""
        path = self.path(generation)
        found = read_arrays(path)
        try:
            rows = len(found["planes"]) if found["planes"].ndim else 0
            for name, width in zip(PARTS, self.widths, strict=True):
                check_array(name, found[name], (max(1, rows), width))
            about = unpacked(found["about"])
            if not isinstance(about, dict):
                raise ValueError(f"`about` is {about!r:.40}, expected an object")
            return Samples(*(found[name] for name in PARTS)), about
        except (KeyError, ValueError, RecursionError) as error:
            raise FileError(f"{path}: is damaged ({reason(error)})") from None

    def read_window(self, generation: int) -> tuple[Samples, list[str]]:
        """Read the window of a generation, oldest first, with the problems of files that can't be read."""
        parts, problems = list[Samples](), list[str]()
        for number in range(max(1, generation - self.window + 1), generation + 1):
            try:
                parts.append(self.read(number)[0])
            except FileError as error:
                problems.append(str(error))
        if not parts:
            raise FileError(f"{self.folder}: no games to learn from can be read ({'; '.join(problems)})")
        return Samples.joined(parts), problems


def write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Write an .npz file, whole or not at all."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path.parent}: can't be made ({error.strerror or error})") from None
    write_whole(path, buffer.getvalue())


def read_arrays(path: Path) -> dict[str, Any]:
    """Read all arrays of an .npz file, with their checksums; `DamagedError`, or `FileError` where it can't be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileError(f"{path}: there is no such file") from None
    except OSError as error:
        raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        for name, array in found.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name} is not an array")
        return found
    except MemoryError as error:  # from an impossible shape, or there is none left
        raise FileError(f"{path}: is damaged or too large for the memory ({reason(error)})") from None
    except DAMAGED as error:
        raise DamagedError(f"{path}: is damaged or cut off ({reason(error)})") from None


def check_array(name: str, array: Any, shape: tuple[int, ...], kind: Any = np.float32) -> None:
    """`ValueError` unless an array has this shape and type, and finite numbers."""
    if array.shape != shape or array.dtype != kind:
        came, wanted = (f"{np.dtype(d)}{list(s)}" for d, s in ((array.dtype, array.shape), (kind, shape)))
        raise ValueError(f"{name} is {came}, expected {wanted}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")


def reason(error: BaseException) -> str:
    """An error's message, short and on one line."""
    text = " ".join(str(error).split())[:160]
    return f"it has no {text}" if isinstance(error, KeyError) else text or type(error).__name__


def packed(data: Any) -> Any:
    """Data as an array of the bytes of its JSON."""
    return np.frombuffer(json.dumps(data).encode(), np.uint8)


def unpacked(array: Any) -> Any:
    """The data of such an array."""
    return json.loads(bytes(array).decode())
