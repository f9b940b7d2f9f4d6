"""Networks that a player teaches: labels, lessons and their files, learning, resuming, the command."""

import errno
import re
import shutil
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.cli import main
from playout.common import disk
from playout.core.inputs import are_features
from playout.errors import EvaluatorError, FileError, GameError, SettingsError
from playout.evaluators.fast import load_fast
from playout.play.spec import read_spec
from playout.training import inputs as module_of_inputs
from playout.training import taught as module_of_taught
from playout.training.inputs import InputsBuilder
from playout.training.learning import learn, new_state
from playout.training.lessons import Lesson, Variety, play_lessons, read_part, write_part
from playout.training.network_kind import FAST as FAST_KIND
from playout.training.network_kind import kind_of
from playout.training.recipe import recipe_for
from playout.training.replay import DamagedError, Samples, unpacked
from playout.training.studying import measure, new_study
from playout.training.taught import TaughtTraining, teach
from playout.training.taught_recipe import TaughtRecipe
from playout.training.teacher import Label, make_teacher
from playout.training.training import Callbacks, Training, train
from playout.training.turns import feature_turns
from tests.evaluators.sparse import game_knows

TINY: dict[str, Any] = {"positions": 60, "games": 4, "hidden": 8, "epochs": 2, "held_out": 0.2, "workers": 1}
TEACHER = "default,n=20"

# A UCI engine that answers the start with e2e4, and what comes after it in the way of its argument.
ENGINE = """
import sys, time
way, start = sys.argv[1], True
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name Fake\\nuciok", flush=True)
    elif words[0] == "isready":
        print("readyok", flush=True)
    elif words[0] == "position":
        start = "RNBQKBNR w KQkq" in line and " 0 1" in line
    elif words[0] == "quit":
        break
    elif words[0] == "go" and start:
        print("info depth 1 score cp 30 nodes 20 pv e2e4")
        print("info depth 2 score cp 900 upperbound nodes 40 pv e2e4")
        if way == "several":
            print("info depth 2 multipv 1 score cp 60 nodes 50 pv e2e4")
            print("info depth 2 multipv 2 score cp -90 nodes 50 pv a2a3")
        print("bestmove e2e4", flush=True)
    elif words[0] == "go":
        if way == "crash":
            sys.stderr.write("out of luck\\n")
            sys.stderr.flush()
            sys.exit(3)
        elif way == "hang":
            time.sleep(60)
        elif way == "illegal":
            print("info score cp 1\\nbestmove e2e5", flush=True)
        elif way == "mute":
            print("bestmove e7e5", flush=True)
"""


def engine(tmp_path: Path, way: str) -> str:
    script = tmp_path / "engine.py"
    script.write_text(ENGINE)
    return f"uci:{sys.executable} {script} {way},t=0.05"


def lines_of(training: TaughtTraining) -> list[str]:
    lines: list[str] = []
    training.callbacks = Callbacks(line=lines.append)
    return lines


# Labels.


def test_a_search_labels_with_its_value_and_its_visits() -> None:
    game = po.games.load("tictactoe")
    teacher = make_teacher(read_spec("policy=uct,n=60", game), game)
    won = game.position("XX./OO./...")
    teacher.new_game(won, 1)
    label = teacher.label(won)
    assert label.value == 1.0
    assert label.best == won.action("3")
    assert sum(label.weights) == pytest.approx(1.0)


