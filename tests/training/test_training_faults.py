"""Training when something is wrong: what was given, damaged files, games with mistakes, Ctrl-C, processes that end."""

import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.cli import main
from playout.errors import FileError, GameError, SettingsError
from playout.play.source import GameSource
from playout.training.pool import Pool
from playout.training.replay import Replay, packed, read_arrays, unpacked, write_arrays
from playout.training.selfplay import play_table
from playout.training.training import Callbacks, Training, train
from playout.training.turns import symmetries_of
from playout.workers import processes as workers
from playout.workers.processes import GUARD, OURS, UNGUARDED, check_not_importing, ending
from tests.places import DOCS
from tests.processes import hearing_ctrl_c

from .test_training import TINY, WIDTHS, Walk, assert_same, some_samples, tiny, uniform, weights_of


@pytest.fixture
def tictactoe() -> Any:
    return po.games.load("tictactoe")


# What was given.


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--minutes", "0"], "minutes is 0, expected a number above 0, at most 10,000,000"),
        (["--minutes", "nan"], "minutes is nan, expected a number above 0"),
        (["--generations", "0"], "generations is 0, expected a whole number of at least 1"),
        (["--filters", "100000"], "filters is 100000, expected a whole number from 1 to 1,024"),
        (["--games", "0"], "games is 0, expected a whole number from 1 to 1,000,000"),
        (["--seed", "-1"], "seed is -1, expected a whole number from 0"),
        (["--option", "rate=inf"], "rate is inf, expected a number from 1e-07 to 1"),
    ],
    ids=["minutes", "nan", "generations", "filters", "games", "seed", "rate"],
)
def test_a_refused_command_writes_nothing(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "tictactoe", "--out", str(tmp_path / "out"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"generations": "x"}, "generations is 'x', expected a whole number"),
        ({"generations": 1.5}, r"generations is 1\.5, expected a whole number"),
        ({"generations": True}, "generations is True, expected a whole number"),
        ({"minutes": "x"}, "minutes is 'x', expected a number above 0"),
        ({"simulations": "x"}, "simulations is 'x', expected a whole number from 2 to 1,000,000"),
        ({"threads": "x"}, "threads is 'x', expected a whole number from 1 to 64"),
        ({"windows": 3}, "there is no setting 'windows'"),
    ],
    ids=["generations", "half", "true", "minutes", "simulations", "threads", "unknown"],
)
def test_wrong_kinds_in_python_are_refused(given: dict[str, Any], message: str, tictactoe: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message):
        train(tictactoe, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_what_is_given_is_checked_before_it_is_compared(begun: Path, tictactoe: Any) -> None:
    with pytest.raises(SettingsError, match="filters is 100000, expected a whole number from 1"):
        Training(tictactoe, begun, filters=100_000)
    with pytest.raises(SettingsError, match=r"filters is 8, but .* was started with 4"):
        Training(tictactoe, begun, filters=8)


def test_the_same_command_goes_on_with_more_threads_than_cores(tictactoe: Any, tmp_path: Path) -> None:
    for generations in (1, 2):
        assert train(tictactoe, tmp_path, generations, **TINY, threads=64).generation == generations


def test_settings_without_games_bind_nobody(tictactoe: Any, tmp_path: Path) -> None:
    first = Training(tictactoe, tmp_path, **TINY)
    with first.folder.locked():
        first.folder.begin(first.recipe, {name: value for name, value in TINY.items() if name != "workers"})
    train(tictactoe, tmp_path, 1, **{**TINY, "filters": 8})
    assert Training(tictactoe, tmp_path).recipe.filters == 8


def test_who_began_meanwhile_is_not_overruled(tictactoe: Any, tmp_path: Path) -> None:
    late = Training(tictactoe, tmp_path, **{**TINY, "seed": None})
    train(tictactoe, tmp_path, 1, **TINY, seed=7)
    with pytest.raises(SettingsError, match="another process has started a training there"):
        late.run(2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "it is a list, expected an object"),
        ('{"recipe": [1]}', "`recipe` is a list, expected an object"),
        ('{"recipe": {}}', "it has no 'game'"),
        ("{", "does not hold the settings of a training"),
        ("[" * 100_000, "does not hold the settings of a training"),
    ],
    ids=["list", "recipe", "game", "cut", "deep"],
)
def test_settings_that_are_none(text: str, message: str, tictactoe: Any, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(FileError, match=message) as error:
        Training(tictactoe, tmp_path)
    assert str(error.value).startswith(str(tmp_path / "settings.json"))
    assert (tmp_path / "settings.json").read_text() == text


# Damaged files.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train("tictactoe", folder, 2, **{**TINY, "every": 1})
    return folder


@pytest.fixture
def begun(trained: Path, tmp_path: Path) -> Path:
    """A training of two generations, to be damaged."""
    return Path(shutil.copytree(trained, tmp_path / "begun"))


def change(path: Path, changed: Callable[[dict[str, Any]], Any]) -> None:
    arrays = read_arrays(path)
    changed(arrays)
    write_arrays(path, arrays)


def about(**values: Any) -> Callable[[dict[str, Any]], None]:
    def changed(arrays: dict[str, Any]) -> None:
        arrays["about"] = packed({**unpacked(arrays["about"]), **values})

    return changed


def set_to(name: str, make: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.__setitem__(name, make(arrays[name]))


def history(**values: Any) -> Callable[[dict[str, Any]], None]:
    def changed(arrays: dict[str, Any]) -> None:
        found = unpacked(arrays["about"])
        found["history"][0] |= values
        arrays["about"] = packed(found)

    return changed


def nan_first(array: Any) -> Any:
    array = array.copy()
    array.flat[0] = np.nan
    return array


CHECKPOINTS = {
    "history": (about(history="x"), "its history is 'x', expected a list of 2 generations"),
    "numbers": (about(history=[1, 2]), "generation 1 of its history is 1, expected an object"),
    "short": (about(history=[]), "expected a list of 2 generations"),
    "figures": (history(games="many"), "games in generation 1 is 'many', expected a number"),
    "infinite": (history(policy_loss=float("inf")), "policy_loss in generation 1 is inf"),
    "huge": (history(policy_loss=10**400), "policy_loss in generation 1 is 1000"),
    "order": (history(generation=2), "generation 1 of its history says that it is 2"),
    "matches": (history(matches=[1]), r"the matches of generation 1 are \[1\], expected an object"),
    "match": (history(matches={"uct": {"score": 1}}), "a match of generation 1 is .*, expected figures of wins"),
    "generation": (about(generation="eight"), "generation is 'eight', expected a number from 0 up"),
    "name": (about(generation=99), "it is of generation 99, .* but its name says 2"),
    "best": (about(best_generation=3), "with the best of 3, but its name says 2"),
    "steps": (about(steps=None), "steps is None, expected a number"),
    "seconds": (about(seconds="x"), "seconds is 'x', expected a number"),
    "not-a-number": (about(seconds=float("nan")), "seconds is nan"),
    "about": (set_to("about", lambda _: packed([1])), r"`about` is \[1\], expected an object"),
    "missing": (lambda arrays: arrays.pop("about"), "it has no 'about'"),
    "optimiser": (
        set_to("optimiser/0/exp_avg", lambda array: array[:1]),
        r"optimiser/0/exp_avg is float32\[1, 2, 3, 3\], expected float32\[4, 2, 3, 3\]",
    ),
    "moment": (lambda arrays: arrays.pop("optimiser/0/step"), "it has no optimiser/0/step"),
    "average": (set_to("average/stem.weight", lambda array: array[0]), r"average/stem.weight is float32\[2, 3, 3\]"),
    "nan": (set_to("average/stem.weight", nan_first), "average/stem.weight has entries that are not finite"),
    "kind": (set_to("model/stem.weight", lambda array: array.astype(str)), "model/stem.weight is <U"),
    "weights": (lambda arrays: arrays.pop("model/stem.weight"), "it has no model/stem.weight"),
    "more": (lambda arrays: arrays.update({"model/tail": np.zeros(1)}), "it has an unknown model/tail"),
    "network": (set_to("best", lambda _: np.arange(9, dtype=np.uint8)), "not a network that ONNX Runtime can run"),
    "no-network": (set_to("best", lambda array: array[:0]), r"is not a checkpoint of this training \("),
}


@pytest.mark.parametrize("damage", CHECKPOINTS)
def test_a_damaged_checkpoint_is_left_for_the_one_before(damage: str, begun: Path, tictactoe: Any) -> None:
    changed, message = CHECKPOINTS[damage]
    path = begun / "checkpoints" / "000002.npz"
    change(path, changed)
    lines: list[str] = []
    training = Training(tictactoe, begun)
    state = training.folder.restored(training.recipe, lines.append)
    assert state.generation == 1
    (line,) = lines
    assert re.search(message, line)
    assert line.count(str(path)) == 1
    assert line.endswith("; trying the one before")


def test_a_run_goes_on_from_the_checkpoint_before(begun: Path, trained: Path, tictactoe: Any) -> None:
    change(begun / "checkpoints" / "000002.npz", about(history=[1, 2]))
    Training(tictactoe, begun).run(2)
    assert_same(weights_of(begun, 2), weights_of(trained, 2))


def test_damaged_checkpoints_of_later_generations_cost_no_new_one(begun: Path, tictactoe: Any) -> None:
    for name in ("000008", "000009", "000009-copy"):
        (begun / "checkpoints" / f"{name}.npz").write_bytes(b"no zip file")
    train(tictactoe, begun, 3)
    names = {path.stem for path in (begun / "checkpoints").iterdir()}
    assert names == {"000002", "000003", "000008", "000009", "000009-copy"}
    shutil.copy(begun / "checkpoints" / "000003.npz", begun / "checkpoints" / "000009-copy.npz")
    training = Training(tictactoe, begun)
    assert training.folder.restored(training.recipe, print).generation == 3


REPLAYS = {
    "width": (set_to("planes", lambda array: array[:, :5]), r"planes is float32\[2, 5\], expected float32\[2, 18\]"),
    "policy": (set_to("policy", lambda array: array[:, :5]), r"policy is float32\[2, 5\], expected float32\[2, 9\]"),
    "values": (set_to("values", lambda array: array[:, 0]), r"values is float32\[2\], expected float32\[2, 1\]"),
    "lengths": (set_to("values", lambda array: array[:1]), r"values is float32\[1, 1\], expected float32\[2, 1\]"),
    "number": (set_to("planes", lambda array: array[0, 0]), r"planes is float32\[\], expected float32\[1, 18\]"),
    "empty": (set_to("planes", lambda array: array[:0]), r"planes is float32\[0, 18\], expected float32\[1, 18\]"),
    "kind": (set_to("planes", lambda array: array.astype(int)), r"planes is int64\[2, 18\], expected float32"),
    "nan": (set_to("policy", nan_first), "policy has entries that are not finite"),
    "about": (set_to("about", lambda _: packed([1])), r"`about` is \[1\], expected an object"),
    "bytes": (set_to("about", lambda _: np.arange(250, 256, dtype=np.uint8)), "can't decode"),
    "missing": (lambda arrays: arrays.pop("policy"), "it has no 'policy'"),
}


@pytest.mark.parametrize("damage", REPLAYS)
def test_a_damaged_file_of_games_is_left_out(damage: str, tmp_path: Path) -> None:
    changed, message = REPLAYS[damage]
    replay = Replay(tmp_path, 3, WIDTHS)
    for generation in (1, 2):
        replay.write(generation, some_samples(2, generation), {})
    change(replay.path(1), changed)
    found, (problem,) = replay.read_window(2)
    assert found.planes[:, 0].tolist() == [2.0, 2.0]
    assert re.search(message, problem)
    assert problem.count(str(replay.path(1))) == 1


def test_a_member_of_the_file_that_is_no_array(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "000001.npz", "w") as file:
        file.writestr("planes.npy", b"text")
    with pytest.raises(FileError, match=r"000001.npz: is damaged or cut off \(planes"):
        Replay(tmp_path, 3, WIDTHS).read(1)


@pytest.mark.parametrize("damage", ["figures", "games", "seed", "arrays"])
def test_games_that_cannot_be_used_are_played_again(damage: str, begun: Path, trained: Path, tictactoe: Any) -> None:
    (begun / "checkpoints" / "000002.npz").unlink()
    path = begun / "replay" / "000002.npz"
    changed = {
        "figures": about(figures=None),
        "games": about(figures={"games": "x"}),
        "seed": about(seed=5),
        "arrays": set_to("planes", lambda array: array[:, :5]),
    }
    change(path, changed[damage])
    lines: list[str] = []
    Training(tictactoe, begun, callbacks=Callbacks(lines.append)).run(2)
    assert any(line.startswith(str(path)) and "again" in line for line in lines)
    assert_same(weights_of(begun, 2), weights_of(trained, 2))


# Games with mistakes.


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            [(np.arange(18), np.arange(8))],
            r"the policy in pair 1 is 8 whole numbers from 0 to 7, .* each of 0 to 8 once",
        ),
        ([(np.arange(1, 19), np.arange(9))], r"the planes in pair 1 is 18 whole numbers from 1 to 18"),
        ([(np.zeros(18, int), np.arange(9))], "from 0 to 0, 1 different ones, expected each of 0 to 17 once"),
        ([(np.arange(18.0), np.arange(9))], r"the planes in pair 1 is float64\[18\]"),
        ([(np.arange(18).reshape(2, 9), np.arange(9))], r"the planes in pair 1 is int64\[2, 9\]"),
        ([np.arange(18)], "did not return a list of pairs of index arrays"),
        (None, "did not return a list of pairs of index arrays"),
    ],
    ids=["short", "beyond", "twice", "floats", "square", "single", "none"],
)
def test_symmetries_that_are_none(
    given: Any, message: str, tictactoe: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(type(tictactoe), "symmetries", lambda self: given)
    with pytest.raises(GameError, match=message):
        Training(tictactoe, tmp_path / "out", **TINY)


@pytest.mark.parametrize("name", po.games.names())
def test_symmetries_of_the_built_in_games(name: str) -> None:
    game = po.games.load(name)
    if game.planes:
        planes, policies = symmetries_of(game)
        assert len(planes) == len(policies) >= 1


class NoNumber(Walk):
    """From the third step on it shows what is no number."""

    @staticmethod
    def observe(state, player, planes):
        planes[state.step] = 1.0 if state.step < 3 else np.nan


class TooFar(Walk):
    planes = (3,)

    @staticmethod
    def observe(state, player, planes):
        planes[state.step] = 1.0


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (NoNumber(), "NoNumber.observe wrote nan in step=3, expected finite numbers"),
        (TooFar(), r"TooFar.observe raised IndexError: .*test_training_faults.py:\d+, in step=3; it may write where"),
    ],
    ids=["nan", "bounds"],
)
def test_observations_are_looked_at_before_the_training(game: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=message):
        train(game, tmp_path / "out", 1, **TINY)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("network", "where"), [(None, "in step=3"), (uniform(NoNumber()), "some actions after")], ids=["teacher", "network"]
)
def test_observations_are_blamed_in_self_play(network: Any, where: str) -> None:
    game = NoNumber()
    with pytest.raises(GameError, match=f"NoNumber.observe wrote nan {where}"):
        play_table(game, tiny(game, simulations=30), network, 2, 1)


