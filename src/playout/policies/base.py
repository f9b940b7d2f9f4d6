"""The base class of policies."""

import dataclasses
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from playout.common.declare import Text, check_number, flag, number, setting, whole
from playout.core.columns import NONE
from playout.errors import SettingsError
from playout.parts.checks import check_amaf, check_flags, check_layout
from playout.parts.part import Part

__all__ = ["EXPLORES", "Parent", "Policy", "flag", "number", "whole"]

MOST_LOOKS = 8  # passes over a node's edges
EXPLORES = Text("how much the policy explores", "策略探索的强度")  # `c`, in every policy that has it


@setting
class Parent:
    """The value of an unvisited edge is its parent's value minus `reduction`. With `by_seen`, the reduction is
    multiplied by the square root of the visited share of the priors."""

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
    """How a simulation chooses among the children of a node: it takes the highest score, ties at random.

    A subclass is one class with static methods that Numba compiles. Its annotated fields are settings, numbers only.

    - `score(policy, node, edge, shared, rng)`: the score of one edge; required.
    - `prepare(policy, node, rng)`: called once per node; each `score` gets its result as `shared`.
    - `look(policy, node, edge, shared, turn)`: in its place, called for every edge before any score, in `looks` turns
      from 0 on; it writes the fields of `shared`, an empty record of the dtype `shared`, which each `score` then gets.
    - `update(policy, edge, got)`: called for each edge of the path when a return is backed up; may write `columns`.
    - `terms(policy, node, edge, shared)`: the terms that add up to the score, named by `term_names`.

    With `amaf`, the name of a setting, `edge.amaf_visits` and `edge.amaf_value` tell how the simulations went in which
    the player took the edge's action anywhere below the reference: the closest ancestor with as many visits as that.

    docs/policies.md lists the fields of `node` and `edge`.
    """

    scores_unvisited: ClassVar[bool] = False  # unvisited edges are scored, too
    by_prior: ClassVar[bool] = False  # and a higher prior never scores lower: only the first is
    needs_range: ClassVar[bool] = False  # values must have a known range or be normalised
    needs_spread: ClassVar[bool] = True  # it reads `node.spread`, which takes a pass over the children
    amaf: ClassVar[str] = ""  # the setting that says how many visits an ancestor needs to be the reference; empty: none
    shared: ClassVar[np.dtype[Any]] = NONE  # with `look`: numbers of eight bytes, zero at each node
    looks: ClassVar[int] = 1  # how often `look` sees each edge
    unvisited: ClassVar[Any] = "infinity"  # the default of the setting `unvisited`
    term_names: ClassVar[tuple[str, ...]] = ("value", "exploration")  # without `terms`: the value, and the rest

    _role: ClassVar[str] = "policy"
    _needed: ClassVar[str] = "score"
    _signatures: ClassVar[dict[str, str]] = {
        "score": "score(policy, node, edge, shared, rng)",
        "prepare": "prepare(policy, node, rng)",
        "look": "look(policy, node, edge, shared, turn)",
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
                f"{cls.__name__}.term_names has {len(names)} names, but there is no `{cls._signatures['terms']}`; "
                f"define it, or give two names: the value, and the rest"
            )
        _check_look(cls)
        check_amaf(cls)
        if cls.by_prior and not cls.scores_unvisited:
            raise SettingsError(
                f"{cls.__name__} has by_prior without scores_unvisited, but by_prior is about the scores of unvisited "
                f"edges; set scores_unvisited = True as well, or remove by_prior"
            )
        super().__init_subclass__(abstract)

    @classmethod
    def _facts(cls) -> dict[str, Any]:
        return {
            "scores_unvisited": cls.scores_unvisited,
            "asks_first": cls.by_prior or not cls.scores_unvisited,
            "terms": len(cls.term_names),
            "amaf": bool(cls.amaf),
            "looks": cls.looks if hasattr(cls, "look") else 0,
            "shared": list(cls.shared.descr) if cls.shared.names else [],
        }


def _check_look(cls: type[Policy]) -> None:
    """Check a `look` and its record: both or none, and no `prepare` beside them."""
    looks = hasattr(cls, "look")
    check_layout(cls, "shared", cls.shared, set(), "")
    if looks != bool(cls.shared.names):
        missing = "no `shared`, the record it fills" if looks else f"no `{cls._signatures['look']}`, which fills it"
        raise SettingsError(
            f"{cls.__name__} has {'a look' if looks else 'shared'}, but {missing}; define both, as in "
            f"shared = np.dtype([('most', np.int64)])"
        )
    if looks and hasattr(cls, "prepare"):
        raise SettingsError(
            f"{cls.__name__} has both prepare and look, and each says what `shared` is; keep one of them"
        )
    if isinstance(cls.looks, bool) or not isinstance(cls.looks, int) or not 1 <= cls.looks <= MOST_LOOKS:
        raise SettingsError(
            f"{cls.__name__}.looks is {cls.looks!r:.80}, expected a whole number from 1 to {MOST_LOOKS}"
        )
    if any(cls.shared[name].shape for name in cls.shared.names or ()):
        raise SettingsError(f"{cls.__name__}.shared has a field that is an array; expected single numbers")
