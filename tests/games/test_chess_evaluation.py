"""Chess without a network: the static value, the capture search, the priors, and the presets built on them."""

import numpy as np
import pytest

import playout as po
from playout.core import rules as core
from playout.games.chess.bare_king import bare_king_value, stronger_side
from playout.games.chess.captures import settled_value, squashed
from playout.games.chess.evaluation import FULL_PHASE, WORTH, exchange, phase_of, static_value

FENS = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
    "8/7p/5k2/5p2/p1p2P2/Pr1pPK2/1P1R3P/8 b - - 0 1",
    "r1bq1r2/pp4k1/4p2p/3pPp1Q/3N1R1P/2PB4/6P1/6K1 w - - 0 1",
    "8/2P1k3/8/8/8/8/4K3/8 w - - 0 1",
    "8/8/8/3pP3/8/1k6/8/K7 w - d6 0 1",
    "4k3/8/8/8/8/8/4q3/R3K3 w Q - 0 1",
    "8/8/8/4k3/8/8/8/KR6 w - - 3 40",
]


@pytest.fixture(scope="module")
def chess():
    return po.games.load("chess")


def flipped(fen):
    """The same position with the colours exchanged."""
    board, turn, castling, en_passant, *rest = fen.split()
    board = "/".join(reversed(board.split("/"))).swapcase()
    if en_passant != "-":
        en_passant = en_passant[0] + str(9 - int(en_passant[1]))
    castling = "".join(sorted(castling.swapcase()))
    return " ".join([board, "b" if turn == "w" else "w", castling, en_passant, *rest])


def mirrored(fen):
    """Left and right exchanged; castling is lost."""
    board, turn, _, en_passant, *rest = fen.split()
    if en_passant != "-":
        en_passant = "hgfedcba"["abcdefgh".index(en_passant[0])] + en_passant[1]
    return " ".join(["/".join(row[::-1] for row in board.split("/")), turn, "-", en_passant, *rest])


def without_castling(fen):
    parts = fen.split()
    return " ".join([*parts[:2], "-", *parts[3:]])


def values(chess, fen):
    """By the compiled rules; uncompiled where everything is."""
    out = np.zeros(2)
    core.evaluate(chess.rules_table(wanted=("evaluate",)), chess.position(fen).buffer, out)
    return out


def priors(chess, fen):
    position = chess.position(fen)
    actions = np.zeros(500, np.int32)
    table = chess.rules_table(wanted=("priors",))
    count = core.legal_actions(table, position.buffer, actions)
    out = np.zeros(500)
    core.priors(table, position.buffer, actions, count, out)
    return {position.action_text(int(a)): w for a, w in zip(actions[:count], out[:count], strict=True)}


def uncompiled(function, state):
    with np.errstate(over="ignore"):
        return function(state)


def centipawns(chess, fen):
    """Static and settled, for the side to move, uncompiled."""
    state = chess.position(fen).state
    phase = phase_of(state)
    return uncompiled(lambda s: static_value(s, phase), state) / FULL_PHASE, uncompiled(settled_value, state)


@pytest.mark.parametrize("fen", FENS)
def test_both_colours_are_valued_alike(chess, fen):
    here, there = values(chess, fen), values(chess, flipped(fen))
    assert here[0] == -here[1]
    assert list(here) == list(there[::-1])


@pytest.mark.parametrize("fen", FENS)
def test_left_and_right_are_valued_alike(chess, fen):
    here, there = values(chess, without_castling(fen)), values(chess, mirrored(fen))
    assert here[0] == pytest.approx(there[0], abs=1e-12)


@pytest.mark.parametrize("fen", FENS)
def test_compiled_equals_uncompiled_and_the_position_is_left_as_it_was(chess, fen):
    position = chess.position(fen)
    before = position.buffer.copy()
    mover = int(position.state.turn)
    side = uncompiled(stronger_side, position.state)
    if side >= 0:
        mover, expected = side, uncompiled(lambda state: bare_king_value(state, side), position.state)
    else:
        expected = squashed(uncompiled(settled_value, position.state))
    assert values(chess, fen)[mover] == pytest.approx(expected, abs=1e-12)
    position = chess.position(fen)
    values(chess, fen)
    assert (position.buffer == before).all()


@pytest.mark.parametrize("fen", FENS)
def test_values_are_inside_the_range_of_results(chess, fen):
    assert np.abs(values(chess, fen)).max() < 1


def test_a_hopeless_position_is_still_no_result(chess):
    worst = values(chess, "k7/8/8/8/8/8/QQQQQQQQ/RNB1KBNR b - - 0 1")
    assert -1 < worst[1] < -0.99


@pytest.mark.parametrize("fen", FENS)
def test_settling_is_never_worse_than_stopping_unless_in_check(chess, fen):
    static, settled = centipawns(chess, fen)
    if not chess.position(fen).state.checkers:
        assert settled >= static


def test_material_decides(chess):
    for without in ("qQ", "rR", "bB", "nN", "pP"):
        fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1".replace(without[0], "1", 1)
        assert values(chess, fen)[0] > 0.15, fen


