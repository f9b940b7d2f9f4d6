"""Sessions survive: a restart, a crash, a damaged file, a long sleep. And many of them at once."""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import playout as po
from playout.cli import main
from playout.errors import FileError
from playout.search.history import log_up_to
from playout.web.caps import Caps
from playout.web.store import SessionStore
from playout.web.turns import QueuePlace, Turns
from tests.processes import end, start

from .web_server import Served, serving

FEW = 200
PATIENCE = 300  # seconds, on a busy machine


def views(server: Served, session: str) -> dict[str, Any]:
    """What must be the same after a restart."""
    state = server.get(session)
    for name in ("touched", "in_memory", "version", "last_run"):
        del state[name]
    return {"session": state, "tree": server.get(f"{session}/tree?depth=4&width=9"), "game": game(server, session)}


def game(server: Served, session: str) -> list[Any]:
    moments = server.get(f"{session}/game")["moments"]
    return [{key: value for key, value in moment.items() if key != "parked"} for moment in moments]


def worked_on(server: Served) -> str:
    """A session with a game, a branch, and a tree that was kept."""
    session = server.create("connect4", seed=5, options={"c": 1.1}, name="kept")
    server.post(f"{session}/run", simulations=FEW, wait=True)
    server.post(f"{session}/play", action="best")
    server.post(f"{session}/goto", moment=0)
    server.post(f"{session}/play", action="1")
    server.post(f"{session}/run", simulations=FEW, wait=True)
    server.post(f"{session}/step")
    return session


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_sessions_survive_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session, fresh = worked_on(server), server.create("target_sum", game_settings={"target": 30})
        graph = server.create("connect4", seed=2, options={"transpositions": True})
        server.post(f"{graph}/run", simulations=FEW, wait=True)
        before = {name: views(server, name) for name in (session, fresh, graph)}
        chart = server.get(f"{session}/chart")
    with serving(tmp_path) as server:
        assert {entry["in_memory"] for entry in server.get("/v1/sessions")["sessions"]} == {False}
        assert {name: views(server, name) for name in before} == before
        assert server.get(f"{session}/chart") == chart
        server.post(f"{session}/seek", simulations=3)
        server.post(f"{session}/seek", simulations=FEW + 1)
        assert server.get(f"{session}/tree?depth=4&width=9") == before[session]["tree"]


