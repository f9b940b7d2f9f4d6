"""The workbench in a real Chromium: what it refuses, it says why; what is large stays readable."""

import pytest
from playwright.sync_api import expect

from .workbench_page import Desk, game_named

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


def test_a_budget_that_can_not_be_run_is_not_run_and_says_why(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe"))
    for wrong in ("0", "-5", ""):
        page.locator("#budget").fill(wrong)
        expect(page.locator("#run")).to_be_disabled()
        expect(page.locator("#why-not")).to_contain_text("1 or more")
        page.locator("#budget").press("Enter")
    assert desk.state()["simulations"] == 0
    page.locator("#language").click()
    expect(page.locator("#why-not")).to_contain_text("不小于 1")
    page.locator("#language").click()
    desk.run(20)
    assert desk.state()["simulations"] == 20


def test_what_is_greyed_out_says_why(desk: Desk) -> None:
    page = desk.open(desk.prepare(200, game="tictactoe", position="XX./OO./..."))
    expect(page.locator("#why-not")).to_have_text("Solved: nothing is left to search.")
    expect(page.locator("#run")).to_have_attribute("title", "Solved: nothing is left to search.")
    page.locator("#play-best").click()
    expect(page.locator("#why-not")).to_contain_text("The game is over")
    for button in ("#step", "#open-compare", "#beat-on", "#slow"):
        expect(page.locator(button)).to_be_disabled()
        expect(page.locator(button)).to_have_attribute("title", "The game is over: nothing is left to search.")
    expect(page.locator("#sim-back")).to_have_attribute("title", "The game is over: nothing is left to search.")


def test_many_children_are_shown_with_few_clicks(desk: Desk) -> None:
    page = desk.open(desk.prepare(300, game=game_named(desk, "Wide")))
    legal = len(desk.state()["position"]["actions"])
    assert legal >= 200
    rest = page.locator('#tree .more[data-at^="/"]')  # of the root
    for _ in range(5):
        if not rest.count():
            break
        before = rest.inner_text()
        rest.dispatch_event("click")
        expect(rest.or_(page.locator("#tree")).first).not_to_have_text(before)
    expect(rest).to_have_count(0)
