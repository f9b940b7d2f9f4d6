"""Chance is drawn in one way, with either kind of generator, by the probabilities of the game."""

import random

import numpy as np
import pytest

import playout as po
from playout.play.chance import draw_outcome, seed_of
from tests.games.toy_games import Dice


class Fixed:
    """A source that gives one number."""

    def __init__(self, number: float) -> None:
        self.number = number

    def random(self) -> float:
        return self.number


class NoChance(Dice):
    """A die whose outcomes all have probability 0."""

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        actions[0], actions[1] = 0, 1
        probabilities[0], probabilities[1] = 0.0, 0.0
        return 2


def thrown(game: po.Game) -> po.Position:
    return game.position().play(1)


@pytest.mark.parametrize(("number", "outcome"), [(0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 3), (1 - 2**-53, 3)])
def test_a_number_is_mapped_by_the_cumulative_probabilities(number: float, outcome: int) -> None:
    assert draw_outcome(thrown(Dice()), Fixed(number)) == outcome  # 0, 1 and 3 with 0.5, 0.3 and 0.2


def test_both_kinds_of_generators_draw_what_their_own_choice_draws() -> None:
    position, outcomes, weights = thrown(Dice()), [0, 1, 3], [0.5, 0.3, 0.2]
    ours, theirs = random.Random(7), random.Random(7)
    assert [draw_outcome(position, ours) for _ in range(50)] == theirs.choices(outcomes, weights, k=50)
    mine, other = np.random.default_rng(7), np.random.default_rng(7)
    assert [draw_outcome(position, mine) for _ in range(50)] == [other.choice(outcomes, p=weights) for _ in range(50)]


def test_probabilities_that_add_up_to_nothing_are_refused() -> None:
    with pytest.raises(po.GameError, match=r"NoChance.chance_outcomes gave probabilities that add up to 0 in "):
        draw_outcome(thrown(NoChance()), Fixed(0.5))


def test_seeds_differ_by_purpose() -> None:
    seeds = {seed_of(0, "chance", 1), seed_of(0, "player", 1), seed_of(0, "chance", 2), seed_of(1, "chance", 1)}
    assert len(seeds) == 4
