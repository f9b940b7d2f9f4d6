"""The UCI engine: its protocol in one process, and as a program under python-chess's engine driver."""

import contextlib
import queue
import subprocess
import sys
import threading
import time

import chess
import chess.engine
import pytest

import playout as po
from playout.games.chess.board import GOES_ON
from playout.settings.options import OPTIONS
from playout.uci import Engine, Go, centipawns, parse_go, seconds_for_move, win_draw_loss
from playout.uci.options import options_for
from tests.processes import end, start

PROGRAM = [sys.executable, "-m", "playout", "uci"]
PATIENCE = 600  # seconds: a first start compiles, on a machine that has other work
MATE_IN_2 = "r2qkb1r/pp2nppp/3p4/2pNN1B1/2BnP3/3P4/PPP2PPP/R2bK2R w KQkq - 1 1"  # Nf6+, then Bxf7
REPEATED = "g1f3 g8f6 f3g1 f6g8 " * 2


# Time.


def test_a_clock_without_increment_is_spent_over_the_moves_to_come():
    assert seconds_for_move(60, 0, None, 0) == 2.0
    assert seconds_for_move(60, 0, 10, 0) == 6.0
    assert seconds_for_move(60, 1, None, 0) == 2.75


def test_the_last_move_before_the_control_leaves_a_fifth():
    assert seconds_for_move(10, 0, 1, 0) == pytest.approx(8.0)
    assert seconds_for_move(10, 0, 2, 0) == pytest.approx(4.0)


def test_an_increment_larger_than_the_clock_does_not_lose_on_time():
    assert seconds_for_move(0.1, 10, None, 0.03) == pytest.approx(0.3 * 0.07)


@pytest.mark.parametrize("remaining", [-5.0, 0.0, 0.01, 0.03])
def test_a_fallen_flag_still_gets_a_thousandth(remaining):
    assert seconds_for_move(remaining, 0, None, 0.03) == 0.001


@pytest.mark.parametrize(("increment", "moves_to_go"), [(0.0, None), (0.05, None), (0.0, 40), (5.0, 1)])
def test_many_moves_never_use_up_the_clock(increment, moves_to_go):
    clock, left = 1.0, moves_to_go
    for _ in range(300):
        clock -= seconds_for_move(clock, increment, left, 0.03) + 0.0005
        assert clock > 0.0
        clock += increment
        if left is not None:
            left -= 1
            if left == 0:
                clock, left = clock + 1.0, moves_to_go
        elif increment == 0.0 and clock < 0.06:
            return  # whoever has no increment and plays for ever has no way to last


def test_movetime_leaves_room_for_the_overhead():
    assert Go(movetime=1000).seconds(0, 0.03) == 0.97
    assert Go(movetime=20).seconds(0, 0.03) == 0.01
    assert Go(movetime=0).seconds(0, 0.03) == 0.001


def test_each_side_has_its_own_clock():
    go = Go(wtime=30_000, btime=60_000, winc=0, binc=1000)
    assert go.seconds(0, 0.0) == 1.0
    assert go.seconds(1, 0.0) == 2.75
    assert Go(wtime=1000).seconds(1, 0.0) is None
    assert Go(infinite=True, wtime=1000).seconds(0, 0.0) is None


# Scores.


def test_centipawns_rise_with_the_value():
    assert centipawns(0) == 0
    assert centipawns(0.5) == -centipawns(-0.5) == 111
    assert centipawns(1.0) == centipawns(7.0) == 12800
    values = [centipawns(v / 100) for v in range(-100, 101)]
    assert values == sorted(set(values))


@pytest.mark.parametrize("value", [-1.0, -0.3, 0.0, 0.77, 1.0, 1.5])
def test_chances_add_up_and_have_the_value_as_their_mean(value):
    win, draw, loss = win_draw_loss(value)
    assert win + draw + loss == 1000
    assert min(win, draw, loss) >= 0
    assert (win - loss) / 1000 == pytest.approx(max(-1.0, min(1.0, value)), abs=2e-3)


