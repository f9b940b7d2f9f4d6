"""Several games at once: processes that play them and end with their parent, however that ends."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable
from multiprocessing import connection
from typing import Any, Protocol

from .errors import GameError, PlayoutError


class Worker(Protocol):
    """Plays one game after the other, in a process of its own."""

    def play(self, *job: Any) -> Any: ...

    def close(self) -> None: ...


def cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """Processes that play games. `make` can be sent to another process, and makes what plays there."""

    def __init__(self, make: Callable[[], Worker], count: int, what: str, advice: str = "") -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads and compilers in any state
        self.what, self.advice = what, advice
        self.lines: list[Any] = []
        self.processes: list[Any] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(make, what, theirs), daemon=True)
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
                        process = self.processes[self.lines.index(line)]
                        process.join(1.0)
                        raise GameError(
                            f"a process of {self.what} ended by itself (exit code {process.exitcode}), perhaps for "
                            f"want of memory{self.advice}"
                        ) from None
                    busy.discard(line)
                    if isinstance(answer, Exception):
                        raise answer
                    if finished(answer):
                        return
                    self._give(line, waiting, busy)
        finally:
            self.close()

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


def _work(make: Callable[[], Worker], what: str, line: Any) -> None:
    """The life of a worker: jobs come, games go, until the line is closed."""
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
