"""The rules table of a search: the compiled functions of game, policy and backup that its settings need."""

from typing import Any

from playout.core.compile_errors import RuleCompileError
from playout.core.params import ALONE, BATCHED, MAST, MIXED, NST, OUTSIDE, RANDOM, STATIC, Params
from playout.core.parts import back_up_entry, choose_entry
from playout.core.rules import BACK_UP, with_entry
from playout.core.tree import Tree, Work
from playout.errors import SettingsError
from playout.evaluators.fast import LoopFacts
from playout.game import Game
from playout.parts.faults import larger_records_may_stand_in, not_compiled
from playout.settings import Settings


def is_guided(settings: Settings) -> bool:
    """Whether the game's own policy guides playouts."""
    return settings.rollouts is not None and settings.rollouts.guided


def rules_of_game(game: Game, settings: Settings, params: Params, network: LoopFacts | None = None) -> Any:
    """The table with the game's rules in it, or with a network in place of `evaluate` and `priors`."""
    wanted = ["action_code"] if params.codes else []
    if params.rollouts:
        kinds = {RANDOM: "recorded_playout" if params.codes else "playout", MAST: "mast_playout", NST: "nst_playout"}
        wanted.append(kinds[params.learns])
    if params.has_priors and network is None:
        wanted.append("priors")
    if (params.evaluator in (STATIC, MIXED) or params.static_too) and network is None:
        wanted.append("evaluate")
    if params.has_hash:
        wanted.append("hash")
    if params.evaluator == OUTSIDE and game.has("observe"):
        wanted += ["observe", "action_index"]
    return game.rules_table(is_guided(settings), tuple(wanted), None if network is None else network.record)


def rules_with_parts(
    rules: Any,
    game: Game,
    settings: Settings,
    topology: int,
    arrays: tuple[Params, Tree, Work],
    *,
    shown: bool,
    waiting: int | None = None,
) -> Any:
    """The table with policy and backup added; they are compiled here if they are new.

    `shown`: the policy also stores its scores and their terms, for a step. `waiting`: which simulations are in flight
    beside one; by default leaves that wait for an answer from outside, if that is where values come from.
    """
    policy, backup = settings.policy, settings.backup
    if waiting is None:
        waiting = BATCHED if arrays[0].evaluator == OUTSIDE else ALONE
    codes = policy.code(game), backup.code(game)
    try:
        with larger_records_may_stand_in():
            index, chosen = choose_entry(codes[0], topology, waiting, shown, arrays, game.draws)
            backed = back_up_entry(codes[1], codes[0], topology, waiting, settings.wdl, arrays)
    except RuleCompileError as error:
        reasons = (not_compiled(type(part), code) for part, code in zip((policy, backup), codes, strict=True))
        place = f"{error.rule} can't be compiled, at {error.file}:{error.line}: {error.reason}"
        raise SettingsError(next(filter(None, reasons), place)) from error
    return with_entry(with_entry(rules, index, chosen), BACK_UP, backed)
