"""A schedule for people: a line for each machine, and a Gantt chart as SVG."""

from typing import NamedTuple

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

WIDTH, ROW = 480.0, 18
FILLS = (
    shared.BLUE,
    shared.RED,
    shared.GOLD,
    "#4caf6d",
    "#8e5bb5",
    "#e8823a",
    "#3bb3b0",
    "#b0658a",
    "#7a8f3c",
    "#5c6bc0",
)


class Bar(NamedTuple):
    """An operation in the schedule."""

    job: int
    machine: int
    start: int
    end: int


def score(game: Game, state: np.record) -> float:
    """Minus the makespan: the return so far."""
    return -float(state.makespan)


def schedule(state: np.record) -> list[Bar]:
    """The operations so far, by playing the order again."""
    job_free, machine_free = [0] * int(state.jobs), [0] * int(state.machines)
    done, bars = [0] * int(state.jobs), []
    for job in map(int, state.order[: state.count]):
        step = job * int(state.machines) + done[job]
        machine = int(state.places[step])
        start = max(job_free[job], machine_free[machine])
        bars.append(Bar(job, machine, start, start + int(state.durations[step])))
        job_free[job] = machine_free[machine] = bars[-1].end
        done[job] += 1
    return bars


def _words(state: np.record) -> str:
    total = int(state.jobs * state.machines)
    so_far = "" if state.count == total else f", {state.count} of {total} operations"
    return f"makespan {state.makespan}{so_far}"


def show(game: Game, state: np.record) -> str:
    bars = schedule(state)
    lines = []
    for machine in range(int(state.machines)):
        here = [f"{bar.job + 1}: {bar.start}-{bar.end}" for bar in bars if bar.machine == machine]
        lines.append(f"machine {machine}  " + ", ".join(here))
    return "\n".join([*lines, _words(state)])


def draw(game: Game, state: np.record) -> str:
    machines, scale = int(state.machines), WIDTH / max(1, int(state.makespan))
    body = [shared.caption(str(machine), 9, 15 + ROW * machine, 11) for machine in range(machines)]
    for bar in schedule(state):
        x, width = 20 + scale * bar.start, scale * (bar.end - bar.start)
        fill, y = FILLS[bar.job % len(FILLS)], 3 + ROW * bar.machine
        body.append(shared.element("rect", x=x, y=y, width=max(0.5, width - 0.5), height=ROW - 2, fill=fill))
        if width > 12:
            words = str(bar.job + 1)
            body.append(shared.element("text", words, x=x + width / 2, y=y + 12, font_size=10, fill="#fff"))
    body.append(shared.caption(_words(state), 20 + WIDTH / 2, 20 + ROW * machines))
    return shared.svg(WIDTH + 30, 28 + ROW * machines, body, f"Job shop, {_words(state)}")
