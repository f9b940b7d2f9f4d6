"""The workbench in a real Chromium: all that is shown belongs to one moment, and to players with names."""

from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Served
from .workbench_page import Desk, number, phase

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

LOST = "O.O/..X/OXX"  # X to move: O wins whatever X plays


def radii(page: Any) -> list[float]:
    return [float(r) for r in page.locator("#tree .dot").evaluate_all("dots => dots.map(d => d.getAttribute('r'))")]


@pytest.fixture
def calm(browser: Any, bench: Served) -> Any:
    """A page that shows each phase at once, at its end."""
    found = Desk(browser, bench.address, reduced_motion="reduce")
    yield found
    found.close()


def test_a_step_is_closed_when_the_search_goes_on_elsewhere(calm: Desk) -> None:
    link = calm.prepare(30, game="connect4", seed=3)
    page = calm.open(link)
    phase(page, "selection")
    calm.http.post(f"/v1/sessions/{link[3:]}/run", json={"simulations": 3000, "wait": True}).raise_for_status()
    expect(page.locator(".notices")).to_contain_text("the step was closed")
    expect(page.locator(".step-panel")).to_have_count(0)
    calm.wait_idle(3030)
    assert max(radii(page)) < 9.3  # those of the root


def test_a_simulation_past_the_proof_is_never_reached(calm: Desk) -> None:
    page = calm.open(calm.prepare(1, game="tictactoe", position="X.O/.X./..O", options={"solver": "on"}))
    phase(page, "selection")
    page.locator("#go-to").fill("99999999")
    page.locator("#go-to").press("Enter")
    expect(page.locator(".question")).to_contain_text("Going on to simulation 99,999,999")
    page.locator("#yes").click()
    expect(page.locator(".notices")).to_contain_text("99,999,999 is never reached")
    expect(page.locator(".step-panel")).to_have_count(0)
    assert max(radii(page)) < 9.3


def test_stop_stops_the_way_to_a_simulation(calm: Desk) -> None:
    page = calm.open(calm.prepare(10, game="connect4", seed=1))
    page.locator("#go-to").fill("900000000")
    page.locator("#go-to").press("Enter")
    page.locator("#no").click()  # a long way is asked about first
    expect(page.locator("#simulations")).to_have_text("10")
    page.locator("#go-to").press("Enter")
    page.locator("#yes").click()
    expect(page.locator("#seeking")).to_be_visible()
    page.locator("#run", has_text="Stop").click()
    expect(page.locator(".notices")).to_contain_text("Stopped on the way")
    expect(page.locator("#run")).to_contain_text("Run")
    assert calm.state()["run"] is None


def test_all_panels_show_the_moment_of_the_step(calm: Desk) -> None:
    page = calm.open(calm.prepare(60, game="tictactoe", seed=3))
    visits = page.locator("#moves tbody td:nth-child(2)")
    before = [int(text) for text in visits.all_inner_texts()]
    map_before = page.locator("#icicle").inner_html()

    for name in ("selection", "expansion", "playout"):
        phase(page, name)
        expect(page.locator("#simulations")).to_have_text("60")
        assert page.locator("#icicle").inner_html() == map_before
        page.locator("#tab-moves").click()
        expect(visits).to_have_text([str(n) for n in before])
        page.locator("#tab-step").click()
    phase(page, "backup")
    expect(page.locator(".step-panel")).to_contain_text("All other numbers stay the same")
    expect(page.locator("#simulations")).to_have_text("61")
    page.locator("#tab-moves").click()
    expect(visits).not_to_have_text([str(n) for n in before])
    assert sum(int(text) for text in visits.all_inner_texts()) == sum(before) + 1
    page.locator("#beat-back").click()  # the root has not been reached yet
    expect(page.locator("#simulations")).to_have_text("60")


def test_values_are_for_one_player_who_has_a_name(calm: Desk) -> None:
    page = calm.open(calm.prepare(400, game="tictactoe", seed=3))
    expect(page.locator("#turn")).to_have_text("X to move")
    expect(page.locator(".legend")).to_contain_text("value for X")
    root = calm.state("/tree?depth=2&width=9")
    child = max(root["children"], key=lambda one: one["visits"])
    deep = next(node for node in child["children"] if node["value"])
    assert deep["value_for"] == 1
    label = page.locator(f'#tree .node[data-at="{child["number"]},{deep["number"]}"]').get_attribute("aria-label")
    assert "for X" in label
    assert number(label.partition("value")[2]) == pytest.approx(-deep["value"], abs=1e-3)

    for name in ("selection", "expansion", "playout", "backup"):
        phase(page, name)
    panel = page.locator(".step-panel")
    expect(panel).to_contain_text("All values here are for X.")
    assert "e-" not in panel.inner_text()
    page.locator("#language").click()
    expect(panel).to_contain_text("此处的价值均为X的价值")


def test_the_end_of_a_game_names_its_winner(desk: Desk) -> None:
    page = desk.open(desk.prepare(game="tictactoe", position="XX./OO./..."))
    page.get_by_role("group", name="Legal moves").get_by_text("3", exact=True).click()
    expect(page.locator("#turn")).to_have_text("The game is over: X wins.")
    page.locator("#language").click()
    expect(page.locator("#turn")).to_contain_text("X获胜")


def test_a_proven_loss_does_not_look_like_a_win(desk: Desk) -> None:
    page = desk.open(desk.prepare(200, game="tictactoe", position=LOST))
    expect(page.locator(".turn-line .proof.loss")).to_contain_text("proven for X: loss")
    first = page.locator("#moves tbody .proof").first
    expect(first).to_have_text("✗")
    good, bad = (
        page.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')")
        for name in ("good", "stop")
    )
    assert good != bad
    expect(page.locator("#tree .node.loss").first).to_be_visible()
    expect(page.locator("#tree .node.win")).to_have_count(0)
