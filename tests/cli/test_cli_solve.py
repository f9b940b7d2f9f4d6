"""`playout solve`: what it prints, in words and in JSON, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from playout.cli import main

TOUR = f"{Path(__file__).parents[1] / 'solve' / 'small_games.py'}:Tour"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["solve", *arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["solve", *arguments]) == 2
    return capsys.readouterr().err


def test_a_line_and_how_it_was_found_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "target_sum", "-n", "3000", "--set", "target=21", "--runs", "1")
    assert out.startswith("21 of 21 after 7 moves, hit\n")
    assert "value +1.000 · 7 actions: 3 3 3 3 3 3 3\n" in out
    assert "ended by: value_range" in " ".join(out.split())


def test_json_and_settings_of_the_method(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(
        capsys, TOUR, "-n", "400", "--levels", "2", "--alpha", "0.5", "--repetitions", "3", "--runs", "2", "--json"
    )
    found = json.loads(out)
    assert (found["game"], found["method"], found["playouts"], found["runs"]) == ("Tour", "nrpa", 400, 2)
    assert found["settings"] | {"levels": 2, "alpha": 0.5, "repetitions": 3} == found["settings"]
    assert sorted(found["best_found"]["line"]) == ["1", "2", "3", "4", "5", "6"]
    assert found["stopped_by"] == "playouts"


def test_the_same_command_goes_on_with_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = [TOUR, "--method", "nmcs", "-n", "100", "--runs", "1", "--file", str(tmp_path / "x.solve"), "--json"]
    first, second = (json.loads(printed(capsys, *command)) for _ in range(2))
    assert (first["playouts"], second["playouts"]) == (100, 200)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tictactoe",), "tictactoe has 2 players; nested search solves games of one player, use Search"),
        (("target_sum", "--method", "x"), "method is 'x', expected 'nrpa' or 'nmcs'"),
        (
            ("target_sum", "--method", "nmcs", "--alpha", "1"),
            "--alpha is a setting of nrpa, and the method is nmcs; leave it out",
        ),
        (("target_sum", "--iterations", "1"), "settings: NRPA.iterations is 1, expected a whole number of at least 2"),
        (("target_sum", "-t", "0"), "seconds is 0.0, expected a number above 0"),
        (("target_sum", "--file", "/nowhere/x"), "--file /nowhere/x: can't write there"),
    ],
)
def test_mistakes_get_one_line(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = refused(capsys, *arguments)
    assert err.startswith(f"playout: {message}")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_shows_the_best_line_so_far(tmp_path: Path) -> None:
    file = tmp_path / "x.solve"
    code = (
        "import os, signal, sys, threading; import playout.cli as cli\nfrom playout.solve import solver\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background job ignores it
        "show = solver._Session._show\n"
        "def press(self):\n"
        "    show(self)\n"
        "    if self.solver.playouts: os.kill(os.getpid(), signal.SIGINT)\n"
        "solver._Session._show = press\n"
        f"sys.exit(cli.main(['solve', {TOUR!r}, '-t', '300', '--file', {str(file)!r}, '--json']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ), check=False
    )
    assert done.returncode == 130, done.stderr
    found = json.loads(done.stdout)
    assert found["stopped_by"] == "Ctrl-C"
    assert len(found["best_found"]["line"]) == 6
    assert file.is_file()
