"""OpenSpiel's C++ search, through its Python module.

Run as a program (`python -m benchmarks.openspiel SIMULATIONS`), it prints how many bytes a node takes there: that
needs a process of its own, since memory once used is seldom given back.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from .measure import EXPLORATION

NAMES = {"connect4": "connect_four", "tictactoe": "tic_tac_toe", "othello": "othello", "chess": "chess"}
MEGABYTES = 12_000  # far above what the runs need: at its limit OpenSpiel cuts the tree down and goes on


def missing() -> str | None:
    """Why there is no OpenSpiel figure, or None."""
    return None if importlib.util.find_spec("pyspiel") else "open_spiel is not installed: OpenSpiel was not measured"


def search(game_name: str, simulations: int, seed: int = 1) -> Any:
    """One search from the start position; returns the root node."""
    import pyspiel

    game = pyspiel.load_game(NAMES[game_name])
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    solve, verbose = False, False
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, simulations, MEGABYTES, solve, seed, verbose)
    return bot.mcts_search(game.new_initial_state())


def _count(node: Any) -> int:
    return 1 + sum(_count(child) for child in node.children)


def _resident() -> int:
    """Bytes of memory this process holds now. (The peak of getrusage won't do: a child starts with its parent's.)"""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def bytes_per_node(simulations: int) -> float:
    """Growth of the process during a connect four search, divided by the nodes of the tree. On Linux only."""
    search("connect4", 10)  # whatever is loaded once
    before = _resident()
    root = search("connect4", simulations)
    grown = _resident() - before
    return grown / _count(root)


if __name__ == "__main__":
    print(bytes_per_node(int(sys.argv[1])))
