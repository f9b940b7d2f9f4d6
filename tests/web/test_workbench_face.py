"""The workbench in a real Chromium: what it refuses, it says why; what is large stays readable."""

import math
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Served
from .workbench_page import Desk, game_named, phase

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
        before = rest.text_content() or ""
        rest.dispatch_event("click")
        expect(rest.or_(page.locator("#tree")).first).not_to_have_text(before)
    expect(rest).to_have_count(0)


def test_a_newcomer_is_told_what_this_is_and_shown_one_simulation(browser: Any, bench: Served) -> None:
    desk = Desk(browser, bench.address)
    page = desk.open(desk.prepare(game="tictactoe", seed=1))
    expect(page.locator("#begin-here")).to_contain_text("Monte Carlo Tree Search")
    expect(page.locator(".square .spot")).to_have_text([str(n) for n in range(1, 10)])
    page.locator(".stepper select").select_option("5")
    page.locator("#tour").click()
    expect(page.locator(".step-panel[data-phase=selection] .formula").first).to_contain_text("√(ln")
    expect(page.locator(".notices")).to_contain_text("That was one simulation")
    expect(page.locator(".step-panel[data-phase=backup]")).to_be_visible()
    assert desk.state()["simulations"] == 28
    desk.close()


def test_the_formula_of_a_score_adds_up(browser: Any, bench: Served) -> None:
    desk = Desk(browser, bench.address, reduced_motion="reduce")
    page = desk.open(desk.prepare(60, game="tictactoe", seed=3))
    phase(page, "selection")
    page.locator("#beat-back").click()
    expect(page.locator(".step-panel")).to_contain_text("Node 1 of")
    text = page.locator(".formula").first.inner_text().replace("−", "-")
    parts = re.fullmatch(r"(\d):\s*(-?[\d.]+) \+ ([\d.]+)·√\(ln (\d+) / (\d+)\) = ([\d.]+)", text)
    assert parts, text
    value, c, node, move, score = (float(part) for part in parts.groups()[1:])
    assert node == 60
    assert value + c * math.sqrt(math.log(node) / move) == pytest.approx(score, abs=2e-3)
    expect(page.locator(".formula .part").first).to_have_attribute("title", re.compile("for X"))
    desk.close()


def test_single_keys_can_be_switched_off(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe"))
    page.locator("#help").click()
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.locator("#help").click()  # the first dialog that opens
    expect(page.locator("dialog")).to_contain_text("Single keys")
    page.locator("#keys-on").check()
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator("dialog [data-field=game]")).to_be_visible()


def test_set_up_shows_the_settings_that_matter_and_all_of_them_on_request(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe"))
    page.locator("#open-setup").click()
    expect(page.locator("dialog .option").nth(5)).to_be_visible()  # the form is filled by an answer of the server
    few = page.locator("dialog .option").count()
    assert 6 <= few <= 9
    expect(page.locator("dialog .option :disabled")).to_have_count(0)
    assert "chess" not in page.locator("dialog [data-field=preset] option").all_inner_texts()
    page.get_by_text("All settings").click()
    expect(page.locator("dialog [data-option=answer]")).to_be_visible()
    assert page.locator("dialog .option").count() > 20
