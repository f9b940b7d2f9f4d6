"""Thousands of small games, most of them wrong somewhere: a right result, or one line that says what is wrong.

`PLAYOUT_FUZZ_GAMES=2000 pytest tests/game/test_fuzz_games.py` runs the full number; the suite runs a few.
"""

import contextlib
import math
import os
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, event, example, given, note, settings
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from playout.doctor import speed
from tests.sizes import FULL_SIZE

from . import fuzz_games
from .fuzz_games import (
    CHANGES,
    MISTAKES,
    NODE_ANSWERS,
    RAISES,
    RULES,
    WRONG_ANSWERS,
    Fuzz,
    Fuzzed,
    FuzzedNode,
    FuzzedRewards,
    FuzzedStones,
    exact,
)

GAMES = int(os.environ.get("PLAYOUT_FUZZ_GAMES", "60" if FULL_SIZE else "20"))
SIMULATIONS = 200 if COMPILED else 40
SEARCHES = (
    po.Settings(),
    po.Settings(evaluator=po.Rollouts(depth=2)),
    po.Settings(evaluator=po.Rollouts(guided=True)),
    po.Settings(policy=po.PUCT(1.5), evaluator=po.Static()),
    po.Settings(evaluator=po.Mixed(0.5)),
    po.Settings(transpositions=True),
    po.Settings(expansion=po.Widening(1, 1.0, 0.5, 3), solver=False),
)
# Hypothesis hears of every garbage collection; an interrupt that arrives there is told as a warning, and sent again.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
fuzzed = settings(
    max_examples=GAMES // 2,
    deadline=None,
    database=None,
    derandomize=GAMES <= 60,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module", autouse=True)
def without_measuring_speed():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed, "SPEED_SECONDS", 0.0)
        yield


def check_result(result: po.Result, wanted: float | None) -> None:
    """Finite, within the range, and what is proven is true."""
    assert -1.0 <= result.value <= 1.0
    assert sum(action.visits for action in result.actions) <= result.visits
    for action in result.actions:
        assert action.value is None or -1.0 <= action.value <= 1.0
        assert math.isfinite(action.prior)
        assert action.prior >= 0.0
    if result.proven is not None:
        assert -1.0 <= result.proven <= 1.0
        if wanted is not None:
            assert result.proven == pytest.approx(wanted)


@contextlib.contextmanager
def may_refuse(broken: bool) -> Iterator[None]:
    """A broken game may be refused, in one line; what an object itself raised comes out as it is."""
    message = None
    try:
        yield
    except po.PlayoutError as error:
        message = str(error)
    except Fuzz:
        message = "fuzzed"
    except (TypeError, ValueError) as error:  # of the object's own code, given back a wrong action of its own
        if traceback.extract_tb(error.__traceback__)[-1].filename != fuzz_games.__file__:
            raise
        message = "its own"
    if message is not None:
        event("refused")
        assert broken, message
        assert message
        assert "\n" not in message


def check_search(game: po.Game, plan: Any, wanted: float | None) -> None:
    with may_refuse(wanted is None):
        search = po.Search(game, SEARCHES[plan.search], seed=plan.seed)
        result = search.run(simulations=SIMULATIONS, seconds=0.5 if COMPILED else None)
        event("a result")
        check_result(result, wanted)


def check_report(game: Any, broken: bool, surely_found: bool = False) -> None:
    report = po.check_game(game, games=4, max_length=60, rule_seconds=0.3)
    for finding in report.findings:
        assert not re.search(r"\{[a-z_]+[:!}]", finding.what)  # a place in the text that was left open
    if not broken:
        assert report.findings == (), str(report)
    assert not (surely_found and report.ok), str(report)


@dataclass(frozen=True)
class Plan:
    stones: int
    chance: int
    rule: str
    mistake: int
    at: int
    amount: int
    search: int
    seed: int

    @property
    def what(self) -> str:
        return MISTAKES[self.rule][self.mistake - 1] if self.mistake else "nothing"

    @property
    def broken(self) -> bool:
        if self.what == "leaves a place unwritten" and self.rule == "legal_actions" and self.at >= 3:
            return False
        return self.mistake > 0 and (self.rule != "chance_outcomes" or bool(self.chance))

    @property
    def surely_found(self) -> bool:
        """Whether every game goes wrong at its first position, for all to see."""
        return self.broken and self.at == self.stones and self.rule != "chance_outcomes" and self.what not in HIDDEN


