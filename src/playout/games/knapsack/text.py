"""Knapsacks as text: `take 3` or `leave 3` for an action, the items so far for a position."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import LEAVE, TAKE, whole_room

START = "empty"


def number_at(state: np.record, place: int) -> int:
    """The number, from 1 on, of the item at a place in the order."""
    return int(state.order[place]) + 1


def is_taken(state: np.record, place: int) -> bool:
    return bool(int(state.taken) >> place & 1)


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return f"{'take' if action == TAKE else 'leave'} {number_at(state, int(state.at))}"


def action_from_text(game: Game, state: np.record, text: str) -> int:
    found = re.fullmatch(r"(take|leave|[+-])\s*([0-9]{1,9})", text.strip().lower())
    if not found:
        raise shared.refused(game, state, text, "expected take or leave and the item's number")
    if shared.is_over(game, state) or int(found[2]) != number_at(state, int(state.at)):
        raise shared.refused(game, state, text, "another item comes first")
    return TAKE if found[1] in ("take", "+") else LEAVE


def state_to_text(game: Game, state: np.record) -> str:
    """The items decided by the player: those that did not fit are not written."""
    room, parts = float(whole_room(state)), []
    for place in range(int(state.at)):
        if state.loads[place] > room:
            continue
        taken = is_taken(state, place)
        room -= float(state.loads[place]) if taken else 0.0
        parts.append(f"{'+' if taken else '-'}{number_at(state, place)}")
    return " ".join(parts) or START


def state_from_text(game: Game, state: np.record, text: str) -> None:
    if text.lower() == START:
        return
    parts = text.split()
    if not all(re.fullmatch(r"[+-][0-9]{1,9}", part) for part in parts):
        raise shared.unreadable(game, text, f"'{START}', or the items taken and left so far, as in +3 -1")
    shared.replay(game, state, parts, text)
