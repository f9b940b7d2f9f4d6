"""A run in its own thread: it waits for its turns, answers questions between two chunks, and can be stopped at once.

During a run, only its thread touches the search. Other threads hand it a function to call (`post`).
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from playout.errors import PlayoutError
from playout.search import Search
from playout.search.result import Result

from .refusals import fault_of
from .turns import QueuePlace, Turns

FULL = 0.05  # seconds until a run looks again whether there is memory for its tree
View = Callable[[Search], Any]


class Run:
    """One call of `Search.run`. At its end, `finished` holds its Result, or None."""

    def __init__(
        self,
        search: Search,
        limits: dict[str, Any],
        caps: dict[str, int],
        turns: Turns,
        ended: Callable[["Run", Result | None], None],
        *,
        number: int = 0,
        kind: str = "run",
        from_start: bool = False,  # go back to the empty tree, and run again as far as the limit of simulations
        each: Callable[[Search], None] | None = None,  # called between chunks
    ) -> None:
        self.search, self.limits, self.turns, self.number, self.kind = search, limits, turns, number, kind
        self.finished: Future[Result | None] = Future()
        self.stopped_by: str | None = None
        self.error: str | None = None
        self.share: float | None = None
        self.began, self.seconds = time.monotonic(), 0.0
        self.start = 0 if from_start else search.simulations
        self.done = 0
        self._caps, self._ended, self._from_start, self._each = caps, ended, from_start, each
        self._turn = QueuePlace()
        self._questions: deque[tuple[View, Future[Any]]] = deque()
        self._why_stop: str | None = None
        self._thread = threading.Thread(target=self._work, name=f"run-{number}", daemon=True)

    def begin(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self, why: str = "stop") -> None:
        """End it, from any thread, within a few hundredths of a second."""
        self._why_stop = self._why_stop or why
        self.search.stop()
        self._turn.wake.set()

    def post(self, view: View) -> Future[Any]:
        """Have a function called with the search between two chunks; the caller makes sure that the run is on."""
        answer: Future[Any] = Future()
        self._questions.append((view, answer))
        self._turn.wake.set()
        return answer

    def answer(self) -> None:
        """Answer all questions. Called in the run's own thread."""
        while self._questions:
            view, answer = self._questions.popleft()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(view(self.search))
            except BaseException as error:  # noqa: BLE001  # raised where it was asked, not in the run
                answer.set_exception(error)

    @property
    def simulations(self) -> int:
        """Simulations of this run so far."""
        return self.done if self.stopped_by else max(0, self.search.simulations - self.start)

    def to_dict(self) -> dict[str, Any]:
        """The run in JSON."""
        seconds = self.seconds if self.stopped_by else time.monotonic() - self.began
        return {
            "id": self.number,
            "kind": self.kind,
            "limits": {name: self.limits.get(name) for name in ("simulations", "seconds", "nodes", "bytes")},
            "share": self.share if any(self.limits.values()) else None,
            "simulations": self.simulations,
            "seconds": round(seconds, 4),
            "simulations_per_second": round(self.simulations / seconds, 1) if seconds > 0 else 0.0,
            "stopped_by": self.stopped_by,
            "message": self.error,
        }

    def _work(self) -> None:
        result, search = None, self.search
        try:
            limits = self.limits | {name: min(self.limits.get(name) or cap, cap) for name, cap in self._caps.items()}
            if self._from_start:
                again = search.log_up_to(self.limits["simulations"])
                search.rewind(0)
                result = search.repeat(again, progress=self._between)
            else:
                # A seek runs exactly its number of simulations, even if the answer is decided.
                result = search.run(**limits, early_stop=self.kind == "run", progress=self._between)
            reason = "stop" if result is None else result.stopped_by
            self.stopped_by = (self._why_stop or "stop") if reason == "stop" else reason
        except PlayoutError as error:
            self.stopped_by, self.error = "error", str(error)
        except MemoryError:
            self.stopped_by, self.error = "error", "the server has no memory left for this tree; delete a session"
        except BaseException as error:  # noqa: BLE001  # a user's game may raise anything; the session shows it
            self.stopped_by, self.error = "error", fault_of(type(search.game), error)
        finally:
            self.turns.leave(self._turn)
            self.seconds = time.monotonic() - self.began
            self.done = max(0, search.simulations - self.start)
            self._ended(self, result)
            self.finished.set_result(result)

    def _between(self, search: Search, share: float) -> None:
        """Between two chunks: pass on the turn if it is over, answer questions, and wait for the next turn."""
        self.share = share if any(self.limits.values()) else None
        if self.turns.is_over(self._turn):
            self.turns.leave(self._turn)
        self.turns.ask(self._turn)
        if self._each is not None:
            self._each(search)
        while True:
            self.answer()
            if self._why_stop is not None:
                search.stop()  # again: a stop before the run began has no effect
                return
            fits = self.turns.may_grow()
            if self._turn.granted and fits:
                return
            self._turn.wake.wait(self.turns.stuck if fits else FULL)
            self._turn.wake.clear()
            self.turns.ask(self._turn)