def test_without_its_file_a_session_is_made_again_from_the_log(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = worked_on(server)
        before = views(server, session)
    for file in (tmp_path / "searches").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with serving(tmp_path) as server:
        assert views(server, session) == before


def test_an_idle_session_goes_to_disk_and_comes_back(tmp_path: Path) -> None:
    with serving(tmp_path, caps=Caps(idle=0.0)) as server:
        session = worked_on(server)
        found = server.bench.sessions.find(session.rpartition("/")[2])
        before = views(server, session)
        wait_until(lambda: found.search is None)
        assert views(server, session) == before


def test_when_memory_is_short_the_idle_go_to_disk(tmp_path: Path) -> None:
    with serving(tmp_path, caps=Caps(memory=20_000)) as server:
        sessions = [server.create("connect4", seed=i) for i in range(4)]
        for session in sessions:
            server.post(f"{session}/run", simulations=FEW, wait=True)
        for session in sessions:
            assert server.get(session)["simulations"] == FEW


def test_one_folder_serves_one_server(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    code = "import sys; from playout.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "serve", "--no-open", "--port", "0", "--data", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "another server uses it" in found.stderr
    assert found.stderr.count("\n") == 1
    store.close()


def test_a_folder_that_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileError, match="--data"):
        SessionStore(tmp_path / "file")
    (tmp_path / "sessions.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(FileError, match="--data"):
        SessionStore(tmp_path)


def test_a_row_that_can_not_be_read_harms_no_other(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = server.create()
    store = SessionStore(tmp_path)
    store.write([("broken", {"touched": 1.0, "title": "x"})])
    store.close()
    with serving(tmp_path) as server:
        assert [entry["permalink"] for entry in server.get("/v1/sessions")["sessions"]] == [
            f"/s/{session.rpartition('/')[2]}"
        ]


def test_a_search_is_brought_to_where_its_log_says() -> None:
    def search() -> po.Search:
        return po.Search(po.games.load("connect4"), seed=3)

    wanted = [("run", 40), ("play", 3), ("run", 25)]
    full = search()
    assert full.replay(wanted)
    assert full.log == wanted
    for before in (
        [],
        [("run", 10)],
        [("run", 40)],
        [("run", 40), ("play", 3)],
        [("run", 40), ("play", 3), ("run", 30)],
    ):
        other = search()
        assert other.replay(before)
        assert other.replay(wanted)
        assert other.log == wanted
        assert other.root.to_dict(4, 9) == full.root.to_dict(4, 9)
    strange = search()
    assert strange.replay([("run", 40), ("play", 2)])
    assert not strange.replay(wanted)
    assert log_up_to([("run", 3)], 0) == []


# Turns.


def test_turns_go_round() -> None:
    turns, all_of_them = Turns(2, seconds=0.0), [QueuePlace() for _ in range(5)]
    for turn in all_of_them:
        turns.ask(turn)
    had: list[int] = []
    for _ in range(10):
        now = min((turn for turn in all_of_them if turn.granted), key=lambda turn: turn.since)
        assert sum(turn.granted for turn in all_of_them) == 2
        assert turns.is_over(now)
        had.append(all_of_them.index(now))
        turns.leave(now)
        turns.ask(now)
    assert had == [0, 1, 2, 3, 4] * 2
    for turn in all_of_them:
        turns.leave(turn)
    turns.ask(all_of_them[0])
    assert not turns.is_over(all_of_them[0])  # nobody waits


def test_a_run_that_does_not_come_back_loses_its_slot_to_the_next() -> None:
    turns, stuck, other, third = Turns(1, stuck=0.0), QueuePlace(), QueuePlace(), QueuePlace()
    turns.ask(stuck)
    turns.ask(other)
    assert (stuck.granted, other.granted) == (True, True)
    turns.stuck = 1e9
    turns.ask(third)
    assert not third.granted
    assert turns.is_over(stuck)
    turns.leave(stuck)  # it came back after all: its slot is another's by now
    assert not third.granted
    turns.leave(other)
    assert third.granted


# Processes.


class Process:
    """`playout serve` as a user starts it."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [
            sys.executable,
            "-m",
            "playout",
            "serve",
            "--no-open",
            "--port",
            "0",
            "--data",
            str(folder),
            *options,
        ]
        self.process = start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert "http://127.0.0.1:" in line, self.process.communicate()
        self.http = httpx.Client(base_url=line.split()[-1], timeout=PATIENCE)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        end(self.process)

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def end(self, number: int) -> tuple[int, str]:
        self.http.close()
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors


def saved_simulations(folder: Path, copy: Path, session: str) -> int:
    """As in the server's file on disk, which it locks: read from a copy. -1 while the copy catches it in the middle."""
    copy.mkdir(exist_ok=True)
    for file in folder.glob("sessions.sqlite*"):
        shutil.copy(file, copy)
    with contextlib.suppress(FileError, sqlite3.Error, KeyError):
        store = SessionStore(copy)
        try:
            return int(store.rows()[session.rpartition("/")[2]]["simulations"])
        finally:
            store.close()
    return -1


def test_a_crash_loses_the_last_seconds_at_most(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Process(data) as first:
        sessions = []
        for game, moves in (("othello", ["d3"]), ("othello", [])):  # slow enough to be done again in a moment
            session = f"/v1/sessions/{first.post('/v1/sessions', game=game, seed=4)['id']}"
            first.post(f"{session}/run", simulations=300, wait=True)
            for move in moves:
                first.post(f"{session}/play", action=move)
            first.post(f"{session}/run")
            sessions.append(session)
        wait_until(lambda: all(first.http.get(session).json()["simulations"] > 300 for session in sessions))
        early = {session: first.http.get(session).json()["simulations"] for session in sessions}
        wait_until(
            lambda: all(saved_simulations(data, tmp_path / "copy", session) >= early[session] for session in sessions)
        )
        first.end(signal.SIGKILL)
    with Process(data) as second:
        for session in sessions:
            found = second.http.get(session).json()
            assert found["simulations"] >= early[session]
            state = second.http.get(f"{session}/export?form=search").content
            (tmp_path / "x").write_bytes(state)
            saved = po.Search.load(tmp_path / "x")
            again = po.Search(po.games.load(found["game"]), saved.settings, seed=4)
            assert again.replay(saved.log)
            assert saved.root.to_dict(3, 9) == again.root.to_dict(3, 9)
        code, errors = second.end(signal.SIGINT)
    assert (code, errors) == (0, "")


def test_ctrl_c_saves_and_ends_quietly(tmp_path: Path) -> None:
    with Process(tmp_path, "--workers", "1") as server:
        session = f"/v1/sessions/{server.post('/v1/sessions', game='connect4')['id']}"
        server.post(f"{session}/run")
        wait_until(lambda: server.http.get(session).json()["simulations"] > 0)
        assert server.end(signal.SIGINT) == (0, "")
    name = session.rpartition("/")[2]
    saved = po.Search.load(tmp_path / "searches" / f"{name}.search")
    assert SessionStore(tmp_path).rows()[name]["simulations"] == saved.simulations > 0


@pytest.mark.slow
def test_fifty_sessions_at_work_all_go_on(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        sessions = [server.create("connect4", seed=i) for i in range(50)]
        for session in sessions:
            server.post(f"{session}/run", 202)
        wait_until(lambda: all(server.get(session)["simulations"] > 0 for session in sessions))
        for path in ("/v1/server", *(f"{session}/result" for session in sessions[::5])):
            server.get(path)
        assert server.get("/v1/server")["running"] == 50
        early = {session: server.get(session)["simulations"] for session in sessions}
        wait_until(lambda: all(server.get(session)["simulations"] > early[session] for session in sessions))
        stopping = [threading.Thread(target=server.post, args=(f"{session}/stop",)) for session in sessions]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join()
        assert server.get("/v1/server")["running"] == 0


# The command.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--port", "70000"], "--port is 70000"),
        (["--port", "many"], "whole number"),
        (["--host", "nowhere.invalid"], "--host nowhere.invalid"),
        (["--max-sessions", "0"], "--max-sessions is 0"),
        (["--game", "nowhere.py:Nim"], "nowhere.py"),
        (["--game", "playout.games.tictactoe:TicTacToe"], "there is a game 'tictactoe' already"),
        (["--data", "/dev/null/x"], "--data"),
    ],
    ids=str,
)
def test_a_mistake_on_the_command_line_is_one_line(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = [] if "--data" in options else ["--data", str(tmp_path)]
    port = [] if "--port" in options else ["--port", "0"]
    assert main(["serve", "--no-open", *data, *port, *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_port_in_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", "--no-open", "--port", port, "--data", str(tmp_path)]) == 2
    assert "something else uses it" in capsys.readouterr().err


def test_nothing_of_the_web_is_imported_before_it_is_served() -> None:
    code = (
        "import sys, playout, playout.cli; "
        "sys.exit(any(n.split('.')[0] in ('fastapi', 'uvicorn', 'starlette') or n.startswith('playout.web') "
        "for n in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, env=os.environ.copy()).returncode == 0


# Memory.


@pytest.mark.compiled_only
def test_trees_grow_no_further_than_the_memory_of_the_server(tmp_path: Path) -> None:
    cap = 64 << 20  # of which a chunk of a run, ten milliseconds, is little
    with serving(tmp_path, caps=Caps(memory=cap)) as server:
        sessions = [server.create("connect4", seed=number) for number in range(2)]
        for session in sessions:
            found = server.bench.sessions.find(session.rpartition("/")[2])
            found.listeners.add(lambda: None)  # somebody watches: it is not moved to disk
            server.post(f"{session}/run", 202, simulations=10**9)
        wait_until(lambda: all(server.get(session)["run"] is None for session in sessions))
        assert [server.get(session)["last_run"]["stopped_by"] for session in sessions] == ["memory", "memory"]
        assert 0.9 * cap < sum(server.get(session)["bytes"] for session in sessions) < 1.1 * cap


def test_a_file_that_is_being_written_gives_way_to_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(tmp_path) as server:
        session = worked_on(server)
        found = server.bench.sessions.find(session.rpartition("/")[2])
        writes, steps, gives_way = threading.Event(), list[Any](), found._give_way

        def slowly() -> None:
            if writes.is_set():
                return gives_way()
            writes.set()
            steps.append(threading.Thread(target=lambda: steps.append(server.post(f"{session}/step"))))
            steps[0].start()
            wait_until(lambda: found._changes_wait > 0)
            return gives_way()

        monkeypatch.setattr(found, "_give_way", slowly)
        wait_until(writes.is_set)
        steps[0].join(PATIENCE)
        assert len(steps) == 2
        wait_until(lambda: not found.file_is_old)


def test_restoring_tells_how_far_it_is(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        session = worked_on(server)
        name = session.rpartition("/")[2]
    with serving(tmp_path) as server:
        found, shares = server.bench.sessions.find(name), []
        note = found._note_restored

        def noted(share: float) -> None:
            note(share)
            shares.append(server.get(f"/v1/server?session={name}")["restoring"])

        found._note_restored = noted  # type: ignore[method-assign]
        server.get(session)
        assert shares == sorted(shares)
        assert shares[0] < shares[-1] <= 0.8
        assert server.get(f"/v1/server?session={name}")["restoring"] is None
