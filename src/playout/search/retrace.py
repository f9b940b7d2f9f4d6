"""Run a failed simulation again step by step, to find which rule went wrong, and in which position."""

import contextlib
import itertools
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import evaluate as core_evaluate
from playout.core import rules as core_rules
from playout.core.expand import ROUNDING
from playout.core.params import FORGOTTEN
from playout.core.tree import NO_NODE, NODES, NOT_BEGUN, ROOT, child_node
from playout.core.watch import watched
from playout.errors import GameError
from playout.game import CHANCE, TERMINAL, Position
from playout.game.faults import place_of, rule_origin, rules_may_raise, wrong_draw, wrong_value

from .tables import is_guided

if TYPE_CHECKING:
    from .runner import Runner

TRACE = 1 << 16  # actions of a playout that are kept
UNUSED = -(2**31) + 1


def find_fault(runner: "Runner", failed: GameError | None = None) -> None:
    """Raise the `GameError` of the first rule that goes wrong in the simulation that has just failed.

    Its actions are found by running it once more with the same random numbers; then the rules are called one by one.
    Rules that draw are not called: where one of them `failed`, it is blamed in the last position. Returns if the fault
    does not show again.
    """
    if runner.game.keeps_objects:  # their methods raise messages of their own
        return
    used = _used(runner)
    if runner.batches is not None:
        _ask_all(Position(runner.game, runner.work.state.copy()), used)
    path = follow(start_path(runner.position, used), [a for _, step in walked(runner) for a in step], used)
    for playout, ended in _played_out(runner, path.end):
        whole = follow(path, playout, used, drawn=True)
        if ended:
            _check_returns(runner, whole.actions, whole.rewards, whole.end)
        elif failed is not None and isinstance(failed.__cause__, Exception):
            _blame_draw(whole.end, failed.__cause__)


@dataclass(frozen=True)
class Path:
    """A position, and the actions that led to it with the rewards of each."""

    end: Position
    actions: tuple[int, ...] = ()
    rewards: tuple[Any, ...] = ()


def start_path(position: Position, used: Collection[str]) -> Path:
    """The path that begins at a position, where the rules are checked."""
    _ask_all(position, used)
    return Path(position)


def follow(path: Path, actions: list[int], used: Collection[str], *, drawn: bool = False) -> Path:
    """Play the actions and check on the way the rules that every search uses, and the optional ones named in `used`.

    `drawn`: the actions come from rules of the game that draw them.
    """
    for action in actions:
        if drawn and (message := wrong_draw(path.end, action)):
            raise GameError(message)
        after = path.end.play(action)
        _check_values("apply", after.rewards, path.end, action, total=False)
        got = np.asarray(after.rewards, float).copy()
        path = Path(after, (*path.actions, action), (*path.rewards, got))
        _ask_all(after, used)
    return path


def _blame_draw(position: Position, error: Exception) -> None:
    game = position.game
    draws = "chance_action" if position.player == CHANCE else "playout_action"
    rule, _ = rule_origin(game, error)
    if game.has(draws) and (rule == draws or not game.has(rule)):  # in a helper, the rule itself is not known
        with rules_may_raise(game, draws, position):
            raise error


def walked(runner: "Runner") -> list[tuple[int, list[int]]]:
    """The edges of the walk through the tree, which may have failed before it came to its end.

    Each comes with its action, and the outcomes that an open loop drew after it.
    """
    tree, work = runner.tree, runner.work
    steps, node = list[tuple[int, list[int]]](), int(tree.counters[NODES] > ROOT) * ROOT
    drawn = work.draws[1 : int(work.draws[0])] if len(work.draws) else work.draws
    for d, (number, e) in enumerate(zip(work.path_nodes.tolist(), work.path_edges.tolist(), strict=True)):
        if number != node or node == NO_NODE:
            break
        drawn_here = [int(outcome) for depth, outcome in drawn.reshape(-1, 2) if depth == d]
        steps.append((e, [int(tree.edges[e]["action"]), *drawn_here]))
        node = child_node(int(tree.edges[e]["child"]))
    return steps


