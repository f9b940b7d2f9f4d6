"""The message for a backup that gave an edge a value that the search can't use: which value, and which edge."""

import contextlib
import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from playout.core.below import best_of
from playout.core.tree import END
from playout.game import Position

from .retrace import walked

if TYPE_CHECKING:
    from .runner import Runner


def wrong_backup(runner: "Runner") -> str:
    """The message, with the value, the action and the position where they can be found."""
    game, what = runner.game, f"an edge below {runner.position.text or 'the start'} a value that it can't have"
    with contextlib.suppress(Exception):  # the value and its place are a help; without them the message is true as well
        what = _found(runner) or what
    expected = "a finite number"
    if runner.params.solver and game.range is not None:
        low, high = game.range
        expected = f"a number within value_range {low:g} to {high:g}, since proofs depend on it"
    name = type(runner.settings.backup).__name__
    return f"{name}.update gave {what} of {game.title}; expected {expected} (po.check_part finds such cases)"


def _found(runner: "Runner") -> str:
    """The value that `update` gave the lowest wrong edge of the walk, its action and its position.

    The tree has another value by now, so `update` is called once more, uncompiled, with the edge as it was before. Only
    its columns can't be taken back after the first visit; then the value is not exactly that of the search.
    """
    tree, work, position, found = runner.tree, runner.work, runner.position, ""
    players, returns = runner.game.players, work.returns.copy()  # the returns from the root, then from below it
    for d, (e, actions) in enumerate(walked(runner)):
        edge, player = tree.edges[e], int(tree.nodes[work.path_nodes[d]]["player"])
        got = float(returns[max(0, player)])
        if edge["child"] >= 0:
            below = _below(runner, d, position.play(actions[0])) if runner.settings.backup.below else None
            given = _updated(runner, e, got, below)
            if not _fits(runner, given, got):
                exact = edge["visits"] == 1 or not runner.settings.backup.columns.names or not math.isfinite(given)
                value, action = f"{'' if exact else 'about '}{given:.6g}", position.action_text(actions[0])
                found = f"{value} for action {action} in {position.text or 'the start'}"
        scale = work.path_scales[d] if runner.params.open_loop else runner.params.discount
        if not scale:
            break
        returns = (returns - work.path_rewards[d * players : (d + 1) * players]) / scale
        for played in actions:
            position = position.play(played)
    return found


def _below(runner: "Runner", d: int, after: Position) -> float:
    """What `update` saw below the edge at a depth, which leads to the position `after`."""
    tree, work, backup = runner.tree, runner.work, runner.settings.backup
    chooser = max(0, int(tree.nodes[work.path_nodes[d]]["player"]))
    child = abs(int(tree.edges[work.path_edges[d]]["child"]))
    if child > END:
        node, word = tree.nodes[child], backup.code(runner.game).facts["below"]
        best = float(best_of(tree, child, word) if node["opened"] else node["value"])
        value = best if max(0, int(node["player"])) == chooser else runner.params.returns_sum - best
    else:
        value = 0.0 if after.is_terminal else float(after.evaluate()[chooser])
    return float(work.path_rewards[d * runner.game.players + chooser]) + runner.params.discount * value


def _updated(runner: "Runner", e: int, got: float, below: float | None) -> float:
    """The value that `update` gives an edge for a return."""
    tree, backup = runner.tree, cast("Any", runner.settings.backup)  # `update` is the subclass's
    edge, visits = tree.edges[e], int(tree.edges[e]["visits"])
    # The search put the mean of the old value and the return in place of the wrong value.
    value = (float(edge["value"]) * visits - got) / (visits - 1) if visits > 1 else 0.0
    shown = SimpleNamespace(
        visits=np.int64(visits),
        pending=np.int64(0),
        value=np.float64(value),
        spread=np.float64(edge["spread"]),
        prior=np.float64(edge["prior"]),
        action=np.int64(edge["action"]),
        proven=np.int64(0),
    )
    columns: Any = backup.columns
    for i, name in enumerate(columns.names or ()):
        word = tree.backup_columns[e, i : i + 1] if visits > 1 else np.zeros(1, np.int64)
        setattr(shown, name, word.view(columns[name])[0])
    if below is not None:
        shown.below = np.float64(below)
    record: Any = tree.backup.copy().view(np.dtype((np.record, backup.code(runner.game).record)))[0]
    with np.errstate(all="ignore"):
        backup.update(record, shown, np.float64(got))
    return float(shown.value)


def _fits(runner: "Runner", value: float, got: float) -> bool:
    params = runner.params
    low, high = (params.least_return, params.most_return) if params.solver else (-math.inf, math.inf)
    if runner.settings.backup.below:  # see `fits` of `core/backup.py`
        low, high = 2 * low - high, 2 * high - low
    return math.isfinite(value) and min(low, got) <= value <= max(high, got)
