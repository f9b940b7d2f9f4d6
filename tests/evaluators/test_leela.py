"""What Leela's networks see and answer, against lc0's recorded answers."""

import gzip
import json
import random

import chess
import numba
import numpy as np
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playout as po
from playout.core import rules as core
from playout.core.jit import COMPILED
from playout.errors import PositionError
from playout.evaluators import leela, leela_model
from playout.games.chess import Chess
from playout.games.chess.leela import LeelaChess

from . import make_tiny_leela
from .make_tiny_leela import ANSWERS as TINY_ANSWERS
from .make_tiny_leela import NETWORK as TINY_NETWORK

GAME, PLAIN = LeelaChess(), Chess()
KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"


def index(text, move):
    position = GAME.position(text)
    return position.action_index(position.action(move))


def squares(plane):
    """The names of the squares that are set, from the mover's side."""
    return {f"{'abcdefgh'[file]}{rank + 1}" for rank, file in np.argwhere(plane)}


def key(position):
    """The hash, by the rule as plain Python."""
    with np.errstate(over="ignore"):
        return int(LeelaChess.hash(position.state))


def session(model):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    given = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])


def answers(model, planes):
    return session(model).run(["policy", "value"], {"planes": planes})


# Moves


@pytest.mark.parametrize(
    ("text", "move", "expected"),
    [
        ("startpos", "e2e4", 322),
        ("startpos", "g1f3", 159),
        ("startpos", "b1a3", 34),
        ("startpos moves e2e4", "e7e5", 322),  # Black's moves are seen from Black's side
        ("startpos moves e2e4", "g8f6", 159),
        (KIWIPETE, "e1g1", 103),  # castling is the king's move onto the rook
        (KIWIPETE, "e1c1", 97),
        (KIWIPETE.replace(" w ", " b "), "e8g8", 103),
        ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1b1", 0),
        ("7R/8/8/8/8/k7/8/K7 w - - 0 1", "h8g8", 1791),
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8q", 1792),
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8r", 1793),
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8b", 1794),
        ("8/P7/8/8/8/8/7k/K7 w - - 0 1", "a7a8n", 1401),
        ("4k3/8/8/8/8/8/4p3/K7 b - - 0 1", "e2e1q", 1828),
        ("4k3/8/8/8/8/8/7p/K7 b - - 0 1", "h2h1b", 1857),
    ],
    ids=lambda value: str(value).split(" ")[0],
)
def test_moves_have_leelas_index(text, move, expected):
    assert index(text, move) == expected


def test_every_move_has_one_place_in_the_convolutional_policy():
    places = leela_model.policy_places()
    assert len(places) == len(set(places.tolist())) == 1858
    assert places.min() >= 0
    assert places.max() < 73 * 64
    # e2e4 goes two up: plane 1; g1f3 one left and two up: plane 63; a7a8q: up, the third of three promotions.
    assert places[322] == 64 * 1 + 12
    assert places[159] == 64 * 63 + 6
    assert places[1792] == 64 * (64 + 3 + 2) + 48


# Planes


def test_the_start_has_one_board_and_no_past():
    planes = GAME.position().observe()
    assert planes.shape == (112, 8, 8)
    assert planes.dtype == np.float32
    assert squares(planes[0]) == {f"{file}2" for file in "abcdefgh"}
    assert squares(planes[1]) == {"b1", "g1"}
    assert squares(planes[5]) == {"e1"}
    assert squares(planes[10]) == {"d8"}
    assert not planes[12:104].any()
    assert [planes[i].min() for i in range(104, 112)] == [1, 1, 1, 1, 0, 0, 0, 1]
    assert (planes[104:] == planes[104:, :1, :1]).all()


def test_black_sees_its_own_side_at_the_bottom_and_the_past_as_well():
    planes = GAME.position("startpos moves e2e4").observe()
    assert squares(planes[0]) == {f"{file}2" for file in "abcdefgh"}
    assert squares(planes[6]) == {f"{file}7" for file in "abcdfgh"} | {"e5"}
    assert squares(planes[13 + 6]) == {f"{file}7" for file in "abcdefgh"}
    assert not planes[26:104].any()
    assert planes[108].all()


def test_castling_rights_are_own_long_own_short_theirs_long_theirs_short():
    position = GAME.position("r3k2r/8/8/8/8/8/8/R3K2R w Qk - 7 30")
    assert [plane.min() for plane in position.observe()[104:]] == [1, 0, 0, 1, 0, 7, 0, 1]
    black = GAME.position("r3k2r/8/8/8/8/8/8/R3K2R b Qk - 7 30")
    assert [plane.min() for plane in black.observe()[104:]] == [0, 1, 1, 0, 1, 7, 0, 1]


