"""The base of policies and backups: a class whose fields are its settings, with functions that are compiled."""

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from playout.common import plugins, sources
from playout.common.arguments import did_you_mean
from playout.common.declare import setting
from playout.common.raised import described
from playout.core.columns import NONE, WDL
from playout.core.jit import COMPILED
from playout.core.parts import PartCode as Code
from playout.core.tree import PartData, Tree
from playout.errors import PlayoutError, SettingsError

from .checks import check_columns, check_functions, check_layout, check_settings, settings_of
from .faults import checked

if TYPE_CHECKING:
    from playout.game import Game

KNOWN: dict[str, type["Part"]] = {}  # every part defined in this process, by its name in files
P = TypeVar("P", bound="Part")
_GROUPS = {"policy": plugins.POLICIES, "backup": plugins.BACKUPS}  # of entry points, by role


def kind_of(cls: type["Part"]) -> str:
    """The name of a part in files and JSON: the class name if it is built in, otherwise with its module."""
    own = cls.__module__.startswith("playout.")
    return cls.__name__ if own else f"{cls.__module__}:{cls.__qualname__}"


def is_own(kind: str) -> bool:
    """Whether a kind names a user's part."""
    return ":" in kind


class Part:
    """What policies and backups share."""

    columns: ClassVar[np.dtype[Any]] = NONE  # numbers of eight bytes that it stores with each edge; zero at first
    tables: ClassVar[Any] = NONE  # what it stores with the tree: a dtype, or a function of the game that gives one

    threads: ClassVar[bool] = True  # False: its functions must not run in several threads at once

    absent: ClassVar[bool] = False  # True for a stand-in for a part that a file names and that is not defined here

    _role: ClassVar[str]  # "policy" or "backup"
    _signatures: ClassVar[dict[str, str]]  # its functions, with their arguments
    _needed: ClassVar[str]  # the required one
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
            KNOWN[kind_of(cls)] = cls  # a notebook cell that runs again replaces the class

    def __init__(self, *given: Any, **named: Any) -> None:
        cls = type(self)
        raise SettingsError(
            f"po.{cls.__name__} is the base class of every {cls._role}; write a subclass with "
            f"`{cls._signatures[cls._needed]}`, or use a built-in one"
        )

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        """Class attributes that the compiled code depends on."""
        return {}

    def replace(self: P, **changes: Any) -> P:
        """A copy with other settings."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]  # every subclass is a dataclass

    def code(self, game: "Game") -> Code:
        """Its functions, to be compiled for a game; the same for all games with the same tables."""
        cls, tables = type(self), self._tables_of(game)
        key = repr(tables)
        if key not in cls._codes:
            functions = {name: getattr(cls, name) for name in cls._signatures if hasattr(cls, name)}
            if not COMPILED:
                functions = {name: checked(cls, name, function) for name, function in functions.items()}
            record = np.dtype([*settings_of(cls), *_fields_of(tables)] or [("none", np.int64)])
            cls._codes[key] = Code(cls.__qualname__, functions, record, cls.columns, **cls._facts())
        return cls._codes[key]

    def kept(self, game: "Game", counts: bool = False) -> PartData:
        """What a new tree stores for it: its settings with empty tables, and the number of its columns; with `counts`,
        those of wins, draws and losses come after its own."""
        code = self.code(game)
        buffer = np.zeros(1, code.record)
        for f in dataclasses.fields(self):  # type: ignore[arg-type]
            buffer[f.name] = getattr(self, f.name)
        return PartData(buffer.view(np.uint8), len(code.columns.names or ()) + (len(WDL) if counts else 0))

    def _tables_of(self, game: "Game") -> np.dtype[Any]:
        cls = type(self)
        try:
            tables = cls.tables(game) if callable(cls.tables) else cls.tables
        except Exception as error:
            if isinstance(error, PlayoutError):
                raise
            raise SettingsError(
                f"{cls.__name__}.tables raised {described(error)} for {game.title}; expected a function of the game "
                f"that returns a dtype"
            ) from error
        check_layout(cls, "tables", tables, {f.name for f in dataclasses.fields(cls)}, "a setting")  # type: ignore[arg-type]
        return tables  # type: ignore[no-any-return]


class Column(NamedTuple):
    """A number that a part stores with each edge: its name, and the array of all edges."""

    name: str
    of_edges: Any


def columns_of(parts: Iterable[Part], tree: Tree, counts: bool) -> list[Column]:
    """The columns of a search's parts in a tree, and with `counts` those of wins, draws and losses."""
    found = [
        Column(name, getattr(tree, f"{part._role}_columns")[:, i].view(part.columns[name]))
        for part in parts
        for i, name in enumerate(part.columns.names or ())
    ]
    return [*found, *map(Column, WDL, tree.backup_columns[:, -len(WDL) :].T)] if counts else found


