"""What the layers above need to know about compiled code and about running users' rules."""

import contextlib
import os
from collections.abc import Iterator

from playout.core.cache import cache_folder
from playout.core.jit import COMPILED
from playout.core.watch import MOST_SECONDS, patience

__all__ = ["COMPILED", "cache_folder", "cores", "time_for_rules"]


@contextlib.contextmanager
def time_for_rules(seconds: float | None) -> Iterator[None]:
    """Inside this block, one call of a rule in plain Python may use this much processor time; None: the default."""
    with patience(MOST_SECONDS if seconds is None else seconds):
        yield


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
