"""Chess as people read and write it: FEN and its mistakes, UCI and SAN, PGN, the board in a terminal and as SVG."""

import io
import random
from itertools import pairwise
from xml.etree import ElementTree

import chess
import pytest
from chess import pgn

import playout as po
from playout.core.jit import COMPILED
from playout.games.chess import Chess, PgnGame, from_san, read_pgn, to_san, write_history, write_pgn
from playout.games.chess.fen import START_FEN

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


def refusal(error, call, *arguments):
    with pytest.raises(error) as caught:
        call(*arguments)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("chess: ")
    return message


def random_positions(games, moves, seed=0):
    game = po.games.load("chess")
    for number in range(games):
        choose, position = random.Random(seed + number), game.position()
        for _ in range(moves):
            if position.is_terminal:
                break
            position = position.play(choose.choice(position.actions()))
            yield position


# FEN


def test_fen_of_the_start_and_of_a_move():
    position = po.games.load("chess").position()
    assert position.text == START_FEN == chess.STARTING_FEN
    assert position.play(position.action("g1f3")).text == f"{START[:-8]}RNBQKB1R b KQkq - 1 1".replace(
        "8/PPPPPPPP", "5N2/PPPPPPPP"
    )


@pytest.mark.parametrize(
    "text",
    [
        "startpos",
        "position startpos",
        START_FEN,
        f"fen {START_FEN}",
        f"position fen {START_FEN}",
        f"{START} w KQkq -",  # EPD
        f"{START} w qkQK - 0 0",
        f"  {START}   w KQkq - 0 1  ",
        "startpos moves",
    ],
)
def test_ways_to_write_the_start(text):
    game = po.games.load("chess")
    assert game.position(text).buffer.tobytes() == game.position().buffer.tobytes()


def test_moves_after_a_position():
    game = po.games.load("chess")
    wanted = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    assert game.position("startpos moves e2e4 e7e5").text == wanted
    assert game.position(f"{START_FEN} moves e4 e5").text == wanted
    assert game.position(f"position fen {START_FEN}  moves  e2e4  e7e5 ").text == wanted


def test_en_passant_square_stays_only_where_a_pawn_can_be_taken():
    game = po.games.load("chess")
    for fen, kept in (
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "-"),
        ("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "e3"),
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "-"),  # a pin
    ):
        assert game.position(fen).text.split()[3] == kept == chess.Board(fen).fen().split()[3]


def test_fen_comes_back_to_the_same_record_when_no_history_is_there():
    game, checked = po.games.load("chess"), 0
    for position in random_positions(3 if COMPILED else 1, 200 if COMPILED else 30):
        again = game.position(position.text)
        assert again.text == position.text or "repetition" in position.show()
        if position.state.past == 0:
            assert again.buffer.tobytes() == position.buffer.tobytes()
            checked += 1
        assert game.position(write_history(position.state)).buffer.tobytes() == position.buffer.tobytes()
    assert checked > 10


def test_position_that_ended_by_repetition_is_written_with_its_moves():
    game = po.games.load("chess")
    knights = "g1f3 g8f6 f3g1 f6g8"
    position = game.position(f"startpos moves {knights} {knights}")
    assert position.text == f"{START_FEN} moves {knights} {knights}"
    assert game.position(position.text).is_terminal
    # The oldest position that counts may have had a pawn to be taken in passing.
    start = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1 moves e2e4"
    kings = "e8d8 e1d1 d8e8 d1e1"
    position = game.position(f"{start} {kings} e8d8 e1d1 d8e8 d1e1 e8d8")
    assert position.text == f"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1 moves {kings} {kings} e8d8"


