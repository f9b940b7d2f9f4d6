"""Policies of a generated search, one file each."""

from typing import Any

from playout.common.arguments import did_you_mean
from playout.errors import SettingsError
from playout.settings import Gumbel, Halving, Widening

from .abmcts import ABMCTS
from .base import Budget, GeneratePolicy, GeneratingNode, Scale
from .halving import GumbelCalls, HalvingCalls
from .spend import Spend
from .widening import Widen

__all__ = [
    "ABMCTS",
    "Budget",
    "GeneratePolicy",
    "GeneratingNode",
    "GumbelCalls",
    "HalvingCalls",
    "Scale",
    "Spend",
    "Widen",
    "policy_from",
]

WORDS: dict[str, type[GeneratePolicy]] = {
    "abmcts": ABMCTS,
    "widening": Widen,
    "halving": HalvingCalls,
    "gumbel": GumbelCalls,
    "spend": Spend,
}


def policy_from(given: Any) -> GeneratePolicy:
    """The policy that a caller names: a word, a `GeneratePolicy`, or the settings `Widening`, `Halving` or `Gumbel` of
    other searches."""
    found = given
    if isinstance(given, str) and given in WORDS:
        found = WORDS[given]()
    elif isinstance(given, Widening):
        found = Widen(given.initial, given.k, given.alpha, given.cap)
    elif isinstance(given, Halving):
        found = HalvingCalls()
    elif isinstance(given, Gumbel):
        found = GumbelCalls(
            given.considered, noise=given.noise, visit_offset=given.visit_offset, value_scale=given.value_scale
        )
    if not isinstance(found, GeneratePolicy):
        hint = did_you_mean(given, WORDS) if isinstance(given, str) else ""
        if isinstance(given, type) and issubclass(given, GeneratePolicy):
            hint = f"; did you mean {given.__name__}()?"
        raise SettingsError(
            f"policy is {given!r:.80}, expected one of {', '.join(WORDS)}, po.Widening(), po.Halving(), po.Gumbel() "
            f"or a po.GeneratePolicy{hint}"
        )
    if type(found) is GeneratePolicy:
        raise SettingsError("po.GeneratePolicy is the base class; write a subclass with `weigh(node, rng)`")
    found.check()
    return found
