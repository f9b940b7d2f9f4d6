"""The command line: what each command prints, its JSON, and how it refuses mistakes: one line, exit code 2."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

import playout as po
from playout import games
from playout.cli import bench, main, output
from playout.cli.options import POSITION, whole
from playout.core.jit import COMPILED
from playout.search import Search
from playout.settings.options import OPTIONS, flat, make_settings
from tests.processes import hearing_ctrl_c

FEW = "1000" if COMPILED else "60"
OTHELLO = "---------------------------OX------XO--------------------------- X"

STONES = '''
"""A heap of stones."""
import numpy as np
import playout as po

class Stones(po.Game):
    """Take one or two; whoever takes the last one wins."""
    players = 2
    max_actions = 2
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = 7

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 2
        return min(2, state.stones)

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn

class Greedy(Stones):
    """Both win: the returns don't add up to nothing."""
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        rewards[0] = rewards[1] = 1.0
        state.turn = 1 - state.turn

class NoGame:
    pass
'''


@pytest.fixture
def run(capsys):
    """Run a command in this process: (exit code, standard output, standard error)."""

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        out, error = capsys.readouterr()
        return code, out, error

    return call


@pytest.fixture
def answer(run):
    """The JSON object that a command prints, and nothing else."""

    def call(*arguments: str):
        code, out, error = run(*arguments, "--json")
        assert (code, error) == (0, "")
        return json.loads(out)

    return call


@pytest.fixture
def stones(tmp_path):
    path = tmp_path / "stones.py"
    path.write_text(STONES)
    return path


# The command itself


def test_version(run):
    assert run("--version") == (0, f"playout {po.__version__}\n", "")


def test_help_names_every_command_and_none_that_is_not_there(run):
    code, out, _ = run("--help")
    assert code == 0
    commands = (
        "games",
        "analyze",
        "play",
        "evaluate",
        "compare",
        "perft",
        "doctor",
        "bench",
        "settings",
        "serve",
        "train",
    )
    for command in commands:
        assert f" {command} " in out
    assert " cluster " not in out
    assert run()[0] == 0
    assert "--simulations" in run("analyze", "--help")[1]


# games


def test_games_lists_all_built_in_games(run, answer):
    code, out, _ = run("games")
    assert code == 0
    rows = answer("games")["games"]
    assert [row["game"] for row in rows] == games.names()
    assert all(row["game"] in out and row["description"][:30] in out for row in rows)
    target_sum = next(row for row in rows if row["game"] == "target_sum")
    assert target_sum["players"] == 1
    assert target_sum["settings"] == {"target": 10, "moves": 7, "numbers": [1, 2, 3]}
    assert "target=10" in out


def test_games_tells_more_about_one(run, answer, stones):
    assert "X.O/.X./..." in run("games", "tictactoe")[1]
    assert "Settings: target=10" in run("games", "target_sum")[1]
    about = answer("games", "tictactoe")
    assert about["position"] == ".../.../..."
    assert answer("games", f"{stones}:Stones")["description"].startswith("Take one or two")


# analyze


def test_analyze_prints_the_object_of_the_contract(answer):
    found = answer("analyze", "tictactoe", "X.O/.X./..O", "-n", FEW)
    assert list(found)[:12] == [
        "game",
        "position",
        "simulations",
        "seconds",
        "simulations_per_second",
        "nodes",
        "bytes",
        "value",
        "proven",
        "best",
        "line",
        "actions",
    ]
    assert list(found["actions"][0])[:5] == ["action", "visits", "value", "prior", "proven"]
    assert (found["game"], found["position"], found["best"], found["proven"]) == ("tictactoe", "X.O/.X./..O", "6", 0.0)
    assert found["line"][0] == "6"


def test_analyze_shows_board_table_and_summary(run):
    code, out, error = run("analyze", "tictactoe", "-n", FEW)
    assert (code, error) == (0, "")
    assert " 4 | 5 | 6 " in out
    assert "visits" in out
    assert "ended by: simulations" in out
    assert f"{int(FEW):,} simulations in" in out


def test_analyze_is_reproduced_by_its_seed(answer):
    def visits(seed: str) -> list[int]:
        return [a["visits"] for a in answer("analyze", "connect4", "-n", FEW, "--seed", seed)["actions"]]

    assert visits("7") == visits("7") != visits("8")


def test_analyze_takes_threads(answer, run):
    found = answer("analyze", "connect4", "-n", FEW, "--preset", "default", "--threads", "2")
    assert found["simulations"] == sum(action["visits"] for action in found["actions"]) == int(FEW)
    assert found["settings"] == "default,threads=2"
    for wrong in (("--threads", "0"), ("--threads", "10000"), ("--threads", "2", "--option", "open_loop=on")):
        code, out, error = run("analyze", "connect4", "-n", FEW, *wrong)
        assert (code, out) == (2, "")
        assert "threads is" in error


def test_analyze_without_limits_takes_a_second(answer):
    found = answer("analyze", "othello")
    assert found["stopped_by"] == "seconds"
    assert found["seconds"] > 0.9


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("--nodes", "30"), "nodes"),
        (("--bytes", "20_000"), "bytes"),
        (("-n", "2e1", "-t", "60"), "simulations"),
        (("-n", "1_000_000_000", "-t", "0.05"), "seconds"),
    ],
    ids=["nodes", "bytes", "simulations", "seconds"],
)
def test_the_first_limit_ends_the_search(answer, limit, reason):
    # Plain UCT: the tables of othello's own preset alone are larger than this limit of bytes.
    assert answer("analyze", "othello", "--preset", "default", *limit)["stopped_by"] == reason


def test_a_random_seed_is_told(run, answer):
    found = answer("analyze", "othello", "-n", FEW, "--seed", "random")
    again = answer("analyze", "othello", "-n", FEW, "--seed", str(found["seed"]))
    assert again["seed"] == found["seed"]
    assert again["actions"] == found["actions"]
    assert re.search(r" · seed \d+$", run("analyze", "othello", "-n", FEW, "--seed", "random")[1], re.MULTILINE)
    assert answer("doctor", "tictactoe", "--games", "2", "--seed", "7")["seed"] == 7


def test_analyze_takes_settings_of_the_game_and_of_the_search(answer):
    game = ("--set", "target=5", "--set", "numbers=2,3")
    search = ("--preset", "textbook", "--option", "policy=puct", "--option", "c=3", "--option", "evaluator=static")
    found = answer("analyze", "target_sum", "-n", FEW, *game, *search)
    assert sorted(a["action"] for a in found["actions"]) == ["2", "3"]
    assert found["proven"] is None  # textbook has no proofs
    assert found["playout_length"] == 0


def test_analyze_explains_and_draws(run, answer, tmp_path):
    _, out, _ = run("analyze", "tictactoe", "-n", FEW, "--explain", "--svg", str(tmp_path / "tree.svg"))
    assert "Next best" in out
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "Next best" in answer("analyze", "tictactoe", "-n", FEW, "--explain")["explanation"]


def test_a_position_may_begin_with_a_dash(answer):
    found = answer("analyze", "othello", OTHELLO, "-n", "20")
    assert found["position"] == OTHELLO
    assert answer("analyze", "othello", "-n", "20", OTHELLO)["position"] == OTHELLO
    assert answer("perft", "othello", "-" * 19 + "X" + OTHELLO[20:], "--depth", "1")["nodes"] > 0


def test_analyze_loads_a_game_from_a_file_and_from_a_module(answer, stones, monkeypatch):
    found = answer("analyze", f"{stones}:Stones", "stones=5", "-n", FEW)
    assert (found["game"], found["best"], found["proven"]) == ("Stones", "2", 1.0)
    monkeypatch.chdir(stones.parent)
    assert answer("analyze", "stones:Stones", "-n", "20")["game"] == "Stones"


def test_ctrl_c_shows_what_was_found(capsys, monkeypatch):
    plain = Search.run

    def interrupted(search, *limits, **given):
        def press():
            while search.simulations == 0:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press).start()
        return plain(search, *limits, **given)

    monkeypatch.setattr(Search, "run", interrupted)
    with hearing_ctrl_c():
        before = signal.getsignal(signal.SIGINT)
        code = main(["analyze", "othello", "-t", "600", "--json"])
        assert signal.getsignal(signal.SIGINT) == before
    found = json.loads(capsys.readouterr().out)
    assert (code, found["stopped_by"]) == (130, "stop")
    assert found["simulations"] > 0


# The search settings in flat form


def test_every_search_setting_can_be_given_and_says_its_default(answer):
    rows = answer("settings")["settings"]
    assert [row["name"] for row in rows] == list(OPTIONS)
    parts = {option.part for option in OPTIONS.values()}
    assert parts == set(po.Settings().to_dict())
    assert {row["name"]: row["value"] for row in rows if row["used"]}["c"] == "1.4"
    assert not next(row for row in rows if row["name"] == "noise_alpha")["used"]


def test_settings_prints_presets_and_settings(run):
    code, out, _ = run("settings", "--preset", "stepwise")
    assert code == 0
    assert "in stepwise" in out
    assert all(word in out for word in ("textbook", "minimal", "early_stop", "1.414", "(0.25)"))


def test_flat_settings_mean_what_they_say():
    given = {
        "policy": "PUCT",
        "growth": "1",
        "base": "500",
        "c": "2.5",
        "unvisited": "parent",
        "reduction": "0.2",
        "by_seen": "on",
        "evaluator": "mixed",
        "weight": "0.25",
        "rollouts": "3",
        "depth": "20",
        "guided": "on",
        "expansion": "widening",
        "initial": "2",
        "k": "0.5",
        "alpha": "0.4",
        "cap": "9",
        "answer": "bound",
        "solver": "off",
        "discount": "0.9",
        "normalise": "on",
        "noise": "on",
        "noise_fraction": "0.1",
        "noise-alpha": "0.5",
        "temperature": "1",
        "confidence": "0.9",
        "ties": "first",
        "evaluate_root": "on",
        "early_stop": "on",
        "outcomes": "widening",
        "outcomes_initial": "3",
        "outcomes_k": "2",
        "outcomes_alpha": "0.25",
        "outcomes_cap": "none",
        "open_loop": "off",
        "transpositions": "check",
    }
    made = make_settings("default", given)
    assert made == po.Settings(
        policy=po.PUCT(2.5, 1.0, 500.0),
        unvisited=po.Parent(0.2, by_seen=True),
        evaluator=po.Mixed(0.25, po.Rollouts(3, 20, True)),
        expansion=po.Widening(2.0, 0.5, 0.4, 9),
        answer="bound",
        solver=False,
        discount=0.9,
        normalise=True,
        noise=po.Noise(0.1, 0.5),
        temperature=1.0,
        confidence=0.9,
        ties="first",
        evaluate_root=True,
        early_stop=True,
        outcomes=po.Widening(3.0, 2.0, 0.25),
        transpositions="check",
    )
    words = flat(made)
    assert make_settings("default", {name: words[name.replace("-", "_")] for name in given}) == made
    assert make_settings("default", {"unvisited": "0.5"}).unvisited == 0.5
    assert make_settings("default", {"unvisited": "infinity"}).unvisited == "infinity"
    assert make_settings("textbook", {}) == po.preset("textbook")


def test_flat_settings_of_a_network():
    given = {
        "policy": "puct",
        "evaluator": "network",
        "network": "file.onnx",
        "batch": "8",
        "virtual_loss": "0.5",
        "policy_temperature": "1.4",
        "cache": "100",
        "network_threads": "2",
        "temperature": "falling",
        "temperature_first": "0.8",
        "temperature_moves": "12",
        "temperature_then": "0.1",
    }
    made = make_settings("default", given)
    assert made == po.Settings(
        policy=po.PUCT(),
        evaluator=po.Network("file.onnx", 8, 0.5, 1.4, 100, 2),
        temperature=po.Falling(0.8, 12, 0.1),
    )
    words = flat(made)
    assert make_settings("default", {name: words[name] for name in given}) == made
    assert flat(po.preset("network"))["batch"] == "auto"


def test_a_preset_keeps_what_is_not_changed():
    assert make_settings("stepwise", {"c": "2"}) == po.preset("stepwise", policy=po.UCT(2.0))


def test_whole_numbers_as_people_write_them():
    assert [whole(text) for text in ("100000", "100_000", "1e5", "-3")] == [100000, 100000, 100000, -3]


# perft, by the published counts; a game that ended earlier counts for nothing


@pytest.mark.parametrize(
    ("game", "depth", "nodes"),
    [
        ("tictactoe", 1, 9),
        ("tictactoe", 4, 3_024),
        ("connect4", 4, 2_401),
        ("othello", 4, 244),
        pytest.param("tictactoe", 9, 127_872, marks=pytest.mark.slow),
        pytest.param("connect4", 8, 5_673_234, marks=pytest.mark.slow),
        pytest.param("connect4", 9, 39_394_572, marks=pytest.mark.slow),
        pytest.param("othello", 9, 3_005_288, marks=pytest.mark.slow),
    ],
)
def test_perft_agrees_with_published_counts(answer, game, depth, nodes):
    found = answer("perft", game, "--depth", str(depth))
    assert list(found) == ["game", "position", "depth", "nodes", "moves", "seconds"]
    assert (found["game"], found["depth"], found["nodes"]) == (game, depth, nodes)
    assert sum(found["moves"].values()) == nodes


def test_perft_splits_by_move_and_starts_anywhere(run, answer):
    found = answer("perft", "tictactoe", "XXO/..X/OOX", "-d", "1")
    assert found["moves"] == {"4": 1, "5": 1}
    # X wins with 3, after which there is nothing; after the others O has four replies.
    found = answer("perft", "tictactoe", "XX./OO./...", "-d", "2")
    assert found["moves"] == {"3": 0, "6": 4, "7": 4, "8": 4, "9": 4}
    _, out, _ = run("perft", "tictactoe", "XX./OO./...", "-d", "2")
    assert "16 sequences of 2 moves" in out
    assert "6: 4" in out


def test_perft_in_small_pieces_counts_the_same(answer, monkeypatch):
    monkeypatch.setattr("playout.game.perft.AT_ONCE", 10)
    assert answer("perft", "othello", "-d", "4")["nodes"] == 244


# doctor


def test_doctor_finds_nothing_in_a_good_game(run, answer):
    code, out, error = run("doctor", "tictactoe", "--games", "5")
    assert (code, error) == (0, "")
    assert "no mistakes found" in out
    assert answer("doctor", "tictactoe", "--games", "5")["ok"] is True


def test_doctor_says_what_is_wrong_with_exit_code_1(run, stones):
    code, out, _ = run("doctor", f"{stones}:Greedy", "--games", "5")
    assert code == 1
    assert "apply" in out
    code, out, _ = run("doctor", f"{stones}:Greedy", "--games", "5", "--json")
    assert code == 1
    assert json.loads(out)["ok"] is False


def test_doctor_looks_at_python_objects(run, answer, tmp_path):
    file = tmp_path / "piles.py"
    file.write_text(
        "from tests.doctor.broken_objects import SharedCells\n"
        "from tests.game.objects import Stones\n"
        "make = SharedCells\n"
    )
    code, out, _ = run("doctor", f"{file}:make", "--games", "5")
    assert code == 1
    assert "shared-container: play shares the list `cells` between two objects" in out
    found = answer("doctor", f"{file}:Stones", "--games", "5")
    assert (found["ok"], found["findings"], found["positions_uncompiled"]) == (True, [], None)


# bench


def test_bench_signature_is_the_same_each_time(run, answer, monkeypatch):
    monkeypatch.setattr(bench, "WORK", bench.WORK[:3])
    found = answer("bench", "--quick")
    assert found["signature"] in run("bench", "--quick")[1]


SIGNATURES = """
import sys
from playout.cli import bench

for work in bench.WORK:
    if work.game in sys.argv[1:]:
        print(bench.measure(work, True)["signature"])
"""


@pytest.mark.parametrize(
    "names",
    [["tictactoe", "connect4", "target_sum"], pytest.param(games.names(), marks=pytest.mark.reference)],
    ids=["small", "all"],
)
def test_bench_signature_is_the_same_compiled_or_not(names):
    compiled, plain = (
        subprocess.run(
            [sys.executable, "-c", SIGNATURES, *names],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disabled in ("0", "1")
    )
    assert compiled == plain != ""


def test_bench_has_a_search_of_every_built_in_game():
    assert {work.game for work in bench.WORK} == set(games.names())


def test_bench_signature_changes_with_the_search():
    first = bench.WORK[0]
    changed = bench.BenchSearch(first.game, first.position, first.simulations, {"c": "1.5"})
    assert bench.measure(first, True)["signature"] != bench.measure(changed, True)["signature"]


@pytest.mark.parametrize(
    "options", [["--quick"], pytest.param([], marks=pytest.mark.reference)], ids=["quick", "whole"]
)
def test_bench_gives_one_signature_and_speeds(answer, options):
    found = answer("bench", *options)
    assert found["signature"] == bench.signature([row["signature"] for row in found["searches"]])
    assert set(found["games"]) == set(games.names())
    assert all(sums["simulations_per_second"] > 0 for sums in found["games"].values())


# Mistakes: one line on standard error, nothing on standard output, exit code 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("analyze conect4", "no game 'conect4' (there are: "),
        ("analyze tictactoe XX", "can't read position 'XX', expected three rows"),
        ("analyze tictactoe XXX/.../...", "position 'XXX/.../...' is impossible: 3 X and 0 O"),
        ("analyze tictactoe XXX/OO./...", "the game is over in XXX/OO./...; there is nothing to search"),
        ("play tictactoe XXX/OO./...", "the game is over in XXX/OO./...; there is nothing to play"),
        ("perft tictactoe XXX/OO./... -d 1", "the game is over in XXX/OO./...; there is nothing to count"),
        ("analyze tictactoe --preset strongest", "no preset 'strongest' (there are: default, textbook"),
        ("analyze tictactoe -n -5", "limit simulations is -5, expected a whole number of at least 1"),
        ("analyze tictactoe -n 0", "limit simulations is 0, expected a whole number of at least 1"),
        ("analyze tictactoe -n many", "Invalid value for '-n' / '--simulations': 'many' is not a whole number"),
        ("analyze tictactoe -n 1.5", "'1.5' is not a whole number"),
        ("analyze tictactoe -t 0", "limit seconds is 0.0, expected a number above 0"),
        ("analyze tictactoe -t inf", "limit seconds is inf, expected a number above 0"),
        ("analyze tictactoe -t soon", "'soon' is not a number"),
        ("analyze tictactoe --bytes 10", "limit bytes is 10, too small for a root of tictactoe"),
        ("analyze tictactoe --seed -1", "seed is -1, expected a whole number from 0"),
        ("analyze target_sum --set goal=3", "no setting 'goal' (there are: target, moves, numbers)"),
        ("analyze target_sum --set target", "--set got 'target', expected NAME=VALUE, as in --set target=21"),
        ("analyze target_sum --set target=x", "setting 'target' is 'x', expected a whole number"),
        ("analyze target_sum --set target=5 --set target=6", "--set got 'target' twice"),
        (
            "analyze tictactoe --option plicy=uct",
            "has no such setting (`playout settings` lists them); did you mean 'policy'",
        ),
        (
            "analyze tictactoe --option policy=best",
            "policy is 'best', expected uct, ucb1tuned, puct, improved, thompson, ucbv, grave or file.py:Class",
        ),
        ("analyze tictactoe --option policy=pcut", "; did you mean 'puct'?"),
        ("analyze tictactoe --option c=x", "--option c is 'x', expected a number"),
        ("analyze tictactoe --option c=-1", "policy.c is -1.0, expected a number of at least 0"),
        ("analyze tictactoe --option depth=1.5", "evaluator.depth is 1.5, expected a whole number"),
        (
            "analyze tictactoe --option growth=2",
            "growth belongs to policy=puct, and policy is uct; leave it out, or add",
        ),
        ("analyze tictactoe --option weight=0.5", "weight belongs to evaluator=mixed, and evaluator is rollouts"),
        ("analyze tictactoe --option evaluator=static", "tictactoe has no static value"),
        ("analyze missing.py:Game", "missing.py does not exist"),
        ("analyze missing:Game", "there is no module 'missing'"),
        ("analyze json:JSONDecoder", "json:JSONDecoder is not derived from playout.Game"),
        ("analyze json:load", "json:load: load() needs 'fp'"),
        ("analyze", "Missing argument 'GAME'; `playout analyze --help` shows"),
        ("analyze tictactoe 5 6", "(6); put quotes around a position that has spaces; `playout analyze --help` shows"),
        ("games tictactoe 5", "(5); `playout games --help` shows"),
        ("analyze tictactoe -n", "Option '-n' requires an argument; `playout analyze --help` shows"),
        ("arena tictactoe default gredy", "; did you mean 'greedy'?"),
        (
            "arena tictactoe default random --record /nowhere/at.all",
            "--record /nowhere/at.all: can't write there: folder /nowhere does not exist",
        ),
        ("analyze tictactoe --sims 5", "No such option: --sims (`playout analyze --help` shows"),
        ("analyze tictactoe --simulatons 5", "; did you mean '--simulations'?"),
        (
            "analyze tictactoe -seed 5",
            "No such option: -seed (`playout analyze --help` shows its options); did you",
        ),
        ("analyze tictactoe --seed soon", "'soon' is not a whole number"),
        ("analyze tictactoe --preset textbok", "; did you mean 'textbook'?"),
        ("analyse tictactoe", "Did you mean 'analyze'?"),
        ("perft tictactoe", "Missing option '-d' / '--depth'; `playout perft --help` shows"),
        ("perft tictactoe -d 0", "--depth is 0, expected a whole number of at least 1"),
        ("play tictactoe --side 3", "--side is '3', expected 1, 2, both or none"),
        ("doctor tictactoe --games 0", "games is 0, expected a whole number of at least 1"),
        ("doctor tictactoe --rule-seconds 0", "rule_seconds is 0.0, expected a number above 0"),
        ("settings --preset strongest", "no preset 'strongest'"),
        ("settings --preset best", "preset 'best' is the one that a game names for itself"),
        ("games chequers", "no game 'chequers'"),
    ],
)
def test_a_mistake_gets_one_line_and_exit_code_2(run, arguments, message):
    code, out, error = run(*arguments.split())
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert error.startswith("playout: ")
    assert message in error


@pytest.mark.parametrize("word", ["off", "no", "false", "False", "0"])
def test_a_switch_may_be_said_in_several_words(answer, word):
    assert answer("analyze", "tictactoe", "X.O/.X./..O", "-n", FEW, "--option", f"solver={word}")["proven"] is None


def test_a_drawing_that_cannot_be_written_is_told(run, tmp_path):
    code, _, error = run("analyze", "tictactoe", "-n", "20", "--svg", str(tmp_path / "none" / "tree.svg"))
    assert code == 2
    assert "can't write there: folder" in error


def test_options_are_not_taken_for_positions():
    assert all(POSITION.match(text) for text in ("---X", "-XO-", "--XO", OTHELLO))
    assert not any(POSITION.match(text) for text in ("-n", "--json", "-5", "-.5", "--", "-", "-n5", "--set=a=1", "X--"))


# On a terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_and_not_in_a_pipe(monkeypatch, capsys):
    with output.progress("counting") as show:
        assert show is None
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    out, error = Terminal(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", error)
    with output.progress("counting", wanted=False) as show:
        assert show is None
    with output.progress("counting") as show:
        assert show is not None
        time.sleep(0.01)
        show("12 moves", 0.5)
    assert "counting" in error.getvalue()
    assert out.getvalue() == ""
    error.truncate(0)
    assert main(["analyze", "tictactoe", "-t", "0.1"]) == 0
    assert "simulations" in error.getvalue()


# As a process


def playout(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "playout", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.compiled_only
def test_python_m_playout_gives_exit_codes():
    done = playout("games", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["games"]
    done = playout("analyze", "nothing")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.compiled_only
def test_a_closed_pipe_is_no_mistake():
    process = subprocess.Popen(
        [sys.executable, "-m", "playout", "settings", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with process.stderr as errors:
        assert errors.read() == b""
    process.wait()


def test_a_first_search_has_its_time_after_the_compiler(tmp_path):
    never_seen = f"{STONES}\n\nclass New(Stones):\n    @staticmethod\n    def initial_state(state):\n"
    never_seen += f"        state.stones, number = 7, {time.time_ns()}\n"
    (tmp_path / "new.py").write_text(never_seen)
    began = time.monotonic()
    options = ["-t", "0.05", "--option", "solver=off", "--json"]
    found = json.loads(playout("analyze", f"{tmp_path / 'new.py'}:New", *options).stdout)
    assert found["stopped_by"] == "seconds"
    assert found["seconds"] < (time.monotonic() - began) / 2  # by far the most goes into imports and the compiler


COMPILATIONS = """
import sys
from numba.core.event import install_recorder
from playout.cli import main

with install_recorder("numba:compile") as recorder:
    main(sys.argv[1:])
sys.exit(len(recorder.buffer))
"""


def test_a_second_analyze_compiles_nothing(run):
    arguments = ["analyze", "tictactoe", "-n", "1000"]
    assert run(*arguments)[0] == 0
    command = [sys.executable, "-c", COMPILATIONS, *arguments]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
