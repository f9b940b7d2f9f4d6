"""What workers are doing, in figures: one line of JSON for a terminal, a log or a report."""

import os
import time
from pathlib import Path
from typing import Any

from .site import Site, listeners

SAY_SECONDS = 30.0  # between two lines
MEGABYTE = 1_000_000


def memory_of() -> int:
    """The bytes that this process holds in memory; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


class Figures:
    """Counts what a driver's workers have done since they were started."""

    def __init__(self, site: Site) -> None:
        self.site, self.done, self.restarts, self.repeated = site, 0, 0, 0
        self.began = self.said = time.monotonic()

    def line(self) -> dict[str, Any]:
        """The figures now; `jobs` are games, or parts of a training."""
        seconds = max(1e-9, time.monotonic() - self.began)
        ready = [member for member in self.site.members if member.is_ready]
        return {
            "workers": self.site.what,
            "machines": self.site.machines,
            "actors": len(ready),
            "jobs": self.done,
            "jobs_a_minute": round(60 * self.done / seconds, 1),
            "under_way": sum(len(member.under_way) for member in ready),
            "restarts": self.restarts,
            "repeated": self.repeated,
            "memory_mb": round(sum(member.memory for member in ready) / MEGABYTE),
            "driver_mb": round(memory_of() / MEGABYTE),
            "seconds": round(seconds, 1),
        }

    def say(self, now: bool = False) -> None:
        """Tell the listeners, if it is time to; processes of this machine are not worth a line."""
        if self.site.is_local or not listeners or not (now or time.monotonic() - self.said >= SAY_SECONDS):
            return
        self.said = time.monotonic()
        line = self.line()
        for listener in listeners:
            listener(line)
