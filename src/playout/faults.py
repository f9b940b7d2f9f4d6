"""What to say when a rule is wrong: which rule, in which position, what it did, and what was expected."""

import contextlib
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .core.callback import CallbackError
from .core.guard import Copies, is_proven
from .core.rules import CHANCE
from .core.watch import RuleInterrupted, watched
from .errors import GameError, PlayoutError, SettingsError
from .part_faults import raised_in

if TYPE_CHECKING:
    from .game import Game, Position

LARGE = 1 << 16  # room for what a rule writes too much, when it is asked again to see how much that is
ROUNDING = 1e-6
RANGE = {False: "set value_range = (least, most) in the class", True: "say value_range= in po.wrap"}  # of an object
SUM = {False: "set returns_sum in the class", True: "say returns_sum= in po.wrap"}


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
    """Around compiled code: what a rule raises becomes a `GameError` that names it; what an object raised is itself.

    `rule`, `position` and `action` say what is being asked, where that is known; otherwise `state` holds the bytes that
    rules are at work on. A rule that does not return is interrupted at Ctrl-C, and when `overdue` gives a reason. So is
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
        except Exception as error:
            found, place = rule_origin(game, error)
            name, where = f"{game.title}.{rule or found}", _where(position, action)
            of_part = raised_in(parts, error)
            if of_part is not None:
                name, place = of_part
                if not isinstance(error, RuleInterrupted):
                    raise SettingsError(f"{name} raised {described(error)}, at {place}") from error
            if isinstance(error, RuleInterrupted) and watch is not None:
                if position is None and state is not None:
                    where = f" at {safe_text(lambda: game.state_to_text(game.rules.view(state.copy())))}"
                still = f"{name} was still running{where}"
                if watch.ctrl_c:
                    raise KeyboardInterrupt(still) from None
                why = f"{watch.reason}; does the loop at {place} end there?"
                raise Hang(f"{still} and was interrupted: {why}") from None
            if isinstance(error, IndexError) and rule and position is not None:
                raise GameError(f"{name} {_past_the_end(rule, position, action)}{where}, at {place}") from error
            advice = "" if position is not None else "; `playout doctor` finds the position"
            raise GameError(f"{name} raised {described(error)}{where}, at {place}{advice}") from error


def _where(position: "Position | None", action: int | None) -> str:
    if position is None:
        return ""
    played = "" if action is None else f" for action {safe_text(lambda: position.action_text(action))}"
    return f"{played} in {place_of(position)}"


def place_of(position: "Position") -> str:
    """A position in words; its text may be the user's own code, and wrong as well."""
    return safe_text(lambda: position.text) or "the start"


def safe_text(text: Callable[[], str]) -> str:
    try:
        return " ".join(text().split())
    except Exception as error:  # noqa: BLE001  # whatever a user's own text function raises
        return f"a position whose text raised {described(error)}"


def rule_origin(game: "Game", error: BaseException) -> tuple[str, str]:
    """The rule that an exception came from, and the user's own line; Numba, too, leaves the rule in the traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    rules = {(f.__code__.co_filename, f.__code__.co_name) for f in game.rules.functions.values()}
    ours = (str(Path(__file__).resolve().parent), sys.base_prefix, sys.prefix)
    own = [f for f in frames if (f.filename, f.name) in rules or not f.filename.startswith(ours)]
    inside = [f for f in frames if (f.filename, f.name) in rules]
    first = inside[0] if inside else (own or frames)[-1]
    last = own[-1] if own else frames[-1]
    return first.name, f"{last.filename}:{last.lineno}"


def users_place(error: BaseException) -> str | None:
    """The line of a user's own code that an exception was raised in, if it was."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = (str(Path(__file__).resolve().parent), sys.base_prefix, sys.prefix, "<frozen")
    own = [frame for frame in frames if not frame.filename.startswith(ours)]
    return f"{own[-1].filename}:{own[-1].lineno}, in {own[-1].name}" if own else None


def described(error: BaseException) -> str:
    """An exception in one short line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}{'…' if len(text) > 160 else ''}" if text else type(error).__name__


def wrong_player(game: "Game", player: int, where: str = "") -> str:
    """Message for an invalid player."""
    if player == CHANCE:
        return f"{game.title}.current_player returned CHANCE{where}, but the game has no chance_outcomes; define it"
    return (
        f"{game.title}.current_player returned {player}{where}, expected 0 to {game.players - 1}, po.TERMINAL or "
        f"po.CHANCE; the position is impossible, or the rule is wrong (`playout doctor` finds out)"
    )


def wrong_count(game: "Game", rule: str, count: int, where: str) -> str:
    """Message for a number of actions that can't be."""
    if count <= 0:
        return (
            f"{game.title}.{rule} returned {count} actions{where}, expected 1 to max_actions = {game.max_actions}: "
            f"where the game is over, current_player must return po.TERMINAL"
        )
    return f"{game.title}.{rule} returned {count} actions{where}, more than max_actions = {game.max_actions}; raise it"


def _past_the_end(rule: str, position: "Position", action: int | None) -> str:
    """How far a rule wrote past the end of an array: it is run again, uncompiled, with more room."""
    game = position.game
    most, players = game.max_actions, game.players
    rooms = {
        "legal_actions": ("actions", most, np.int32),
        "chance_outcomes": ("actions", most, np.int32),
        "apply": ("rewards", players, np.float64),
        "evaluate": ("values", players, np.float64),
        "priors": ("out", most, np.float64),
    }
    if rule in rooms:
        name, limit, kind = rooms[rule]
        room: Any = np.zeros(LARGE, kind)
        room[:] = -12345
        rest: tuple[Any, ...] = {"apply": (action, room), "chance_outcomes": (room, np.zeros(LARGE))}.get(rule, (room,))
        if rule == "priors":
            legal = np.array(position.actions(), np.int32)
            rest = (legal, len(legal), room)
        plain = Copies(lambda copied: copied).of(game.rules.functions[rule])  # its compiled helpers, too
        with contextlib.suppress(Exception), np.errstate(all="ignore"):
            plain(game.rules.view(position.buffer.copy()), *rest)
        written = np.flatnonzero(room != -12345)
        if len(written) and written[-1] >= limit:
            unit = f"max_actions = {most}" if limit == most and rule != "apply" else f"players = {players}"
            return f"wrote {name}[{written[-1]}], {len(written)} entries in all, and the limit is {unit},"
    return "used an index past the end of an array"


def wrong_value(game: "Game", what: str, values: Any, where: str) -> str | None:
    """Message for values of the players that a game can't have; None where they are right."""
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
    """The end of a message for values of all players with a sum that a game can't have; None where it can."""
    expected, total = game.sums_to, sum(values)
    if game.players == 1 or expected is None or abs(total - expected) <= ROUNDING * max(1.0, *map(abs, values)):
        return None
    assumed = " (assumed for two players)" if game.returns_sum == "default" else ""
    return (
        f"add up to {total:g}, expected returns_sum = {expected:g}{assumed}; correct it, or {SUM[game.keeps_objects]} "
        f"(None: it varies)"
    )
