"""What a policy is: a class whose fields are its settings, and functions that say what an edge scores."""

import dataclasses
from typing import Any, ClassVar, dataclass_transform

from playout.common.declare import Text, check_number, flag, number, setting, whole
from playout.errors import SettingsError
from playout.parts.checks import check_flags
from playout.parts.part import Part

__all__ = ["EXPLORES", "Parent", "Policy", "number"]

EXPLORES = Text("how much the policy explores", "策略探索的强度")  # `c`, in every policy that has it


@setting
class Parent:
    """An unvisited edge is worth its node's own value less a reduction, times the root of the share of the priors that
    was visited if it goes `by_seen`."""

    reduction: float = number(
        default=0.0, meaning=Text("what is subtracted from the parent's value", "从父节点价值中减去的量")
    )
    by_seen: bool = flag(
        default=False,
        meaning=Text(
            "scale the reduction by the square root of the visited share of the priors",
            "减去的量随已访问先验占比的平方根增长",
        ),
    )


@dataclass_transform(frozen_default=True, field_specifiers=(number, whole, flag, dataclasses.field))
class Policy(Part, abstract=True):
    """How a walk chooses among the children of a node: the highest score is taken, ties at random.

    A subclass has `score(policy, node, edge, shared, rng)` and may have `prepare(policy, node, rng)`, whose result is
    handed to each of a node's scores as `shared`, `update(policy, edge, got)`, which may write its `columns` when a
    return is backed up, and `terms(policy, node, edge, shared)` with `term_names`, what a score is made of. Its fields
    are settings, numbers only. docs/policies.md says what `node` and `edge` have.
    """

    scores_unvisited: ClassVar[bool] = False  # unvisited edges are asked, too
    by_prior: ClassVar[bool] = False  # a higher prior never scores lower there: only the first of them is asked
    needs_range: ClassVar[bool] = False  # values must have a known range, or be normalised
    needs_spread: ClassVar[bool] = True  # it may look at `node.spread`, which costs a look at each child
    unvisited: ClassVar[Any] = "infinity"  # what the setting `unvisited` is where it is not given
    term_names: ClassVar[tuple[str, ...]] = ("value", "exploration")  # without `terms`: the value, and all the rest

    _role: ClassVar[str] = "policy"
    _needed: ClassVar[str] = "score"
    _signatures: ClassVar[dict[str, str]] = {
        "score": "score(policy, node, edge, shared, rng)",
        "prepare": "prepare(policy, node, rng)",
        "update": "update(policy, edge, got)",
        "terms": "terms(policy, node, edge, shared)",
    }

    def __init_subclass__(cls, abstract: bool = False) -> None:
        check_flags(cls, ("scores_unvisited", "by_prior", "needs_range"))
        unvisited = cls.unvisited
        if isinstance(unvisited, str | None) and unvisited != "infinity":
            raise SettingsError(
                f"{cls.__name__}.unvisited is {unvisited!r}, expected 'infinity', a number, or Parent(reduction)"
            )
        if not isinstance(unvisited, Parent | str):
            check_number(f"{cls.__name__}.unvisited", unvisited)
        names: Any = cls.term_names
        if not isinstance(names, tuple) or not names or not all(isinstance(name, str) for name in names):
            raise SettingsError(
                f"{cls.__name__}.term_names is {names!r:.80}, expected a tuple of names, one for each of its terms"
            )
        if not hasattr(cls, "terms") and len(names) != len(Policy.term_names):
            raise SettingsError(
                f"{cls.__name__}.term_names has {len(names)} names and there is no `{cls._signatures['terms']}`; "
                f"define it, or name two: the value, and all the rest"
            )
        if cls.by_prior and not cls.scores_unvisited:
            raise SettingsError(
                f"{cls.__name__} has by_prior without scores_unvisited: it is about the scores of unvisited edges; set "
                f"scores_unvisited = True as well, or leave it out"
            )
        super().__init_subclass__(abstract)

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        asks_first = cls.by_prior or not cls.scores_unvisited
        return {"scores_unvisited": cls.scores_unvisited, "asks_first": asks_first, "terms": len(cls.term_names)}