def test_repetition_is_told_of_each_board():
    planes = GAME.position("startpos moves g1f3 g8f6 f3g1 f6g8 g1f3").observe()
    # Both the present position and the one before it, the start, were there before.
    assert [bool(planes[13 * age + 12].all()) for age in range(8)] == [True, True] + [False] * 6
    assert [bool(planes[13 * age].any()) for age in range(8)] == [True] * 6 + [False] * 2


def test_before_a_fen_the_same_board_stood_there():
    planes = GAME.position(KIWIPETE).observe()
    for age in range(1, 8):
        assert (planes[13 * age : 13 * age + 13] == planes[:13]).all()
    after = GAME.position(f"{KIWIPETE} moves e1g1").observe()
    assert (after[13:26] == after[91:104]).all()
    assert not (after[:13] == after[13:26]).all()


def test_the_start_as_a_fen_is_the_start_but_not_with_black_to_move():
    start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR {} KQkq - 0 1"
    assert (GAME.position(start.format("w")).observe() == GAME.position().observe()).all()
    assert GAME.position(start.format("b")).observe()[13:26].any()


@pytest.mark.parametrize(
    ("fen", "plane", "before", "now"),
    [
        # The pawn came by a double step. It can be taken in the first, not in the second; lc0 puts it back in both.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", 6, "d7", "d5"),
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2", 6, "d7", "d5"),
        ("4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 2", 6, "d7", "d5"),
    ],
    ids=["white takes", "nobody takes", "black takes"],
)
def test_a_pawn_that_can_be_taken_in_passing_stood_elsewhere_before(fen, plane, before, now):
    planes = GAME.position(fen).observe()
    assert squares(planes[plane]) == {now}
    assert all(squares(planes[13 * age + plane]) == {before} for age in range(1, 8))


def oracle(boards, repeated, board):
    """The planes by python-chess, from the list of all boards so far, the present one last."""
    planes = np.zeros((112, 64), np.float32)
    mover = board.turn
    for age, (old, was_there) in enumerate(zip(boards[:-9:-1], repeated[:-9:-1], strict=True)):
        for square, piece in old.piece_map().items():
            seen = square if mover else chess.square_mirror(square)
            planes[13 * age + 6 * (piece.color != mover) + piece.piece_type - 1, seen] = 1
        planes[13 * age + 12] = was_there
    for i, colour in enumerate((mover, not mover)):
        planes[104 + 2 * i] = board.has_queenside_castling_rights(colour)
        planes[105 + 2 * i] = board.has_kingside_castling_rights(colour)
    planes[108] = not mover
    planes[109] = board.halfmove_clock
    planes[111] = 1
    return planes.reshape(112, 8, 8)


def random_game(seed, most):
    """Play at random, as LeelaChess, as Chess and in python-chess; after each move all three positions."""
    rng = random.Random(seed)
    ours, plain, board = GAME.position(), PLAIN.position(), chess.Board()
    keys, boards, repeated = [board._transposition_key()], [board.copy(stack=False)], [False]
    for _ in range(most):
        yield ours, plain, board, oracle(boards, repeated, board)
        if ours.is_terminal:
            return
        legal = ours.actions()
        quiet = [a for a in legal if board.piece_type_at(a & 63) != chess.PAWN and not board.piece_at(a >> 6 & 63)]
        action = rng.choice(quiet if quiet and rng.random() < 0.5 else legal)
        board.push_uci(ours.action_text(action))
        ours, plain = ours.play(action), plain.play(action)
        repeated.append(board._transposition_key() in keys)
        keys.append(board._transposition_key())
        boards.append(board.copy(stack=False))


@pytest.mark.parametrize("seed", range(4 if COMPILED else 1))
def test_random_games_are_those_of_chess_and_show_the_boards_that_were(seed):
    for ours, plain, _, planes in random_game(seed, 200 if COMPILED else 20):
        assert ours.actions() == plain.actions()
        assert ours.player == plain.player
        assert ours.state.over == plain.state.over
        assert ours.text == plain.text
        assert (ours.rewards == plain.rewards).all()
        assert (ours.observe() == planes).all()
        indices = [ours.action_index(action) for action in ours.actions()]
        assert len(set(indices)) == len(indices)


@settings(max_examples=30 if COMPILED else 3, deadline=None)
@given(st.data())
def test_shuffling_pieces_repeats_positions(data):
    """Few moves to choose from, so that positions come back, three times too."""
    game = LeelaChess(claims=0)
    position, board = game.position("8/8/8/8/8/k7/8/K6R w - - 0 1"), chess.Board("8/8/8/8/8/k7/8/K6R w - - 0 1")
    keys, boards, repeated = [board._transposition_key()], [board.copy(stack=False)] * 8, [False] * 8
    for _ in range(data.draw(st.integers(0, 24))):
        action = data.draw(st.sampled_from(position.actions()[:3]))
        board.push_uci(position.action_text(action))
        position = position.play(action)
        repeated.append(board._transposition_key() in keys)
        keys.append(board._transposition_key())
        boards.append(board.copy(stack=False))
        if position.is_terminal:
            break
    assert (position.observe(1 - board.turn) == oracle(boards, repeated, board)).all()


