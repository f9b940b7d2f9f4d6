"""What is paid for counts once, whatever goes wrong: numbers of calls, keys, judges, costs, and nodes that reopen."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po


def numbered(parent: Any, call: po.Call) -> po.Answer:
    return po.Answer(call.number, 0.5, cost=1.0)


def test_a_call_that_is_not_afforded_keeps_its_number_unless_it_is_the_last(tmp_path: Path) -> None:
    made: list[int] = []

    async def generate(parent: Any, call: po.Call) -> po.Answer:
        made.append(call.number)
        return numbered(parent, call)

    # The rate leaves calls 2 and 3 to the next run, which can't afford them; the third run makes all of them.
    pace = po.Pace(at_once=3, rate=0.001)
    with po.GeneratedSearch(generate, pace=pace, prices={"generate": 1.0}, ledger=tmp_path / "a.db", seed=1) as search:
        search.run(10, seconds=60)
        assert search.calls == 3
        assert search.run(cost=1.5).stopped == "cost"
        search.meter._gap = search.meter._next = 0.0
        result = search.run(8)
    assert sorted(made) == list(range(1, 9))
    assert (result.nodes, result.calls, result.cost) == (8, 8, 8.0)


def test_a_ledger_that_can_be_written_again_goes_on_in_the_same_process(tmp_path: Path) -> None:
    made: list[int] = []

    def generate(parent: Any, call: po.Call) -> po.Answer:
        made.append(call.number)
        if made == [1]:
            disk.execute("PRAGMA query_only = ON")  # the answer can't be written
        return numbered(parent, call)

    with po.GeneratedSearch(generate, ledger=tmp_path / "a.db", seed=1) as search:
        assert search._ledger is not None
        disk = search._ledger._db
        with pytest.raises(po.FileError, match="the ledger can't be written"):
            search.run(3)
        with pytest.raises(po.FileError, match="the ledger can't be written"):
            search.run(3)
        with pytest.raises(po.FileError, match="the ledger can't be written"):
            search.ask()
        disk.execute("PRAGMA query_only = OFF")
        result = search.run(3)
        assert made == [1, 1, 2, 3]
        assert (result.nodes, result.calls, search.under_way) == (3, 3, [])


def test_the_judge_gets_a_key_of_its_own(tmp_path: Path) -> None:
    keys: list[str] = []

    def generate(parent: Any, call: po.Call) -> po.Answer:
        keys.append(call.key)
        return po.Answer("state")

    def judge(state: Any, call: po.Call) -> float:
        keys.append(call.key)
        if len(keys) == 2:
            raise KeyboardInterrupt
        return 0.5

    for _ in range(2):
        with po.GeneratedSearch(generate, evaluate=judge, ledger=tmp_path / "a.db", seed=1) as search:
            try:
                search.run(1)
            except KeyboardInterrupt:
                continue
    assert keys[1] == keys[2] == keys[0] + "e"


def _raises(_: Any) -> Any:
    raise KeyError("x")


ODD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "surrogate": (("\ud83d", 0.5), {}, "can't be written to the ledger .*surrogates not allowed"),
    "encode": (("a", 0.5), {"encode": lambda s: "" if s is None else _raises(s), "decode": str}, "KeyError: 'x'"),
    "is_final": (po.Answer("a", 0.5, 1.0), {"is_final": _raises}, "is_final= raised KeyError: 'x'"),
    "score": (("a", 10**400), {}, "expected a finite number"),
    "tokens": (po.Answer("a", 0.5, tokens=2**70), {}, "expected a whole number or None"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_answers_fail_in_one_line_and_leave_a_ledger_that_opens(case: str, tmp_path: Path) -> None:
    answer, given, message = ODD[case]
    for _ in range(2):
        with (
            po.GeneratedSearch(lambda parent: answer, ledger=tmp_path / "a.db", seed=1, **given) as search,
            pytest.raises(po.GeneratorError, match=message),
        ):
            search.run(5)
        assert not search.under_way
        assert len(search.nodes) == 1
    assert search.calls == 2


def test_tokens_of_numpy_come_back_from_the_ledger(tmp_path: Path) -> None:
    def generate(parent: Any, call: po.Call) -> po.Answer:
        return po.Answer(call.number, np.float32(0.5), np.float64(1.0), np.int64(5))  # type: ignore[arg-type]

    for calls in (2, 3):
        with po.GeneratedSearch(generate, ledger=tmp_path / "a.db", seed=1) as search:
            result = search.run(calls)
    assert result.generators["generate"].tokens == 15
    assert result.cost == 3.0


def test_an_answer_without_a_cost_costs_its_price() -> None:
    search = po.GeneratedSearch(
        lambda parent, call: po.Answer(call.number), evaluate=lambda _: 0.5, prices={"generate": 0.25, "evaluate": 0.05}
    )
    result = search.run(1000, cost=1.0)
    assert result.stopped == "cost"
    assert (result.calls, result.cost) == (3, pytest.approx(0.9))


def test_equal_states_are_judged_once_after_a_judge_that_failed_or_was_interrupted(tmp_path: Path) -> None:
    judged: list[str] = []

    async def same(parent: Any) -> po.Answer:
        await asyncio.sleep(0)
        return po.Answer("same", cost=1.0)

    async def judge(state: str) -> float:
        judged.append(state)
        await asyncio.sleep(0.01)
        if len(judged) == 1:
            raise ConnectionError
        return 0.5

    pace = po.Pace(at_once=4, retries=0)
    for judges in (1, 2):
        with po.GeneratedSearch(same, evaluate=judge, pace=pace, seed=1, ledger=tmp_path / "a.db") as search:
            if judges == 1:
                with pytest.raises(po.GeneratorError, match="evaluate raised ConnectionError"):
                    search.run(4)
            else:
                assert search.run(8).nodes == 1
            assert len(judged) == judges
    assert outline_of(search) == outline_of(po.GeneratedSearch.read(tmp_path / "a.db"))
    assert not search.under_way


def outline_of(search: po.GeneratedSearch) -> Any:
    return {number: (node.score, node.visits) for number, node in search.nodes.items()}


def test_unhashable_states_that_were_judged_at_once_are_one_node() -> None:
    async def generate(parent: Any) -> po.Answer:
        return po.Answer({1: 2})  # no text either, so only equality tells

    async def judge(state: Any) -> float:
        await asyncio.sleep(0.01)
        return 0.5

    search = po.GeneratedSearch(generate, evaluate=judge, pace=po.Pace(at_once=3), exhausted=3)
    assert search.run(3).nodes == 1


def test_progress_that_raises_leaves_all_counted() -> None:
    def generate(parent: Any) -> po.Answer:
        return po.Answer("same")

    def stop(search: po.GeneratedSearch) -> None:
        raise po.GeneratorError("seen enough")

    search = po.GeneratedSearch(generate, evaluate=lambda state: 0.5)
    with pytest.raises(po.GeneratorError, match=r"^seen enough$"):
        search.run(3, progress=stop)
    assert len(search.nodes) == 2
    assert not search.under_way
    assert not search._judging


def test_a_child_that_arrives_at_a_closed_node_opens_it_again() -> None:
    async def generate(parent: Any, call: po.Call) -> Any:
        if call.number == 1:
            return None
        await asyncio.sleep(0.01)
        return call.number, 0.5

    search = po.GeneratedSearch(generate, pace=po.Pace(at_once=4), seed=1)
    result = search.run(20)
    assert (result.stopped, result.nodes) == ("calls", 19)


def test_halving_shares_calls_between_fewer_children_than_it_wanted() -> None:
    worth = {"r0": 0.1, "r1": 0.2, "r2": 0.9}

    def generate(parent: Any, call: po.Call) -> tuple[str, float]:
        state = f"r{call.number % 3}" if parent is None else f"{parent}/{call.number}"
        return state, worth[state[:2]]

    search = po.GeneratedSearch(generate, policy=po.Halving(), seed=1)
    search.run(200)
    visits = {child.state: child.visits for child in search.root.children}
    assert visits["r2"] > 60
    assert visits["r0"] > 10
