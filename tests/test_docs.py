"""The documentation: what is done with each code block, and the blocks themselves."""

import re
from pathlib import Path

import pytest
from tools.site.blocks import blocks
from tools.site.links import dead_links, dead_sources
from tools.site.run import BlockError, compare, pages, run_apart, run_page

ROOT = Path(__file__).resolve().parents[1]

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


def test_a_block_may_have_several_comments(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("<!-- file: a.py -->\n<!-- smaller: 9 -> 1 -->\n```python\nprint(9)\n```\n")
    (block,) = blocks(file)
    assert (block.markers, block.code) == ({"file": "a.py", "smaller": "9 -> 1"}, "print(1)\n")


def test_no_command_stands_in_an_indented_block_which_nothing_runs() -> None:
    command = re.compile(r"(?:^|\n)\n {4}(?:\$ )?(?:playout|python|pip|make) .*")
    found = {page.name: command.findall(page.read_text(encoding="utf-8")) for page in pages()}
    assert {name: lines for name, lines in found.items() if lines} == {}


def test_what_is_not_run_needs_what_few_machines_have() -> None:
    left = [block for page in pages() for block in blocks(page) if "not run" in block.markers]
    reasons = ("needs a language model", "needs a second machine", "needs a cluster of several", "starts and kills Ray")
    others = [
        b.place for b in left if not b.markers["not run"].startswith((*reasons, "these start the server and the"))
    ]
    assert others == []
    tested = {block.markers["tested"] for page in pages() for block in blocks(page) if "tested" in block.markers}
    assert all((ROOT / name).is_file() for name in tested)


def test_dead_links_and_other_hosts_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">1</a><a href="b.html#gone">2</a><a href="c.html">3</a><a href="https://example.org">4</a>'
        '<script src="https://example.org/x.js"></script><link rel="canonical" href="https://example.org/a">'
    )
    (tmp_path / "b.html").write_text('<p id="here"><a href="#here">5</a>')
    count, faults = dead_links(tmp_path)
    assert count == 6
    assert faults == [
        "a.html: there is no #gone in b.html",
        "a.html: c.html leads nowhere",
        "a.html: loads https://example.org/x.js from another host",
    ]


def test_links_in_the_pages_lead_to_files() -> None:
    assert dead_sources() == []


def test_what_pages_make_smaller_is_there() -> None:
    """A replacement that no longer fits its block raises."""
    made = [block.commands if block.kind == "shell" else [block.code] for page in pages() for block in blocks(page)]
    assert all(text for texts in made for text in texts)


def test_dots_stand_for_any_output() -> None:
    compare("one\n2 s\nthree\n", "one\n… s\nthree")
    with pytest.raises(BlockError):
        compare("one\ntwo\n", "one\n")


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    names = [page.relative_to(ROOT / "docs").as_posix() for page in pages() if page.is_relative_to(ROOT / "docs")]
    assert [name for name in names if f": {name}\n" not in navigation] == []


@pytest.mark.parametrize("name", ["docs/index.md", "docs/explanations/puct.md"])
def test_a_short_page_does_what_it_says(name: str) -> None:
    good, message = run_apart(ROOT / name)
    assert good, message