@pytest.mark.parametrize(("way", "centipawns"), [("crash", 30), ("several", 60)])
def test_an_engine_labels_with_the_last_exact_score_of_its_best_line_and_its_move(
    tmp_path: Path, way: str, centipawns: int
) -> None:
    game = po.games.load("chess")
    teacher = make_teacher(read_spec(engine(tmp_path, way), game), game)
    try:
        start = game.position()
        teacher.new_game(start, 1)
        label = teacher.label(start)
    finally:
        teacher.close()
    assert label.value == pytest.approx(np.tanh(centipawns / 300))
    assert [start.action_text(action) for action in label.actions] == ["e2e4"]
    assert label.weights == (1.0,)


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("crash", "crashed: ended without 'bestmove'.*out of luck, in rnbqkbnr"),
        ("hang", "hung and was killed"),
        ("illegal", "played the illegal move 'e2e5' in rnbqkbnr/pppppppp/8/8/4P3"),
        ("mute", "gave no score in rnbqkbnr"),
    ],
)
def test_an_engine_that_fails_is_named_and_its_lessons_stay(tmp_path: Path, way: str, message: str) -> None:
    spec = engine(tmp_path, way)
    given = {**TINY, "openings": 0, "stray": 0.0, "patience": 0.3}
    training = TaughtTraining("chess", tmp_path / "out", spec, **given)
    part = training.folder.part(1)
    training.folder.lessons.mkdir(parents=True)
    part.write_bytes(b"kept")
    with pytest.raises(GameError, match=f"^teacher 'uci:.*': the engine {message}.*; what it labelled is kept"):
        training.run()
    assert part.read_bytes() == b"kept"


@pytest.mark.parametrize(
    ("game", "teacher", "given", "message"),
    [
        ("tictactoe", "random", {}, "teacher 'random': it has no opinion"),
        ("tictactoe", "uci:true,n=5", {}, "UCI engines play chess"),
        ("tictactoe", "nobody,n=5", {}, "no preset 'nobody'"),
        ("chess", "uci:no-such-engine,n=5", {}, "there is no program 'no-such-engine'"),
        ("chess", f"uci:{sys.executable},n=5,nodes=6", {}, "'n' and 'nodes' are the same"),
        ("game2048", TEACHER, {}, "game2048 has no features for a fast network"),
        ("tictactoe", TEACHER, {"hidden": 12}, "hidden is 12, expected a multiple of 8"),
        ("tictactoe", TEACHER, {"stray": 2.0}, "stray is 2.0, expected a number from 0 to 1"),
        ("tictactoe", TEACHER, {"widht": 8}, "there is no setting 'widht'"),
        ("tictactoe", TEACHER, {"base": True}, "base is on, but tictactoe has neither `evaluate` nor `priors`"),
        ("tictactoe", TEACHER, {"squared": 1}, "squared is 1, expected True or False"),
    ],
)
def test_mistakes_are_named_before_anything_is_written(
    tmp_path: Path, game: str, teacher: str, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        TaughtTraining(game, tmp_path / "out", teacher, **given)
    assert not (tmp_path / "out").exists()


def test_the_page_lists_every_setting() -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    listed = {name for line in page.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line)}
    assert {field.name for field in fields(TaughtRecipe)} <= listed


# Lessons.


def test_lessons_begin_at_random_and_follow_the_teacher() -> None:
    game = po.games.load("connect4")
    teacher = make_teacher(read_spec("default,n=30", game), game)
    variety = Variety(openings=6, stray=0.0, drawn=0)
    lessons = play_lessons(game, teacher, variety, 6, seed=5, part=0)
    assert len({tuple(lesson.actions[:6]) for lesson in lessons}) > 1
    for lesson in lessons:
        first = min(lesson.labels)
        assert first <= 6
        assert sorted(lesson.labels) == list(range(first, len(lesson.actions)))
        assert all(lesson.actions[ply] == label.best for ply, label in lesson.labels.items())


