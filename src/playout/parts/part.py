"""Parts of a search that anyone can write: a class whose fields are its settings, with functions that are compiled."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from playout.common import sources
from playout.common.arguments import did_you_mean
from playout.common.declare import setting
from playout.common.raised import described
from playout.core.columns import NONE
from playout.core.jit import COMPILED
from playout.core.parts import PartCode as Code
from playout.core.tree import PartData, Tree
from playout.errors import PlayoutError, SettingsError

from .checks import check_columns, check_functions, check_layout, check_settings, settings_of
from .faults import checked

if TYPE_CHECKING:
    from playout.game import Game

KNOWN: dict[str, type["Part"]] = {}  # every part that was defined here, by the name that files keep
P = TypeVar("P", bound="Part")


def kind_of(cls: type["Part"]) -> str:
    """How files and JSON name a part: a built-in one by its name alone, others with the module that has them."""
    own = cls.__module__.startswith("playout.")
    return cls.__name__ if own else f"{cls.__module__}:{cls.__qualname__}"


def is_own(kind: str) -> bool:
    """Whether a kind is that of a user's part."""
    return ":" in kind


class Part:
    """What policies and backups have in common."""

    columns: ClassVar[np.dtype[Any]] = NONE  # what it keeps of each edge, numbers of eight bytes; zero at first
    tables: ClassVar[Any] = NONE  # what it keeps beside the tree: a dtype, or a function of the game that gives one

    absent: ClassVar[bool] = False  # it stands for a part that a file names and that is not at hand

    _role: ClassVar[str]  # "policy" or "backup"
    _signatures: ClassVar[dict[str, str]]  # its functions, and how they are called
    _needed: ClassVar[str]  # the one that it can't do without
    _codes: ClassVar[dict[Any, Code]]  # by the layout of the tables

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__()
        if abstract:
            return
        check_functions(cls)
        check_settings(cls, next(base for base in cls.__mro__ if "_role" in vars(base)))
        check_columns(cls)
        setting(cls)
        cls._codes = {}
        if not cls.absent:
            KNOWN[kind_of(cls)] = cls  # a notebook's cell that is run again takes the place of the one before

    def __init__(self, *given: Any, **named: Any) -> None:
        cls = type(self)
        raise SettingsError(
            f"po.{cls.__name__} is what every {cls._role} is made from; write a subclass with "
            f"`{cls._signatures[cls._needed]}`, or take a built-in one"
        )

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        """What else the code made of it depends on."""
        return {}

    def replace(self: P, **changes: Any) -> P:
        """The same part with other settings."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]  # every subclass is a dataclass

    def code(self, game: "Game") -> Code:
        """Its functions, as they are compiled for a game; the same for all games unless the tables differ."""
        cls, tables = type(self), self._tables_of(game)
        key = repr(tables)
        if key not in cls._codes:
            functions = {name: getattr(cls, name) for name in cls._signatures if hasattr(cls, name)}
            if not COMPILED:
                functions = {name: checked(cls, name, function) for name, function in functions.items()}
            record = np.dtype([*settings_of(cls), *_fields_of(tables)] or [("none", np.int64)])
            cls._codes[key] = Code(cls.__qualname__, functions, record, cls.columns, **cls._facts())
        return cls._codes[key]

    def kept(self, game: "Game") -> PartData:
        """What a new tree holds of it: its settings with empty tables, and room for its columns."""
        code = self.code(game)
        buffer = np.zeros(1, code.record)
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            buffer[f.name] = getattr(self, f.name)
        return PartData(buffer.view(np.uint8), len(code.columns.names or ()))

    def _tables_of(self, game: "Game") -> np.dtype[Any]:
        cls = type(self)
        try:
            tables = cls.tables(game) if callable(cls.tables) else cls.tables
        except Exception as error:
            if isinstance(error, PlayoutError):
                raise
            raise SettingsError(
                f"{cls.__name__}.tables raised {described(error)} for {game.title}; expected a function of the game "
                f"that gives a dtype"
            ) from error
        check_layout(cls, "tables", tables, {f.name for f in dataclasses.fields(cls)}, "a setting")  # type: ignore[arg-type]
        return tables  # type: ignore[no-any-return]


class Column(NamedTuple):
    """One number that a part keeps of each edge: its name, and all of them as an array."""

    name: str
    of_edges: Any


def columns_of(parts: Iterable[Part], tree: Tree) -> list[Column]:
    """What the parts of a search keep of a tree's edges."""
    return [
        Column(name, getattr(tree, f"{part._role}_columns")[:, i].view(part.columns[name]))
        for part in parts
        for i, name in enumerate(part.columns.names or ())
    ]


def _fields_of(layout: np.dtype[Any]) -> list[tuple[Any, ...]]:
    return [(name, layout[name].base, layout[name].shape) for name in layout.names or ()]


def load_part(base: type[P], spec: str) -> type[P]:
    """The part that `file.py:Class` or `module:Class` names; `SettingsError` says why there is none."""
    if spec in KNOWN and issubclass(KNOWN[spec], base):
        return KNOWN[spec]  # type: ignore[return-value]
    role = getattr(base, "_role", "policy or backup")
    derived = "derived from " + " or ".join(f"po.{word.capitalize()}" for word in role.split(" or "))
    place, name = sources.split(spec) or (spec, "")
    if not place or not name:
        raise SettingsError(f"{role} is '{spec}', which names no class; write {place or 'file.py'}:Class")
    module, _ = sources.load(place, name, spec, SettingsError)
    known = {n: v for n, v in vars(module).items() if isinstance(v, type) and issubclass(v, base) and _is_known(v)}
    if name in known:
        return known[name]
    listed = f"there: {', '.join(known)}" if known else f"no class there is {derived}"
    if not hasattr(module, name):
        raise SettingsError(f"no '{name}' in {place} ({listed}){did_you_mean(name, known, place + ':{}')}")
    raise SettingsError(f"{place}:{name} is no {role}; expected a class {derived} ({listed})")


def _is_known(cls: type[Part]) -> bool:
    """Whether it can be used; classes to derive others from can't."""
    return KNOWN.get(kind_of(cls)) is cls


def from_saved(base: type[P], name: str, settings: dict[str, Any], stand_in: bool) -> P:
    """The part that a file or JSON names, which must have been defined here: nothing is ever imported for it.

    With `stand_in`, one that is not at hand is stood in for: its search can be looked at, but not go on.
    """
    if name in KNOWN and issubclass(KNOWN[name], base):
        return KNOWN[name](**settings)  # type: ignore[return-value]
    module, _, part = name.partition(":")
    if not stand_in:
        raise SettingsError(missing(base._role, part, module))
    kinds = {key: bool if isinstance(value, bool) else type(value) for key, value in settings.items()}
    body = {"__module__": module, "__qualname__": part, "__annotations__": kinds, "absent": True}
    body |= settings
    body[base._needed] = staticmethod(lambda *seen: 0.0)
    made: type[P] = type(part.rpartition(".")[2], (base,), body)
    return made(**settings)


def missing(role: str, name: str, module: str) -> str:
    return (
        f"settings: {role} is {name} of the module {module}, which is not at hand; import the module that defines it "
        f"first (a file or a request never does)"
    )
