"""A real `playout serve` and a real Chromium, for the tests of the workbench."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
PATIENCE = 60_000  # milliseconds: a busy machine, a first compilation


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

    def __init__(self, folder: Path, games: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> None:
        self.folder, self.games, self.environment, self.port = folder, games, environment or {}, "0"
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
        for game in self.games:
            command += ["--game", game]
        known = {name: text for name, text in os.environ.items() if not name.startswith("PLAYOUT_LLM")}
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**known, **self.environment}
        )
        assert self.process.stdout is not None
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(r"http://[\d.]+:\d+", line):
                self.address = found[0]
                self.port = self.address.rpartition(":")[2]  # after a restart the same
                return
        self.process.communicate()
        raise AssertionError(f"the server did not start: {''.join(said)}")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()


@contextmanager
def serving(folder: Path, **more: Any) -> Iterator[Workbench]:
    found = Workbench(folder, **more)
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
