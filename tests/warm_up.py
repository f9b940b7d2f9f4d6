"""Compile what nearly every test needs, each kernel once, before pytest's workers start and compile it side by side.

python -m tests.warm_up PROCESSES
"""

import sys

from playout.play.warm import OTHERS, TREES, Done, Task, warm

RULES = [Task(name, name, preset=None) for name in ("connect4", "chess")]
# What takes longest comes first, and beside it what shares least with it.
FIRST = ["steps with networks", "steps in open loops", "chess", "steps in graphs", "graphs", "open loops", "networks"]


def finished(done: Done) -> None:
    if done.skipped:
        raise SystemExit(f"{done.task.name}: {done.skipped}")


if __name__ == "__main__":
    tasks = {task.name: task for task in (*OTHERS, *TREES, *RULES)}
    warm([tasks.pop(name) for name in FIRST] + list(tasks.values()), finished, int(sys.argv[1]))
