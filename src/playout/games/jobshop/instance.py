"""The jobs of a shop: read from text, or drawn at random."""

import random
import re
from typing import Any

from playout.errors import SettingsError
from playout.game import Game
from playout.games._shared import check_range

from .rules import MOST_JOBS, MOST_MACHINES

LONGEST = 1_000_000  # of an operation; all together fit into an int32
DRAWN = 10  # durations that are drawn go from 1 to this

Jobs = list[list[tuple[int, int]]]  # for each job its operations: machine and duration


def check_settings(game: Game) -> None:
    check_range(game, "jobs", 1, MOST_JOBS)
    check_range(game, "machines", 1, MOST_MACHINES)
    jobs = jobs_of(game)
    for key, count in (("jobs", len(jobs)), ("machines", len(jobs[0]))):
        if game.values[key] not in (count, game.settings[key]):
            raise SettingsError(
                f"{game.title}: setting '{key}' is {game.values[key]}, and 'instance' has {count}; leave it out"
            )


def fill_constants(game: Game, constants: Any) -> None:
    jobs = jobs_of(game)
    constants.jobs, constants.machines = len(jobs), len(jobs[0])
    longest = max(1, *(sum(duration for _, duration in job) for job in jobs))
    step = 0
    for job in jobs:
        for at, (machine, duration) in enumerate(job):
            constants.places[step], constants.durations[step] = machine, duration
            constants.rest[step] = sum(later for _, later in job[at:]) / longest
            step += 1


def jobs_of(game: Game) -> Jobs:
    """The jobs that the settings name; `SettingsError` says what is wrong with them."""
    if game.values["instance"].strip():
        return _read(game, game.values["instance"])
    draw = random.Random(game.values["seed"]).random  # the same in every version of Python
    found: Jobs = []
    for _ in range(game.values["jobs"]):
        left, job = list(range(game.values["machines"])), []
        while left:
            job.append((left.pop(int(len(left) * draw())), 1 + int(DRAWN * draw())))
        found.append(job)
    return found


def _read(game: Game, text: str) -> Jobs:
    lines = [line for line in re.split(r"[;\n]", text) if line.strip() and not line.lstrip().startswith("#")]
    where = f"{game.title}: setting 'instance'"
    rows = []
    for number, line in enumerate(lines, start=1):
        words = line.replace(",", " ").split()
        if wrong := [word for word in words if not re.fullmatch(r"[0-9]{1,9}", word)]:
            raise SettingsError(f"{where}: row {number} has '{wrong[0][:40]}', expected whole numbers, 0 or more")
        rows.append([int(word) for word in words])
    header = rows.pop(0) if len(rows) > 1 and len(rows[0]) == 2 and _is_header(rows) else None
    if not rows or not 1 <= len(rows) <= MOST_JOBS:
        raise SettingsError(f"{where} has {len(rows)} jobs, expected 1 to {MOST_JOBS}")
    if header and header[0] != len(rows):
        raise SettingsError(f"{where} has {len(rows)} jobs, and its first row says {header[0]}")
    machines = header[1] if header else len(rows[0]) // 2
    if not 1 <= machines <= MOST_MACHINES:
        raise SettingsError(f"{where} has {machines} machines, expected 1 to {MOST_MACHINES}")
    return [_job(where, number, row, machines) for number, row in enumerate(rows, start=1)]


def _is_header(rows: list[list[int]]) -> bool:
    """Whether the first of the rows, of two numbers, gives the size; if all rows have two, only if that fits."""
    return len(rows[1]) != 2 or rows[0] == [len(rows) - 1, 1]


def _job(where: str, number: int, row: list[int], machines: int) -> list[tuple[int, int]]:
    if len(row) != 2 * machines:
        raise SettingsError(
            f"{where}: job {number} has {len(row)} numbers, expected {2 * machines}: machine and duration, "
            f"{machines} times"
        )
    found = list(zip(row[::2], row[1::2], strict=True))
    for at, (machine, duration) in enumerate(found):
        if machine >= machines:
            raise SettingsError(f"{where}: job {number} has machine {machine}, expected 0 to {machines - 1}")
        if duration > LONGEST:
            raise SettingsError(f"{where}: job {number} has duration {duration}, expected at most {LONGEST}")
        if machine in (other for other, _ in found[:at]):
            raise SettingsError(f"{where}: job {number} has machine {machine} twice, expected each machine once")
    return found
