"""When a run of a generated search ends, and what it is expected to cost."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from playout.common.arguments import plain, whole_from
from playout.common.declare import check_number
from playout.errors import SettingsError

from .calls import Call
from .policies import Budget
from .result import CallEstimate

if TYPE_CHECKING:
    from .books import Books

MOST_CALLS = 10**9
ROUNDING = 1e-9


@dataclass
class CallLimits:
    """A run ends at the first of these; None: no such limit."""

    calls: int | None
    cost: float | None
    seconds: float | None
    target: float | None
    stopped: str = field(default="", init=False)  # which of them ended the run

    def __post_init__(self) -> None:
        if self.calls is None and self.cost is None and self.seconds is None:
            raise SettingsError("no limit given: say how long to search, as calls, cost or seconds")
        if self.calls is not None:
            self.calls = whole_from(self.calls, "limit calls", most=MOST_CALLS)
        for name in ("cost", "seconds"):
            value = plain(getattr(self, name))
            if value is None:
                continue
            check_number(f"limit {name}", value)
            if value <= 0:
                raise SettingsError(f"limit {name} is {value!r}, expected a number above 0")
            setattr(self, name, float(value))
        if self.target is not None:
            check_number("target", plain(self.target))

    def budget(self, search: "Books") -> Budget:
        """The calls that there will be in all, as far as the limits tell."""
        total = self.calls
        mean = _mean_cost(search)
        if self.cost is not None and mean:
            affordable = search.calls + max(0, int((self.cost - search.cost) / mean + ROUNDING))
            total = affordable if total is None else min(total, affordable)
        return Budget(search.calls, total)

    def affords(self, search: "Books", call: Call) -> bool:
        """Whether a call, with those under way, is expected to stay within the cost."""
        if self.cost is None:
            return True
        calls = search.under_way if search.is_open(call) else [*search.under_way, call]
        under_way = sum(expected_cost(search, one.generator if one.phase == "generate" else None) for one in calls)
        return search.cost + under_way <= self.cost * (1.0 + ROUNDING)


def expected_cost(search: "Books", generator: str | None) -> float:
    """What a call and the evaluation of its answer cost: the mean so far, or the price given. None: the evaluation
    alone."""
    found = 0.0
    for stats in (None if generator is None else search.stats.get(generator), search.judge):
        if stats is not None:
            found += stats.cost / stats.calls if stats.calls else search.prices.get(stats.name, 0.0)
    return found


def _mean_cost(search: "Books") -> float:
    costs = [expected_cost(search, name) for name in search.generators]
    return sum(costs) / len(costs)


def estimate(search: "Books", limits: CallLimits) -> CallEstimate:
    """What a run would ask for and cost, without a call."""
    costs = [expected_cost(search, name) for name in search.generators]
    known = any(costs)
    mean = _mean_cost(search)
    calls = limits.calls
    left = None if calls is None else max(0, calls - search.calls)
    if limits.cost is not None and known:
        affordable = max(0, int((limits.cost - search.cost) / mean + ROUNDING))
        left = affordable if left is None else min(left, affordable)
    if left is None:
        return CallEstimate(None, None, None, None, None)
    took = [stats.seconds / stats.calls for stats in search.stats.values() if stats.calls]
    each = (sum(took) / len(took) if took else 0.0) + (
        search.judge.seconds / search.judge.calls if search.judge.calls else 0.0
    )
    paces = [each / search.pace.at_once] if took else []
    paces += [1.0 / search.pace.rate] if search.pace.rate else []
    seconds = left * max(paces) if paces else None
    if not known:
        return CallEstimate(left, None, None, None, seconds)
    return CallEstimate(left, left * mean, left * min(costs), left * max(costs), seconds)
