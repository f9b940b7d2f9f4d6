"""The README's first game and first search are run as they stand there."""

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.common.declare import declarations

from .readme import NIM, README, SEARCH

ROOT = Path(__file__).resolve().parents[1]


def test_the_first_game_and_the_first_search_do_what_the_readme_says() -> None:
    out = io.StringIO()
    scope: dict[str, object] = {"__name__": "readme"}
    with contextlib.redirect_stdout(out):
        exec(NIM + SEARCH, scope)
    lines = out.getvalue().splitlines()
    assert lines[0] == "1 1.0"
    assert "simulation 1" in lines


def test_the_page_on_features_names_every_choice_of_the_parts() -> None:
    page = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    declared = dict(declarations(po.Settings))
    classes = [cls for name in ("policy", "backup", "root", "expansion") for cls in declared[name].kinds.values()]
    switches = [name for name, declaration in declarations(po.Rollouts) if set(declaration.words) == {"on", "off"}]
    missing = [cls.__name__ for cls in classes if f"`{cls.__name__}(" not in page and f"={cls.__name__}(" not in page]
    missing += [name for name in switches if not re.search(rf"\b{name}\b", page)]
    assert missing == []


def test_the_page_on_python_objects_does_what_it_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "objects.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(example, {"__name__": "objects"})
    assert out.getvalue().splitlines() == ["2 1.0", "8 stones, player 1"]
    (tmp_path / "stones.py").write_text(example.partition("search =")[0])
    found = json.loads(
        run("-m", "playout", "analyze", "stones.py:Stones", "--set", "stones=6", "-n", "300", "--json", cwd=tmp_path)
    )
    assert (found["position"], found["best"]) == ("6 stones, player 0", "2")


def test_the_page_on_planning_solves_its_problem() -> None:
    page = (ROOT / "docs" / "planning.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, scope)
    length, found = scope["LENGTH"], scope["found"]
    best = {(1 << city, city): length[0, city] for city in range(1, len(length))}  # Held and Karp: every set of cities
    for _ in range(len(length) - 2):
        longer: dict[tuple[int, int], float] = {}
        for (cities, last), so_far in best.items():
            for city in range(1, len(length)):
                if not cities >> city & 1:
                    key = cities | 1 << city, city
                    longer[key] = min(longer.get(key, np.inf), so_far + length[last, city])
        best = longer
    assert found.value == pytest.approx(-min(so_far + length[last, 0] for (_, last), so_far in best.items()))


def run(*arguments: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.compiled_only
def test_the_class_works_from_a_script(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(NIM + "\nprint(po.Search(Nim(), seed=1).run(100_000).best_text)\n")
    assert run("script.py", cwd=tmp_path).strip() == "1"


@pytest.mark.compiled_only
def test_the_class_works_from_a_module_and_a_file_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "nim.py").write_text(NIM)
    for spec in ("nim:Nim", "nim.py:Nim"):
        found = json.loads(run("-m", "playout", "analyze", spec, "-n", "100000", "--seed", "1", "--json", cwd=tmp_path))
        assert (found["best"], found["proven"]) == ("1", 1.0)


@pytest.mark.compiled_only
def test_the_class_works_from_a_notebook_cell(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook()
    book.cells = [
        nbformat.v4.new_code_cell(NIM),
        nbformat.v4.new_code_cell("result = po.Search(Nim(), seed=1).run(100_000)\nresult"),
        nbformat.v4.new_code_cell("print(result.best_text)"),
    ]
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert book.cells[2].outputs[0]["text"].strip() == "1"
    # A result shows itself; on a slow machine there is a line about compiling, too.
    (shown,) = (output["data"] for output in book.cells[1].outputs if output.output_type == "execute_result")
    assert "text/html" in shown


@pytest.mark.compiled_only
def test_a_second_process_compiles_nothing_again(tmp_path: Path) -> None:
    """Kernels and the game's functions come from the disk cache, also a game that stands in a script."""
    (tmp_path / "script.py").write_text(
        NIM
        + "\nimport numba.core.event as ev"
        + "\nwith ev.install_recorder('numba:compile') as rec:"
        + "\n    po.Search(Nim(), seed=1).run(100)"
        + "\nprint(len(rec.buffer))\n"
    )
    first, second = (int(run("script.py", cwd=tmp_path)) for _ in range(2))
    assert second == 0, f"compiled {first} the first time, {second} the second"


def test_every_file_that_the_readme_links_to_is_there() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_readme_is_short_and_begins_with_a_picture() -> None:
    lines = README.splitlines()
    assert len(lines) < 150
    assert any(line.startswith("![") for line in lines[:12])
