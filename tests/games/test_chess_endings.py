"""Endings against a bare king: our retrograde analysis has the known figures, and near the mate the search finds it."""

import numpy as np
import pytest
from benchmarks.chess_endings import defend, fen_of, is_won, squares_of

import playout as po
from tests.oracles.endings import NEVER, ending


@pytest.mark.parametrize(
    ("men", "plies", "won"),
    [
        ("Q", 19, 144_508),
        ("R", 31, 175_168),
        ("P", 55, 124_954),  # six less than there are, in which the pawn must become a rook
    ],
)
def test_the_longest_mates_and_the_number_of_wins_are_the_known_ones(men, plies, won):
    found = ending(men).white
    assert (int(found[found < NEVER].max()), int((found < NEVER).sum())) == (plies, won)


def test_the_defender_runs_from_the_mate():
    """In the corner the king is mated at once, beside it in two moves."""
    position = po.games.load("chess").position("6k1/8/6K1/8/8/8/8/R7 b - - 0 1")
    assert position.action_text(defend(position)) == "g8f8"
    men, squares = squares_of(position.play(defend(position)))
    assert (men, int(ending(men).white[squares])) == ("R", 3)


def test_positions_are_written_and_read_back():
    position = po.games.load("chess").position(fen_of("BN", (63, 18, 3, 40)))
    assert squares_of(position) == ("BN", (63, 18, 3, 40))


@pytest.mark.compiled_only
@pytest.mark.parametrize("men", ["Q", "R", "P"])
def test_a_mate_that_is_near_is_not_missed(men):
    near = np.argwhere(ending(men).white == 3)
    for squares in near[np.random.default_rng(2).choice(len(near), 3, replace=False)]:
        assert is_won(men, squares, po.preset("chess"), {"simulations": 4000})
