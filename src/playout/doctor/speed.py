"""How fast a game's playouts are."""

import contextlib
import time

from playout.core.rules import CHANCE
from playout.core.tree import PLAYOUT_ACTIONS
from playout.errors import PlayoutError
from playout.game import Game

SPEED_SECONDS = 0.2


def measure_speed(game: Game) -> float | None:
    """Playouts a second near the start, in one thread: a simulation of very many playouts. None: it can't be told."""
    from playout.search import Search
    from playout.settings import Rollouts, Settings

    count, spent, speed = 1, 0.0, None
    with contextlib.suppress(PlayoutError):
        position = game.position()
        while position.player == CHANCE:
            position = position.play(position.actions()[0])
        while not position.is_terminal and spent < SPEED_SECONDS:  # the first round may compile
            search = Search(game, Settings(evaluator=Rollouts(n=count), solver=False), position=position)
            began = time.perf_counter()
            search.run(simulations=1)
            now = time.perf_counter() - began
            if not search.tree.counters[PLAYOUT_ACTIONS]:
                break  # the first action ends the game
            spent, speed = (now, count / now) if count > 1 else (0.0, None)
            count *= 8
    return speed