def test_a_state_played_to_and_the_same_read_are_equal():
    moves = "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 f1e1 e4d6 f3e5"
    played = GAME.position()
    for move in moves.split():
        played = played.play(played.action(move))
    read = GAME.position(f"startpos moves {moves}")
    assert (played.buffer == read.buffer).all()


# Keys


def test_the_key_tells_apart_whatever_looks_different():
    seen = {}
    for seed in range(3 if COMPILED else 1):
        for ours, _, _, planes in random_game(seed + 10, 100 if COMPILED else 15):
            seen.setdefault(key(ours), set()).add(planes.tobytes())
    assert all(len(looks) == 1 for looks in seen.values())


def test_the_same_position_after_other_moves_has_another_key():
    one = GAME.position("startpos moves g1f3 g8f6 b1c3")
    other = GAME.position("startpos moves b1c3 g8f6 g1f3")
    assert one.text == other.text
    assert not (one.observe() == other.observe()).all()
    assert key(one) != key(other)
    assert key(one) == key(GAME.position("startpos moves g1f3 g8f6 b1c3"))
    with np.errstate(over="ignore"):
        plain = [int(Chess.hash(position.state)) for position in (one, other)]
    assert plain[0] != plain[1]  # the clock runs, so that the positions on the way count there too


def test_boards_count_in_the_key_in_their_order():
    """After a capture nothing of the way there can come back, so only the boards differ."""
    one = GAME.position("startpos moves b1c3 d7d5 g1f3 a7a6 c3d5")
    other = GAME.position("startpos moves g1f3 d7d5 b1c3 a7a6 c3d5")
    with np.errstate(over="ignore"):
        assert Chess.hash(one.state) == Chess.hash(other.state)
    assert key(one) != key(other)


@pytest.mark.compiled_only
def test_compiled_and_plain_rules_give_the_same_key():
    position = GAME.position("startpos moves g1f3 g8f6 f3g1 f6g8 e2e4")

    @numba.njit
    def compiled_hash(rules, state):
        return core.call_hash(rules, state)

    assert compiled_hash(GAME.rules_table(wanted=("hash",)), position.buffer) == key(position)


# Texts


def test_a_position_of_plain_chess_brings_its_moves():
    """Captures and pawn moves, of which the state of plain chess knows nothing afterwards."""
    moves = "e2e4 e7e5 g1f3 b8c6 d2d4 e5d4 f3d4 c6d4 d1d4"
    plain = PLAIN.position(f"startpos moves {moves[:19]}")
    for move in moves[20:].split():
        plain = plain.play(plain.action(move))
    expected = GAME.position(f"startpos moves {moves}").observe()
    assert (GAME.adopt(plain).observe() == expected).all()
    search = po.Search(PLAIN, po.Settings(policy=po.PUCT(), evaluator=po.Outside(AnyLeela())), position=plain)
    assert (search.position.observe() == expected).all()
    search.play("d7d6")
    assert (search.position.observe() == GAME.position(f"startpos moves {moves} d7d6").observe()).all()


class AnyLeela:
    """An evaluator that wants to see chess as Leela does."""

    metadata = {"playout.form": "leela"}  # noqa: RUF012

    def __call__(self, planes):
        return None, np.zeros(len(planes))


def test_a_state_of_plain_chess_brings_what_it_remembers():
    plain = PLAIN.position_of(PLAIN.position("startpos moves e2e4 g8f6 b1c3 f6g8 c3b1").state)
    position = GAME.adopt(plain)
    assert position.text == plain.text
    planes = position.observe()
    # What came before 1. e4 is forgotten: its board stands for all before it.
    assert (planes[13 * 4 : 13 * 5] == planes[13 * 7 : 13 * 8]).all()
    assert not (planes[13 * 3 : 13 * 4] == planes[13 * 4 : 13 * 5]).all()
    assert planes[12].all()
    assert GAME.adopt(position) is position


def test_a_state_that_was_written_into_is_taken_as_it_is():
    plain = PLAIN.position("startpos moves e2e4")
    plain.state.halfmoves = 7
    assert GAME.adopt(plain).observe()[109].max() == 7.0


