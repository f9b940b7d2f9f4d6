"""Running and stepping: run, stop, step, seek, result, chart."""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from playout.search import Search
from playout.web import answers, requests, views
from playout.web.refusals import Refusal
from playout.web.runs import Run
from playout.web.session import Session

from .context import Found, JsonAnswer, Server

WAIT = 60.0  # seconds that a request may wait for the end of a run
LOOK_UP = 0.25  # seconds after which it looks whether the server hands over
LIMITS = ("simulations", "seconds", "nodes", "bytes")
STARTED: dict[int | str, dict[str, Any]] = {202: {"model": answers.RunAnswer, "description": "The run is on."}}


class _Waiting:
    """The requests that wait for the end of a run."""

    def __init__(self) -> None:
        self.count = 0  # only the event loop changes it
        self.over = threading.Event()  # set: they are answered now, for another process goes on with the runs


_waiting = _Waiting()
router = APIRouter(prefix="/v1/sessions/{session}")


@router.post("/run", response_model=answers.RunAnswer, responses=STARTED, tags=["running"])
async def start_run(server: Server, session: Found, body: requests.RunIn) -> Response:
    """Run until the first of the limits is reached; without any, until stopped."""
    limits = {name: getattr(body, name) for name in LIMITS}
    return await _started(server, session, lambda: session.start_run(limits), body.wait)


@router.post("/seek", response_model=answers.RunAnswer, responses=STARTED, tags=["stepping"])
async def seek(server: Server, session: Found, body: requests.SeekIn) -> Response:
    """Go to the tree after `simulations` simulations, back or forward."""
    return await _started(server, session, lambda: session.seek(body.simulations), body.wait)


@router.post("/stop", response_model=answers.RunAnswer, tags=["running"])
def stop_run(session: Found) -> Response:
    """End the run, if there is one."""
    return JsonAnswer({"run": session.stop(), "result": None})


@router.get("/result", response_model=answers.ResultOut, tags=["running"])
def read_result(session: Found) -> Response:
    """What has been found so far, with the best move."""
    return JsonAnswer(session.look(lambda search: views.result_view(session.result_of(search))))


@router.get("/chart", response_model=answers.ChartOut, tags=["running"])
def read_chart(session: Found) -> Response:
    """Shares and values of the most visited moves against simulations."""

    def chart(search: Search) -> dict[str, Any]:
        points = list(session.chart.points)
        used = sorted({a["number"] for point in points for a in point["actions"]})
        return {"points": points, "names": {str(n): search.position.action_text(n) for n in used}}

    return JsonAnswer(session.look(chart))


@router.post("/step", response_model=answers.StepOut, tags=["stepping"])
async def step(session: Found, body: requests.StepIn) -> Response:
    """One simulation in its four phases."""
    if body.at is not None:
        run = await run_in_threadpool(session.seek, body.at - 1)
        if run is not None and not await _has_ended(run):
            raise Refusal(409, "busy", f"going to simulation {body.at} takes longer than {WAIT:g} s; it goes on")
        reached = await run_in_threadpool(session.look, lambda search: search.simulations)
        if reached != body.at - 1:
            raise Refusal(409, "state", f"simulation {body.at} is never reached: the search ended after {reached}")
    return JsonAnswer(await run_in_threadpool(session.step, body.svg, body.before))


async def _started(server: Server, session: Session, start: Callable[[], Run | None], wait: bool) -> Response:
    """Start a run; answer at once with 202, or with the result when the run has ended."""

    def begin() -> Run | None:
        server.sessions.check_room()
        return start()

    run = await run_in_threadpool(begin)
    if run is not None and not (await _has_ended(run) if wait else run.finished.done()):
        return JsonAnswer({"run": run.to_dict(), "result": None}, 202)
    result = await run_in_threadpool(lambda: views.result_view(session.result()))
    return JsonAnswer({"run": run.to_dict() if run is not None else None, "result": result})


async def _has_ended(run: Run) -> bool:
    """Wait for the end of a run, at most `WAIT` seconds."""
    until, ended = time.monotonic() + WAIT, asyncio.wrap_future(run.finished)
    _waiting.count += 1
    try:
        while not (run.finished.done() or _waiting.over.is_set()) and (left := until - time.monotonic()) > 0:
            await asyncio.wait([ended], timeout=min(left, LOOK_UP))
    finally:
        _waiting.count -= 1
    return run.finished.done()


def answer_waiting(grace: float) -> None:
    """Let requests that wait for runs end, for `grace` seconds; then answer them that the run is on."""
    until = time.monotonic() + grace
    while _waiting.count and time.monotonic() < until:
        time.sleep(0.02)
    _waiting.over.set()
    while _waiting.count and time.monotonic() < until + 10 * LOOK_UP:
        time.sleep(0.02)
