"""Messages for faulty rules: which rule, in which position, what it did, and what was expected."""

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.common.raised import described, safe_text, users_frames, users_line
from playout.core.callback import CallbackError
from playout.core.checked_rules import WrongAnswerError
from playout.core.copies import Copies
from playout.core.fast import MOST_ACTIVE
from playout.core.recorder import BUFFERS, LISTED, Recorder, StateGuard, guarded
from playout.core.references import PACKAGE, is_proven
from playout.core.rules import CHANCE
from playout.core.watch import CtrlC, RuleExit, RuleInterrupted, as_exception, python_seconds, watched
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.errors import GameError, PlayoutError, SettingsError
from playout.parts.faults import raised_in

if TYPE_CHECKING:
    from .game import Game
    from .position import Position

UNWRITTEN = -12345  # what buffers hold before a rule is run again
ROUNDING = 1e-6
RANGE = {False: "set value_range = (least, most) in the class", True: "give value_range= to po.wrap"}  # of an object
SUM = {False: "set returns_sum in the class", True: "give returns_sum= to po.wrap"}


class Hang(GameError):
    """A rule that did not return in time."""


@contextlib.contextmanager
def rules_may_raise(
    game: "Game",
    rule: str = "",
    position: "Position | None" = None,
    action: int | None = None,
    *,
    state: Any = None,
    overdue: Callable[[], str | None] = lambda: None,
    parts: Sequence[Any] = (),
) -> Iterator[None]:
    """Around compiled code: what a rule raises becomes a `GameError` that names it; what an object raised stays.

    `rule`, `position` and `action` say what is called, where that is known; otherwise `state` holds the bytes that the
    rules are working on. A rule that does not return is interrupted at Ctrl-C, and when `overdue` gives a reason. So is
    a function of one of the `parts`; what it raises becomes a `SettingsError`.
    """
    own_parts = any(not is_proven(getattr(part, part._needed)) for part in parts)
    with watched(overdue) if game.rules.guard or own_parts else contextlib.nullcontext() as watch:
        try:
            with game.entering():
                yield
        except CallbackError:
            raise game.take_error() from None
        except PlayoutError:
            raise
        except BaseException as raised:
            error = raised if watch is None else as_exception(raised)
            if not isinstance(error, Exception):
                raise
            found, place = rule_origin(game, error)
            name, where = f"{game.title}.{rule or found}", _where(position, action)
            of_part = raised_in(parts, error)
            if of_part is not None:
                name, place = of_part
                if not isinstance(error, RuleInterrupted):
                    raise SettingsError(f"{name} raised {described(error)}, at {place}") from error
            if isinstance(error, RuleInterrupted) and watch is not None:
                if position is None and state is not None:
                    where = f" at {safe_text(lambda: game.call_method('state_to_text', game.rules.view(state.copy())))}"
                still = f"{name} was still running{where}"
                if watch.ctrl_c:
                    raise KeyboardInterrupt(still) from None
                why = f"{watch.reason}; does the loop at {place} end there?"
                raise Hang(f"{still} and was interrupted: {why}") from None
            if isinstance(error, WrongAnswerError):
                what = f"{game.title}.{error}; `playout doctor` finds the position"
                if rule and position is not None:
                    again = ask_again(rule, position, action)
                    wrong = _wrong_code(game, again) if rule == "action_code" else _wrong_answer(rule, again)
                    what, fix = wrong
                    what = f"{name} {what}{where}; {fix}"
                raise GameError(what) from error
            if isinstance(error, IndexError) and rule and position is not None:
                what, fix = _past_the_end(game, rule, ask_again(rule, position, action))
                raise GameError(f"{name} {what},{where}, at {place}; {fix}") from error
            advice = "" if position is not None else "; `playout doctor` finds the position"
            raise GameError(f"{name} raised {described(error)}{where}, at {place}{advice}") from error