@pytest.mark.parametrize(
    ("fen", "words"),
    [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "the board has 7 ranks, expected 8"),
        (f"{START}/8 w KQkq - 0 1", "the board has 9 ranks, expected 8"),
        ("rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 ('ppppppp') has 7 squares, expected 8"),
        ("rnbqkbnr/pppppppp/8/8/45/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 4 ('45') has 9 squares, expected 8"),
        (
            "rnbqkbnr/pppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "'x' in rank 7 ('pppxpppp'), expected the letters",
        ),
        ("rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "'9' in rank 6"),
        ("rnbqkbnr/pppppppp//8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 6 ('') has 0 squares"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w kq - 0 1", "White has no king, expected one"),
        ("rnbqkbnr/pppppppp/8/8/8/4k3/PPPPPPPP/RNBQKBNR w KQ - 0 1", "Black has 2 kings, expected one"),
        ("4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "a pawn on a1, expected none on the first or the last rank"),
        ("4k2p/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on h8"),
        ("4k2P/8/8/8/8/8/8/4K3 w - - 0 1", "a pawn on h8"),
        ("4k3/8/8/8/8/8/8/4K2R b - - 0 1 1", "7 fields, expected six (board, side to move,"),
        ("4k3/8/8/8/8/8/8/4K2R", "1 field, expected six"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0", "5 fields, expected six"),
        ("4k3/8/8/8/8/8/8/4K2R x - - 0 1", "side to move 'x', expected w or b"),
        ("4k3/8/8/8/4R3/8/8/4K3 w - - 0 1", "White is to move and could take the king on e8 (from e4)"),
        ("4k3/8/8/8/8/8/3p4/4K3 b - - 0 1", "Black is to move and could take the king on e1 (from d2)"),
        ("8/8/8/3kK3/8/8/8/8 w - - 0 1", "could take the king on d5 (from e5)"),
        ("4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling right 'K' without a white rook on h1"),
        ("4k3/8/8/8/8/8/8/R4K2 w Q - 0 1", "castling right 'Q' without a white king on e1"),
        ("r3k3/8/8/8/8/8/8/4K3 w kq - 0 1", "castling right 'k' without a black rook on h8"),
        ("4k3/8/8/8/8/8/8/4K3 w q - 0 1", "castling right 'q' without a black rook on a8"),
        ("4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling rights 'KK', expected - or some of KQkq, each once"),
        ("4k3/8/8/8/8/8/8/4K2R w HAha - 0 1", "castling rights 'HAha', expected - or some of KQkq"),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d5 0 1",
            "en passant square 'd5', expected - or, with White to move, a square of rank 6",
        ),
        ("4k3/8/8/3pP3/8/8/8/4K3 b - d6 0 1", "with Black to move, a square of rank 3"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - f6 0 1", "en passant square 'f6' without a black pawn on f5"),
        ("4k3/3p4/8/3pP3/8/8/8/4K3 w - d6 0 1", "but d7, which the pawn passed, is not empty"),
        ("4k3/8/3n4/3pP3/8/8/8/4K3 w - d6 0 1", "but d6, which the pawn passed, is not empty"),
        ("4k3/8/8/8/8/8/8/4K2R w - - x 1", "halfmove clock 'x', expected a whole number from 0 to"),
        ("4k3/8/8/8/8/8/8/4K2R w - - -1 1", "halfmove clock '-1'"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 99999 1", "halfmove clock '99999', expected a whole number from 0 to 9999"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 1.5", "move number '1.5', expected a whole number from 1 to"),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 ٣", "move number '٣'"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns, expected 8 at most"),
        (
            "4k3/8/8/8/8/QQ6/PPPPPPPP/4K3 w - - 0 1",
            "White has too many pieces: 8 pawns and 1 that must have been promoted",
        ),
        ("4k3/qqqq4/qqqq4/qqqq4/qqqq4/8/8/1K6 b - - 0 1", "Black has too many pieces: 0 pawns and 15"),
        ("hello", "can't read position 'hello', expected a FEN as in"),
        ("e2e4 e7e5", "expected a FEN as in"),
        ("startpos e2e4", "can't read position 'startpos e2e4'"),
        ("startpos movese2e4", "can't read 'movese2e4'"),
        ("startpos moves e2e4 e2e4", "move 2 of 'startpos moves e2e4 e2e4': 'e2e4' is not legal in"),
        (
            "startpos moves f2f3 e7e5 g2g4 d8h4 a2a3",
            "move 5 of 'startpos moves f2f3 e7e5 g2g4 d8h4 a2a3': 'a2a3' is not legal",
        ),
    ],
)
def test_bad_position_is_refused_with_its_reason(fen, words):
    message = refusal(po.PositionError, po.games.load("chess").position, fen)
    assert words in message
    assert fen in message


def test_python_chess_accepts_what_we_write_and_refuses_what_we_refuse():
    """A sign of a FEN changed at random: refused with a reason, or read as python-chess reads it."""
    game, choose, taken = po.games.load("chess"), random.Random(5), 0
    fens = [position.text for position in random_positions(3, 60)]
    for _ in range(1000 if COMPILED else 200):
        fen = choose.choice(fens)
        at = choose.randrange(len(fen))
        changed = fen[:at] + choose.choice("pPnNkKqQrRbB12345678/- wcdefgh") + fen[at + 1 :]
        try:
            position = game.position(changed)
        except po.PositionError:
            continue
        taken += 1
        try:
            board = chess.Board(changed)
        except ValueError:  # two numbers side by side in a rank: 35 for 8
            assert any(a.isdigit() and b.isdigit() for a, b in pairwise(changed))
            continue
        assert position.text.split()[:2] == board.fen().split()[:2]
        if board.is_valid():
            assert position.text == board.fen()
    assert taken > 20


# UCI and SAN


def test_actions_are_numbered_and_written_as_uci():
    position = po.games.load("chess").position("4k3/P7/8/8/8/8/8/4K2R w K - 0 1")
    assert position.action_text(12 | 28 << 6) == "e2e4"
    assert position.action("a7a8q") == 48 | 56 << 6 | 5 << 12
    assert position.action("a7a8n") == 48 | 56 << 6 | 2 << 12
    assert position.action("e1g1") == 4 | 6 << 6
    for action in position.actions():
        assert position.action(position.action_text(action)) == action


@pytest.mark.parametrize(
    ("fen", "move", "san"),
    [
        (START_FEN, "g1f3", "Nf3"),
        (START_FEN, "e2e4", "e4"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O"),
        ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "h1h8", "Rh8+"),
        ("3rkr2/3p1p2/8/8/8/8/8/R3K2R w KQ - 0 1", "a1a8", "Ra8"),
        ("5k2/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "O-O+"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1", "O-O-O"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"),
        ("1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7b8q", "axb8=Q+"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "a8=N"),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
        ("R3k3/8/8/8/8/8/4K3/R7 b - - 0 1", "e8d7", "Kd7"),
        ("R7/3k4/8/8/8/8/4K3/R7 w - - 0 1", "a8a4", "R8a4"),
        ("1k6/8/8/8/Q6Q/8/4K3/7Q w - - 0 1", "h4e4", "Qh4e4"),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"),
        # A pinned piece needs no telling apart.
        ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"),
    ],
)
def test_san_by_hand(fen, move, san):
    position = po.games.load("chess").position(fen)
    action = position.action(move)
    assert to_san(position, action) == san == chess.Board(fen).san(chess.Move.from_uci(move))
    assert from_san(position, san) == position.action(san) == action


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0-0", "e1c1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "o-o", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1h1", "e1g1"),  # king takes its own rook, as Chess960 writes
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5xd6ep", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e6", "e5e6"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8Q", "a7a8q"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8(R)+", "a7a8r"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8Q", "a7a8q"),
        (START_FEN, "Ng1-f3!?", "g1f3"),
        (START_FEN, "e2-e4", "e2e4"),
        (START_FEN, "Pe4", "e2e4"),
        (START_FEN, " Nf3+ ", "g1f3"),
        ("4k3/8/8/8/1p6/B1P5/8/4K3 w - - 0 1", "Bxb4", "a3b4"),  # the bishop
        ("4k3/8/8/8/2p5/1P6/8/4K3 w - - 0 1", "bxc4", "b3c4"),  # the b-pawn
    ],
)
def test_forgiving_ways_to_write_a_move(fen, text, move):
    position = po.games.load("chess").position(fen)
    assert position.action_text(position.action(text)) == move


@pytest.mark.parametrize(
    ("fen", "text", "words"),
    [
        (START_FEN, "e2e5", "the pawn on e2 can't move there (legal: "),
        (START_FEN, "e3e4", "e3 is empty"),
        (START_FEN, "e7e5", "the piece on e7 is Black's"),
        (START_FEN, "Nf9", "expected a move as in e2e4, e4, Nf3"),
        (START_FEN, "", "expected a move as in e2e4"),
        (START_FEN, "nf3", "expected a move as in"),
        (START_FEN, "--", "expected a move as in"),
        (START_FEN, "Nd4", "no knight can make that move"),
        (START_FEN, "O-O", "castling is not possible now"),
        (START_FEN, "e2e4q", "only a pawn on the last rank is promoted (legal: e2e4)"),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8", "the pawn must be promoted (legal: "),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8", "the pawn must be promoted (legal: "),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=K", "no such promotion (legal: "),
        ("4k3/8/8/8/8/8/4K3/R6R w - - 0 1", "Rd1", "several pieces can (legal: a1d1, h1d1)"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "Kg8", "the game is over (stalemate)"),
    ],
)
def test_bad_move_is_refused_with_its_reason(fen, text, words):
    position = po.games.load("chess").position(fen)
    message = refusal(po.ActionError, position.action, text)
    assert words in message
    assert f"'{text}' is not legal in {fen}" in message


# PGN


def random_game(seed, start=None, most=120):
    game = po.games.load("chess")
    choose, position, moves = random.Random(seed), game.position(start), []
    while not position.is_terminal and len(moves) < most:
        moves.append(choose.choice(position.actions()))
        position = position.play(moves[-1])
    return tuple(moves), position


def test_pgn_of_a_short_game():
    game = po.games.load("chess")
    moves, position = [], game.position()
    for move in ("f3", "e5", "g4", "Qh4"):
        moves.append(position.action(move))
        position = position.play(moves[-1])
    text = write_pgn(PgnGame(tuple(moves), {"White": 'A "nickname" B', "Black": "C", "Annotator": "D"}))
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "A \\"nickname\\" B"]\n[Black "C"]\n'
        '[Result "0-1"]\n[Annotator "D"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    )
    (again,) = read_pgn(text)
    assert again.moves == tuple(moves)
    assert again.headers["White"] == 'A "nickname" B'
    assert again.result == "0-1"
    assert again.start == ""


def test_pgn_is_read_back_by_python_chess_and_by_us():
    starts = [None, "4k3/P6p/8/8/8/8/p6P/4K3 b - - 3 17", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]
    games = []
    for seed in range(9 if COMPILED else 3):
        start = starts[seed % 3]
        moves, position = random_game(seed, start, 400 if COMPILED else 20)
        games.append(PgnGame(moves, {"Round": str(seed)}, start or "", "*"))
        theirs = pgn.read_game(io.StringIO(write_pgn(games[-1])))
        assert not theirs.errors
        board = theirs.end().board()
        if "repetition" not in position.show():
            assert board.fen() == position.text
        assert [m.from_square | m.to_square << 6 | (m.promotion or 0) << 12 for m in theirs.mainline_moves()] == list(
            moves
        )
        wanted = "*" if not position.is_terminal else "1/2-1/2"
        if "checkmate" in position.show():
            wanted = "1-0" if position.state.turn == 1 else "0-1"
        assert theirs.headers["Result"] == wanted
    text = "\n".join(write_pgn(game) for game in games)
    assert max(len(line) for line in text.splitlines()) < 80
    again = read_pgn(text)
    assert [game.moves for game in again] == [game.moves for game in games]
    assert [game.start for game in again] == [game.start for game in games]
    assert [game.headers["Round"] for game in again] == [str(i) for i in range(len(games))]
    assert "\n".join(write_pgn(game) for game in again) == text


def test_pgn_reads_what_python_chess_writes():
    moves, _ = random_game(77, most=200 if COMPILED else 20)
    game, node = pgn.Game(), None
    node = game
    for action in moves:
        node = node.add_variation(chess.Move(action & 63, action >> 6 & 63, action >> 12 or None))
        node.comment = "a comment (with a bracket) 1. e4"
        node.nags.add(3)
    (again,) = read_pgn(str(game))
    assert again.moves == moves


def test_pgn_comments_variations_and_marks_are_left_out():
    text = """\ufeff% an escaped line
[Event "A [strange] name"]
[White "W"]

; a comment to the end of the line 1. d4
1.e4! {best (by test)} e5 $1 (1... c5 2. Nf3 (2. c3 {a variation ) in one}) d6) 2 . Nf3 $14 Nc6?!
3. Bb5 a6 4. 0-0 1/2-1/2

[Event "Second"]
[Result "1-0"]

1. e4 e5 2. exd6
"""
    message = refusal(po.PositionError, read_pgn, text)
    assert "PGN game 2, move 2., line 12: 'exd6' is not legal in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/" in message
    first, second = read_pgn(text.replace("2. exd6", "2. Nf3"))
    names = [po.games.load("chess").action_to_text(None, move) for move in first.moves]
    assert names == ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]
    assert first.headers == {"Event": "A [strange] name", "White": "W"}
    assert (first.result, second.result) == ("1/2-1/2", "1-0")


