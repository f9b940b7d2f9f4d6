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


def perft(position: str, depth: int) -> dict[str, Any]:
    """Count move sequences of chess; the answer is a line of JSON (nodes, seconds)."""
    return _answer("chess_perft", position, str(depth))


def search(game: str, simulations: int, seed: int = 1) -> dict[str, Any]:
    """Run the program; the answer is its line of JSON (simulations_per_second, edges, visits, ...)."""
    return _answer(game, str(simulations), str(seed), str(EXPLORATION))


def playouts(game: str, count: int, seed: int = 1) -> float:
    """Random playouts a second of a program that does nothing else."""
    return float(_answer(game, str(count), str(seed))["playouts_per_second"])


def _answer(name: str, *arguments: str) -> dict[str, Any]:
    command = [str(program(name)), *arguments]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer
