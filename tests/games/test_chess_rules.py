"""Chess: the rules against published counts, against python-chess as referee, and by hand."""

import random
import re
from collections import Counter

import chess
import numpy as np
import pytest

import playout as po
from playout.core import rules as core
from playout.core.jit import COMPILED
from playout.games.chess import Chess, to_san, write_history
from playout.games.chess.board import ENDS, compute_key
from playout.games.chess.ends import repetitions
from tests.oracles.solved import DATA

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
# chessprogramming.org/Perft_Results: the start and positions 2 to 6.
STANDARD = {
    "startpos": [20, 400, 8902, 197281, 4865609],
    KIWIPETE: [48, 2039, 97862, 4085603, 193690690],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2812, 43238, 674624],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9467, 422333, 15833292],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1486, 62379, 2103487, 89941194],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2079, 89890, 3894594, 164075551],
}
MOST = 1_000_000 if COMPILED else 500  # sequences that a test which is not slow counts


def perft(position, depth):
    game = position.game
    if position.is_terminal:
        return 0
    states = np.zeros((depth + 1, game.dtype.itemsize), np.uint8)
    states[0] = position.buffer
    actions, weights = np.zeros((depth + 1, game.max_actions), np.int32), np.zeros(game.max_actions)
    counts, at, rewards = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64), np.zeros(2)
    return int(core.perft(game.rules_table(), states, actions, weights, rewards, counts, at, depth))


def counter():
    """Published counts know no draws."""
    return po.games.load("chess", **Chess.perft_settings)


def end(position):
    return ENDS[position.state.over]


# Counted by others


@pytest.mark.parametrize("fen", STANDARD)
def test_perft_of_the_standard_positions(fen):
    for depth, count in enumerate(STANDARD[fen], start=1):
        if count <= MOST:
            assert perft(counter().position(fen), depth) == count, f"depth {depth}"


@pytest.mark.slow
@pytest.mark.parametrize("fen", STANDARD)
def test_perft_of_the_standard_positions_to_depth_5(fen):
    for depth in (4, 5):
        assert perft(counter().position(fen), depth) == STANDARD[fen][depth - 1], f"depth {depth}"


def corner_cases():
    """Position, depth and count of the positions in tests/data: each is there for one special rule."""
    for line in (DATA / "chess_perft.epd").read_text().splitlines():
        if line and not line.startswith("#"):
            for depth, count in re.findall(r"D(\d+) (\d+)", line):
                yield line.partition(";")[0].strip(), int(depth), int(count)


def test_perft_of_corner_cases():
    rows = [row for row in corner_cases() if row[2] <= (4 * MOST if COMPILED else MOST)]
    for fen, depth, count in rows:
        assert perft(counter().position(fen), depth) == count, (fen, depth)
    assert len(rows) > 40


def epd_counts(reference):
    """Position, depth and count: 174 lines, some for the same position; a zero byte ends each."""
    text = (reference / "chess" / "perft" / "perft.epd").read_text().replace("\0", "")
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) == 174
    for line in lines:
        for depth, count in re.findall(r"D(\d+) (\d+)", line):
            yield line.partition(";")[0], int(depth), int(count)


@pytest.mark.reference
def test_perft_of_174_positions_to_depth_4_and_deeper_where_it_is_quick(reference):
    checked = Counter()
    for fen, depth, count in epd_counts(reference):
        if depth <= 4 or count <= 20_000_000:
            assert perft(counter().position(fen), depth) == count, (fen, depth)
            checked[depth] += 1
    assert checked[4] > 100
    assert checked[6] > 20  # pins of pawns that take en passant are only counted so deep


@pytest.mark.reference
def test_perft_of_tricky_positions(reference):
    text = (reference / "chess" / "perft" / "python-chess_tricky.perft").read_text()
    rows = 0
    for block in re.split(r"^id ", text, flags=re.MULTILINE)[1:]:
        fen = re.search(r"^epd (.*)$", block, re.MULTILINE)[1].strip()
        if chess.Board(fen + " 0 1").status() & chess.STATUS_BAD_CASTLING_RIGHTS:  # Chess960
            continue
        position = counter().position(fen)
        for depth, count in re.findall(r"^perft (\d+) (\d+)$", block, re.MULTILINE):
            if int(count) <= MOST:
                assert perft(position, int(depth)) == int(count), (fen, depth)
                rows += 1
    assert rows > 30


