"""`Workers`: hands out jobs, repeats those of a worker that died, and passes on each result once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count as numbers
from typing import Any

from playout.errors import GameError

from .cluster import Cluster
from .figures import Figures
from .processes import DOCTOR, Processes
from .site import CrewMember, Event, Site, Worker

LOOK_SECONDS = 0.25  # between two looks at who has ended or joined
TRIES = 5  # workers that may die with one job before the job is blamed, or one after the other before they are ready


class Workers:
    """Workers for the jobs of one driver: in processes, or with `ray` (an address, `auto` or `local`) on a cluster.

    `make` is sent to each of them and makes its worker there; `count` of them (on a cluster, None: one for each of its
    CPUs, and at most `most`). `needs` is what jobs refer to beside `make`: users' files that define it are sent along
    to other machines.
    Jobs must give the same result wherever and however often they are played.
    """

    def __init__(
        self,
        make: Callable[[], Worker],
        count: int | None,
        what: str,
        advice: str = "",
        doctor: str = DOCTOR,
        *,
        ray: str | None = None,
        needs: Any = None,
        most: int | None = None,
        ahead: int | None = None,
    ) -> None:
        self.site: Site
        if ray is not None:
            self.site = Cluster(ray, make, count, what, advice, needs, most)
        else:
            assert count is not None
            self.site = Processes(make, count, what, advice, doctor)
        self.ahead = self.site.ahead if ahead is None else min(ahead, self.site.ahead)
        self.figures = Figures(self.site)
        self._tickets = numbers()
        self._never_ready = 0  # workers that died before they were ready, one after the other
        self._lost: dict[int, int] = {}  # how often a job's worker died, by ticket
        self._again: deque[tuple[int, tuple[Any, ...]]] = deque()

    def wait(self, watch: Callable[[], None] = lambda: None) -> None:
        """Wait until a worker is there: on a cluster that takes seconds, which are not to be counted as work.

        `watch` is called now and then, at least once.
        """
        watch()
        while not any(member.is_ready for member in self.site.members):
            for event in self.site.wait(LOOK_SECONDS):
                if event.lost:
                    self._replace(event)
            watch()

    def waves(self, jobs: int) -> int:
        """How many jobs one worker plays after the other, where all ready workers share this many."""
        ready = sum(member.is_ready for member in self.site.members)
        return max(1, -(-jobs // max(1, ready)))

    def play(self, jobs: Iterable[tuple[Any, ...] | None], finished: Callable[[Any], bool]) -> None:
        """Hand out the jobs in order, and pass results to `finished` as they come, until it returns True; then end.

        A job that is None means that the next one depends on a result still to come.
        """
        try:
            self._work(iter(jobs), lambda ticket, answer: finished(answer), lambda: None)
        finally:
            self.close()

    def share(self, jobs: Sequence[tuple[Any, ...]], watch: Callable[[], None] = lambda: None) -> list[Any]:
        """The results of the jobs, in their order. `watch` is called now and then."""
        first = next(self._tickets) + 1
        found: dict[int, Any] = {}

        def finished(ticket: int, answer: Any) -> bool:
            found[ticket - first] = answer
            return False

        self._work(iter(jobs), finished, watch)
        return [found[number] for number in range(len(jobs))]

    def _work(
        self,
        jobs: Iterator[tuple[Any, ...] | None],
        finished: Callable[[int, Any], bool],
        watch: Callable[[], None],
    ) -> None:
        site = self.site
        while self._give(jobs):
            for event in site.wait(LOOK_SECONDS):
                if event.lost:
                    self._replace(event)
                    continue
                if event.member.under_way.pop(event.ticket, None) is None:
                    continue  # it was given to another worker meanwhile
                if isinstance(event.answer, Exception):
                    raise event.answer
                self.figures.done += 1
                if finished(event.ticket, event.answer):
                    return
            watch()
            self.figures.say()

    def _give(self, jobs: Iterator[tuple[Any, ...] | None]) -> bool:
        """Hand jobs to all workers that have room, those with the fewest first; returns whether any are left."""
        ready = [member for member in self.site.members if member.is_ready]
        for load in range(self.ahead):
            for member in ready:
                if len(member.under_way) > load:
                    continue
                ticket, job = self._again.popleft() if self._again else (-1, next(jobs, None))
                if job is None:
                    return self._is_busy()
                ticket = next(self._tickets) if ticket < 0 else ticket
                member.under_way[ticket] = job
                self.site.send(member, ticket, job)
        return self._is_busy() or not ready

    def _is_busy(self) -> bool:
        return any(member.under_way for member in self.site.members)

    def _replace(self, event: Event) -> None:
        """Start another worker, and repeat what the lost one had under way, in the order it was sent."""
        member: CrewMember = event.member
        lost, member.under_way = member.under_way, {}
        for ticket, job in reversed(lost.items()):
            self._again.appendleft((ticket, job))
        if lost:  # the first was being played; others only waited there
            ticket = next(iter(lost))
            self._lost[ticket] = self._lost.get(ticket, 0) + 1
            if self._lost[ticket] >= TRIES:
                raise GameError(f"{event.lost} ({TRIES} times with the same job)")
        self._never_ready = 0 if member.is_ready else self._never_ready + 1
        if self._never_ready >= TRIES:
            self._never_ready = 0
            why = f"{event.lost} ({TRIES} in a row before they were ready)"
            if not any(other.is_ready for other in self.site.members):
                raise GameError(why)
            self.site.leave_out(member, why)
            return
        self.figures.restarts += 1
        self.figures.repeated += len(lost)
        self.site.replace(member)

    def close(self) -> None:
        """End all workers."""
        if self.site.members:
            self.figures.say(now=True)
        self.site.close()
