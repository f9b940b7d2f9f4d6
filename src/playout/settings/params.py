"""The settings as the numbers that the kernels see, and what a game must have for them."""

import math
import sys
from statistics import NormalDist
from typing import TYPE_CHECKING

from playout.core import params as core
from playout.core.draws import LISTED_ONLY, MOST_ROOM, OF_ALL, OF_PLAYERS
from playout.core.learned import pair_bits_for
from playout.core.params import Params
from playout.core.tree import NO_GRAPH, SCALARS, VECTORS
from playout.errors import SettingsError
from playout.game import Game
from playout.policies import Parent

from .kinds import (
    ANSWERS,
    MOST_ACTIONS,
    All,
    Forced,
    Gumbel,
    Halving,
    Mixed,
    Network,
    OneAtATime,
    Outside,
    Rollouts,
    Static,
    Widening,
    is_fast,
    is_outside,
)

if TYPE_CHECKING:
    from .settings import Settings

ANSWER_SLACK = 1e-3  # by which share of the range an evaluator's value may leave it: networks compute roughly
SLACK = 1e-6  # by which share a return may leave the range: rewards that are added up are rounded
FINITE = sys.float_info.max
NO_CAP = 1e9  # children
CONSIDERED = 16  # actions that Gumbel compares

EXPANSIONS = {All: core.ALL, OneAtATime: core.ONE, Widening: core.WIDENING}
EVALUATORS = {
    Rollouts: core.ROLLOUTS,
    Static: core.STATIC,
    Mixed: core.MIXED,
    Network: core.OUTSIDE,
    Outside: core.OUTSIDE,
}
ROOTS = {type(None): core.PLAIN, Forced: core.FORCED, Halving: core.HALVING, Gumbel: core.GUMBEL}


def kernel_params(s: "Settings", game: Game) -> Params:
    """Turn settings into numbers; `SettingsError` where the game lacks something that they need."""
    check_game(s, game)
    outside, fast, rollouts = is_outside(s.evaluator), is_fast(s.evaluator), s.rollouts
    widening = s.expansion if isinstance(s.expansion, Widening) else Widening()
    outcomes = s.outcomes or Widening()
    gumbel = s.root if isinstance(s.root, Gumbel) else Gumbel(noise=0.0)
    unvisited, amount = _unvisited(s)
    limits, sums = game.range, game.sums_to
    slack = SLACK * max(1.0, abs(limits[0]), abs(limits[1])) if limits else 0.0
    if outside and limits:
        slack += ANSWER_SLACK * (limits[1] - limits[0])
    # A playout that is cut off where there is no static value ends before the players have got what they get together.
    cut_off = rollouts is not None and rollouts.depth is not None and not game.has("evaluate")
    keeps_sum = game.players > 1 and not cut_off and not outside and (s.discount == 1.0 or sums == 0.0)
    codes = game.rules.codes if s.policy.amaf or (rollouts and rollouts.learns) else 0
    return Params(
        players=game.players,
        max_actions=game.max_actions,
        draws=draws_of(game),
        most_added=game.max_actions * (MOST_ROOM if game.draws else 1),
        unvisited=unvisited,
        unvisited_value=amount,
        expansion=EXPANSIONS[type(s.expansion)],
        expand_first=int(isinstance(s.expansion, All) and s.expansion.first_visit),
        widening_initial=float(widening.initial),
        widening_k=float(widening.k),
        widening_alpha=float(widening.alpha),
        widening_cap=_cap(widening),
        evaluator=core.STATIC if fast else EVALUATORS[type(s.evaluator)],
        static_too=int(bool(s.backup.below) and rollouts is not None),
        rollouts=rollouts.n if rollouts else 0,
        depth=(rollouts.depth or 0) if rollouts else 0,
        mix=float(s.evaluator.weight) if isinstance(s.evaluator, Mixed) else 0.0,
        discount=float(s.discount),
        solver=int(s.solver and not s.open_loop and not game.sampled and not game.draws),
        lowest=float(limits[0]) if limits else -math.inf,
        highest=float(limits[1]) if limits else math.inf,
        least_return=limits[0] - slack if limits else -FINITE,
        most_return=limits[1] + slack if limits else FINITE,
        sum_of_returns=float(sums) if sums is not None and keeps_sum else math.nan,
        win_decides=int(_win_decides(game) and (game.players == 1 or s.discount == 1.0)),
        normalise=int(_normalises(s, game)),
        random_ties=int(s.ties == "random"),
        has_chance=int(game.has("chance_outcomes") or game.draws),
        has_priors=int(uses_priors(s) and (fast or game.has("priors")) and not outside),
        by_prior=int(orders_by_prior(s)),
        evaluate_root=int(s.evaluate_root or outside or fast),
        keep_states=int(game.keep_states and not s.open_loop),
        answer=ANSWERS[s.answer],
        z=NormalDist().inv_cdf(0.5 + s.confidence / 2),
        early_stop=int(s.early_stop),
        few_outcomes=int(s.outcomes is not None),
        outcomes_initial=float(outcomes.initial),
        outcomes_k=float(outcomes.k),
        outcomes_alpha=float(outcomes.alpha),
        outcomes_cap=_cap(outcomes),
        open_loop=int(s.open_loop),
        graph=_graph(s, game),
        has_hash=int((bool(s.transpositions) or outside) and game.has("hash")),
        check_keys=int(s.transpositions == "check"),
        virtual_loss=float(s.evaluator.virtual_loss if outside else s.thread_loss),  # type: ignore[union-attr]
        prior_power=_prior_power(s),
        returns_sum=0.0 if game.players == 1 else math.nan if sums is None or game.players > 2 else float(sums),
        node_spread=int(s.policy.needs_spread),
        root=ROOTS[type(s.root)],
        forced=float(s.root.k) if isinstance(s.root, Forced) else 0.0,
        considered=game.max_actions if isinstance(s.root, Halving) else gumbel.considered or CONSIDERED,
        planned=(s.root.simulations or 0) if isinstance(s.root, Gumbel | Halving) else 0,
        gumbel_noise=float(gumbel.noise),
        visit_offset=float(gumbel.visit_offset),
        value_scale=float(gumbel.value_scale),
        rescale=int(gumbel.rescale),
        learns=rollouts.learns if rollouts else core.RANDOM,
        pair_bits=pair_bits_for(game.players, game.rules.codes),
        led=_led(rollouts) if rollouts else 0,
        epsilon=float(rollouts.epsilon) if rollouts else 0.0,
        codes=codes,
        code_bits=max(0, codes.bit_length() - 1),
        amaf=int(getattr(s.policy, s.policy.amaf)) if s.policy.amaf else -1,
        remembers=_remembers(game),
        has_index=int(game.has("action_index")),
    )


