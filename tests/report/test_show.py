"""How results look. Numbers in the pictures are those of the result; hostile words stay words."""

import base64
import re
from html.parser import HTMLParser
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import playout as po
from playout.report.colours import BAD, GOOD, MIDDLE, as_hex, shade
from playout.report.html import result_html
from playout.report.text import TEXT_WIDTH
from playout.report.words import number, proven_word
from playout.search.result import ActionStats, Result
from tests.search.test_node import Dice, Hostile, search_of


def result_of(name: str = "connect4", position: str | None = "4445", simulations: int = 150, **settings: Any) -> Result:
    return search_of(name, position, simulations, **settings).result()


def hostile() -> Result:
    return po.Search(Hostile(), seed=1).run(simulations=40)


def made(*actions: ActionStats, game: str = "connect4", **facts: Any) -> Result:
    """A result written by hand."""
    given: dict[str, Any] = {
        "position": po.games.load(game).position(),
        "settings": po.Settings(),
        "simulations": 1_234_567,
        "seconds": 2.0,
        "stopped_by": "simulations",
        "nodes": 1_000_001,
        "edges": 7_000_000,
        "bytes": 1,
        "value": 0.25,
        "proven": None,
        "best": actions[0].action if actions else None,
        "actions": actions,
        "visits": 1_234_567,
        "leader_since": 10,
        "mean_depth": 5.0,
        "max_depth": 9,
        "playout_length": 20.0,
    }
    return Result(**(given | facts))


def stats(action: int, visits: int, value: float | None, error: float | None = 0.01, **facts: Any) -> ActionStats:
    given: dict[str, Any] = {"text": str(action + 1), "prior": 1 / 7, "proven": None, "line": (action,)}
    return ActionStats(action=action, visits=visits, value=value, error=error, **(given | facts))


