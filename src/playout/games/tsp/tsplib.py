"""TSPLIB files: keywords, sections, and distances rounded as "TSPLIB 95" (Reinelt) says."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .rules import MOST_CITIES

KEYWORDS = (
    "NAME",
    "TYPE",
    "COMMENT",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE",
    "DISPLAY_DATA_TYPE",
)
SECTIONS = ("NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION", "DISPLAY_DATA_SECTION", "FIXED_EDGES_SECTION")
PI, RADIUS = 3.141592, 6378.388  # as TSPLIB has them

Place = tuple[float, float]


class InstanceError(ValueError):
    """What is wrong with a description of the cities."""


class Instance(NamedTuple):
    """Distances between all cities, and their places on a map where they are known."""

    distances: NDArray[np.float64]
    places: NDArray[np.float64] | None


def nint(x: float) -> int:
    """TSPLIB's rounding of a number that is not negative.

    >>> nint(2.5), nint(2.4)
    (3, 2)
    """
    return int(x + 0.5)


def euclidean(a: Place, b: Place) -> int:
    return nint(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2))


def euclidean_up(a: Place, b: Place) -> int:
    return math.ceil(math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2))


def manhattan(a: Place, b: Place) -> int:
    return nint(abs(a[0] - b[0]) + abs(a[1] - b[1]))


def pseudo_euclidean(a: Place, b: Place) -> int:
    """ATT: rounded up where rounding to the nearest gives too little."""
    exact = math.sqrt(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / 10.0)
    return nint(exact) if nint(exact) >= exact else nint(exact) + 1


def _radians(x: float) -> float:
    """Degrees and minutes, DDD.MM, cut off towards zero as the optima of TSPLIB have it."""
    degrees = math.trunc(x)
    return PI * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0


def geographical(a: Place, b: Place) -> int:
    """GEO: kilometres on the earth between latitudes and longitudes.

    >>> geographical((16.47, 96.10), (16.47, 94.44))  # the first two cities of burma14
    153
    """
    q1 = math.cos(_radians(a[1]) - _radians(b[1]))
    q2 = math.cos(_radians(a[0]) - _radians(b[0]))
    q3 = math.cos(_radians(a[0]) + _radians(b[0]))
    return int(RADIUS * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)


METRICS: dict[str, Callable[[Place, Place], int]] = {
    "EUC_2D": euclidean,
    "CEIL_2D": euclidean_up,
    "MAN_2D": manhattan,
    "ATT": pseudo_euclidean,
    "GEO": geographical,
}


def _cells(shape: str, n: int) -> Iterator[tuple[int, int]]:
    """The cells of a matrix in the order of a format: a triangle, with or without the diagonal, by rows or columns."""
    diagonal = "DIAG" in shape
    if shape == "FULL_MATRIX":
        yield from ((i, j) for i in range(n) for j in range(n))
    elif shape in ("UPPER_ROW", "UPPER_DIAG_ROW", "LOWER_COL", "LOWER_DIAG_COL"):  # these are the same for symmetry
        yield from ((i, j) for i in range(n) for j in range(i if diagonal else i + 1, n))
    else:
        yield from ((i, j) for i in range(n) for j in range(i + 1 if diagonal else i))


FORMATS = (
    "FULL_MATRIX",
    *(f"{half}_{middle}{by}" for half in ("UPPER", "LOWER") for middle in ("", "DIAG_") for by in ("ROW", "COL")),
)


def read_numbers(words: list[str], where: str) -> list[float]:
    """Finite numbers; `InstanceError` names the first word that is none."""
    found = []
    for word in words:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InstanceError(f"{where} has '{word[:40]}', expected a number")
        found.append(number)
    return found


def read_tsplib(text: str) -> Instance:
    """The cities of a TSPLIB text; `InstanceError` says what is wrong with it."""
    facts, sections = _parts(text)
    kind = facts.get("TYPE", "TSP").split()[0].upper() if facts.get("TYPE", "TSP").split() else ""
    if kind not in ("TSP", "ATSP"):
        raise InstanceError(f"TYPE is '{facts['TYPE'][:40]}', expected TSP or ATSP")
    size = facts.get("DIMENSION", "")
    if not (size.isascii() and size.isdigit() and 1 <= len(size) <= 9):
        raise InstanceError(
            f"DIMENSION is '{size[:40]}', expected the number of cities" if size else "DIMENSION is missing"
        )
    n = int(size)
    if n > MOST_CITIES:
        raise InstanceError(f"DIMENSION is {n}, expected at most {MOST_CITIES} cities")
    if any(words != ["-1"] for _, words in sections.get("FIXED_EDGES_SECTION", [])):
        raise InstanceError("FIXED_EDGES_SECTION is not supported: the tours would not have to contain those edges")
    metric = facts.get("EDGE_WEIGHT_TYPE", "").upper()
    if metric == "EXPLICIT":
        shown = sections.get("DISPLAY_DATA_SECTION")
        return Instance(
            _matrix(facts, sections, n), None if shown is None else np.array(_places(shown, n, "DISPLAY_DATA"))
        )
    if metric not in METRICS:
        known = ", ".join((*METRICS, "EXPLICIT"))
        raise InstanceError(
            f"EDGE_WEIGHT_TYPE is '{metric[:40]}', expected {known}" if metric else "EDGE_WEIGHT_TYPE is missing"
        )
    if "NODE_COORD_SECTION" not in sections:
        raise InstanceError(f"NODE_COORD_SECTION is missing, and EDGE_WEIGHT_TYPE is {metric}")
    places = _places(sections["NODE_COORD_SECTION"], n, "NODE_COORD")
    distances = np.array([[float(METRICS[metric](a, b)) for b in places] for a in places])
    if metric == "GEO":
        places = [(longitude, latitude) for latitude, longitude in places]
    return Instance(distances, np.array(places, float))


def _parts(text: str) -> tuple[dict[str, str], dict[str, list[tuple[int, list[str]]]]]:
    """The keywords with their values, and the lines of each section, numbered, as words."""
    facts: dict[str, str] = {}
    sections: dict[str, list[tuple[int, list[str]]]] = {}
    section: list[tuple[int, list[str]]] | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words:
            continue
        key = line.partition(":")[0].strip().upper()
        if key == "EOF":
            break
        if key in SECTIONS:
            section = sections.setdefault(key, [])
        elif key in KEYWORDS and ":" in line:
            facts[key], section = line.partition(":")[2].strip(), None
        elif section is not None and not key[:1].isalpha():
            section.append((number, words))
        else:
            known = ", ".join((*KEYWORDS, *SECTIONS))
            raise InstanceError(f"line {number} has the unknown keyword '{key[:40]}' (TSPLIB's: {known})")
    return facts, sections


def _places(lines: list[tuple[int, list[str]]], n: int, what: str) -> list[Place]:
    places: list[Place] = []
    for number, words in lines:
        if len(words) != 3:
            raise InstanceError(
                f"line {number} has {len(words)} fields, expected 3: the city's number and two coordinates"
            )
        if words[0] != str(len(places) + 1):
            raise InstanceError(f"line {number} begins with '{words[0][:40]}', expected city {len(places) + 1}")
        x, y = read_numbers(words[1:], f"line {number}")
        places.append((x, y))
    if len(places) != n:
        raise InstanceError(f"{what}_SECTION has {len(places)} cities, and DIMENSION is {n}")
    return places


def _matrix(facts: dict[str, str], sections: dict[str, list[tuple[int, list[str]]]], n: int) -> NDArray[np.float64]:
    shape = facts.get("EDGE_WEIGHT_FORMAT", "").upper()
    if shape not in FORMATS:
        raise InstanceError(f"EDGE_WEIGHT_FORMAT is '{shape[:40]}', expected {', '.join(FORMATS)}")
    lines = sections.get("EDGE_WEIGHT_SECTION", [])
    numbers = [x for number, words in lines for x in read_numbers(words, f"line {number}")]
    cells = list(_cells(shape, n))
    if len(numbers) != len(cells):
        raise InstanceError(
            f"EDGE_WEIGHT_SECTION has {len(numbers)} numbers, expected {len(cells)} for {n} cities as {shape}"
        )
    found = np.zeros((n, n))
    for (i, j), weight in zip(cells, numbers, strict=True):
        found[i, j] = weight
        if shape != "FULL_MATRIX":
            found[j, i] = weight
    return found
