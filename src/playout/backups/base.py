"""What a backup is: a class whose fields are its settings, with a function that gives an edge its value."""

import dataclasses
from typing import Any, ClassVar, dataclass_transform

from playout.common.declare import check_number, flag, number, whole
from playout.parts.checks import check_flags
from playout.parts.part import Part

__all__ = ["Backup", "number"]


@dataclass_transform(frozen_default=True, field_specifiers=(number, whole, flag, dataclasses.field))
class Backup(Part, abstract=True):
    """What an edge is worth, by the returns that came over it.

    A subclass has `update(backup, edge, got)`, which sets `edge.value` and may write its `columns`: `got` is the return
    for the player who chose the edge, and `edge.visits` counts this visit. A node is worth the mean of its edges by
    visits. Its fields are settings, numbers only. docs/policies.md says what `edge` has.
    """

    graph: ClassVar[bool] = False  # it may be used where several edges lead to one node
    plain_mean: ClassVar[bool] = False  # `update` is that of `Mean`, so the search may keep the sums by itself
    least: ClassVar[float | None] = None  # the least return it can take; None: any

    _role: ClassVar[str] = "backup"
    _needed: ClassVar[str] = "update"
    _signatures: ClassVar[dict[str, str]] = {"update": "update(backup, edge, got)"}

    def __init_subclass__(cls, abstract: bool = False) -> None:
        if "update" in vars(cls):  # what another `update` promised is not inherited
            cls.graph, cls.plain_mean = vars(cls).get("graph", False), vars(cls).get("plain_mean", False)
        check_flags(cls, ("graph", "plain_mean"))
        if cls.least is not None:
            check_number(f"{cls.__name__}.least", cls.least)
        super().__init_subclass__(abstract)

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        return {"plain_mean": cls.plain_mean}
