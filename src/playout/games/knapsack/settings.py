"""The items of a knapsack: given, or drawn at random."""

import math
import random
from typing import Any, NamedTuple

from playout.errors import SettingsError
from playout.game import Game
from playout.games._shared import check_range

from .rules import MOST_ITEMS

LARGEST = 1e12
DRAWN = 100  # weights and values that are drawn go from 1 to this


class Items(NamedTuple):
    """Values and weights by item, and the capacity."""

    values: list[float]
    weights: list[float]
    capacity: float


def check_settings(game: Game) -> None:
    check_range(game, "items", 1, MOST_ITEMS)
    check_range(game, "capacity", 0, LARGEST)
    given = {key: _unpadded(game.values[key]) for key in ("values", "weights")}
    for key, numbers in given.items():
        if wrong := [n for n in numbers if not 0 < n <= LARGEST]:
            raise SettingsError(f"{game.title}: setting '{key}' has {wrong[0]:g}, expected numbers above 0")
    values, weights = given["values"], given["weights"]
    if len(values) != len(weights):
        raise SettingsError(
            f"{game.title}: setting 'values' has {len(values)} numbers and 'weights' has {len(weights)}, expected one "
            f"of each for every item"
        )
    if values and game.values["items"] not in (len(values), game.settings["items"]):
        raise SettingsError(
            f"{game.title}: setting 'items' is {game.values['items']}, and 'values' has {len(values)}; leave it out"
        )
    found = items_of(game)
    if found.capacity < min(found.weights):
        raise SettingsError(
            f"{game.title}: setting 'capacity' is {found.capacity:g}, and the lightest item weighs "
            f"{min(found.weights):g}; expected a capacity for at least one item"
        )


def items_of(game: Game) -> Items:
    """The items that the settings name."""
    values, weights = _unpadded(game.values["values"]), _unpadded(game.values["weights"])
    if not values:
        draw = random.Random(game.values["seed"]).random  # the same in every version of Python
        pairs = [(1 + int(DRAWN * draw()), 1 + int(DRAWN * draw())) for _ in range(game.values["items"])]
        values, weights = [float(v) for v, _ in pairs], [float(w) for _, w in pairs]
    return Items(values, weights, game.values["capacity"] or max(min(weights), math.floor(sum(weights) / 2)))


def fill_constants(game: Game, constants: Any) -> None:
    """The items in the order in which they are asked for."""
    found = items_of(game)
    count = len(found.values)
    order = sorted(range(count), key=lambda i: (-found.values[i] / found.weights[i], i))
    constants.items, constants.capacity = count, found.capacity
    constants.values[:count], constants.weights[:count] = found.values, found.weights
    constants.order[:count] = order
    constants.gains[:count] = [found.values[i] for i in order]
    constants.loads[:count] = [found.weights[i] for i in order]


def _unpadded(numbers: tuple[float, ...]) -> list[float]:
    found = list(numbers)
    while found and found[-1] == 0:
        found.pop()
    return found