def test_a_file_of_lessons_is_read_back(tmp_path: Path) -> None:
    lessons = [Lesson([4, 0, 8], {1: Label(-0.5, (0, 2), (0.75, 0.25))}), Lesson(), Lesson([3], {})]
    write_part(tmp_path / "1.npz", lessons, {"part": 1})
    assert read_part(tmp_path / "1.npz", {"part": 1}) == lessons
    with np.load(tmp_path / "1.npz", allow_pickle=False) as file:
        assert file["actions"].tolist() == [4, 0, 8, 3]
        assert file["lengths"].tolist() == [3, 0, 1]
        assert file["choices"].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"part": 2}, "part is 1, expected 2"),
        ({"values": np.array([np.nan, 1.5, np.nan], np.float32)}, "values are not all from -1 to 1"),
        ({"lengths": np.array([7], np.int32)}, "lengths add up to 7, expected 3"),
        ({"weights": np.array([0.5, 0.25], np.float32)}, "don't sum to 1"),
        ({"choices": np.array([0], np.int32)}, "choices has 1 entries, expected 2"),
        ({"actions": np.array([4.0, 0.0, 8.0])}, "actions is float64"),
        ({"about": np.zeros(3, np.uint8)}, "not a part of this training"),
        (None, "damaged or cut off"),
    ],
)
def test_a_damaged_or_foreign_file_of_lessons_is_refused(
    tmp_path: Path, change: dict[str, Any] | None, message: str
) -> None:
    path = tmp_path / "1.npz"
    write_part(path, [Lesson([4, 0, 8], {1: Label(-0.5, (0, 2), (0.75, 0.25))})], {"part": 1})
    if change is None:
        path.write_bytes(path.read_bytes()[:-40])
    elif "part" not in change:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        np.savez_compressed(path, **{**arrays, **change})
    with pytest.raises(FileError, match=message) as raised:
        read_part(path, {"part": (change or {}).get("part", 1)})
    foreign = change is not None and ("part" in change or "about" in change)
    assert isinstance(raised.value, DamagedError) != foreign


def test_a_part_is_added_whole_or_not_at_all() -> None:
    builder = InputsBuilder(po.games.load("tictactoe"), 0.0)
    good = Lesson([4, 0], {0: Label(0.5, (4,), (1.0,)), 1: Label(0.0, (0,), (1.0,))})
    with pytest.raises(FileError, match=r"game 2: tictactoe refuses action 2 of 2.*remove the file to label it again"):
        builder.add([good, Lesson([4, 4], {})])
    assert (len(builder), builder.labelled) == (0, 0)
    builder.add([good])
    assert (len(builder), builder.labelled) == (2, 2)


def test_features_that_the_game_must_not_give_are_the_rules_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """X's first stone, in the middle, is feature 13 for O: nine of O's own come first."""
    game = po.games.load("tictactoe")
    monkeypatch.setattr(game, "feature_count", 13)
    lesson = Lesson([4, 0], {1: Label(0.0, (0,), (1.0,))})
    message = r"tictactoe.features gave feature 13 in .*, expected 0 to feature_count - 1 = 12"
    with pytest.raises(GameError, match=message):
        InputsBuilder(game, 0.0).add([lesson])


