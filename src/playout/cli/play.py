"""`playout play`: a person against the search, in the terminal."""

import contextlib
import sys
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from playout.common.arguments import did_you_mean
from playout.errors import ActionError, PositionError, SettingsError
from playout.game import CHANCE, Game, Position
from playout.play.chance import draw_outcome
from playout.play.loop import play_game
from playout.report.words import count, number, proven_word
from playout.search import Search
from playout.search.limits import Limits
from playout.search.result import Result
from playout.settings import Settings

from .options import (
    GameName,
    NetworkFile,
    PositionText,
    Preset,
    Roots,
    SearchOption,
    Seconds,
    Set,
    Simulations,
    Threads,
    limits,
    load_game,
    search_settings,
    whole,
    within_time,
)
from .output import console, search_progress

HELP = {
    "moves": "list the legal moves",
    "hint": "show what the search would play here",
    "explain": "why the search played, or hinted at, its last move",
    "undo": "take your last move back, with the reply to it",
    "auto": "have the search play on for you",
    "board": "draw the position again",
    "resign": "give up the game",
    "new": "start a new game",
    "quit": "leave",
    "help": "this list",
}
OVER = ("undo", "explain", "board", "new", "quit", "help")  # the commands after the end
HINTS = 3  # moves that a hint names


class Quit(Exception):
    """The person leaves."""


def play(
    game: GameName,
    position: PositionText = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="The side you play: 1 (moves first), 2, …, both, or none.")
    ] = "1",
    simulations: Simulations = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Watch the search play by itself, drawn in place on a terminal.")
    ] = False,
    seconds: Seconds = None,
    preset: Preset = None,
    option: SearchOption = None,
    network: NetworkFile = None,
    set: Set = None,
    threads: Threads = None,
    roots: Roots = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            parser=whole,
            help="The same seed gives the same game again.",
            show_default="random",
        ),
    ] = None,
) -> None:
    """Play against the search, or alone with its hints. Type a move as the game writes it, or `help`.

    Ctrl-C and Ctrl-D leave. `--watch` is the same as `--side none`, and as `auto` in the middle of a game.
    """
    within = limits(simulations, seconds)
    with within_time(within):
        loaded = load_game(game, set)
        _, settings = search_settings(loaded, preset, option, network, threads, roots)
        persons = _persons("none" if watch else side, loaded.players)
        start = loaded.position(position)
    if start.is_terminal:
        raise PositionError(f"{loaded.title}: the game is over in {start.text}; there is nothing to play")
    session = TerminalGame(loaded, start, settings, persons, within, seed)
    try:
        session.run()
    except (Quit, EOFError, KeyboardInterrupt):
        session.stop_watching()
        print("\nGoodbye." if session.asked else "Goodbye.")


def _persons(side: str, players: int) -> frozenset[int]:
    everybody = frozenset(range(players))
    words = {"both": everybody, "all": everybody, "none": frozenset[int]()}
    numbers = {str(player + 1): frozenset({player}) for player in everybody}
    if side.strip().lower() in words | numbers:
        return (words | numbers)[side.strip().lower()]
    raise SettingsError(f"--side is '{side}', expected {', '.join(numbers)}, both or none")


