"""How fast a game's playouts are. They are many, and may come to a position where a rule fails."""

import time

from playout.common.raised import described
from playout.core.rules import CHANCE
from playout.core.tree import PLAYOUT_ACTIONS
from playout.errors import GameError, PlayoutError

from .notes import Notes

SPEED_SECONDS = 0.2
MOST_PLAYOUTS = 1_000_000  # as many as `Rollouts` takes


def measure_speed(notes: Notes, seed: int) -> float | None:
    """Playouts a second near the start, in one thread, of a game without errors; None where it can't be told.

    A simulation of very many playouts is timed. What goes wrong there is noted.
    """
    if any(finding.level == "error" for finding in notes.findings.values()):
        return None
    try:
        return _measure(notes, seed)
    except GameError as error:
        notes.note("playout-fails", "a playout", how=str(error))
    except PlayoutError:  # the settings do not suit the game
        pass
    except Exception as error:  # noqa: BLE001  # what a method of an object raises
        notes.note("playout-fails", "a playout", how=described(error))
    return None


def _measure(notes: Notes, seed: int) -> float | None:
    from playout.search import Search
    from playout.settings import Rollouts, Settings

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
