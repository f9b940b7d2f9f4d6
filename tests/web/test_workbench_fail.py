"""The workbench in a real Chromium: a rule of the user's that raises is told where the work was asked for."""

from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Served
from .workbench_page import PATIENCE, Desk

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

RULE = "Failing.apply raised ValueError: 13 stones bring bad luck"


def failure(page: Any, what: str, position: str) -> None:
    """Beside the buttons, with the rule and the position, and not as a notice that goes away."""
    shown = page.locator(".runbar .failure")
    expect(shown).to_contain_text(RULE, timeout=PATIENCE)
    expect(shown.locator("b")).to_have_text(what)
    expect(shown.locator(".position-text")).to_have_text(position)
    expect(page.locator(".notices p")).to_have_count(0)


def goes_on(desk: Desk) -> None:
    desk.page.locator(".move-list .chip", has_text="2").click()
    expect(desk.page.locator(".moment")).to_have_count(2)
    expect(desk.page.locator(".failure")).to_have_count(0)
    desk.run(50)
    expect(desk.page.locator(".failure")).to_have_count(0)


def test_a_run_that_fails_says_so_at_the_button_to_everybody_and_the_session_goes_on(
    desk: Desk, browser: Any, bench: Served
) -> None:
    link = desk.prepare(game="Failing")
    page = desk.open(link)
    viewer = Desk(browser, bench.address)
    seen = viewer.open(link)
    position = desk.state()["position"]["text"]
    page.locator("#run").click()
    for one in (page, seen):
        failure(one, "The run failed.", position)
        expect(one.locator("#run")).to_contain_text("Run")
        expect(one.locator("#status")).to_contain_text("failed")
        expect(one.locator("#moves tbody tr")).to_have_count(3)  # what was found before is there
    page.reload()
    failure(page, "The run failed.", position)
    page.locator(".failure").get_by_role("button", name="Close").click()
    expect(page.locator(".failure")).to_have_count(0)
    page.locator("#run").click()  # it fails again, and says so again
    failure(page, "The run failed.", position)
    page.locator("#language").click()
    expect(page.locator(".failure b")).to_have_text("运行失败。")
    page.locator("#language").click()
    goes_on(desk)
    expect(seen.locator(".failure")).to_have_count(0)
    viewer.close()


def test_a_step_that_fails_says_so(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="Failing"))
    position = desk.state()["position"]["text"]
    for _ in range(3):  # simulations: the one that takes one stone fails
        page.keyboard.press("]")
        expect(page.locator(".failure, .step-panel[data-phase=selection]").first).to_be_visible()
        if page.locator(".failure").count():
            break
        page.keyboard.press("Escape")
        expect(page.locator(".step-panel")).to_have_count(0)
    failure(page, "The step failed.", position)
    expect(page.locator("#step")).to_be_enabled()
    goes_on(desk)
    desk.seen.complaints.clear()  # Chromium reports the 400


def test_a_move_that_fails_says_so_and_is_not_played(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="Failing"))
    position = desk.state()["position"]["text"]
    page.locator(".move-list .chip", has_text="1").click()
    failure(page, "The move failed.", position)
    expect(page.locator(".moment")).to_have_count(0)
    goes_on(desk)
    desk.seen.complaints.clear()  # Chromium reports the 400


def test_a_comparison_that_fails_says_so_on_its_side(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="Failing"))
    page.locator("#open-compare").click()
    page.locator("#run-both").click()
    for side in ("A", "B"):
        expect(page.locator(f"[data-side={side}] .failure")).to_contain_text(RULE, timeout=PATIENCE)
    page.keyboard.press("Escape")
    goes_on(desk)
