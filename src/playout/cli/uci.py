"""`playout uci`: the chess engine, for chess programs and for `chess.engine`."""

import sys

from .options import NetworkFile


def uci(network: NetworkFile = None) -> None:
    """Play chess as a UCI engine, for a chess program to start. Commands come in line by line; `quit` ends it."""
    from playout.uci import Engine

    def write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    try:
        Engine(write, network=network or "").run(sys.stdin.buffer)
    except KeyboardInterrupt:
        return
