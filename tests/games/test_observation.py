"""What networks see of the built-in games, where their policies have the actions, and how positions can be mirrored."""

import random

import chess as python_chess
import numpy as np
import pytest

from playout import games
from playout.core.jit import COMPILED

NAMES = ["tictactoe", "connect4", "othello", "chess"]
MIRRORED = ["tictactoe", "connect4", "othello"]
GAMES = 20 if COMPILED else 4
CHESS_GAMES = 12 if COMPILED else 1


def random_positions(name: str, seed: int):
    """The positions of one random game, its end too."""
    chooser = random.Random(seed)
    position = games.load(name).position()
    yield position
    while not position.is_terminal:
        position = position.play(chooser.choice(position.actions()))
        yield position


def all_positions(name: str):
    for seed in range(CHESS_GAMES if name == "chess" else GAMES):
        yield from random_positions(name, seed)


def drawn(shape: tuple[int, ...], *rows: str) -> np.ndarray:
    """Planes from a drawing, the rows of all planes one under the other: # is one, . zero."""
    return np.array([[cell == "#" for cell in row] for row in rows], np.float32).reshape(shape)


def ones(planes: np.ndarray, plane: int) -> set[tuple[int, int]]:
    """Where a plane of zeros and ones has the ones, as (row, column)."""
    assert set(np.unique(planes[plane])) <= {0.0, 1.0}
    return {(int(row), int(column)) for row, column in np.argwhere(planes[plane])}


# Drawn by hand


def test_tictactoe_planes():
    position = games.load("tictactoe").position("X.O/.X./...")  # O moves
    own, other = ("..#", "...", "..."), ("#..", ".#.", "...")
    assert position.player == 1
    np.testing.assert_array_equal(position.observe(), drawn((2, 3, 3), *own, *other))
    np.testing.assert_array_equal(position.observe(0), drawn((2, 3, 3), *other, *own))
    np.testing.assert_array_equal(position.observe(1), drawn((2, 3, 3), *own, *other))


def test_tictactoe_planes_of_a_won_game():
    position = games.load("tictactoe").position("XXX/OO./...")
    assert position.is_terminal
    np.testing.assert_array_equal(position.observe(0), drawn((2, 3, 3), "###", "...", "...", "...", "##.", "..."))


def test_connect4_planes_have_the_bottom_first():
    position = games.load("connect4").position("44471")  # X: d1, d3, a1; O: d2, g1; O moves
    o = ("." * 6 + "#", "...#...", *["." * 7] * 4)
    x = ("#..#...", "." * 7, "...#...", *["." * 7] * 3)
    np.testing.assert_array_equal(position.observe(), drawn((2, 6, 7), *o, *x))
    np.testing.assert_array_equal(position.observe(0), drawn((2, 6, 7), *x, *o))


def test_othello_planes_show_where_a_disc_may_be_put():
    position = games.load("othello").position().play(19)  # d3
    assert position.player == 1
    black, white = {(2, 3), (3, 3), (3, 4), (4, 3)}, {(4, 4)}
    planes = position.observe()
    assert [ones(planes, plane) for plane in range(3)] == [white, black, {(2, 2), (2, 4), (4, 2)}]
    planes = position.observe(0)
    assert [ones(planes, plane) for plane in range(3)] == [black, white, {(4, 5), (5, 4), (5, 5)}]


def test_othello_plane_is_empty_where_a_side_must_pass():
    empty, centre = "-" * 8, "---XX---"
    rows = ("OXXXXXXX", empty, empty, centre, centre, empty, empty, "XO------")
    position = games.load("othello").position(f"{'/'.join(rows)} O")
    assert position.actions() == [64]
    assert ones(position.observe(), 0) == {(0, 0), (7, 1)}
    assert ones(position.observe(), 2) == set()
    assert ones(position.observe(0), 2) == {(7, 2)}


PIECES = {  # of White, below; Black has a rook's pawn more
    0: {(4, 4)},
    1: {(0, 6)},
    2: set(),
    3: {(0, 0)},
    4: {(6, 1)},
    5: {(0, 4)},
    6: {(4, 3), (6, 0)},
    7: set(),
    8: {(7, 2)},
    9: {(7, 0), (7, 7)},
    10: set(),
    11: {(7, 4)},
}
DRAWN_FEN = "r1b1k2r/pQ6/8/3pP3/8/8/8/R3K1N1 w Qk d6 0 30"
DRAWN_FEN_BLACK = "r3k1n1/8/8/8/3Pp3/8/Pq6/R1B1K2R b Kq d3 0 30"  # the same with the colours exchanged


@pytest.mark.parametrize("fen", [DRAWN_FEN, DRAWN_FEN_BLACK])
def test_chess_planes(fen):
    planes = games.load("chess").position(fen).observe()
    for plane, squares in PIECES.items():
        assert ones(planes, plane) == squares, plane
    full = [plane for plane in range(20) if (planes[plane] == 1).all()]
    assert full == [13, 14, 19]  # own long, the other's short; ones
    assert ones(planes, 16) == {(5, 3)}
    assert not planes[[12, 15, 17, 18]].any()


def test_chess_planes_from_the_side_that_waits():
    planes = games.load("chess").position(DRAWN_FEN).observe(1)
    assert ones(planes, 5) == {(0, 4)}
    assert ones(planes, 3) == {(0, 0), (0, 7)}
    assert ones(planes, 10) == {(1, 1)}  # White's queen
    assert [plane for plane in range(12, 16) if planes[plane].all()] == [12, 15]
    assert ones(planes, 16) == {(2, 3)}


def test_chess_planes_count_moves_and_show_repetition():
    game = games.load("chess")
    there_and_back = "startpos moves g1f3 g8f6 f3g1 f6g8"
    planes = game.position(there_and_back).observe()
    assert (planes[17] == np.float32(0.04)).all()
    assert (planes[18] == 1).all()
    planes = game.position(f"{there_and_back} b1c3").observe()
    assert (planes[17] == np.float32(0.05)).all()
    assert not planes[18].any()


# Features, the sparse form


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("tictactoe", "X.O/.X./...", {2, 9, 13}),  # O moves: the own stone, then 9 more for the opponent's
        ("connect4", "44471", {6, 10, 42, 45, 59}),  # O moves, and did not move first
        ("connect4", "4447", {3, 17, 52, 48, 84}),  # X moves, and did
        ("othello", "d3", {36, 64 + 19, 64 + 27, 64 + 28, 64 + 35, 128 + 18, 128 + 20, 128 + 34}),
        ("chess", DRAWN_FEN, None),
        ("chess", DRAWN_FEN_BLACK, None),
    ],
)
def test_features(name, text, expected):
    found = games.load(name).position(text).features()
    if expected is None:  # from the planes drawn above; the own long castling, the other's short; the d-file
        expected = {64 * plane + 8 * row + column for plane, squares in PIECES.items() for row, column in squares}
        expected |= {769, 770, 775}
    assert len(found) == len(expected)
    assert set(found) == expected


@pytest.mark.parametrize("name", NAMES)
def test_features_are_the_ones_of_the_planes(name):
    for position in all_positions(name):
        for player in range(2):
            planes, found = position.observe(player), position.features(player)
            assert len(found) == len(set(found)) <= position.game.feature_count
            assert all(0 <= feature < position.game.feature_count for feature in found)
            if name != "chess":
                extra = {84} if name == "connect4" and player == 0 else set()
                assert set(found) == set(np.flatnonzero(planes).tolist()) | extra
                continue
            rights = {768 + right for right in range(4) if planes[12 + right].all()}
            files = {772 + int(column) for _, column in np.argwhere(planes[16])}
            assert set(found) == set(np.flatnonzero(planes[:12]).tolist()) | rights | files


# The player's side


@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_the_other_side_sees_the_stones_exchanged(name):
    for position in all_positions(name):
        np.testing.assert_array_equal(position.observe(0), position.observe(1)[::-1])
        assert position.observe(0)[0].sum() - position.observe(1)[0].sum() in (0, 1)  # X began


def test_othello_looks_the_same_with_the_colours_exchanged():
    game = games.load("othello")
    for position in all_positions("othello"):
        exchanged = game.position(position.text.translate(str.maketrans("XO", "OX")))
        for player in (0, 1):
            np.testing.assert_array_equal(exchanged.observe(1 - player), position.observe(player))
        if not position.is_terminal:
            open_squares = {8 * row + column for row, column in ones(position.observe(), 2)}
            assert (open_squares or {64}) == set(position.actions())


def test_chess_looks_the_same_with_the_colours_exchanged():
    game = games.load("chess")
    for seed in range(CHESS_GAMES):
        for position in list(random_positions("chess", seed))[:-1:7]:
            exchanged = game.position(python_chess.Board(position.text).mirror().fen())
            alone = game.position(position.text)  # a FEN has no past, so neither may this
            for player in (0, 1):
                np.testing.assert_array_equal(exchanged.observe(1 - player), alone.observe(player))
            here = {alone.action_index(action) for action in alone.actions()}
            assert here == {exchanged.action_index(action) for action in exchanged.actions()}


# Actions


@pytest.mark.parametrize("name", NAMES)
def test_each_legal_action_has_an_index_of_its_own(name):
    for position in all_positions(name):
        indices = [position.action_index(action) for action in position.actions()]  # it checks the range itself
        assert len(set(indices)) == len(indices)


@pytest.mark.parametrize("name", MIRRORED)
def test_the_index_of_a_board_game_is_the_action(name):
    for position in random_positions(name, 1):
        assert [position.action_index(action) for action in position.actions()] == position.actions()


START = "startpos"
CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R {} KQkq - 0 1"
PROMOTING = "1n1n4/P1P5/8/6k1/8/8/8/K6Q w - - 0 1"