@pytest.mark.parametrize("count", [-1, 19, 1025])
def test_an_impossible_number_of_features_is_the_rules_fault(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Tictactoe has 18 features."""

    def stopped(*given: Any) -> tuple[int, bool]:
        given[9][0] = count
        return 0, True

    assert not are_features(np.zeros(18, np.int32), count, 18)
    monkeypatch.setattr(module_of_inputs, "list_inputs", stopped)
    with pytest.raises(GameError, match=rf"tictactoe.features returned {count} features in .*, expected 0 to .* = 18"):
        InputsBuilder(po.games.load("tictactoe"), 0.0).add([Lesson([4], {0: Label(0.0, (4,), (1.0,))})])


def test_features_are_accepted_up_to_the_limits() -> None:
    for numbers, right in (([0, 17], True), ([-1, 3], False), ([3, 18], False), ([17, 17], True)):
        assert are_features(np.array(numbers, np.int32), 2, 18) == right
    assert are_features(np.array([99], np.int32), 0, 18)


def test_mirror_images_are_held_out_together() -> None:
    game = po.games.load("connect4")
    builder, columns = InputsBuilder(game, 0.0), np.random.default_rng(2).integers(7, size=(40, 5)).tolist()
    for actions in columns:
        for played in (actions, [6 - action for action in actions]):
            builder.add([Lesson(played, {4: Label(0.0, (played[4],), (1.0,))})])
    inputs = builder.inputs()
    features, _ = feature_turns(game)
    sets = [inputs.features.rows(np.array([row]))[0] for row in range(len(inputs))]
    learnt, held = ({tuple(sets[row]) for row in rows} for rows in inputs.split(0.4))
    assert learnt
    assert held
    assert not {tuple(np.sort(features[1][list(one)])) for one in learnt} & held
    assert len(np.unique(inputs.orbits)) < len(np.unique(inputs.hashes)) == len(inputs)


def test_without_symmetries_positions_are_held_out_by_their_own_features() -> None:
    game = po.games.load("chess")
    builder, start = InputsBuilder(game, 0.0), game.position()
    builder.add([Lesson([start.action("e2e4")], {0: Label(0.0, (start.action("e2e4"),), (1.0,))})])
    inputs = builder.inputs()
    assert inputs.orbits.tolist() == inputs.hashes.tolist()


# The whole.


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny network of tictactoe, taught in one go."""
    folder = tmp_path_factory.mktemp("taught") / "out"
    teach("tictactoe", folder, TEACHER, **TINY)
    return folder


def test_the_folder_holds_network_report_and_lessons(taught: Path) -> None:
    network = load_fast(taught / "tictactoe.fast")
    network.check(po.games.load("tictactoe"))
    assert network.about.startswith("taught by default,n=20: ")
    assert "held out" in (taught / "report.html").read_text()
    assert {path.suffix for path in (taught / "lessons").iterdir()} == {".npz"}
    settings = po.Settings(policy=po.PUCT(), evaluator=po.Network(str(taught / "tictactoe.fast")))
    assert po.Search("tictactoe", settings).run(50).best is not None


def stopping(training: TaughtTraining, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Make a training stop as by Ctrl-C, before its second part is written, or after its first epoch is."""
    target, calls = (module_of_taught, "write_part") if what == "lessons" else (training.folder, "keep"), list[int]()
    before = getattr(*target)

    def stopped(*arguments: Any) -> Any:
        calls.append(1)
        if what == "lessons" and len(calls) == 2:
            raise KeyboardInterrupt
        before(*arguments)
        if what == "learning":
            raise KeyboardInterrupt

    monkeypatch.setattr(*target, stopped)


@pytest.mark.parametrize("what", ["lessons", "learning"])
def test_a_run_that_was_stopped_resumes_and_comes_to_the_same_network(
    taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    training = TaughtTraining("tictactoe", tmp_path / "out", TEACHER, **TINY)
    with monkeypatch.context() as patch:
        stopping(training, patch, what)
        with pytest.raises(KeyboardInterrupt):
            training.run()
    assert f"stopped during the {what}; " in training.where()
    again = TaughtTraining("tictactoe", tmp_path / "out", TEACHER)
    lines = lines_of(again)
    again.run()
    assert (what == "learning") == any("resuming after epoch 1" in line for line in lines)
    for name in ("tictactoe.fast", "checkpoint.npz"):
        if name.endswith("npz"):
            with np.load(taught / name) as one, np.load(tmp_path / "out" / name) as other:
                assert set(one.files) == set(other.files)
                assert all((one[key] == other[key]).all() for key in one.files if key != "about")
        else:
            assert (taught / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_damaged_lessons_are_labelled_again(taught: Path, tmp_path: Path) -> None:
    training = TaughtTraining("tictactoe", tmp_path / "out", TEACHER, **TINY)
    training.run()
    training.folder.part(0).write_bytes(b"no zip file")
    again = TaughtTraining("tictactoe", tmp_path / "out", TEACHER)
    lines = lines_of(again)
    again.run()
    assert any("is damaged" in line and "labelling it again" in line for line in lines)
    assert (taught / "tictactoe.fast").read_bytes() == again.folder.network.read_bytes()
    assert (again.folder.lessons / "000000.damaged").read_bytes() == b"no zip file"


def copy_of(taught: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(taught, tmp_path / "copy"))


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_lessons_that_cannot_be_read_are_refused_and_stay(
    taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of(taught, tmp_path)
    before, real = files_in(folder / "lessons"), Path.read_bytes

    def failing(path: Path) -> bytes:
        if path.name == "000001.npz":
            raise OSError(errno.EIO, "Input/output error")
        return real(path)

    training = TaughtTraining("tictactoe", folder, TEACHER)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", failing)
        with pytest.raises(FileError, match=r"000001.npz: can't be read \(Input/output error\)"):
            training.run()
    assert files_in(folder / "lessons") == before


def test_lessons_of_another_training_are_refused_and_stay(taught: Path, tmp_path: Path) -> None:
    folder = copy_of(taught, tmp_path)
    (folder / "lessons" / "000001.npz").write_bytes((folder / "lessons" / "000000.npz").read_bytes())
    before = files_in(folder / "lessons")
    with pytest.raises(FileError, match=r"000001.npz: is not a part of this training \(part is 0, expected 1\)"):
        TaughtTraining("tictactoe", folder, TEACHER).run()
    (folder / "settings.json").unlink()
    with pytest.raises(FileError, match=r"settings.json: is missing, but there are lessons; put it back"):
        TaughtTraining("tictactoe", folder, TEACHER, seed=7)
    assert files_in(folder / "lessons") == before


def test_a_checkpoint_that_held_out_other_positions_is_not_resumed(taught: Path, tmp_path: Path) -> None:
    training = TaughtTraining("tictactoe", copy_of(taught, tmp_path), TEACHER)
    with np.load(taught / "checkpoint.npz") as file:
        positions = unpacked(file["about"])["identity"]["positions"]
    lines: list[str] = []
    assert training.folder.restored(training.recipe, positions, lines.append).epoch == 2
    training.folder.turns = 1
    assert training.folder.restored(training.recipe, positions, lines.append).epoch == 0
    assert "it has other settings or positions" in lines[0]


def test_other_lessons_need_another_folder_but_learning_may_change(taught: Path) -> None:
    with pytest.raises(SettingsError, match=r"stray is 0.5, but the lessons in .* were played with 0.1"):
        TaughtTraining("tictactoe", taught, TEACHER, stray=0.5)
    with pytest.raises(SettingsError, match="has lessons with teacher"):
        TaughtTraining("tictactoe", taught, "default,n=21")
    with pytest.raises(SettingsError, match="has lessons with game 'tictactoe', not 'connect4'"):
        TaughtTraining("connect4", taught, TEACHER)
    assert TaughtTraining("tictactoe", taught, TEACHER, hidden=16).recipe.positions == TINY["positions"]


def test_lessons_do_not_depend_on_the_process_that_labels_them(taught: Path, tmp_path: Path) -> None:
    teach("tictactoe", tmp_path / "out", TEACHER, **{**TINY, "workers": 2})
    assert (taught / "tictactoe.fast").read_bytes() == (tmp_path / "out" / "tictactoe.fast").read_bytes()


def test_a_full_disk_is_one_line_and_lessons_before_it_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = TaughtTraining("tictactoe", tmp_path / "out", TEACHER, **TINY)
    real = disk.os.fsync

    def full(handle: int) -> None:
        if training.folder.part(0).exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    with monkeypatch.context() as patch:
        patch.setattr(disk.os, "fsync", full)
        with pytest.raises(FileError, match=r"000001.npz: can't be written \(No space left on device\)"):
            training.run()
    assert [path.name for path in training.folder.lessons.iterdir()] == ["000000.npz"]


def test_a_game_without_more_positions_ends_the_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_of_taught, "STALE_PARTS", 2)
    monkeypatch.setattr(module_of_taught, "STALE_SHARE", 0.5)
    figures = teach("tictactoe", tmp_path / "out", TEACHER, **{**TINY, "positions": 10**6, "games": 16, "openings": 0})
    assert 3 <= figures["parts"] < 40
    assert figures["labelled"] > figures["learnt"] + figures["held_out"]


# Learning.


def test_learning_beats_guessing_on_held_out_positions(tmp_path: Path) -> None:
    """The player who has three in a row soon is all there is to learn: values of tictactoe by 200 simulations."""
    given = {**TINY, "positions": 1500, "games": 64, "hidden": 32, "epochs": 20, "rate": 0.01}
    figures = teach("tictactoe", tmp_path / "out", "default,n=50", **given)
    assert figures["held_out"] > 100
    assert figures["held_value_loss"] < 0.8 * figures["even_value_loss"]
    assert figures["held_policy_loss"] < figures["even_policy_loss"]


def test_an_untrained_network_that_builds_on_the_game_answers_as_the_game_does() -> None:
    game = po.games.load("connect4")
    builder = InputsBuilder(game, 0.0, base=True)
    lesson = Lesson([3, 3, 2], {2: Label(0.5, (2,), (1.0,))})
    builder.add([lesson])
    study = new_study(game, TaughtRecipe(hidden=8, base=True))
    found = measure(study.model, builder.inputs(), np.array([0]), feature_turns(game), 1)
    static, priors = game_knows(game.position("44"))
    assert found["value_loss"] == pytest.approx((static[0] - 0.5) ** 2, abs=1e-4)
    assert found["policy_loss"] == pytest.approx(-np.log(priors[2] / sum(priors)), abs=1e-4)


def test_an_untrained_network_guesses() -> None:
    """All logits are equal: the loss is log of nine legal actions; of two best ones, two ninths are right."""
    game = po.games.load("tictactoe")
    builder = InputsBuilder(game, 0.0)
    builder.add([Lesson([4], {0: Label(0.5, (4, 0), (0.5, 0.5))})])
    inputs = builder.inputs()
    study = new_study(game, TaughtRecipe(hidden=8))
    found = measure(study.model, inputs, np.array([0]), feature_turns(game), 1)
    assert found["policy_loss"] == pytest.approx(np.log(9), abs=1e-4)
    assert found["value_loss"] == pytest.approx(0.25, abs=1e-4)
    assert found["accuracy"] == pytest.approx(2 / 9, abs=1e-4)


@pytest.mark.parametrize(
    ("squared", "wdl", "base"), [(True, False, False), (False, True, False), (True, False, True), (True, True, True)]
)
def test_the_file_answers_as_the_model_and_a_changed_one_is_noticed(squared: bool, wdl: bool, base: bool) -> None:
    import torch  # heavy, as what comes next

    from playout.training.sparse_model import as_fast, check_alike

    game, random = po.games.load("connect4"), np.random.default_rng(1)
    builder = InputsBuilder(game, 0.0, base=base)
    builder.add([Lesson([3, 3, 2], {0: Label(0.5, (3,), (1.0,)), 2: Label(0.1, (2,), (1.0,))})])
    model = new_study(game, TaughtRecipe(hidden=16, squared=squared, wdl=wdl, base=base)).model
    for parameter in model.parameters():
        parameter.data += 0.3 * torch.from_numpy(random.standard_normal(parameter.shape).astype(np.float32))
    network = as_fast(model, game, "")
    assert check_alike(model, network, builder.inputs(), np.arange(2)) < 1e-5
    network.value_bias[0] += np.float32(0.1)
    with pytest.raises(EvaluatorError, match="its answers differ by"):
        check_alike(model, network, builder.inputs(), np.arange(2))


def test_features_are_turned_with_the_board() -> None:
    """Connect four mirrored: column 1 becomes 7, and who moved first stays."""
    game = po.games.load("connect4")
    features, policy = feature_turns(game)
    assert policy.tolist() == [list(range(7)), list(range(6, -1, -1))]
    stones, mirrored = (game.position(text) for text in ("112", "776"))
    assert sorted(features[1][stones.features()].tolist()) == sorted(mirrored.features())
    assert len(feature_turns(po.games.load("chess"))[0]) == 1


# Self-play.


def test_a_feature_that_is_listed_twice_counts_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    position = po.games.load("tictactoe").position()
    for listed, expected in (([3, 5, 3], {3: 2.0, 5: 1.0}), ([], {})):
        monkeypatch.setattr(type(position), "features", lambda self, listed=listed: listed)
        seen = FAST_KIND.seen(position)
        assert {int(place): float(seen[place]) for place in np.flatnonzero(seen)} == expected


FAST: dict[str, Any] = {
    "fast": True,
    "games": 4,
    "simulations": 8,
    "teacher": 8,
    "hidden": 8,
    "batch": 16,
    "reuse": 1.0,
    "every": 2,
    "matches": 2,
    "workers": 1,
}


def test_fast_networks_learn_by_self_play_too_and_resume(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    train("tictactoe", whole, 2, **FAST)
    train("tictactoe", parts, 1, **FAST)
    train("tictactoe", parts, 2, **FAST)
    assert load_fast(whole / "tictactoe.fast").about.startswith("self-play, generation 2")
    one, other = (load_fast(folder / "latest.fast") for folder in (whole, parts))
    assert (one.inputs == other.inputs).all()
    assert (one.policy == other.policy).all()
    assert not (one.policy == 0).all()
    assert "50" in (whole / "report.html").read_text()


def test_illegal_actions_are_not_learnt(tmp_path: Path) -> None:
    """Their logits have no part in the loss: a policy learnt from one position leaves the rows of other moves as is."""
    game = po.games.load("connect4")
    position = game.position("444444")
    row = kind_of(recipe_for(game, fast=True)).empty_policy(position)
    assert row.tolist() == [0, 0, 0, -1, 0, 0, 0]
    recipe = recipe_for(game, fast=True, hidden=8, batch=4, decay=0.0)
    state = new_state(game, recipe)
    seen = kind_of(recipe).seen(position)
    assert sorted(np.flatnonzero(seen).tolist()) == sorted(position.features())
    row[2] = 1.0
    samples = Samples(np.stack([seen] * 4), np.stack([row] * 4), np.ones((4, 1), np.float32))
    learn(state, game, recipe, samples, 3, seed=1)
    changed = (state.model.policy_bias.detach().numpy() != 0).tolist()
    assert changed == [True, True, True, False, True, True, True]


def test_settings_of_the_other_kind_of_network_are_refused(tmp_path: Path) -> None:
    for given, message in (
        ({"fast": True, "blocks": 2}, "blocks has no meaning for a fast network"),
        ({"hidden": 16}, "hidden has no meaning for convolutions"),
        ({"fast": True, "hidden": 20}, "hidden is 20, expected a multiple of 8"),
    ):
        with pytest.raises(SettingsError, match=message):
            Training("tictactoe", tmp_path / "t", **given)
    train("tictactoe", tmp_path / "t", 1, **FAST)
    with pytest.raises(SettingsError, match="is a training of a fast network; add fast to resume it"):
        Training("tictactoe", tmp_path / "t")


# The command.


def test_the_command_teaches_and_names_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    arguments = ["train", "tictactoe", "--fast", "--teacher", TEACHER, "--positions", "40", "--hidden", "8"]
    options = ["--games", "4", "--workers", "1", "--option", "epochs=1", "--option", "held_out=0.3", "--out", str(out)]
    assert main([*arguments, *options]) == 0
    told = capsys.readouterr().out
    assert f"network: {out / 'tictactoe.fast'}" in told
    assert "held out" in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--teacher", "default,n=5"], "teaches fast networks only; add --fast"),
        (["--fast", "--teacher", "default,n=5", "--generations", "3"], "--generations has no meaning"),
        (["--fast", "--teacher", "default,n=5", "--blocks", "3"], "--blocks has no meaning"),
        (["--fast", "--teacher", "default,n=5", "--option", "window=3"], "--option got 'window'"),
        (["--fast", "--teacher", "default,n=5", "--option", "hidden=8", "--hidden", "8"], "give it once"),
        (["--positions", "5"], "--positions has no meaning for self-play"),
    ],
)
def test_mistakes_in_the_command_are_one_line(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", "tictactoe", *arguments, "--out", str(tmp_path / "out")]) != 0
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1
