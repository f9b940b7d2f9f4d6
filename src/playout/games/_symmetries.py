"""The ways to turn and mirror a board, as index arrays for what a network sees and answers."""

from typing import Any

import numpy as np


def permutations(sources: list[Any], planes: int, extra: int = 0) -> list[tuple[Any, Any]]:
    """For each board of `sources`, which holds at every cell the number of the cell whose content comes there: index
    arrays of all planes, flat, and of a policy that has an action for each cell and then `extra` that stay.
    """
    found = []
    for source in sources:
        flat, size = source.ravel(), source.size
        of_planes = np.concatenate([flat + size * plane for plane in range(planes)])
        found.append((of_planes, np.concatenate([flat, np.arange(size, size + extra)])))
    return found


def of_square(size: int) -> list[Any]:
    """The seven ways to turn and mirror a square board, other than leaving it as it is.

    >>> of_square(2)[0].tolist()
    [[1, 3], [0, 2]]
    """
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(board, quarters) for quarters in range(4)]
    return [*turned[1:], *(np.fliplr(source) for source in turned)]