def _played_out(runner: "Runner", leaf: Position) -> list[tuple[list[int], bool]]:
    """The actions of each playout from a leaf, run again with the same random numbers, and whether it ended."""
    tree, began = runner.tree, runner.work.began[0]
    if runner.batches is not None or leaf.is_terminal or began == NOT_BEGUN or not runner.params.rollouts:
        return [([], True)]
    work = runner.new_work(len(runner.work.path_nodes), TRACE)
    work.state[:], work.trace[:], work.trace[0] = leaf.buffer, UNUSED, 1
    random, tree.rng[0] = tree.rng.copy(), began
    # It fails here for the second time: it is only run to see how far it gets.
    with contextlib.suppress(Exception), watched(runner.control.overdue):
        core_evaluate.evaluate(runner.rules, runner.params._replace(remembers=FORGOTTEN), tree, work, 0)
    tree.rng[:] = random
    playouts, actions = list[tuple[list[int], bool]](), list[int]()
    for action in itertools.takewhile(lambda action: action != UNUSED, work.trace[1:].tolist()):
        if action == core_evaluate.END_OF_PLAYOUT:
            playouts.append((actions, True))
            actions = []
        else:
            actions.append(action)
    return playouts if len(playouts) == runner.params.rollouts else [*playouts, (actions, False)]


def _used(runner: "Runner") -> set[str]:
    """The optional rules that a search uses."""
    game, params = runner.game, runner.params
    if runner.network is not None:
        return {"features", *(("hash",) if params.has_hash else ())}
    static = params.evaluator != 0 or params.static_too or params.depth
    asked = {
        "priors": game.has("priors") and (params.has_priors or is_guided(runner.settings)),
        "hash": params.has_hash,
        "action_code": params.codes,
        "evaluate": game.has("evaluate") and static,
    }
    return {rule for rule, is_asked in asked.items() if is_asked}


def _ask_all(position: Position, used: Collection[str]) -> None:
    """Call each rule that the search uses for a position."""
    if position.player == TERMINAL:
        return
    position.actions()
    if position.player == CHANCE:
        _check_probabilities(position)
    if position.player != CHANCE and "priors" in used:
        position.priors()
    if "hash" in used:
        check_hash(position)
    if "action_code" in used and position.player != CHANCE:
        for action in position.actions():
            position.action_code(action)
    if "features" in used:
        position.features()
        for action in position.actions() if position.player != CHANCE else ():
            position.action_index(action)
    if "evaluate" in used:
        _check_values("evaluate", position.evaluate(), position, None, total=True)


def check_hash(position: Position) -> None:
    """Refuse a `hash` that raises, or gives one position two keys."""
    game = position.game
    table = game.rules_table(wanted=("hash",))
    with rules_may_raise(game, "hash", position):
        first, then = (int(core_rules.position_hash(table, position.buffer)) for _ in range(2))
    if first != then:
        raise GameError(
            f"{game.title}.hash returned {first} and then {then} in {place_of(position)}; "
            f"the same state must always have the same number"
        )


def _check_probabilities(position: Position) -> None:
    """Refuse chance outcomes whose probabilities don't add up to 1."""
    weights = [weight for _, weight in position.outcomes()]
    if not all(weight >= 0 for weight in weights) or not abs(math.fsum(weights) - 1) <= ROUNDING:
        listed = ", ".join(f"{weight:g}" for weight in weights[:8]) + (", …" if len(weights) > 8 else "")
        unwritten = " (nan was written, or nothing at all)" if any(map(math.isnan, weights)) else ""
        raise GameError(
            f"{position.game.title}.chance_outcomes gave the probabilities {listed} in {position.text or 'the start'}, "
            f"which add up to {math.fsum(weights):g}{unwritten}; expected numbers from 0 up that add up to 1"
        )


def _check_values(rule: str, values: Any, position: Position, action: int | None, *, total: bool) -> None:
    """Refuse values out of range; the rewards of one action need not add up to what a whole game brings."""
    game = position.game
    where = f" in {position.text or 'the start'}"
    if action is not None:
        where = f" for action {position.action_text(action)}{where}"
    if (total or not np.all(np.isfinite(values))) and (message := wrong_value(game, rule, values, where)):
        raise GameError(message)


def _check_returns(runner: "Runner", actions: tuple[int, ...], rewards: tuple[Any, ...], end: Position) -> None:
    """Refuse rewards whose sum is out of range, from whichever position of the simulation that is so."""
    total = np.zeros(runner.game.players)
    if not end.is_terminal and runner.game.has("evaluate") and runner.params.depth:
        total += end.evaluate()
    for number in range(len(actions) - 1, -1, -1):
        total = rewards[number] + runner.params.discount * total
        position = runner.position
        if wrong_value(runner.game, "apply", total, "") is None:
            continue
        for action in actions[:number]:
            position = position.play(action)
        text = position.action_text(actions[number])
        played = f" as rewards for action {text} in {position.text or 'the start'}"
        if number < len(actions) - 1:
            played = f" as the sum of the rewards after {text} in {position.text or 'the start'}"
        raise GameError(str(wrong_value(runner.game, "apply", total, played)))