def draws_of(game: Game) -> int:
    """Which actions of a game are drawn."""
    if not game.draws:
        return LISTED_ONLY
    return OF_PLAYERS if game.has("chance_outcomes") else OF_ALL


def orders_by_prior(settings: "Settings") -> bool:
    """Whether untried actions are taken by falling prior, and at random only where priors are equal."""
    needed = settings.policy.by_prior or isinstance(settings.expansion, Widening) or isinstance(settings.root, Gumbel)
    return needed or settings.priors is True


def uses_priors(settings: "Settings") -> bool:
    """Whether actions have the priors that the game or the network gives them; otherwise all have the same."""
    return orders_by_prior(settings) if settings.priors is None else settings.priors


def check_game(s: "Settings", game: Game) -> None:
    """Raise `SettingsError` where the game lacks something that the settings need."""
    rollouts, limits, least = s.rollouts, game.range, s.backup.least
    if is_fast(s.evaluator):
        game.check_has_features(s.evaluator.file)
    if isinstance(s.evaluator, Static | Mixed) and not game.has("evaluate"):
        rule = "evaluate(self)" if game.keeps_objects else "evaluate(state, values)"
        raise SettingsError(f"{game.title} has no static value: define `{rule}`, or use Rollouts()")
    if rollouts is not None:
        game.check_can_play_out(rollouts.depth or 0, rollouts.guided)
        if rollouts.guided and not (game.has("playout_action") or game.has("priors")):
            raise SettingsError(f"{game.title} has nothing to guide playouts: define `playout_action` or `priors`")
        if rollouts.learns:
            game.check_has_codes("nst" if rollouts.nst else "mast")
    if s.open_loop and game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects, whose actions are numbered separately in each position, so that "
            f"an open loop can't tell which is which; write it as a po.Game, or leave open_loop off"
        )
    if s.policy.amaf:
        game.check_has_codes(type(s.policy).__name__)
    if s.policy.needs_range and limits is None and not _normalises(s, game):
        raise SettingsError(
            f"{type(s.policy).__name__} needs to know how wide values spread: give {game.title} a value_range, or "
            f"leave normalise on"
        )
    if isinstance(s.root, Gumbel | Halving):
        _check_plan(s, s.root, game)
    if least is not None and limits is not None and limits[0] < least:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} takes returns of at least {least:g}, and those of {game.title} go "
            f"down to {limits[0]:g}; take another backup"
        )
    if s.wdl and game.players == 1:
        raise SettingsError(
            f"settings: wdl counts games won, drawn and lost, and {game.title} has one player; leave wdl off"
        )
    if s.backup.below:
        _check_below(s, game)
    if game.draws:
        _check_draws(s, game)
    if _graph(s, game) == VECTORS and not s.backup.plain_mean:
        raise SettingsError(
            f"settings: {type(s.backup).__name__} can't be used with transpositions in {game.title}, whose nodes have "
            f"a value for each player; leave one of them off"
        )


