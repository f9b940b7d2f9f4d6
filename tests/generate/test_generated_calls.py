"""How generators are called: what they raise, the pace, what they are passed, and prompts."""

import asyncio
import sys
import threading
from typing import Any

import pytest

import playout as po
from playout.common.chat import Completion
from playout.generate.calls import CallRun
from playout.generate.prompts import score_in


def test_a_generator_with_the_name_of_the_judge_is_refused() -> None:
    with pytest.raises(po.SettingsError, match="a generator is named 'evaluate'"):
        po.GeneratedSearch({"evaluate": lambda parent: (1, 0.5)}, evaluate=lambda state: 0.5)


def _exit(parent: Any) -> Any:
    sys.exit(3)


def _cancelled(parent: Any) -> Any:
    raise asyncio.CancelledError


async def _cancelled_later(parent: Any) -> Any:
    raise asyncio.CancelledError


# A TimeoutError of a library has no line of the user's.
_library = eval(compile("lambda parent: (_ for _ in ()).throw(TimeoutError('theirs'))", sys.prefix + "/x.py", "eval"))

RAISING = {
    "exit": (_exit, "raised SystemExit: 3"),
    "cancelled": (_cancelled, "raised CancelledError"),
    "coroutine": (_cancelled_later, "raised CancelledError"),
    "library": (_library, "raised TimeoutError: theirs"),
}


@pytest.mark.parametrize("pace", [{}, {"at_once": 2}, {"timeout": 60.0}], ids=["here", "loop", "timeout"])
@pytest.mark.parametrize("case", RAISING)
def test_whatever_a_generator_raises_is_reported(case: str, pace: dict[str, Any]) -> None:
    generate, message = RAISING[case]
    search = po.GeneratedSearch(generate, pace=po.Pace(retries=0, **pace))
    with pytest.raises(po.GeneratorError, match=message):
        search.run(1)
    assert not search.under_way


def test_retries_keep_the_rate_and_what_is_postponed_reserves_nothing() -> None:
    search = po.GeneratedSearch(lambda parent: (1, 0.5), pace=po.Pace(rate=0.01, backoff=1000.0))
    run = CallRun(search, None, None)
    assert list(run.pauses(0)) == [0.0]
    back_off, rate = run.pauses(3)
    assert back_off == 3600.0  # 1000 s, doubled twice, is more than an hour
    assert 0 < rate <= 100.0
    short, reserved = CallRun(search, 0.0, None), search.meter._next
    assert list(short.pauses(0)) == []
    assert short.out_of_time
    assert search.meter._next == reserved


def test_failures_at_the_same_time_are_all_looked_at() -> None:
    complaints: list[Any] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        both = asyncio.Barrier(2)

        async def generate(parent: Any, call: po.Call) -> tuple[int, float]:
            await both.wait()
            return call.number, 0.5

        def progress(search: po.GeneratedSearch) -> None:
            raise LookupError("progress")

        search = po.GeneratedSearch(generate, pace=po.Pace(at_once=2))
        with pytest.raises(LookupError):
            await search.run_async(2, progress=progress)

    asyncio.run(main())
    assert not complaints


def test_the_call_is_passed_by_name() -> None:
    def only_named(parent: Any, *, call: po.Call) -> tuple[int, float]:
        return call.number, 0.5

    def third(parent: Any, heat: float = 0.25, call: Any = None) -> tuple[int, float]:
        return call.number, heat

    def by_place(parent: Any, call: po.Call, /) -> tuple[int, float]:
        return call.number, 0.5

    for generate in (only_named, third, by_place):
        assert po.GeneratedSearch(generate, pace=po.Pace(retries=0)).run(2).nodes == 2
    with pytest.raises(po.SettingsError, match="expected \\(parent\\) or \\(parent, call\\)"):
        po.GeneratedSearch(lambda parent, *, heat: (1, heat))


