"""The workbench in a real Chromium: what a teacher shares, prepares and shows."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from playout.web.lessons import Lessons

from .web_server import Served
from .workbench_page import Desk

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


@pytest.fixture
def other(browser: Any, bench: Served) -> Iterator[Desk]:
    """A student, with a browser of their own."""
    found = Desk(browser, bench.address)
    yield found
    found.close()


def share(page: Any, which: str) -> str:
    """Share the session; the link that is asked for."""
    page.locator("#open-share").click()
    if page.locator("#begin-sharing").is_visible():
        page.locator("#begin-sharing").click()
    expect(page.locator("#take-over-link")).to_be_visible()
    link = str(page.locator(which).input_value())
    page.keyboard.press("Escape")
    return re.sub(r"^http://[^/]+", "", link)


def test_a_student_follows_what_the_teacher_shows(desk: Desk, other: Desk) -> None:
    teacher = desk.open(desk.prepare(30, game="tictactoe"))
    student = other.open(share(teacher, "#follow-link"))
    expect(student.locator("#following")).to_be_visible()
    expect(student.locator("#run, #step, #open-setup, button.square, button.play:visible")).to_have_count(0)
    teacher.locator("#sim-on").click()
    expect(student.locator(".step-panel[data-simulation='31']")).to_be_visible()
    teacher.locator("[data-phase=backup]").first.click()
    expect(student.locator(".step-panel[data-phase=backup]")).to_be_visible()
    teacher.locator("[aria-label='Close the step'], .controls button:last-child").last.click()
    expect(student.locator(".step-panel")).to_have_count(0)
    teacher.locator("#tab-moves").click()
    teacher.locator(".moves tbody tr .link").first.click()
    expect(student.locator("#tab-node[aria-selected=true]")).to_be_visible()
    expect(student.locator("#tree .node.chosen")).to_be_visible()
    teacher.locator("#play-best").click()
    expect(student.locator(".moment")).to_have_count(2)
    student.keyboard.press("r")
    student.keyboard.press("p")
    student.locator("#tab-moves").click()
    assert desk.state()["plies"] == 1


def test_another_takes_over_and_gives_back(desk: Desk, other: Desk) -> None:
    teacher = desk.open(desk.prepare(30, game="tictactoe"))
    student = other.open(share(teacher, "#take-over-link"))
    expect(student.locator("#leading")).to_be_visible()
    expect(teacher.locator("#led")).to_be_visible()
    expect(teacher.locator("#run")).to_have_count(0)
    student.locator("#play-best").click()
    expect(teacher.locator(".moment")).to_have_count(2)
    teacher.locator("#take-over").click()
    expect(teacher.locator("#run")).to_be_visible()
    expect(student.locator("#led")).to_be_visible()
    teacher.reload()
    expect(teacher.locator("#leading")).to_be_visible()


def test_a_prepared_link_opens_a_step_and_a_bad_one_is_refused_with_a_line(desk: Desk) -> None:
    page = desk.open("/?game=tictactoe&moves=5&preset=textbook&seed=1&step=12&phase=backup&lesson=four-phases")
    expect(page.locator(".step-panel[data-simulation='12'][data-phase=backup]")).to_be_visible()
    expect(page.locator(".lesson h2")).to_have_text("The four phases")
    assert desk.state()["plies"] == 0
    assert desk.state()["position"]["text"].count("X") == 1
    page.goto(f"{desk.address}/?game=tictactoe&phase=dance")
    expect(page.get_by_role("alert")).to_contain_text("phase=dance, expected one of selection")
    desk.seen.complaints.clear()  # the browser's own line about the answer 400
    page.locator("#begin").click()
    expect(page.locator("#tree .node").first).to_be_visible()


def test_a_lesson_runs_its_links_and_its_slider_and_nothing_else(desk: Desk, bench: Served, tmp_path: Path) -> None:
    (tmp_path / "mine.md").write_text(
        "# Mine <script>alert(1)</script>\n\n<img src=x onerror=alert(2)> [go](?game=tictactoe&run=20)\n\n"
        "[c](?game=tictactoe&preset=textbook&run=50&vary=c&from=0&to=10)\n"
    )
    bench.bench.lessons = Lessons(str(tmp_path / "mine.md"))
    try:
        page = desk.open()
        expect(page.locator(".lesson h2")).to_have_text("Mine <script>alert(1)</script>")
        expect(page.locator(".lesson img, .lesson script")).to_have_count(0)
        page.locator(".lesson a").click()
        expect(page.locator("#simulations")).to_have_text("20")
        page.locator(".slide input").fill("7")
        expect(page.locator(".slide output")).to_have_text("7")
        expect(page.locator(".session-name")).to_contain_text("c=7")
        expect(page.locator("#simulations")).to_have_text("50")
        page.locator("#language").click()
        page.locator("#open-learn").click()
        page.locator("[data-lesson=exploration]").click()
        expect(page.locator(".lesson h2")).to_have_text("探索与利用")
        page.locator("#close-lesson").click()
        expect(page.locator(".lesson")).to_have_count(0)
    finally:
        bench.bench.lessons = Lessons()


def test_type_is_large_on_the_full_screen(desk: Desk) -> None:
    page = desk.open()
    before = page.locator("#run").bounding_box()["height"]
    page.locator("#large").click()
    expect(page.locator("html[data-large]")).to_have_count(1)
    assert page.locator("#run").bounding_box()["height"] > 1.3 * before
    page.locator("#large").click()
    expect(page.locator("html[data-large]")).to_have_count(0)


def test_the_position_of_a_node_is_drawn_under_the_mouse_and_chess_has_arrows(desk: Desk) -> None:
    page = desk.open(desk.prepare(200, game="chess", preset="uct-chess"))
    expect(page.locator(".arrows g").first).to_be_attached()
    expect(page.locator(".arrow-share").first).to_contain_text("%")
    page.locator("#tree .node").nth(1).hover()
    expect(page.locator("#peek")).to_be_visible()
    assert page.locator("#peek").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.locator("#run").hover()
    expect(page.locator("#peek")).to_have_count(0)


def test_a_step_shows_the_source_of_a_users_own_policy(desk: Desk) -> None:
    page = desk.open("/?game=tictactoe&policy=epsilon_greedy:EpsilonGreedy&seed=1&run=30&step=31")
    page.locator(".source summary").click()
    expect(page.locator(".source pre")).to_contain_text("class EpsilonGreedy(po.Policy):")
    page = desk.open("/?game=tictactoe&seed=1&run=30&step=31")
    expect(page.locator(".formula").first).to_be_visible()
    expect(page.locator(".source")).to_have_count(0)