@pytest.mark.parametrize(
    ("position", "move", "kind", "origin"),
    [
        (START, "e2e4", 1, 12),  # up, two steps
        (f"{START} moves e2e4", "e7e5", 1, 12),
        (START, "b1c3", 56, 1),
        (START, "b1a3", 63, 1),
        (f"{START} moves e2e4", "g8f6", 63, 6),
        (CASTLING.format("w"), "e1g1", 15, 4),  # right, two steps
        (CASTLING.format("b"), "e8c8", 43, 4),  # left
        (PROMOTING, "a7a8q", 0, 48),
        (PROMOTING, "a7a8n", 65, 48),
        (PROMOTING, "a7b8r", 72, 48),
        (PROMOTING, "c7b8b", 67, 50),
        (PROMOTING, "c7d8q", 7, 50),  # up and right
        (PROMOTING, "h1a8", 55, 7),  # up and left, seven steps
        (PROMOTING, "h1b1", 47, 7),
        ("k6q/8/8/8/8/8/8/4K3 b - - 0 1", "h8a1", 55, 7),
    ],
)
def test_chess_moves_in_the_policy(position, move, kind, origin):
    found = games.load("chess").position(position)
    assert found.action_index(found.action(move)) == 64 * kind + origin


def test_every_kind_of_chess_move_is_used():
    game, found = games.load("chess", claims=-1), set[int]()  # a lone knight is no draw then
    for square in python_chess.SQUARES:
        for piece in (python_chess.QUEEN, python_chess.KNIGHT):
            board = python_chess.Board(None)
            board.set_piece_at(square, python_chess.Piece(piece, python_chess.WHITE))
            taken = board.attacks_mask(square) | 1 << square
            free = [corner for corner in (0, 2, 16, 18, 45, 47, 61, 63) if not taken >> corner & 1]
            board.set_piece_at(free[0], python_chess.Piece(python_chess.KING, python_chess.WHITE))
            far = max(free[1:], key=lambda s: python_chess.square_distance(s, free[0]))
            board.set_piece_at(far, python_chess.Piece(python_chess.KING, python_chess.BLACK))
            position = game.position(board.fen())
            found |= {position.action_index(action) // 64 for action in position.actions()}
    assert found == set(range(64))
    for fen in ("1n1n4/2P5/8/8/7k/8/8/K7 w - - 0 1", "k7/8/8/7K/8/8/2p5/1N1N4 b - - 0 1"):
        position = game.position(fen)
        kinds = {position.action_index(action) // 64 for action in position.actions()}
        assert set(range(64, 73)) <= kinds


# Symmetries


def mirrored(position, name: str, j: np.ndarray):
    """The position with the cells exchanged, by its text."""
    game, text = position.game, position.text
    if name == "connect4":
        return game.position("".join(str(8 - int(column)) for column in text))
    cells = text.replace("/", "")
    return game.position("".join(cells[k] for k in j[: game.planes[1] ** 2]) + cells[64:])


@pytest.mark.parametrize("name", MIRRORED)
def test_a_mirrored_position_has_mirrored_planes_and_actions(name):
    for number, position in enumerate(all_positions(name)):
        for i, j in position.game.symmetries():
            if not COMPILED and number % 5:
                continue
            other = mirrored(position, name, j)
            for player in (0, 1):
                planes = position.observe(player).ravel()[i].reshape(position.game.planes)
                np.testing.assert_array_equal(other.observe(player), planes)
            legal = np.zeros(position.game.policy_size, bool)
            legal[position.actions()] = True
            assert other.actions() == np.flatnonzero(legal[j]).tolist()


@pytest.mark.parametrize(("name", "count"), [("tictactoe", 7), ("connect4", 1), ("othello", 7), ("chess", 0)])
def test_symmetries_are_all_different_and_any_two_make_another(name, count):
    game = games.load(name)
    found = game.symmetries()
    assert len(found) == count
    of_planes = {tuple(i.tolist()) for i, _ in found} | {tuple(range(int(np.prod(game.planes))))}
    of_policy = {tuple(j.tolist()) for _, j in found} | {tuple(range(game.policy_size))}
    assert len(of_planes) == len(of_policy) == count + 1
    for i, j in found:
        for k, m in found:
            assert tuple(i[k].tolist()) in of_planes
            assert tuple(j[m].tolist()) in of_policy


def test_a_quarter_turn_of_tictactoe():
    i, j = games.load("tictactoe").symmetries()[0]
    assert j.tolist() == [2, 5, 8, 1, 4, 7, 0, 3, 6]
    assert i.tolist() == [2, 5, 8, 1, 4, 7, 0, 3, 6, 11, 14, 17, 10, 13, 16, 9, 12, 15]


def test_othello_keeps_the_pass_where_it_is():
    for _, j in games.load("othello").symmetries():
        assert j[64] == 64


# Compiled and not


@pytest.mark.compiled_only
@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_uncompiled_see_the_same(name):
    for position in random_positions(name, 7):
        functions = position.game.rules.functions
        for player in (0, 1):
            planes = np.zeros(position.game.planes, np.float32)
            functions["observe"](position.state, player, planes)
            np.testing.assert_array_equal(position.observe(player), planes)
        if "action_index" in functions:
            for action in position.actions():
                assert functions["action_index"](position.state, action) == position.action_index(action)