def test_a_hung_call_does_not_outlast_the_seconds_of_a_run() -> None:
    hang = asyncio.Event

    async def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        if hangs:
            await hang().wait()
        return call.number, 0.5

    hangs = True
    search = po.GeneratedSearch(generate, pace=po.Pace(at_once=2), seed=1)
    result = search.run(2, seconds=0.1)
    assert (result.stopped, result.nodes) == ("seconds", 0)
    hangs = False
    assert search.run(2).nodes == 2  # the same calls, made again


class Says:
    """A model that gives the same answer each time, for 1,000 tokens."""

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    def answer(self, system: str, user: str) -> Completion:
        return Completion(self._texts.pop(0) if len(self._texts) > 1 else self._texts[0], 1000)


def test_scores_are_read_from_texts() -> None:
    assert [score_in(text) for text in (".8", "0.8.", "Score: -1e-2", "3-5", "v2.5 gets 7", "1/2 done: 4")] == [
        0.8,
        0.8,
        -0.01,
        5.0,
        7.0,
        4.0,
    ]
    for text, message in (("8/10", "ends in a fraction"), ("about 8 / 10.", "a fraction"), ("good", "has no number")):
        with pytest.raises(po.GeneratorError, match=message):
            score_in(text)


def test_answers_that_can_not_be_read_cost_what_they_cost() -> None:
    pace = po.Pace(retries=2, backoff=0.0, failures=5)
    propose = po.proposer(str, lambda text, parent: int(text), model=Says("good"), price=1.0)
    result = po.GeneratedSearch(propose, pace=pace).run(3)
    assert (result.cost, result.generators["propose"].tokens) == (9.0, 9000)

    propose = po.proposer(str, lambda text, parent: int(text), model=Says("good", "bad", "7"), price=1.0)
    judge = po.judge(str, model=Says("8/10", "0.8"), price=1.0)
    search = po.GeneratedSearch(propose, evaluate=judge, pace=pace)
    result = search.run(1)
    assert (result.cost, result.generators["propose"].tokens, result.generators["evaluate"].tokens) == (5.0, 3000, 2000)
    assert search.nodes[1].cost == 5.0


def test_a_judge_that_is_under_way_counts_at_its_own_cost() -> None:
    def judge(state: Any) -> float:
        if search.calls == 2 and not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        return 0.5

    interrupted: list[bool] = []
    search = po.GeneratedSearch(
        lambda parent, call: po.Answer(call.number), evaluate=judge, prices={"generate": 1.0, "evaluate": 0.1}
    )
    with pytest.raises(KeyboardInterrupt):
        search.run(2)
    assert search.run(2, cost=2.25).nodes == 2  # 2.1 are spent, and the judge's 0.1 is all that is needed


def test_a_result_stays_as_it_is() -> None:
    search = po.GeneratedSearch(lambda parent, call: (call.number, 0.5))
    first = search.run(3)
    search.run(6)
    assert first.generators["generate"].calls == first.generators["generate"].scores.count == 3
    assert "stopped" not in str(search.result())
    assert str(first).splitlines()[0].endswith("; stopped by calls")


def test_asking_and_telling_from_several_threads() -> None:
    search = po.GeneratedSearch(lambda parent: (1, 0.5), seed=1)
    numbers: list[int] = []

    def work() -> None:
        for _ in range(50):
            call = search.ask()
            numbers.append(call.number)
            search.tell(call, (call.number, 0.5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 201))
    assert len(search.nodes) == 201


def test_a_search_that_runs_is_not_asked() -> None:
    refused: list[str] = []

    def look(search: po.GeneratedSearch) -> None:
        with pytest.raises(po.BusyError, match="running already") as caught:
            search.ask()
        refused.append(str(caught.value))

    assert po.GeneratedSearch(lambda parent, call: (call.number, 0.5)).run(2, progress=look).nodes == 2
    assert len(refused) == 2
