"""Helpers that several built-in games share: for rules, for reading and writing texts, and for SVG."""

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from playout.errors import ActionError, PositionError, SettingsError
from playout.game import TERMINAL, Game

Rule = Callable[..., Any]

GREY, RED, BLUE, GOLD = "#8a8f98", "#d9534f", "#3d7fc4", "#f2b632"  # visible on white and on black


def helper(function: Rule) -> Rule:
    """Mark a function that rules call: Numba compiles it with the rule, and Python still runs it as it stands."""
    return register_jitable(function)  # type: ignore[no-any-return]  # Numba is untyped


def lowest_bit(bits: Any) -> int:
    """The index of the lowest bit set in a uint64, which must not be 0; one instruction when compiled.

    >>> lowest_bit(np.uint64(40))
    3
    """
    return (int(bits) & -int(bits)).bit_length() - 1


def count_bits(bits: Any) -> int:
    """The number of bits set in a uint64; one instruction when compiled.

    >>> count_bits(np.uint64(41))
    3
    """
    return int(bits).bit_count()


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _trailing_zeros(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _population(typingctx: Any, bits: Any) -> Any:
    return types.int64(types.uint64), lambda context, builder, signature, values: builder.ctpop(values[0])


@overload(lowest_bit)
def _lowest_bit(bits):
    def compiled(bits):
        return _trailing_zeros(bits)

    return compiled


@overload(count_bits)
def _count_bits(bits):
    def compiled(bits):
        return _population(bits)

    return compiled


def is_over(game: Game, state: np.record) -> bool:
    """Whether the game has ended."""
    return bool(game.rules.functions["current_player"](state) == TERMINAL)


def legal(game: Game, state: np.record) -> list[int]:
    """The legal actions by the uncompiled rules, so that reading a text compiles nothing."""
    if is_over(game, state):
        return []
    actions = np.zeros(game.max_actions, np.int32)
    with np.errstate(over="ignore"):
        count = game.rules.functions["legal_actions"](state, actions)
    return [int(action) for action in actions[:count]]


def play(game: Game, state: np.record, action: int) -> None:
    """Apply an action by the uncompiled rules."""
    with np.errstate(over="ignore"):
        game.rules.functions["apply"](state, action, np.zeros(game.players))


def refused(game: Game, state: np.record, text: str, reason: str) -> ActionError:
    """The error for an action's text: what was given, where, why it is refused, and what is legal instead."""
    if is_over(game, state):
        reason = "the game is over"
    names = [game.action_to_text(state, action) for action in legal(game, state)]
    instead = f" (legal: {', '.join(names)})" if names else ""
    place = game.state_to_text(state) or "the empty board"
    return ActionError(f"{game.title}: '{text.strip()}' is not legal in {place}: {reason}{instead}")


def score(game: Game, state: np.record) -> float:
    """The score, for games whose state holds it."""
    return int(state.score)


def unreadable(game: Game, text: str, expected: str, *, what: str = "position", why: str = "") -> PositionError:
    """The error for a text that is not written as the game writes its positions (or moves: `what`)."""
    found = f" ({why})" if why else ""
    return PositionError(f"{game.title}: can't read {what} '{text}'{found}, expected {expected}")


def impossible(game: Game, text: str, reason: str) -> PositionError:
    """The error for a position that can be read, but that no game reaches."""
    return PositionError(f"{game.title}: position '{text}' is impossible: {reason}")


def check_range(game: Game, key: str, least: float, most: float, why: str = "") -> None:
    """Raise `SettingsError` where a setting is not a number from `least` to `most`."""
    if not least <= game.values[key] <= most:
        raise SettingsError(f"{game.title}: setting '{key}' is {game.values[key]}, expected {least} to {most}{why}")


def replay(game: Game, state: np.record, moves: Sequence[str], text: str) -> None:
    """Play moves given as text; an error names the first illegal one by its number."""
    for number, move in enumerate(moves, start=1):
        try:
            action = game.action_from_text(state, move)
        except ActionError as error:
            reason = str(error).removeprefix(f"{game.title}: ")
            raise PositionError(f"{game.title}: can't play '{text}', move {number}: {reason}") from None
        play(game, state, action)


def svg(width: float, height: float, body: Sequence[str], label: str) -> str:
    """An SVG drawing of that size; screen readers read `label`."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="sans-serif" text-anchor="middle">'
        f"<title>{html.escape(label)}</title>{''.join(body)}</svg>"
    )


def element(name: str, text: str = "", **attributes: object) -> str:
    """One SVG element; `stroke_width` becomes stroke-width, floats are shortened, and everything is escaped."""
    given = "".join(
        f' {key.replace("_", "-")}="{html.escape(f"{v:g}" if isinstance(v, float) else str(v))}"'
        for key, v in attributes.items()
    )
    return f"<{name}{given}>{html.escape(text)}</{name}>" if text else f"<{name}{given}/>"


def caption(text: str, x: float, y: float, size: int = 13) -> str:
    """Grey text centred at `x`."""
    return element("text", text, x=x, y=y, font_size=size, fill=GREY)
