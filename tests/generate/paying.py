"""A search with paid calls that a test kills: `python -m tests.generate.paying LEDGER BILL CALLS AT_ONCE`.

BILL gets a line for each call that is answered, before the answer is returned: what was paid for.
"""

import os
import sys
import time
from typing import Any

import playout as po

from .toys import refine


def main(ledger: str, bill: str, calls: int, at_once: int) -> None:
    paper = os.open(bill, os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def paid(parent: Any, call: po.Call) -> po.Answer:
        state, score = refine(parent, call)
        time.sleep(0.002)
        os.write(paper, f"{call.key}\n".encode())
        return po.Answer(state, score, cost=0.25, tokens=7)

    with po.GeneratedSearch(paid, ledger=ledger, seed=11, pace=po.Pace(at_once=at_once)) as search:
        search.run(calls)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
