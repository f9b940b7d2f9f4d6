"""Compile what nearly every test needs, each kernel once, before pytest's workers start and compile it side by side.

python -m tests.warm_up PROCESSES
"""

import sys

from playout.play.warm import OTHERS, TREES, Done, Task, warm

RULES = [Task(name, name, preset=None) for name in ("connect4", "chess")]


def finished(done: Done) -> None:
    if done.skipped:
        raise SystemExit(f"{done.task.name}: {done.skipped}")


if __name__ == "__main__":
    warm([*reversed(OTHERS), *TREES, *RULES], finished, int(sys.argv[1]))
