"""What a search with several roots sends to workers, without any."""

from collections.abc import Callable
from typing import Any

import pytest

import playout as po
from playout.errors import SettingsError
from playout.search.limits import Limits
from playout.settings import Settings
from playout.workers import roots
from playout.workers.roots import RootsSetup

pytestmark = pytest.mark.compiled_only


class TwoWorkers:
    """Takes jobs for two workers and stops the search instead of playing them."""

    jobs: list[tuple[Any, ...]]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        """Nothing to start."""

    def wait(self, watch: Callable[[], None]) -> None:
        watch()

    def waves(self, jobs: int) -> int:
        return -(-jobs // 2)

    def share(self, jobs: list[tuple[Any, ...]], watch: Callable[[], None]) -> list[Any]:
        TwoWorkers.jobs = jobs
        raise roots._StopError

    def close(self) -> None:
        """Nothing to close."""


def test_trees_that_wait_for_each_other_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "Workers", TwoWorkers)
    setup = RootsSetup(po.games.load("tictactoe"), Settings(roots=6))
    assert setup.run(setup.search(), Limits(seconds=3000.0), workers=2).stopped_by == "stop"
    times = [limits.seconds for *_, limits in TwoWorkers.jobs]
    assert len(times) == 6
    assert all(0 < seconds <= 1000 for seconds in times)


def test_ctrl_c_while_the_workers_start_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roots, "Workers", TwoWorkers)
    setup = RootsSetup(po.games.load("tictactoe"), Settings(roots=2))
    search = setup.search()
    search.stop()
    with pytest.raises(KeyboardInterrupt):
        setup.run(search, Limits(100), workers=2)


def test_trees_that_depend_on_where_a_run_is_cut_are_refused() -> None:
    outside = po.Outside(lambda planes: (None, [[0.0, 0.0]] * len(planes)), batch=4)
    setup = RootsSetup(po.games.load("tictactoe"), Settings(roots=2, evaluator=outside))
    with pytest.raises(SettingsError, match=r"^--ray: this search asks its network for batches .*; give batch=1$"):
        setup.run(setup.search(), Limits(100), ray="auto")
