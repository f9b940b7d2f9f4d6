"""Generated searches: what they find, what they recognise, what they refuse."""

import asyncio
import math
import threading
import time
from typing import Any

import numpy as np
import pytest

import playout as po

from .toys import outline, refine

POLICIES = ["abmcts", po.ABMCTS(kind="beta"), "widening", "halving", "gumbel", "spend"]
NAMES = ["abmcts", "beta", "widening", "halving", "gumbel", "spend"]


@pytest.mark.parametrize("policy", POLICIES, ids=NAMES)
def test_every_policy_improves_on_the_first_answers(policy: Any) -> None:
    search = po.GeneratedSearch(refine, policy=policy, seed=3)
    result = search.run(200)
    assert result.calls == 200
    assert result.stopped == "calls"
    assert result.best is not None
    assert result.best.score > max(n.score for n in list(search.nodes.values())[1:11])
    assert result.best.depth > 1


@pytest.mark.parametrize("policy", POLICIES, ids=NAMES)
def test_the_same_seed_gives_the_same_tree_in_one_run_or_two(policy: Any) -> None:
    first, second = (po.GeneratedSearch(refine, policy=policy, seed=3) for _ in range(2))
    first.run(60)
    second.run(60)
    assert outline(first) == outline(second)
    if policy not in ("halving", "gumbel", "spend"):  # these plan for the calls of the run
        third = po.GeneratedSearch(refine, policy=policy, seed=3)
        third.run(25)
        third.run(60)
        assert outline(first) == outline(third)


@pytest.mark.parametrize("scores", [(0.0, 1.0), (-50.0, 150.0), None], ids=["unit", "wide", "any"])
def test_scores_of_any_range_are_scaled(scores: Any) -> None:
    low, high = scores or (0.0, 1.0)

    def generate(parent: Any, call: po.Call) -> tuple[float, float]:
        state, score = refine(parent, call)
        return state, low + (high - low) * score

    result = po.GeneratedSearch(generate, scores=scores, seed=1).run(80)
    assert result.best is not None
    assert low + 0.5 * (high - low) < result.best.score <= high


def test_a_declared_range_changes_nothing_but_the_units() -> None:
    def times_hundred(parent: Any, call: po.Call) -> tuple[float, float]:
        state, score = refine(parent, call)
        return state, 100 * score

    unit = po.GeneratedSearch(refine, seed=1)
    wide = po.GeneratedSearch(times_hundred, scores=(0, 100), seed=1)
    unit.run(60)
    wide.run(60)
    assert [n[:2] for n in outline(unit)] == [n[:2] for n in outline(wide)]


def test_a_state_proposed_twice_is_one_node() -> None:
    def few(parent: Any, call: po.Call) -> tuple[str, float]:
        return f"{(parent or '')[:1]}{call.number % 3}", 0.5

    search = po.GeneratedSearch(few, seed=1)
    result = search.run(200)
    states = [node.state for node in search.nodes.values()]
    assert len(states) == len(set(states))
    assert result.stopped == "exhausted"
    assert result.calls < 200
    assert result.generators["few"].repeats > 0


def test_a_key_recognises_states_that_differ_in_what_does_not_matter() -> None:
    judged: list[str] = []

    def judge(state: str) -> float:
        judged.append(state)
        return 0.5

    search = po.GeneratedSearch(
        lambda parent, call: po.Answer(f"Answer{' ' * call.number}"), key=str.strip, evaluate=judge, exhausted=3
    )
    assert search.run(50).nodes == 1
    assert len(judged) == 1


def test_unhashable_states_are_compared_by_equality() -> None:
    result = po.GeneratedSearch(lambda parent: ([1, {"a": np.float64(2)}], 0.5), exhausted=2).run(20)
    assert result.nodes == 1


def test_the_search_learns_which_generator_is_good() -> None:
    def of(mean: float) -> Any:
        def generate(parent: Any, call: po.Call) -> tuple[int, float]:
            return call.number, min(1.0, max(0.0, np.random.default_rng(call.seed).normal(mean, 0.1)))

        return generate

    shares = []
    for seed in range(5):
        search = po.GeneratedSearch({"good": of(0.8), "fair": of(0.5), "bad": of(0.2)}, seed=seed)
        shares.append(search.run(100).generators["good"].calls)
    assert np.mean(shares) >= 80


def test_none_says_that_there_is_nothing_more() -> None:
    states = iter([("a", 0.5), ("b", 0.5)])

    def two(parent: Any) -> Any:
        return next(states, None) if parent is None else None

    result = po.GeneratedSearch(two).run(50)
    assert result.stopped == "exhausted"
    assert result.nodes == 2
    assert result.calls == 5  # two states, and each of the three nodes asked once in vain