class Page(HTMLParser):
    """What a browser would make of it: balanced tags, and the texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.images: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs)["src"] or "")
        else:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def drawn(table: Any) -> str:
    file = StringIO()
    Console(file=file, width=120, color_system=None, _environ={}).print(table)
    return file.getvalue()


def test_numbers_are_readable() -> None:
    text = str(made(stats(3, 1_000_000, 0.21543), stats(2, 234_567, -0.5, None), stats(1, 0, None, None)))
    assert "1,234,567 simulations in 2.00 s (617,284 a second) · 1,000,001 positions in the tree" in text
    rows = [re.split(r"\s{2,}", line) for line in text.splitlines()]
    assert ["4", "1,000,000", "81.0%", "██████████", "+0.215", "0.020", "14.3%", "—", "4"] in rows
    assert ["3", "234,567", "19.0%", "██▍", "-0.500", "—", "14.3%", "—", "3"] in rows
    assert ["2", "0", "0.0%", "—", "—", "14.3%", "—", "—"] in rows


def test_text_begins_with_the_decision() -> None:
    result = result_of()
    lines = str(result).splitlines()
    assert lines[0] == f"connect4: {result.position.text}"
    assert lines[1] == f"best {result.best_text} · value {result.value:+.3f} (for player 1, who moves)"


def test_each_action_is_a_row_with_its_visits_and_value() -> None:
    result = result_of()
    text = str(result)
    for s in result.actions:
        assert s.value is not None
        assert re.search(rf"^{s.text} +{s.visits:,} .* {re.escape(number(s.value))} ", text, re.MULTILINE)


def test_proven_values_are_words() -> None:
    text = str(result_of("tictactoe", "X.O/.X./...", 300))
    assert "proven: draw" in text
    assert re.search(r"exact .* draw ", text)
    assert re.search(r"exact .* loss ", text)
    alone = str(result_of("target_sum", None, 300))
    assert "proven: best possible" in alone
    assert "player" not in alone


def test_plain_text_has_no_codes_whatever_the_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = str(result_of())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "30")
    assert str(result_of()) == plain
    assert "\x1b" not in plain
    assert all(len(line) <= TEXT_WIDTH and line == line.rstrip() for line in plain.splitlines())


def test_a_long_table_is_cut_and_says_how_much() -> None:
    result = result_of()
    assert "… and 5 more actions" in drawn(result.table(2))
    assert re.search(r"… and 1 more action *\n", drawn(result.table(6)))
    assert "more action" not in drawn(result.table())
    assert "more action" not in drawn(result.table(7))


def test_a_result_before_any_search_and_of_a_finished_game_can_be_shown() -> None:
    fresh = po.Search(po.games.load("connect4")).result()
    assert "not searched yet" in str(fresh)
    assert "not searched yet" in "".join(Page(fresh._repr_html_()).texts)
    over = po.Search(po.games.load("tictactoe"), position="XXX/OO./...").result()
    assert "the game is over" in str(over)
    Page(over._repr_html_())
    rolling = po.Search(Dice()).result()
    assert "chance moves next" in str(rolling)
    Page(rolling._repr_html_())


def test_visits_that_all_brought_the_same_get_no_margin() -> None:
    assert " 0.000 " not in str(made(stats(3, 50, 1.0, 0.0)))


def test_an_expected_line_is_cut_with_an_ellipsis() -> None:
    text = str(made(stats(3, 50, 0.1, line=(3, 3, 3, 3, 2, 2, 2, 2))))
    assert "4 4 4 4 3 3 …" in text


def test_html_holds_the_numbers_and_the_board() -> None:
    result = result_of()
    page = Page(result._repr_html_())
    for s in result.actions:
        assert f"{s.visits:,}" in page.texts
        assert number(s.value) in page.texts
    kind, data = page.images[0].split(",")
    assert kind == "data:image/svg+xml;base64"
    assert base64.b64decode(data).decode() == result.position.draw()


def test_html_can_carry_the_tree() -> None:
    search = search_of("connect4")
    svg = search.root.svg()
    assert svg in result_html(search.result(), svg)
    Page(result_html(search.result(), svg))


def test_hostile_texts_are_escaped_in_html() -> None:
    text = hostile()._repr_html_()
    page = Page(text)
    assert "script" not in page.tags
    assert "b" not in page.tags
    assert "\x1b" not in text
    assert any("<script>alert(1)</script>" in t for t in page.texts)
    assert any("</td><b>6&" in t for t in page.texts)


def test_a_drawing_with_a_script_stays_an_image() -> None:
    class Drawn(Hostile):
        def draw(self, state):
            return "<svg><script>alert(1)</script></svg>"

    page = Page(po.Search(Drawn()).result()._repr_html_())
    assert page.tags.count("img") == 1
    assert "script" not in page.tags
    ElementTree.fromstring(base64.b64decode(page.images[0].split(",")[1]))


def test_hostile_texts_neither_colour_nor_break_the_table() -> None:
    text = str(hostile())
    assert "\x1b" not in text
    assert "[bold]x[/bold]" in text
    table = text.split("\n\n")[1].splitlines()
    assert len(table) == 2 + 3  # the head, a rule, one line for each action


def test_colours_go_from_bad_to_good() -> None:
    low, middle, high = (shade(v, (-1.0, 1.0)) for v in (-1.0, 0.0, 1.0))
    assert (low, middle, high) == tuple(as_hex(c) for c in (BAD, MIDDLE, GOOD))
    assert shade(5.0, (5.0, 5.0)) == shade(None, (-1.0, 1.0)) == shade(1.0, None) == middle


@pytest.mark.parametrize(
    ("value", "players", "limits", "word"),
    [
        (1.0, 2, (-1.0, 1.0), "win"),
        (0.0, 2, (-1.0, 1.0), "draw"),
        (-1.0, 2, (-1.0, 1.0), "loss"),
        (0.5, 2, (0.0, 1.0), "draw"),
        (0.25, 2, (0.0, 1.0), "+0.250"),
        (0.0, 3, (-1.0, 1.0), "0.000"),
        (1.0, 1, (0.0, 1.0), "best possible"),
        (0.0, 1, (0.0, 1.0), "worst possible"),
        (12345.0, 1, None, "+12,345.000"),
        (None, 2, (-1.0, 1.0), None),
    ],
    ids=str,
)
def test_proven_word(value: float | None, players: int, limits: tuple[float, float] | None, word: str | None) -> None:
    assert proven_word(value, players, limits) == word
