"""Atomic writes: at any time a file is either the old one or the new one."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from playout.errors import FileError


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
