"""Schedules as text: a job by its number from 1 on, a position as the jobs so far."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

START = "-"


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return str(action + 1)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip()
    if not re.fullmatch(r"[0-9]{1,9}", wanted):
        raise shared.refused(game, state, text, "expected the number of a job")
    job = int(wanted) - 1
    if not 0 <= job < state.jobs:
        raise shared.refused(game, state, text, f"the jobs are 1 to {state.jobs}")
    if job not in shared.legal(game, state):
        over = state.done[job] == state.machines
        reason = "the job is finished" if over else "an operation of another job fits in before its next one"
        raise shared.refused(game, state, text, reason)
    return job


def state_to_text(game: Game, state: np.record) -> str:
    return "-".join(str(int(job) + 1) for job in state.order[: state.count]) or START


def state_from_text(game: Game, state: np.record, text: str) -> None:
    if text == START:
        return
    jobs = re.split(r"\s*-\s*|\s+", text)
    if not all(re.fullmatch(r"[0-9]{1,9}", job) for job in jobs):
        raise shared.unreadable(game, text, f"the jobs so far, as in 3-1-3, or {START} for the start")
    shared.replay(game, state, jobs, text)
