"""What a search is told: frozen dataclasses outside, one tuple of numbers inside, and the presets.

Every field can be written as JSON and read back (`to_dict`, `from_dict`), so that files, the command line and programs
name things alike.
"""

import dataclasses
import math
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, TypeVar

from playout.backups import Backup, Best, Mean, PowerMean
from playout.common.arguments import did_you_mean, refuses_unknown_names
from playout.common.declare import check_number, check_numbers, setting
from playout.core import params as core
from playout.core.params import Params
from playout.core.tree import NO_GRAPH, SCALARS, VECTORS
from playout.errors import GameError, SettingsError
from playout.game import Game
from playout.parts.part import Part, from_saved, kind_of
from playout.policies import PUCT, UCT, Parent, Policy, UCB1Tuned

T = TypeVar("T")

ANSWER_SLACK = 1e-3  # by which share of the range an evaluator's value may leave it: networks compute roughly

FINITE = sys.float_info.max
SLACK = 1e-6  # by which share a return may leave the range: rewards that are added up are rounded


@setting
class All:
    """All children of a node may be visited from the start. A position becomes a node at its second visit; with
    `first_visit` at its first, and the simulation goes on to one of its children."""

    first_visit: bool = False


@setting
class OneAtATime:
    """Each visit to a node adds one child, in random order (by prior with `priors`), until all are there."""


@setting
class Widening:
    """min(cap, initial + k N^alpha) children of a node visited N times, in order of prior."""

    initial: float = 1.0
    k: float = 1.0
    alpha: float = 0.5
    cap: float | None = None


@setting
class Rollouts:
    """`n` games from the leaf to the end, or for `depth` actions, at random or guided by the game's own policy."""

    n: int = 1
    depth: int | None = None
    guided: bool = False


@setting
class Static:
    """The game's own `evaluate`."""


@setting
class Mixed:
    """`weight` times a rollout plus the rest times the static value."""

    weight: float = 0.5
    rollouts: Rollouts = field(default_factory=Rollouts)


@setting
class Network:
    """A policy and value network from a file: ONNX, or Leela's format (.pb.gz)."""

    file: str = ""  # empty: the network that comes with the game
    batch: int | None = None  # leaves evaluated at once; None: as many as the network is fastest with
    virtual_loss: float = 1.0  # 1: a leaf under evaluation counts as a loss, 0: as what its edge is worth so far
    temperature: float = 1.0  # of the policy: above 1 it is flatter
    cache: int = 1 << 16  # positions whose answers are remembered
    threads: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.file, os.PathLike):
            object.__setattr__(self, "file", os.fspath(self.file))


@setting
class Outside:
    """Values from outside the search: from a function of a batch of observations, from a coroutine, or by `ask` and
    `tell`. A function as the evaluator of `Settings` is made one of these."""

    function: Callable[..., Any] | str | None = None  # a text: its name, where the function itself is not at hand
    batch: int | None = None  # leaves evaluated at once; None: 16, or as many as a network is fastest with
    virtual_loss: float = 1.0
    temperature: float = 1.0
    cache: int = 1 << 16
    timeout: float | None = None  # seconds after which an answer is no longer waited for


@setting
class Falling:
    """Temperature by move number: `first` for so many moves of the game, then `then`."""

    first: float = 1.0
    moves: int = 30
    then: float = 0.0


@setting
class Noise:
    """Dirichlet noise on the priors of the root: (1 - fraction) prior + fraction Dirichlet(alpha)."""

    fraction: float = 0.25
    alpha: float = 0.3


ANSWERS = {"visits": core.BY_VISITS, "value": core.BY_VALUE, "bound": core.BY_BOUND, "proof": core.BY_PROOF}
_KINDS: dict[str, type[Any]] = {
    k.__name__: k
    for k in (
        *(UCT, UCB1Tuned, PUCT, Mean, Best, PowerMean, Parent, All, OneAtATime, Widening),
        *(Rollouts, Static, Mixed, Network, Outside, Noise, Falling),
    )
}


