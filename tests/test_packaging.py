"""The wheel and the sdist: built the same everywhere, and installed into an empty environment."""

import email
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout import __version__

from .readme import NIM, README

ROOT = Path(__file__).parents[1]
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "build", "dist", "node_modules", "__pycache__", ".*_cache", ".hypothesis"
)
OTHERS = ["3.12", "3.13"]
EXTRAS = {"web", "nets", "train", "tune", "ray", "mcp", "widget", "all"}
EXTRAS |= {"gymnasium", "pettingzoo", "openspiel", "chess"}
EXTRAS |= {"gymnasium", "pettingzoo", "openspiel", "chess"}


def run(*command: object, cwd: Path, **environment: str) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NUMBA", "VIRTUAL_ENV"))}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env={**clean, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return done.stdout


def build(source: Path, out: Path, *targets: str, **environment: str) -> dict[str, str]:
    """Build into a folder; the files there with their hashes."""
    wanted = [word for target in targets for word in ("-t", target)]
    run(sys.executable, "-m", "hatchling", "build", "-d", out, *wanted, cwd=source, **environment)
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in out.iterdir()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel and the sdist of this checkout."""
    out = tmp_path_factory.mktemp("built")
    build(ROOT, out)
    return out


def test_two_builds_are_the_same_bytes(built: Path, tmp_path: Path) -> None:
    """In another folder, with other times of the files; and the sdist builds the same wheel."""
    first = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in built.iterdir()}
    assert sorted(first) == [f"playout-{__version__}-py3-none-any.whl", f"playout-{__version__}.tar.gz"]
    copy = tmp_path / "another folder"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT, copy_function=shutil.copy)
    assert build(copy, tmp_path / "second") == first
    with tarfile.open(built / f"playout-{__version__}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    again = build(tmp_path / f"playout-{__version__}", tmp_path / "third", "wheel")
    assert again.items() <= first.items()


def test_the_wheel_holds_the_page_the_networks_and_every_extra(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = wheel.namelist()
        about = email.message_from_bytes(wheel.read(f"playout-{__version__}.dist-info/METADATA"))
    assert {"playout/web/static/index.html", "playout/notebook/widget.js", "playout/py.typed"} <= set(names)
    assert any(name.endswith(".onnx") for name in names)
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc")) or name.startswith("tests/")]
    extras = set(about.get_all("Provides-Extra") or ())
    assert extras >= EXTRAS
    pages = [README, *(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))]
    named = re.findall(r"pip install '(?:\.|playout)\[([a-z,]+)\]'", "\n".join(pages))
    assert named
    assert {extra for words in named for extra in words.split(",")} <= extras


@pytest.fixture
def empty(built: Path, tmp_path: Path) -> Iterator[Path]:
    """An environment with the wheel, and what it depends on taken from the environment of the tests."""
    folder = tmp_path / "empty"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=tmp_path)
    python = folder / "bin" / "python"
    run(
        sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index",
        "--disable-pip-version-check", next(built.glob("*.whl")), cwd=tmp_path,
    )  # fmt: skip
    packages = next(folder.glob("lib/python*/site-packages"))
    others = next(path for path in map(Path, sys.path) if (path / "numba").is_dir())
    (packages / "others.pth").write_text(f"{others}\n")  # behind the wheel; .pth files there are not read
    yield folder
    shutil.rmtree(folder)


def test_the_wheel_works_in_an_empty_environment(empty: Path, tmp_path: Path) -> None:
    (tmp_path / "nim.py").write_text(NIM, encoding="utf-8")
    playout = empty / "bin" / "playout"
    assert run(playout, "--version", cwd=tmp_path) == f"playout {__version__}\n"
    assert "samegame" in run(playout, "games", cwd=tmp_path)
    where = run(empty / "bin" / "python", "-c", "import playout; print(playout.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(empty)
    uncompiled = {"NUMBA_DISABLE_JIT": "1"}  # with an empty cache, compiling would take a minute
    found = run(playout, "analyze", "nim.py:Nim", "-n", "300", "--seed", "1", "--json", cwd=tmp_path, **uncompiled)
    assert '"best": "1"' in found
    shown = run(playout, "analyze", "tictactoe", "--preset", "network", "-n", "20", cwd=tmp_path, **uncompiled)
    assert "settings: network" in shown


def interpreter(version: str) -> str | None:
    """A Python of this version, on the path or in pyenv's folder."""
    found = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for python in filter(None, found):
        if subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(python)
    return None


@pytest.mark.parametrize("version", OTHERS)
def test_the_wheel_works_on_other_pythons(version: str, built: Path, tmp_path: Path) -> None:
    """With what it needs from the index, and nothing else."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} here")
    run(python, "-m", "venv", "--without-pip", tmp_path / "other", cwd=tmp_path)
    there = tmp_path / "other" / "bin"
    installed = subprocess.run(
        [sys.executable, "-m", "pip", "--python", there / "python", "install", "-q", "-c", ROOT / "constraints.txt",
         next(built.glob("*.whl"))],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "No matching distribution found" in installed.stderr:
        pytest.skip(f"its packages can't be had for Python {version}: {installed.stderr[-300:]}")
    assert installed.returncode == 0, installed.stderr
    (tmp_path / "nim.py").write_text(NIM, encoding="utf-8")
    found = run(there / "playout", "analyze", "nim.py:Nim", "-n", "20000", "--seed", "1", "--json", cwd=tmp_path)
    assert '"best": "1"' in found
