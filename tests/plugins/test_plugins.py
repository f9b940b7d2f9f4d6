"""Games, policies, backups and presets of another package, found by its entry points; `package/` is the example."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import playout as po
from playout import games
from playout.cli import main
from playout.common import plugins
from playout.errors import PlayoutError
from playout.settings import PRESETS

PACKAGE = Path(__file__).parent / "package"


def install(folder: Path, name: str = "toy-games") -> Path:
    """A folder for the path with what an installer writes about the package: its name, version and entry points."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    info = folder / f"{name.replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {project['version']}\n")
    lines = []
    for group, points in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{word} = {value}" for word, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def forget() -> None:
    plugins.installed.cache_clear()
    PRESETS.__dict__.pop("_others", None)


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package installed for this test."""
    folder = install(tmp_path / "installed")
    monkeypatch.syspath_prepend(str(PACKAGE))
    monkeypatch.syspath_prepend(str(folder))
    forget()
    yield folder
    forget()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy_games"]:
        del sys.modules[name]


@pytest.mark.usefixtures("toys")
def test_a_game_of_a_package_goes_by_its_name() -> None:
    assert games.installed() == ["toy_lost", "toy_race"]
    search = po.Search(games.load("toy_race", goal=4), "best", seed=1)
    assert (search.settings.policy, search.settings.answer) == (po.UCT(0.5), "value")  # the package's own preset
    assert search.run(200).best_text == "1"  # three to go is lost
    assert po.Search("TOY_RACE").game.title == search.game.title


@pytest.mark.usefixtures("toys")
def test_policies_backups_and_presets_of_a_package_are_words() -> None:
    settings = po.preset("toy_quick", policy="toy_greedy", epsilon=0.3, backup="toy_half")
    assert (type(settings.policy).__name__, settings.policy.epsilon) == ("Greedy", 0.3)  # type: ignore[attr-defined]
    assert type(settings.backup).__name__ == "Half"
    assert PRESETS["toy_quick"].meaning.en == "Few simulations: one child at a time, the highest value."
    assert "toy_quick" in PRESETS
    assert "toy_wrong" not in PRESETS


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: games.load("toy_lost"), "can't load 'toy_games.lost:Lost': there is no module 'toy_games.lost'"),
        (lambda: games.load("toy_rase"), "did you mean 'toy_race'?"),
        (lambda: po.preset("default", policy="toy_typo"), "no 'Gredy' in toy_games.greedy (there: Greedy); did you"),
        (lambda: po.preset("default", policy="toy_gredy"), "(of installed packages: toy_greedy, toy_typo); did you"),
        (lambda: po.preset("toy_wrong"), "preset 'toy_wrong' of toy-games 0.3 can't be used: toy_games.presets:wrong"),
    ],
    ids=["lost game", "misspelt game", "lost policy", "misspelt policy", "wrong preset"],
)
def test_what_a_package_has_wrong_is_said_in_one_line(use: Callable[[], object], message: str) -> None:
    with pytest.raises(PlayoutError) as caught:
        use()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_two_packages_offer_is_refused(toys: Path) -> None:
    other = install(toys, "more-toys") / "more_toys-0.3.dist-info" / "entry_points.txt"
    other.write_text("[playout.games]\ntoy_race = more_toys:Race\nchess = more_toys:Chess\n")
    forget()
    with pytest.raises(
        po.GameError, match=r"toy-games 0\.3 .* and more-toys 0\.3|more-toys 0\.3 .* and toy-games 0\.3"
    ):
        games.load("toy_race")
    assert games.find("chess").__module__.startswith("playout.games.chess")  # built-in names stay what they are


@pytest.mark.usefixtures("toys")
def test_lists_name_what_is_broken_and_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"chess", "toy_race"} <= {row["game"] for row in listed["games"]}
    (broken,) = listed["broken"]
    assert broken.startswith("game 'toy_lost' of toy-games 0.3 can't be used: ")
    assert main(["settings", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert listed["installed"] == ["policy=toy_greedy", "backup=toy_half"]
    assert [line.partition("'")[2].partition("'")[0] for line in listed["broken"]] == ["toy_wrong", "toy_typo"]
    assert "toy_quick" in listed["presets"]
    assert main(["settings", "--markdown"]) == 0
    assert "toy_" not in capsys.readouterr().out  # docs/settings.md is the same on every machine


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("playout ana", ["analyze"]),
        ("playout analyze toy", ["toy_lost", "toy_race"]),
        ("playout play oth", ["othello"]),
        ("playout analyze chess --preset gu", ["guided", "gumbel"]),
        ("playout solve --se", ["--set", "--seed", "--seconds"]),
    ],
)
def test_the_shell_completes(
    words: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    monkeypatch.setenv("_PLAYOUT_COMPLETE", "complete_bash")
    with pytest.raises(SystemExit) as ended:
        main(["ignored"])
    assert ended.value.code == 0
    assert sorted(capsys.readouterr().out.split()) == sorted(expected)


def test_the_command_line_finds_them(tmp_path: Path) -> None:
    folders = [install(tmp_path / "installed"), PACKAGE, Path(po.__file__).parents[1]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    done = subprocess.run(
        [sys.executable, "-m", "playout", "analyze", "toy_race", "-n", "300", "--set", "goal=4", "--json",
         "--option", "policy=toy_greedy", "--option", "epsilon=0.5"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["best"] == "1"
