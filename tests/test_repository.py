"""The repository itself: stray files, what the runs of the suite select, and reference data that is not there."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from .full_size import CASES

ROOT = Path(__file__).parents[1]
STRAY = ["a.py.orig", "b.rej", "c.bak", "run.log", "d.tmp", ".e.swp", "f.md~"]


def run(*command: str, cwd: Path = ROOT, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def stray(folder: Path) -> tuple[int, str]:
    done = run(str(ROOT / ".ci" / "stray-files"), cwd=folder)
    return done.returncode, done.stderr


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "good.py").write_text("")
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pip.log").write_text("")
    (tmp_path / ".gitignore").write_text(".venv/\n")
    return tmp_path


@pytest.mark.parametrize("history", ["no git", "untracked", "tracked"])
def test_stray_files_are_refused_by_name(tree: Path, history: str) -> None:
    if history != "no git":
        git(tree, "init", "-q")
    assert stray(tree) == (0, "")
    for name in STRAY:
        (tree / "src" / name).write_text("")
    if history == "tracked":
        git(tree, "add", "-A", "-f", "src")
        git(tree, "commit", "-q", "-m", "with stray files")
    code, error = stray(tree)
    assert code == 1
    assert all(f"src/{name} " in error for name in STRAY)
    assert error.count("\n") == 1


def test_an_ignored_file_and_a_removed_one_are_not_stray(tree: Path) -> None:
    git(tree, "init", "-q")
    (tree / ".gitignore").write_text(".venv/\n*.swp\n")
    (tree / ".notes.swp").write_text("")
    (tree / "old.orig").write_text("")
    git(tree, "add", "-A")
    (tree / "old.orig").unlink()
    assert stray(tree) == (0, "")


def test_reference_data_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    missing = str(tmp_path / "none")
    done = run("make", "--no-print-directory", "test-reference", f"REFERENCE={missing}")
    assert done.returncode != 0
    assert f"There is no folder '{missing}'" in done.stderr.splitlines()[0]
    done = collected("-m", "reference", PLAYOUT_REFERENCE=missing)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    expected = f"ERROR: no reference data at {missing}; set PLAYOUT_REFERENCE to the folder that holds it"
    assert done.stderr.strip() == expected


def collected(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    options = ["-q", "--collect-only", "-p", "no:cacheprovider"]
    return run(sys.executable, "-m", "pytest", *options, *arguments, **environment)


def test_a_plain_run_leaves_the_reference_out_and_only_it(tmp_path: Path) -> None:
    lc0 = "tests/evaluators/test_lc0.py"
    plain, reference = collected(lc0), collected(lc0, "-m", "reference", PLAYOUT_REFERENCE=str(tmp_path))
    assert "test_visits_with_a_tiny_network" in plain.stdout
    assert "test_priors_and_values_are_those_of_lc0" not in plain.stdout
    assert "test_priors_and_values_are_those_of_lc0" in reference.stdout
    assert "test_visits_with_a_tiny_network" not in reference.stdout


def test_front_ends_are_tested_compiled_only_and_a_new_file_in_every_run(tmp_path: Path) -> None:
    for name in ("__init__.py", "conftest.py", "full_size.py", "sizes.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in ("test_web_something.py", "test_new.py"):
        (tmp_path / name).write_text("def test_it():\n    pass\n")
    options = ["-q", "--collect-only", "-p", "no:cacheprovider", "-m", "not slow and not compiled_only", "."]
    done = run(sys.executable, "-m", "pytest", *options, cwd=tmp_path)
    assert "test_new.py" in done.stdout
    assert "test_web_something.py" not in done.stdout


def test_every_test_that_is_sampled_exists() -> None:
    for name, functions in CASES.items():
        tree = ast.parse((ROOT / "tests" / name).read_text(encoding="utf-8"))
        assert set(functions) <= {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name


def test_a_sample_of_the_cases_is_run_and_all_of_them_at_full_size(tmp_path: Path) -> None:
    for name in ("__init__.py", "conftest.py", "sizes.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "full_size.py").write_text('CASES = {"test_new.py": {"test_it": 2, "test_none": 0}}\n')
    cases = '@pytest.mark.parametrize("i", range(6), ids=str)\ndef test_it(i):\n    pass\n'
    (tmp_path / "test_new.py").write_text(f"import pytest\n{cases}\ndef test_none():\n    pass\n")
    options = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "-m", "full_size", "."]

    def named(**environment: str) -> list[str]:
        return re.findall(r"::(\S+)", run(*options, cwd=tmp_path, **environment).stdout)

    assert named() == ["test_it[0]", "test_it[3]"]
    assert named(NUMBA_DISABLE_JIT="1") == [*(f"test_it[{i}]" for i in (0, 1, 3, 4)), "test_none"]
    assert named(PLAYOUT_FULL_SIZE="1") == [*(f"test_it[{i}]" for i in range(6)), "test_none"]


DOCUMENTS = ["ARCHITECTURE.md", "CONTRIBUTING.md"]


def named_files(text: str) -> set[str]:
    """Files and folders that a document names: in backticks with a slash, folders in a drawing, and *.md, *.py."""
    drawn = re.findall(r"(?<![\w/.])([a-z_]+/)(?=\s)", text)
    quoted = [name for name in re.findall(r"`([\w./-]+)`", text) if "/" in name or name.endswith(".toml")]
    plain = re.findall(r"(?<![\w/`])((?:[\w-]+/)*[\w-]+\.(?:md|py))(?![\w`])", text)
    return {*drawn, *quoted, *plain}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_that_a_document_names_exists(document: str) -> None:
    names = named_files((ROOT / document).read_text(encoding="utf-8"))
    assert len(names) > 20
    package = ROOT / "src" / "playout"
    inside = [ROOT, package, package / "core"]
    missing = [name for name in sorted(names) if not any((folder / name).exists() for folder in inside)]
    assert missing == []


def test_the_architecture_draws_every_layer() -> None:
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][
        0
    ]
    names = {name.strip() for line in layers["layers"] for name in line.split("|")} - {"__main__", "errors"}
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert [name for name in sorted(names) if f" {name}/" not in text] == []


def test_the_extra_all_brings_nothing_under_the_gpl() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

    def brought(name: str) -> set[str]:
        found = set()
        for wanted in extras[name]:
            own = re.fullmatch(r"playout\[(.*)\]", wanted)
            found |= set().union(*map(brought, own[1].split(","))) if own else {wanted}
        return found

    gpl = ("chess", "pettingzoo[")  # the classic games of PettingZoo need python-chess
    assert [wanted for wanted in sorted(brought("all")) if wanted.startswith(gpl)] == []
    assert {"torch", "optuna", "mcp", "ray"} <= {re.split(r"[><=\[]", wanted)[0] for wanted in brought("all")}


PACKAGE = ROOT / "src" / "playout"
WRITTEN = {".css", ".html", ".js", ".py", ".ts"}


def test_no_file_of_the_package_has_more_than_500_lines() -> None:
    files = [file for file in PACKAGE.rglob("*") if file.suffix in WRITTEN and "vendor" not in file.parts]
    assert len(files) > 300
    lengths = {str(file.relative_to(ROOT)): len(file.read_text(encoding="utf-8").splitlines()) for file in files}
    assert {name: lines for name, lines in lengths.items() if lines > 500} == {}


def test_a_file_of_the_core_has_80_to_300_lines_or_says_why_it_is_small() -> None:
    for file in sorted((PACKAGE / "core").glob("[a-z]*.py")):
        text = file.read_text(encoding="utf-8")
        lines = len(text.splitlines())
        assert lines <= 300, file.name
        assert lines >= 80 or "small file on its own, because" in " ".join(text.split()), file.name


def test_no_two_classes_share_a_name() -> None:
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert len(names) > 200
    assert [name for name, count in names.items() if count > 1] == []
