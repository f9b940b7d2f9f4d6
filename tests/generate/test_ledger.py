"""The ledger: what is paid for is on disk before it counts, and never asked for again."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout.generate.ledger import Ledger

from .toys import outline, refine

CALLS = 60


def start(folder: Path, at_once: int, dies: int = 0) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.generate.paying", "ledger.db", "bill", str(CALLS), str(at_once), str(dies)]
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root / "src"), str(root)])
    return subprocess.Popen(command, cwd=folder, env={**os.environ, "PYTHONPATH": paths})


def pay(folder: Path, at_once: int, dies: int = 0) -> int:
    """Run the paying search in a process of its own; its exit status."""
    with start(folder, at_once, dies) as process:
        try:
            return process.wait(timeout=300)
        finally:
            process.kill()


def paid(folder: Path) -> list[str]:
    bill = folder / "bill"
    return bill.read_text().split() if bill.exists() else []


@pytest.mark.parametrize(("at_once", "dies"), [(1, 23), (4, 14)])
def test_kill_9_loses_no_answer_and_asks_for_none_again(tmp_path: Path, at_once: int, dies: int) -> None:
    assert pay(tmp_path, at_once, dies) == -signal.SIGKILL
    assert pay(tmp_path, at_once) == 0
    bill = Counter(paid(tmp_path))
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as db:
        rows = db.execute("SELECT key, status, attempts, cost, tokens, told FROM calls ORDER BY number").fetchall()
    assert [row[1] for row in rows] == ["answered"] * CALLS
    assert {row[0] for row in rows} == set(bill)
    assert sorted(row[5] for row in rows) == list(range(1, CALLS + 1))
    assert all(cost == 0.25 and tokens == 7 for _, _, _, cost, tokens, _ in rows)
    # Paid twice only what was in flight when the process ended: its key is the same, and its attempts say so.
    assert all(bill[key] <= attempts for key, _, attempts, _, _, _ in rows)
    assert 1 <= sum(bill.values()) - CALLS <= at_once
    if at_once == 1:
        whole = po.GeneratedSearch(refine, seed=11)
        whole.run(CALLS)
        assert outline(po.GeneratedSearch.read(tmp_path / "ledger.db")) == outline(whole)


def test_a_search_goes_on_from_its_ledger_as_if_it_had_never_ended(tmp_path: Path) -> None:
    calls: list[int] = []

    def counted(parent: Any, call: po.Call) -> Any:
        calls.append(call.number)
        return refine(parent, call)

    for policy in ("abmcts", "gumbel"):
        whole = po.GeneratedSearch(refine, policy=policy, seed=2)
        whole.run(40)
        calls.clear()
        for limit in (10, 25, 40):
            plan = {"calls": 40} if policy == "gumbel" else {"calls": limit}

            def halt(search: po.GeneratedSearch, limit: int = limit) -> None:
                if search.calls >= limit:
                    search.stop()

            with po.GeneratedSearch(counted, policy=policy, seed=2, ledger=tmp_path / f"{policy}.db") as search:
                result = search.run(**plan, progress=halt)
        assert calls == list(range(1, 41))
        assert outline(search) == outline(whole)
        assert result.history[-1].best == whole.result().history[-1].best


def test_a_ledger_can_be_read_while_the_search_runs(tmp_path: Path) -> None:
    seen: list[int] = []

    def look(search: po.GeneratedSearch) -> None:
        if search.calls == 5:
            seen.append(len(po.GeneratedSearch.read(tmp_path / "ledger.db").nodes) - 1)

    with po.GeneratedSearch(refine, ledger=tmp_path / "ledger.db", seed=1) as search:
        search.run(8, progress=look)
    assert seen == [5]
    read = po.GeneratedSearch.read(tmp_path / "ledger.db")
    assert outline(read) == outline(search)
    with pytest.raises(po.SettingsError, match="opened to be read"):
        read.run(10)


def test_an_answer_that_waits_for_its_score_is_not_asked_for_again(tmp_path: Path) -> None:
    made: list[int] = []

    def generate(parent: Any, call: po.Call) -> po.Answer:
        made.append(call.number)
        return po.Answer(("state", call.number), cost=1.0)

    def interrupted(state: Any) -> float:
        if state[1] == 3:
            raise KeyboardInterrupt
        return 0.5

    with (
        pytest.raises(KeyboardInterrupt),
        po.GeneratedSearch(generate, evaluate=interrupted, ledger=tmp_path / "ledger.db", seed=1) as search,
    ):
        search.run(5)
    with po.GeneratedSearch(generate, evaluate=lambda state: 0.5, ledger=tmp_path / "ledger.db", seed=1) as search:
        result = search.run(5)
    assert made == [1, 2, 3, 4, 5]
    assert result.nodes == 5
    assert result.cost == 5.0
    assert search.nodes[3].state == ("state", 3)


def test_failures_stand_in_the_ledger(tmp_path: Path) -> None:
    def generate(parent: Any, call: po.Call) -> Any:
        return po.Answer(call.number, 7.0 if call.number == 2 else 0.5, cost=0.5)

    with po.GeneratedSearch(generate, ledger=tmp_path / "ledger.db", pace=po.Pace(failures=1)) as search:
        assert search.run(3).nodes == 2
    with closing(Ledger(tmp_path / "ledger.db", {}, reading=True)) as ledger:
        rows = ledger.rows()
    assert [row.status for row in rows] == ["answered", "failed", "answered"]
    assert rows[1].error is not None
    assert "not within the declared range" in rows[1].error
    assert search.cost == 1.5
    with po.GeneratedSearch(generate, ledger=tmp_path / "ledger.db") as again:
        assert (again.cost, again.calls, len(again.nodes)) == (1.5, 3, 3)


def test_a_full_disk_ends_the_run_in_one_line_and_nothing_counts_that_is_not_written(tmp_path: Path) -> None:
    def large(parent: Any, call: po.Call) -> tuple[str, float]:
        return f"{call.number} " + "x" * 20_000, 0.5

    path = tmp_path / "ledger.db"
    with po.GeneratedSearch(large, ledger=path, seed=1) as search:
        assert search._ledger is not None
        search._ledger._db.execute("PRAGMA max_page_count = 30")  # SQLite then says what it says on a full disk
        with pytest.raises(po.FileError, match=r"the ledger can't be written \(database or disk is full\)") as caught:
            search.run(50)
        assert "\n" not in str(caught.value)
        nodes = len(search.nodes)
    assert 1 < nodes < 50
    with po.GeneratedSearch(large, ledger=path, seed=1) as again:
        assert len(again.nodes) == nodes
        assert again.run(50).nodes == 50


def test_wrong_ledgers_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with po.GeneratedSearch(refine, ledger=path, seed=1) as search:
        search.run(3)
        with pytest.raises(po.SettingsError, match="another search is using this ledger"):
            po.GeneratedSearch(refine, ledger=path)
    with pytest.raises(po.FileError, match="of a search with scores"):
        po.GeneratedSearch(refine, ledger=path, scores=None)
    with pytest.raises(po.FileError, match="of a search with seed 1, not 2"):
        po.GeneratedSearch(refine, ledger=path, seed=2)
    with pytest.raises(po.FileError, match="there is no folder"):
        po.GeneratedSearch(refine, ledger=tmp_path / "none" / "ledger.db")
    with pytest.raises(po.FileError, match="there is no such ledger"):
        po.GeneratedSearch.read(tmp_path / "other.db")
    (tmp_path / "text.db").write_text("not a database, whatever it says" * 50)
    for kind in (lambda p: po.GeneratedSearch(refine, ledger=p), po.GeneratedSearch.read):
        with pytest.raises(po.FileError, match="file is not a database"):
            kind(tmp_path / "text.db")
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as db:
        db.execute("CREATE TABLE things (a)")
    with pytest.raises(po.FileError, match="not a ledger of a generated search"):
        po.GeneratedSearch(refine, ledger=tmp_path / "foreign.db")


def test_states_without_a_text_need_encode_and_decode(tmp_path: Path) -> None:
    def generate(parent: Any, call: po.Call) -> tuple[complex, float]:
        return complex(call.number, 1), 0.5

    with (
        po.GeneratedSearch(generate, ledger=tmp_path / "a.db", pace=po.Pace(retries=0)) as search,
        pytest.raises(po.GeneratorError, match=r"can't be written to the ledger .*pass encode= and decode="),
    ):
        search.run(1)
    with po.GeneratedSearch(generate, 0j, ledger=tmp_path / "b.db", encode=str, decode=complex) as search:
        search.run(2)
    with po.GeneratedSearch(generate, 0j, ledger=tmp_path / "b.db", encode=str, decode=complex) as search:
        assert search.nodes[2].state == 2 + 1j