def test_position_with_most_moves_has_218():
    position = po.games.load("chess").position("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
    assert len(position.actions()) == 218 == Chess.max_actions


# python-chess as referee


def expected_end(board, legal, seen, claims):
    """Why python-chess says the game is over; repetition by what FIDE compares, the first four fields of the FEN."""
    if not legal:
        return "checkmate" if board.is_check() else "stalemate"
    if board.is_insufficient_material():
        return "insufficient material"
    if board.halfmove_clock >= 150:
        return "seventy-five moves"
    if claims and board.halfmove_clock >= 100:
        return "fifty moves"
    if seen >= 5:
        return "fivefold repetition"
    return "threefold repetition" if claims and seen >= 3 else ""


def number_moves(board):
    return [m.from_square | m.to_square << 6 | (m.promotion or 0) << 12 for m in board.legal_moves]


def referee(games, first_seed, claims=1, san_every=40, start=None, look_every=1):
    """Play games at random, both rules side by side: legal moves, FEN, end, reward; now and then `check_details`.

    With `look_every` only every so many plies have all their moves and their FEN compared, and in between python-chess
    judges the move that is played; ends and rewards are compared at every ply.
    """
    game = po.games.load("chess", claims=claims)
    table, actions, rewards = game.rules_table(), np.zeros(game.max_actions, np.int32), np.zeros(2)
    ends = Counter()
    for seed in range(first_seed, first_seed + games):
        choose = random.Random(seed)
        board = chess.Board(start) if start else chess.Board()
        buffer = game.position(start).buffer
        state, seen = game.rules.view(buffer), Counter()
        for ply in range(100_000):
            look = (ply + seed) % look_every == 0
            fen = board.fen() if look else ""
            repeats = board._transposition_key()  # what FIDE compares: pieces, side, castling, a possible en passant
            seen[repeats] += 1
            legal = number_moves(board) if look else any(board.generate_legal_moves())
            why = expected_end(board, legal, seen[repeats], claims)
            assert ENDS[state.over] == why, board.fen()
            assert (core.current_player(table, buffer) == po.TERMINAL) == bool(why), fen
            assert rewards.tolist() == ([0, 0] if why != "checkmate" else [-1, 1] if board.turn else [1, -1]), fen
            if look and "repetition" not in why:
                assert game.state_to_text(state) == fen
            if ply % san_every == 0 or why:
                check_details(game.position_of(state), board, seen[repeats])
            if why:
                ends[why] += 1
                break
            count = core.legal_actions(table, buffer, actions)
            ours = actions[:count].tolist()
            if look:
                assert sorted(ours) == sorted(legal), fen
            action = choose.choice(ours)
            move = chess.Move(action & 63, action >> 6 & 63, action >> 12 or None)
            assert look or board.is_legal(move), board.fen()
            board.push(move)
            core.apply(table, buffer, action, rewards)
        rewards[:] = 0
    return ends


def check_details(position, board, seen):
    """What is too slow to ask at each move: the key, the history, SAN of all legal moves."""
    state = position.state
    assert int(compute_key(state)) == int(state.key), position.text
    assert repetitions(state) == seen - 1, position.text
    assert position.game.position(write_history(state)).buffer.tobytes() == position.buffer.tobytes(), position.text
    for action in position.actions():
        san = board.san(chess.Move(action & 63, action >> 6 & 63, action >> 12 or None))
        assert to_san(position, action) == san, position.text
        assert position.action(san) == action, position.text
        assert position.action(san.rstrip("+#")) == action, position.text


def test_python_chess_agrees_over_random_games():
    if not COMPILED:
        referee(1, 0, san_every=100)
        return
    ends = referee(20, 0, san_every=120)
    assert set(ends) >= {"checkmate", "stalemate", "insufficient material", "fifty moves", "threefold repetition"}


@pytest.mark.parametrize("games", [5, pytest.param(30, marks=pytest.mark.reference)])
def test_python_chess_agrees_without_claims(games):
    ends = referee(games, 1000, claims=0, san_every=200) if COMPILED else referee(1, 1001, claims=0, san_every=200)
    assert not {"fifty moves", "threefold repetition"} & set(ends)
    # A rook against a rook, far from any capture: the long counts are reached.
    if COMPILED:
        ends = referee(2 * games, 2000, claims=0, san_every=500, start="8/8/8/4k3/8/8/1R6/K6r w - - 60 90")
        assert set(ends) >= {"seventy-five moves"}
        ends = referee(2 * games, 3000, claims=0, san_every=500, start="k7/2p5/1pPp4/pP1Pp3/P3P3/8/8/K7 w - - 0 1")
        assert set(ends) >= {"fivefold repetition"}


@pytest.mark.reference
@pytest.mark.parametrize("part", range(8))
def test_python_chess_agrees_over_10000_random_games(part):
    ends = referee(1250, 10_000 + 1250 * part, san_every=300, look_every=5)
    assert set(ends) >= {"checkmate", "stalemate", "insufficient material", "fifty moves", "threefold repetition"}


@pytest.mark.parametrize("games", [2, pytest.param(10, marks=pytest.mark.reference)])
def test_python_chess_agrees_on_positions_full_of_special_moves(games):
    starts = [
        KIWIPETE,
        *list(STANDARD)[3:5],
        "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    ]
    for i, start in enumerate(starts if COMPILED else starts[3:4]):
        referee(games if COMPILED else 1, 5000 + 100 * i, san_every=20 if COMPILED else 100, start=start)


# By hand


@pytest.mark.parametrize(
    ("fen", "move", "legal"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1", True),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Qkq - 0 1", "e1g1", False),  # the right is gone
        ("r3k2r/8/8/8/4r3/8/8/R3K2R w KQkq - 0 1", "e1g1", False),  # out of check
        ("r3kr2/8/8/8/8/8/8/R3K2R w KQq - 0 1", "e1g1", False),  # through an attacked square
        ("r3k1r1/8/8/8/8/8/8/R3K2R w KQq - 0 1", "e1g1", False),  # into check
        ("1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1", "e1c1", True),  # only the rook passes an attacked square
        ("r3k2r/8/8/8/8/8/8/RN2K2R w KQkq - 0 1", "e1c1", False),  # b1 is in the rook's way
        ("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "e8c8", True),
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "e5d6", False),  # both pawns leave the king's rank
        ("8/8/8/3pP2r/8/K7/8/7k w - d6 0 1", "e5d6", True),
        ("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", "e4d3", True),  # the pawn that gives check is taken in passing
        ("4k3/8/8/8/1b6/8/3N4/4K3 w - - 0 1", "d2f3", False),  # a pinned knight
        ("4k3/7p/8/b7/8/2B5/8/4K3 w - - 0 1", "c3b4", True),  # a pinned bishop moves along its line
        ("4k3/7p/8/b7/8/2B5/8/4K3 w - - 0 1", "c3d4", False),
        ("4k3/8/8/8/4r3/8/4K3/8 w - - 0 1", "e2e1", False),  # a king does not hide behind itself
        ("4k3/8/8/8/4r3/8/3n4/4K3 w - - 0 1", "e1d2", True),
    ],
)
def test_special_moves(fen, move, legal):
    position = po.games.load("chess").position(fen)
    assert (move in [position.action_text(a) for a in position.actions()]) == legal


def test_castling_en_passant_and_promotion_move_what_they_should():
    game = po.games.load("chess")

    def after(fen, move):
        position = game.position(fen)
        return position.play(position.action(move)).text

    rooks = "r3k2r/8/8/8/8/8/8/R3K2R"
    assert after(f"{rooks} w KQkq - 3 9", "e1g1") == "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9"
    assert after(f"{rooks} w KQkq - 3 9", "e1c1") == "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 9"
    assert after(f"{rooks} b KQkq - 3 9", "e8g8") == "r4rk1/8/8/8/8/8/8/R3K2R w KQ - 4 10"
    assert after(f"{rooks} b KQkq - 3 9", "e8c8") == "2kr3r/8/8/8/8/8/8/R3K2R w KQ - 4 10"
    assert after(f"{rooks} w KQkq - 3 9", "h1h8") == "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 9"
    assert after("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6") == "4k3/8/3P4/8/8/8/8/4K3 b - - 0 2"
    assert after("1n2k3/P7/8/8/8/8/8/4K3 w - - 9 2", "a7b8n") == "1N2k3/8/8/8/8/8/8/4K3 b - - 0 2"
    assert after("4k3/8/8/8/8/8/p7/4K3 b - - 9 2", "a2a1r") == "4k3/8/8/8/8/8/8/r3K3 w - - 0 3"
    # Nobody can take in passing, or not legally: the square is not part of the position.
    assert after("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4") == "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"
    assert after("8/8/8/8/k2p3R/8/4P3/4K3 w - - 0 1", "e2e4") == "8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"
    assert after("8/8/8/8/k2p4/8/4P3/4K3 w - - 0 1", "e2e4") == "8/8/8/8/k2pP3/8/8/4K3 b - e3 0 1"


@pytest.mark.parametrize(
    ("fen", "why"),
    [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 150 100", "stalemate"),
        ("6k1/6Q1/6K1/8/8/8/8/8 b - - 150 100", "checkmate"),  # comes before the count of moves
        ("8/8/4k3/8/8/4K3/8/8 w - - 0 1", "insufficient material"),
        ("8/8/4k3/8/8/4KN2/8/8 w - - 0 1", "insufficient material"),
        ("8/8/4k3/8/8/4K1n1/8/8 w - - 0 1", "insufficient material"),
        ("8/8/4k3/8/5b2/5K2/8/8 b - - 0 1", "insufficient material"),
        ("8/8/4k3/8/2b5/B3K3/8/8 w - - 0 1", ""),  # bishops on both colours: a mate can be helped
        ("8/8/4k3/4b3/8/B3K3/8/8 w - - 0 1", "insufficient material"),
        ("8/8/4k3/8/8/4KNN1/8/8 w - - 0 1", ""),
        ("8/8/4k1n1/8/8/4KN2/8/8 w - - 0 1", ""),
        ("8/8/4k1n1/8/8/4KB2/8/8 w - - 0 1", ""),
        ("8/8/4k3/8/8/4KR2/8/8 b - - 99 80", ""),
        ("8/8/4k3/8/8/4KR2/8/8 b - - 100 80", "fifty moves"),
        ("8/8/4k3/8/8/4KR2/8/8 b - - 150 80", "seventy-five moves"),
    ],
)
def test_ends(fen, why):
    position = po.games.load("chess").position(fen)
    assert end(position) == why
    assert position.is_terminal == bool(why)
    assert (position.actions() == []) == bool(why)
    board = chess.Board(fen)
    assert board.is_insufficient_material() == (why == "insufficient material")


def test_claims_say_which_draws_count():
    rook = "8/8/4k3/8/8/4KR2/8/8 b - - {} 80"
    ends = {
        c: [end(po.games.load("chess", claims=c).position(rook.format(n))) for n in (99, 100, 150)] for c in (1, 0, -1)
    }
    assert ends[1] == ["", "fifty moves", "seventy-five moves"]
    assert ends[0] == ["", "", "seventy-five moves"]
    assert ends[-1] == ["", "", ""]
    assert end(po.games.load("chess", claims=-1).position("8/8/4k3/8/8/4K3/8/8 w - - 0 1")) == ""
    with pytest.raises(po.SettingsError, match="'claims' is 2, expected 1 "):
        po.games.load("chess", claims=2)


def test_mate_on_the_hundredth_move_wins():
    position = po.games.load("chess").position("7k/8/6K1/8/8/8/8/5Q2 w - - 99 80")
    mate = position.play(position.action("f1f8"))
    assert end(mate) == "checkmate"
    assert mate.rewards.tolist() == [1.0, -1.0]
    drawn = position.play(position.action("f1f7"))
    assert end(drawn) == "stalemate"
    assert end(position.play(position.action("f1f6"))) == "fifty moves"
    assert drawn.rewards.tolist() == [0.0, 0.0]


def test_black_mates():
    position = po.games.load("chess").position("startpos moves f2f3 e7e5 g2g4")
    mate = position.play(position.action("Qh4#"))
    assert mate.rewards.tolist() == [-1.0, 1.0]
    assert mate.show().endswith("checkmate, Black has won")


KNIGHTS = "g1f3 g8f6 f3g1 f6g8"


def test_threefold_and_fivefold_repetition():
    claimed, unclaimed = po.games.load("chess"), po.games.load("chess", claims=0)
    assert end(claimed.position(f"startpos moves {KNIGHTS}")) == ""
    third = f"startpos moves {KNIGHTS} {KNIGHTS}"
    assert end(claimed.position(third)) == "threefold repetition"
    assert end(unclaimed.position(third)) == ""
    assert end(unclaimed.position(f"startpos moves {' '.join([KNIGHTS] * 4)}")) == "fivefold repetition"
    assert end(claimed.position(f"{third} e2e4")) == ""  # nobody claimed, and the game went on


def test_repetition_asks_for_the_same_rights():
    game = po.games.load("chess")
    # The first position still allowed castling; the king comes back without it.
    lost = "e1e2 e8e7 e2e1 e7e8"
    fen = "4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1"
    assert end(game.position(f"{fen} moves {lost} {lost}")) == ""
    assert end(game.position(f"{fen} moves {lost} {lost} {lost}")) == "threefold repetition"
    # A pawn could be taken in passing in the first position only; where it legally can't, the first one counts.
    moves = "moves e2e4 a8b8 e1d1 b8a8 d1e1 a8b8 e1d1 b8a8 d1e1"
    assert end(game.position(f"k7/8/8/8/3p4/8/4P3/4K3 w - - 0 1 {moves}")) == ""
    assert end(game.position(f"k7/8/8/8/8/8/4P3/4K3 w - - 0 1 {moves}")) == "threefold repetition"


def test_repetition_is_counted_through_reuse_of_the_tree():
    game = po.games.load("chess")
    search = po.Search(game, seed=1)
    budget = 400 if COMPILED else 3
    for move in f"{KNIGHTS} {KNIGHTS}".split()[:-1]:
        search.run(simulations=budget)
        search.play(move)
    result = search.run(simulations=budget)
    back = search.position.action("f6g8")
    after = search.position.play(back)
    assert end(after) == "threefold repetition"
    # In the tree, too, that move ends the game, at nothing for both.
    stats = next(a for a in result.actions if a.action == back)
    assert stats.visits == 0 or stats.value == 0.0
    fresh = game.position(search.position.text)
    assert end(fresh.play(fresh.action("f6g8"))) == ""  # a FEN alone does not know


def test_history_is_forgotten_when_it_can_not_come_back():
    game = po.games.load("chess")
    position = game.position(f"startpos moves {KNIGHTS}")
    assert int(position.state.past) == 4
    moved = position.play(position.action("e2e4"))
    assert int(moved.state.past) == 0
    assert not moved.state.keys.any()
    assert moved.buffer.tobytes() == game.position(moved.text).buffer.tobytes()


def test_history_has_room_for_every_count_of_moves():
    """Kings walk until 75 moves are over, and on and on where no rule of draws counts."""
    for claims, most in ((0, 150), (-1, 400)):
        game = po.games.load("chess", claims=claims)
        choose, position = random.Random(3), game.position("k7/8/p1p1p1p1/P1P1P1P1/8/8/8/K7 w - - 0 1")
        for _ in range(most if COMPILED else 20):
            moves = [a for a in position.actions() if int(position.state.squares[a & 63]) & 7 == 6]
            moves = [a for a in moves if not position.state.squares[a >> 6 & 63]]
            if not moves or position.is_terminal:
                break
            position = position.play(choose.choice(moves))
        assert int(position.state.past) == min(150, int(position.state.halfmoves))


def test_key_does_not_depend_on_the_way():
    game = po.games.load("chess")
    one = game.position("startpos moves g1f3 g8f6 b1c3 b8c6 e2e4")
    other = game.position("startpos moves b1c3 b8c6 g1f3 g8f6 e2e4")
    assert one.buffer.tobytes() == other.buffer.tobytes()
    keys = {int(game.position(f"startpos moves {m}").state.key) for m in ("e2e3", "e2e4", "d2d4", "g1f3", "g1h3")}
    assert len(keys) == 5
    assert (
        int(game.position().state.key) == 0xA53B5F8B80F073F4
    )  # what earlier versions wrote; search files depend on it


def test_hash_tells_apart_what_ends_differently():
    game = po.games.load("chess")

    def hashed(text):
        with np.errstate(over="ignore"):
            return int(game.rules.functions["hash"](game.position(text).state))

    fen = "8/8/4k3/8/8/4KR2/8/8 b - - {} {}"
    assert hashed(fen.format(10, 80)) == hashed(fen.format(10, 81))  # the number of the move changes nothing
    assert hashed(fen.format(10, 80)) != hashed(fen.format(11, 80))
    repeated, fresh = game.position(f"startpos moves {KNIGHTS}"), game.position("startpos").text
    assert hashed(f"startpos moves {KNIGHTS}") != hashed(fresh.replace(" 0 1", " 4 3"))
    assert int(repeated.state.key) == int(game.position().state.key)
    one = "startpos moves g1f3 g8f6 b1c3 b8c6 e2e4"
    assert hashed(one) == hashed("startpos moves b1c3 b8c6 g1f3 g8f6 e2e4")


@pytest.mark.compiled_only
def test_compiled_rules_can_be_kept_on_disk():
    game = po.games.load("chess")
    game.rules_table(wanted=("playout",))
    # Tables too large to be written into the machine code would make a function uncachable.
    for name, dispatcher in game.rules._compiled.items():
        for result in dispatcher.overloads.values():
            assert not result.library.has_dynamic_globals, name
