"""A real Chromium at a page of the workbench, and a real `playout serve`, for the tests of the workbench."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.places import EXAMPLES
from tests.processes import end, start

from .web_server import FRESH

GAMES = Path(__file__).with_name("workbench_games.py")
POLICIES = EXAMPLES / "policies"
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
PATIENCE = 300_000  # milliseconds: a busy machine, a first compilation
expect.set_options(timeout=PATIENCE)  # for all that names no time of its own


def need_chromium() -> str:
    """Where Chromium is. Without it the tests are skipped; on a build server, where nobody reads skips, they fail."""
    if CHROMIUM is not None:
        return CHROMIUM
    reason = "no Chromium on the PATH: `make browser` installs it where it may"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


class Workbench:
    """A running `playout serve`."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, "0"
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            "-m",
            "playout",
            "serve",
            "--no-open",
            "--port",
            self.port,
            "--data",
            str(self.folder),
        ]
        known = {name: text for name, text in os.environ.items() if not name.startswith("PLAYOUT_LLM")}
        self.process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=known)
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(r"http://[\d.]+:\d+", line):
                self.address = found[0]
                self.port = self.address.rpartition(":")[2]  # after a restart the same
                return
        end(self.process)
        raise AssertionError(f"the server did not start: {''.join(said)}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=PATIENCE / 1000)
        finally:
            end(self.process)


@contextmanager
def process(folder: Path) -> Iterator[Workbench]:
    found = Workbench(folder)
    try:
        yield found
    finally:
        found.stop()


class Watched:
    """What a page did that nobody saw: requests, messages on the console, errors."""

    def __init__(self, page: Any) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on(
            "console", lambda message: message.type in ("error", "warning") and self.complaints.append(message.text)
        )
        page.on("pageerror", lambda error: self.complaints.append(str(error)))


def number(text: str) -> float:
    """A number as the page writes it: 10.0k, 1.20M, 67.5%, −0.040."""
    found = re.search(r"([+−-]?)([\d.]+)([kM%]?)", text.replace(",", ""))
    assert found, text
    sign = -1 if found[1] in ("−", "-") else 1
    return sign * float(found[2]) * {"": 1, "k": 1e3, "M": 1e6, "%": 0.01}[found[3]]


class Desk:
    """A page of the workbench, and a client for what is prepared or checked behind its back."""

    def __init__(self, browser: Any, address: str, **more: Any) -> None:
        more = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US", "accept_downloads": True, **more}
        self.address, self.context = address, browser.new_context(**more)
        self.context.set_default_timeout(PATIENCE)
        self.page = self.context.new_page()
        self.seen = Watched(self.page)
        self.http = httpx.Client(base_url=address, timeout=600, limits=FRESH)

    def open(self, path: str = "/") -> Any:
        self.page.goto(self.address + path)
        expect(self.page.locator("#tree .node").first).to_be_visible(timeout=PATIENCE)
        return self.page

    def prepare(self, simulations: int = 0, **session: Any) -> str:
        """A session made through the interface, of the preset `default` if no other is named; its permalink."""
        made = self.http.post("/v1/sessions", json={"preset": "default", **session}).raise_for_status().json()
        if simulations:
            self.http.post(f"/v1/sessions/{made['id']}/run", json={"simulations": simulations}).raise_for_status()
            while self.http.get(f"/v1/sessions/{made['id']}").json().get("run", "busy"):
                time.sleep(0.1)
        return str(made["permalink"])

    def state(self, what: str = "") -> Any:
        session = self.page.locator("main").get_attribute("data-session")
        return self.http.get(f"/v1/sessions/{session}{what}").raise_for_status().json()

    def run(self, simulations: int) -> None:
        self.page.locator("#budget").fill(str(simulations))
        self.page.locator("#run").click()
        self.wait_idle(simulations)

    def wait_idle(self, simulations: int) -> None:
        """Wait until the page shows that many simulations and the end of the run that made them."""
        expect(self.page.locator("#run")).to_contain_text("Run", timeout=PATIENCE)
        deadline = time.monotonic() + PATIENCE / 1000
        while number(self.page.locator("#simulations").inner_text()) < simulations:
            assert time.monotonic() < deadline, "the run did not come to its end on the page"
            self.page.wait_for_timeout(50)
        expect(self.page.locator("#run")).to_contain_text("Run", timeout=PATIENCE)

    def close(self) -> None:
        self.http.close()
        self.context.close()
        strangers = [url for url in self.seen.requests if not url.startswith((self.address, "blob:", "data:"))]
        assert not strangers, f"requests to another host: {strangers}"
        assert not self.seen.complaints, f"messages on the console: {self.seen.complaints}"


def board(page: Any) -> str:
    return str(page.locator("#board").get_attribute("src"))


def all_drawn(page: Any) -> None:
    """Each position of the game so far has its picture."""
    images = page.locator(".moment img")
    for i in range(images.count()):
        expect(images.nth(i)).to_have_js_property("complete", True)
        assert images.nth(i).evaluate("image => image.naturalWidth") > 0


def phase(page: Any, name: str) -> Any:
    """Press Step, and wait until the phase has been shown to its end."""
    page.locator("#step").click()
    panel = page.locator(f".step-panel[data-phase={name}]")
    expect(panel).to_be_visible()
    return panel


def game_named(desk: Desk, name: str) -> str:
    games = desk.http.get("/v1/games").json()["games"]
    return str(next(game["game"] for game in games if name in game["game"]))
