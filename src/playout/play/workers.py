"""Processes that play games, and end with their parent, however that ends."""

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import connection, resource_tracker
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
    """Plays one game after the other, in its own process."""

    def play(self, *job: Any) -> Any:
        """What comes of a job."""

    def close(self) -> None:
        """End what the worker has started."""


def can_be_sent(thing: Any) -> bool:
    """Whether it can be pickled: what is defined in a notebook or a function can't."""
    try:
        pickle.dumps(thing)
    except (pickle.PicklingError, AttributeError, TypeError, PlayoutError):
        return False
    return True


class Workers:
    """Processes that play games. `make` is sent to each process, and makes its worker there."""

    def __init__(
        self, make: Callable[[], Worker], count: int, what: str, advice: str = "", doctor: str = DOCTOR
    ) -> None:
        check_not_importing()
        compiling.say()  # the processes print nothing
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

    def play(self, jobs: Iterable[tuple[Any, ...] | None], finished: Callable[[Any], bool]) -> None:
        """Hand out the jobs in order, and pass results to `finished` as they come, until it returns True. A job that is
        None means that the next one depends on a result still to come."""
        waiting = iter(jobs)
        busy: set[Any] = set()
        try:
            self._give(waiting, busy)
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
                    self._give(waiting, busy)
        finally:
            self.close()

    def _lost(self, line: Any) -> NoReturn:
        process = self.processes[self.lines.index(line)]
        process.join(5.0)
        if process.exitcode == UNGUARDED:
            raise SettingsError(GUARD) from None
        raise GameError(f"a process of {self.what} {ending(process.exitcode, self.doctor)}{self.advice}") from None

    def _give(self, waiting: Any, busy: set[Any]) -> None:
        """Hand jobs to all workers that have none, as far as there are jobs."""
        for line in self.lines:
            if line in busy:
                continue
            job = next(waiting, None)
            if job is None:
                return
            busy.add(line)  # a broken line is noticed when it is read
            with contextlib.suppress(OSError):
                line.send(job)

    def close(self) -> None:
        """End all processes."""
        for line in self.lines:
            line.close()  # a worker ends at once, with its engines, when its line is closed
        for process in self.processes:
            process.join(5.0)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()


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
            line.send(workers[0].play(*jobs.pop(0)))
    except Exception as error:  # noqa: BLE001 - the parent reports it
        known = isinstance(error, PlayoutError)
        with contextlib.suppress(OSError):  # the parent may be gone: then `listen` ends this process
            line.send(error if known else GameError(f"a process of {what} failed: {type(error).__name__}: {error}"))
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
