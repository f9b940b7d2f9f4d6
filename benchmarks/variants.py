"""`python -m benchmarks.variants`: fill docs/variants.md, by the commands that it names.

The results are kept in build/ until there is another commit: what was interrupted goes on.
"""

from __future__ import annotations

import argparse
import datetime
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playout.cli import main as playout

from . import report

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "variants.md"
CHARTS = "variants"  # a folder beside the page
MACHINE = ("<!-- machine -->", "<!-- end of machine -->")
# Each takes about three and a half minutes on two cores with 14 variants; tic-tac-toe takes one.
COMMANDS = {
    "tictactoe": "-n 20 -t 0.001 --games 600 --plies 1",
    "connect4": "-n 1000 -t 0.002 --games 200",
    "othello": "-n 500 -t 0.002",
    "chess": "--preset chess-classic -n 400 -t 0.002 --games 60",
    "suika": "--preset suika --option transpositions=off -n 50 -t 0.001 --games 36 "
    "--set columns=4 --set rows=6 --set line=5",
    "game2048": "--preset game2048 -n 100 -t 0.001 --games 70 --set side=3",
}
QUICK = {"--games": "2", "-n": "10", "-t": "0.001"}


def command(game: str) -> str:
    """The command as the page shows it."""
    return f"playout compare {game} {COMMANDS[game]}"


def quick(words: list[str]) -> list[str]:
    """The same command at toy size."""
    for name, value in QUICK.items():
        words = [*words, name, value]
    return words


def compare(game: str, page: Path, small: bool, db: str) -> int:
    words = shlex.split(command(game))[1:]
    chart = page.parent / CHARTS / f"{game}.svg"
    chart.parent.mkdir(exist_ok=True)
    files = ["--markdown", str(page), "--svg", str(chart), "--db", db]
    return playout([*(quick(words) if small else words), *files])


def note_machine(page: Path, commit: str) -> None:
    """Write where and when it was measured."""
    first, last = MACHINE
    before, _, rest = page.read_text(encoding="utf-8").partition(first)
    after = rest.partition(last)[2]
    day = datetime.datetime.now(datetime.UTC).date()
    where = f"Measured on {day}, commit {commit}, {report.machine_line(report.machine())}."
    page.write_text(f"{before}{first}\n{where}\n{last}{after}", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.variants", description=__doc__)
    parser.add_argument("--only", action="append", choices=COMMANDS, metavar="GAME", help=", ".join(COMMANDS))
    parser.add_argument("--quick", action="store_true", help="toy size, into a copy of the page: whether it works")
    arguments = parser.parse_args()
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "unknown"
    page, db = PAGE, ROOT / "build" / f"variants-{commit}.sqlite"
    if arguments.quick:
        page = Path(tempfile.mkdtemp(prefix="variants-")) / PAGE.name
        shutil.copy(PAGE, page)
    else:
        db.parent.mkdir(exist_ok=True)
    for game in arguments.only or COMMANDS:
        began = time.perf_counter()
        if code := compare(game, page, arguments.quick, "none" if arguments.quick else str(db)):
            return code
        print(f"{game}: {time.perf_counter() - began:.0f} s\n", flush=True)
    note_machine(page, commit)
    print(f"written: {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