class NoReward(Walk):
    @staticmethod
    def apply(state, action, rewards):
        state.step += 1
        rewards[0] = np.inf if state.step == 4 else 1.0


@pytest.mark.parametrize("teacher", [8, 0], ids=["teacher", "network"])
def test_rewards_are_blamed_in_self_play(teacher: int, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"NoReward.apply gave inf for action \d in step=3, expected finite numbers"):
        train(NoReward(), tmp_path, 1, **{**TINY, "teacher": teacher})


# Processes that end.


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (-9, "was killed (exit code -9), possibly out of memory"),
        (
            -11,
            "crashed (exit code -11): most likely a rule of the game reads or writes out of bounds; `d` finds such "
            "rules",
        ),
        (1, "ended by itself (exit code 1)"),
    ],
    ids=["killed", "crashed", "ended"],
)
def test_how_a_process_ended(code: int, expected: str) -> None:
    assert ending(code, "d") == expected


@pytest.fixture
def pool(tictactoe: Any) -> Iterator[Pool]:
    """Two processes, started where Ctrl-C is heard."""
    with hearing_ctrl_c():
        made = Pool(GameSource("tictactoe"), tictactoe, tiny(tictactoe), 2)
    yield made
    made.close()


def processes_of(pool: Pool) -> list[Any]:
    assert pool.workers is not None
    assert isinstance(pool.workers.site, workers.Processes)
    return pool.workers.site.processes


