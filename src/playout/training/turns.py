"""The symmetries of a game: of its planes, and of the features of networks over sparse inputs.

A game's `symmetries` turn its planes and its policy. Where its features are the ones in these planes, by their place in
the flattened planes, they are turned alike; features beyond the planes' size, such as who moved first, stay.
"""

import math
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import GameError, PlayoutError
from playout.game import CHANCE, Game

LOOKED = 200  # positions at random in which features are compared with planes


def symmetries_of(game: Game) -> tuple[Any, Any]:
    """The symmetries of a game, the identity first: index arrays [S, K] of the planes and [S, A] of the policy."""
    sizes = math.prod(game.planes), game.policy_size
    found = [tuple(np.arange(size) for size in sizes)]
    try:
        found += [(np.asarray(i), np.asarray(j)) for i, j in game.symmetries()]
    except PlayoutError:
        raise
    except Exception as error:
        raise GameError(
            f"{game.title}.symmetries() did not return a list of pairs of index arrays ({described(error)}); a game "
            f"without this method learns positions unturned"
        ) from error
    for number, pair in enumerate(found[1:], 1):
        for what, array, size in zip(("planes", "policy"), pair, sizes, strict=True):
            if array.shape != (size,) or array.dtype.kind not in "iu" or (np.sort(array) != np.arange(size)).any():
                raise GameError(
                    f"{game.title}.symmetries(): the array for the {what} in pair {number} is {_index_text(array)}, "
                    f"expected each of 0 to {size - 1} once"
                )
    return np.stack([i for i, _ in found]), np.stack([j for _, j in found])


def _index_text(array: Any) -> str:
    if array.ndim == 1 and array.size and array.dtype.kind in "iu":
        return f"{array.size} whole numbers from {array.min()} to {array.max()}, {len(np.unique(array))} different ones"
    return f"{array.dtype}{list(array.shape)}"


def feature_turns(game: Game) -> tuple[Any, Any]:
    """Where each feature [S, feature_count] and each action of the policy [S, policy_size] goes, the identity first.

    Only the identity, where the game has no symmetries or its features are not its planes.
    """
    alone = np.arange(game.feature_count)[None], np.arange(game.policy_size)[None]
    if not game.has("observe") or not game.planes:
        return alone
    planes, policy = symmetries_of(game)
    if len(planes) == 1 or planes.shape[1] > game.feature_count or not _are_planes(game):
        return alone
    size = planes.shape[1]
    features = np.tile(np.arange(game.feature_count), (len(planes), 1))
    # symmetries say where each entry comes from; here it is where each goes
    features[:, :size] = np.argsort(planes, axis=1)
    return features, np.argsort(policy, axis=1)


def _are_planes(game: Game) -> bool:
    """Whether the features below the planes' size are the entries of the planes, in positions of random play."""
    random, size, position = np.random.default_rng(0), math.prod(game.planes), game.position()
    looked = 0
    while looked < LOOKED:
        if position.is_terminal:
            position = game.position()
        if position.player != CHANCE:
            looked += 1
            planes = position.observe().ravel()
            if not np.isin(planes, (0.0, 1.0)).all():
                return False
            if {f for f in position.features() if f < size} != set(np.flatnonzero(planes).tolist()):
                return False
        actions = position.actions()
        position = position.play(actions[int(random.integers(len(actions)))])
    return True
