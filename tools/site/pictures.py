"""`python -m tools.site.pictures`: take the pictures of the workbench in docs/workbench again, with Chromium."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from tests.web.web_server import serving

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "workbench"
WIDE, TABLET = {"width": 1280, "height": 800}, {"width": 820, "height": 1180}
SETTLED = 2_000  # milliseconds until what moves has come to rest
PATIENCE = 300_000


def run(page: Any) -> None:
    """Connect four after 200,000 simulations."""


def step(page: Any) -> None:
    """Simulation 61 in the middle of its backup."""
    page.locator(".step-panel[data-phase=backup]").wait_for()


def compare(page: Any) -> None:
    """Two settings side by side."""
    page.get_by_role("button", name="Compare").click()
    page.locator("#run-both").click()
    page.locator("#agreement").wait_for()


# Each picture: the link that it begins with, what is done there, and how the browser is set.
TAKEN: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "run": ("?game=connect4&seed=1&run=200000", run, {"viewport": WIDE}),
    "step": ("?game=tictactoe&seed=1&run=60&step=61&phase=backup", step, {"viewport": WIDE}),
    "compare": ("?game=tictactoe&seed=1&run=1000", compare, {"viewport": WIDE}),
    "dark": ("?game=chess&seed=1&run=20000", run, {"viewport": WIDE, "locale": "zh-CN", "color_scheme": "dark"}),
    "tablet": ("?game=othello&seed=1&run=20000", run, {"viewport": TABLET}),
}


def main() -> int:
    """Take all pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("there is no Chromium on the PATH: `make browser` installs it where it may", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as server, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (link, prepare, options) in TAKEN.items():
            context = browser.new_context(**options)
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(f"{server.address}/{link}")
            page.locator("#tree .node").first.wait_for()
            prepare(page)
            page.wait_for_timeout(SETTLED)
            page.screenshot(path=PICTURES / f"{name}.png")
            print(f"docs/workbench/{name}.png")
            context.close()
        browser.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
