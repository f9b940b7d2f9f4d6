"""Tours as text: a city by its number from 1 on, a position as the cities so far."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return str(action + 1)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip()
    if not re.fullmatch(r"[0-9]{1,9}", wanted):
        raise shared.refused(game, state, text, "expected the number of a city")
    city = int(wanted) - 1
    if not 0 <= city < state.cities:
        raise shared.refused(game, state, text, f"the cities are 1 to {state.cities}")
    if city not in shared.legal(game, state):
        raise shared.refused(game, state, text, "the city was visited before")
    return city


def state_to_text(game: Game, state: np.record) -> str:
    return "-".join(str(int(city) + 1) for city in state.order[: state.count])


def state_from_text(game: Game, state: np.record, text: str) -> None:
    cities = re.split(r"\s*-\s*|\s+", text)
    if not all(re.fullmatch(r"[0-9]{1,9}", city) for city in cities):
        raise shared.unreadable(game, text, "the cities so far, as in 1-5-3")
    if cities[0] != "1":
        raise shared.impossible(game, text, "the tour begins in city 1")
    shared.replay(game, state, cities[1:], text)
