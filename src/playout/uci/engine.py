"""The UCI engine around `Search`: reads commands, keeps options and the position, starts and stops the search.

The search runs in a thread of its own (`thinking`), in slices of a hundredth of a second that release Python's lock, so
that `isready` and `stop` are answered while it works.
"""

import threading
import time
from collections.abc import Callable, Iterable

from playout.common.runtime import COMPILED
from playout.common.version import __version__
from playout.errors import PlayoutError, SettingsError
from playout.evaluators import Evaluator
from playout.evaluators.fast import fast_facts
from playout.game import Game, Position
from playout.games.chess import Chess
from playout.search import Search
from playout.settings import Settings, is_outside

from .go import GoJob, parse_go
from .info import Output
from .options import options_for, search_settings
from .positions import parse_position, played, starting_position, to_search
from .thinking import Thinker, few_at


class Engine:
    """A UCI engine: `command` reads one line, `write` gets each line of output, from one thread at a time."""

    def __init__(self, write: Callable[[str], None], game: Game | None = None, network: str = "") -> None:
        self.game = self._plain = game or Chess()
        self.output = Output(write)
        self.thinker = Thinker(self.output)
        self.trees = self.thinker.trees
        self.options = options_for(self.game)
        self.values = {name: o.default for name, o in self.options.items() if o.kind != "button"}
        self.job: GoJob | None = None
        self._worker: threading.Thread | None = None
        self._warm: Settings | None = None  # the settings whose code is compiled
        self._warming: threading.Thread | None = None
        self.start, self.moves = "startpos", list[str]()
        self.replayed = starting_position(self.game, self.start)
        if network:
            self.values["Network"] = network
            self._check_settings()

    # Commands.

    def run(self, lines: Iterable[bytes]) -> None:
        """Obey commands until `quit` or the end of the input. Compiling starts at once, in the background."""
        self._warming = threading.Thread(target=self._warm_up, daemon=True)
        self._warming.start()
        try:
            for line in lines:
                if not self.command(line.decode("utf-8", "replace")):
                    break
        finally:
            self._halt()
            self._join_warming()  # a process must not end while the compiler works

    def command(self, line: str) -> bool:
        """Obey one line; False after `quit`. Unknown words before a command are skipped, as the protocol asks."""
        words = line.split()
        names = [w for w in words if w in COMMANDS]
        if not names:
            if words:
                self.output.note(f"unknown command: {line.strip()}")
            return True
        words = words[words.index(names[0]) + 1 :]
        if names[0] == "quit":
            return False
        try:
            COMMANDS[names[0]](self, words)
        except PlayoutError as error:
            self.output.note(str(error))
        except Exception as error:  # noqa: BLE001  # an engine that dies loses the game
            self.output.note(f"{names[0]} failed: {type(error).__name__}: {error}")
        return True

    def do_uci(self, words: list[str]) -> None:
        """Say who we are, and list the options."""
        self.output.say(f"id name Playout {__version__}")
        self.output.say("id author the Playout authors")
        for name, option in self.options.items():
            self.output.say(option.line(name))
        self.output.say("uciok")

    def do_debug(self, words: list[str]) -> None:
        """Turn messages about the search on or off."""
        self.output.debug = words[:1] != ["off"]

    def do_isready(self, words: list[str]) -> None:
        """Answer when the engine can search without compiling; at once while it searches."""
        if not (self._worker is not None and self._worker.is_alive()):
            self._get_ready()
        self.output.say("readyok")

    def do_setoption(self, words: list[str]) -> None:
        """Set an option, or press a button."""
        text = " ".join(words)
        if not text.startswith("name "):
            raise SettingsError(f"can't read 'setoption {text}', expected setoption name … value …")
        given, _, value = text.removeprefix("name ").partition(" value ")
        given = given.removesuffix(" value")
        name = next((n for n in self.options if n.lower() == given.strip().lower()), None)
        if name is None:
            raise SettingsError(f"unknown option '{given}', expected one of {', '.join(self.options)}")
        if name == "Clear Hash":
            self._halt()
            self.trees.clear()
            return
        before = self.values[name]
        self.values[name] = self.options[name].value(name, value.strip())
        try:
            self._check_settings()
        except PlayoutError:
            self.values[name] = before
            raise

    def do_ucinewgame(self, words: list[str]) -> None:
        """Forget the trees of the last game."""
        self._halt()
        self.trees.clear()
        self._get_ready()

    def do_position(self, words: list[str]) -> None:
        """Set the position. Only moves that are new since the last `position` are played."""
        self._halt()
        self._join_warming()
        start, moves = parse_position(words)
        known = len(self.moves)
        if start == self.start and moves[:known] == self.moves:
            replayed = played(self.replayed, moves[known:])
        else:
            replayed = played(starting_position(self.game, start), moves)
        self.start, self.moves, self.replayed = start, moves, replayed

    def do_go(self, words: list[str]) -> None:
        """Start a search."""
        began = time.perf_counter()
        self._halt()
        self._get_ready()
        go, complaints = parse_go(words, self.replayed)
        for complaint in complaints:
            self.output.note(complaint)
        position = to_search(self.replayed)
        job = GoJob(go, dict(self.values), self.settings(), self.start, self.moves, position, began)
        if not go.ponder:
            job.hit.set()
            job.set_deadline(began)
        self.job = job
        self._worker = threading.Thread(target=self.thinker.think, args=(job,), daemon=True)
        self._worker.start()

    def do_stop(self, words: list[str]) -> None:
        """End the search; its thread answers with `bestmove`."""
        if self.job:
            self.job.stopped.set()

    def do_ponderhit(self, words: list[str]) -> None:
        """The move pondered on was played: the clock runs from now on."""
        if self.job and not self.job.hit.is_set():
            self.job.set_deadline(time.perf_counter())
            self.job.hit.set()

    def do_d(self, words: list[str]) -> None:
        """Show the board, as Stockfish does."""
        for line in self.replayed.show().splitlines():
            self.output.say(line)
        self.output.say(f"Fen: {self.replayed.text}")

    # Settings.

    def settings(self) -> Settings:
        """What the engine searches with now."""
        return search_settings(self.values, self.game)

    def _check_settings(self) -> None:
        """Reject settings that the search can't use; switch to the form of the game that a network needs."""
        settings, game = self.settings(), self._plain
        settings.params(game)
        if is_outside(settings.evaluator):
            game = Evaluator(settings.evaluator, game).game
        fast_facts(settings.evaluator, game)
        if type(game) is not type(self.game):
            self._halt()
            self._join_warming()
            self.trees.clear()
            self.game = game
            self.replayed = played(starting_position(game, self.start), self.moves)

    # Threads.

    def _halt(self) -> None:
        """End the search, if there is one, and wait for its `bestmove`."""
        if self.job and self._worker:
            self.job.stopped.set()
            self._worker.join()
        self.job = self._worker = None

    def _join_warming(self) -> None:
        if self._warming:
            self._warming.join()
            self._warming = None

    def _get_ready(self) -> None:
        """Wait for the compiler now, so that the clock does not."""
        self._join_warming()
        if self._warm != self.settings():
            self._warm_up()

    def _warm_up(self) -> None:
        """Compile what a search with the current settings needs, by running a small one."""
        settings = self.settings()
        if not COMPILED:
            self._warm = settings
            return
        try:
            search = Search(self.game, settings)
            result = search.run(few_at(search), bytes=1 << 24)
            search.is_decided(1)
            search.play(result.best if result.best is not None else result.actions[0].action)
            search.run(few_at(search))
            to_search(Position(self.game, search.position.buffer))
            self._warm = settings
        except PlayoutError as error:
            self.output.note(str(error))


COMMANDS: dict[str, Callable[[Engine, list[str]], None]] = {
    "uci": Engine.do_uci,
    "debug": Engine.do_debug,
    "isready": Engine.do_isready,
    "setoption": Engine.do_setoption,
    "ucinewgame": Engine.do_ucinewgame,
    "position": Engine.do_position,
    "go": Engine.do_go,
    "stop": Engine.do_stop,
    "ponderhit": Engine.do_ponderhit,
    "d": Engine.do_d,
    "quit": Engine.do_stop,
}
