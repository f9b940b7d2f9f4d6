"""The arena: what results say, who plays whom, forfeits by rule, and matches that go on where they were."""

import contextlib
import io
import json
import math
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

import playout as po
from playout import arena
from playout.arena import Record, Sprt, Tally, bradley_terry, elo_of, make_match, play_match, score_of
from playout.cli import main
from playout.core.jit import COMPILED
from playout.play.engine import find_program
from playout.play.store import ResultsFile
from tests.games.toy_games import Dice, Nim, NimOfThree
from tests.processes import started

PATIENCE = 300  # seconds, on a busy machine

FEW = 100 if COMPILED else 20
ENGINE = """
import sys, time
way = sys.argv[1]
sys.stderr.write("engine of the tests\\n" * 3000)
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        if way == "silent":
            continue
        print("id name Fake\\noption name Skill type spin default 1\\nnonsense\\nuciok", flush=True)
    elif words[0] == "setoption":
        way = words[-1] if words[2] == "Skill" and words[-1] != "1" else way
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "quit" and way != "deaf":
        break
    elif words[0] == "stop" and way == "late":
        print("bestmove a2a3", flush=True)
    elif words[0] == "go":
        if way == "crash":
            sys.stderr.write("out of luck\\n")
            sys.stderr.flush()
            sys.exit(3)
        elif way in ("hang", "deaf"):
            time.sleep(60)
        elif way == "late":
            pass
        elif way == "illegal":
            print("bestmove e2e5", flush=True)
        elif way == "empty":
            print("bestmove", flush=True)
        elif way == "nonsense":
            while True:
                print("blah \\x00 blah")
"""


def engine(tmp_path: Path, way: str, limits: str = "t=0.1") -> str:
    script = tmp_path / "engine.py"
    script.write_text(ENGINE)
    return f"{way}=uci:{sys.executable} {script} {way},{limits}"


# Statistics.


@pytest.mark.parametrize(("score", "elo"), [(0.5, 0.0), (0.75, 190.848), (0.64, 99.951), (0.1, -381.697)])
def test_elo_of_a_score(score: float, elo: float) -> None:
    assert elo_of(score) == pytest.approx(elo, abs=1e-3)
    assert score_of(elo) == pytest.approx(score, abs=1e-5)


def test_elo_of_all_and_nothing() -> None:
    assert elo_of(1.0) == math.inf
    assert elo_of(0.0) == -math.inf


def test_interval_without_pairs_is_wilsons() -> None:
    low, high = Tally(wins=60, losses=40).score_interval
    assert (low, high) == pytest.approx((0.5020, 0.6906), abs=1e-4)  # of 60 in 100, as in the tables


def test_interval_with_draws_is_narrower() -> None:
    def width(tally: Tally) -> float:
        return tally.score_interval[1] - tally.score_interval[0]

    assert width(Tally(10, 80, 10)) < 0.5 * width(Tally(50, 0, 50))


def test_interval_of_many_pairs_is_that_of_their_variance() -> None:
    pairs = (100, 200, 400, 250, 50)
    count = sum(pairs)
    scores = [0.0, 0.25, 0.5, 0.75, 1.0]
    mean = sum(n * s for n, s in zip(pairs, scores, strict=True)) / count
    error = math.sqrt(sum(n * (s - mean) ** 2 for n, s in zip(pairs, scores, strict=True)) / count / count)
    points = round(2 * count * mean * 2)
    tally = Tally(points // 2, points % 2, 2 * count - points // 2 - points % 2, pairs)
    assert tally.score == pytest.approx(mean)
    assert tally.score_interval == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=2e-4)
    assert tally.los == pytest.approx(0.5 * (1 + math.erf((mean - 0.5) / error / math.sqrt(2))), abs=5e-3)


def test_interval_of_results_all_alike_is_not_nothing() -> None:
    low, high = Tally(10, 0, 10, (0, 0, 10, 0, 0)).score_interval
    assert 0.3 < low < 0.49
    assert 0.51 < high < 0.7
    assert Tally().elo_interval == (-math.inf, math.inf)