def test_nothing_is_generated_from_a_final_state() -> None:
    def longer(parent: str, call: po.Call) -> tuple[str, float]:
        return parent + "ab"[call.seed % 2], 0.5

    search = po.GeneratedSearch(longer, "", is_final=lambda text: len(text) == 2, seed=1)
    assert search.run(200).stopped == "exhausted"
    assert max(len(node.state) for node in search.nodes.values()) == 2


def test_a_target_ends_the_run() -> None:
    result = po.GeneratedSearch(refine, seed=1).run(500, target=0.6)
    assert result.stopped == "target"
    assert result.calls < 500


def test_generators_without_scores_are_judged() -> None:
    async def judge(state: int) -> po.Answer:
        return po.Answer(state, state % 10 / 10, cost=0.5)

    search = po.GeneratedSearch(lambda parent, call: po.Answer(call.number, cost=1.0), evaluate=judge)
    result = search.run(20)
    assert result.best is not None
    assert result.best.score == 0.9
    assert result.cost == 30.0
    assert result.generators["evaluate"].calls == 20


def test_equal_states_in_flight_are_judged_once() -> None:
    judged: list[str] = []

    async def slow(parent: Any) -> po.Answer:
        await asyncio.sleep(0)
        return po.Answer("same")

    async def judge(state: str) -> float:
        judged.append(state)
        await asyncio.sleep(0.01)
        return 0.5

    search = po.GeneratedSearch(slow, evaluate=judge, pace=po.Pace(at_once=4), exhausted=4)
    result = search.run(40)
    assert judged == ["same"]
    assert result.nodes == 1


def test_at_most_k_calls_are_under_way() -> None:
    now, most = 0, 0

    async def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return call.number, 0.5

    po.GeneratedSearch(generate, pace=po.Pace(at_once=3)).run(30)
    assert most == 3


def test_plain_functions_run_at_once_in_threads() -> None:
    together = threading.Barrier(3, timeout=60)

    def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        together.wait()
        return call.number, 0.5

    assert po.GeneratedSearch(generate, pace=po.Pace(at_once=3)).run(9).nodes == 9


def test_run_works_inside_an_event_loop() -> None:
    async def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        return call.number, 0.5

    async def main() -> tuple[int, int]:
        search = po.GeneratedSearch(generate)
        return (await search.run_async(5)).nodes, search.run(8).nodes

    assert asyncio.run(main()) == (5, 8)


def test_a_call_that_hangs_is_given_up_and_the_search_goes_on() -> None:
    release = threading.Event()

    def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        if call.number == 2:
            release.wait(60)
        return call.number, 0.5

    pace = po.Pace(timeout=5.0, retries=0)
    search = po.GeneratedSearch(generate, pace=pace)
    with pytest.raises(po.GeneratorError, match=r"^generator 'generate' did not answer within 5 s .*intact"):
        search.run(5)
    release.set()
    assert len(search.nodes) == 2
    assert search.run(5).nodes == 4  # the call that failed counts as one
    assert search.result().generators["generate"].failures == 1


def test_a_call_that_raises_is_tried_again() -> None:
    tries: list[str] = []

    def flaky(parent: Any, call: po.Call) -> tuple[int, float]:
        tries.append(call.key)
        if len(tries) % 3:
            raise ConnectionError("busy")
        return call.number, 0.5

    search = po.GeneratedSearch(flaky, pace=po.Pace(retries=2, backoff=0.001))
    assert search.run(4).nodes == 4
    assert len(tries) == 12
    assert len(set(tries)) == 4  # the key stays the same


def test_the_rate_is_kept() -> None:
    began = time.monotonic()
    po.GeneratedSearch(lambda parent, call: (call.number, 0.5), pace=po.Pace(rate=100.0)).run(6)
    assert time.monotonic() - began >= 0.05


def test_a_rate_too_low_for_the_seconds_ends_the_run_at_once() -> None:
    search = po.GeneratedSearch(lambda parent, call: (call.number, 0.5), pace=po.Pace(rate=0.001))
    result = search.run(10, seconds=60)
    assert result.stopped == "seconds"
    assert result.nodes == 1


def test_a_cost_limit_is_not_overrun() -> None:
    search = po.GeneratedSearch(lambda parent, call: po.Answer(call.number, 0.5, cost=0.3), prices={"generate": 0.3})
    result = search.run(cost=1.0)
    assert result.stopped == "cost"
    assert result.calls == 3
    assert math.isclose(result.cost, 0.9)


def test_a_dry_run_estimates_calls_and_cost() -> None:
    made: list[int] = []

    def generate(parent: Any, call: po.Call) -> po.Answer:
        made.append(call.number)
        return po.Answer(call.number, 0.5, cost=0.02)

    search = po.GeneratedSearch({"a": generate, "b": generate}, prices={"a": 0.01, "b": 0.03}, pace=po.Pace(rate=2.0))
    assert search.estimate(100) == (100, 2.0, 1.0, 3.0, 50.0)
    assert search.estimate(cost=1.0).calls == 50
    assert not made


