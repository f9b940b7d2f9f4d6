"""What a search is told: frozen dataclasses outside, one tuple of numbers inside, and the presets.

Every field can be written as JSON and read back (`to_dict`, `from_dict`), so that files, the command line and programs
name things alike.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, TypeVar

from .core import params as core
from .core.params import Params
from .core.tree import NO_GRAPH, SCALARS, VECTORS
from .errors import SettingsError
from .game import Game

T = TypeVar("T")


@dataclass(frozen=True)
class UCT:
    """The best of value + c sqrt(ln N / n)."""

    c: float = 1.4


@dataclass(frozen=True)
class UCB1Tuned:
    """UCT with the variance that was seen in place of the constant: value + c sqrt(ln N / n min(1/4, V))."""

    c: float = 1.0


@dataclass(frozen=True)
class PUCT:
    """The best of value + c prior sqrt(N) / (1 + n); c grows by `growth` ln((N + base + 1) / base)."""

    c: float = 1.25
    growth: float = 0.0
    base: float = 19652.0


@dataclass(frozen=True)
class Parent:
    """An unvisited edge is worth its node's own value less a reduction."""

    reduction: float = 0.0


@dataclass(frozen=True)
class All:
    """All children of a node may be visited from the start."""


@dataclass(frozen=True)
class OneAtATime:
    """Each visit to a node adds one child, in random order (or by prior), until all are there."""


@dataclass(frozen=True)
class Widening:
    """min(cap, initial + k N^alpha) children of a node visited N times, in order of prior."""

    initial: float = 1.0
    k: float = 1.0
    alpha: float = 0.5
    cap: float | None = None


@dataclass(frozen=True)
class Rollouts:
    """`n` games from the leaf to the end, or for `depth` actions, at random or guided by the game's own policy."""

    n: int = 1
    depth: int | None = None
    guided: bool = False


@dataclass(frozen=True)
class Static:
    """The game's own `evaluate`."""


@dataclass(frozen=True)
class Mixed:
    """`weight` times a rollout plus the rest times the static value."""

    weight: float = 0.5
    rollouts: Rollouts = field(default_factory=Rollouts)


@dataclass(frozen=True)
class Noise:
    """Dirichlet noise on the priors of the root: (1 - fraction) prior + fraction Dirichlet(alpha)."""

    fraction: float = 0.25
    alpha: float = 0.3


ANSWERS = {"visits": core.BY_VISITS, "value": core.BY_VALUE, "bound": core.BY_BOUND, "proof": core.BY_PROOF}
_KINDS: dict[str, type[Any]] = {
    k.__name__: k for k in (UCT, UCB1Tuned, PUCT, Parent, All, OneAtATime, Widening, Rollouts, Static, Mixed, Noise)
}


@dataclass(frozen=True)
class Settings:
    """How to search. What is None follows from the policy or the game."""

    policy: UCT | UCB1Tuned | PUCT = field(default_factory=UCT)
    evaluator: Rollouts | Static | Mixed = field(default_factory=Rollouts)
    expansion: All | OneAtATime | Widening = field(default_factory=All)
    unvisited: float | str | Parent | None = None  # "infinity", a number, or Parent(reduction)
    answer: str = "visits"  # or "value", "bound" (lower confidence bound), "proof"
    solver: bool = True  # prove positions exactly where finished games allow it
    discount: float = 1.0  # what a reward one step later is worth
    normalise: bool | None = None  # scale values by the least and greatest seen; None: when the game's range is unknown
    noise: Noise | None = None
    temperature: float = 0.0  # for choosing an action with variety: 0 is always the best one
    confidence: float = 0.95  # of the intervals, and of the lower confidence bound
    ties: str = "random"  # or "first": equal scores are broken by order
    evaluate_root: bool = False  # the first simulation evaluates the root itself
    early_stop: bool = False  # stop when the most visited action can't be overtaken any more
    outcomes: Widening | None = None  # let in min(cap, initial + k N^alpha) different outcomes of chance; None: all
    open_loop: bool = False  # one node for the actions played, whatever chance did; chance is drawn anew on each walk
    transpositions: bool | str = False  # one node for each position, however it is reached; "check" compares positions

    def __post_init__(self) -> None:
        _check(self)

    def to_dict(self) -> dict[str, Any]:
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Settings":
        known = {f.name for f in dataclasses.fields(cls)}
        for key in data:
            if key not in known:
                raise SettingsError(f"settings: '{key}' is no setting (there are: {', '.join(sorted(known))})")
        return cls(**{key: _rebuilt(key, value) for key, value in data.items()})

    def replace(self, **changes: Any) -> "Settings":
        return dataclasses.replace(self, **changes)

    def params(self, game: Game) -> Params:
        """The numbers that the kernels see, for one game."""
        return _params(self, game)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return {"kind": type(value).__name__, **fields}
    return value


