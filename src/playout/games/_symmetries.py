"""The rotations and reflections of a board, as index arrays for a network's planes and policy."""

import numpy as np
from numpy.typing import NDArray

from playout.game.game import Symmetry


def permutations(sources: list[NDArray[np.int64]], planes: int, extra: int = 0) -> list[Symmetry]:
    """Index arrays of the flattened planes and of the policy, one pair for each board of `sources`.

    A board of `sources` holds, at each cell, the number of the cell whose content moves there. The policy has one
    action per cell, then `extra` actions that stay where they are.
    """
    found = []
    for source in sources:
        flat, size = source.ravel(), source.size
        of_planes = np.concatenate([flat + size * plane for plane in range(planes)])
        found.append((of_planes, np.concatenate([flat, np.arange(size, size + extra)])))
    return found


def of_square(size: int) -> list[NDArray[np.int64]]:
    """The seven rotations and reflections of a square board, without the identity.

    >>> of_square(2)[0].tolist()
    [[1, 3], [0, 2]]
    """
    board = np.arange(size * size).reshape(size, size)
    turned = [np.rot90(board, quarters) for quarters in range(4)]
    return [*turned[1:], *(np.fliplr(source) for source in turned)]
