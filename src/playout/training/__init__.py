"""Training networks by self-play: games, replay, learning, checkpoints, matches against UCT."""

from .training import train

__all__ = ["train"]