@setting
class Settings:
    """How to search. What is None follows from the policy or the game."""

    policy: Policy = field(default_factory=UCT)
    backup: Backup = field(default_factory=Mean)  # what an edge makes of the returns it gets
    evaluator: Rollouts | Static | Mixed | Network | Outside = field(default_factory=Rollouts)  # or a function
    expansion: All | OneAtATime | Widening = field(default_factory=All)
    unvisited: float | str | Parent | None = None  # "infinity", a number, or Parent(reduction)
    answer: str = "visits"  # or "value", "bound" (lower confidence bound), "proof"
    solver: bool = True  # prove positions exactly where finished games allow it
    discount: float = 1.0  # what a reward one step later is worth
    normalise: bool | None = None  # scale values by the least and greatest seen; None: when the game's range is unknown
    noise: Noise | None = None
    temperature: float | Falling = 0.0  # for choosing an action with variety: 0 is always the best one
    confidence: float = 0.95  # of the intervals, and of the lower confidence bound
    ties: str = "random"  # or "first": equal scores are broken by order
    evaluate_root: bool = False  # the first simulation evaluates the root itself
    early_stop: bool = False  # stop when the most visited action can't be overtaken any more
    outcomes: Widening | None = None  # let in min(cap, initial + k N^alpha) different outcomes of chance; None: all
    open_loop: bool = False  # one node for the actions played, whatever chance did; chance is drawn anew on each walk
    transpositions: bool | str = False  # one node for each position, however it is reached; "check" compares positions
    priors: bool | None = None  # use the priors of the game or network; None: where policy or expansion needs them

    def __post_init__(self) -> None:
        if callable(self.evaluator) and not dataclasses.is_dataclass(self.evaluator):
            object.__setattr__(self, "evaluator", Outside(self.evaluator))
        if self.unvisited == math.inf:
            object.__setattr__(self, "unvisited", "infinity")
        _check(self)

    def to_dict(self) -> dict[str, Any]:
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], stand_in: bool = False) -> "Settings":
        """What `to_dict` gave. With `stand_in`, a part of somebody's own that is not at hand is stood in for."""
        if not isinstance(data, Mapping):
            raise SettingsError(f"settings: from_dict got {data!r}, expected a dictionary as to_dict gives it")
        return cls(**{key: _rebuilt(key, value, stand_in) for key, value in data.items()})

    @classmethod
    def from_saved(cls, data: Mapping[str, Any]) -> "Settings":
        """Settings as a file has them. Before there was `priors`, one child at a time was always taken by prior."""
        expansion = data.get("expansion")
        if "priors" not in data and isinstance(expansion, Mapping) and expansion.get("kind") == "OneAtATime":
            data = {**data, "priors": True}
        return cls.from_dict(data, stand_in=True)

    def temperature_at(self, moves: int) -> float:
        """The temperature after so many moves of the game."""
        falling = self.temperature
        if isinstance(falling, Falling):
            return falling.first if moves < falling.moves else falling.then
        return falling

    def replace(self, **changes: Any) -> "Settings":
        return dataclasses.replace(self, **changes)

    def params(self, game: Game) -> Params:
        """The numbers that the kernels see, for one game."""
        return _params(self, game)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        fields = {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        kind = kind_of(type(value)) if isinstance(value, Part) else type(value).__name__
        return {"kind": kind, **fields}
    return named(value) if callable(value) else value


def named(function: Any) -> str:
    """A function by its name, for files and messages."""
    name = getattr(function, "__qualname__", None) or getattr(function, "name", None) or type(function).__name__
    return f"{getattr(function, '__module__', None) or '?'}:{name}"


def _rebuilt(key: str, value: Any, stand_in: bool = False) -> Any:
    if not isinstance(value, Mapping):
        return value
    name, bases = str(value.get("kind")), {"policy": Policy, "backup": Backup}
    if key in bases and ":" in name:
        return from_saved(bases[key], name, {k: v for k, v in value.items() if k != "kind"}, stand_in)
    if name not in _KINDS:
        hint = did_you_mean(name, _KINDS) if "kind" in value else ""
        raise SettingsError(f"settings: '{key}' is {value!r}, expected a 'kind' out of {', '.join(_KINDS)}{hint}")
    return _KINDS[name](**{k: _rebuilt(k, v) for k, v in value.items() if k != "kind"})


def _kind(name: str, value: Any, *kinds: type[Any]) -> None:
    if not isinstance(value, kinds):
        names = [f"{kind.__name__}()" for kind in kinds if dataclasses.is_dataclass(kind)]
        close = value.__name__ if isinstance(value, type) else value
        hint = did_you_mean(close, names, "{}") if isinstance(close, str) else ""
        if isinstance(value, str) and value in PRESETS:
            hint = f"; write preset('{value}')"
        elif isinstance(value, type) and issubclass(value, kinds):
            hint = f"; did you mean {value.__name__}()?"
        elif isinstance(value, Mapping):
            hint = "; Settings.from_dict reads a dictionary"
        expected = " or ".join(names) or "a text"
        expected += ", or a function" if Outside in kinds else ""
        expected += "".join(f", or a po.{k.__name__} of your own" for k in (Policy, Backup) if k in kinds)
        raise SettingsError(f"settings: {name} is {value!r}, expected {expected}{hint}")


def _word(name: str, value: Any, *words: str) -> None:
    if not isinstance(value, str) or value not in words:
        hint = did_you_mean(value, words) if isinstance(value, str) else ""
        expected = ", ".join(f"'{word}'" for word in words[:-1]) + f" or '{words[-1]}'"
        raise SettingsError(f"settings: {name} is {value!r}, expected {expected}{hint}")


def _check_flags(prefix: str, part: Any) -> None:
    """Every field that is on or off, those of the parts included."""
    for f in dataclasses.fields(part):
        value = getattr(part, f.name)
        if dataclasses.is_dataclass(value):
            _check_flags(f"{prefix}{f.name}.", value)
        elif f.type in (bool, bool | None) and not isinstance(value, bool) and (value is not None or f.type is bool):
            unset = "" if f.type is bool else ", or None"
            raise SettingsError(f"settings: {prefix}{f.name} is {value!r}, expected True or False{unset}")


def _check(s: Settings) -> None:
    """Refuse values that no search can have, each by name."""
    _kind("policy", s.policy, Policy, UCT, UCB1Tuned, PUCT)
    _kind("evaluator", s.evaluator, Rollouts, Static, Mixed, Network, Outside)
    _kind("expansion", s.expansion, All, OneAtATime, Widening)
    _kind("backup", s.backup, Backup, Mean, Best, PowerMean)
    check_numbers("policy", s.policy)
    check_numbers("backup", s.backup)
    if shared := set(s.policy.columns.names or ()) & set(s.backup.columns.names or ()):
        raise SettingsError(
            f"settings: {type(s.policy).__name__} and {type(s.backup).__name__} both have a column "
            f"'{min(shared)}'; give it another name in one of them"
        )
    if s.transpositions and not s.backup.graph:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} can't be used with transpositions, where several edges lead to one "
            f"node; leave one of them off, or set graph = True in the class if its values don't mind"
        )
    rollouts = s.evaluator.rollouts if isinstance(s.evaluator, Mixed) else s.evaluator
    if isinstance(s.evaluator, Mixed):
        check_number("evaluator.weight", s.evaluator.weight, 0.0, 1.0)
        _kind("evaluator.rollouts", rollouts, Rollouts)
    if isinstance(rollouts, Rollouts):
        for name, value in (("n", rollouts.n), ("depth", rollouts.depth)):
            if value is not None:
                _whole(f"evaluator.{name}", value, 1, 1_000_000)
    if isinstance(s.evaluator, Network | Outside):
        _check_outside(s, s.evaluator)
    _check_widening("expansion", s.expansion)
    if s.outcomes is not None:
        _kind("outcomes", s.outcomes, Widening)
        _check_widening("outcomes", s.outcomes)
        if s.open_loop:
            raise SettingsError(
                "settings: outcomes limits the children of chance nodes, and an open loop has none; leave one out"
            )
    if s.open_loop and s.transpositions:
        raise SettingsError(
            "settings: open_loop and transpositions are both on, but the nodes of an open loop are no positions; "
            "leave one of them off"
        )
    if isinstance(s.unvisited, Parent):
        check_number("unvisited.reduction", s.unvisited.reduction)
    elif isinstance(s.unvisited, str):
        if s.unvisited != "infinity":
            raise SettingsError(
                f"settings: unvisited is {s.unvisited!r}, expected 'infinity', a number, or Parent(reduction)"
            )
    elif s.unvisited is not None:
        check_number("unvisited", s.unvisited)
    _word("answer", s.answer, *ANSWERS)
    _word("ties", s.ties, "random", "first")
    check_number("discount", s.discount, 0.0, 1.0, above=True)
    if isinstance(s.temperature, Falling):
        for name in ("first", "then"):
            check_number(f"temperature.{name}", getattr(s.temperature, name), 0.0)
        _whole("temperature.moves", s.temperature.moves, 0, 1_000_000)
    else:
        check_number("temperature", s.temperature, 0.0)
    check_number("confidence", s.confidence, 0.0, 0.999999, above=True)
    _check_flags("", s)
    if s.transpositions not in (True, False, "check") or not isinstance(s.transpositions, bool | str):
        raise SettingsError(f"settings: transpositions is {s.transpositions!r}, expected True, False or 'check'")
    if s.noise is not None:
        _kind("noise", s.noise, Noise)
        check_number("noise.fraction", s.noise.fraction, 0.0, 1.0)
        check_number("noise.alpha", s.noise.alpha, 0.0, above=True)


