"""Where functions come from and what they refer to.

The disk cache needs a fingerprint of a function with everything it refers to; the doctor needs to know which globals
have changed since a rule was compiled: compiled code keeps the values that globals and closures had at that time.
"""

import contextlib
import dis
import functools
import hashlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.registry import cpu_target

PACKAGE = Path(__file__).resolve().parents[1]
GENERATED = "<string>"  # the file of functions that dataclasses generate
PLAIN = (bool, int, float, str, bytes, tuple, list, np.ndarray, np.dtype)


def is_proven(function: Callable[..., Any]) -> bool:
    """Whether a function comes with Playout, whose tests run all of them with index checks."""
    code = getattr(getattr(function, "py_func", function), "__code__", None)
    return code is not None and _in_package(code.co_filename)


@functools.cache  # asked at every entry of a kernel
def _in_package(file: str) -> bool:
    return Path(file).is_relative_to(PACKAGE)


def is_users_own(value: ModuleType | FunctionType) -> bool:
    """Whether a module or function belongs neither to Python, nor to an installed package, nor to Playout."""
    file = value.__code__.co_filename if isinstance(value, FunctionType) else file_of(value)
    return is_followed(file) and not Path(file or "").is_relative_to(PACKAGE)


def file_of(module: ModuleType) -> str | None:
    """The file of a module, or the folder of a package that has no `__init__.py`."""
    found: str | None = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), None)
    return found


def is_followed(file: str | None) -> bool:
    """Whether a source file can change without a new version number: the user's files, and those of this package."""
    return file is not None and "site-packages" not in file and not file.startswith(sys.base_prefix)


