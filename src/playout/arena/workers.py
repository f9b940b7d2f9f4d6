"""Several games at once: processes that play them and end with their parent, however that ends."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import connection
from typing import Any

from playout.errors import GameError, PlayoutError

from .openings import Opening
from .referee import Job, Referee, Setup
from .store import Record


class Workers:
    """Processes that play games. They end with their parent, however that ends."""

    def __init__(self, setup: Setup, count: int) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy threads and compilers in any state
        self.lines: list[Any] = []
        self.processes: list[Any] = []
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(setup, theirs), daemon=True)
            process.start()
            theirs.close()
            self.lines.append(ours)
            self.processes.append(process)

    def play(self, left: list[Job], opening: Callable[[Job], Opening], finished: Callable[[Record], bool]) -> None:
        """Hand out the jobs in order and take the games as they come; `finished` says when it is enough."""
        waiting = list(reversed(left))
        busy: set[Any] = set()
        try:
            for line in self.lines:
                if waiting:
                    self._give(line, waiting, opening, busy)
            while busy:
                ready: list[Any] = connection.wait(list(busy))
                for line in ready:
                    try:
                        answer = line.recv()
                    except (EOFError, OSError):
                        process = self.processes[self.lines.index(line)]
                        process.join(1.0)
                        raise GameError(
                            f"a process of the arena ended by itself (exit code {process.exitcode}), perhaps for want "
                            f"of memory; the games recorded so far are kept, and the same command goes on from there"
                        ) from None
                    busy.discard(line)
                    if isinstance(answer, Exception):
                        raise answer
                    if finished(answer):
                        return
                    if waiting:
                        self._give(line, waiting, opening, busy)
        finally:
            self.close()

    def _give(self, line: Any, waiting: list[Job], opening: Callable[[Job], Opening], busy: set[Any]) -> None:
        job = waiting.pop()
        busy.add(line)  # a broken line is noticed by who reads it
        with contextlib.suppress(OSError):
            line.send((job, opening(job)))

    def close(self) -> None:
        for line in self.lines:
            line.close()  # a worker ends at once, with its engines, when its line does
        for process in self.processes:
            process.join(5.0)
            if process.is_alive():
                process.kill()
                process.join()
            process.close()


def _work(setup: Setup, line: Any) -> None:
    """The life of a worker: jobs come, games go, until the line is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    jobs: list[Any] = []
    there = threading.Semaphore(0)
    referees: list[Referee] = []

    def listen() -> None:
        """In a thread, so that the end of the parent is seen in the middle of a game."""
        try:
            while True:
                jobs.append(line.recv())
                there.release()
        except (EOFError, OSError):
            for referee in referees:
                for player in list(referee.players.values()):
                    player.close()
            os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    try:
        referees.append(Referee(setup.load(), setup))
        while True:
            there.acquire()
            line.send(referees[0].play(*jobs.pop(0)))
    except PlayoutError as error:
        line.send(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent reports it
        line.send(GameError(f"a process of the arena failed: {type(error).__name__}: {error}"))
    threading.Event().wait()  # until the parent has read it and closes the line