# Settings.


def test_the_engine_searches_with_the_games_own_preset():
    engine = Engine(lambda line: None)
    assert engine.settings() == po.preset("chess")
    engine.values["Preset"] = "textbook"
    assert engine.settings() == po.preset("textbook")


def test_only_presets_that_the_game_can_play_are_offered():
    words = options_for(po.games.load("chess"))["Preset"].words
    assert words[0] == "auto"
    assert "textbook" in words
    assert not {"default", "name", "type", "min", "max", "var"} & set(words)  # the keywords of an option's line


# Reading.


def test_go_reads_every_limit():
    start = po.games.load("chess").position()
    times = "wtime 1 btime 2 winc 3 binc 4 movestogo 5 movetime 9"
    words = f"{times} nodes 6 depth 7 mate 8 infinite ponder searchmoves e2e4 d2d4".split()
    go, complaints = parse_go(words, start)
    moves = (start.action("e2e4"), start.action("d2d4"))
    assert go == Go(6, 9, 1, 2, 3, 4, 5, 7, 8, True, True, moves)
    assert not complaints


def test_go_takes_nonsense_for_a_second():
    start = po.games.load("chess").position()
    go, complaints = parse_go(["movetime", "soon", "sideways"], start)
    assert go == Go(movetime=1000)
    assert len(complaints) == 2
    assert parse_go(["nodes", "-5", "movestogo", "0"], start)[0] == Go(nodes=1)
    assert parse_go(["nodes", "9" * 400], start)[0] == Go(nodes=10**12)
    assert parse_go(["nodes", "9" * 5000], start)[0] == Go(movetime=1000)
    assert parse_go(["nodes"], start)[0] == Go(movetime=1000)
    assert parse_go(["searchmoves", "e2e5", "e2e4", "nodes", "7"], start)[0] == Go(
        nodes=7, searchmoves=(start.action("e2e4"),)
    )


# In one process.


class Talk:
    """An engine, and all that it said."""

    def __init__(self):
        self.lines = []
        self.engine = Engine(self.lines.append)

    def __call__(self, *commands):
        """What is said to commands, up to the answers of their searches."""
        before = len(self.lines)
        for command in commands:
            assert self.engine.command(command)
            if command.startswith("go") and "infinite" not in command and "ponder" not in command:
                self.engine._worker.join(PATIENCE)
        return self.lines[before:]


@pytest.fixture
def talk():
    talk = Talk()
    yield talk
    talk.engine._halt()


def last_move(lines):
    return lines[-1].split()[1] if lines and lines[-1].startswith("bestmove") else None


def test_it_says_what_it_is_and_can(talk):
    lines = talk("uci")
    assert lines[0].startswith("id name Playout")
    assert lines[-1] == "uciok"
    names = [line.split(" type ")[0].removeprefix("option name ") for line in lines if line.startswith("option")]
    assert {"Hash", "Threads", "MultiPV", "Ponder", "UCI_ShowWDL", "Move Overhead", "Preset", "C"} <= set(names)
    assert talk("isready") == ["readyok"]


def test_several_roots_are_searched_and_kept_from_move_to_move(talk):
    assert talk("setoption name roots value 2", "isready") == ["readyok"]
    lines = talk("position startpos", "go nodes 200")
    assert last_move(lines) is not None
    assert " nodes 200 " in lines[-2]
    assert last_move(talk("position startpos moves e2e4 e7e5", "go nodes 100")) is not None
    (refusal,) = talk("setoption name roots value 0")
    assert "roots is 0, expected a whole number of at least 1 and at most 256" in refusal


def test_every_declared_setting_is_an_option(talk):
    known = {name.lower() for name in options_for(po.games.load("chess"))}
    assert known >= OPTIONS.keys() - {"early_stop"}  # which the clock decides
    assert talk("setoption name evaluator value rollouts", "setoption name rollouts value 2") == []
    (refusal,) = talk("setoption name rollouts value none at all")
    assert "rollouts is 'none at all', expected a whole number" in refusal
    (refusal,) = talk("setoption name policy value file.py:Mine")
    assert "option policy is 'file.py:Mine', expected one of auto, uct" in refusal


