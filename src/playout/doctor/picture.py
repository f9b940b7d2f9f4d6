"""Pictures of Python objects: everything an object holds, part by part, so that a message can name a change.

>>> class Board:
...     def __init__(self):
...         self.cells = [0, 0]
>>> board = Board()
>>> before = Picture(board)
>>> board.cells[1] = 1
>>> before.change(Picture(board))
('.cells[1]', 'cells[1]: before 0, after 1')
"""

import random
import re
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cached_property
from itertools import islice
from operator import attrgetter
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from playout.game.wrap.checks import ADDRESS, own_text

PARTS = 3000  # the most parts of an object that a picture holds
PLAIN = (bool, int, float, complex, str, bytes, type(None), range, np.generic)
CODE = (type, FunctionType, BuiltinFunctionType, MethodType, ModuleType)
ATTRIBUTES = re.compile(r"(\.[^\W\d]\w*)+")  # the path of an attribute, also of an object inside
CONTAINERS = (list, dict, set, deque, bytearray, np.ndarray)


class Picture:
    """What an object holds, including the mutable attributes of its class.

    `without` is an object to leave out: the parent, which the object may refer to.
    """

    def __init__(self, obj: Any, without: Any = None) -> None:
        self.of_class = class_values(obj)
        self.parts: dict[str, Any] = {}  # the values, by path, such as `.cells[3]`
        self.containers: dict[str, Any] = {}  # the mutable ones, by path
        seen = {id(without): "the object before"} if without is not None and without is not obj else {}
        left: deque[tuple[str, Any]] = deque([("", obj)])
        for kind in type(obj).__mro__[:-1]:
            shared = {n: v for n, v in vars(kind).items() if isinstance(v, CONTAINERS) and not n.startswith("__")}
            left += [(f".{name}", value) for name, value in shared.items() if name not in getattr(obj, "__dict__", {})]
        while left and len(self.parts) < PARTS:
            path, value = left.popleft()
            if isinstance(value, float | np.floating):
                self.parts[path] = repr(value)  # NaN would not equal itself
            elif isinstance(value, PLAIN):
                self.parts[path] = value
            elif isinstance(value, CODE):
                self.parts[path] = getattr(value, "__qualname__", type(value).__name__)
            elif isinstance(value, Enum):
                self.parts[path] = str(value)
            elif id(value) in seen:
                self.parts[path] = f"the same as {seen[id(value)]}"
            else:
                seen[id(value)] = path or "the object"
                if isinstance(value, CONTAINERS):
                    self.containers[path] = value
                self.parts[path], inner = _parts(value)
                leave = getattr(type(value), "not_state", ())  # what the class says is not part of a position
                left += [
                    (path + name, part) for name, part in islice(inner, PARTS) if name.removeprefix(".") not in leave
                ]

    def change(self, after: "Picture") -> tuple[str, str] | None:
        """The path of the first part that differs, and both values; None if there is no difference.

        A part that was None before does not count: it may be a cached result. For new attributes, see `appeared`.
        """
        for path, value in self.parts.items():
            new = after.parts.get(path, "nothing")
            if new != value and (value is not None or path not in after.parts):
                return path, f"{path.removeprefix('.') or 'it'}: before {_shown(value)}, after {_shown(new)}"
        return None

    def appeared(self, after: "Picture", obj: Any) -> str:
        """The first attribute of `obj`, or of an object in it, that only `after` has; "" if there is none.

        A `cached_property` does not count, nor does a key that is new in a dictionary: both are caches.
        """
        if len(self.parts) >= PARTS:
            return ""  # parts that were left out before may be in the picture now
        for path, value in after.parts.items():
            owner, _, name = path.rpartition(".")
            if path in self.parts or not ATTRIBUTES.fullmatch(path) or self.parts.get(owner) is None:
                continue
            kind = type(attrgetter(owner.removeprefix("."))(obj) if owner else obj)
            if not isinstance(getattr(kind, name, None), cached_property):
                return f"{path.removeprefix('.')}: before nothing, after {_shown(value)}"
        return ""

    def class_change(self, after: "Picture") -> str:
        """The first number or string of the class that differs, with both values; "" if there is no difference."""
        for name, value in self.of_class.items():
            if (new := after.of_class.get(name)) != value and value is not None:
                return f"{name}: before {_shown(value)}, after {_shown(new)}"
        return ""

    def contrast(self, other: "Picture") -> str:
        """The first part that both objects have and that differs, with both values; "" if there is none."""
        for path, value in self.parts.items():
            new = other.parts.get(path)
            if new != value and None not in (value, new):
                return f"{path.removeprefix('.') or 'it'}: first {_shown(value)}, then {_shown(new)}"
        return ""

    def shared(self, other: "Picture", path: str) -> tuple[str, str] | None:
        """The innermost mutable container around `path` that both objects hold: its path and type."""
        held = {id(value) for value in other.containers.values()}
        around = [p for p, value in self.containers.items() if path.startswith(p) and id(value) in held]
        if not around:
            return None
        inmost = max(around, key=len)
        return inmost.removeprefix("."), type(self.containers[inmost]).__name__


def class_values(obj: Any) -> dict[str, Any]:
    """The numbers and strings that the class of an object holds, by name."""
    found: dict[str, Any] = {}
    for kind in type(obj).__mro__[:-1]:
        for name, value in vars(kind).items():
            if isinstance(value, PLAIN) and not name.startswith("__"):
                found.setdefault(f"{kind.__name__}.{name}", repr(value))
    return found


def _parts(value: Any) -> tuple[Any, Iterator[tuple[str, Any]]]:
    """A description of a value itself, and its parts with their names."""
    kind = type(value).__name__
    if isinstance(value, np.ndarray):
        parts = enumerate(value.ravel()[:PARTS].tolist())
        return (kind, value.shape, value.dtype.str), ((f".flat[{i}]", part) for i, part in parts)
    if isinstance(value, dict):
        return kind, ((f"[{_key(key)}]", part) for key, part in value.items())
    if isinstance(value, set | frozenset):
        return kind, ((f"{{{_key(part)}}}", True) for part in value)
    if isinstance(value, random.Random):
        return (kind, hash(value.getstate())), iter(())
    if isinstance(value, np.random.Generator):
        return (kind, repr(value.bit_generator.state)), iter(())
    names = getattr(value, "_fields", None)
    if isinstance(value, tuple) and names:
        return kind, ((f".{name}", part) for name, part in zip(names, value, strict=True))
    if isinstance(value, list | tuple | deque | bytearray):
        return (kind, len(value)), ((f"[{i}]", part) for i, part in enumerate(value))
    slots = [name for k in type(value).__mro__ for name in _slots(k) if hasattr(value, name)]
    held = {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}
    if held:
        return kind, ((f".{name}", part) for name, part in held.items())
    return (kind, own_text(value)), iter(())


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _key(key: Any) -> str:
    return ADDRESS.sub("", safe_text(repr, key))


def safe_text(write: Callable[[Any], str], value: Any) -> str:
    """`str` or `repr` of a user's value, which may raise."""
    try:
        return write(value)
    except Exception:  # noqa: BLE001  # whatever it is
        return f"a {type(value).__name__} without a text"


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and value and value[0] in ("list", "deque", "bytearray", "tuple"):
        return f"{value[1]} entries"
    text = str(value)
    return text if len(text) <= 40 else text[:39] + "…"
