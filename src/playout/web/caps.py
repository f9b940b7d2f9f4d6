"""Limits of a server: options of `playout serve`."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Caps:
    """The limits, with their defaults."""

    sessions: int = 200
    nodes: int = 20_000_000  # of one session's tree
    bytes: int = 2048 * MIB  # of one session's tree
    memory: int = 6144 * MIB  # of all trees in memory
    upload: int = 512 * MIB  # of a search file
    idle: float = 600.0  # seconds after which a session goes to disk
    unwatched: float = 60.0  # seconds after which what nobody watches is stopped: a run without limits
    workers: int = 2  # runs that compute at the same time