def names_in(code: CodeType) -> list[str]:
    """All names that a function's code and the functions nested in it refer to."""
    names = list(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += names_in(constant)
    return names


def steps_in(code: CodeType) -> Iterator[dis.Instruction]:
    """The instructions of a function and of the functions nested in it."""
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from steps_in(constant)


def values_in(function: FunctionType) -> Iterator[tuple[int, Any]]:
    """The values from outside that a function refers to, each with its line; of a tuple, its items."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    value: Any = None
    for step in steps_in(function.__code__):
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            value = vars(value).get(step.argval) if isinstance(value, ModuleType) else None
        elif step.opname == "LOAD_GLOBAL":
            value = function.__globals__.get(step.argval)
        elif step.opname == "LOAD_DEREF" and step.argval in cells:
            with contextlib.suppress(ValueError):  # a cell that is still empty
                value = cells[step.argval].cell_contents
        else:
            value = None
        for item in value if type(value) is tuple else (value,):
            yield line_of(step, function), item
    for value in function.__defaults__ or ():
        yield function.__code__.co_firstlineno, value


def line_of(step: dis.Instruction, function: FunctionType) -> int:
    """The line of an instruction, or the function's first line if it has none."""
    return (step.positions.lineno if step.positions else None) or function.__code__.co_firstlineno


def calls_in(function: FunctionType) -> Iterator[tuple[int, FunctionType]]:
    """The user's own compiled functions that a function refers to, each with its line."""
    for line, value in values_in(function):
        if inner := helper_of(value):
            yield line, inner


def helper_of(value: Any) -> FunctionType | None:
    """The function behind a user's own `numba.njit` or `register_jitable` function; None for any other value."""
    inner = getattr(value, "py_func", None)
    if isinstance(value, FunctionType) and is_users_own(value):
        ways = [way.__qualname__ for way in overloads_of(value)]
        inner = value if ways and all(way.startswith("register_jitable.") for way in ways) else None
    return inner if isinstance(inner, FunctionType) and is_users_own(inner) else None


def overloads_of(function: FunctionType) -> list[FunctionType]:
    """The functions that give Numba implementations of a Python function."""
    known = cpu_target.typing_context
    known.refresh()
    kind = known._lookup_global(function)
    return [template._overload_func for template in getattr(kind, "templates", ())]


def fingerprint(*parts: object, places: bool = True) -> str:
    """A hash of functions and of everything they refer to: helpers, constants and arrays, in any file.

    With `places`, also of the file and the lines that each function stands in; without, also of the users' classes that
    they refer to.
    """
    feeder = _Feeder(places)
    feeder.feed(parts)
    return feeder.digest.hexdigest()


def own_functions(cls: type) -> dict[str, FunctionType]:
    """The functions of a user's class by name, without inherited ones and those that a decorator of ours added.

    >>> own_functions(Path)
    {}
    """
    found = dict[str, FunctionType]()
    for name, value in vars(cls).items():
        inner = getattr(value, "fget", getattr(value, "__func__", value))
        inner = getattr(inner, "py_func", inner)
        if isinstance(inner, FunctionType) and inner.__code__.co_filename != GENERATED and is_users_own(inner):
            found[name] = inner
    return found


class _Feeder:
    """Feeds values to a hash, and each function only once."""

    def __init__(self, places: bool) -> None:
        self.digest, self.places, self.seen = hashlib.sha256(), places, set[int]()

    def feed(self, value: object) -> None:
        digest = self.digest
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            self._feed_function(value)
        elif isinstance(value, CodeType):
            # File and lines too, since an error in compiled code names the place it was compiled from. A notebook cell
            # is not a file, and gets a new name each time.
            if self.places and Path(value.co_filename).is_file():
                digest.update(value.co_filename.encode())
            lines = (value.co_firstlineno,) if self.places else ()
            digest.update(value.co_code + repr((value.co_names, value.co_varnames, *lines)).encode())
            if self.places:
                digest.update(value.co_linetable)
            for constant in value.co_consts:
                self.feed(constant)
        elif isinstance(value, np.ndarray):
            digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
        elif isinstance(value, tuple | list):
            digest.update(str(len(value)).encode())
            for item in value:
                self.feed(item)
        elif isinstance(value, ModuleType):
            digest.update(value.__name__.encode())
        elif isinstance(value, type) and not self.places:
            self._feed_class(value)
        elif isinstance(value, int | float | complex | str | bytes | bool | np.generic | np.dtype | type(None)):
            digest.update(repr(value).encode())
        else:
            digest.update(f"{type(value).__module__}.{type(value).__qualname__}".encode())

    def _feed_function(self, function: FunctionType) -> None:
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        self.feed(function.__code__)
        names = names_in(function.__code__)
        for name in names:
            if name in function.__globals__:
                found = function.__globals__[name]
                self.digest.update(name.encode())
                self.feed(found)
                if isinstance(found, ModuleType):
                    self._feed_module(found, names)
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # a cell that is still empty
                self.feed(cell.cell_contents)
        self.feed(function.__defaults__)

    def _feed_class(self, cls: type) -> None:
        """Feed the functions and the plain attributes of a user's class and of its bases."""
        self.digest.update(cls.__qualname__.encode())
        for base in cls.__mro__:
            functions = own_functions(base)
            if not functions or id(base) in self.seen:
                continue
            self.seen.add(id(base))
            data = {k: v for k, v in vars(base).items() if not k.startswith("_") and isinstance(v, PLAIN)}
            self.feed(sorted((data | functions).items(), key=lambda item: item[0]))

    def _feed_module(self, module: ModuleType, names: list[str]) -> None:
        """Feed what a function can reach as `module.name` or `package.module.name`."""
        here = hash((id(module), *names))  # another function may use other names of the module
        if here in self.seen or not is_followed(file_of(module)):
            return
        self.seen.add(here)
        for name in names:
            if name in vars(module):
                found = vars(module)[name]
                self.feed(found)
                if isinstance(found, ModuleType):
                    self._feed_module(found, names)


def referenced(function: Callable[..., Any]) -> dict[str, tuple[str, str]]:
    """The globals and closure variables that a function and its helpers refer to: a fingerprint and a text for each.

    >>> {name: text for name, (_, text) in referenced(lambda: np.int64(LIMIT)).items()}
    {'LIMIT': '3'}
    """
    found: dict[str, tuple[str, str]] = {}
    _follow(getattr(function, "py_func", function), found, set())
    return found


LIMIT = 3  # for the example above


def _follow(function: Any, found: dict[str, tuple[str, str]], seen: set[int]) -> None:
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    names, scope = names_in(function.__code__), function.__globals__
    values = {name: scope[name] for name in names if name in scope}
    for name, module in list(values.items()):
        if isinstance(module, ModuleType) and is_followed(getattr(module, "__file__", None)):
            values |= {f"{name}.{part}": vars(module)[part] for part in names if part in vars(module)}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # still empty
            continue
    for name, value in values.items():
        inner = getattr(value, "py_func", value)
        if isinstance(inner, FunctionType):
            found[name] = (fingerprint(inner.__code__), "a function")
            _follow(inner, found, seen)
        elif not isinstance(value, ModuleType | type):
            found[name] = (fingerprint(value), _text(value))


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"a {type(value).__name__}"
