"""The workbench in a real Chromium, 3: step through simulations, phase by phase."""

from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Served
from .workbench_page import PATIENCE, Desk, board, number, phase

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]


def test_a_step_shows_its_four_phases(browser: Any, bench: Served) -> None:
    desk = Desk(browser, bench.address, reduced_motion="reduce")  # each phase at once, at its end
    page = desk.open(desk.prepare(60, game="tictactoe", seed=3))
    before = page.locator("#tree .node").count()

    panel = phase(page, "selection")
    expect(panel).to_contain_text("Node 2 of 2 on the path", timeout=PATIENCE)
    expect(page.locator("#tree .node.path, #tree .node.now")).to_have_count(2)
    expect(page.locator("#tree .edge.lit")).not_to_have_count(0)
    rows = panel.locator("tbody tr")
    assert rows.count() >= 7
    expect(panel.locator("tr[data-chosen]")).to_have_count(1)
    page.locator("#beat-back").click()  # at the root all children were visited: finite scores
    expect(panel).to_contain_text("Node 1 of 2 on the path")
    terms = panel.locator("tr[data-chosen] td").all_inner_texts()
    value, exploration, score = (number(text) for text in terms[1:4])
    assert score == pytest.approx(value + exploration, abs=2e-3)
    scores = [number(text) for text in panel.locator("tbody tr td:nth-child(5)").all_inner_texts()]
    assert score == max(scores)
    grown = page.locator("#tree .node").count()

    panel = phase(page, "expansion")
    expect(page.locator("#tree .node.fresh")).to_have_count(1)
    expect(panel).to_contain_text("added to the tree")
    assert page.locator("#tree .node").count() > grown
    drawn = board(page)

    panel = phase(page, "playout")
    expect(panel.locator("#outcome")).to_be_visible(timeout=PATIENCE)
    assert board(page) != drawn  # the moves were played on the board
    chips = panel.locator(".chip.static")
    expect(panel.locator(".chip.done")).to_have_count(chips.count())
    expect(panel.locator("#outcome")).to_contain_text("X:")
    root = page.locator("#tree .node").first
    expect(root).to_contain_text("60")

    panel = phase(page, "backup")
    expect(panel).to_contain_text("All other numbers stay the same", timeout=PATIENCE)
    changes = [row.split() for row in panel.locator("tbody tr").all_inner_texts()]
    assert ["root", "visits", "60", "→", "61"] in changes
    expect(root).to_contain_text("61")
    expect(page.locator("#tree .node.changed, #tree .node.now")).not_to_have_count(0)
    assert before > 9
    desk.close()


def test_forward_back_to_a_simulation_and_slow_motion(desk: Desk) -> None:
    page = desk.open(desk.prepare(20, game="tictactoe", seed=5))
    which = page.locator("#simulation")
    page.locator("#beat-on").click()
    expect(which).to_have_text("Simulation 21")
    page.locator("#go-to").fill("7")
    page.locator("#go-to").press("Enter")
    expect(which).to_have_text("Simulation 7")
    expect(page.locator("#simulations")).to_have_text("6")  # until its backup is over
    page.locator("#sim-on").click()
    expect(which).to_have_text("Simulation 8")
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "selection")
    page.locator("[data-phase=backup] >> nth=0").click()
    expect(page.locator(".step-panel")).to_have_attribute("data-phase", "backup")
    page.locator("#sim-back").click()
    expect(which).to_have_text("Simulation 7")
    page.locator("#beat-back").click()
    for _ in range(3):
        page.locator("#beat-back").click()
    expect(which).to_have_text("Simulation 6")
    page.locator(".stepper select").select_option("5")
    page.locator("#slow").click()
    expect(which).to_have_text("Simulation 8", timeout=PATIENCE)
    page.locator("#slow").click()
    expect(page.locator("#slow")).to_contain_text("Slow motion")
    here = number(which.inner_text().removeprefix("Simulation "))
    page.wait_for_timeout(2000)  # enough for several simulations at this pace
    after = number(which.inner_text().removeprefix("Simulation "))
    assert after - here <= 1  # one may have been on its way from the server when it was held


def test_steps_are_the_simulations_of_a_plain_run(desk: Desk) -> None:
    plain = desk.prepare(9, game="connect4", seed=11)
    page = desk.open(desk.prepare(game="connect4", seed=11))
    for k in range(1, 10):
        page.locator("#sim-on").click()
        expect(page.locator("#simulation")).to_have_text(f"Simulation {k}")
    page.locator("#tab-moves").click()
    page.keyboard.press("Escape")
    expect(page.locator("#simulations")).to_have_text("9")
    stepped = page.locator("#moves tbody tr").all_inner_texts()
    desk.open(plain)
    expect(page.locator("#simulations")).to_have_text("9")
    assert page.locator("#moves tbody tr").all_inner_texts() == stepped