def _check_draws(s: "Settings", game: Game) -> None:
    """Raise `SettingsError` for what needs actions that are listed."""
    refused = {
        "open_loop": (s.open_loop, "an open loop has room for the actions that are listed"),
        "transpositions": (s.transpositions, "positions after drawn actions hardly ever meet"),
        "threads": (s.threads > 1, "a node's edges move in memory when another is drawn; use roots for more cores"),
        "root": (s.root is not None, "a plan for the root compares actions that are all known from the start"),
        "noise": (s.noise is not None, "all drawn actions have the same prior"),
        "root_temperature": (s.root_temperature != 1, "all drawn actions have the same prior"),
        "evaluator": (
            is_outside(s.evaluator) or is_fast(s.evaluator),
            "a network or an evaluator from outside answers for actions that are listed; use Rollouts() or Static()",
        ),
    }
    for name, (given, why) in refused.items():
        if given:
            raise SettingsError(f"settings: {name} can't be used with {game.title}, whose actions are drawn: {why}")


def _check_plan(s: "Settings", root: Gumbel | Halving, game: Game) -> None:
    if isinstance(root, Gumbel) and root.considered is not None and root.considered > game.max_actions:
        raise SettingsError(
            f"settings: root.considered is {root.considered}, and {game.title} has at most {game.max_actions} actions; "
            f"expected 1 to {game.max_actions}, or None"
        )
    if isinstance(root, Gumbel) and not root.rescale and game.range is None and not _normalises(s, game):
        raise SettingsError(
            f"Gumbel needs to know how wide values spread: give {game.title} a value_range, leave normalise on, or set "
            f"rescale"
        )


def _check_below(s: "Settings", game: Game) -> None:
    """Raise `SettingsError` where static values are missing, or the best for one player says nothing of another."""
    name, sums = type(s.backup).__name__, game.sums_to
    if not isinstance(s.evaluator, Network | Outside) and not game.has("evaluate"):
        rule = "evaluate(self)" if game.keeps_objects else "evaluate(state, values)"
        raise SettingsError(
            f"settings: {name} needs a static value, and {game.title} has none: define `{rule}`, or take another backup"
        )
    if game.players > 2 or (game.players == 2 and sums is None):
        why = f"has {game.players} players" if game.players > 2 else "has returns that don't sum to a constant"
        raise SettingsError(
            f"settings: {name} is for one player, or two whose returns sum to a constant, and {game.title} {why}; take "
            f"another backup"
        )
    if game.players == 2 and sums != 0.0 and s.discount != 1.0:
        raise SettingsError(
            f"settings: {name} can't be used with discount {s.discount:g} in {game.title}, whose returns sum to "
            f"{sums:g}: with a discount, what is left to get varies; take another backup, or discount 1"
        )


def _unvisited(s: "Settings") -> tuple[int, float]:
    """What an unvisited edge scores: the kind, and the number or the reduction."""
    unvisited = s.policy.unvisited if s.unvisited is None else s.unvisited
    if isinstance(unvisited, Parent):
        return core.PARENT_BY_SEEN if unvisited.by_seen else core.PARENT, float(unvisited.reduction)
    return (core.INFINITE, 0.0) if isinstance(unvisited, str) else (core.FIXED, float(unvisited))


def _normalises(s: "Settings", game: Game) -> bool:
    return game.range is None if s.normalise is None else s.normalise


def _win_decides(game: Game) -> bool:
    """Whether, when one player gets the most there is, the others' returns follow: there are no others, or all of them
    must have the least."""
    limits, sums = game.range, game.sums_to
    if limits is None or game.players == 1:
        return limits is not None
    return sums is not None and abs(limits[1] + (game.players - 1) * limits[0] - sums) < 1e-9


def _graph(s: "Settings", game: Game) -> int:
    """Whether equal positions share a node, and with one value or a value for each player. One is enough for one
    player, and for two whose returns sum to a constant."""
    one_value = game.players == 1 or (game.players == 2 and _win_decides(game) and s.discount == 1.0)
    return NO_GRAPH if not s.transpositions else SCALARS if one_value else VECTORS


def _remembers(game: Game) -> int:
    """Whether the best complete line is remembered, and who knows the actions of a playout."""
    if game.players > 1 or game.has("chance_outcomes") or game.draws:
        return core.FORGOTTEN
    return core.TOLD if game.keeps_objects else core.TRACED


def _led(rollouts: Rollouts) -> int:
    return MOST_ACTIONS if rollouts.led is None else rollouts.led


def _cap(widening: Widening) -> float:
    return NO_CAP if widening.cap is None else float(widening.cap)


def _prior_power(settings: "Settings") -> float:
    """The power of a network's policy: 0 makes all actions equal."""
    evaluator = settings.evaluator
    if not isinstance(evaluator, Network | Outside) or is_fast(evaluator):  # a fast one knows its temperature
        return 1.0
    return 0.0 if settings.priors is False else 1.0 / float(evaluator.temperature)
