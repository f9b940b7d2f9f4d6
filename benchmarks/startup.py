"""Start-up, each in a process of its own: import, the first command ever, the next one, and a user's new game."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .measure import Check, Options, Row

# The first game of the README, as a user would write it.
README = Path(__file__).resolve().parents[1] / "README.md"
NIM = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
REPEATS = 3


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    with tempfile.TemporaryDirectory(prefix="playout-startup-") as folder:
        return _measure(Path(folder), options.pick(REPEATS, 1))


def _measure(folder: Path, repeats: int) -> list[Row]:
    cache = folder / "cache"
    cache.mkdir()
    environment = {**os.environ, "PLAYOUT_CACHE_DIR": str(cache)}

    def seconds(*arguments: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment, cwd=folder)
        return time.perf_counter() - begin

    def best(*arguments: str) -> float:
        return min(seconds(*arguments) for _ in range(repeats))

    # As the `playout` command does, without relying on where it was installed.
    command = ("-c", "import sys; from playout.cli import main; sys.exit(main())")
    analyze = (*command, "analyze", "tictactoe", "-n", "1000")
    first = seconds(*analyze)  # the cache is empty now, and never again
    second = best(*analyze)
    new_games = []
    for number in range(repeats):  # a game that was seen before would come out of the cache
        path = folder / f"nim{number}.py"
        path.write_text(NIM + f"# {number}\n", encoding="utf-8")
        new_games.append(seconds(*command, "analyze", f"{path}:Nim", "-n", "1000"))
    return [
        _row("import playout", best("-c", "import playout"), 1.0),
        _row("a second `playout analyze tictactoe -n 1000`", second, 2.0),
        _row("the very first, with an empty cache", first, 12.0),
        _row("a new user game (Nim), kernels cached", min(new_games), 5.0),
    ]


def _row(work: str, value: float, target: float) -> Row:
    return Row(work, "s", ours=value, checks=[Check("s", value, target, at_most=True)])