def _whole(name: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise SettingsError(
            f"settings: {name} is {value!r}, expected a whole number of at least {least}"
            + (f" and at most {most}" if isinstance(value, int) and value > most else "")
        )


def _check_outside(s: Settings, evaluator: Network | Outside) -> None:
    if evaluator.batch is not None:
        _whole("evaluator.batch", evaluator.batch, 1, 4096)
    _whole("evaluator.cache", evaluator.cache, 0, 1 << 24)
    check_number("evaluator.virtual_loss", evaluator.virtual_loss, 0.0, 1.0)
    check_number("evaluator.temperature", evaluator.temperature, 0.0, above=True)
    if isinstance(evaluator, Network):
        _kind("evaluator.file", evaluator.file, str)
        _whole("evaluator.threads", evaluator.threads, 1, 64)
    else:
        if evaluator.timeout is not None:
            check_number("evaluator.timeout", evaluator.timeout, 0.0, above=True)
        if not (evaluator.function is None or isinstance(evaluator.function, str) or callable(evaluator.function)):
            raise SettingsError(f"settings: evaluator.function is {evaluator.function!r}, expected a function")
    for name in ("transpositions", "open_loop"):
        if getattr(s, name):
            raise SettingsError(
                f"settings: {name} is on, and values come from {type(evaluator).__name__}: the two don't work together "
                f"yet; leave {name} off (equal positions are evaluated only once, through the cache)"
            )


def _check_widening(name: str, widening: Any) -> None:
    if isinstance(widening, Widening):
        check_number(f"{name}.initial", widening.initial, 0.0)
        check_number(f"{name}.k", widening.k, 0.0)
        check_number(f"{name}.alpha", widening.alpha, 0.0, 1.0)
        if widening.initial == 0 and widening.k == 0:
            raise SettingsError(f"settings: {name} has initial 0 and k 0, which lets nothing in; expected one above 0")
        if widening.cap is not None:
            check_number(f"{name}.cap", widening.cap, 1.0)


def _params(s: Settings, game: Game) -> Params:
    """Turn settings into numbers, and refuse those that the game has no part for."""
    evaluator = s.evaluator
    rollouts = evaluator.rollouts if isinstance(evaluator, Mixed) else evaluator
    outside = isinstance(evaluator, Network | Outside)
    if isinstance(evaluator, Static | Mixed) and not game.has("evaluate"):
        rule = "evaluate(self)" if game.keeps_objects else "evaluate(state, values)"
        raise SettingsError(f"{game.title} has no static value: define `{rule}`, or use Rollouts()")
    if isinstance(rollouts, Rollouts):
        game.check_can_play_out(rollouts.depth or 0, rollouts.guided)
    if isinstance(rollouts, Rollouts) and rollouts.guided and not (game.has("playout_action") or game.has("priors")):
        raise SettingsError(f"{game.title} has nothing to guide playouts: define `playout_action` or `priors`")
    unvisited = s.unvisited
    if unvisited is None:
        unvisited = s.policy.unvisited
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
        kind, amount = core.PARENT_BY_SEEN if unvisited.by_seen else core.PARENT, unvisited.reduction
    elif isinstance(unvisited, str):
        kind, amount = core.INFINITE, 0.0
    else:
        kind, amount = core.FIXED, unvisited
    normalise = limits is None if s.normalise is None else s.normalise
    if policy.needs_range and limits is None and not normalise:
        raise SettingsError(
            f"{type(policy).__name__} needs to know how wide values spread: give {game.title} a value_range, or leave "
            f"normalise on"
        )
    least = s.backup.least
    if least is not None and limits is not None and limits[0] < least:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} takes returns from {least:g} up, and those of {game.title} go down "
            f"to {limits[0]:g}; take another backup"
        )
    # With one player, or two whose returns sum to a constant, one number tells what a node is worth to everybody.
    one_number = game.players == 1 or (game.players == 2 and decides and s.discount == 1.0)
    graph = NO_GRAPH if not s.transpositions else SCALARS if one_number else VECTORS
    if graph == VECTORS and not s.backup.plain_mean:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} can't be used with transpositions in {game.title}, whose nodes have "
            f"a value for each player; leave one of them off"
        )
    slack = SLACK * max(1.0, abs(limits[0]), abs(limits[1])) if limits else 0.0
    if outside and limits:
        slack += ANSWER_SLACK * (limits[1] - limits[0])
    # A playout that is cut off where there is no static value ends before the players have got what they get together.
    cut_off = isinstance(rollouts, Rollouts) and rollouts.depth is not None and not game.has("evaluate")
    keeps_sum = game.players > 1 and not cut_off and not outside and (s.discount == 1.0 or sums == 0.0)
    expansion = {All: core.ALL, OneAtATime: core.ONE, Widening: core.WIDENING}[type(s.expansion)]
    return Params(
        players=game.players,
        max_actions=game.max_actions,
        unvisited=kind,
        unvisited_value=float(amount),
        expansion=expansion,
        expand_first=int(isinstance(s.expansion, All) and s.expansion.first_visit),
        widening_initial=float(widening.initial),
        widening_k=float(widening.k),
        widening_alpha=float(widening.alpha),
        widening_cap=float(widening.cap) if widening.cap is not None else 1e9,
        evaluator=core.OUTSIDE if outside else [Rollouts, Static, Mixed].index(type(evaluator)),
        rollouts=rollouts.n if isinstance(rollouts, Rollouts) else 0,
        depth=(rollouts.depth or 0) if isinstance(rollouts, Rollouts) else 0,
        mix=float(evaluator.weight) if isinstance(evaluator, Mixed) else 0.0,
        discount=float(s.discount),
        solver=int(s.solver and not s.open_loop),
        lowest=float(limits[0]) if limits else -math.inf,
        highest=float(limits[1]) if limits else math.inf,
        least_return=limits[0] - slack if limits else -FINITE,
        most_return=limits[1] + slack if limits else FINITE,
        sum_of_returns=float(sums) if sums is not None and keeps_sum else math.nan,
        win_decides=int(decides and s.discount == 1.0) if game.players > 1 else int(decides),
        normalise=int(normalise),
        random_ties=int(s.ties == "random"),
        has_chance=int(game.has("chance_outcomes")),
        has_priors=int(uses_priors(s) and game.has("priors") and not outside),
        by_prior=int(orders_by_prior(s)),
        evaluate_root=int(s.evaluate_root or outside),
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
        has_hash=int((bool(s.transpositions) or outside) and game.has("hash")),
        check_keys=int(s.transpositions == "check"),
        virtual_loss=float(evaluator.virtual_loss) if isinstance(evaluator, Network | Outside) else 0.0,
        prior_power=_prior_power(s),
        returns_sum=0.0 if game.players == 1 else math.nan if sums is None or game.players > 2 else float(sums),
        node_spread=int(s.policy.needs_spread),
        has_index=int(game.has("action_index")),
    )