def counts_of(tree: Tree, first: int, edges: int = 1) -> tuple[int, int, int]:
    """The wins, draws and losses of some edges together, in a tree that counts them."""
    wins, draws, losses = tree.backup_columns[first : first + edges, -len(WDL) :].sum(axis=0).tolist()
    return wins, draws, losses


def _fields_of(layout: np.dtype[Any]) -> list[tuple[Any, ...]]:
    return [(name, layout[name].base, layout[name].shape) for name in layout.names or ()]


def installed_parts(role: str) -> list[str]:
    """The words of policies or backups that installed packages offer by entry points."""
    return list(plugins.installed(_GROUPS[role]))


def offered(base: type[P]) -> dict[str, type[P] | str]:
    """The policies or backups of installed packages by word; in one line why one can't be used."""
    found: dict[str, type[P] | str] = {}
    for word in installed_parts(base._role):
        try:
            found[word] = load_part(base, word)
        except SettingsError as error:
            package = plugins.packages_of(_GROUPS[base._role], word)
            found[word] = f"{base._role} '{word}' of {package} can't be used: {error}"
    return found


def load_part(base: type[P], spec: str) -> type[P]:
    """The class that `file.py:Class`, `module:Class` or the word of an installed package names; a `SettingsError` says
    what is wrong."""
    if hasattr(base, "_role") and spec.lower() in plugins.installed(_GROUPS[base._role]):
        spec = plugins.spec_of(_GROUPS[base._role], spec, SettingsError)
    if spec in KNOWN and issubclass(KNOWN[spec], base):
        return KNOWN[spec]  # type: ignore[return-value]
    role = getattr(base, "_role", "policy or backup")
    derived = "derived from " + " or ".join(f"po.{word.capitalize()}" for word in role.split(" or "))
    place, name = sources.split(spec) or (spec, "")
    if not place or not name:
        raise SettingsError(f"{role} is '{spec}', which does not name a class; write {place or 'file.py'}:Class")
    module, _ = sources.load(place, name, spec, SettingsError)
    known = {n: v for n, v in vars(module).items() if isinstance(v, type) and issubclass(v, base) and _is_known(v)}
    if name in known:
        return known[name]
    listed = f"there: {', '.join(known)}" if known else f"no class there is {derived}"
    if not hasattr(module, name):
        raise SettingsError(f"no '{name}' in {place} ({listed}){did_you_mean(name, known, place + ':{}')}")
    raise SettingsError(f"{place}:{name} is not a {role}; expected a class {derived} ({listed})")


def _is_known(cls: type[Part]) -> bool:
    """Whether it can be used; base classes can't."""
    return KNOWN.get(kind_of(cls)) is cls


def from_saved(base: type[P], name: str, settings: dict[str, Any], stand_in: bool) -> P:
    """The part that a file or JSON names. It must be defined already: reading a file never imports code.

    With `stand_in`, an undefined part gets a stand-in: its search can be inspected, but not continued.
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
    """Message for a part that is not defined here."""
    return (
        f"settings: {role} is {name} of the module {module}, which is not defined here; import that module first "
        f"(files and requests never import code)"
    )
