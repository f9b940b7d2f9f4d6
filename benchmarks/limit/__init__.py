"""The limit: tight C programs of our own, compiled here and run as a contender."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.measure import EXPLORATION

SOURCES = Path(__file__).parent
FLAGS = ("-O3", "-march=native")


def missing() -> str | None:
    """Why there is no C figure, or None."""
    return None if shutil.which("gcc") else "no gcc on this machine: the C limit was not measured"


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="playout-limit-")  # removed when the process ends


@cache
def program(game: str) -> Path:
    """Compile a game's program, once a process: `-march=native` must never meet another machine's binary."""
    binary = Path(_folder().name) / game
    source = SOURCES / f"{game}.c"
    subprocess.run(["gcc", *FLAGS, "-o", str(binary), str(source), "-lm"], check=True)
    return binary


def search(game: str, simulations: int, seed: int = 1) -> dict[str, Any]:
    """Run the program; the answer is its line of JSON (simulations_per_second, edges, visits, ...)."""
    command = [str(program(game)), str(simulations), str(seed), str(EXPLORATION)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer
