"""Writing files such that there is either the old one or the new one, whatever happens meanwhile."""

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from playout.errors import FileError


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` once the block has written it; a block that fails leaves the old one."""
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
    """Write a file such that there is either the old one or the new one, whatever happens."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: is no regular file; name another to write to")
    try:
        with replacing(path) as file:
            file.write(data)
    except OSError as error:
        raise FileError(f"{path}: can't be written ({error.strerror or error})") from None