def test_pgn_goes_on_after_a_draw_that_nobody_claimed():
    knights = "Nf3 Nf6 Ng1 Ng8 " * 3
    (game,) = read_pgn(f"{knights} e4 *")
    assert len(game.moves) == 13
    assert read_pgn(write_pgn(game))[0].moves == game.moves
    assert write_pgn(PgnGame(game.moves[:8])).endswith(" 4. Ng1 Ng8 1/2-1/2\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1. e4 e5 2. Ke3 *", "PGN game 1, move 2., line 1: 'Ke3' is not legal in"),
        ("1. e4 *\n\n1. d4 Nh9 *", "PGN game 2, move 1..., line 3: 'Nh9' is not legal in"),
        ("1. e4 -- *", "move 1..., line 1: '--' is not legal in"),
        ("1. e4 (1. d4 *", "PGN game 1: a variation is not closed"),
        ("1. e4 ) *", "')' without '(' in line 1"),
        ("1. e4 {never closed", "can't read '{' in line 1"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n1. e4 *', "PGN game 1: can't read FEN '8/8/8/8/8/8/8/8 w - - 0 1'"),
        ('[White "x]\n1. e4', "can't read '[' in line 1"),
    ],
)
def test_bad_pgn_is_refused_with_its_place(text, words):
    assert words in refusal(po.PositionError, read_pgn, text)