def call_python(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a user's plain Python function; what it raises becomes a `GameError` that names it.

    It is interrupted at Ctrl-C, and when it has used `python_seconds` of processor time.
    """
    with watched(), Watchdog(python_seconds()) as watchdog:
        try:
            return watchdog.call(function, *arguments)
        except PlayoutError:
            raise
        except (Exception, CtrlC, NeverReturnedError) as error:  # noqa: BLE001  # whatever a user's function raises
            raise _failed(name, error, watchdog.seconds) from _cause(error)


def call_method(title: str, method: Callable[..., Any], where: Callable[[], str], *arguments: Any) -> Any:
    """Call a method that writes or reads texts or pictures, and that may be a user's own.

    It is interrupted as in `call_python`, with the outermost of the user's functions in the message; what it raises
    stays, unless it would end the program.
    """
    with watched(), Watchdog(python_seconds()) as watchdog:
        try:
            return watchdog.call(method, *arguments)
        except (RuleExit, CtrlC, NeverReturnedError) as error:
            own = [frame.name for frame in users_frames(error)]
            name = f"{title}.{own[0] if own else method.__name__}"
            raise _failed(name, error, watchdog.seconds, where()) from _cause(error)


def _cause(error: BaseException) -> BaseException | None:
    return error if isinstance(error, Exception) else None


def _failed(name: str, error: BaseException, seconds: float, where: str = "") -> BaseException:
    """The exception for a user's plain Python function that raised `error`, or that was interrupted by it."""
    place = users_line(error)
    if isinstance(error, CtrlC):
        return KeyboardInterrupt(f"{name} was still running{where}")
    if isinstance(error, NeverReturnedError):
        question = f"; does the loop at {place} end?" if place else ""
        return Hang(f"{name} was still running{where} after {seconds:g} s and was interrupted{question}")
    return GameError(f"{name} raised {described(error)}{where}" + (f", at {place}" if place else ""))


def _where(position: "Position | None", action: int | None) -> str:
    if position is None:
        return ""
    played = "" if action is None else f" for action {safe_text(lambda: position.action_text(action))}"
    return f"{played} in {place_of(position)}"


def place_of(position: "Position") -> str:
    """The text of a position; it may come from the user's own code, and fail too."""
    return safe_text(lambda: position.text) or "the start"


def rule_origin(game: "Game", error: BaseException) -> tuple[str, str]:
    """The rule that an exception came from, and the line in the user's code; Numba keeps both in the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    rules = {(f.__code__.co_filename, f.__code__.co_name) for f in game.rules.functions.values()}
    ours = (str(PACKAGE), sys.base_prefix, sys.prefix)
    own = [f for f in frames if (f.filename, f.name) in rules or not f.filename.startswith(ours)]
    inside = [f for f in frames if (f.filename, f.name) in rules]
    first = inside[0] if inside else (own or frames)[-1]
    last = own[-1] if own else frames[-1]
    return first.name, f"{last.filename}:{last.lineno}"


def wrong_player(game: "Game", player: int, where: str = "") -> str:
    """Message for an invalid player."""
    if player == CHANCE:
        return f"{game.title}.current_player returned CHANCE{where}, but the game has no chance_outcomes; define it"
    return (
        f"{game.title}.current_player returned {player}{where}, expected 0 to {game.players - 1}, po.TERMINAL or "
        f"po.CHANCE; the position is impossible, or the rule is wrong (`playout doctor` finds out)"
    )


def wrong_count(game: "Game", rule: str, count: int, where: str) -> str:
    """Message for an invalid number of actions."""
    if count <= 0:
        return (
            f"{game.title}.{rule} returned {count} actions{where}, expected 1 to max_actions = {game.max_actions}: "
            f"where the game is over, current_player must return po.TERMINAL"
        )
    return f"{game.title}.{rule} returned {count} actions{where}, more than max_actions = {game.max_actions}; raise it"


def room_for_features(game: "Game") -> int:
    """How many features one position can have."""
    return min(game.feature_count, MOST_ACTIVE)


def wrong_features(game: "Game", count: int, found: Any, where: str) -> str | None:
    """Message for invalid features; None where they are fine."""
    most, last = room_for_features(game), game.feature_count - 1
    if not 0 <= count <= most:
        limit = "feature_count" if most == game.feature_count else "the most that a network takes"
        return (
            f"{game.title}.features returned {count} features{where}, expected 0 to {limit} = {most}: return how many "
            f"it wrote to `out`"
        )
    wrong = [int(feature) for feature in found[:count] if not 0 <= feature <= last]
    if not wrong:
        return None
    return (
        f"{game.title}.features gave feature {wrong[0]}{where}, expected 0 to feature_count - 1 = {last}; raise "
        f"feature_count, or give smaller numbers"
    )


@dataclass
class Again:
    """What a rule did when run again, uncompiled, on arrays that record writes outside of them."""

    recorder: Recorder = field(default_factory=Recorder)
    buffers: dict[str, Any] = field(default_factory=dict)
    actions: list[int] = field(default_factory=list)  # those it was given, or those it listed
    left: list[int] = field(default_factory=list)  # those it was given, after the call
    value: Any = None  # what it returned
    error: Exception | None = None


def ask_again(rule: str, position: "Position", action: int | None) -> Again:
    """Run a rule again, uncompiled, to see what it did wrong."""
    game, again = position.game, Again()
    sizes: dict[str, Any] = {"rewards": game.players, "values": game.players, "planes": game.planes}
    if rule == "features":
        sizes["out"] = room_for_features(game)
    for name in BUFFERS.get(rule, ()):
        counts = name == "actions" or rule == "features"
        buffer = np.zeros(sizes.get(name, game.max_actions), np.int64 if counts else np.float64)
        buffer[...] = 0 if name in ("rewards", "planes") else UNWRITTEN
        again.buffers[name] = guarded(buffer, again.recorder, name)
    given: tuple[Any, ...] = ()
    if rule in ("apply", "action_index", "action_code"):
        given = (action,)
    elif rule in ("observe", "features"):
        given = (max(0, position.player),)
    elif rule in ("priors", "playout_action"):
        again.actions = position.actions()
        listed = np.zeros(game.max_actions, np.int64)
        listed[: len(again.actions)] = again.actions
        given = (guarded(listed, again.recorder, "actions"), len(again.actions))
    if rule in ("playout_action", "chance_action"):
        given = (*given, np.zeros(1, np.uint64))
    if rule == "action_code" and not game.has(rule):
        return Again(value=action)
    plain = Copies(lambda copied: copied).of(game.rules.functions[rule])  # including its compiled helpers
    state = StateGuard(game.rules.record).view(position.buffer.copy(), again.recorder)
    try:
        with np.errstate(all="ignore"):
            again.value = count = plain(state, *given, *again.buffers.values())
        if rule in ("legal_actions", "chance_outcomes"):
            again.actions = again.buffers["actions"][: int(count)].tolist()
        elif rule in ("priors", "playout_action"):
            again.left = given[0][: len(again.actions)].tolist()
    except Exception as error:  # noqa: BLE001  # whatever a user's rule raises
        again.error = error
    return again


def _past_the_end(game: "Game", rule: str, again: Again) -> tuple[str, str]:
    """Which array a rule wrote past the end of, and how far; and what to do."""
    if not again.recorder.outside:
        what = f": {again.error}" if isinstance(again.error, IndexError) else ""
        return f"used an index past the end of an array{what}", "check the index first"
    name, outside = next(iter(again.recorder.outside.items()))
    limit, fix = f"its shape, {outside.shape}", "check the index first"
    if name == "out" and rule == "features":
        limit, fix = f"the room for features, {outside.shape[0]}", "raise feature_count, or write no further"
    elif name in LISTED:
        limit, fix = f"max_actions = {game.max_actions}", "raise it, or write no further"
    elif name in ("rewards", "values"):
        limit = f"players = {game.players}"
    at = (outside.most - 1,) if len(outside.shape) == 1 and outside.most else outside.first
    writes = again.recorder.writes[name]
    entries = f"{writes} {'entry' if writes == 1 else 'entries'} in all"
    return f"wrote {name}[{', '.join(map(str, at))}], {entries}, and the limit is {limit}", fix


def _wrong_answer(rule: str, again: Again) -> tuple[str, str]:
    """What is wrong with actions listed twice or changed, or invalid priors, and what to do."""
    twice = next((action for action in again.actions if again.actions.count(action) > 1), None)
    if rule == "legal_actions" and twice is not None:
        return f"listed action {twice} more than once ({_some(again.actions)})", "list each action once"
    if rule == "chance_outcomes" and twice is not None:
        fix = "list each outcome once, with the sum of its probabilities"
        return f"listed outcome {twice} more than once ({_some(again.actions)})", fix
    for i, (before, after) in enumerate(zip(again.actions, again.left, strict=False)):
        if before != after:
            return f"changed actions[{i}] from {before} to {after}", "only read `actions`, or change a copy of it"
    fix = "write a finite weight of at least 0 for each of actions[:count]"
    for i, weight in enumerate(again.buffers.get("out", ())[: len(again.actions)]):
        if weight == UNWRITTEN:
            return f"left out[{i}] unwritten", fix
        if not 0 <= weight < np.inf:
            return f"gave {weight:g} to action {again.actions[i]}", fix
    return "gave an answer that a search can't use", "make it depend on the state alone"


def _wrong_code(game: "Game", again: Again) -> tuple[str, str]:
    """What is wrong with the code of an action, and what to do."""
    limit = f"codes are 0 to action_codes - 1 = {game.action_codes - 1}"
    if game.has("action_code"):
        return f"returned {again.value}", f"{limit}; raise action_codes, or return smaller codes"
    return "is missing, so that the code is the action's number", f"{limit}; raise action_codes, or define the rule"


def wrong_draw(position: "Position", action: int) -> str | None:
    """Message for an illegal action from `playout_action` or `chance_action`; None where it is legal."""
    if position.player == CHANCE:
        rule, what = "chance_action", "outcomes of chance_outcomes whose probability is above 0"
        listed = [outcome for outcome, weight in position.outcomes() if weight > 0]
    else:
        rule, what, listed = "playout_action", "legal actions", position.actions()
    if action in listed:
        return None
    return (
        f"{position.game.title}.{rule} returned {action} in {place_of(position)}, expected one of the {what}: "
        f"{_some(listed)}; return the action itself, not its index"
    )


def _some(actions: list[int], most: int = 12) -> str:
    return ", ".join(map(str, actions[:most])) + (", …" if len(actions) > most else "")


def wrong_value(game: "Game", what: str, values: Any, where: str) -> str | None:
    """Message for values that are impossible in a game; None where they are fine."""
    limits, numbers = game.range, [float(v) for v in values]
    text = ", ".join(f"{v:g}" for v in numbers)
    if not all(np.isfinite(numbers)):
        return f"{game.title}.{what} gave {text}{where}, expected finite numbers, one for each player"
    if limits is not None and any(not limits[0] - ROUNDING <= v <= limits[1] + ROUNDING for v in numbers):
        assumed = " (assumed for two players and more)" if game.value_range == "default" else ""
        return (
            f"{game.title}.{what} gave {text}{where}, outside of value_range {limits[0]:g} to {limits[1]:g}{assumed}; "
            f"correct it, or {RANGE[game.keeps_objects]}"
        )
    if message := wrong_sum(game, numbers):
        return f"{game.title}.{what} gave {text}{where}, which {message}"
    return None


def wrong_sum(game: "Game", values: list[float]) -> str | None:
    """The end of a message for values with the wrong sum; None where it is right."""
    expected, total = game.sums_to, sum(values)
    if game.players == 1 or expected is None or abs(total - expected) <= ROUNDING * max(1.0, *map(abs, values)):
        return None
    assumed = " (assumed for two players)" if game.returns_sum == "default" else ""
    return (
        f"add up to {total:g}, expected returns_sum = {expected:g}{assumed}; correct it, or {SUM[game.keeps_objects]} "
        f"(None: it varies)"
    )
