"""What a policy is: a class whose fields are its settings, and functions that say what an edge scores."""

import dataclasses
from functools import cached_property
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from playout.core.parts import PolicyPart
from playout.declare import number, setting
from playout.errors import SettingsError

__all__ = ["Parent", "Policy", "number"]


@setting
class Parent:
    """An unvisited edge is worth its node's own value less a reduction, times the root of the share of the priors that
    was visited if it goes `by_seen`."""

    reduction: float = 0.0
    by_seen: bool = False


KNOWN: dict[str, type["Policy"]] = {}  # every policy that was defined here, by the name that files keep


def kind_of(cls: type["Policy"]) -> str:
    """How files and JSON name a policy: a built-in one by its name alone, others with the module that has them."""
    own = cls.__module__.startswith(f"{__package__}.")
    return cls.__name__ if own else f"{cls.__module__}:{cls.__qualname__}"


@dataclass_transform(frozen_default=True, field_specifiers=(number, dataclasses.field))
class Policy:
    """How a walk chooses among the children of a node: the highest score is taken, ties at random.

    A subclass has `score(policy, node, edge, shared, rng)` and may have `prepare(policy, node, rng)`, whose result is
    handed to each of a node's scores as `shared`. Its fields are settings, numbers only. DESIGN's table says what
    `node` and `edge` have.
    """

    scores_unvisited: ClassVar[bool] = False  # unvisited edges are asked, too
    by_prior: ClassVar[bool] = False  # a higher prior never scores lower there: only the first of them is asked
    needs_range: ClassVar[bool] = False  # values must have a known range, or be normalised
    unvisited: ClassVar[Any] = "infinity"  # what the setting `unvisited` is where it is not given
    _part: ClassVar[PolicyPart]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        setting(cls)
        cls._part = _part_of(cls)
        KNOWN[kind_of(cls)] = cls  # a notebook's cell that is run again takes the place of the one before

    def replace(self, **changes: Any) -> Any:
        """The same policy with other settings."""
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]  # every subclass is a dataclass

    @cached_property
    def record(self) -> Any:
        """The fields as the compiled functions see them, in bytes."""
        buffer = np.zeros(1, self._part.record)
        for f in dataclasses.fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            buffer[f.name] = getattr(self, f.name)
        return buffer.view(np.uint8)


def _part_of(cls: type[Policy]) -> PolicyPart:
    kinds = {float: np.float64, int: np.int64, bool: np.int64}
    kinds |= {kind.__name__: found for kind, found in kinds.items()}  # type: ignore[misc]  # annotations as texts
    fields: Any = dataclasses.fields(cls)  # type: ignore[arg-type]
    for f in fields:
        if f.type not in kinds:
            raise SettingsError(f"{cls.__name__}.{f.name}: the type is {f.type!r}, expected float, int or bool")
    record = np.dtype([(f.name, kinds[f.type]) for f in fields] or [("none", np.int64)])
    functions = {name: getattr(cls, name) for name in ("prepare", "score") if hasattr(cls, name)}
    if "score" not in functions:
        raise SettingsError(
            f"{cls.__name__} has no `score(policy, node, edge, shared, rng)`; a policy needs one, as a @staticmethod"
        )
    for name in ("update", "columns", "terms"):
        if hasattr(cls, name):
            raise SettingsError(f"{cls.__name__} has `{name}`, which the search can't use yet; leave it out")
    if cls.scores_unvisited and not cls.by_prior:
        raise SettingsError(
            f"{cls.__name__} has scores_unvisited without by_prior, which the search can't use yet; set by_prior = "
            f"True if a higher prior never scores lower, or leave scores_unvisited off"
        )
    return PolicyPart(cls.__qualname__, functions, record, cls.scores_unvisited)
