"""Where workers are: what processes and a Ray cluster have in common."""

import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from playout.errors import PlayoutError, SettingsError

listeners: list[Callable[[dict[str, Any]], None]] = []  # each gets the figures of all workers, now and then


class Worker(Protocol):
    """Plays one job after the other, in its own process."""

    def play(self, *job: Any) -> Any:
        """What comes of a job. The same job gives the same, whichever worker plays it, and however often."""

    def close(self) -> None:
        """End what the worker has started."""


class CrewMember:
    """One worker as its driver sees it."""

    def __init__(self) -> None:
        self.under_way: dict[int, tuple[Any, ...]] = {}  # jobs that were sent and not answered, by ticket
        self.is_ready = False  # whether it can be sent jobs
        self.memory = 0  # bytes, when it last answered
        self.machine = ""


@dataclass(frozen=True)
class Event:
    """An answer to a job, or the end of a worker."""

    member: CrewMember
    ticket: int = -1
    answer: Any = None
    lost: str = ""  # why the worker ended


class Site(ABC):
    """The workers of one driver, and how jobs get to them. The driver alone knows what is under way."""

    ahead: ClassVar[int]  # jobs under way for each worker, at most
    is_local = True  # whether workers see the files of this machine

    def __init__(self, what: str) -> None:
        self.what = what
        self.members: list[CrewMember] = []

    @property
    def machines(self) -> int:
        """On how many machines there are workers."""
        return 1

    @abstractmethod
    def send(self, member: Any, ticket: int, job: tuple[Any, ...]) -> None:
        """Send a job; an answer comes as an event. A worker that has ended meanwhile is noticed by `wait`."""

    @abstractmethod
    def wait(self, seconds: float) -> list[Event]:
        """What has happened, after at most this long."""

    @abstractmethod
    def replace(self, member: Any) -> None:
        """Start a worker instead of one that has ended."""

    def leave_out(self, member: Any, why: str) -> None:
        """Go on without a worker that can't start."""
        self.members.remove(member)
        for listener in listeners:
            listener({"workers": self.what, "left_out": why})

    @abstractmethod
    def close(self) -> None:
        """End all workers."""

    def shared(self, data: bytes) -> Any:
        """What stands in jobs for data that many of them need: it travels once to each machine."""
        return data


def can_be_sent(thing: Any) -> bool:
    """Whether it can be pickled: what is defined in a notebook or a function can't."""
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError, PlayoutError):
        return False
    return True


def check_can_travel(thing: Any, title: str) -> None:
    """Refuse what can't be sent to another machine."""
    if not can_be_sent(thing):
        raise SettingsError(
            f"{title} can't be sent to another machine; define the game as a class of a file (of a Python object: name "
            f"what makes it, as file.py:name)"
        )
