"""A search with paid calls that kills itself: `python -m tests.generate.paying LEDGER BILL CALLS AT_ONCE DIES`.

BILL gets a line for each call that is answered, before the answer is returned: what was paid for. With the line number
DIES of this process, it ends by SIGKILL; 0: never.
"""

import itertools
import os
import signal
import sys
import time
from typing import Any

import playout as po

from .toys import refine


def main(ledger: str, bill: str, calls: int, at_once: int, dies: int) -> None:
    paper = os.open(bill, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    lines = itertools.count(1)

    def paid(parent: Any, call: po.Call) -> po.Answer:
        state, score = refine(parent, call)
        time.sleep(0.002)
        os.write(paper, f"{call.key}\n".encode())
        if next(lines) == dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return po.Answer(state, score, cost=0.25, tokens=7)

    with po.GeneratedSearch(paid, ledger=ledger, seed=11, pace=po.Pace(at_once=at_once)) as search:
        search.run(calls)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6]))