def test_it_finds_a_mate_in_one_and_says_so(talk):
    lines = talk("position fen 6k1/5ppp/8/8/8/8/8/R3K2R w - - 0 1", "go nodes 400")
    assert last_move(lines) == "a1a8"
    assert " score mate 1 " in lines[-2]
    assert lines[-2].endswith(" pv a1a8")


def test_the_side_that_is_mated_says_so_with_a_minus(talk):
    lines = talk("position fen 7k/8/6KQ/8/8/8/8/8 b - - 0 1", "go nodes 400")
    assert " score mate -1 " in lines[-2], lines
    assert lines[-1] == "bestmove h8g8 ponder h6g7"


@pytest.mark.parametrize(
    ("fen", "score"),
    [("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "mate 0"), ("7k/8/6Q1/8/8/8/8/K7 b - - 0 1", "cp 0")],
    ids=["mated", "stalemate"],
)
def test_a_game_that_is_over_has_no_move(talk, fen, score):
    assert talk(f"position fen {fen}", "go nodes 10") == [f"info depth 0 score {score}", "bestmove (none)"]


def test_the_tree_is_kept_from_move_to_move(talk):
    talk("debug on", "position startpos", "go nodes 300")
    talk("position startpos moves e2e4 e7e5", "go nodes 10")
    search = talk.engine.trees.last.search
    best = search.result().best_text
    lines = talk(f"position startpos moves e2e4 e7e5 {best}", "go nodes 10")
    assert talk.engine.trees.last.search is search
    assert any("tree kept" in line for line in lines)
    talk("position startpos moves d2d4", "go nodes 10")
    assert talk.engine.trees.last.search is not search


def test_another_answer_than_the_one_pondered_on_finds_its_tree(talk):
    talk("debug on", "position startpos", "go nodes 2000")
    _, best, _, expected = talk.lines[-1].split()
    talk(f"position startpos moves {best} {expected}", "go ponder")
    while talk.engine.trees.before is None:
        time.sleep(0.001)
    other = max(
        (c for c in talk.engine.trees.before.search.root.children if c.text != expected), key=lambda c: c.visits
    )
    text, visits = other.text, other.visits
    talk("stop")
    talk.engine._worker.join(PATIENCE)
    lines = talk(f"position startpos moves {best} {text}", "go nodes 10")
    assert visits > 1
    assert any("tree kept" in line for line in lines), lines
    assert talk.engine.trees.last.search.result().visits >= visits


def test_a_tree_too_big_to_copy_in_the_time_of_a_move_is_left(talk, monkeypatch):
    talk("debug on", "position startpos", "go nodes 300")
    monkeypatch.setattr("playout.uci.trees.COPY_BYTES", 1.0)
    best = talk.engine.trees.last.search.result().best_text
    lines = talk(f"position startpos moves {best}", "go movetime 20")
    assert not any("tree kept" in line for line in lines)
    assert last_move(lines)


def test_other_settings_need_another_tree(talk):
    talk("position startpos", "go nodes 10")
    search = talk.engine.trees.last.search
    talk("setoption name C value 3.75", "go nodes 10")
    assert talk.engine.trees.last.search is not search
    assert talk.engine.trees.last.search.settings.policy.c == 3.75
    talk("setoption name Seed value 7", "go nodes 10")
    assert talk.engine.trees.last.search.seed == 7


@pytest.mark.parametrize(
    "position",
    [
        f"startpos moves {REPEATED}",
        f"startpos moves {REPEATED * 3}",
        "fen 8/8/4k3/8/8/3QK3/8/8 w - - 120 90",
        "fen 8/8/4k3/8/8/3QK3/8/8 w - - 149 190 moves d3d4",
        "fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1",
    ],
    ids=["threefold", "fivefold", "fifty", "seventy-five", "bare-kings"],
)
def test_a_draw_that_nobody_claimed_still_gets_a_move(talk, position):
    lines = talk(f"position {position}", "go nodes 60")
    assert last_move(lines) in [talk.engine.replayed.action_text(a) for a in talk.engine.replayed.actions()]
    assert talk.engine.replayed.state.over == GOES_ON


def test_it_claims_a_repetition_that_it_can_see(talk):
    """Down a queen, with a move that repeats for the third time at hand."""
    moves = "e1d1 e8d8 d1e1 d8e8 e1d1 e8d8 d1e1"
    lines = talk(f"position fen 4k3/8/8/8/8/8/q7/4K3 w - - 0 1 moves {moves}", "go searchmoves d8e8 nodes 20")
    assert " score cp 0 " in lines[-2]
    assert last_move(lines) == "d8e8"


def test_a_plan_that_has_too_few_nodes_makes_way_for_the_policy_and_says_so(talk):
    lines = talk("setoption name root value halving", "position startpos", "go nodes 10")
    assert "Halving compares all 20 actions" in lines[0]
    assert lines[0].endswith("; this search is by the policy alone")
    assert " nodes 10 " in lines[-2]
    assert f" pv {last_move(lines)}" in lines[-2]
    assert not any("policy alone" in line for line in talk("position startpos moves e2e4", "go nodes 50"))
    assert "policy alone" in talk("position startpos moves e2e4 e7e5", "go nodes 10")[0]


def test_searchmoves_are_the_only_moves_searched(talk):
    lines = talk("position startpos", "setoption name MultiPV value 5", "go nodes 100 searchmoves a2a3 h2h4")
    assert last_move(lines) in ("a2a3", "h2h4")
    assert {line.split(" pv ")[1].split()[0] for line in lines if " pv " in line} == {"a2a3", "h2h4"}
    lines = talk("go nodes 100")
    assert len({line.split(" pv ")[1].split()[0] for line in lines[-6:-1]}) == 5


def test_multipv_lines_are_numbered_from_the_best(talk):
    lines = talk("setoption name MultiPV value 3", "position startpos", "go nodes 200")
    infos = [line for line in lines if " multipv " in line][-3:]
    assert [line.split(" multipv ")[1][0] for line in infos] == ["1", "2", "3"]
    assert infos[0].split(" pv ")[1].split()[0] == last_move(lines)


def test_go_depth_ends_with_a_line_so_long(talk):
    lines = talk("position startpos", "go depth 2")
    assert int(lines[-2].split("depth ")[1].split()[0]) >= 2


def test_go_mate_ends_when_it_is_proven(talk):
    lines = talk(f"position fen {MATE_IN_2}", "go mate 2")
    assert " score mate 2 " in lines[-2]
    assert last_move(lines) == "d5f6"


def test_chances_are_said_when_asked_for(talk):
    assert " wdl " not in talk("position startpos", "go nodes 20")[-2]
    assert " wdl " in talk("setoption name UCI_ShowWDL value true", "go nodes 20")[-2]


def test_chances_are_those_counted_where_results_are_counted(talk):
    talk("setoption name UCI_ShowWDL value true", "setoption name Preset value uct-chess")
    talk("setoption name wdl value on", "position fen 8/8/4k3/8/8/4K3/4P3/8 w - - 0 1")
    line = talk("go nodes 60")[-2]
    wins, draws, losses = map(int, line.split(" wdl ")[1].split()[:3])
    assert wins + draws + losses == 1000
    assert draws > 500  # random play rarely wins with one pawn; a split of the value alone never says more than half


def test_temperature_varies_the_move(talk):
    talk("setoption name Temperature value 1000", "position startpos")
    assert len({last_move(talk("go nodes 40")) for _ in range(12)}) > 1


@pytest.mark.compiled_only
def test_threads_search_one_tree_together(talk):
    assert talk("setoption name Threads value 2") == []
    lines = talk("position startpos moves e2e4", "go nodes 2000")
    assert lines[-1].startswith("bestmove ")
    assert talk.engine.settings().threads == 2


@pytest.mark.compiled_only
def test_a_small_hash_ends_the_search(talk):
    lines = talk("setoption name Hash value 1", "position startpos", "go nodes 1000000")
    assert "hashfull" in lines[-2]
    assert int(lines[-2].split("hashfull ")[1].split()[0]) > 900
    assert last_move(lines)


def test_infinite_and_ponder_wait_to_be_asked(talk):
    for word in ("infinite", "ponder wtime 100 btime 100"):
        talk("position fen 6k1/5ppp/8/8/8/8/8/R3K2R w - - 0 1", "isready")
        assert not any(line.startswith("bestmove") for line in talk(f"go {word}", "isready"))
        time.sleep(0.1)
        assert not talk.lines[-1].startswith("bestmove")
        talk("ponderhit" if "ponder" in word else "stop")
        talk.engine._worker.join(PATIENCE)
        assert talk.lines[-1].startswith("bestmove a1a8")


NONSENSE = [
    "",
    "   ",
    "\x00\x01\ufffd",
    "xyzzy",
    "x" * 1_000_000,
    "stop",
    "ponderhit",
    "setoption",
    "setoption name",
    "setoption name Hash",
    "setoption name Hash value",
    "setoption name Hash value many",
    "setoption name Hash value -1",
    "setoption name Hash value " + "9" * 10_000,
    "setoption name Nosuch value 1",
    "setoption name Preset value nosuch",
    "setoption name C value -1",
    "setoption name C value nan",
    "setoption name C value lots",
    "setoption name Ponder value perhaps",
    "setoption name Threads value 0",
    "setoption name Threads value 10000",
    "setoption name Seed value 1e3",
    "setoption name Clear Hash",
    "position",
    "position moves",
    "position moves e2e4",
    "position fen",
    "position fen moves e2e4",
    "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
    "position fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - x y",
    "position fen startpos",
    "position startpos e2e4",
    "position startpos moves e2e5",
    "position startpos moves e2e4 e2e4",
    "position startpos moves 0000",
    "position startpos moves " + "e2e4 " * 20_000,
    "position startpos moves \ufffd",
    "debug",
    "debug perhaps",
    "debug off",
    "d d d",
    "register later",
]


@pytest.mark.parametrize("line", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_changes_nothing(talk, line):
    talk("position startpos moves e2e4")
    values = dict(talk.engine.values)
    for said in talk(line):
        assert "\n" not in said
        assert len(said) < 500
        assert "Traceback" not in said
        assert " failed: " not in said
    assert talk.engine.values == values
    assert talk.engine.moves == ["e2e4"]
    assert last_move(talk("go nodes 1"))


@pytest.mark.parametrize(
    "line",
    [
        "go nodes 0",
        "go movetime 0",
        "go movetime -5",
        "go wtime -100 btime -100",
        "go wtime 1 btime 1",
        "go depth 1 nodes 50",
        "go nodes 5 searchmoves",
        "go nodes 5 searchmoves zz e2e5",
        "joho go nodes 5",
        "go nodes 5 perft 3",
    ],
)
def test_every_go_gets_a_legal_move(talk, line):
    talk("position startpos", "isready")
    talk.engine.command(line)
    talk.engine._worker.join(PATIENCE)
    assert last_move(talk.lines) in [move.uci() for move in chess.Board().legal_moves]


def test_going_twice_answers_twice(talk):
    talk("isready", "go infinite", "go infinite", "stop")
    talk.engine._worker.join(PATIENCE)
    assert sum(line.startswith("bestmove") for line in talk.lines) == 2


def test_a_search_that_fails_still_moves(talk, monkeypatch):
    def broken(*args, **kwargs):
        raise MemoryError("none left")

    talk("isready")
    monkeypatch.setattr(po.Search, "run", broken)
    lines = talk("position startpos", "go nodes 5")
    assert lines[-2] == "info string the search failed: none left"
    assert last_move(lines) in [move.uci() for move in chess.Board().legal_moves]


def test_the_board_can_be_shown(talk):
    lines = talk("position startpos moves e2e4", "d")
    assert "4  . . . . P . . ." in lines
    assert lines[-1] == "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


# What was added to `Search` for it.


def test_a_root_can_be_left_a_few_actions():
    search = po.Search(po.games.load("tictactoe"), only=["1", 4], seed=1)
    result = search.run(200)
    assert {s.action for s in result.actions} == {search.position.action("1"), 4}
    assert sum(s.prior for s in result.actions) == pytest.approx(1.0)
    visits = [s.visits for s in result.actions]
    search.rewind(50)
    search.run(150)
    assert [s.visits for s in search.result().actions] == visits
    search.play(4)
    assert len(search.run(100).actions) == 8


@pytest.mark.parametrize("only", [[], [77], ["1", 100]], ids=["none", "illegal", "one-illegal"])
def test_a_root_left_nothing_is_refused(only):
    with pytest.raises(po.SettingsError, match="expected legal actions"):
        po.Search(po.games.load("tictactoe"), only=only)


def test_progress_may_ask_for_the_result():
    seen = []
    search = po.Search(po.games.load("tictactoe"), seed=1)
    search.run(500, progress=lambda search, share: seen.append(search.result().total))
    assert seen[0] == 0
    assert seen[-1] >= 1


def shortest(position, winner):
    """Moves to the end with best play on both sides, by plain recursion: the shortest win, the longest loss."""
    if position.is_terminal:
        return (0, position.rewards[winner] > 0)
    found = [shortest(position.play(a), winner) for a in position.actions()]
    wins = [n for n, won in found if won]
    if position.player == winner:
        return (1 + min(wins), True) if wins else (0, False)
    return (1 + max(wins), True) if len(wins) == len(found) else (0, False)


@pytest.mark.parametrize("text", ["XO./.../...", "X../.O./..X", "XO./X../O..", "X.O/.../..."])
def test_a_proven_line_is_one_that_wins(text):
    search = po.Search(po.games.load("tictactoe"), position=text, seed=3)
    result = search.run(20_000)
    for stats in result.actions:
        line = search.proven_line(stats.action)
        assert bool(line) == (stats.proven in (-1.0, 1.0))
        if not line:
            continue
        assert line[0] == stats.action
        position = search.position
        winner = position.player if stats.proven == 1.0 else 1 - position.player
        n, won = shortest(position.play(line[0]), winner)
        for action in line:
            position = position.play(action)
        assert position.is_terminal
        assert position.rewards[winner] > 0
        assert won
        assert len(line) >= 1 + n  # the shortest of what was proven, which may not be all


# As a program.


@pytest.fixture(scope="module")
def engine():
    with chess.engine.SimpleEngine.popen_uci(PROGRAM, timeout=PATIENCE) as engine:
        yield engine


@pytest.mark.compiled_only
def test_the_driver_knows_it(engine):
    assert engine.id["name"].startswith("Playout")
    assert engine.options["Hash"].min == 1
    assert engine.options["Preset"].default == "auto"
    assert list(engine.options["Preset"].var) == list(options_for(po.games.load("chess"))["Preset"].words)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    "limit",
    [
        chess.engine.Limit(nodes=500),
        chess.engine.Limit(time=0.1),
        chess.engine.Limit(depth=3),
        chess.engine.Limit(white_clock=1, black_clock=1, white_inc=0.05, black_inc=0.05),
        chess.engine.Limit(white_clock=1, black_clock=1, remaining_moves=3),
    ],
    ids=["nodes", "time", "depth", "increment", "control"],
)
def test_it_plays_within_every_limit(engine, limit):
    board = chess.Board()
    played = engine.play(board, limit, info=chess.engine.INFO_ALL)
    assert played.move in board.legal_moves
    assert played.info["nodes"] >= 1
    if limit.nodes:
        assert played.info["nodes"] <= 500
    assert played.ponder is None or board.is_legal(played.move)


@pytest.mark.compiled_only
def test_the_driver_reads_its_analysis(engine):
    infos = engine.analyse(chess.Board(), chess.engine.Limit(time=0.6), multipv=3)
    assert [info["multipv"] for info in infos] == [1, 2, 3]
    for info in infos:
        board = chess.Board()
        for move in info["pv"]:
            board.push(move)  # python-chess has checked them as it read them
        assert info["score"].relative.score() is not None
        assert {"depth", "seldepth", "nodes", "nps", "time", "hashfull"} <= set(info)
    wdl = engine.analyse(chess.Board(), chess.engine.Limit(nodes=200), options={"UCI_ShowWDL": True})["wdl"]
    assert sum(wdl.relative) == 1000


@pytest.mark.compiled_only
def test_a_mate_in_two_is_a_mate_score(engine):
    info = engine.analyse(chess.Board(MATE_IN_2), chess.engine.Limit(time=20, mate=2))
    assert info["score"].relative == chess.engine.Mate(2)
    assert info["pv"][0] == chess.Move.from_uci("d5f6")
    assert len(info["pv"]) == 3


@pytest.mark.compiled_only
def test_it_searches_only_the_moves_of_the_driver(engine):
    only = [chess.Move.from_uci("a2a4"), chess.Move.from_uci("h2h3")]
    assert engine.play(chess.Board(), chess.engine.Limit(nodes=300), root_moves=only).move in only


@pytest.mark.compiled_only
def test_it_ponders(engine):
    board, seen = chess.Board(), []
    for _ in range(4):
        played = engine.play(board, chess.engine.Limit(time=0.05), ponder=True)
        board.push(played.move)
        reply = played.ponder if played.ponder and len(seen) % 2 == 0 else next(iter(board.legal_moves))
        seen.append(reply)
        board.push(reply)
    assert board.is_valid()


@pytest.mark.compiled_only
def test_a_whole_game_against_itself(engine):
    board = chess.Board()
    while not board.is_game_over(claim_draw=True) and board.ply() < 160:
        board.push(engine.play(board, chess.engine.Limit(time=0.02), game="itself").move)
    assert board.is_valid()
    assert board.ply() > 6


class Program:
    """The engine behind pipes; what it says is read by a thread, so that no test can hang."""

    def __init__(self):
        self.process = start(PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.said.put(line.decode().strip())

    def tell(self, *lines):
        for line in lines:
            self.process.stdin.write(line.encode() if isinstance(line, str) else line)
            self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def until(self, word):
        """All lines up to the one that begins with a word."""
        lines = []
        while True:
            lines.append(self.said.get(timeout=PATIENCE))
            if lines[-1].startswith(word):
                return lines

    def end(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        errors = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return code, errors


@pytest.fixture
def program():
    program = Program()
    yield program
    end(program.process)
    program.reader.join()


@pytest.mark.compiled_only
def test_it_answers_while_it_searches(program):
    program.tell("uci", "isready")
    program.until("readyok")
    program.tell("position startpos", "go infinite")
    program.until("info depth")
    for _ in range(5):
        program.tell("isready")
        assert not any(line.startswith("bestmove") for line in program.until("readyok"))
    program.tell("stop")
    lines = program.until("bestmove")
    assert " nps " in lines[-2]
    program.tell("quit")
    assert program.end() == (0, "")


@pytest.mark.compiled_only
@pytest.mark.parametrize("last", [["quit"], []], ids=["quit", "end-of-input"])
def test_it_ends_during_a_search(program, last):
    program.tell("isready")
    program.until("readyok")
    program.tell("go infinite", *last)
    assert program.end() == (0, "")


@pytest.mark.compiled_only
def test_it_ends_when_nothing_was_asked(program):
    assert program.end() == (0, "")


@pytest.mark.compiled_only
def test_it_outlives_nonsense(program):
    program.tell(*NONSENSE, b"\xff\xfe\x00", "go nodes 3", "isready")
    program.until("bestmove")
    program.tell("isready")
    program.until("readyok")
    program.tell("quit")
    assert program.end() == (0, "")
