"""Coroutines as evaluators: answers in any order, failures, time-outs, and what else can go wrong there."""

import asyncio

import pytest

import playout as po
from playout.errors import EvaluatorError, SettingsError
from tests.games.toy_games import Nim

from .test_batches import CONNECT4, is_clean, noisy, noisy_leaf, outside


def test_coroutines_answer_in_any_order():
    order = []

    async def evaluate(leaf):
        await asyncio.sleep(0.001 * (leaf.number % 3))
        order.append(leaf.number)
        return noisy_leaf(leaf.position)

    search = po.Search(CONNECT4, outside())
    result = asyncio.run(search.run_async(evaluate, simulations=60, at_once=6))
    assert (result.simulations, result.stopped_by) == (60, "simulations")
    assert order != sorted(order)
    assert is_clean(search)


def test_a_coroutine_can_be_the_evaluator_of_the_settings():
    async def evaluate(leaf):
        return None, 0.0

    search = po.Search(CONNECT4, outside(evaluate))
    assert asyncio.run(search.run_async(simulations=20)).simulations == 20
    with pytest.raises(SettingsError, match="is a coroutine"):
        search.run(10)


def test_failures_of_coroutines_are_taken_back():
    async def evaluate(leaf):
        if leaf.number % 4 == 0:
            raise ValueError("too busy")
        return None, 0.0

    search = po.Search(CONNECT4, outside())
    result = asyncio.run(search.run_async(evaluate, simulations=30, failures=1000))
    assert result.simulations == 30
    assert is_clean(search)
    with pytest.raises(EvaluatorError, match="raised ValueError: too busy for <Leaf"):
        asyncio.run(search.run_async(evaluate, simulations=30))
    assert is_clean(search)


def test_a_coroutine_that_hangs_is_given_up():
    async def evaluate(leaf):
        await asyncio.sleep(3600)

    search = po.Search(CONNECT4, outside())
    with pytest.raises(EvaluatorError, match=r"gave no answer within 0\.05 s"):
        asyncio.run(search.run_async(evaluate, simulations=5, timeout=0.05))
    assert is_clean(search)


def test_a_cancelled_run_leaves_no_mark():
    async def evaluate(leaf):
        await asyncio.sleep(3600 if leaf.number > 5 else 0)
        return None, 0.0

    async def main(search):
        task = asyncio.ensure_future(search.run_async(evaluate, simulations=50, at_once=4))
        while search.simulations < 5:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    search = po.Search(CONNECT4, outside())
    asyncio.run(main(search))
    assert search.simulations == 5
    assert is_clean(search)


def test_a_proof_ends_a_run_of_coroutines():
    async def evaluate(leaf):
        return None, 0.0

    search = po.Search(Nim(stones=5), outside())
    result = asyncio.run(search.run_async(evaluate, simulations=10_000))
    assert (result.stopped_by, result.proven, result.best) == ("proven", 1.0, 1)


def test_a_function_runs_beside_the_event_loop():
    search = po.Search(CONNECT4, outside(noisy))
    assert asyncio.run(search.run_async(simulations=40)).simulations == 40


def test_a_function_that_raises_before_there_is_a_coroutine_is_a_failure_like_any_other():
    def evaluate(leaf):
        if leaf.number == 20:
            raise TimeoutError("no route")
        return answer()

    async def answer():
        return None, 0.0

    search = po.Search(CONNECT4, outside())
    with pytest.raises(EvaluatorError, match="raised TimeoutError: no route for <Leaf 20"):
        asyncio.run(search.run_async(evaluate, simulations=300))
    assert is_clean(search)
    done = search.simulations
    assert asyncio.run(search.run_async(evaluate, simulations=300)).simulations == 300
    assert search.simulations == done + 300


def test_what_is_no_coroutine_is_refused():
    search = po.Search(CONNECT4, outside())
    with pytest.raises(SettingsError, match="the evaluator is 5, expected a coroutine function"):
        asyncio.run(search.run_async(5, simulations=5))
    with pytest.raises(EvaluatorError, match="returned 7, expected a coroutine to await"):
        asyncio.run(search.run_async(lambda leaf: 7, simulations=5))
    for wrong in ({"timeout": "x"}, {"timeout": 0}, {"failures": -1}, {"failures": 1.5}, {"at_once": 0}):
        with pytest.raises(SettingsError, match=f"{next(iter(wrong))} is "):
            asyncio.run(search.run_async(lambda leaf: 7, simulations=5, **wrong))
    assert is_clean(search)


def test_one_conversation_at_a_time():
    async def evaluate(leaf):
        await asyncio.sleep(0.001)
        return None, 0.0

    async def main(search):
        return await asyncio.gather(
            search.run_async(evaluate, simulations=30),
            search.run_async(evaluate, simulations=30),
            return_exceptions=True,
        )

    search = po.Search(CONNECT4, outside())
    first, second = asyncio.run(main(search))
    assert first.simulations == 30
    assert isinstance(second, SettingsError)
    assert is_clean(search)


def test_leaves_that_somebody_else_asked_for_are_named():
    async def evaluate(leaf):
        return None, 0.0

    search = po.Search(CONNECT4, outside())
    (root,) = search.ask()
    with pytest.raises(SettingsError, match=r"before the leaves that `ask` gave out are answered \(1\)"):
        asyncio.run(search.run_async(evaluate, simulations=5))
    search.tell(root, 0.0)
    assert asyncio.run(search.run_async(evaluate, simulations=5)).simulations == 5