def _rebuilt(key: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    kind = _KINDS.get(str(value.get("kind")))
    if kind is None:
        raise SettingsError(f"settings: '{key}' is {value!r}, expected a 'kind' out of {', '.join(_KINDS)}")
    known = {f.name for f in dataclasses.fields(kind)}
    given = {k: _rebuilt(k, v) for k, v in value.items() if k != "kind"}
    for k in given:
        if k not in known:
            raise SettingsError(
                f"settings: {kind.__name__} has no '{k}' (it has: {', '.join(sorted(known)) or 'nothing'})"
            )
    return kind(**given)


def _number(name: str, value: Any, least: float = -math.inf, most: float = math.inf, above: bool = False) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not least <= value <= most or (above and value == least):
        limits = f"{'more than' if above else 'at least'} {least:g}" if math.isfinite(least) else ""
        limits += (" and " if limits else "") + f"at most {most:g}" if math.isfinite(most) else ""
        raise SettingsError(f"settings: {name} is {value!r}, expected a number{' of ' + limits if limits else ''}")


def _kind(name: str, value: Any, *kinds: type[Any]) -> None:
    if not isinstance(value, kinds):
        raise SettingsError(f"settings: {name} is {value!r}, expected {' or '.join(k.__name__ for k in kinds)}")


def _check(s: Settings) -> None:
    """Refuse values that no search can have, each by name."""
    _kind("policy", s.policy, UCT, UCB1Tuned, PUCT)
    _kind("evaluator", s.evaluator, Rollouts, Static, Mixed)
    _kind("expansion", s.expansion, All, OneAtATime, Widening)
    _number("policy.c", s.policy.c, 0.0)
    if isinstance(s.policy, PUCT):
        _number("policy.growth", s.policy.growth, 0.0)
        _number("policy.base", s.policy.base, 0.0, above=True)
    rollouts = s.evaluator.rollouts if isinstance(s.evaluator, Mixed) else s.evaluator
    if isinstance(s.evaluator, Mixed):
        _number("evaluator.weight", s.evaluator.weight, 0.0, 1.0)
        _kind("evaluator.rollouts", rollouts, Rollouts)
    if isinstance(rollouts, Rollouts):
        for name, value in (("n", rollouts.n), ("depth", rollouts.depth)):
            if value is not None and (
                not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1_000_000
            ):
                raise SettingsError(f"settings: evaluator.{name} is {value!r}, expected a whole number of at least 1")
    _check_widening("expansion", s.expansion)
    if s.outcomes is not None:
        _kind("outcomes", s.outcomes, Widening)
        _check_widening("outcomes", s.outcomes)
    if s.open_loop and s.transpositions:
        raise SettingsError(
            "settings: open_loop and transpositions are both on, but the nodes of an open loop are no positions; "
            "leave one of them off"
        )
    if isinstance(s.unvisited, Parent):
        _number("unvisited.reduction", s.unvisited.reduction)
    elif isinstance(s.unvisited, str):
        if s.unvisited != "infinity":
            raise SettingsError(
                f"settings: unvisited is {s.unvisited!r}, expected 'infinity', a number, or Parent(reduction)"
            )
    elif s.unvisited is not None:
        _number("unvisited", s.unvisited)
    if s.answer not in ANSWERS:
        raise SettingsError(f"settings: answer is {s.answer!r}, expected one of {', '.join(ANSWERS)}")
    if s.ties not in ("random", "first"):
        raise SettingsError(f"settings: ties is {s.ties!r}, expected 'random' or 'first'")
    _number("discount", s.discount, 0.0, 1.0, above=True)
    _number("temperature", s.temperature, 0.0)
    _number("confidence", s.confidence, 0.0, 0.999999, above=True)
    for name in ("solver", "evaluate_root", "early_stop", "open_loop"):
        if not isinstance(getattr(s, name), bool):
            raise SettingsError(f"settings: {name} is {getattr(s, name)!r}, expected True or False")
    if s.transpositions not in (True, False, "check") or not isinstance(s.transpositions, bool | str):
        raise SettingsError(f"settings: transpositions is {s.transpositions!r}, expected True, False or 'check'")
    if s.noise is not None:
        _kind("noise", s.noise, Noise)
        _number("noise.fraction", s.noise.fraction, 0.0, 1.0)
        _number("noise.alpha", s.noise.alpha, 0.0, above=True)


def _check_widening(name: str, widening: Any) -> None:
    if isinstance(widening, Widening):
        _number(f"{name}.initial", widening.initial, 0.0)
        _number(f"{name}.k", widening.k, 0.0)
        _number(f"{name}.alpha", widening.alpha, 0.0, 1.0)
        if widening.cap is not None:
            _number(f"{name}.cap", widening.cap, 1.0)


def _params(s: Settings, game: Game) -> Params:
    """Turn settings into numbers, and refuse those that the game has no part for."""
    evaluator = s.evaluator
    rollouts = evaluator.rollouts if isinstance(evaluator, Mixed) else evaluator
    if not isinstance(evaluator, Rollouts) and not game.has("evaluate"):
        raise SettingsError(f"{game.title} has no static value: define `evaluate(state, values)`, or use Rollouts()")
    if isinstance(rollouts, Rollouts) and rollouts.guided and not (game.has("playout_action") or game.has("priors")):
        raise SettingsError(f"{game.title} has nothing to guide playouts: define `playout_action` or `priors`")
    unvisited = s.unvisited
    if unvisited is None:
        unvisited = Parent() if isinstance(s.policy, PUCT) else "infinity"
    limits = game.range
    widening = s.expansion if isinstance(s.expansion, Widening) else Widening()
    policy, outcomes = s.policy, s.outcomes or Widening()
    if s.open_loop and game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects, whose actions are numbered in each position for itself, so that "
            f"an open loop can't tell which is which; write it as a po.Game, or leave open_loop off"
        )
    # When one player gets the most there is, the others' share follows: there is no other, or all must have the least.
    sums = game.sums_to
    decides = limits is not None and (
        game.players == 1 or (sums is not None and abs(limits[1] + (game.players - 1) * limits[0] - sums) < 1e-9)
    )
    if isinstance(unvisited, Parent):
        kind, amount = core.PARENT, unvisited.reduction
    elif isinstance(unvisited, str):
        kind, amount = core.INFINITE, 0.0
    else:
        kind, amount = core.FIXED, unvisited
    normalise = limits is None if s.normalise is None else s.normalise
    if isinstance(policy, UCB1Tuned) and limits is None and not normalise:
        raise SettingsError(
            f"UCB1Tuned needs to know how wide values spread: give {game.title} a value_range, or leave normalise on"
        )
    # With one player, or two whose returns sum to a constant, one number tells what a node is worth to everybody.
    one_number = game.players == 1 or (game.players == 2 and decides and s.discount == 1.0)
    graph = NO_GRAPH if not s.transpositions else SCALARS if one_number else VECTORS
    expansion = {All: core.ALL, OneAtATime: core.ONE, Widening: core.WIDENING}[type(s.expansion)]
    return Params(
        players=game.players,
        max_actions=game.max_actions,
        policy={UCT: core.UCT, UCB1Tuned: core.UCB1_TUNED, PUCT: core.PUCT}[type(policy)],
        c=float(policy.c),
        c_growth=float(policy.growth) if isinstance(policy, PUCT) else 0.0,
        c_base=float(policy.base) if isinstance(policy, PUCT) else 1.0,
        unvisited=kind,
        unvisited_value=float(amount),
        expansion=expansion,
        widening_initial=float(widening.initial),
        widening_k=float(widening.k),
        widening_alpha=float(widening.alpha),
        widening_cap=float(widening.cap) if widening.cap is not None else 1e9,
        evaluator={Rollouts: core.ROLLOUTS, Static: core.STATIC, Mixed: core.MIXED}[type(evaluator)],
        rollouts=rollouts.n if isinstance(rollouts, Rollouts) else 0,
        depth=(rollouts.depth or 0) if isinstance(rollouts, Rollouts) else 0,
        mix=float(evaluator.weight) if isinstance(evaluator, Mixed) else 0.0,
        discount=float(s.discount),
        solver=int(s.solver and not s.open_loop),
        lowest=float(limits[0]) if limits else -math.inf,
        highest=float(limits[1]) if limits else math.inf,
        win_decides=int(decides and s.discount == 1.0) if game.players > 1 else int(decides),
        normalise=int(normalise),
        random_ties=int(s.ties == "random"),
        has_chance=int(game.has("chance_outcomes")),
        has_priors=int(uses_priors(s) and game.has("priors")),
        by_prior=int(uses_priors(s)),
        evaluate_root=int(s.evaluate_root),
        keep_states=int(game.keep_states and not s.open_loop),
        answer=ANSWERS[s.answer],
        z=NormalDist().inv_cdf(0.5 + s.confidence / 2),
        early_stop=int(s.early_stop),
        few_outcomes=int(s.outcomes is not None),
        outcomes_initial=float(outcomes.initial),
        outcomes_k=float(outcomes.k),
        outcomes_alpha=float(outcomes.alpha),
        outcomes_cap=float(outcomes.cap) if outcomes.cap is not None else 1e9,
        open_loop=int(s.open_loop),
        graph=graph,
        has_hash=int(bool(s.transpositions) and game.has("hash")),
        check_keys=int(s.transpositions == "check"),
    )


