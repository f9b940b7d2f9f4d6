"""Prepared links and lessons: what they open, and what of them is refused with one line."""

import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli import main
from playout.errors import FileError
from playout.web.catalogue import Catalogue
from playout.web.lessons import FOLDER, LARGEST, SHIPPED, Lessons, parse_blocks, read_lesson
from playout.web.prepared import check_link, parse_link
from playout.web.refusals import Refusal

from .web_server import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


def test_a_link_opens_a_game_a_position_settings_a_seed_and_a_step(server: Served) -> None:
    link = "?game=connect4&position=44&moves=4+1&preset=textbook&c=2.5&seed=7&run=20&step=9&phase=backup&tab=step"
    opened = server.post("/v1/links", 201, link=link)
    session = opened["session"]
    assert (session["game"], session["seed"], session["preset"]) == ("connect4", 7, "textbook")
    assert (session["position"]["text"], session["options"]["c"]) == ("4441", "2.5")
    assert {k: opened[k] for k in ("simulations", "step", "phase", "tab", "lesson")} == {
        "simulations": 20,
        "step": 9,
        "phase": "backup",
        "tab": "step",
        "lesson": None,
    }


def test_a_link_sets_the_game_up(server: Served) -> None:
    link = "?game=target_sum&game.target=21&game.moves=4&game.numbers=1,5,9"
    settings = server.post("/v1/links", 201, link=link)["session"]["game_settings"]
    assert (settings["target"], settings["moves"], settings["numbers"]) == (21, 4, [1, 5, 9])


@pytest.mark.parametrize(
    ("link", "why"),
    [
        ("?step=5", "names no game"),
        ("?game=tictactoe&game=chess", "game twice"),
        ("?game=tictactoe&step=0", "step=0, expected a whole number from 1"),
        ("?game=tictactoe&run=1e9", "run=1e9, expected a whole number"),
        ("?game=tictactoe&seed=-1", "seed=-1"),
        ("?game=tictactoe&phase=backup", "without step"),
        ("?game=tictactoe&step=1&phase=dance", "phase=dance, expected one of selection"),
        ("?game=tictactoe&tab=x", "tab=x, expected one of moves"),
        ("?game=tictactoe&position=", "position with 0 characters"),
        ("?game=tictactoe&<script>=1", "'<script>'"),
        ("?game=tictactoe&vary=c&from=3&to=1", "from 3 to 1"),
        ("?game=tictactoe&from=3", "without vary"),
        ("?game=tictactoe&vary=c&from=nan", "from=nan, expected a number"),
        ("?game=nonesuch", "no game 'nonesuch'"),
        ("?game=tictactoe&position=what", "position"),
        ("?game=tictactoe&moves=10", "10"),
        ("?game=tictactoe&exploration=9", "exploration"),
        ("?game=tictactoe&c=much", "c"),
        ("?game=tictactoe&preset=none", "none"),
        ("?game=tictactoe&game.target=3", "target"),
        (f"?game=tictactoe&position={'x' * 8000}", "characters"),
    ],
    ids=lambda text: text[:40],
)
def test_a_bad_link_is_refused_with_one_line(server: Served, link: str, why: str) -> None:
    before = server.get("/v1/server")["sessions"]
    answer = server.http.post("/v1/links", json={"link": link})
    assert answer.status_code in (400, 422), answer.text
    assert why in answer.json()["detail"]
    assert "\n" not in answer.json()["detail"]
    assert server.get("/v1/server")["sessions"] == before


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", SHIPPED)
def test_a_lesson_comes_in_both_languages_and_its_links_open(server: Served, name: str, language: str) -> None:
    lesson = server.get(f"/v1/lessons/{name}", params={"language": language})
    assert lesson["language"] == language
    assert lesson["title"] in {one["title"] for one in server.get(f"/v1/lessons?language={language}")["lessons"]}
    read_lesson(name, FOLDER / f"{name}.md", functools.partial(check_link, Catalogue()))
    other = server.get(f"/v1/lessons/{name}", params={"language": {"en": "zh", "zh": "en"}[language]})
    assert [block["kind"] for block in other["blocks"]] == [block["kind"] for block in lesson["blocks"]]


def test_a_lesson_says_of_c_what_the_search_finds(server: Served) -> None:
    text = (FOLDER / "exploration.md").read_text(encoding="utf-8")
    for c, number, visits in ((0, 1, 979), (1.4, 3, 434), (10, 3, 166)):
        made = server.create("connect4", preset="textbook", options={"c": c}, seed=1)
        actions = server.post(f"{made}/run", simulations=1000, wait=True)["result"]["actions"]
        assert (actions[0]["number"], actions[0]["visits"]) == (number, visits)
        assert str(visits) in text


def test_what_a_lesson_holds_is_text() -> None:
    blocks = parse_blocks(
        "# <b>T</b>\n\n<script>alert(1)</script> **a** `b` *c*\n\n- one\n  two\n- three\n\n```\n[x](y)\n```"
    )
    assert [block["kind"] for block in blocks] == ["heading", "text", "list", "code"]
    assert blocks[1]["spans"][0] == {"kind": "text", "text": "<script>alert(1)</script> "}
    assert [span["text"] for span in blocks[2]["items"][0]] == ["one two"]
    assert blocks[3]["text"] == "[x](y)"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "the first line is no heading"),
        (b"Only text", "line is no heading, expected"),
        (b"# T\n\n\xff", "byte 5 is not UTF-8"),
        (b"# T\0", "a zero byte"),
        (b"# T\n\n[x](javascript:alert(1))", "no prepared one"),
        (b"# T\n\n[x](https://example.org/)", "line 3: the link 'https://example.org/' is no prepared one"),
        (b"# T\n\n[x](?game=nonesuch)", "line 3: the link can't be opened: no game 'nonesuch'"),
        (b"# T\n\n- a\n- [x](?game=tictactoe&step=x)", "line 4: the link has step=x"),
        (b"# T\n\n[x](?game=tictactoe&vary=nothing)", "varies nothing"),
        (b"# T\n\n```\ncode", "line 3: a code block begins that never ends"),
        (b"# T\n" + b"x" * LARGEST, "expected at most"),
    ],
    ids=lambda given: given if isinstance(given, str) else "file",
)
def test_a_damaged_lesson_is_refused_with_one_line(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "lesson.md"
    file.write_bytes(content)
    with pytest.raises(FileError, match=re.escape(why)) as refused:
        Lessons(str(file), functools.partial(check_link, Catalogue()))
    assert "\n" not in str(refused.value)


def test_serve_refuses_a_lesson_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--no-open", "--data", str(tmp_path / "data"), "--lesson", "nowhere.md"]) != 0
    said = capsys.readouterr().err
    assert "--lesson nowhere.md: there is no such file" in said
    assert len(said.strip().splitlines()) == 1
    assert not (tmp_path / "data").exists()


def test_a_lesson_of_ones_own_comes_first(tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text("# Mine\n\nGo.\n", encoding="utf-8")
    (tmp_path / "mine.zh.md").write_text("# 我的\n\n走。\n", encoding="utf-8")
    lessons = Lessons(str(tmp_path / "mine.md"))
    assert (lessons.first, [one["name"] for one in lessons.listed("zh")]) == ("mine", ["mine", *SHIPPED])
    assert lessons.find("mine").view("zh")["title"] == "我的"
    assert Lessons("network").first == "network"
    with pytest.raises(Refusal, match="no lesson 'other'"):
        lessons.find("other")


def test_a_link_has_each_part_once() -> None:
    assert parse_link("").game is None
    assert parse_link("?lesson=network").lesson == "network"