JOBS = [("table", place, None, 10 + place, 0, 1) for place in (0, 1)]


@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="no signals for one process there")
def test_processes_never_see_ctrl_c(pool: Pool) -> None:
    for process in processes_of(pool):  # which have not imported anything yet
        os.kill(process.pid, signal.SIGINT)
    assert len(pool.share(JOBS)) == 2


@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="no signals for one process there")
def test_a_process_that_crashes_is_reported(pool: Pool) -> None:
    os.kill(processes_of(pool)[0].pid, signal.SIGSEGV)
    with pytest.raises(GameError, match="`playout doctor tictactoe`"):
        pool.share(JOBS)


@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="no signals for one process there")
def test_a_process_that_is_killed_is_replaced_and_its_games_are_played_again(pool: Pool, tictactoe: Any) -> None:
    os.kill(processes_of(pool)[0].pid, signal.SIGKILL)
    found = pool.share(JOBS)
    for place, table in enumerate(found):
        here = play_table(tictactoe, tiny(tictactoe), None, 1, 10 + place)
        assert np.array_equal(table.samples.policy, here.samples.policy)
    assert pool.figures is not None
    assert (pool.figures.restarts, pool.figures.repeated, pool.figures.done) == (1, 1, 2)


def test_ctrl_c_while_processes_start_comes_afterwards() -> None:
    seen: list[str] = []

    def start() -> None:
        with workers.shielded():
            signal.raise_signal(signal.SIGINT)
            seen.append("started")

    with hearing_ctrl_c():
        with pytest.raises(KeyboardInterrupt):
            start()
        assert seen == ["started"]
        assert OURS not in os.environ
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# Scripts.


