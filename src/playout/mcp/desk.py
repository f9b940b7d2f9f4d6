"""What the tools do: searches by number, opened, run, asked and played on. Knows nothing of the protocol."""

import itertools
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playout import games
from playout.common.arguments import did_you_mean
from playout.errors import FileError, SettingsError
from playout.generate import GeneratedNode, GeneratedSearch
from playout.generate.result import node_data
from playout.search import Search
from playout.settings.presets import BEST

MOST_SEARCHES = 16
MOST_SECONDS = 60.0
MOST_NODES = 5_000_000
MOST_DEPTH, MOST_WIDTH = 6, 20
MOST_SHOWN = 500  # nodes of a tree in one answer
TEXT = 2_000  # characters of a generated state in an answer


class Desk:
    """The searches that a client has open. `allowed` names users' own games; `ledgers` is a folder of ledgers."""

    def __init__(self, allowed: Iterable[str] = (), ledgers: Path | None = None) -> None:
        self.allowed = list(allowed)
        for name in self.allowed:
            games.load(name)
        if ledgers is not None and not ledgers.is_dir():
            raise SettingsError(f"--ledgers is {ledgers}, which is not a folder")
        self._ledgers = ledgers
        self._searches: dict[str, Search | Path] = {}  # a path: a ledger, which is read each time it is asked for
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def list_games(self) -> dict[str, Any]:
        known = {name: " ".join((games.find(name).__doc__ or "").split()) for name in games.names()}
        return {"games": known | dict.fromkeys(self.allowed, "a game of your own"), "ledgers": self._listed()}

    def _listed(self) -> list[str]:
        return [] if self._ledgers is None else sorted(path.name for path in self._ledgers.glob("*.db"))

    def open_game(self, game: str, position: str | None, preset_name: str | None, seed: int) -> dict[str, Any]:
        known = [*games.names(), *self.allowed]
        if game not in known:
            raise SettingsError(
                f"no game '{game}' (there are: {', '.join(known)}){did_you_mean(game, known)}; your own games are "
                f"named when the server is started: playout mcp --game file.py:Class"
            )
        search = Search(game, BEST if preset_name is None else preset_name, position=position, seed=seed)
        return {"search": self._keep(search), **self._position(search)}

    def open_ledger(self, ledger: str) -> dict[str, Any]:
        if self._ledgers is None:
            raise SettingsError("no folder of ledgers; start the server with one: playout mcp --ledgers FOLDER")
        if ledger not in self._listed():
            raise FileError(f"no ledger '{ledger}' in the folder (there are: {', '.join(self._listed()) or 'none'})")
        path = self._ledgers / ledger
        search = GeneratedSearch.read(path)
        return {"search": self._keep(path), **self._generated(search)}

    def run(self, number: str, simulations: int | None, seconds: float | None) -> dict[str, Any]:
        search = self._game(number, "run")
        if simulations is None and seconds is None:
            raise SettingsError("no limit given: say how long to search, as simulations or seconds")
        if seconds is not None and not 0 < seconds <= MOST_SECONDS:
            raise SettingsError(f"seconds is {seconds!r}, expected a number above 0 and at most {MOST_SECONDS:g}")
        result = search.run(simulations, seconds=MOST_SECONDS if seconds is None else seconds, nodes=MOST_NODES)
        return {"best": result.best_text, "value": result.value, "simulations": search.simulations}

    def best(self, number: str) -> dict[str, Any]:
        search = self._find(number)
        if isinstance(search, GeneratedSearch):
            return self._generated(search)
        result = search.result()
        found = {"best": result.best_text, "value": result.value, "proven": result.proven, "why": result.explain()}
        shown = [
            {"action": one.text, "visits": one.visits, "value": one.value}
            for one in search.root.first_children(MOST_WIDTH)
        ]
        return {**found, "actions": shown}

    def play(self, number: str, action: str) -> dict[str, Any]:
        search = self._game(number, "play")
        search.play(action)
        return self._position(search)

    def tree(self, number: str, depth: int, width: int) -> dict[str, Any]:
        for name, value, most in (("depth", depth, MOST_DEPTH), ("width", width, MOST_WIDTH)):
            if not 1 <= value <= most:
                raise SettingsError(f"{name} is {value}, expected a whole number from 1 to {most}")
        nodes = sum(width**level for level in range(depth + 1))
        if nodes > MOST_SHOWN:
            raise SettingsError(
                f"depth {depth} with width {width} can be {nodes:,} nodes, expected at most {MOST_SHOWN}; ask for less"
            )
        search = self._find(number)
        if isinstance(search, GeneratedSearch):
            return _below(search.root, depth, width)
        return search.root.to_dict(depth, width)

    def close(self, number: str) -> dict[str, Any]:
        with self._lock:
            self._check_open(number)
            del self._searches[number]
        return {"closed": number}

    def _keep(self, search: Search | Path) -> str:
        with self._lock:
            if len(self._searches) >= MOST_SEARCHES:
                raise SettingsError(f"{MOST_SEARCHES} searches are open; close one of them first")
            number = str(next(self._numbers))
            self._searches[number] = search
        return number

    def _check_open(self, number: str) -> None:
        if number not in self._searches:
            raise SettingsError(f"no search '{number}' is open (open: {', '.join(self._searches) or 'none'})")

    def _find(self, number: str) -> Search | GeneratedSearch:
        self._check_open(number)
        found = self._searches[number]
        return GeneratedSearch.read(found) if isinstance(found, Path) else found

    def _game(self, number: str, what: str) -> Search:
        search = self._find(number)
        if isinstance(search, GeneratedSearch):
            raise SettingsError(f"search {number} is a ledger, which is only read; {what} is for games")
        return search

    def _position(self, search: Search) -> dict[str, Any]:
        position = search.position
        over = position.is_terminal
        return {
            "game": search.game.title,
            "position": position.text,
            "board": str(position),
            "player": None if over else position.player,
            "is_over": over,
            "actions": [] if over else [position.action_text(action) for action in position.actions()],
        }

    def _generated(self, search: GeneratedSearch) -> dict[str, Any]:
        result = search.result()
        line = [node_data(node, TEXT) for node in result.line]
        return {
            "best": line[-1] if line else None,
            "line": line,
            "calls": result.calls,
            "cost": result.cost,
            "nodes": result.nodes,
            "generators": {name: stats.to_dict() for name, stats in result.generators.items()},
        }


def _below(node: GeneratedNode, depth: int, width: int) -> dict[str, Any]:
    found = node_data(node, TEXT)
    if depth:
        best = sorted(node.children, key=lambda child: -child.visits)[:width]
        found["best_children"] = [_below(child, depth - 1, width) for child in best]
    return found
