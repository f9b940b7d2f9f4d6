"""Workers in processes of this machine, which end with their parent, however that ends."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import connection, resource_tracker
from typing import Any

from playout.common.sources import Loaded
from playout.errors import GameError, PlayoutError, SettingsError
from playout.search.compiling import OURS, compiling

from .figures import memory_of
from .site import CrewMember, Event, Site, Worker

UNGUARDED = 64  # the exit code of a process that was about to start others while it imports
GUARD = (
    "this script is imported by every process that it starts, and would start them again; put the call under "
    '`if __name__ == "__main__":`'
)
DOCTOR = "playout.check_game(game)"
KILLED = (-9, -15)  # exit codes after which a job is worth another try: it was not the job's own fault


class ProcessMember(CrewMember):
    """A process, and the line to it."""

    def __init__(self, line: Any, process: Any) -> None:
        super().__init__()
        self.line, self.process = line, process
        self.is_ready = True  # what is sent early waits in the line


class Processes(Site):
    """Workers in processes. `make` is sent to each process, and makes its worker there."""

    ahead = 1

    def __init__(self, make: Callable[[], Worker], count: int, what: str, advice: str, doctor: str) -> None:
        check_not_importing()
        compiling.say()  # the processes print nothing
        super().__init__(what)
        self.make, self.advice, self.doctor = make, advice, doctor
        try:
            with shielded():
                for _ in range(count):
                    self._start()
        except BaseException:
            for process in self.processes:
                process.kill()
            raise

    @property
    def processes(self) -> list[Any]:
        """The processes that run now."""
        return [member.process for member in self.members if isinstance(member, ProcessMember)]

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads and compilers in any state
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(Loaded(), self.make, self.what, theirs), daemon=True)
        process.start()
        theirs.close()
        self.members.append(ProcessMember(ours, process))

    def send(self, member: Any, ticket: int, job: tuple[Any, ...]) -> None:
        with contextlib.suppress(OSError):  # a broken line is noticed when it is read
            member.line.send(job)

    def wait(self, seconds: float) -> list[Event]:
        members: list[Any] = self.members
        busy = {member.line: member for member in members if member.under_way}
        found: list[Event] = []
        ready: list[Any] = connection.wait(list(busy), timeout=seconds)
        for line in ready:
            member = busy[line]
            try:
                answer, memory = line.recv()
            except (EOFError, OSError):
                found.append(self._lost(member))
                continue
            member.memory = memory
            found.append(Event(member, next(iter(member.under_way)), answer))
        return found

    def _lost(self, member: Any) -> Event:
        member.process.join(5.0)
        code = member.process.exitcode
        if code == UNGUARDED:
            raise SettingsError(GUARD) from None
        reason = f"a process of {self.what} {ending(code, self.doctor)}{self.advice}"
        if code not in KILLED:
            raise GameError(reason) from None
        return Event(member, lost=reason)

    def replace(self, member: Any) -> None:
        self.members.remove(member)
        member.line.close()
        member.process.close()
        with shielded():
            self._start()

    def close(self) -> None:
        members: list[Any] = self.members
        for member in members:
            member.line.close()  # a worker ends at once, with its engines, when its line is closed
        for member in members:
            member.process.join(5.0)
            if member.process.is_alive():
                member.process.kill()
                member.process.join()
            member.process.close()
        self.members = []


def _work(files: Loaded, make: Callable[[], Worker], what: str, line: Any) -> None:
    """What a worker's process runs: receive jobs and send back results, until the line is closed.

    `files` comes first: unpickling it imports what `make` refers to.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    jobs: list[Any] = []
    there = threading.Semaphore(0)
    workers: list[Worker] = []

    def listen() -> None:
        """Runs in a thread, so that the end of the parent is noticed in the middle of a game."""
        try:
            while True:
                jobs.append(line.recv())
                there.release()
        except (EOFError, OSError):
            for worker in workers:
                worker.close()
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    try:
        workers.append(make())
        while True:
            there.acquire()
            line.send((workers[0].play(*jobs.pop(0)), memory_of()))
    except Exception as error:  # noqa: BLE001 - the parent reports it
        known = isinstance(error, PlayoutError)
        with contextlib.suppress(OSError):  # the parent may be gone: then `listen` ends this process
            failed = f"a process of {what} failed: {type(error).__name__}: {error}"
            line.send((error if known else GameError(failed), memory_of()))
    threading.Event().wait()  # until the parent has read it and closes the line


# How processes begin and end.


def ending(code: int | None, doctor: str) -> str:
    """How a process ended, with a hint.

    >>> ending(-9, "playout doctor nim")
    'was killed (exit code -9), possibly out of memory'
    """
    if code == -9:
        return "was killed (exit code -9), possibly out of memory"
    if code in (-11, -7):
        return (
            f"crashed (exit code {code}): most likely a rule of the game reads or writes out of bounds; "
            f"`{doctor}` finds such rules"
        )
    return f"ended by itself (exit code {code})"


def check_not_importing() -> None:
    """Stop a script without a guard, which each process that it starts would run again."""
    if not getattr(multiprocessing.current_process(), "_inheriting", False):  # the check that multiprocessing uses
        return
    if os.environ.get(OURS):
        raise SystemExit(UNGUARDED)  # silently: the parent prints the message once
    raise SettingsError(GUARD)


@contextlib.contextmanager
def interrupts_wait() -> Iterator[None]:
    """Delay Ctrl-C until the end, so that no import or start is left half done."""
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if before is None:
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def shielded() -> Iterator[None]:
    """Start processes that never see Ctrl-C, not even while they import."""
    mask = None
    os.environ[OURS] = "1"
    with interrupts_wait():
        try:
            if hasattr(signal, "pthread_sigmask"):  # blocked signals are inherited, handlers are not
                resource_tracker.ensure_running()  # first: it would unblock the signal
                mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            yield
        finally:
            del os.environ[OURS]
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