def script_of_the_docs(tmp_path: Path, guarded: bool) -> "subprocess.CompletedProcess[str]":
    page = (DOCS / "training.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"## From Python\n.*?```python\n(.*?)```", page, re.DOTALL)
    options = ", ".join(f"{name}={value}" for name, value in {**TINY, "workers": 2}.items())
    text, count = re.subn(r'train\("connect4", .*\)', f'train("tictactoe", "out", generations=1, {options})', text)
    assert count == 1
    if not guarded:
        text = text.replace('if __name__ == "__main__":', "if True:")
    (tmp_path / "script.py").write_text(text)
    command = [sys.executable, "script.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)


@pytest.mark.compiled_only
def test_the_script_of_the_docs_runs(tmp_path: Path) -> None:
    done = script_of_the_docs(tmp_path, guarded=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out" / "tictactoe.onnx").is_file()


@pytest.mark.compiled_only
def test_a_script_without_a_guard_is_told_so_once(tmp_path: Path) -> None:
    done = script_of_the_docs(tmp_path, guarded=False)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1] == f"playout.errors.SettingsError: {GUARD}"


def test_training_while_a_process_imports(tictactoe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers.multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(SettingsError, match='put the call under `if __name__ == "__main__":`'):
        train(tictactoe, tmp_path / "out", 1)
    monkeypatch.setenv(OURS, "1")
    with pytest.raises(SystemExit) as error:
        check_not_importing()
    assert error.value.code == UNGUARDED


# Ctrl-C in a command.


def test_ctrl_c_in_any_command_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(po.games, "load", interrupted)
    for arguments in (["doctor", "tictactoe"], ["train", "tictactoe"], ["analyze", "tictactoe"]):
        assert main(arguments) == 130
        assert capsys.readouterr().err == "playout: stopped by Ctrl-C\n"


INTERRUPTED_IMPORT = """
import runpy, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv[:2] = ["playout", "games"]
runpy.run_module("playout", run_name="__main__")
"""


@pytest.mark.parametrize("package", ["numba", "typer"])
def test_ctrl_c_while_a_command_is_imported_is_one_line(package: str) -> None:
    command = [sys.executable, "-c", INTERRUPTED_IMPORT, "", package]
    with hearing_ctrl_c():
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "playout: stopped by Ctrl-C\n")


def test_ctrl_c_waits_for_the_imports_of_a_training(
    tictactoe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that it ends would look like a package that is missing."""
    from playout.training import training

    done: list[str] = []

    def imported() -> None:
        signal.raise_signal(signal.SIGINT)
        done.append("imported")

    monkeypatch.setattr(training, "_need_onnx", imported)
    with hearing_ctrl_c(), pytest.raises(KeyboardInterrupt):
        Training(tictactoe, tmp_path / "out", **TINY)
    assert done == ["imported"]