def orders_by_prior(settings: Settings) -> bool:
    """Whether untried actions are taken by falling prior, and at random only where priors are equal."""
    needed = settings.policy.by_prior or isinstance(settings.expansion, Widening)
    return needed or settings.priors is True


def uses_priors(settings: Settings) -> bool:
    """Whether actions have the priors that the game or the network gives them; otherwise all have the same."""
    return orders_by_prior(settings) if settings.priors is None else settings.priors


def _prior_power(settings: Settings) -> float:
    """The power of a network's policy: 0 makes all actions equal."""
    evaluator = settings.evaluator
    if not isinstance(evaluator, Network | Outside):
        return 1.0
    return 0.0 if settings.priors is False else 1.0 / float(evaluator.temperature)


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
    "connect4": Preset(
        "connect four: PUCT with the game's priors, a playout by its own policy and its static value in equal parts, "
        "proofs",
        lambda: Settings(policy=PUCT(1.5), evaluator=Mixed(0.5, Rollouts(guided=True))),
    ),
    "othello": Preset(
        "othello: UCT that explores half as much, random playouts, proofs, the most visited action",
        lambda: Settings(policy=UCT(0.7)),
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
    "network": Preset(
        "a policy and value network at its best: PUCT whose c grows with the visits, unvisited moves like their "
        "parent, proofs, the most visited move",
        lambda: Settings(policy=PUCT(1.25, growth=1.0), evaluator=Network(), unvisited=Parent()),
    ),
    "alphazero": Preset(
        "AlphaZero as it plays itself: the same without proofs, with noise on the root's priors and moves drawn by "
        "visits for 30 moves",
        lambda: Settings(
            policy=PUCT(1.25, growth=1.0),
            evaluator=Network(),
            unvisited=Parent(),
            noise=Noise(),
            temperature=Falling(),
            solver=False,
        ),
    ),
    # lc0 0.31 as it comes, one leaf at a time; its values of these settings are its own options of like names. Its c
    # grows with ln((N + 38739) / 38739), without our 1: the same as a base of one less, and what that adds off c.
    "lc0": Preset(
        "a network as lc0 searches by default: c grows with the visits, unvisited moves lose by what was seen",
        lambda: Settings(
            policy=PUCT(1.745 - 3.894 * math.log(38739 / 38738), growth=3.894, base=38738.0),
            evaluator=Network(temperature=1.359, virtual_loss=0.0),
            unvisited=Parent(0.33, by_seen=True),
            ties="first",
        ),
    ),
    "game2048": Preset(
        "2048: UCT that explores little, random playouts to the end, the most visited action",
        lambda: Settings(policy=UCT(0.3), solver=False),
    ),
}