def test_ask_and_tell_do_what_a_run_does() -> None:
    run, asked = (po.GeneratedSearch(refine, seed=5) for _ in range(2))
    run.run(40)
    for _ in range(40):
        call = asked.ask()
        answer = refine(call.parent.state, call)
        asked.tell(call, answer)
        assert asked.tell(call, (0.123, 0.9)) is asked.nodes[call.number]  # a second answer changes nothing
    assert outline(run) == outline(asked)


class Greedy(po.GeneratePolicy):
    """Generates at the best node."""

    width: float = 3.0

    def weigh(self, node: po.GeneratingNode, rng: np.random.Generator) -> Any:
        weights = node.best.copy()
        weights[po.GENERATE] = 2.0 if len(weights) <= self.width else -1.0
        return weights


def test_a_policy_of_ones_own_weighs_generating() -> None:
    search = po.GeneratedSearch(refine, policy=Greedy(width=2.0), seed=1)
    search.run(50)
    assert max(len(node.children) for node in search.nodes.values()) == 2


def test_a_run_in_progress_can_be_watched_and_stopped() -> None:
    seen: list[int] = []

    def look(search: po.GeneratedSearch) -> None:
        seen.append(len(search.nodes))
        if len(seen) == 7:
            search.stop()

    assert po.GeneratedSearch(refine, seed=1).run(100, progress=look).stopped == "stop"
    assert len(seen) == 7


def broken(answer: Any) -> Any:
    def generate(parent: Any) -> Any:
        return answer(parent) if callable(answer) else answer

    return generate


def _raises(_: Any) -> None:
    raise RuntimeError("no\nmore")


WRONG = {
    "shape": ("text", "returned str 'text', expected \\(state, score\\)"),
    "nan": (("a", math.nan), "score nan, expected a finite number"),
    "range": (("a", 1.5), "score 1.5, which is not within the declared range 0 to 1"),
    "score": (("a", "high"), "score 'high', expected a finite number"),
    "no score": (("a", None), "gave no score, and the search has no evaluate="),
    "cost": (po.Answer("a", 0.5, cost=-1), "a cost of -1, expected a finite number of at least 0"),
    "huge": (("a" * 2_000_000, 0.5), "2,000,000 characters, expected at most 1,000,000"),
    "parent": (lambda parent: (parent, 0.5), "returned the parent itself, perhaps changed in place"),
    "raises": (_raises, "raised RuntimeError: no more \\("),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_refused_in_one_line_and_the_search_is_intact(case: str) -> None:
    answer, message = WRONG[case]
    search = po.GeneratedSearch(broken(answer), ["root"], pace=po.Pace(retries=0))
    with pytest.raises(po.GeneratorError, match=f"^generator 'generate'.*{message}") as caught:
        search.run(3)
    assert "\n" not in str(caught.value)
    assert len(search.nodes) == 1
    assert not search.under_way
    assert not search.root.edges[0].any() or search.root.edges[0, 4] == 0


SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "policy": ({"policy": "abmtcs"}, "did you mean 'abmcts'"),
    "class": ({"policy": po.ABMCTS}, "did you mean ABMCTS\\(\\)"),
    "kind": ({"policy": po.ABMCTS(kind="normal")}, "kind is 'normal', expected 'gaussian' or 'beta'"),
    "scores": ({"scores": (1, 0)}, "expected \\(low, high\\)"),
    "rate": ({"pace": po.Pace(rate=0)}, "pace.rate is 0, expected a number of more than 0"),
    "prices": ({"prices": {"gpt": 1}}, "prices names 'gpt', which is none of"),
    "encode": ({"encode": str}, "belong together"),
    "name": ({"ledgr": "x"}, "did you mean 'ledger'"),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_wrong_settings_are_refused_in_one_line(case: str) -> None:
    given, message = SETTINGS[case]
    with pytest.raises(po.SettingsError, match=message):
        po.GeneratedSearch(refine, **given)


@pytest.mark.parametrize("limits", [{}, {"cost": 0}, {"cost": math.nan}, {"calls": 0}, {"seconds": -1}], ids=str)
def test_wrong_limits_are_refused(limits: dict[str, Any]) -> None:
    search = po.GeneratedSearch(refine)
    with pytest.raises(po.SettingsError, match="limit"):
        search.run(**limits)
    assert search.run(1).nodes == 1


def test_a_policy_without_weigh_is_refused() -> None:
    class Undecided(po.GeneratePolicy):
        pass

    with pytest.raises(po.SettingsError, match=r"policy Undecided has no weigh\(self, node, rng\)"):
        po.GeneratedSearch(lambda parent: (1, 0.5), policy=Undecided())


def test_a_policy_that_plans_needs_to_know_the_calls() -> None:
    with pytest.raises(po.SettingsError, match=r"HalvingCalls plans for a number of calls: run\(calls=…\)"):
        po.GeneratedSearch(refine, policy=po.Halving()).run(seconds=1)
