"""The base class of backups."""

import dataclasses
from typing import Any, ClassVar, dataclass_transform

from playout.common.declare import check_number, flag, number, whole
from playout.parts.checks import check_below, check_flags
from playout.parts.part import Part

__all__ = ["Backup", "number"]


@dataclass_transform(frozen_default=True, field_specifiers=(number, whole, flag, dataclasses.field))
class Backup(Part, abstract=True):
    """How the value of an edge follows from its returns.

    A subclass is one class with a static method that Numba compiles: `update(backup, edge, got)` sets `edge.value` and
    may write `columns`. `got` is the return for the player who chose the edge, and `edge.visits` includes this visit.
    With `below`, the name of a column, `edge.below` is the best of that column among the edges that follow.
    The value of a node is the mean of its edges' values, weighted by visits. Annotated fields are settings, numbers
    only. docs/policies.md lists the fields of `edge`.
    """

    graph: ClassVar[bool] = False  # whether it can be used with transpositions, where several edges lead to one node
    plain_mean: ClassVar[bool] = False  # `update` computes the mean, so the search may do it by itself
    least: ClassVar[float | None] = None  # the lowest return it accepts; None: any
    below: ClassVar[str] = ""  # the column whose best among the child's edges `update` sees; empty: none

    _role: ClassVar[str] = "backup"
    _needed: ClassVar[str] = "update"
    _signatures: ClassVar[dict[str, str]] = {"update": "update(backup, edge, got)"}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if "update" in vars(cls):  # these describe `update`, so a new one does not inherit them
            cls.graph, cls.plain_mean = vars(cls).get("graph", False), vars(cls).get("plain_mean", False)
            cls.below = vars(cls).get("below", "")
        check_flags(cls, ("graph", "plain_mean"))
        if cls.least is not None:
            check_number(f"{cls.__name__}.least", cls.least)
        super().__init_subclass__(abstract)
        check_below(cls)

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        columns = cls.columns.names or ()
        return {"plain_mean": cls.plain_mean, "below": columns.index(cls.below) if cls.below else -1}
