"""Errors for the statuses with which a kernel reports that rules or parts are wrong."""

from typing import TYPE_CHECKING

import numpy as np

from playout.core import endings
from playout.core import evaluate as core_evaluate
from playout.core import graph as core_graph
from playout.errors import GameError, SettingsError
from playout.game import Position
from playout.game.faults import wrong_player, wrong_value
from playout.parts.faults import wrong_score

from .retrace import find_fault
from .wrong_backup import wrong_backup

if TYPE_CHECKING:
    from .runner import Runner


def check_status(runner: "Runner", status: int, detail: int) -> None:
    """Raise the error that a kernel's status stands for, with the position where it can be found."""
    if status in (endings.NO_ACTIONS, endings.TOO_MANY_ACTIONS, endings.BAD_PLAYER, endings.BAD_CHANCE):
        check_expansion(runner, status, detail)
    elif status == endings.BAD_VALUE:
        find_fault(runner)
        raise GameError(_bad_returns(runner))
    elif status == endings.BAD_SCORE:
        raise SettingsError(wrong_score(runner, detail))
    elif status == endings.BAD_BACKUP:
        raise SettingsError(wrong_backup(runner))
    elif status == endings.BAD_KEY:
        raise GameError(_wrong_keys(runner, detail))
    elif status == endings.BAD_PLAYOUT:
        _check_playout(runner, detail)


def check_expansion(runner: "Runner", status: int, detail: int) -> None:
    """Raise the error for a position that can't become a node; return if the status is DONE."""
    if status == endings.DONE:
        return
    find_fault(runner)
    game = runner.game
    if status == endings.BAD_PLAYER:
        raise GameError(wrong_player(game, detail))
    wrong = "no actions where the game is not over" if status == endings.NO_ACTIONS else "more than max_actions"
    raise GameError(
        f"{game.title}.legal_actions (or chance_outcomes) gives {wrong} "
        f"(max_actions = {game.max_actions}); `playout doctor` finds the position"
    )


def _check_playout(runner: "Runner", code: int) -> None:
    game = runner.game
    if code == core_evaluate.RUNAWAY:
        raise GameError(
            f"{game.title}: a playout did not end within {core_evaluate.RUNAWAY_LIMIT:,} actions; "
            f"give it a limit, as in Rollouts(depth=200), or let the rules end the game"
        )
    find_fault(runner)
    if code == core_evaluate.BAD_ACTION:
        raise GameError(
            f"{game.title}.playout_action (or chance_action) returned an action that can't be played; "
            f"`playout doctor` finds the position"
        )
    check_expansion(runner, endings.NO_ACTIONS if code == core_evaluate.NO_ACTIONS else endings.TOO_MANY_ACTIONS, code)


def _bad_returns(runner: "Runner") -> str:
    """Message for returns outside the game's range."""
    game, values = runner.game, runner.work.returns.tolist()
    told = game.told()
    for rule, where, numbers in told:
        if numbers is not None and (found := wrong_value(game, rule, numbers, where)):
            return found
    rule, where = told[0][:2] if told else ("apply", f" after {runner.position.text or 'the start'}")
    found = wrong_value(game, rule, values, where)
    return found or f"{game.title}: returns of {values}{where} add up to more than value_range allows"


def _wrong_keys(runner: "Runner", entry: int) -> str:
    """Message for two positions with one key: that of a table entry, and the current one."""
    game, work = runner.game, runner.work
    core_graph.stand_at_entry(runner.rules, runner.params, runner.tree, work, entry)
    known, came = Position(game, work.spare.copy()), Position(game, work.state.copy())
    fields = [n for n in game.dtype.names or () if not np.array_equal(known.state[n], came.state[n])]
    wrong = [n for n in fields if n not in game.unkeyed]
    return (
        f"{game.title}.hash gives {came.text} the key of {known.text}, and they differ in {', '.join(wrong)}; "
        f"let the key tell them apart, or name in `unkeyed` the fields that nothing later depends on"
    )