class TerminalGame:
    """A game of the search and one person or several; the search keeps its tree from move to move."""

    def __init__(
        self,
        game: Game,
        start: Position,
        settings: Settings,
        persons: frozenset[int],
        within: Limits,
        seed: int | None,
    ) -> None:
        self.game, self.start, self.settings, self.within = game, start, settings, within
        self.seats = self.persons = persons  # `auto` empties `persons` until the end; `seats` stay
        self.seed = int(np.random.default_rng().integers(2**32)) if seed is None else seed
        self.search = Search(game, settings, position=start, seed=self.seed)
        self.random = np.random.default_rng(self.seed)
        self.positions = [start]
        self.last: Result | None = None
        self.over = False  # and announced
        self.out = console()
        self.asked = False  # the cursor stands behind a question
        self.live: Live | None = None  # the picture that is drawn in place while only the search plays
        self.words = ""  # below the picture

    @property
    def position(self) -> Position:
        """The position now."""
        return self.positions[-1]

    @property
    def moves(self) -> int:
        """How many moves the players have made; outcomes of chance are not moves."""
        return sum(position.player != CHANCE for position in self.positions[:-1])

    def run(self) -> None:
        """Play until the person leaves, or to the end when only the search plays."""
        self.draw()
        while True:
            play_game(self, self.choose, self.draw_chance, lambda: self.over)
            if not self.over:
                self.announce()
            self.stop_watching()
            if not self.seats:
                return
            self.ask(OVER)

    def play(self, action: int) -> None:
        """Play an action or an outcome of chance."""
        self.positions.append(self.search.play(action))
        if self.position.is_terminal or self.position.player != CHANCE:  # chance moves at once, and is drawn then
            self.draw()

    def draw_chance(self, position: Position) -> int:
        """Draw an outcome and announce it."""
        action = draw_outcome(position, self.random)
        if not self.watching():
            self.say(f"Chance: {escape(position.action_text(action))}")
        return action

    def choose(self, position: Position) -> int | None:
        """The action of a person or of the search; None where a person gave a command instead."""
        return self.ask(tuple(HELP)) if position.player in self.persons else self.think()

    def think(self) -> int:
        """The action of the search, announced."""
        legal = self.position.actions()
        if len(legal) == 1:
            action, words = legal[0], "the only move"
        else:
            result = self.ponder("thinking")
            temperature = self.settings.temperature_at(self.moves)
            action = result.choose(temperature, seed=int(self.random.integers(2**32)))
            words = _value(result, action)
            if result.simulations:  # 0 where the position was proven before
                words += f", {count(result.simulations, 'simulation')}"
        name = self.name(self.position.player)
        who = {"the search": "", "you": ", for you,"}.get(name, f", for {name},")
        move = escape(self.position.action_text(action))
        self.say(f"The search{who} plays [bold]{move}[/bold]  [dim]({words})[/dim]")
        return action

    def ask(self, known: tuple[str, ...]) -> int | None:
        """Read one line from the person: a move, which is returned, or one of the commands `known`, which is run."""
        who = "Your move" if len(self.seats) == 1 else _capital(self.name(self.position.player))
        text = self.read("Again? new, undo or quit> " if known is OVER else f"{who}> ")
        moves = {} if known is OVER else {self.position.action_text(a).lower(): a for a in self.position.actions()}
        if not text:
            return None
        if text.lower() in moves:
            return moves[text.lower()]
        if text.lower() in known:
            getattr(self, f"do_{text.lower()}")()
        elif known is OVER:
            self.say(f"The game is over; '{escape(text)}' is none of: {', '.join(OVER)}.")
        else:
            try:
                action = self.position.action(text)
                self.position.check_legal(action)
                return action
            except ActionError as error:
                hint = did_you_mean(text, known) or "; help lists the commands"
                self.say(f"[red]{escape(str(error))}[/red][dim]{hint}[/dim]")
        return None

    # Commands.

    def do_moves(self) -> None:
        """List the legal moves."""
        self.say(escape(", ".join(self.position.action_text(a) for a in self.position.actions())))

    def do_hint(self) -> None:
        """Show what the search would play."""
        result = self.ponder("thinking")
        assert result.best is not None
        line = " ".join(result.line_text(result.line)[1:6])
        self.say(f"Hint: [bold]{escape(result.best_text or '')}[/bold]  [dim]({_value(result, result.best)})[/dim]")
        if line:
            self.say(f"  then perhaps {escape(line)}")
        others = [s for s in result.actions if s.action != result.best and s.visits][: HINTS - 1]
        if others:
            texts = [f"{s.text} ({_value(result, s.action)})" for s in others]
            self.say(f"  next best: {escape(', '.join(texts))}")

    def do_explain(self) -> None:
        """Explain the last move or hint of the search."""
        if self.last is None:
            self.say("The search has not thought about a move yet; ask for a `hint` first.")
            return
        self.out.print(self.last.explain(), markup=False)

    def do_undo(self) -> None:
        """Go back to where a person last had a choice, with a new tree: the old one is gone."""
        at = len(self.positions) - (1 if self.over else 2)  # a resignation alone is taken back
        while at >= 0 and self.positions[at].player not in self.seats:
            at -= 1
        if at < 0:
            self.say("There is nothing to take back.")
            return
        del self.positions[at + 1 :]
        self.over, self.last, self.persons = False, None, self.seats
        self.search = Search(self.game, self.settings, position=self.position, seed=self.seed)
        self.draw()

    def do_auto(self) -> None:
        """Hand the person's seats to the search."""
        self.persons = frozenset()

    def do_board(self) -> None:
        """Draw the position again."""
        self.draw()

    def do_resign(self) -> None:
        """End the game, lost for the player who moves."""
        player, self.over = self.position.player, True
        who = self.name(player)
        others = [self.name(p) for p in range(self.game.players) if p != player]
        if len(others) == 1:
            self.say(f"[bold]{_capital(who)} resign{'' if who == 'you' else 's'}; {_wins(others[0])}.[/bold]")
        else:
            so_far = f", with {self.score():g} so far" if not others else ""
            self.say(f"[bold]{_capital(who)} give{'' if who == 'you' else 's'} up{so_far}.[/bold]")

    def do_new(self) -> None:
        """Start a new game with the next seed."""
        self.positions, self.last, self.over, self.persons = [self.start], None, False, self.seats
        self.seed = (self.seed + 1) % 2**64
        self.search = Search(self.game, self.settings, position=self.start, seed=self.seed)
        self.draw()

    def do_quit(self) -> None:
        """Leave."""
        raise Quit

    def do_help(self) -> None:
        """List the commands."""
        self.say("A move, as `moves` writes them, or:")
        for word, meaning in HELP.items():
            self.say(f"  [bold]{word:8}[/bold] {meaning}")

    # Internals.

    def ponder(self, what: str) -> Result:
        """Run the search at the position now."""
        with search_progress(what, self.live is None) as progress:
            self.last = self.search.run(self.within, progress=progress)
        return self.last

    def draw(self) -> None:
        """Show the position."""
        if self.watching():
            self.refresh()
            return
        self.out.print()
        self.out.print(self.picture())
        self.out.print()

    def picture(self) -> Text:
        """The position in colours."""
        return Text.assemble(*self.game.call_method("paint", self.position.state))

    def say(self, words: str) -> None:
        """Print a line, or put it below the picture."""
        if self.watching():
            self.words = words
            self.refresh()
        else:
            self.out.print(words, soft_wrap=True)

    def watching(self) -> bool:
        """Whether to draw in place: only the search plays, on a terminal."""
        return not self.persons and not self.over and self.out.is_terminal

    def refresh(self) -> None:
        """Draw the picture in place."""
        if self.live is None:
            self.live = Live(console=self.out, auto_refresh=False)
            self.live.start()
        self.live.update(Group("", self.picture(), "", Text.from_markup(self.words)), refresh=True)

    def stop_watching(self) -> None:
        """Leave the last picture where it is, and print below it from now on."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def read(self, question: str) -> str:
        """Read a line; from a pipe it is also printed, so that the output can be read as a record."""
        if sys.stdin.isatty():
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401, PLC0415  # gives `input` history and editing, and changes the terminal
        self.asked = True
        text = input(question)
        self.asked = False
        if not sys.stdin.isatty():
            print(text)
        return " ".join(text.split())

    def returns(self) -> Any:
        """The return of each player since the start."""
        return sum((position.rewards for position in self.positions[1:]), start=0 * self.start.rewards)

    def score(self) -> float:
        """The score of a game of one player: the game's own, or the return."""
        known = self.game.call_method("score", self.position.state)
        return float(self.returns()[0]) if known is None else float(known)

    def name(self, player: int) -> str:
        """What to call a player."""
        if player in self.seats and len(self.seats) == 1:
            return "you"
        if player not in self.seats and len(self.seats) == self.game.players - 1:
            return "the search"
        return f"player {player + 1}"

    def announce(self) -> None:
        """Say how the game ended."""
        self.over = True
        self.stop_watching()
        got = [float(r) for r in self.returns()]
        if self.game.players == 1:
            self.say(f"[bold]The end, with {self.score():g}.[/bold]")
            return
        best = [p for p, r in enumerate(got) if r == max(got)]
        if len(best) == self.game.players:
            words = "A draw"
        else:
            words = _capital(" and ".join(_wins(self.name(p)) for p in best))
        scores = "" if sorted(got) in ([-1.0, 1.0], [0.0, 0.0]) else f" ({' : '.join(f'{r:g}' for r in got)})"
        self.say(f"[bold]{words}{scores}.[/bold]")


def _wins(name: str) -> str:
    return "you win" if name == "you" else f"{name} wins"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _value(result: Result, action: int) -> str:
    stats, game = result.stats(action), result.position.game
    word = proven_word(stats.proven, game.players, game.range)
    return f"proven: {word}" if word else f"value {number(stats.value)}"
