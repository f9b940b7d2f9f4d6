"""The workbench in a real Chromium, checked with axe-core: no serious or critical finding in any state."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .web_server import Served
from .workbench_page import Desk, phase

pytest_plugins = ["tests.web.workbench_fixtures"]
pytestmark = [pytest.mark.browser, pytest.mark.compiled_only]

AXE = Path(__file__).parent / "vendor" / "axe.min.js"  # of npm, axe-core 4.14.0 (MPL-2.0), unchanged
LOOKS = [("en-US", "light", 1440), ("zh-CN", "dark", 1024), ("en-US", "dark", 390)]
CHECK = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, {runOnly: tags});
  const told = node => `${node.html.slice(0, 160)} ${node.failureSummary.slice(0, 200)}`;
  return found.violations.filter(v => ["serious", "critical"].includes(v.impact))
    .map(v => `${v.id}: ${v.nodes.slice(0, 3).map(told).join(" | ")}`);
}"""
# Elements whose text is cut, or that reach out of the page.
CUT = """() => [...document.querySelectorAll("button, h1, h2, h3, p, td, th, label, li")].filter(e => {
  const box = e.getBoundingClientRect();
  if (!box.width || e.closest(".hidden, svg, .columns-scroll") || !e.checkVisibility()) return false;
  return box.right > innerWidth + 1 && !e.closest("#panel, .found, .sessions");
}).map(e => `${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 40)}`)"""


def problems(page: Any, state: str) -> list[str]:
    page.evaluate("document.activeElement?.blur()")
    return [f"{state}: {text}" for text in [*page.evaluate(CHECK), *page.evaluate(CUT)]]


@pytest.mark.parametrize(("locale", "scheme", "width"), LOOKS)
def test_no_state_of_the_page_has_a_serious_finding(
    browser: Any, bench: Served, locale: str, scheme: str, width: int
) -> None:
    desk = Desk(
        browser,
        bench.address,
        locale=locale,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
        bypass_csp=True,
    )
    found: list[str] = []

    def check(state: str) -> None:
        found.extend(problems(page, state))

    def dialog(button: str, more: Callable[[], None] = lambda: None) -> None:
        page.locator(button).click()
        expect(page.locator("dialog")).to_be_visible()
        more()
        check(button)
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)

    page = desk.open(desk.prepare(game="tictactoe"))
    page.add_script_tag(path=AXE)
    check("begun")
    for button in ("#open-setup", "#open-compare", "#open-keep", "#open-share", "#open-learn", "#help"):
        dialog(button)
    page = desk.open(desk.prepare(300, game="connect4", seed=1))
    page.add_script_tag(path=AXE)
    for tab in ("moves", "node", "why"):
        page.locator(f"#tab-{tab}").click()
        check(tab)
    for name in ("selection", "expansion", "playout", "backup"):
        phase(page, name)
        check(name)
    page.keyboard.press("Escape")
    page.locator("#budget").fill("0")
    check("a wrong budget")
    page = desk.open(desk.prepare(200, game="tictactoe", position="XX./OO./..."))
    page.add_script_tag(path=AXE)
    check("solved")
    page.locator("#play-best").click()
    expect(page.locator("#why-not")).to_be_visible()
    check("over")
    page = desk.open("/?game=chess&preset=uct-chess&run=50&lesson=exploration")
    page.add_script_tag(path=AXE)
    expect(page.locator(".slide")).to_be_visible()
    expect(page.locator(".arrows")).to_be_visible()
    check("a lesson")
    page.locator("#open-share").click()
    page.locator("#begin-sharing").click()
    link = page.locator("#follow-link").input_value()
    check("shared")
    page.goto(link)
    page.add_script_tag(path=AXE)
    expect(page.locator("#following")).to_be_visible()
    expect(page.locator("#tree .node").first).to_be_visible()
    check("following")
    desk.close()
    assert not found, "\n".join(found)