def test_draws_that_nobody_claimed_on_the_way_do_not_end_the_reading():
    there_and_back = "g1f3 g8f6 f3g1 f6g8 " * 2
    text = f"startpos moves {there_and_back}e2e4"
    assert not GAME.position(text).is_terminal
    assert GAME.position(f"startpos moves {there_and_back}").is_terminal
    assert GAME.position(text).state.claims == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("startpos moves e2e5", "move 1 of 'startpos moves e2e5'"),
        ("startpos movese2e4", "can't read 'movese2e4'"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", "king"),
        ("nonsense", "expected a FEN"),
    ],
    ids=["illegal move", "no space", "no kings", "nonsense"],
)
def test_bad_positions_are_refused_as_in_chess(text, reason):
    with pytest.raises(PositionError, match="chess: ") as error:
        GAME.position(text)
    assert reason in str(error.value)


# lc0's recorded answers: to a tiny network of our own (tests/make_tiny_leela.py), and to the networks of Maia


def tiny_answers():
    entries = json.loads(TINY_ANSWERS.read_text())["positions"]
    none = ("0", 0.0)
    return [{**e, "planes": [e["planes"].get(str(i), none) for i in range(112)]} for e in entries]


def maia_answers(folder, name):
    entries = json.loads((folder / "chess" / "networks" / f"{name}.json").read_text())["positions"]
    return [{**entry, "moves": " ".join(entry["moves"])} for entry in entries]


def described(entry):
    return GAME.position(" moves ".join(filter(None, (entry["fen"], entry["moves"]))))


def check_planes(entries):
    for entry in entries:
        expected = np.zeros((112, 64), np.float32)
        for plane, (bits, value) in zip(expected, entry["planes"], strict=True):
            plane[:] = [value * (int(bits, 16) >> square & 1) for square in range(64)]
        assert (described(entry).observe() == expected.reshape(112, 8, 8)).all(), entry


def check_answers(network, entries, folder, monkeypatch):
    monkeypatch.setattr(leela_model, "base_folder", lambda: folder)
    positions = [described(entry) for entry in entries]
    planes = np.stack([position.observe() for position in positions])
    policies, values = answers(leela_model.converted(network), planes)
    assert np.allclose(values.sum(axis=1), 1, atol=1e-6)
    for entry, position, policy, value in zip(entries, positions, policies, values, strict=True):
        assert value[0] - value[2] == pytest.approx(entry["q"], abs=1e-4), entry
        assert value[1] == pytest.approx(entry["d"], abs=1e-4), entry
        rook_moves = {"e1g1": "e1h1", "e1c1": "e1a1", "e8g8": "e8h8", "e8c8": "e8a8"}
        moves = {}
        for action in position.actions():
            move = position.action_text(action)
            castles = position.state.squares[action & 63] & 7 == 6
            moves[rook_moves.get(move, move) if castles else move] = position.action_index(action)
        assert moves == {move: facts[0] for move, facts in entry["policy"].items()}, entry
        logits = policy[list(moves.values())]
        weights = np.exp(logits - logits.max())
        expected = np.array([entry["policy"][move] for move in moves])
        assert np.abs(logits - expected[:, 1]).max() < 1e-3, entry
        # lc0's own softmax is rounded: its probabilities lie up to 0.00074 beside the softmax of its logits.
        assert np.abs(weights / weights.sum() - expected[:, 2]).max() < 1e-3, entry


def test_planes_are_those_of_lc0():
    check_planes(tiny_answers())


def test_a_network_answers_as_in_lc0(tmp_path, monkeypatch):
    check_answers(TINY_NETWORK, tiny_answers(), tmp_path, monkeypatch)


def test_the_tiny_network_is_what_its_script_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(make_tiny_leela, "DATA", tmp_path)
    make_tiny_leela.write()
    assert gzip.decompress((tmp_path / TINY_NETWORK.name).read_bytes()) == gzip.decompress(TINY_NETWORK.read_bytes())


def test_a_network_describes_itself():
    described = "2 blocks of 8 filters, squeeze-excitation, convolutional policy, win/draw/loss value"
    assert str(leela.read(TINY_NETWORK)) == described


@pytest.mark.reference
def test_planes_of_159_positions_are_those_of_lc0(reference):
    entries = maia_answers(reference, "maia-1500")
    assert len(entries) == 159
    check_planes(entries)


@pytest.mark.reference
@pytest.mark.parametrize("name", ["maia-1100", "maia-1500"])
def test_maia_answers_as_in_lc0(reference, tmp_path, monkeypatch, name):
    network = reference / "chess" / "networks" / f"{name}.pb.gz"
    check_answers(network, maia_answers(reference, name), tmp_path, monkeypatch)


@pytest.mark.reference
def test_maia_describes_itself(reference):
    network = leela.read(reference / "chess" / "networks" / "maia-1100.pb.gz")
    assert str(network) == "6 blocks of 64 filters, squeeze-excitation, convolutional policy, win/draw/loss value"