# These may do no harm in a random game: nothing is wrong with an action of a large number, or with rewards on the way.
HIDDEN = ("lists a huge action", "rewards too often", "the same for all")
TOO_LONG = ("loops", "changes nothing", "changes the state")  # for a search in plain Python, which nothing interrupts
CASES = [
    (rule, number)
    for rule in RULES
    for number, what in enumerate(("nothing", *MISTAKES[rule]))
    if COMPILED or what not in TOO_LONG
]


@st.composite
def plans(draw: Any) -> Plan:
    rule, mistake = draw(st.sampled_from(CASES))
    stones = draw(st.integers(1, 12))
    return Plan(
        stones=stones,
        chance=1 if rule == "chance_outcomes" else draw(st.integers(0, 1)),
        rule=rule,
        mistake=mistake,
        at=draw(st.just(stones) | st.integers(1, stones)),
        amount=draw(st.sampled_from([1, 2, 5, 60, 1000, 100_000])),
        search=draw(st.integers(0, len(SEARCHES) - 1)),
        seed=draw(st.integers(0, 1000)),
    )


@fuzzed
@given(plans())
@example(Plan(10, 0, "legal_actions", 1, 4, 1000, 0, 1))
@example(Plan(10, 0, "evaluate", 2, 7, 1, 3, 1))
@example(Plan(12, 1, "chance_outcomes", 2, 6, 1, 0, 1))
def test_a_game_gives_a_right_result_or_says_what_is_wrong(plan):
    game = Fuzzed(
        stones=plan.stones,
        chance=plan.chance,
        rule=RULES.index(plan.rule),
        mistake=plan.mistake,
        at=plan.at,
        amount=plan.amount,
    )
    note(repr(plan))
    event(plan.rule if plan.broken else "nothing is wrong")
    check_report(game, plan.broken, plan.surely_found)
    check_search(game, plan, None if plan.broken else exact(plan.stones, False, bool(plan.chance)))


@dataclass(frozen=True)
class ObjectPlan:
    kind: str
    stones: int
    chance: bool
    method: str
    answer: Any
    at: int
    search: int
    seed: int


KINDS = {"stones": FuzzedStones, "rewards": FuzzedRewards, "node": FuzzedNode}


@st.composite
def object_plans(draw: Any) -> ObjectPlan:
    kind, stones = draw(st.sampled_from(list(KINDS))), draw(st.integers(1, 9))
    answers = NODE_ANSWERS if kind == "node" else WRONG_ANSWERS
    method = draw(st.sampled_from(["", *answers]))
    return ObjectPlan(
        kind=kind,
        stones=stones,
        chance=draw(st.booleans()) and kind != "node",
        method=method,
        answer=draw(st.sampled_from([RAISES, CHANGES, *answers[method]])) if method else None,
        at=draw(st.integers(0, stones)),
        search=draw(st.sampled_from([0, 1, 3, 4, 6] if kind != "node" else [0, 3, 6])),
        seed=draw(st.integers(0, 1000)),
    )


@fuzzed
@given(object_plans())
def test_an_object_gives_a_right_result_or_says_what_is_wrong(plan):
    facts = {"value_range": (-1.0, 1.0), "returns_sum": 0.0} if plan.kind != "node" else {}
    note(repr(plan))
    event(f"{plan.kind}: {plan.method or 'nothing is wrong'}")
    with may_refuse(bool(plan.method)):
        game = po.wrap(KINDS[plan.kind](plan, plan.stones), **facts)
        check_report(game, broken=bool(plan.method))
        wanted = exact(plan.stones, False, plan.chance)
        check_search(game, plan, None if plan.method else (wanted + 1) / 2 if plan.kind == "node" else wanted)
