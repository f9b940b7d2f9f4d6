"""`playout play`: a person against the search, in the terminal."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import (
    GameName,
    NetworkFile,
    PositionText,
    Preset,
    SearchOption,
    Seconds,
    Set,
    Simulations,
    limits,
    load_game,
    search_settings,
    whole,
    within_time,
)
from .output import console, search_progress

if TYPE_CHECKING:
    from playout.game import Game, Position
    from playout.search.result import Result
    from playout.settings import Settings

HELP = {
    "moves": "list the legal moves",
    "hint": "let the search say what it would play here",
    "explain": "why the search played, or hinted at, its last move",
    "undo": "take your last move back, with the answer to it",
    "auto": "let the search play on for you",
    "board": "draw the position again",
    "resign": "give the game up",
    "new": "begin again",
    "quit": "leave",
    "help": "this list",
}
OVER = ("undo", "explain", "board", "new", "quit", "help")  # what can still be asked after the end
HINTS = 3


class Quit(Exception):
    """The person leaves."""


def play(
    game: GameName,
    position: PositionText = None,
    side: Annotated[
        str, typer.Option("--side", metavar="SIDE", help="Whom you play: 1 (who begins), 2, …, both, or none.")
    ] = "1",
    simulations: Simulations = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Let the search play on by itself, drawn in place on a terminal.")
    ] = False,
    seconds: Seconds = None,
    preset: Preset = None,
    option: SearchOption = None,
    network: NetworkFile = None,
    set: Set = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            parser=whole,
            help="The same seed gives the same game again.",
            show_default="by chance",
        ),
    ] = None,
) -> None:
    """Play against the search, or alone with its hints. Type a move as the game writes it, or `help`.

    Ctrl-C and Ctrl-D leave. `--watch` is the same as `--side none`, and as `auto` in the middle of a game.
    """
    from playout.errors import PositionError

    within = limits(simulations, seconds)
    with within_time(within):
        loaded = load_game(game, set)
        _, settings = search_settings(loaded, preset, option, network)
        persons = _persons("none" if watch else side, loaded.players)
        start = loaded.position(position)
    if start.is_terminal:
        raise PositionError(f"{loaded.title}: the game is over in {start.text}; there is nothing to play")
    table = Table(loaded, start, settings, persons, within, seed)
    try:
        table.run()
    except (Quit, EOFError, KeyboardInterrupt):
        table.stop_watching()
        print("\nGoodbye." if table.asked else "Goodbye.")


def _persons(side: str, players: int) -> frozenset[int]:
    from playout.errors import SettingsError

    everybody = frozenset(range(players))
    words = {"both": everybody, "all": everybody, "none": frozenset[int]()}
    numbers = {str(player + 1): frozenset({player}) for player in everybody}
    if side.strip().lower() in words | numbers:
        return (words | numbers)[side.strip().lower()]
    raise SettingsError(f"--side is '{side}', expected {', '.join(numbers)}, both or none")


class Table:
    """One person, or several, and the search, at one game; the search keeps its tree from move to move."""

    def __init__(
        self,
        game: "Game",
        start: "Position",
        settings: "Settings",
        persons: frozenset[int],
        within: dict[str, Any],
        seed: int | None,
    ) -> None:
        import numpy as np

        from playout.search import Search

        self.game, self.start, self.settings, self.within = game, start, settings, within
        self.seats = self.persons = persons  # `auto` empties the seats of `persons` until the end
        self.seed = int(np.random.default_rng().integers(2**32)) if seed is None else seed
        self.search = Search(game, settings, position=start, seed=self.seed)
        self.random = np.random.default_rng(self.seed)
        self.positions = [start]
        self.last: Result | None = None
        self.over = False  # and announced
        self.out = console()
        self.asked = False  # the cursor stands behind a question
        self.live: Any = None  # the picture that is drawn in place while only the search plays
        self.words = ""  # below it

    @property
    def position(self) -> "Position":
        return self.positions[-1]

    def run(self) -> None:
        """Move after move, until the person leaves, or the end when only the search plays."""
        self.draw()
        while True:
            if self.over:
                self.stop_watching()
                if not self.seats:
                    return
                self.ask(OVER)
            elif self.position.is_terminal:
                self.announce()
            elif self.position.player < 0:
                self.chance()
            elif self.position.player in self.persons:
                self.ask(tuple(HELP))
            else:
                self.think()

    # Whose turn it is.

    def chance(self) -> None:
        outcomes = self.position.outcomes()
        weights = [weight for _, weight in outcomes]
        action = outcomes[int(self.random.choice(len(outcomes), p=[w / sum(weights) for w in weights]))][0]
        if not self.watching():
            self.say(f"Chance: {_plain(self.position.action_text(action))}")
        self.move(action)

    def think(self) -> None:
        from playout.report.words import count

        legal = self.position.actions()
        if len(legal) == 1:
            action, words = legal[0], "the only move"
        else:
            result = self.ponder("thinking")
            action = result.choose(seed=int(self.random.integers(2**32)))
            words = _value(result, action)
            if result.simulations:  # none when the position was proven before
                words += f", {count(result.simulations, 'simulation')}"
        name = self.name(self.position.player)
        who = {"the search": "", "you": ", for you,"}.get(name, f", for {name},")
        move = _plain(self.position.action_text(action))
        self.say(f"The search{who} plays [bold]{move}[/bold]  [dim]({words})[/dim]")
        self.move(action)

    def ask(self, known: tuple[str, ...]) -> None:
        """One line from the person: a move if it is one, otherwise a command."""
        from playout.common.arguments import did_you_mean
        from playout.errors import ActionError

        who = "Your move" if len(self.seats) == 1 else _capital(self.name(self.position.player))
        text = self.read("Again? new, undo or quit> " if known is OVER else f"{who}> ")
        moves = {} if known is OVER else {self.position.action_text(a).lower(): a for a in self.position.actions()}
        if not text:
            return
        if text.lower() in moves:
            self.move(moves[text.lower()])
        elif text.lower() in known:
            getattr(self, f"do_{text.lower()}")()
        elif known is OVER:
            self.say(f"The game is over; '{_plain(text)}' is none of: {', '.join(OVER)}.")
        else:
            try:
                self.move(self.position.action(text))
            except ActionError as error:
                hint = did_you_mean(text, known) or "; help lists the commands"
                self.say(f"[red]{_plain(str(error))}[/red][dim]{hint}[/dim]")

    # What a person can ask for.

    def do_moves(self) -> None:
        self.say(_plain(", ".join(self.position.action_text(a) for a in self.position.actions())))

    def do_hint(self) -> None:
        result = self.ponder("thinking")
        assert result.best is not None
        line = " ".join(result.line_text(result.line)[1:6])
        self.say(f"Hint: [bold]{_plain(result.best_text or '')}[/bold]  [dim]({_value(result, result.best)})[/dim]")
        if line:
            self.say(f"  then perhaps {_plain(line)}")
        others = [s for s in result.actions if s.action != result.best and s.visits][: HINTS - 1]
        if others:
            texts = [f"{s.text} ({_value(result, s.action)})" for s in others]
            self.say(f"  next best: {_plain(', '.join(texts))}")

    def do_explain(self) -> None:
        if self.last is None:
            self.say("The search has not thought about a move yet; `hint` makes it.")
            return
        self.out.print(self.last.explain(), markup=False)

    def do_undo(self) -> None:
        """Back to where a person last had a choice; the tree of that time is gone, so a new one is planted."""
        from playout.search import Search

        at = len(self.positions) - (1 if self.over else 2)  # a resignation is taken back by itself
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
        self.persons = frozenset()

    def do_board(self) -> None:
        self.draw()

    def do_resign(self) -> None:
        player, self.over = self.position.player, True
        who = self.name(player)
        others = [self.name(p) for p in range(self.game.players) if p != player]
        if len(others) == 1:
            self.say(f"[bold]{_capital(who)} resign{'' if who == 'you' else 's'}; {_wins(others[0])}.[/bold]")
        else:
            so_far = f", with {self.score():g} so far" if not others else ""
            self.say(f"[bold]{_capital(who)} give{'' if who == 'you' else 's'} up{so_far}.[/bold]")

    def do_new(self) -> None:
        from playout.search import Search

        self.positions, self.last, self.over, self.persons = [self.start], None, False, self.seats
        self.seed = (self.seed + 1) % 2**64
        self.search = Search(self.game, self.settings, position=self.start, seed=self.seed)
        self.draw()

    def do_quit(self) -> None:
        raise Quit

    def do_help(self) -> None:
        self.say("A move, as `moves` writes them, or:")
        for word, meaning in HELP.items():
            self.say(f"  [bold]{word:8}[/bold] {meaning}")

    # What the above is made of.

    def ponder(self, what: str) -> "Result":
        with search_progress(what, self.live is None) as progress:
            self.last = self.search.run(**self.within, progress=progress)
        return self.last

    def move(self, action: int) -> None:
        self.positions.append(self.search.play(action))
        if self.position.is_terminal or self.position.player >= 0:  # chance moves at once, and is drawn then
            self.draw()

    def draw(self) -> None:
        if self.watching():
            self.refresh()
            return
        self.out.print()
        self.out.print(self.picture())
        self.out.print()

    def picture(self) -> Any:
        from rich.text import Text

        return Text.assemble(*self.game.paint(self.position.state))

    def say(self, words: str) -> None:
        if self.watching():
            self.words = words
            self.refresh()
        else:
            self.out.print(words, soft_wrap=True)

    def watching(self) -> bool:
        """Whether to draw in place: nobody plays but the search, and somebody looks."""
        return not self.persons and not self.over and self.out.is_terminal

    def refresh(self) -> None:
        from rich.console import Group
        from rich.live import Live
        from rich.text import Text

        if self.live is None:
            self.live = Live(console=self.out, auto_refresh=False)
            self.live.start()
        self.live.update(Group("", self.picture(), "", Text.from_markup(self.words)), refresh=True)

    def stop_watching(self) -> None:
        """Leave the last picture where it is and go on below it."""
        if self.live is not None:
            self.live.stop()
            self.live = None

    def read(self, question: str) -> str:
        """A line of input; where it comes from a pipe it is repeated, so that the record can be read."""
        if sys.stdin.isatty():
            import contextlib

            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # gives `input` its history and editing
        self.asked = True
        text = input(question)
        self.asked = False
        if not sys.stdin.isatty():
            print(text)
        return " ".join(text.split())

    def returns(self) -> Any:
        """What each player has got since the start."""
        return sum((position.rewards for position in self.positions[1:]), start=0 * self.start.rewards)

    def score(self) -> float:
        """Of a player alone: the game's own count, or the returns."""
        known = self.game.score(self.position.state)
        return float(self.returns()[0]) if known is None else float(known)

    def name(self, player: int) -> str:
        if player in self.seats and len(self.seats) == 1:
            return "you"
        if player not in self.seats and len(self.seats) == self.game.players - 1:
            return "the search"
        return f"player {player + 1}"

    def announce(self) -> None:
        """How it ended: by the score, or the returns since the start."""
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


def _value(result: "Result", action: int) -> str:
    from playout.report.words import number, proven_word

    stats, game = result.stats(action), result.position.game
    word = proven_word(stats.proven, game.players, game.range)
    return f"proven: {word}" if word else f"value {number(stats.value)}"


def _plain(text: str) -> str:
    """A game's own text, safe from being read as a style."""
    from rich.markup import escape

    return escape(text)
