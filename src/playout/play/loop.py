"""The game loop: chance draws, players choose, until the game is over."""

from collections.abc import Callable, Sequence
from typing import Protocol

from playout.game import CHANCE, Position


class Playable(Protocol):
    """What a game is played on: a `Playthrough`, a `Search`, or the terminal."""

    @property
    def position(self) -> Position:
        """The position now."""

    def play(self, action: int) -> object:
        """Go on to the position after an action or an outcome of chance."""


def _never() -> bool:
    return False


def play_game(
    game: Playable,
    choose: Callable[[Position], int | None],
    draw: Callable[[Position], int],
    stopped: Callable[[], bool] = _never,
) -> None:
    """Play until the game is over or `stopped()`, which is asked before each action.

    `choose` gives the action of the player who moves, `draw` the outcome where chance moves. Where `choose` returns
    None nothing is played, and the loop looks at the position again.
    """
    while not game.position.is_terminal and not stopped():
        position = game.position
        action = draw(position) if position.player == CHANCE else choose(position)
        if action is not None:
            game.play(action)


class Playthrough:
    """A game as it is played, with all that has happened since the start."""

    def __init__(self, start: Position, text: str = "") -> None:
        self.text = text  # of the start; empty: the usual one
        self.position = start
        self.actions: list[int] = []
        self.action_texts: list[str] = []
        self.opening = 0  # how many of the actions were played before the players took over
        self.moves = 0  # actions of players, those of the opening included; outcomes of chance are not moves
        self.returns = [0.0] * start.game.players

    def play(self, action: int) -> None:
        """Play an action or an outcome of chance."""
        before = self.position
        self.action_texts.append(before.action_text(action))
        self.actions.append(action)
        self.position = before.play(action)
        self.moves += before.player != CHANCE
        for player in range(len(self.returns)):
            self.returns[player] += float(self.position.rewards[player])

    def play_opening(self, actions: Sequence[int]) -> None:
        """Play the actions of an opening: the players take over after them."""
        for action in actions:
            self.play(action)
        self.opening = len(self.actions)