def test_los_is_symmetric() -> None:
    assert Tally(10, 5, 10).los == pytest.approx(0.5)
    assert Tally(30, 5, 10).los + Tally(10, 5, 30).los == pytest.approx(1.0)


def test_sprt_bounds() -> None:
    assert Sprt(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(0.9 / 0.01)))


def test_sprt_ratio_is_near_the_normal_one() -> None:
    """For small differences: N (s1 - s0) (2 s - s0 - s1) / (2 V)."""
    pairs, scores = (300, 900, 2000, 1000, 350), [0.0, 0.25, 0.5, 0.75, 1.0]
    count = sum(pairs)
    mean = sum(n * s for n, s in zip(pairs, scores, strict=True)) / count
    variance = sum(n * (s - mean) ** 2 for n, s in zip(pairs, scores, strict=True)) / count
    s0, s1 = score_of(0), score_of(5)
    expected = count * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert Sprt(0, 5).ratio(pairs) == pytest.approx(expected, rel=0.01)
    assert Sprt(-5, 0).ratio(pairs[::-1]) == pytest.approx(-Sprt(0, 5).ratio(pairs), rel=1e-6)


def test_sprt_decides() -> None:
    assert Sprt(0, 10).decision((0, 0, 0, 0, 0)) is None
    assert Sprt(0, 50).decision((0, 0, 10, 20, 60)) == "H1"
    assert Sprt(0, 50).decision((20, 20, 60, 10, 0)) == "H0"


def test_ratings_of_two_are_their_elo() -> None:
    first, second = bradley_terry(2, {(0, 1): (7500.0, 10000)})
    assert first.elo - second.elo == pytest.approx(190.85, abs=0.1)
    assert first.elo + second.elo == pytest.approx(0.0, abs=1e-6)
    # The difference of scores has the error sqrt(p (1 - p) / n); each rating has half of the Elo difference.
    slope = 400 / math.log(10) / (0.75 * 0.25)
    assert first.error == pytest.approx(1.96 * math.sqrt(0.75 * 0.25 / 10000) * slope / 2, rel=0.01)


def test_ratings_are_transitive_and_finite() -> None:
    ratings = bradley_terry(4, {(0, 1): (760, 1000), (1, 2): (760, 1000), (2, 3): (10, 10)})
    assert ratings[0].elo - ratings[1].elo == pytest.approx(200, abs=2)
    assert ratings[0].elo - ratings[2].elo == pytest.approx(400, abs=4)
    assert all(math.isfinite(r.elo) for r in ratings)


# Matches that can't be.


@pytest.mark.parametrize(
    ("game", "players", "options", "message"),
    [
        ("target_sum", ["default", "random"], {}, "has one player"),
        ("tictactoe", ["default"], {}, "1 player given"),
        ("tictactoe", ["default", "random", "random"], {}, "need a round robin"),
        ("tictactoe", ["default", "random"], {"games": 3}, "a multiple of 2"),
        ("tictactoe", ["default", "random"], {"games": 0}, "games is 0"),
        ("tictactoe", ["default", "random"], {"plies": 9}, "ended the game each"),
        ("tictactoe", ["default", "random"], {"sprt": (5, 5)}, "elo0 below elo1"),
        ("tictactoe", ["default", "random"], {"concurrency": 0}, "concurrency is 0"),
        ("tictactoe", ["default", "evaluator=static"], {}, "no static value"),
        ("tictactoe", ["default", f"uci:{sys.executable}"], {}, "UCI engines play chess"),
        (NimOfThree(), ["random", "random"], {"games": 3}, "has 3 players, and 2 were given"),
    ],
)
def test_mistakes_in_matches_are_named(game: object, players: list[str], options: dict, message: str) -> None:
    with pytest.raises(po.SettingsError, match=message):
        play_match(game, players, **options)


# Openings and the schedule.


def test_each_opening_is_played_from_both_seats() -> None:
    result = play_match("connect4", ["random", "other=random"], games=10, concurrency=1, plies=2)
    records = result.records
    assert [r.number for r in records] == list(range(10))
    for first, second in zip(records[::2], records[1::2], strict=True):
        assert first.players == (0, 1)
        assert second.players == (1, 0)
        assert first.opening == second.opening
        assert first.moves[:2] == second.moves[:2]
        assert first.opening_moves == second.opening_moves == 2
    assert len({r.moves[:2] for r in records}) == 5


