"""The first start on a machine: the page is served uncompiled at once, and handed over when the compiler is done."""

import contextlib
import subprocess
import sys
import threading
import time

import httpx
import pytest

from playout.errors import SettingsError
from playout.web import interim
from playout.web.caps import Caps
from playout.web.catalogue import Catalogue
from playout.web.server import bind

LONG = 600.0  # seconds; nothing takes as long


@pytest.fixture
def compilers(monkeypatch):
    """A process in place of the compilers, which ends when its stdin does."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        monkeypatch.setattr(interim, "_compilers", lambda: contextlib.nullcontext([process]))
        monkeypatch.setattr(interim, "_load", lambda used: None)
        yield process
        process.kill()


def served_from(folder):
    return interim.Served("127.0.0.1", None, folder, (), (), (), Caps())


def waits_for(found):
    until = time.monotonic() + LONG
    while not found():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="a process can't be given a socket there")
def test_searches_run_uncompiled_until_the_compiler_is_done_and_then_go_on(tmp_path, compilers):
    served, bound, left, said = served_from(tmp_path), bind("127.0.0.1", 0), [], []
    ready = threading.Event()
    thread = threading.Thread(
        target=lambda: left.append(interim.serve_meanwhile(bound, served, said.append, ready.set)), daemon=True
    )
    thread.start()
    assert ready.wait(LONG)
    with contextlib.closing(bound), httpx.Client(base_url=interim_address(bound), timeout=LONG) as http:
        server = http.get("/v1/server").json()
        assert (server["uncompiled"], server["compiling"]) == (True, interim.ABOUT)
        session = http.post("/v1/sessions", json={"game": "tictactoe"}).json()
        assert len(session["position"]["actions"]) == 9
        address = f"/v1/sessions/{session['id']}"
        http.post(f"{address}/run", json={"simulations": 10**9})
        waits_for(lambda: http.get(address).json()["simulations"] > 0)

        compilers.stdin.close()
        thread.join(LONG)
        (run,) = left[0]
        assert (run["session"], run["kind"]) == (session["id"], "run")
        assert "uncompiled" in said[0]
        bench = interim.bench_of(served, Catalogue((), (), ()))
        try:
            done = bench.sessions.find(session["id"]).look(lambda search: search.simulations)
            assert run["limits"]["simulations"] == 10**9 - done < 10**9
            interim.go_on(bench.sessions, left[0])
            waits_for(lambda: bench.sessions.find(session["id"]).view()["simulations"] > done)
        finally:
            bench.sessions.close()


def interim_address(bound):
    return f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.mark.skipif(sys.platform == "win32", reason="a process can't be given a socket there")
def test_a_folder_that_can_not_be_used_is_refused_in_one_line(tmp_path, compilers):
    (tmp_path / "file").write_text("")
    with contextlib.closing(bind("127.0.0.1", 0)) as bound, pytest.raises(SettingsError, match="can't be used for"):
        interim.serve_meanwhile(bound, served_from(tmp_path / "file"), lambda line: None, lambda: None)
