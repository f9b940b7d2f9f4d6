"""Tactics and mates: how many positions a preset solves with a limit of seconds, or simulations, for each move.

    python -m benchmarks.chess_tactics --seconds 1 --set wac --limit 50

`wac`: the move is one of those that the suite names. `puzzles`: the first move of the file leads in, the second is to
be found, or another that mates. `mates`: a mate is proven; how deep the shortest one is (`--moves`) is in the file.
Seconds are those of the clock: with other work on the machine, compare by `--simulations`.
"""

from __future__ import annotations

import argparse
import csv
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import playout as po

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "chess"
SETS = ("wac", "bk", "puzzles", "mates")


@dataclass(frozen=True)
class Task:
    name: str
    position: str  # as the game reads it
    best: tuple[str, ...] = ()  # moves, UCI or SAN; one of them is to be found
    avoid: tuple[str, ...] = ()
    mate: int = 0  # moves to mate: to be proven; below 0: for the side that does not move


def read_tasks(which: str, most_rating: int = 1800, moves: int = 2) -> Iterator[Task]:
    """The positions of one set, in the order of the file."""
    if which in ("wac", "bk"):
        path = DATA / "tactics" / ("wacnew.epd" if which == "wac" else "bratko-kopec.epd")
        for line in path.read_text().splitlines():
            best, avoid = re.search(r"\bbm ([^;]+);", line), re.search(r"\bam ([^;]+);", line)
            name = re.search(r'id "([^"]+)"', line)
            yield Task(
                name[1] if name else line,
                " ".join(line.split()[:4]),
                tuple(best[1].split()) if best else (),
                tuple(avoid[1].split()) if avoid else (),
            )
    elif which == "puzzles":
        with (DATA / "puzzles" / "lichess_996.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if int(row["Rating"]) < most_rating:
                    lead, answer = row["Moves"].split()[:2]
                    yield Task(f"{row['PuzzleId']} ({row['Rating']})", f"{row['FEN']} moves {lead}", (answer,))
    else:
        for file_name in ("classic280.epd", "mates2000.epd"):
            for number, line in enumerate((DATA / "mates" / file_name).read_text().splitlines(), start=1):
                mate = re.search(r"bm #(-?\d+);", line)
                if mate and 1 <= abs(int(mate[1])) <= moves:
                    yield Task(f"{file_name}:{number} #{mate[1]}", " ".join(line.split()[:4]), mate=int(mate[1]))


def solve(task: Task, settings: po.Settings, simulations: int | None, seconds: float | None) -> tuple[bool, int, str]:
    """Whether it was solved, after how many simulations, and what was played."""
    game = po.games.load("chess")
    search = po.Search(game, settings, position=task.position, seed=1)
    result = search.run(simulations, seconds=seconds)
    found = result.best
    text = f"{result.best_text} {result.value:+.3f}{'' if result.proven is None else ' proven'}"
    if task.mate:
        good = result.proven == (1.0 if task.mate > 0 else -1.0)
    else:
        best = [search.position.action(move) for move in task.best]
        avoid = [search.position.action(move) for move in task.avoid]
        good = found not in avoid and (not best or found in best)
        if not good and found is not None and task.name.endswith(")"):  # a puzzle may have other mates
            after = search.position.play(found)
            good = after.is_terminal and max(after.rewards) == 1.0
    return good, result.simulations, text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--set", choices=SETS, default="wac")
    parser.add_argument("--seconds", type=float, default=None, help="a move (1 when no --simulations are given)")
    parser.add_argument("--simulations", type=int, default=None)
    parser.add_argument("--limit", type=int, default=None, help="the number of positions, spread over the file")
    parser.add_argument("--rating", type=int, default=1800, help="puzzles below this rating")
    parser.add_argument("--moves", type=int, default=2, help="mates in at most this many moves")
    parser.add_argument("--preset", default="chess")
    parser.add_argument("-v", "--verbose", action="store_true", help="name the positions that were not solved")
    options = parser.parse_args()
    seconds = options.seconds if options.seconds or options.simulations else 1.0
    tasks = list(read_tasks(options.set, options.rating, options.moves))
    if options.limit and options.limit < len(tasks):
        tasks = [tasks[i * len(tasks) // options.limit] for i in range(options.limit)]
    settings = po.settings.preset(options.preset)
    po.Search(po.games.load("chess"), settings).run(1)  # compile before the first clock starts
    solved, simulations, began = 0, 0, time.perf_counter()
    for task in tasks:
        good, needed, text = solve(task, settings, options.simulations, seconds)
        solved += good
        simulations += needed
        if options.verbose and not good:
            print(f"  {task.name}: {text}, wanted {' '.join(task.best) or task.mate}  {task.position}")
    took = time.perf_counter() - began
    budget = f"{options.simulations:,} simulations" if options.simulations else f"{seconds:g} s"
    print("| set | preset | budget a move | solved | positions | simulations/s |")
    print("|---|---|---|---|---|---|")
    print(f"| {options.set} | {options.preset} | {budget} | {solved} | {len(tasks)} | {simulations / took:,.0f} |")


if __name__ == "__main__":
    main()
