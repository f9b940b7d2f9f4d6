"""Workers without a cluster: addresses, figures, and what is lost before it is ready."""

import re
import sys
from typing import Any

import pytest

from playout.cli import main
from playout.errors import GameError, SettingsError
from playout.workers import workers as workers_module
from playout.workers.cluster import check_address
from playout.workers.figures import Figures
from playout.workers.site import CrewMember, Event, Site, listeners
from playout.workers.workers import TRIES, Workers

pytestmark = pytest.mark.compiled_only


class FailingSite(Site):
    """A site whose first workers end before they are ready, `failures` of them."""

    ahead = 1
    is_local = False

    def __init__(self, failures: int) -> None:
        super().__init__("the test")
        self.failures, self.members = failures, [CrewMember()]

    def send(self, member: Any, ticket: int, job: tuple[Any, ...]) -> None:
        """Jobs are answered in `wait`."""

    def wait(self, seconds: float) -> list[Event]:
        member = self.members[0]
        if self.failures:
            self.failures -= 1
            return [Event(member, lost="a worker of the test died")]
        member.is_ready = True
        return [Event(member, ticket, job[0] + 1) for ticket, job in member.under_way.items()]

    def replace(self, member: Any) -> None:
        self.members = [CrewMember()]

    def close(self) -> None:
        """Nothing to close."""


def workers_on(site: Site, monkeypatch: pytest.MonkeyPatch) -> Workers:
    monkeypatch.setattr(workers_module, "Cluster", lambda *arguments: site)
    return Workers(lambda: None, 1, "the test", ray="auto")  # type: ignore[arg-type, return-value]


def test_a_worker_that_dies_before_it_is_ready_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = workers_on(FailingSite(2), monkeypatch)
    workers.wait()
    assert workers.share([(1,), (2,)]) == [2, 3]
    assert workers.figures.restarts == 2


def test_workers_that_die_one_after_the_other_before_they_are_ready_end_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = f"a worker of the test died ({TRIES} in a row before they were ready)"
    with pytest.raises(GameError, match=re.escape(expected)):
        workers_on(FailingSite(TRIES), monkeypatch).wait()


def test_where_others_work_a_worker_that_never_starts_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr("playout.workers.site.listeners", [lines.append])
    site = FailingSite(0)
    workers = workers_on(site, monkeypatch)
    site.members[0].is_ready = True
    for _ in range(TRIES):
        site.members[1:] = [CrewMember()]
        monkeypatch.setattr(site, "replace", site.members.remove)
        workers._replace(Event(site.members[1], lost="a worker of the test died"))
    assert len(site.members) == 1
    assert [line["left_out"][:25] for line in lines] == ["a worker of the test died"]
    assert workers.share([(1,)]) == [2]


def test_figures_are_told_of_clusters_only_and_a_command_forgets_who_listens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, Any]] = []
    monkeypatch.setattr("playout.workers.figures.listeners", [lines.append])
    site = FailingSite(0)
    Figures(site).say(now=True)
    site.is_local = True
    Figures(site).say(now=True)
    assert len(lines) == 1
    monkeypatch.undo()
    monkeypatch.setattr("playout.cli.options.load_ray", lambda: None)
    assert main(["analyze", "tictactoe", "-n", "5", "--ray", "local"]) == 2
    assert "this search grows one tree" in capsys.readouterr().err
    assert listeners == []


@pytest.mark.parametrize("address", ["", "here", "host:", ":6379", "host:99999", "ray://host:10001"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="expected HOST:PORT of a cluster that runs"):
        check_address(address)


def test_without_the_package_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["arena", "tictactoe", "random", "random", "--db", "none", "--ray", "auto"]) == 2
    assert capsys.readouterr().err == "playout: --ray needs the package ray; pip install 'playout[ray]'\n"


def test_jobs_are_played_in_waves(monkeypatch: pytest.MonkeyPatch) -> None:
    site = FailingSite(0)
    workers = workers_on(site, monkeypatch)
    assert workers.waves(3) == 3  # as if one were there
    site.members = [CrewMember() for _ in range(4)]
    for member in site.members[:3]:
        member.is_ready = True
    assert [workers.waves(jobs) for jobs in (0, 1, 3, 4, 7)] == [1, 1, 1, 2, 3]
