"""Users' classes, named as `file.py:Class` or `module:Class`: finds and imports what defines them."""

import contextlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from playout.errors import PlayoutError

_loaded: dict[Path, tuple[str, bytes]] = {}  # imported files: the module's name, and the source
_moved: dict[str, str] = {}  # files of another machine that were sent to this one, and where they are here


def split(spec: str) -> tuple[str, str] | None:
    """The file or module, and the name in it; None without a name.

    >>> split("nim.py:Nim"), split("games.nim:Nim"), split("nim.py")
    (('nim.py', 'Nim'), ('games.nim', 'Nim'), None)
    """
    place, colon, name = spec.strip().rpartition(":")
    drive = len(place) == 1 and name.startswith(("\\", "/"))  # the colon of C:\nim.py
    return None if not colon or drive else (place, name)


def absolute(spec: str) -> str:
    """`file.py:name` with the file's absolute path, which means the same in every process; other names unchanged.

    >>> absolute("/games/../nim.py:Nim"), absolute("games.nim:Nim"), absolute("chess")
    ('/nim.py:Nim', 'games.nim:Nim', 'chess')
    """
    place, name = split(spec) or ("", "")
    return f"{_path(place)}:{name}" if place.endswith(".py") else spec


def load(place: str, name: str, spec: str, refuse: type[PlayoutError]) -> tuple[ModuleType, str]:
    """The module of that file or name, and `spec` with an absolute path.

    `refuse` is the exception to raise, with a one-line message, if it does not exist or fails to import.
    """
    if place.endswith(".py") or "/" in place or os.sep in place:
        return _import_file(place, spec, refuse), f"{_path(place)}:{name}"
    return _import_module(place, spec, refuse), spec.strip()


class Loaded:
    """The files imported so far. Unpickled in another process, it imports them there under the same names."""

    def __reduce__(self) -> Any:
        there = [(name, str(path)) for path, (name, _) in _loaded.items() if name in sys.modules]
        return _load_again, (there,)


def _load_again(files: list[tuple[str, str]]) -> Loaded:
    for name, path in files:
        _make_importable(Path(path).parent)
        with contextlib.suppress(Exception):  # it may not be needed there; if it is, unpickling fails and names it
            _run(name, Path(path), Path(path).read_bytes())
    return Loaded()


def loaded_files() -> list[tuple[str, Path, bytes]]:
    """The files imported so far: the module's name, the path, and the source as it was imported."""
    return [(name, path, source) for path, (name, source) in _loaded.items() if name in sys.modules]


def load_moved(moved: Mapping[str, str], folders: Sequence[str], modules: Sequence[tuple[str, str]]) -> list[str]:
    """Install files of another machine: where each is here, folders to import from, and modules with their files.

    Returns what could not be imported and why: it may not be needed here.
    """
    failed = []
    _moved.update(moved)
    for folder in folders:
        _make_importable(Path(folder))
    for name, place in modules:
        path = Path(here(place))
        source = path.read_bytes()
        if name not in sys.modules or _loaded.get(path, ("", b""))[1] != source:
            try:
                _run(name, path, source)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code
                failed.append(f"{path.name}: {type(error).__name__}: {error}")
    return failed


def here(place: str) -> str:
    """Where a file is on this machine, if it was sent to it; otherwise the same place."""
    return _moved.get(place, place)


def _path(place: str) -> Path:
    return Path(here(place)) if place in _moved else Path(here(str(Path(place).expanduser().resolve())))


def _import_file(place: str, spec: str, refuse: type[PlayoutError]) -> ModuleType:
    """Run a user's file as a module, again if it was edited; like a script, it can import from its folder."""
    path = _path(place)
    if not path.is_file():
        what = "is a folder, not a file" if path.is_dir() else "does not exist"
        raise refuse(f"can't load '{spec}': {path} {what}")
    if path.suffix != ".py":
        raise refuse(f"can't load '{spec}': {path} is not a Python file; expected a name that ends in .py")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise refuse(f"can't load '{spec}': {path} can't be read ({error.strerror})") from None
    name, before = _loaded.get(path, (_free_name(path), None))
    if source == before and name in sys.modules:  # loading a class twice would make two classes
        return sys.modules[name]
    _make_importable(path.parent)
    try:
        return _run(name, path, source)
    except (Exception, SystemExit) as error:
        raise _failed(spec, str(path), error, refuse) from error


def _free_name(path: Path) -> str:
    """A free name for a file's module: a user's random.py must not replace Python's."""
    name, number = path.stem, 1
    while getattr(sys.modules.get(name), "__file__", str(path)) != str(path):
        name, number = f"playout_file{number}_{path.stem}", number + 1
    return name


def _run(name: str, path: Path, source: bytes) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None  # the name ends in .py
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        exec(compile(source, str(path), "exec"), vars(module))  # cached bytecode may be out of date by a second
    except BaseException:
        del sys.modules[name]
        _loaded.pop(path, None)
        raise
    _loaded[path] = (name, source)
    return module


def _import_module(place: str, spec: str, refuse: type[PlayoutError]) -> ModuleType:
    _make_importable(Path.cwd())  # an installed command does not search there by default
    try:
        return importlib.import_module(place)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and error.name and f"{place}.".startswith(f"{error.name}."):
            raise refuse(
                f"can't load '{spec}': there is no module '{error.name}', neither installed nor in {Path.cwd()}; "
                f"write a file with its extension, as in {place}.py:Class"
            ) from None
        found = importlib.util.find_spec(place) if "." not in place else None
        raise _failed(spec, (found.origin if found else None) or place, error, refuse) from error


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    importlib.invalidate_caches()


def _failed(spec: str, file: str, error: BaseException, refuse: type[PlayoutError]) -> PlayoutError:
    """The error with the user's line that failed: the innermost one that is not in an installed package."""
    if isinstance(error, SyntaxError):
        return refuse(f"can't load '{spec}': {error.filename or file}:{error.lineno}: syntax error: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    folder = str(Path(file).parent)
    own = [
        f for f in frames if f.filename == file or (f.filename.startswith(folder) and "site-packages" not in f.filename)
    ]
    at = f"{own[-1].filename}:{own[-1].lineno}" if own else file
    message = " ".join(str(error).split())
    return refuse(f"can't load '{spec}': {at}: {type(error).__name__}: {message}")