def test_a_hanging_piece_is_taken_and_a_defended_one_is_not(chess):
    static, settled = centipawns(chess, "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    assert settled - static > 700
    static, settled = centipawns(chess, "4k3/2p5/3p4/8/8/8/3Q4/4K3 w - - 0 1")
    assert settled == static


def test_a_recapture_is_seen(chess):
    # Rxd5 takes a knight, and the rook is taken back.
    static, settled = centipawns(chess, "4k3/8/2p5/3n4/8/8/8/3RK3 w - - 0 1")
    assert settled == static


def test_promotion_is_part_of_settling(chess):
    static, settled = centipawns(chess, "8/2P1k3/8/8/8/8/4K3/8 w - - 0 1")
    assert settled - static > 500


def test_in_check_nobody_may_stop(chess):
    # Black's queen is protected and next to the king: White is mated.
    static, settled = centipawns(chess, "4k3/8/8/8/8/3b4/8/4K2q w - - 0 1")
    assert settled <= static


@pytest.mark.parametrize(
    ("fen", "move", "expected"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
        ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
        ("4k3/8/2p5/3p4/8/8/8/3QK3 w - - 0 1", "d1d5", 100 - 950),
        ("3rk3/8/2p5/3n4/8/8/3R4/3RK3 w - - 0 1", "d2d5", 320 - 500 + 100 - 100),  # taken back: rook for knight
        ("4k3/8/8/8/8/1n6/3R4/3QK3 b - - 0 1", "b3d2", 500 - 320),
        ("8/8/8/8/3k4/4p3/3P4/3K4 w - - 0 1", "d2e3", 0),  # the king takes back
        ("8/8/8/8/3k4/4p3/3P1P2/3K4 w - - 0 1", "d2e3", 100),  # and here may not
    ],
)
def test_exchanges(chess, fen, move, expected):
    position = chess.position(fen)
    action = position.action(move)
    origin, target = action & 63, (action >> 6) & 63
    state = position.state
    first, mover = WORTH[state.squares[target] & 7], WORTH[state.squares[origin] & 7]
    assert uncompiled(lambda s: exchange(s, origin, target, first, mover), state) == expected


@pytest.mark.parametrize("fen", FENS)
def test_priors_are_above_zero_and_sum_to_one(chess, fen):
    found = priors(chess, fen)
    assert min(found.values()) > 0
    assert sum(found.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("fen", FENS)
def test_priors_are_the_same_for_both_colours(chess, fen):
    here, there = priors(chess, fen), priors(chess, flipped(fen))
    ranks = str.maketrans("12345678", "87654321")
    assert {move.translate(ranks): pytest.approx(w) for move, w in here.items()} == there


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("4k3/8/8/3q4/4P3/8/P7/4K3 w - - 0 1", "e4d5"),
        ("8/2P1k3/8/8/8/8/4K3/8 w - - 0 1", "c7c8q"),
        ("3r4/8/6k1/8/8/8/8/3QK3 w - - 0 1", "d1d8"),
        ("4k3/8/8/8/2n5/1P6/P2Q4/4K3 w - - 0 1", "b3c4"),
    ],
)
def test_priors_prefer_what_wins(chess, fen, best):
    found = priors(chess, fen)
    assert max(found, key=found.__getitem__) == best


def test_priors_do_not_give_pieces_away(chess):
    found = priors(chess, "4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1")
    assert found["d2d5"] < min(found["d2e3"], found["d2f4"])


@pytest.mark.parametrize(
    ("fen", "best", "simulations"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 60),  # mate in 1
        pytest.param("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 60_000, marks=pytest.mark.slow),  # mate in 2
    ],
)
def test_mates_are_proven(chess, fen, best, simulations):
    result = po.Search(chess, "chess", position=fen, seed=1).run(simulations)
    assert (result.best_text, result.proven) == (best, 1.0)


@pytest.mark.slow
def test_stalemate_is_no_win(chess):
    # Qc7 would be stalemate; nearly every other move keeps the win.
    search = po.Search(chess, "chess", position="k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", seed=1)
    result = search.run(20_000)
    assert result.proven == 1.0
    assert not search.position.play(result.best).is_terminal or search.position.play(result.best).rewards[0] == 1


@pytest.mark.slow
def test_a_stalemate_trap_is_avoided(chess):
    # Kb6 or Qb6 shut the king in: stalemate, half a point gone.
    search = po.Search(chess, "chess", position="k7/8/8/1K6/8/8/8/1Q6 w - - 0 1", seed=3)
    result = search.run(20_000)
    assert result.value > 0.8
    assert not search.position.play(result.best).is_terminal


def test_the_textbook_recipe_runs_from_a_fen(chess):
    search = po.Search(chess, "uct-chess", position="6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80", seed=1)
    result = search.run(40)
    assert result.proven is None
    assert sum(stats.visits for stats in result.actions) == 40
    assert all(stats.visits > 0 for stats in result.actions)  # unvisited moves come first
    assert po.preset("uct-chess", policy=po.UCT(0.7)).policy.c == 0.7


@pytest.mark.compiled_only
def test_the_compiled_evaluation_can_be_kept_on_disk(chess):
    chess.rules_table(wanted=("priors", "evaluate"))
    for name in ("priors", "evaluate"):
        for result in chess.rules._compiled[name].overloads.values():
            assert not result.library.has_dynamic_globals, name