BEST = "best"  # stands for the preset that the game at hand names


def preset_for(game: Game, name: str | None = None) -> str:
    """The name of the preset to search a game with: the one given, or the game's own for None and "best"."""
    if name not in (None, BEST):
        return name
    own, where = game.preset or "default", f"{game.title}.preset is {game.preset!r}"
    if not isinstance(own, str) or own not in PRESETS:
        hint = did_you_mean(own, PRESETS) if isinstance(own, str) else ""
        raise GameError(f"{where}, expected the name of a preset (there are: {', '.join(PRESETS)}){hint}")
    try:
        preset(own).params(game)
    except SettingsError as error:
        raise GameError(f"{where}, and that can't be: {error}") from None
    return own


@refuses_unknown_names
def preset(name: str, **changes: Any) -> Settings:
    """The settings of a preset, with changes by the names and words of the command line, or as `Settings` has them.

    >>> preset("textbook", answer="visits", c=2).policy
    UCT(c=2)
    >>> preset("default", policy="puct", c=2).policy == preset("default", policy=PUCT(2)).policy
    True
    """
    if name == BEST:
        raise SettingsError("preset 'best' is the one that a game names for itself, as in po.Search(game, 'best')")
    if not isinstance(name, str) or name not in PRESETS:
        hint = did_you_mean(name, (*PRESETS, BEST)) if isinstance(name, str) else ""
        raise SettingsError(f"no preset {name!r} (there are: {', '.join(PRESETS)}){hint}")
    if changes:
        from .options import make_settings

        return make_settings(name, changes, "")
    return PRESETS[name].make()


def settings_from(given: Any, caller: str, game: Game) -> Settings:
    """The settings that a caller got for a game: themselves, a preset's name, or None for the default."""
    if given is None:
        return Settings()
    if isinstance(given, Settings):
        return given
    if isinstance(given, str):
        return preset(preset_for(game, given))
    hint = ""
    if isinstance(given, Mapping):
        hint = "; Settings.from_dict reads a dictionary"
    elif given is Settings:
        hint = "; write Settings()"
    elif dataclasses.is_dataclass(given):
        fields: Any = dataclasses.fields(Settings)
        part = next((f.name for f in fields if isinstance(given, f.type)), None)
        hint = f"; write Settings({part}={given!r})" if part else ""
    raise SettingsError(f"{caller} got settings {given!r:.80}, expected Settings or a preset's name{hint}")
