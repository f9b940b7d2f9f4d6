"""What the built-in games share: helpers of rules, reading of moves, pieces of SVG."""

import html
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic, overload, register_jitable

from playout.errors import ActionError, PositionError
from playout.game import TERMINAL, Game

Rule = Callable[..., Any]

# Colours that can be seen on white and on black.
GREY, RED, BLUE, GOLD = "#8a8f98", "#d9534f", "#3d7fc4", "#f2b632"


def helper(function: Rule) -> Rule:
    """Let rules call a function; it is compiled with the rule that calls it, and stays plain Python for Python."""
    return register_jitable(function)  # type: ignore[no-any-return]  # Numba is untyped


def lowest_bit(bits: Any) -> int:
    """The number of the lowest bit that is set in a uint64, which must not be 0; one instruction when compiled.

    >>> lowest_bit(np.uint64(40))
    3
    """
    return (int(bits) & -int(bits)).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]  # Numba is untyped
def _trailing_zeros(typingctx: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return builder.cttz(values[0], context.get_constant(types.boolean, True))

    return types.int64(types.uint64), codegen


@overload(lowest_bit)
def _lowest_bit(bits):
    def compiled(bits):
        return _trailing_zeros(bits)

    return compiled


@helper
def count_bits(bits):
    """How many bits of a uint64 are set."""
    count = 0
    while bits != 0:
        bits &= bits - np.uint64(1)
        count += 1
    return count


def is_over(game: Game, state: Any) -> bool:
    return bool(game.rules.functions["current_player"](state) == TERMINAL)


def legal(game: Game, state: Any) -> list[int]:
    """The legal actions by the uncompiled rules, so that reading a text compiles nothing."""
    if is_over(game, state):
        return []
    actions = np.zeros(game.max_actions, np.int32)
    with np.errstate(over="ignore"):
        count = game.rules.functions["legal_actions"](state, actions)
    return [int(action) for action in actions[:count]]


def play(game: Game, state: Any, action: int) -> None:
    with np.errstate(over="ignore"):
        game.rules.functions["apply"](state, action, np.zeros(game.players))


def refused(game: Game, state: Any, text: str, reason: str) -> ActionError:
    """The error for an action's text: what came, where, why not, and what would do."""
    if is_over(game, state):
        reason = "the game is over"
    names = [game.action_to_text(state, action) for action in legal(game, state)]
    instead = f" (legal: {', '.join(names)})" if names else ""
    place = game.state_to_text(state) or "the empty board"
    return ActionError(f"{game.title}: '{text.strip()}' is not legal in {place}: {reason}{instead}")


def replay(game: Game, state: Any, moves: Sequence[str], text: str) -> None:
    """Play written moves; the first that can't be played is named by its number."""
    for number, move in enumerate(moves, start=1):
        try:
            action = game.action_from_text(state, move)
        except ActionError as error:
            reason = str(error).removeprefix(f"{game.title}: ")
            raise PositionError(f"{game.title}: can't play '{text}', move {number}: {reason}") from None
        play(game, state, action)


def impossible(counts: Sequence[int], won: Sequence[bool], row: str) -> str:
    """Why a board of X and O, placed in turn until one has a row, can't be, by their counts and who won; "": it can."""
    if counts[0] - counts[1] not in (0, 1):
        return f"{counts[0]} X and {counts[1]} O; X begins, so X has as many as O or one more"
    if won[0] and won[1]:
        return f"both sides have {row} in a row"
    if won[0] and counts[0] == counts[1]:
        return "O moved after X had won"
    if won[1] and counts[0] > counts[1]:
        return "X moved after O had won"
    return ""


def svg(width: float, height: float, body: Sequence[str], label: str) -> str:
    """A drawing of that size; `label` is read to those who can't see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="sans-serif" text-anchor="middle">'
        f"<title>{html.escape(label)}</title>{''.join(body)}</svg>"
    )


def element(name: str, text: str = "", **attributes: object) -> str:
    """One SVG element; `stroke_width` becomes stroke-width, floats lose their noise, everything is escaped."""
    given = "".join(
        f' {key.replace("_", "-")}="{html.escape(f"{v:g}" if isinstance(v, float) else str(v))}"'
        for key, v in attributes.items()
    )
    return f"<{name}{given}>{html.escape(text)}</{name}>" if text else f"<{name}{given}/>"
