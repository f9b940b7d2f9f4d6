"""The workbench in a real Chromium: whose session it is, and what a visitor sees where there is none to be had."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from playout.web.caps import Caps

from .web_server import Served, serving
from .workbench_page import PATIENCE, Desk

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


def session_of(page: Any) -> str:
    expect(page.locator("main[data-session]")).to_be_visible(timeout=PATIENCE)
    return str(page.locator("main").get_attribute("data-session"))


@pytest.fixture
def other(browser: Any, bench: Served) -> Iterator[Desk]:
    """Another visitor, with a browser of their own."""
    found = Desk(browser, bench.address)
    yield found
    found.close()


def test_each_visitor_has_a_session_of_their_own(desk: Desk, other: Desk) -> None:
    first, second = desk.open(), other.open()
    assert session_of(first) != session_of(second)
    desk.run(300)
    first.locator("#play-best").click()
    expect(first.locator(".moment")).to_have_count(2)
    assert (other.state()["simulations"], other.state()["plies"]) == (0, 0)
    expect(second.locator("#simulations")).to_have_text("0")
    expect(second.locator(".moment")).to_have_count(0)


def test_two_tabs_have_two_sessions(desk: Desk) -> None:
    first = session_of(desk.open())
    tab = desk.context.new_page()
    tab.goto(desk.address)
    assert session_of(tab) != first


def test_a_session_is_shared_by_its_link(desk: Desk, other: Desk) -> None:
    page = desk.open()
    page.locator("#open-keep").click()
    link = page.locator("#permalink").input_value()
    page.keyboard.press("Escape")
    shared = other.open(link.removeprefix(other.address))
    assert session_of(shared) == session_of(page)
    page.locator(".square[aria-label^='Play 5']").click()
    expect(shared.locator(".moment")).to_have_count(2)


def test_a_session_stays_over_a_reload_and_an_unused_one_is_found_again(desk: Desk) -> None:
    page = desk.open()
    mine = session_of(page)
    page.reload()
    assert session_of(page) == mine
    page.locator("a.brand").click()  # to `/`: nothing was done here yet
    page.wait_for_url(f"**/s/{mine}")
    assert session_of(page) == mine
    page.locator(".square[aria-label^='Play 5']").click()
    expect(page.locator(".moment")).to_have_count(2)
    page.locator("a.brand").click()
    page.wait_for_url(lambda url: "/s/" in url and mine not in url)
    assert session_of(page) != mine
    page.go_back()
    page.wait_for_url(f"**/s/{mine}")
    expect(page.locator(".moment")).to_have_count(2)


def test_an_unused_session_that_the_server_deleted_is_replaced(desk: Desk, bench: Served) -> None:
    page = desk.open()
    before = session_of(page)
    bench.bench.sessions.delete(before)
    page.wait_for_url(lambda url: "/s/" in url and before not in url)
    assert session_of(page) != before
    expect(page.locator(".notices p")).to_have_count(0)
    desk.run(100)


def test_a_session_that_somebody_deleted_says_so_and_offers_another(desk: Desk, bench: Served) -> None:
    page = desk.open(desk.prepare(100, game="connect4"))
    before = session_of(page)
    bench.bench.sessions.delete(before)
    expect(page.locator("main.start [role=alert]")).to_have_text("This session was deleted.")
    page.locator("#begin").click()
    assert session_of(page) != before
    expect(page.locator(".notices p")).to_have_count(0)


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Served]:
    """A server that keeps two sessions, and both are used."""
    with serving(tmp_path, caps=Caps(sessions=2)) as found:
        for name in ("older", "newer"):
            session = found.create("connect4", name=name)
            found.post(f"{session}/play", action="4")
        yield found


def test_where_all_sessions_are_used_they_are_listed_and_deleting_one_lets_the_visitor_go_on(
    browser: Any, full: Served
) -> None:
    desk = Desk(browser, full.address)
    page = desk.page
    page.goto(desk.address)
    expect(page.locator("main.start h2")).to_have_text("The server is full")
    expect(page.locator("main.start [role=alert]")).to_contain_text("There are 2 sessions")
    rows = page.locator(".sessions li")
    expect(rows.locator("b")).to_have_text(["older", "newer"])
    expect(rows.first).to_contain_text("connect4 · 0 simulations · last used")
    page.locator("#language").click()
    expect(page.locator("main.start h2")).to_have_text("服务器已满")
    expect(rows.first).to_contain_text("上次使用")
    page.locator("#language").click()
    rows.first.get_by_role("button").click()
    expect(rows.first.get_by_role("button")).to_have_text("Really delete?")
    rows.first.get_by_role("button").click()
    expect(page.locator("header.top")).to_contain_text("tictactoe", timeout=PATIENCE)
    assert page.url.startswith(f"{desk.address}/s/")
    assert [s["name"] for s in full.get("/v1/sessions")["sessions"]] == ["", "newer"]
    desk.run(100)
    desk.seen.complaints.clear()  # Chromium reports the 429
    desk.close()


def test_where_all_sessions_are_used_one_of_them_can_be_opened(browser: Any, full: Served) -> None:
    desk = Desk(browser, full.address)
    desk.page.goto(desk.address)
    desk.page.locator(".sessions a", has_text="newer").click()
    expect(desk.page.locator("header.top")).to_contain_text("newer")
    desk.seen.complaints.clear()  # Chromium reports the 429
    desk.close()


def test_a_page_that_can_not_begin_says_why_and_tries_again(
    browser: Any, bench: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(browser, bench.address)
    with monkeypatch.context() as disk:
        disk.setattr("playout.web.store.SPARE", 1 << 60)
        desk.page.goto(desk.address)
        expect(desk.page.locator("main.start [role=alert]")).to_have_text(re.compile("the disk that holds the data"))
    desk.page.locator("#begin").click()
    session_of(desk.page)
    desk.seen.complaints.clear()  # Chromium reports the 429
    desk.close()
