"""Training networks by self-play or by a teacher: games, lessons, learning, checkpoints, matches against UCT."""

from .taught import teach
from .training import train

__all__ = ["teach", "train"]
