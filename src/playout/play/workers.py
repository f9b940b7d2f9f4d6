"""Several games at once: processes that play them and end with their parent, however that ends."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection
from typing import Any, NoReturn, Protocol

from playout.common.sources import Loaded
from playout.errors import GameError, PlayoutError, SettingsError
from playout.search.compiling import OURS, compiling

UNGUARDED = 64  # the exit code of a process that was about to start others while it imports
GUARD = (
    "this script is imported by every process that it starts, and would start them again; put the call under "
    '`if __name__ == "__main__":`'
)
DOCTOR = "playout.check_game(game)"


class Worker(Protocol):
    """Plays one game after the other, in a process of its own."""

    def play(self, *job: Any) -> Any: ...

    def close(self) -> None: ...


def can_be_sent(thing: Any) -> bool:
    """Whether another process can get it: what is defined in a notebook or a function can't."""
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError, PlayoutError):
        return False
    return True


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Processes that play games. `make` can be sent to another process, and makes what plays there."""

    def __init__(
        self, make: Callable[[], Worker], count: int, what: str, advice: str = "", doctor: str = DOCTOR
    ) -> None:
        check_not_importing()
        compiling.say()  # they are quiet
        self.what, self.advice, self.doctor = what, advice, doctor
        self.lines: list[Any] = []
        self.processes: list[Any] = []
        try:
            with shielded():
                for _ in range(count):
                    self._start(make)
        except BaseException:
            for process in self.processes:
                process.kill()
            raise

    def _start(self, make: Callable[[], Worker]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads and compilers in any state
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(Loaded(), make, self.what, theirs), daemon=True)
        process.start()
        theirs.close()
        self.lines.append(ours)
        self.processes.append(process)

    def play(self, jobs: Iterable[tuple[Any, ...]], finished: Callable[[Any], bool]) -> None:
        """Hand out the jobs in order and take the games as they come; `finished` says when it is enough."""
        waiting = iter(jobs)
        busy: set[Any] = set()
        try:
            for line in self.lines:
                self._give(line, waiting, busy)
            while busy:
                ready: list[Any] = connection.wait(list(busy))
                for line in ready:
                    try:
                        answer = line.recv()
                    except (EOFError, OSError):
                        self._lost(line)
                    busy.discard(line)
                    if isinstance(answer, Exception):
                        raise answer
                    if finished(answer):
                        return
                    self._give(line, waiting, busy)
        finally:
            self.close()

    def _lost(self, line: Any) -> NoReturn:
        process = self.processes[self.lines.index(line)]
        process.join(5.0)
        if process.exitcode == UNGUARDED:
            raise SettingsError(GUARD) from None
        raise GameError(f"a process of {self.what} {ending(process.exitcode, self.doctor)}{self.advice}") from None

    def _give(self, line: Any, waiting: Any, busy: set[Any]) -> None:
        job = next(waiting, None)
        if job is None:
            return
        busy.add(line)  # a broken line is noticed by who reads it
        with contextlib.suppress(OSError):
            line.send(job)

    def close(self) -> None:
        for line in self.lines:
            line.close()  # a worker ends at once, with its engines, when its line does
        for process in self.processes:
            process.join(5.0)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()


def _work(files: Loaded, make: Callable[[], Worker], what: str, line: Any) -> None:
    """The life of a worker: jobs come, games go, until the line is closed.

    `files` comes first, so that what `make` refers to has been imported by then.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    jobs: list[Any] = []
    there = threading.Semaphore(0)
    workers: list[Worker] = []

    def listen() -> None:
        """In a thread, so that the end of the parent is seen in the middle of a game."""
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
            line.send(workers[0].play(*jobs.pop(0)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent reports it
        known = isinstance(error, PlayoutError)
        with contextlib.suppress(OSError):  # the parent may be gone: then `listen` ends this process
            line.send(error if known else GameError(f"a process of {what} failed: {type(error).__name__}: {error}"))
    threading.Event().wait()  # until the parent has read it and closes the line


# How processes begin and end.


def ending(code: int | None, doctor: str) -> str:
    """How a process ended, and what may help.

    >>> ending(-9, "playout doctor nim")
    'was killed (exit code -9), perhaps for want of memory'
    """
    if code == -9:
        return "was killed (exit code -9), perhaps for want of memory"
    if code in (-11, -7):
        return (
            f"crashed (exit code {code}): most likely a rule of the game reads or writes out of bounds; "
            f"`{doctor}` finds such rules"
        )
    return f"ended by itself (exit code {code})"


def check_not_importing() -> None:
    """A script without a guard is run again by each process that it starts; here that ends."""
    if not getattr(multiprocessing.current_process(), "_inheriting", False):  # as multiprocessing itself asks
        return
    if os.environ.get(OURS):
        raise SystemExit(UNGUARDED)  # without a word: the parent says it once
    raise SettingsError(GUARD)


@contextlib.contextmanager
def interrupts_wait() -> Iterator[None]:
    """Ctrl-C comes at the end: what is imported or started meanwhile is not left half done."""
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
    """Processes started meanwhile never see Ctrl-C, not even while they import."""
    mask = None
    os.environ[OURS] = "1"
    with interrupts_wait():
        try:
            if hasattr(signal, "pthread_sigmask"):  # what is blocked is inherited, other than a handler
                from multiprocessing import resource_tracker

                resource_tracker.ensure_running()  # first: it would unblock what is blocked here
                mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            yield
        finally:
            del os.environ[OURS]
            if mask is not None:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
