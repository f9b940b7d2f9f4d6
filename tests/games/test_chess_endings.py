"""Endings against a bare king: our retrograde analysis has the known figures, and the search finds the mate."""

import numpy as np
import pytest
from benchmarks.chess_endings import defend, fen_of, is_won, squares_of

import playout as po
from playout.core import rules as core
from playout.games.chess.pawn_ending import PAWNS, WINS, is_pawn_win
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


def some_won_in(men, plies, count, seed):
    """Some positions where White mates in this many plies."""
    won = np.argwhere(ending(men).white == plies)
    return won[np.random.default_rng(seed).choice(len(won), count, replace=False)]


def test_positions_are_written_and_read_back():
    position = po.games.load("chess").position(fen_of("BN", (63, 18, 3, 40)))
    assert squares_of(position) == ("BN", (63, 18, 3, 40))


@pytest.mark.compiled_only
@pytest.mark.parametrize("men", ["Q", "R", "P"])
def test_a_mate_that_is_near_is_not_missed(men):
    for squares in some_won_in(men, plies=3, count=3, seed=2):
        assert is_won(men, squares, po.preset("chess"), {"simulations": 4000})


def test_a_pawn_wins_where_retrograde_analysis_says_so():
    """The two analyses differ only where the pawn must become a rook, which the oracle does not know of."""
    wins = np.unpackbits(WINS.view(np.uint8), bitorder="little").reshape(2, PAWNS, 64, 64).astype(bool)
    pawns = [8 * (1 + at // 4) + at % 4 for at in range(PAWNS)]
    known = ending("P")
    for found, table, more in ((wins[0], known.white, 3), (wins[1], known.black, 0)):
        expected = (table[:, :, pawns] < NEVER).transpose(2, 0, 1)  # [pawn, bare king, king]
        assert not (expected & ~found).any()
        assert int((found & ~expected).sum()) == more


@pytest.mark.parametrize(("side", "pawn", "king", "bare"), [(0, 54, 46, 63), (0, 53, 38, 47), (1, 14, 22, 7)])
def test_pawns_of_either_colour_and_on_any_file_are_looked_up(side, pawn, king, bare):
    turned = (side, pawn ^ 7, king ^ 7, bare ^ 7)
    for bare_moves in (False, True):
        flip = 56 * side
        table = ending("P").black if bare_moves else ending("P").white
        expected = bool(table[bare ^ flip, king ^ flip, pawn ^ flip] < NEVER)
        assert is_pawn_win(side, pawn, king, bare, bare_moves) == expected
        assert is_pawn_win(*turned, bare_moves) == expected


def white_value(fen):
    game = po.games.load("chess")
    values = np.zeros(2)
    core.evaluate(game.rules_table(wanted=("evaluate",)), game.position(fen).buffer, values)
    assert values.sum() == 0.0
    return values[0]


def test_values_grow_towards_the_mate_and_know_draws():
    far, near = white_value("8/8/8/4k3/8/8/8/KR6 w - - 0 1"), white_value("k7/8/1K6/8/8/8/8/7R w - - 0 1")
    assert 0.85 < far < near < 1.0
    assert white_value("8/8/8/8/8/8/6k1/K6R b - - 0 1") == 0.0  # the rook is lost
    assert white_value("8/8/8/8/k7/8/P7/K7 w - - 0 1") == 0.0  # a draw with a rook's pawn
    assert white_value("k6R/8/1K6/8/8/8/8/8 b - - 0 1") == 0.999  # mate
    assert white_value("8/8/8/8/8/8/kr6/4K3 w - - 0 1") < -0.85  # Black's rook


@pytest.mark.compiled_only
@pytest.mark.parametrize("men", ["Q", "R", "P"])
def test_a_mate_that_is_far_is_found_within_fifty_moves(men):
    for squares in some_won_in(men, plies=19, count=2, seed=3):
        assert is_won(men, squares, po.preset("chess"), {"simulations": 2000})
