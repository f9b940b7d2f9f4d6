"""The documentation: what is done with each code block, and the blocks themselves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.site.blocks import blocks
from tools.site.run import BlockError, compare, pages, run_apart, run_page

ROOT = Path(__file__).resolve().parents[1]
PAGES = [str(page.relative_to(ROOT)) for page in pages() if blocks(page)]

PAGE = """\
# A page

<!-- file: two.py -->
```python
two = 2
print(two)
```
<!-- output -->
```
2
```

```
playout games     # a list
python two.py
```

1. A list
   ```console
   $ python two.py
   2
   ```

<!-- smaller: -n 5 -->
```
playout arena connect4 'a=default,c=1' \\
  default -n 1000       # long
```

<!-- not run: a reason -->
```python
raise SystemExit
```

```
. X O
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "page.md"
    file.write_text(PAGE, encoding="utf-8")
    return file


def test_blocks_are_told_apart(page: Path) -> None:
    found = blocks(page)
    assert [block.kind for block in found] == ["python", "output", "shell", "shell", "shell", "python", "other"]
    assert (found[0].line, found[0].markers) == (5, {"file": "two.py"})
    assert found[2].commands == ["playout games     # a list", "python two.py"]
    assert found[3].commands == ["python two.py"]
    assert found[4].commands == ["playout arena connect4 a=default,c=1 default -n 1000 -n 5"]
    assert found[5].markers == {"not run": "a reason"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```python\n1 / 0\n```\n", "ZeroDivisionError"),
        ("```python\nprint(1)\n```\n<!-- output -->\n```\n2\n```\n", "and not what stands here"),
        ("```sh\nexit 3\n```\n", "`exit 3` ended with 3"),
    ],
    ids=["python", "output", "command"],
)
def test_a_block_that_fails_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "page.md"
    file.write_text(f"# Title\n\n{text}", encoding="utf-8")
    with pytest.raises(BlockError, match=rf"page\.md:[48]: [\s\S]*{message}"):
        run_page(file)


def test_a_long_measurement_is_executed_smaller(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("<!-- smaller: games=400 -> games=4; n=9 -> n=1 -->\n```python\nplay(games=400, n=9)\n```\n")
    assert blocks(file)[0].code == "play(games=4, n=1)\n"
    file.write_text("<!-- smaller: games=40 -> games=4 -->\n```python\nplay()\n```\n")
    with pytest.raises(ValueError, match=r"page\.md:3: there is no 'games=40' to replace"):
        _ = blocks(file)[0].code


def test_all_commands_of_a_page_are_made_smaller(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# Page\n\n<!-- smaller on this page: -n 2 -->\n\n```\nplayout bench\n```\n\n```python\n1\n```\n")
    command, python = blocks(file)
    assert command.commands == ["playout bench -n 2"]
    assert python.markers == {}


def test_dots_stand_for_any_output() -> None:
    compare("one\n2 s\nthree\n", "one\n… s\nthree")
    with pytest.raises(BlockError):
        compare("one\ntwo\n", "one\n")


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    names = [page.relative_to(ROOT / "docs").as_posix() for page in pages() if page.name != "README.md"]
    assert [name for name in names if f": {name}\n" not in navigation] == []


@pytest.mark.parametrize("name", ["docs/explanations/puct.md"])
def test_a_page_does_what_it_says(name: str) -> None:
    good, message = run_apart(ROOT / name)
    assert good, message


@pytest.mark.parametrize("name", PAGES)
def test_every_page_does_what_it_says(name: str) -> None:
    good, message = run_apart(ROOT / name)
    assert good, message


@pytest.mark.parametrize("name", ["choose_c", "nim", "watch"])
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    script = str(ROOT / "examples" / f"{name}.py")
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3
