"""`python -m benchmarks.versions OTHER [--rounds N]`: this version against another checkout's, interleaved.

Each figure is the best of several processes, taken in turns, by processor time, so that other work on the machine
hits both versions and counts little.
OTHER is the root of a checkout, such as one made by `git worktree add`; it runs with the packages of this environment.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from .measure import Contender, interleave

HERE = Path(__file__).resolve().parents[1]
# A search a line: the game with its settings, which may differ in another version; the search's; simulations.
SEARCHES = {
    "connect4, UCT": ("'connect4'", "po.Settings(solver=False)", 1_000_000),
    "connect4, UCT with proofs": ("'connect4'", "po.Settings()", 500_000),
    "connect4, PUCT": ("'connect4'", "po.Settings(policy=po.PUCT(1.25))", 500_000),
    "connect4, graph search": ("'connect4'", "po.Settings(transpositions=True)", 100_000),
    "tictactoe, UCT": ("'tictactoe'", "po.Settings(solver=False)", 1_000_000),
    "othello, UCT": ("'othello'", "po.Settings(solver=False)", 100_000),
    "chess, uct-chess": ("'chess'", "'uct-chess'", 30_000),
    "chess, chess-classic": (
        "'chess'",
        "po.Settings(policy=po.PUCT(2.5), evaluator=po.Static(), unvisited=po.Parent())",
        300_000,
    ),
    "suika, suika": ("'suika'", "'suika'", 60_000),
    "target_sum, UCT": (
        "'target_sum', target=21, moves=9, numbers=tuple(range(1, 10))",
        "po.Settings(solver=False)",
        500_000,
    ),
}
SCRIPT = """
import time
import playout as po

def start(seed):
    search = po.Search(po.games.load({game}), {settings}, seed=seed)
    while search.position.player == po.CHANCE:
        search.play(search.position.outcomes()[0][0])
    return search

start(1).run(100)
search = start(2)
began = time.process_time()
search.run({simulations})
print({simulations} / (time.process_time() - began))
"""


def rate(root: Path, work: str) -> float:
    """Simulations a second of one search, in a process of its own."""
    game, settings, simulations = SEARCHES[work]
    script = SCRIPT.format(game=game, settings=settings, simulations=simulations)
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, env=environment, cwd=root
    )
    return float(answer.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("other", type=Path, help="the root of another checkout")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", action="append", choices=SEARCHES, metavar="NAME")
    arguments = parser.parse_args()
    other = arguments.other.resolve()
    if not (other / "src" / "playout").is_dir():
        parser.error(f"{other} is not a checkout of Playout: it has no src/playout")
    for work in arguments.only or SEARCHES:
        sides = [
            Contender("other", lambda work=work: rate(other, work)),
            Contender("this", lambda work=work: rate(HERE, work)),
        ]
        best = interleave(sides, arguments.rounds)
        ratio = best["this"] / best["other"]
        print(f"{work}: this {best['this']:,.0f}/s, other {best['other']:,.0f}/s, ratio {ratio:.2f}", flush=True)


if __name__ == "__main__":
    main()
