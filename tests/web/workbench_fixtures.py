"""Fixtures of the tests of the workbench: a browser, a server and a page, for each file of tests.

A plugin (`pytest_plugins`), so that no test file has to import what it only names as an argument.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import sync_playwright

from .web_server import Served, serving
from .workbench_page import GAMES, POLICIES, Desk, need_chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path = need_chromium()
    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """In a thread; the tests of restarts begin `playout serve` itself."""
    need_chromium()
    with serving(
        tmp_path_factory.mktemp("data"),
        games=[f"{GAMES}:{name}" for name in ("Hostile", "Wide", "Failing")],
        parts=[f"{POLICIES}/boltzmann.py:Boltzmann", f"{POLICIES}/epsilon_greedy.py:EpsilonGreedy"],
    ) as found:
        found.bench.catalogue.first = "tictactoe"  # visits begin with it, as without `--game`
        yield found


@pytest.fixture
def desk(browser: Any, bench: Served) -> Iterator[Desk]:
    found = Desk(browser, bench.address)
    yield found
    found.close()
