"""The workbench: what the live view costs, how fast it answers and draws large trees, and with 50 sessions at work.

`python -m benchmarks.web [--nodes 1000000]`. A server of its own is started, with its data in a temporary folder.
"""

import argparse
import itertools
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from playwright.sync_api import sync_playwright
from websockets.sync.client import connect

SECONDS = 8.0  # of each run whose speed is compared
WATCHED = {  # as the page does
    "type": "watch",
    "result": True,
    "tree": {"path": [], "depth": 2, "width": 8, "lean": True},
    "map": {"depth": 9, "cells": 700},
    "line": {"path": [], "depth": 4},
}
# From a click to the painted change: a node of the tree is opened, and closed again.
OPENED = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const nodes = () => document.querySelectorAll("#tree .node").length;
    const [began, before] = [performance.now(), nodes()];
    document.querySelector("#tree .node[data-at='0'] .turn").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    while (nodes() === before) await frame();
    await frame();
    return performance.now() - began;
}"""


@contextmanager
def server() -> Iterator[str]:
    """A server in a process of its own; its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "playout", "serve", "--no-open", "--port", "0", "--data", folder]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            yield process.stdout.readline().split()[-1].rstrip("/")
        finally:
            process.terminate()
            process.wait(60)


class Client:
    def __init__(self, address: str) -> None:
        self.address, self.http = address, httpx.Client(base_url=address, timeout=300)

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(path, json=body)
        answer.raise_for_status()
        return answer.json()

    def session(self, game: str, **more: Any) -> str:
        return f"/v1/sessions/{self.post('/v1/sessions', game=game, seed=1, **more)['id']}"

    def speed(self, game: str, watched: bool) -> tuple[float, float]:
        """Simulations a second of one run, and updates a second that a watcher got."""
        session = self.session(game)
        self.post(f"{session}/run", simulations=100, wait=True)
        seen: list[float] = []
        done = threading.Event()
        thread = threading.Thread(target=self.watch, args=(session, seen, done))
        if watched:
            thread.start()
            time.sleep(0.5)
        run = self.post(f"{session}/run", seconds=SECONDS, wait=True)["run"]
        done.set()
        if watched:
            thread.join()
        self.http.delete(session)
        return run["simulations_per_second"], len(seen) / run["seconds"]

    def watch(self, session: str, seen: list[float], done: threading.Event) -> None:
        """Note when updates of a run come."""
        with connect(f"ws{self.address.removeprefix('http')}{session}/live", max_size=None) as socket:
            socket.send(json.dumps(WATCHED))
            while not done.is_set():
                try:
                    message = json.loads(socket.recv(timeout=0.2))
                except TimeoutError:
                    continue
                if message["type"] == "update" and message["run"] is not None:
                    seen.append(time.perf_counter())

    def milliseconds(self, path: str, times: int = 7) -> tuple[float, float, int]:
        """Median and worst time of an answer, and its size."""
        found, size = [], 0
        for _ in range(times):
            began = time.perf_counter()
            size = len(self.http.get(path).content)
            found.append(1000 * (time.perf_counter() - began))
        return statistics.median(found), max(found), size


def live(client: Client) -> None:
    print("\nLive view: result, tree and map in each update")
    print(f"{'game':<10} {'alone':>12} {'watched':>12} {'cost':>7} {'updates/s':>10}")
    for game in ("connect4", "chess", "othello"):
        client.speed(game, False)
        pairs = [(client.speed(game, False)[0], *client.speed(game, True)) for _ in range(3)]
        alone, watched = max(p[0] for p in pairs), max(p[1] for p in pairs)
        updates = statistics.median(p[2] for p in pairs)
        print(f"{game:<10} {alone:>10,.0f}/s {watched:>10,.0f}/s {1 - watched / alone:>7.1%} {updates:>10.1f}")


def large(client: Client, nodes: int) -> None:
    session = client.session("connect4")
    seen: list[float] = []
    done = threading.Event()
    thread = threading.Thread(target=client.watch, args=(session, seen, done))
    thread.start()
    client.post(f"{session}/run", nodes=nodes)
    while client.http.get(session).json()["run"]:
        time.sleep(0.5)
    done.set()
    thread.join()
    gaps = sorted(after - before for before, after in itertools.pairwise(seen))
    print(
        f"\nUpdates while it grew: one in {statistics.median(gaps):.2f} s, "
        f"the longest gaps {gaps[-1]:.2f} and {gaps[-2]:.2f} s"
    )
    print(f"\nA tree of {client.http.get(session).json()['nodes']:,} nodes (connect four): an answer in ms")
    views = (
        "",
        "/result",
        "/tree",
        "/tree?depth=4&width=8",
        "/tree?depth=12&width=400",
        "/node?path=3,3",
        "/line",
        "/map",
        "/map?depth=64&cells=5000",
        "/find?text=4",
        "/find?text=nothing",
        "/explain",
        "/game",
    )
    for view in views:
        middle, worst, size = client.milliseconds(session + view)
        print(f"  {view or '(the session)':<28} {middle:>7.1f} (worst {worst:.1f}), {size / 1000:,.0f} kB")
    if chromium := shutil.which("chromium"):
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1366, "height": 768})
            page.goto(f"{client.address}/s/{session.rpartition('/')[2]}")
            page.wait_for_selector("#icicle .cell")
            took = [page.evaluate(OPENED) for _ in range(10)]
            browser.close()
        print(f"  {'a click, asked and drawn':<28} {statistics.median(took):>7.1f} (worst {max(took):.1f})")
    began = time.perf_counter()
    client.post(f"{session}/play", action="best")
    print(f"  {'play the best move':<28} {1000 * (time.perf_counter() - began):>7.1f}")
    client.http.delete(session)


def many(client: Client, count: int = 50) -> None:
    sessions = [client.session("connect4", position="44") for _ in range(count)]
    for session in sessions:
        client.post(f"{session}/run")
    began = time.perf_counter()
    times, errors = [], 0
    while time.perf_counter() - began < 15:
        for session in sessions[:: max(1, count // 10)]:
            for path in ("/v1/server", session, f"{session}/result"):
                start = time.perf_counter()
                answer = client.http.get(path)
                times.append(time.perf_counter() - start)
                errors += answer.status_code != 200
    done = [client.http.get(session).json()["run"]["simulations"] for session in sessions]
    for session in sessions:
        client.post(f"{session}/stop")
    print(f"\n{count} sessions at work: {len(times)} cheap requests, {errors} errors")
    print(f"  median {1000 * statistics.median(times):.0f} ms, worst {1000 * max(times):.0f} ms")
    print(f"  simulations of a session: least {min(done):,}, median {statistics.median(done):,.0f}, most {max(done):,}")
    for session in sessions:
        client.http.delete(session)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--only", choices=("live", "large", "many"))
    given = parser.parse_args()
    with server() as address:
        client = Client(address)
        if given.only in (None, "live"):
            live(client)
        if given.only in (None, "large"):
            large(client, given.nodes)
        if given.only in (None, "many"):
            many(client)


if __name__ == "__main__":
    main()
