"""Users' files on their way to another machine: games, parts, what they import beside them, and networks.

They travel as bytes with a hash of each, which is checked on arrival. Where a machine has the same files in the same
places, those are used; otherwise they are unpacked into a folder named after their hash.
"""

import contextlib
import hashlib
import os
import pickle
import pickletools
import shutil
import site
import stat
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from playout.common.disk import write_whole
from playout.common.sources import load_moved, loaded_files
from playout.errors import FileError, SettingsError

PACKAGE = Path(__file__).resolve().parent.parent
NETWORKS = (".onnx", ".fast", ".pb", ".pb.gz")
MOST_BYTES = 1 << 30  # of all files together
KEEP_SECONDS = 24 * 3600
KEEP_FILES = 16  # the networks of the last generations


@dataclass(frozen=True)
class TravellingFile:
    """One file: its names in settings, the folder that imports start from, its place below it, bytes and hash."""

    names: tuple[str, ...]  # the first is its absolute path
    folder: str  # empty: nothing is imported from there
    below: str
    data: bytes = field(repr=False)
    digest: str


@dataclass(frozen=True)
class Parcel:
    """All files that a worker on another machine needs, and the modules that were loaded from files by path."""

    files: tuple[TravellingFile, ...] = ()
    modules: tuple[tuple[str, str], ...] = ()  # name, path

    @property
    def digest(self) -> str:
        """A hash of all files and their places."""
        found = hashlib.sha256()
        for file in self.files:
            found.update(f"{file.names[0]}\n{file.folder}\n{file.digest}\n".encode())
        return found.hexdigest()[:20]

    def open(self) -> list[str]:
        """Make the files importable in this process; `FileError` where one did not arrive as it was sent.

        Returns which of them can't be imported, and why.
        """
        for file in self.files:
            if hash_of(file.data) != file.digest:
                raise FileError(f"{file.names[0]}: arrived with another hash than it was sent with; send it again")
        if all(_is_same(file) for file in self.files):
            folders = sorted({file.folder for file in self.files if file.folder})
            moved = {name: file.names[0] for file in self.files for name in file.names[1:]}  # relative paths
            return load_moved(moved, folders, self.modules)
        there = received_folder() / self.digest
        there.mkdir(exist_ok=True)
        os.utime(there)  # in use: not to be removed
        moved, folders = {}, []
        numbers = {folder: str(number) for number, folder in enumerate(sorted({f.folder for f in self.files}))}
        for file in self.files:
            path = there / numbers[file.folder] / file.below
            _write_once(path, file.data)
            moved |= {name: str(path) for name in file.names}
            if file.folder and str(there / numbers[file.folder]) not in folders:
                folders.append(str(there / numbers[file.folder]))
        return load_moved(moved, folders, self.modules)


def parcel_of(*things: Any) -> Parcel:
    """The files that define what is sent, as far as they are the user's own."""
    words = _words(things)
    if "__main__" in words:
        raise SettingsError(
            "the script that runs defines what is to be sent to other machines; put it into a file of its own, and "
            "import that"
        )
    files: dict[str, TravellingFile] = {}
    modules = list[tuple[str, str]]()
    folders = set[Path]()
    for name, path, source in loaded_files():
        files[str(path)] = _file((str(path),), path.parent, path, source)
        modules.append((name, str(path)))
        folders.add(path.parent)
    for word in words:
        module = sys.modules.get(word)
        if module is not None and (root := _folder_of(module)) is not None:
            folders.add(root)
    for module in list(sys.modules.values()):
        root = _folder_of(module)
        if root in folders and str(path := Path(str(module.__file__)).resolve()) not in files:
            files[str(path)] = _file((str(path),), root, path, _read(path))
    for word in words:
        if word.lower().endswith(NETWORKS) and (path := Path(word).expanduser()).is_file():
            path = path.resolve()
            names = files[str(path)].names if str(path) in files else (str(path),)
            files[str(path)] = _file((*names, word), None, path, _read(path))
    if (size := sum(len(file.data) for file in files.values())) > MOST_BYTES:
        raise SettingsError(f"the files to send to each machine have {size:,} bytes, expected at most {MOST_BYTES:,}")
    return Parcel(tuple(files.values()), tuple(modules))


