"""`python -m benchmarks`: every figure, its peers and its target, in one run."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from . import (
    chess,
    control,
    fast,
    generate,
    graph,
    growth,
    memory,
    networks,
    node_game,
    parts,
    report,
    solo,
    solve,
    speed,
    startup,
    strength,
    threads,
)
from .measure import Options, Row

SECTIONS: dict[str, Callable[[Options], list[Row]]] = {
    "connect4": speed.connect4,
    "tictactoe": speed.tictactoe,
    "othello": speed.othello,
    "chess": chess.measure,
    "solo": solo.measure,
    "solve": solve.measure,
    "graph": graph.measure,
    "threads": threads.measure,
    "objects": node_game.measure,
    "parts": parts.measure,
    "networks": networks.measure,
    "fast": fast.measure,
    "generate": generate.measure,
    "control": control.measure,
    "memory": memory.measure,
    "growth": growth.measure,
    "startup": startup.measure,
    "strength": strength.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small budgets: whether it works, not how fast it is")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report there as JSON too")
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="NAME", help=", ".join(SECTIONS))
    parser.add_argument("--peers-only", action="store_true", help="leave playout out")
    arguments = parser.parse_args()
    options = Options(quick=arguments.quick, peers_only=arguments.peers_only)
    rows: list[Row] = []
    for name in arguments.only or SECTIONS:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        rows += SECTIONS[name](options)
    facts = report.machine()
    report.show(rows, facts)
    unexplained = report.unexplained(rows)
    if arguments.json:
        answer = report.as_json(rows, facts, arguments.quick)
        arguments.json.write_text(json.dumps(answer, indent=2) + "\n", encoding="utf-8")
    if unexplained and not arguments.quick:
        for row in unexplained:
            print(f"missed without an explanation in {report.EXPLAINED.name}: {row.work}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
