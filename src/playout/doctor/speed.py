"""Measures a game's playouts. They reach many positions, so rules may fail there that passed before."""

import time

from playout.common.raised import described
from playout.core.rules import CHANCE
from playout.core.tree import PLAYOUT_ACTIONS
from playout.errors import GameError, PlayoutError
from playout.search import Search
from playout.settings import Rollouts, Settings

from .notes import Notes

SPEED_SECONDS = 0.2
MOST_PLAYOUTS = 1_000_000  # as many as `Rollouts` takes


def measure_speed(notes: Notes, seed: int) -> float | None:
    """Playouts per second from the start of a game without errors, in one thread; None if it can't be measured.

    It times one simulation of many playouts. What goes wrong there is noted.
    """
    if any(finding.level == "error" for finding in notes.findings.values()):
        return None
    try:
        return _measure(notes, seed)
    except GameError as error:
        notes.note("playout-fails", "a playout", how=str(error))
    except PlayoutError:  # the game can't be searched with these settings
        pass
    except Exception as error:  # noqa: BLE001  # a user's method may raise anything
        notes.note("playout-fails", "a playout", how=described(error))
    return None


def _measure(notes: Notes, seed: int) -> float | None:
    count, spent, speed = 1, 0.0, None
    position = notes.game.position()
    while position.player == CHANCE:
        position = position.play(position.actions()[0])
    while not position.is_terminal and spent < SPEED_SECONDS:  # the first round may compile
        settings = Settings(evaluator=Rollouts(n=count), solver=False)
        search = Search(notes.game, settings, position=position, seed=seed)
        began = time.perf_counter()
        search.run(simulations=1, seconds=notes.watchdog.seconds)
        now = time.perf_counter() - began
        if not search.tree.counters[PLAYOUT_ACTIONS]:
            break  # the first action ends the game
        spent, speed = (now, count / now) if count > 1 else (0.0, None)
        if count == MOST_PLAYOUTS:
            break
        count = min(8 * count, MOST_PLAYOUTS)
    return speed
