"""`playout tune` on the command line: what it prints, JSON, mistakes, Ctrl-C."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from playout.cli import main
from playout.tune import Tuning, TuningResult

FEW = ["--trials", "3", "--games", "4", "-n", "20", "--workers", "1"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["tune", *arguments]) == code
    return capsys.readouterr().out


def test_the_best_is_printed_as_options_and_as_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    out = run(capsys, "tictactoe", "--over", "c=0.5..4:log,policy=uct,puct", *FEW, "--db", str(db))
    assert "tictactoe: 3 of 3 trials, seed 0" in out
    assert "20 simulations a move, 4 games a trial against default; over policy=uct,puct, c=0.5..4:log" in out
    line = next(line for line in out.splitlines() if line.strip().startswith("--option"))
    assert f"results in {db}" in out
    code = out.splitlines()[out.splitlines().index(line) + 1].strip()
    assert code.startswith("Settings(")
    assert main(["analyze", "tictactoe", "-n", "20", "--preset", "default", *shlex.split(line)]) == 0
    capsys.readouterr()
    again = run(capsys, "tictactoe", "--over", "c=0.5..4:log,policy=uct,puct", *FEW, "--db", str(db))
    assert "3 of 3 trials, 3 of them from earlier runs" in again
    assert line in again


def test_json_is_one_object_with_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    check = ["--verify", "--verify-games", "4", "--sprt", "0,50"]
    found = json.loads(run(capsys, "tictactoe", "--over", "c=0.5..4", *FEW, *check, "--db", "none", "--json"))
    assert len(found["trials"]) == 3
    assert found["best"]["options"] == {"c": str(found["best"]["settings"]["c"])}
    assert found["best"]["python"] == f"Settings(policy=UCT(c={found['best']['settings']['c']}))"
    assert found["verify"]["sprt"]["elo1"] == 50
    assert found["verify"]["games"] <= 4


def test_a_game_of_one_player_shows_leads_and_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    over = ["--over", "c=0.5..4", "--set", "target=30"]
    out = run(capsys, "target_sum", *over, *FEW, "--verify", "--verify-games", "3", "--db", "none")
    assert "4 games a trial with the luck of default (mean " in out
    assert "3 of 3 games each, means " in out
    assert "lead" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe"], "Missing option '--over'"),
        (["tictactoe", "--over", "c=4..1"], "runs the wrong way round; write 1..4"),
        (["tictactoe", "--over", "cc=1..4"], "did you mean 'c'?"),
        (["tictactoe", "--over", "c=1..4", "--option", "polcy=uct"], "--option polcy: the search has no such setting"),
        (["tictactoe", "--over", "c=1..4", "--sprt", "5,0"], "--sprt is 5,0, expected elo0 below elo1"),
        (["tictactoe", "--over", "c=1..4", "--verify-games", "3"], "verify_games is 3, expected an even number"),
        (["tictactoe", "--over", "c=1..4", "--games", "x"], "'x' is not a whole number"),
        (["target_sum", "--over", "target=1..4"], "a setting of the game target_sum"),
        (["nogame", "--over", "c=1..4"], "no game 'nogame'"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", *arguments, "--db", "none"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_ctrl_c_shows_the_best_so_far(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Tuning.run

    def interrupted(self: Tuning, progress: Any = None) -> TuningResult:
        def stop(tuning: Tuning) -> None:
            if tuning.study.ended == 2:
                raise KeyboardInterrupt

        return whole(self, stop)

    monkeypatch.setattr(Tuning, "run", interrupted)
    command = ["tictactoe", "--over", "c=0.5..4", *FEW, "--db", str(tmp_path / "a.sqlite"), "--verify"]
    out = run(capsys, *command, code=130)
    assert "2 of 3 trials" in out
    assert "--option c=" in out
    assert "with fresh seeds" not in out
    monkeypatch.undo()
    assert "3 of 3 trials, 2 of them from earlier runs" in run(capsys, *command[:-1])