def received_folder() -> Path:
    """Where files from other machines are kept on this one; what is older than a day is removed."""
    folder = Path(tempfile.gettempdir()) / f"playout-files-{_user()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    _check_private(folder)
    for old in folder.iterdir():
        with contextlib.suppress(OSError):  # another worker may be at it
            if time.time() - old.lstat().st_mtime > KEEP_SECONDS:
                _remove(old)
    return folder


def _check_private(folder: Path) -> None:
    """Refuse a folder that others could have made or could write into: what is in it is run."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        why = "is not a folder"
    elif hasattr(os, "getuid") and found.st_uid != os.getuid():
        why = "belongs to another user"
    elif hasattr(os, "getuid") and found.st_mode & 0o077:
        why = "can be read or written by other users"
    else:
        return
    raise FileError(f"{folder}: {why}; remove it, or set TMPDIR to another folder")


def _remove(old: Path) -> None:
    """Under another name first, so that no other worker uses what is half removed."""
    if old.is_symlink() or not old.is_dir():
        old.unlink()
        return
    aside = old.with_name(f"{old.name}.{os.getpid()}.old")
    old.rename(aside)
    shutil.rmtree(aside)


def received_file(data: bytes, name: str) -> Path:
    """The path of a file with these bytes on this machine; its name must tell them apart from all others."""
    path = received_folder() / name
    _write_once(path, data)
    with contextlib.suppress(OSError):  # another worker may be at it
        alike = sorted(path.parent.glob(f"*{path.suffix}"), key=lambda file: file.stat().st_mtime)
        for old in alike[:-KEEP_FILES]:
            old.unlink()
    return path


def _write_once(path: Path, data: bytes) -> None:
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    else:
        os.utime(path)


def hash_of(data: bytes) -> str:
    """The hash that travels with a file."""
    return hashlib.sha256(data).hexdigest()


def _words(things: Any) -> list[str]:
    """All texts in the pickle of things: names of modules and files are among them."""
    try:
        pickled = pickle.dumps(things)
    except (pickle.PicklingError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise SettingsError(f"what is to be sent to other machines can't be pickled: {error}") from None
    found = (argument for _, argument, _ in pickletools.genops(pickled) if isinstance(argument, str))
    return list(dict.fromkeys(found))


def _file(names: tuple[str, ...], folder: Path | None, path: Path, data: bytes) -> TravellingFile:
    below = path.name if folder is None else path.relative_to(folder).as_posix()
    if folder is None:
        below = f"{hash_of(data)[:16]}/{below}"  # networks of one name from several folders
    return TravellingFile(
        tuple(dict.fromkeys(names)), "" if folder is None else str(folder), below, data, hash_of(data)
    )


def _folder_of(module: ModuleType | None) -> Path | None:
    """The folder that a user's module is imported from; None for modules that are installed, or ours."""
    file, name = getattr(module, "__file__", None), getattr(module, "__name__", "")
    if not isinstance(file, str) or not file.endswith(".py") or name in ("__main__", "__mp_main__"):
        return None
    path = Path(file).resolve()
    if not path.is_file() or any(path.is_relative_to(folder) for folder in _installed()):
        return None
    levels = name.count(".") + (path.name == "__init__.py")
    return path.parents[levels] if levels < len(path.parents) else None


def _installed() -> Iterable[Path]:
    yield PACKAGE
    yield Path(os.__file__).resolve().parent
    for folder in (*site.getsitepackages(), site.getusersitepackages()):
        yield Path(folder).resolve()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise FileError(f"{path}: can't be read ({error.strerror or error}), to be sent to other machines") from None


def _is_same(file: TravellingFile) -> bool:
    path = Path(file.names[0])
    try:
        return path.is_file() and hash_of(path.read_bytes()) == file.digest
    except OSError:
        return False


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