def test_pgn_refuses_to_write_what_can_not_be():
    assert "result '2-0', expected one of 1-0" in refusal(po.PositionError, write_pgn, PgnGame((), result="2-0"))
    assert "move 1. of the game: action 5 is not legal" in refusal(po.PositionError, write_pgn, PgnGame((5,)))
    assert read_pgn("") == []


# Boards


def test_board_in_a_terminal():
    position = po.games.load("chess").position("startpos moves e2e4 e7e5 d1h5 b8c6 h5f7")
    assert position.show() == (
        "8  r . b q k b n r\n7  p p p p . Q p p\n6  . . n . . . . .\n5  . . . . p . . .\n4  . . . . P . . .\n"
        "3  . . . . . . . .\n2  P P P P . P P P\n1  R N B . K B N R\n\n   a b c d e f g h\nBlack to move, in check"
    )


def test_drawing_has_every_piece_on_its_square():
    position = po.games.load("chess").position()
    root = ElementTree.fromstring(position.draw())
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}rect")) == 64
    pieces = [group.get("transform") for group in root.findall(f"{space}g")]
    assert len(pieces) == 32
    assert "translate(198 333)" in pieces  # e1
    assert root.find(f"{space}title").text == "Chess, White to move"
    assert "#d9534f" not in position.draw()
    check = po.games.load("chess").position("4k3/8/8/8/4R3/8/8/4K3 b - - 0 1")
    assert "#d9534f" in check.draw()
    assert "Black to move, in check" in check.draw()


def test_class_says_how_it_is_written():
    assert "FEN" in po.games.describe("chess")
    assert po.games.find("chess") is Chess
    assert repr(po.games.load("chess", claims="0")) == "Chess(claims=0)"
