"""Atomic writes, so that at any time a file is either the old one or the new one; and locks between processes."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from playout.errors import FileError, SettingsError

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that replaces `path` when the block succeeds; if it fails, the old file stays."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: not a regular file; choose another to write to")
    try:
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        raise FileError(f"{path}: can't be written ({error.strerror or error})") from None


@contextlib.contextmanager
def locked(path: Path, taken: str) -> Iterator[None]:
    """Hold the lock file `path`, where the system has locks; a `SettingsError` says `taken` if another process does."""
    if fcntl is None:
        yield
        return
    try:
        file = path.open("w")
    except OSError as error:
        raise FileError(f"{path.parent}: can't be written to ({error.strerror or error})") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise SettingsError(taken) from None
        yield
