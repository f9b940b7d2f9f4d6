"""A search beside itself: frozen for a file while the run goes on, or brought to where another one is."""

import copy
from typing import Any

from playout.core.copying import copied
from playout.core.tree import used_bytes
from playout.search import Search

Log = list[tuple[str, int]]


def frozen(search: Search, log: Log) -> Search:
    """The search with a tree of its own, and with what had been done by then."""
    twin = copy.copy(search)
    twin.tree, twin._log = copied(search.tree), list(log)
    return twin


def log_of(search: Search) -> Log:
    """What was done since the search began: ("run", simulations), ("play", action)."""
    return list(search._log)


def at_root(log: Log, simulations: int) -> Log:
    """A log whose last runs, those since the last move, come to so many simulations.

    >>> at_root([("run", 5), ("play", 3), ("run", 2)], 9)
    [('run', 5), ('play', 3), ('run', 9)]
    """
    before = [*log]
    while before and before[-1][0] == "run":
        before.pop()
    return [*before, ("run", simulations)] if simulations else before


def origin_of(search: Search) -> Any:
    """The state that the search began with."""
    return search._origin["state"]


def redo(search: Search, wanted: Log) -> bool:
    """Bring a search that lags behind to where the log says, simulation for simulation; False: it can't be done."""
    have = log_of(search)
    same = 0
    while same < min(len(have), len(wanted)) and have[same] == wanted[same]:
        same += 1
    rest = list(wanted[same:])
    if len(have) > same + 1 or (len(have) > same and have[same][0] != "run"):
        return False
    if len(have) > same:  # the file ran on from here by more or fewer simulations
        now = have[same][1]
        then = rest[0][1] if rest and rest[0][0] == "run" else 0
        if then < now:
            if search.simulations < now:
                return False
            search.rewind(then)
            rest = rest[1:] if then else rest
        else:
            rest[0] = ("run", then - now)
    params = search.params
    search.params = params._replace(early_stop=0)
    try:
        for what, number in rest:
            if what == "play":
                search.play(number)
            elif number:
                search.run(simulations=number)
    finally:
        search.params = params
    return True


def tree_bytes(search: Search) -> int:
    return used_bytes(search.tree)
