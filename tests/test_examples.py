"""Every script and notebook of `examples/` runs from start to end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .places import EXAMPLES, ROOT

SCRIPTS = sorted(
    str(file.relative_to(EXAMPLES))
    for file in (*EXAMPLES.glob("*.py"), *(EXAMPLES / "generate").glob("*.py"))
    if file.name != "__init__.py"
)
NOTEBOOKS = sorted(file.name for file in (EXAMPLES / "notebooks").glob("*.ipynb"))


def test_there_are_enough_of_them_and_the_list_names_all() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert len(SCRIPTS) >= 12
    assert len(NOTEBOOKS) >= 4
    names = [*SCRIPTS, *(f"notebooks/{name}" for name in NOTEBOOKS)]
    assert [name for name in names if f"| `{name}` |" not in listed] == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_runs(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, EXAMPLES / name], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    book = nbformat.read(EXAMPLES / "notebooks" / name, as_version=4)
    assert not [cell for cell in book.cells if cell.cell_type == "code" and cell.outputs], "written without outputs"
    NotebookClient(book, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert [cell for cell in book.cells if cell.cell_type == "code" and cell.outputs]
