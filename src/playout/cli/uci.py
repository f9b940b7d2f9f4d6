"""`playout uci`: the chess engine, for chess programs and for `chess.engine`."""

import sys

from playout.uci import Engine

from .options import NetworkFile


def uci(network: NetworkFile = None) -> None:
    """Run the UCI chess engine, to be started by a chess program. It reads one command per line until `quit`."""

    def write(line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    try:
        Engine(write, network=network or "").run(sys.stdin.buffer)
    except KeyboardInterrupt:
        return
