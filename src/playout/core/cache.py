"""The disk cache for compiled code.

Numba's own cache misses edits in other files and can't store closures over compiled functions, so Playout has its own.
Kernels are stored in a folder named after a hash of the sources of `core/`, a game's functions under a fingerprint of
their bytecode and of everything they refer to. `PLAYOUT_CACHE_DIR` moves the folder.
"""

import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import caching, config

from .references import PACKAGE

KEEP_SECONDS = 30 * 24 * 3600  # after which an unused folder of another version is removed


@cache
def cache_folder() -> Path:
    """The folder for this version of the sources, Numba, NumPy and Python; created when something is first saved."""
    digest = hashlib.sha256()
    for path in sorted((PACKAGE / "core").glob("*.py")):
        digest.update(path.name.encode() + path.read_bytes())
    for fact in (numba.__version__, llvmlite.__version__, np.__version__, sys.version, str(config.BOUNDSCHECK)):
        digest.update(fact.encode())
    return base_folder() / digest.hexdigest()[:20]


def base_folder() -> Path:
    """The folder that holds the cache folders of all versions."""
    if given := os.environ.get("PLAYOUT_CACHE_DIR"):
        return Path(given)
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Caches"
    else:
        home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "playout"


def _make_folder(folder: Path) -> None:
    """Create the cache folder, and remove those of old versions."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for other in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if other.is_dir() and time.time() - other.stat().st_mtime > KEEP_SECONDS:
                shutil.rmtree(other)


def hash_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class _Impl(caching.CompileResultCacheImpl):  # type: ignore[misc]  # Numba is untyped
    """Numba's cache interface without the search for a folder beside the source file."""

    def __init__(self) -> None:
        pass


class DiskCache(caching.Cache):  # type: ignore[misc]  # Numba is untyped
    """Numba's function cache with our folder and our key. If it can't be written, the next start compiles again."""

    def __init__(self, name: str, key: str) -> None:
        self._name, self._key = name, key
        self._impl = _Impl()
        self._cache_path = str(cache_folder())
        self._cache_file = caching.IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=f"{name}-{key[:16]}", source_stamp=key
        )
        self.enable()

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return (sig, codegen.magic_tuple(), self._key)

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._enabled and self._impl.check_cachable(data):
            _make_folder(cache_folder())
            self._cache_file.save(self._index_key(sig, data.codegen), self._impl.reduce(data))

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        # A full disk or a damaged entry means compiling again, never a failure.
        with contextlib.suppress(OSError, EOFError, ValueError, KeyError, AttributeError, ImportError):
            yield
