"""The symmetries of a game for networks over sparse inputs, from those that it has for planes.

A game's `symmetries` turn its planes and its policy. Where its features are the ones in these planes, by their place in
the flattened planes, they are turned alike; features beyond the planes' size, such as who moved first, stay.
"""

import math
from typing import Any

import numpy as np

from playout.game import CHANCE, Game

from .learning import symmetries_of

LOOKED = 200  # positions at random in which features are compared with planes


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