def uses_priors(settings: Settings) -> bool:
    """Whether the order or the score of edges depends on priors."""
    return isinstance(settings.policy, PUCT) or not isinstance(settings.expansion, All)


@dataclass(frozen=True)
class Preset:
    description: str
    make: Callable[[], Settings]


PRESETS: dict[str, Preset] = {
    "default": Preset("UCT with proofs: all children, random playouts, the most visited action", Settings),
    "textbook": Preset(
        "UCT as in textbooks: all children, random playouts, no proofs, the action of highest mean",
        lambda: Settings(policy=UCT(math.sqrt(2)), answer="value", solver=False),
    ),
    "minimal": Preset(
        "the well-known dictionary implementation: exploration weight 1, the root played out first, highest mean",
        lambda: Settings(policy=UCT(1.0), answer="value", solver=False, evaluate_root=True),
    ),
    "guided": Preset(
        "what the game itself knows: PUCT with its priors, playouts by its own policy, proofs",
        lambda: Settings(policy=PUCT(1.5), evaluator=Rollouts(guided=True)),
    ),
    "stepwise": Preset(
        "one child at a time, c = 1.414, random playouts, the most visited action",
        lambda: Settings(policy=UCT(1.414), expansion=OneAtATime(), solver=False),
    ),
    "uct-chess": Preset(
        "the textbook recipe for chess: UCT, unvisited moves first and at random, playouts to the end, no proofs",
        lambda: Settings(policy=UCT(math.sqrt(2)), unvisited="infinity", solver=False),
    ),
    "chess": Preset(
        "strong chess without a network: PUCT, priors from move features, static values settled by captures, proofs",
        lambda: Settings(policy=PUCT(2.5), evaluator=Static(), unvisited=Parent()),
    ),
    "flat": Preset(
        "flat Monte Carlo: every action as often as the others, random playouts, the action of highest mean",
        lambda: Settings(policy=UCT(1e9), answer="value", solver=False),
    ),
    # Chance's draws count as actions, too: 100 of them are 50 drops.
    "suika": Preset(
        "Suika: PUCT, priors, widening by priors, playouts of 50 drops by the heuristic, transpositions, most visited",
        lambda: Settings(
            policy=PUCT(0.2),
            evaluator=Rollouts(depth=100, guided=True),
            expansion=Widening(initial=2.0, k=1.0, alpha=0.5, cap=10.0),
            transpositions=True,
            solver=False,
        ),
    ),
    "game2048": Preset(
        "2048: UCT that explores little, random playouts to the end, the most visited action",
        lambda: Settings(policy=UCT(0.3), solver=False),
    ),
}


def preset(name: str, **changes: Any) -> Settings:
    """The settings of a preset, with changes: `preset("textbook", answer="visits")`."""
    if name not in PRESETS:
        raise SettingsError(f"no preset '{name}' (there are: {', '.join(PRESETS)})")
    return Settings.from_dict({**PRESETS[name].make().to_dict(), **changes})
