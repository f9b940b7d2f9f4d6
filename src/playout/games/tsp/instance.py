"""The cities of a tour: from coordinates, a matrix, a TSPLIB text, or drawn at random."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playout.errors import SettingsError
from playout.game import Game
from playout.games._shared import check_range

from .rules import MOST_CITIES
from .tsplib import Instance, InstanceError, read_numbers, read_tsplib

LEAST_CITIES = 3
MAP = 100  # random cities lie on a map of this size
STEEPNESS = 3.0  # of the priors: e to the power of minus this for each mean distance to the nearest city
LEAST_WEIGHT = 1e-12


def check_settings(game: Game) -> None:
    check_range(game, "cities", LEAST_CITIES, MOST_CITIES)
    given = [key for key in ("coordinates", "distances", "tsplib") if game.values[key].strip()]
    if len(given) > 1:
        raise SettingsError(f"{game.title}: settings '{given[0]}' and '{given[1]}' are both given; give one of them")
    count = len(instance_of(game).distances)
    if game.values["cities"] not in (count, game.settings["cities"]):
        raise SettingsError(
            f"{game.title}: setting 'cities' is {game.values['cities']}, and '{given[0]}' has {count}; leave it out"
        )


def fill_constants(game: Game, constants: Any) -> None:
    """The distances, the weights of all steps, and places for a drawing."""
    found = instance_of(game)
    count = len(found.distances)
    constants.cities = count
    constants.distances[: count * count] = found.distances.ravel()
    constants.weights[: count * count] = weights_of(found.distances).ravel()
    constants.places[:count] = found.places


def instance_of(game: Game) -> Instance:
    """The cities that the settings name; `SettingsError` says what is wrong with them."""
    readers: dict[str, Callable[[str], Instance]] = {
        "coordinates": _from_coordinates,
        "distances": _from_matrix,
        "tsplib": read_tsplib,
    }
    for key, read in readers.items():
        if text := game.values[key].strip():
            try:
                return _checked(read(text))
            except InstanceError as fault:
                raise SettingsError(f"{game.title}: setting '{key}': {fault}") from None
    draw = random.Random(game.values["seed"]).random  # the same in every version of Python
    places = np.array([(int(MAP * draw()), int(MAP * draw())) for _ in range(game.values["cities"])], float)
    return Instance(straight(places), places)


def straight(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Euclidean distances between places."""
    steps = places[:, None, :] - places[None, :, :]
    found: NDArray[np.float64] = np.hypot(steps[..., 0], steps[..., 1])
    return found


def weights_of(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of all steps: a step one nearest distance longer (on average over the cities) is e^-3 as likely."""
    others = np.where(np.eye(len(distances), dtype=bool), np.inf, distances)
    nearest = others.min(axis=1)
    scale = float(nearest.mean()) or float(distances.mean()) or 1.0
    weights: NDArray[np.float64] = np.maximum(
        LEAST_WEIGHT, np.exp(-STEEPNESS * np.maximum(0.0, distances - nearest[:, None]) / scale)
    )
    return weights


def _from_coordinates(text: str) -> Instance:
    rows = _rows(text)
    for number, row in enumerate(rows, start=1):
        if len(row) != 2:
            raise InstanceError(f"city {number} has {len(row)} numbers, expected 2, as in 0 0; 3 4; 6 0")
    places = np.array(rows, float).reshape(-1, 2)
    return Instance(straight(places), places)


def _from_matrix(text: str) -> Instance:
    rows = _rows(text)
    for number, row in enumerate(rows, start=1):
        if len(row) != len(rows):
            raise InstanceError(f"row {number} has {len(row)} numbers, expected {len(rows)}, one for each row")
    return Instance(np.array(rows, float).reshape(len(rows), -1), None)


def _rows(text: str) -> list[list[float]]:
    """Numbers in rows, which end with `;` or the line."""
    rows = [row for row in text.replace(";", "\n").splitlines() if row.strip()]
    if len(rows) > MOST_CITIES:
        raise InstanceError(f"it has {len(rows)} cities, expected at most {MOST_CITIES}")
    return [read_numbers(row.replace(",", " ").split(), f"row {i}") for i, row in enumerate(rows, start=1)]


def _checked(found: Instance) -> Instance:
    """The instance, if it can be played; with places on a circle if it has none."""
    count = len(found.distances)
    if not LEAST_CITIES <= count <= MOST_CITIES:
        raise InstanceError(f"it has {count} cities, expected {LEAST_CITIES} to {MOST_CITIES}")
    np.fill_diagonal(found.distances, 0.0)
    wrong = np.argwhere(~((found.distances >= 0.0) & (found.distances < 1e15)))
    if len(wrong):
        one, other = (int(n) for n in wrong[0])
        raise InstanceError(
            f"the distance from {one + 1} to {other + 1} is {found.distances[one, other]:g}, expected 0 or more"
        )
    if found.places is None:
        turns = 2 * math.pi * np.arange(count) / count
        return Instance(found.distances, np.column_stack([np.sin(turns), np.cos(turns)]))
    return found
