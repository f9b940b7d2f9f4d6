"""A position: a state of a game, with everything that can be asked of it."""

import zlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from playout.core import rules as core
from playout.core.draws import DRAWN, drawn_number, fill_row
from playout.core.rules import CHANCE, TERMINAL
from playout.errors import ActionError, GameError

from .checks import shorten
from .drawn import drawn_text
from .faults import place_of, room_for_features, rules_may_raise, wrong_count, wrong_features, wrong_player

if TYPE_CHECKING:
    from .game import Game

Way = tuple[str | None, tuple[int, ...]]  # the text that a position was read from, and the actions since
EXAMPLES = 8  # drawn actions that `actions()` names
Playouts = list[tuple[tuple[str, ...], tuple["Position", ...], tuple[float, ...]]]  # actions, positions after, returns


class Position:
    """A state of a game: ask it who moves and what is legal, and play on from it. It never changes.

    Get one from a game: `game.position()` is the initial position, `game.position(text)` the one a text describes;
    `search.position` is that of a search. `play` returns the next position.

    Attributes:
        game: the `Game` it belongs to.
        state: the NumPy record that the rules see.
        buffer: the bytes of that record.
        player: who moves, 0 to `game.players - 1`, `po.CHANCE` or `po.TERMINAL`.
        is_terminal: whether the game is over.
        rewards: what the last action brought, one number for each player.
        way: the text it was read from and the actions played since; None where that is not known.
        text: the position as text, which `game.position` reads.

    Methods:
        actions(): the legal actions, or the outcomes where chance moves; [] at the end. Of actions that are drawn, a
            few examples.
        is_legal(action): whether a number is that of a legal action.
        draws: whether the actions here are drawn by `sample_action`.
        drawn(share): the number of a drawn action, another one for each share from 0 to 1.
        is_listed(action): whether a number is one that `legal_actions` may list, not that of a drawn action.
        row(action): the numbers of a drawn action.
        outcomes(): chance's outcomes with their probabilities.
        play(action): the position after an action, given as a number or as text.
        action(text): the number of an action.
        action_text(action): the text of an action.
        priors(): the legal actions with the game's own priors.
        evaluate(): the game's own static value, one number for each player.
        observe(player): the planes that a network sees.
        features(player): the active inputs of a network inside the search.
        action_index(action): the index of an action in a network's policy.
        action_code(action): what playouts that learn remember an action by.
        show(), draw(): the position for a terminal, and as SVG.

    >>> import playout as po
    >>> position = po.games.load("tictactoe").position("X.O/.X./...")
    >>> position.player, position.actions()
    (1, [1, 3, 5, 6, 7, 8])
    >>> position.play("9").text
    'X.O/.X./..O'
    """

    def __new__(cls, game: "Game | None" = None, *_: Any, **__: Any) -> "Position":
        """Make a position of the game's own class, where it has one."""
        kind: type[Position] = getattr(game, "position_class", None) or cls
        return object.__new__(kind)

    def __init__(
        self,
        game: "Game",
        buffer: NDArray[np.uint8],
        rewards: NDArray[np.float64] | None = None,
        way: Way | None = None,
    ) -> None:
        self.game, self.buffer = game, buffer
        self.rewards = np.zeros(game.players) if rewards is None else rewards
        self.way = way  # a state may not hold the whole past, as a chess board does not

    @property
    def state(self) -> np.record:
        """The record, as the rules see it."""
        record: np.record = self.game.rules.view(self.buffer)
        return record

    @cached_property
    def _table(self) -> Any:
        return self.game.rules_table()

    @cached_property
    def player(self) -> int:
        """Who moves: 0, 1, …, or `CHANCE` or `TERMINAL`."""
        player = int(self._ask("current_player", core.current_player))
        known = player == TERMINAL or 0 <= player < self.game.players
        if not known and not (player == CHANCE and (self.game.has("chance_outcomes") or self.game.draws)):
            raise GameError(wrong_player(self.game, player, f" in {place_of(self)}"))
        return player

    def __getstate__(self) -> dict[str, Any]:
        """For another process: without the addresses of this one."""
        return {key: value for key, value in self.__dict__.items() if key != "_table"}

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.player == TERMINAL

    def actions(self) -> list[int]:
        """The legal actions, or the possible outcomes where chance moves; none at the end."""
        if self.player == TERMINAL:
            return []
        if self.player == CHANCE:
            return [action for action, _ in self.outcomes()]
        if self.game.draws:
            return [*self._listed(), *self._examples()]
        found = np.zeros(self.game.rules.room, np.int32)
        count = int(self._ask("legal_actions", core.legal_actions, found))
        return [int(a) for a in found[: self._counted(count, "legal_actions")]]

    def outcomes(self) -> list[tuple[int, float]]:
        """Chance's outcomes with their probabilities; none where chance does not move."""
        if self.player != CHANCE:
            return []
        if self.draws:
            return [(number, 1.0 / EXAMPLES) for number in self._examples()]
        found, weights = np.zeros(self.game.rules.room, np.int32), np.zeros(self.game.rules.room)
        count = int(self._ask("chance_outcomes", core.chance_outcomes, found, weights))
        self._counted(count, "chance_outcomes")
        return [(int(a), float(w)) for a, w in zip(found[:count], weights[:count], strict=True)]

    @property
    def draws(self) -> bool:
        """Whether the actions here, or the outcomes of chance, are drawn; `actions()` then has a few of them."""
        return self.game.draws and (self.player >= 0 or not self.game.has("chance_outcomes")) and not self.is_terminal

    def _listed(self) -> list[int]:
        """The actions that `legal_actions` lists beside those that are drawn."""
        if not self.game.rules.lists or self.player < 0:
            return []
        found = np.zeros(self.game.rules.room, np.int32)
        count = int(self._ask("legal_actions", core.legal_actions, found))
        return [int(a) for a in found[: self._counted(count, "legal_actions") if count else 0]]

    def _examples(self) -> list[int]:
        """A few drawn actions, always the same in the same position."""
        rng = np.array([zlib.crc32(self.buffer.tobytes())], np.uint64)
        with np.errstate(over="ignore"):
            return [int(drawn_number(rng)) for _ in range(EXAMPLES)]

    def drawn(self, share: float) -> int:
        """The number of a drawn action; each `share` from 0 to 1 seeds another draw."""
        return DRAWN + min(DRAWN - 1, int(share * DRAWN))

    def is_listed(self, action: int) -> bool:
        """Whether a number is below those of drawn actions."""
        return action < DRAWN

    def row(self, action: int) -> NDArray[np.float64]:
        """The numbers of an action, drawn or listed, that `apply` gets; the game must define `sample_action`."""
        row, rng, width = np.zeros(self.game.action_width), np.zeros(1, np.uint64), self.game.action_width
        fill_row(width, action, row, rng)
        if action >= DRAWN:
            with rules_may_raise(self.game, "sample_action", self), np.errstate(over="ignore"):
                self.game.rules.asked("sample_action")(self.state, rng, row)
        return row

    def priors(self) -> list[tuple[int, float]]:
        """The legal actions with the game's own priors; the game must define `priors`."""
        actions = self.actions()
        given, weights = np.zeros(self.game.rules.room, np.int32), np.zeros(self.game.rules.room)
        given[: len(actions)] = actions
        table = self.game.rules_table(wanted=("priors",))
        with rules_may_raise(self.game, "priors", self):
            core.priors(table, self.buffer, given, len(actions), weights)
        return list(zip(actions, weights[: len(actions)].tolist(), strict=True))

    def evaluate(self) -> NDArray[np.float64]:
        """The game's own static value, one number for each player; the game must define `evaluate`."""
        values = np.zeros(self.game.players)
        table = self.game.rules_table(wanted=("evaluate",))
        with rules_may_raise(self.game, "evaluate", self):
            core.evaluate(table, self.buffer, values)
        return values

    def observe(self, player: int | None = None) -> NDArray[np.float32]:
        """What a network sees from a player's side, by default the side of the player to move."""
        if not self.game.has("observe"):
            raise GameError(
                f"{self.game.title} has no observation for a network: define `observe(state, player, planes)`, "
                f"`planes` (its shape) and `policy_size`"
            )
        flat = np.zeros(self.game.planes, np.float32).ravel()
        with rules_may_raise(self.game, "observe", self):
            table = self.game.rules_table(wanted=("observe",))
            core.observe(table, self.buffer, max(0, self.player) if player is None else player, flat)
        return flat.reshape(self.game.planes)

    def features(self, player: int | None = None) -> list[int]:
        """The active inputs of a network inside the search, as a player sees them, by default the player to move."""
        game = self.game
        if not game.has("features"):
            raise GameError(
                f"{game.title} has no features for a network inside the search: define `features(state, player, out)`, "
                f"`feature_count` and `policy_size`"
            )
        found = np.zeros(room_for_features(game), np.int32)
        with rules_may_raise(game, "features", self):
            table = game.rules_table(wanted=("features",))
            count = int(core.features(table, self.buffer, max(0, self.player) if player is None else player, found))
        if message := wrong_features(game, count, found, f" in {place_of(self)}"):
            raise GameError(message)
        return [int(feature) for feature in found[:count]]

    def action_index(self, action: int) -> int:
        """The index of an action in a network's policy."""
        index = action
        if self.game.has("action_index"):
            with rules_may_raise(self.game, "action_index", self, action):
                table = self.game.rules_table(wanted=("action_index",))
                index = int(core.action_index(table, self.buffer, action))
        if not 0 <= index < self.game.policy_size:
            raise GameError(
                f"{self.game.title}: action {action} in {self.text or 'the start'} has index {index}, "
                f"expected 0 to policy_size - 1 = {self.game.policy_size - 1}; define `action_index(state, action)`"
            )
        return index

    def action_code(self, action: int) -> int:
        """What playouts that learn remember an action by; see `action_code` of `Game`."""
        self.game.check_has_codes("action_code")
        with rules_may_raise(self.game, "action_code", self, action):
            table = self.game.rules_table(wanted=("action_code",))
            return int(core.action_code(table, self.buffer, action))

    def play(self, action: object) -> "Position":
        """The position after a legal action (or outcome), given by its number or its text."""
        number = self.action(action)
        self.check_legal(number)
        after = Position(self.game, self.buffer.copy(), way=self._way_after(number))
        with rules_may_raise(self.game, "apply", self, number):
            core.apply(self._table, after.buffer, number, after.rewards)
        return after

    def _way_after(self, action: int) -> Way | None:
        return None if self.way is None else (self.way[0], (*self.way[1], action))

    def is_legal(self, action: int) -> bool:
        """Whether a number is that of a legal action; all that can be drawn are."""
        return (self.draws and DRAWN <= action < 2 * DRAWN) or action in self.actions()

    def check_legal(self, action: int) -> None:
        """Raise `ActionError` where a number is not that of a legal action."""
        if self.is_legal(action):
            return
        legal = self.actions()
        texts = {a: self.action_text(a) for a in legal}
        names = [str(a) if str(a) == text else f"{a} or '{text}'" for a, text in texts.items()]
        what = f"action {action} is not legal in {self.text or 'the start'}"
        raise ActionError(f"{self.game.title}: {what} (legal: {shorten(names) if names else 'none, it is over'})")

    def _ask(self, rule: str, kernel: Callable[..., Any], *arguments: Any) -> Any:
        with rules_may_raise(self.game, rule, self):
            return kernel(self._table, self.buffer, *arguments)

    def action(self, action: object) -> int:
        """The number of an action, from its text, its number, or the action itself where that is a Python object."""
        return self.game.action_number(self.state, action)

    def own_action(self, action: int) -> Any:
        """The action with this number as the game itself has it: the action of a Python object (the `Node` kind: the
        child), otherwise the number."""
        return self.game.own_action(self.state, action)

    def action_text(self, action: int) -> str:
        """The text of an action."""
        if self.game.draws and action >= DRAWN:
            return drawn_text(self, action)
        text: str = self.game.call_method("action_to_text", self.state, action)
        return text

    @property
    def text(self) -> str:
        """The position as text, which `game.position` reads."""
        text: str = self.game.call_method("state_to_text", self.state)
        return text

    def show(self) -> str:
        """The position for a terminal."""
        text: str = self.game.call_method("show", self.state)
        return text

    def draw(self) -> str:
        """The position as SVG."""
        picture: str = self.game.call_method("draw", self.state)
        return picture

    def _repr_svg_(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<{self.game.title} {self.text or 'start'}>"

    def _counted(self, count: int, rule: str) -> int:
        if 0 < count <= self.game.max_actions:
            return count
        raise GameError(wrong_count(self.game, rule, count, f" in {place_of(self)}"))