def essence(records: list[Record]) -> list[tuple]:
    return [(r.number, r.players, r.moves, r.returns, r.termination) for r in records]


def test_results_do_not_depend_on_how_many_games_are_played_at_once() -> None:
    players = [f"default,n={FEW}", "textbook,n=20"]
    alone, both = (play_match("tictactoe", players, games=8, concurrency=n, seed=3) for n in (1, 2))
    assert essence(alone.records) == essence(both.records)
    assert len({r.moves for r in alone.records}) > 4


def test_a_file_of_openings_shorter_than_the_match_begins_again(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("44\n45\n")
    result = play_match("connect4", ["random", "random"], games=8, concurrency=1, openings=file)
    assert [r.start for r in result.records] == ["44", "44", "45", "45"] * 2
    assert result.players == ["random", "random (2)"]
    assert result.tally().games == 8
    assert sum(result.tally().pairs) == 4


@pytest.mark.parametrize("game", ["tictactoe", "connect4"])
def test_search_beats_random(game: str) -> None:
    result = play_match(game, [f"default,n={FEW}", "random"], games=12, plies=2, concurrency=1)
    assert result.tally().score > 0.7
    assert result.tally().elo > 0


def test_three_players_sit_in_every_seat() -> None:
    result = play_match(NimOfThree(stones=8), ["default,n=50", "random", "b=random"], games=12, plies=1, concurrency=1)
    assert [r.players for r in result.records[:3]] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert result.tally(1, 2).games == 12
    assert sum(result.tally(1, 2).pairs) == 0
    assert result.ratings[0].elo > 0
    assert len(result.to_dict()["table"]) == 3


def test_chance_is_drawn_with_the_seed_of_the_match() -> None:
    result = play_match(Dice(), ["random", "b=random"], games=6, plies=0, concurrency=1)
    assert len(result.records) == 6
    again = play_match(Dice(), ["random", "b=random"], games=6, plies=0, concurrency=1)
    assert essence(result.records) == essence(again.records)


def test_a_long_game_is_adjudicated_a_draw() -> None:
    result = play_match(Nim(stones=21), ["random", "b=random"], games=2, plies=0, max_moves=3, concurrency=1)
    assert [r.termination for r in result.records] == ["adjudication"] * 2
    assert [r.reason for r in result.records] == ["a draw after 3 moves"] * 2
    assert result.tally().draws == 2


def test_the_test_ends_the_match_in_the_order_of_the_schedule() -> None:
    players, test = [f"default,n={FEW}", "random"], (0.0, 300.0)
    results = [play_match("connect4", players, games=100, sprt=test, concurrency=n, plies=2) for n in (1, 2)]
    assert results[0].decision == "H1"
    assert len(results[0].records) < 60
    assert essence(results[0].records) == essence(results[1].records)
    assert results[0].to_dict()["sprt"]["decision"] == "H1"


def test_round_robin_table(capsys: pytest.CaptureFixture[str]) -> None:
    players = [f"strong=default,n={FEW}", "random", "b=random"]
    options = ["--games", "8", "--db", "none", "--concurrency", "1", "--plies", "1"]
    code = main(["arena", "tictactoe", *players, "--round-robin", *options])
    out = capsys.readouterr().out
    assert code == 0
    assert "24 of 24 games" in out
    assert out.splitlines()[2].split()[:2] == ["1", "strong"]
    assert "Elo" in out


def test_a_local_game_plays_in_this_process_only() -> None:
    class Own(Nim):
        pass

    assert len(play_match(Own(stones=6), ["random", "random"], games=2, plies=0).records) == 2
    with pytest.raises(po.SettingsError, match="can't be sent to another process"):
        play_match(Own(stones=6), ["random", "random"], games=2, plies=0, concurrency=2)


# Forfeits.


@pytest.mark.parametrize(
    ("way", "termination", "reason"),
    [
        ("crash", "abandoned", r"crash crashed: ended without 'bestmove'.*exit code 3.*out of luck"),
        ("hang", "abandoned", r"hang hung and was killed: no 'bestmove' within"),
        ("deaf", "abandoned", r"deaf hung and was killed"),
        ("late", "time forfeit", r"late no move within 0.30 s"),
        ("nonsense", "abandoned", r"nonsense hung and was killed"),
        ("illegal", "rules infraction", r"illegal illegal move 'e2e5' in rnbq"),
        ("empty", "rules infraction", r"empty illegal move ''"),
    ],
)
def test_engines_that_fail_forfeit(tmp_path: Path, way: str, termination: str, reason: str) -> None:
    players, patience = [engine(tmp_path, way), "random"], 2.0 if "hung" in reason else PATIENCE
    record = tmp_path / "games.pgn"
    result = play_match("chess", players, games=2, plies=2, concurrency=1, patience=patience, record=record)
    assert [r.termination for r in result.records] == [termination] * 2
    for record in result.records:
        assert pytest.approx(record.returns) == ((-1, 1) if record.players[0] == 0 else (1, -1))
    assert all(re.search(reason, r.reason) for r in result.records), result.records
    assert result.tally().losses == 2
    assert len(result.to_dict()["forfeits"]) == 2
    with (tmp_path / "games.pgn").open() as file:
        read = chess.pgn.read_game(file)
        assert read is not None
        assert read.headers["Termination"] == termination
        assert read.headers["Result"] == "0-1"


def test_an_engine_that_never_answers_is_refused_before_the_match(tmp_path: Path) -> None:
    with pytest.raises(
        po.SettingsError, match=r"player 'silent': the engine hung and was killed: no 'uciok' within 0.50 s"
    ):
        play_match("chess", [engine(tmp_path, "silent"), "random"], patience=0.5)
    with pytest.raises(po.SettingsError, match=r"has no option 'Skil' \(it has: Skill\)"):
        play_match("chess", [engine(tmp_path, "late").replace(",t=", "?Skil=2,t="), "random"], patience=PATIENCE)


def test_options_reach_the_engine(tmp_path: Path) -> None:
    text = engine(tmp_path, "crash").replace(",t=", "?skill=illegal,t=")
    result = play_match("chess", [text, "random"], games=2, concurrency=1, patience=PATIENCE)
    assert {r.termination for r in result.records} == {"rules infraction"}


def test_who_oversteps_the_clock_loses(tmp_path: Path) -> None:
    result = play_match("chess", [engine(tmp_path, "late", "n=5"), "random"], games=2, clock="0.2", concurrency=1)
    assert {r.termination for r in result.records} == {"time forfeit"}


def test_our_search_plays_by_the_clock() -> None:
    """However little is left. Whether the machine is quick enough is no matter of tests: hence the margin."""
    result = play_match("connect4", ["default", "textbook"], games=2, clock="0.1", concurrency=1, margin=60)
    assert {r.termination for r in result.records} == {"normal"}


# Records.


def test_pgn_is_read_back_by_python_chess(tmp_path: Path) -> None:
    file = tmp_path / "games.pgn"
    fens = tmp_path / "some.epd"
    fens.write_text("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n")
    result = play_match("chess", ["one=random", "two=random"], games=4, openings=fens, record=file, concurrency=1)
    text = io.StringIO(file.read_text())
    for record in result.records:
        game = chess.pgn.read_game(text)
        assert game is not None
        assert not game.errors
        assert [m.uci() for m in game.mainline_moves()] == list(record.moves)
        assert game.headers["White"] == ("one", "two")[record.players[0]]
        assert game.headers["Result"] == {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}[record.score(0, 1)]
        assert game.headers["Termination"] == "normal"
        board = game.end().board()
        if record.reason == "checkmate":
            assert board.is_checkmate()
    assert chess.pgn.read_game(text) is None


def test_other_games_are_recorded_as_json_lines(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    result = play_match("tictactoe", ["random", "b=random"], games=4, plies=1, record=file, concurrency=1)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == 4
    game = po.games.load("tictactoe")
    for line, record in zip(lines, result.records, strict=True):
        position, returns = game.position(line["position"]), [0.0, 0.0]
        for move in line["moves"]:
            position = position.play(position.action(move))
            returns = [a + b for a, b in zip(returns, position.rewards, strict=True)]
        assert position.is_terminal
        assert returns == line["returns"] == list(record.returns)
    assert not list(tmp_path.glob("tmp*"))


# What stays.


def test_a_match_goes_on_and_can_be_made_longer(tmp_path: Path) -> None:
    db, players = tmp_path / "a.sqlite", ["random", "b=random"]
    first = play_match("tictactoe", players, games=4, db=db, concurrency=1)
    again = play_match("tictactoe", players, games=10, db=db, concurrency=1)
    assert (first.resumed, again.resumed) == (0, 4)
    assert again.records[:4] == first.records
    assert len(again.records) == 10
    assert play_match("tictactoe", players, games=4, db=db, concurrency=1, seed=1).resumed == 0
    assert play_match("tictactoe", ["random", "c=random"], games=4, db=db, concurrency=1).resumed == 0
    assert play_match("tictactoe", players, games=4, db=db, concurrency=1, plies=2).resumed == 0
    whole = play_match("tictactoe", players, games=10, concurrency=1)
    assert essence(whole.records) == essence(again.records)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_killed_arena_goes_on_without_playing_a_game_twice(tmp_path: Path, concurrency: int) -> None:
    db = tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "playout", "arena", "tictactoe", f"default,n={FEW}", "random", "--games", "400"]
    command += ["--db", str(db), "--concurrency", str(concurrency), "--json"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for_games(process, db)
        process.kill()
    before = count(db)
    games = before + 8 - before % 2
    result = play_match("tictactoe", [f"default,n={FEW}", "random"], games=games, db=db, concurrency=1)
    assert result.resumed <= before
    assert [r.number for r in result.records] == list(range(games))
    assert count(db) == games


def count(db: Path) -> int:
    if not db.exists():
        return 0
    base = sqlite3.connect(db)
    try:
        return base.execute("SELECT count(*) FROM games").fetchone()[0]
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        base.close()


def wait_for_games(process: "subprocess.Popen[Any]", db: Path) -> None:
    until = time.monotonic() + PATIENCE
    while count(db) < 3:
        assert time.monotonic() < until
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


def test_ctrl_c_shows_the_score_so_far(tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "playout", "arena", "tictactoe", "random", "b=random", "--games", "100000"]
    command += ["--db", str(db), "--concurrency", "2"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_games(process, db)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "of 100000 games" in out
    assert err == ""


def test_a_full_disk_is_one_clear_line_and_loses_nothing(tmp_path: Path) -> None:
    db, players = tmp_path / "a.sqlite", ["random", "b=random"]
    match = make_match("tictactoe", players, games=2000, db=db, concurrency=1)
    pages = match.store._base.execute("PRAGMA page_count").fetchone()[0]
    match.store._base.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(po.FileError, match=r"a.sqlite: database or disk is full; the games recorded so far are kept"):
        match.run()
    played = len(match.done)
    match.close()
    assert played == count(db) > 0
    assert play_match("tictactoe", players, games=played // 2 * 2 + 10, db=db, concurrency=1).resumed == played


def test_files_that_cannot_be_are_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "not.sqlite"
    bad.write_text("something else entirely " * 100)
    for options, message in (
        (["--db", str(tmp_path / "no" / "x")], "unable to open"),
        (["--db", str(bad)], "it is not a results file"),
        (["--db", "none", "--record", str(tmp_path / "no" / "x")], "can't write there"),
        (["--db", "none", "--openings", str(tmp_path / "missing")], "can't read it"),
    ):
        assert main(["arena", "tictactoe", "random", "b=random", "--games", "2", "--concurrency", "1", *options]) == 2
        err = capsys.readouterr().err
        assert message in err
        assert err.count("\n") == 1
    assert bad.read_text().startswith("something else")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")
def test_a_record_goes_through_links_and_into_pipes(tmp_path: Path) -> None:
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    file.write_text("from before")
    file.chmod(0o644)
    link.symlink_to(file)
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        for path in (link, pipe):
            play_match("tictactoe", ["random", "b=random"], games=2, concurrency=1, record=path)
        piped = os.read(reader, 1 << 16).decode()
    finally:
        os.close(reader)
    assert link.is_symlink()
    assert pipe.is_fifo()
    assert file.read_text().count("\n") == piped.count("\n") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link", "pipe"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"returns": None}, "returns is None"),
        ({"returns": [1.0]}, "returns is [1.0], and tictactoe has 2 players"),
        ({"returns": [7.0, -7.0]}, "returns is [7.0, -7.0], and those of tictactoe go from -1 to 1"),
        ({"returns": ["a", "b"]}, "returns is ('a', 'b')"),
        ({"players": [0, 5]}, "players is [0, 5], and the match has 2"),
        ({"number": 1}, "it has the number 1"),
        ({"seconds": "long"}, "seconds is 'long'"),
        ({"colour": "red"}, "it is not a record of a game"),
        ("[]", "it is not a record of a game"),
        ("{", "it is not a record of a game"),
    ],
)
def test_a_damaged_record_is_one_clear_line(tmp_path: Path, change: dict[str, Any] | str, why: str) -> None:
    db, players = tmp_path / "a.sqlite", ["random", "b=random"]
    play_match("tictactoe", players, games=2, db=db, concurrency=1)
    with contextlib.closing(sqlite3.connect(db)) as base, base:
        (text,) = base.execute("SELECT record FROM games WHERE number = 0").fetchone()
        text = change if isinstance(change, str) else json.dumps(json.loads(text) | change)
        base.execute("UPDATE games SET record = ? WHERE number = 0", (text,))
    with pytest.raises(po.FileError) as told:
        play_match("tictactoe", players, games=2, db=db, concurrency=1)
    assert str(told.value) == f"results file {db}: game 0 of match 1 is damaged: {why}; choose another file"


def test_a_store_never_writes_a_game_twice(tmp_path: Path) -> None:
    store = ResultsFile(tmp_path / "a.sqlite", {"game": "x"}, Record)
    record = Record(0, 0, (0, 1), "", ("a",), 0, (1.0, -1.0), "normal", "", 0.1)
    store.add(record)
    store.add(Record(0, 0, (0, 1), "", ("b",), 0, (-1.0, 1.0), "normal", "", 0.1))
    assert store.records() == [record]
    store.close()


def test_json_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--games", "4", "--db", "none", "--concurrency", "1", "--json", "--sprt", "0,400", "--plies", "1"]
    assert main(["arena", "tictactoe", f"default,n={FEW}", "random", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["wins"] + found["draws"] + found["losses"] == 4
    assert found["players"] == [f"default,n={FEW}", "random"]
    assert {"elo", "elo_interval", "los", "pairs", "sprt", "terminations"} <= set(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "default", "random", "--sprt", "5"], "--sprt is '5'"),
        (["tictactoe", "default", "random", "--clock", "x"], "expected seconds + increment"),
        (["tictactoe", "default", "random", "--games", "x"], "not a whole number"),
        (["nosuch", "default", "random"], "no game 'nosuch'"),
        (["tictactoe", "default"], "1 player given"),
        (["tictactoe", "default", "random", "-n", "0"], "simulations is 0"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", *arguments, "--db", "none"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.compiled_only
def test_stockfish_plays(tmp_path: Path) -> None:
    if find_program("stockfish") is None:
        pytest.skip("stockfish is not installed (apt-get install stockfish)")
    players = ["uci:stockfish?UCI_LimitStrength=true&UCI_Elo=1500,n=2000", "random"]
    result = play_match("chess", players, games=2, concurrency=2, record=tmp_path / "games.pgn", patience=30)
    assert result.tally().wins == 2, result.forfeits
    assert {r.reason for r in result.records} == {"checkmate"}


def test_the_arena_is_a_module_of_its_own() -> None:
    assert arena.play_match is play_match
    code = "import sys, playout; sys.exit('playout.arena' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0
