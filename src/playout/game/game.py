"""A game as a user writes it: one class, its state a NumPy record, its rules functions of that record."""

import contextlib
import html
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from playout.common.arguments import did_you_mean, plain, whole_text
from playout.core import rules as core
from playout.core.compile_errors import RuleCompileError
from playout.core.compile_rules import Rules
from playout.core.rules import CHANCE, TERMINAL
from playout.errors import ActionError, GameError, PositionError, SettingsError

from .faults import call_python, place_of, rules_may_raise, wrong_count, wrong_player

BOOLEANS = ("False", "True")  # as a field's text has them

__all__ = ["CHANCE", "TERMINAL", "Game", "Playouts", "Position"]

REQUIRED = {
    "initial_state": "initial_state(state)",
    "current_player": "current_player(state)",
    "legal_actions": "legal_actions(state, actions)",
    "apply": "apply(state, action, rewards)",
}
OPTIONAL = {
    "chance_outcomes": "chance_outcomes(state, actions, probabilities)",
    "chance_action": "chance_action(state, rng)",
    "priors": "priors(state, actions, count, out)",
    "evaluate": "evaluate(state, values)",
    "playout_action": "playout_action(state, actions, count, rng)",
    "hash": "hash(state)",
    "observe": "observe(state, player, planes)",
    "action_index": "action_index(state, action)",
    "playout": "playout(state, actions, weights, rewards, returns, rng, trace, limit, discount)",
}


class Game:
    """The base of every game. A subclass gives `players`, `max_actions`, `state` and the four rules; see the README.

    Rules are functions of a record, written in the subset of Python that Numba compiles. `settings` names what can be
    set, with its default; a setting is a field of the state, filled before `initial_state` is called.
    """

    name: ClassVar[str] = ""  # how files and messages call the game; the class's name when empty
    version: ClassVar[int] = 1  # to be raised when the rules change, so that old search files are refused
    players: ClassVar[int]
    max_actions: ClassVar[int]
    state: ClassVar[Any]
    settings: ClassVar[Mapping[str, Any]] = {}
    # The least and the most that a player can still get from any state on; None: not known. For two players and more
    # -1 to 1 is assumed, for one player nothing.
    value_range: ClassVar[tuple[float, float] | str | None] = "default"
    # What all players together can still get, from any state on; None: it varies. For two players 0 is assumed.
    returns_sum: ClassVar[float | str | None] = "default"
    # Keep a copy of the state at each node instead of playing the moves from the root again. For costly `apply`.
    keep_states: ClassVar[bool] = False
    # Fields of the state that nothing later depends on, such as the score so far: the key leaves them out.
    unkeyed: ClassVar[tuple[str, ...]] = ()

    # What a network sees and answers: the shape of `planes` in `observe`, and the length of its policy, in which
    # `action_index` says where an action is (without that rule, at its own number).
    planes: ClassVar[tuple[int, ...]] = ()
    policy_size: ClassVar[int] = 0

    preset: ClassVar[str] = ""  # the name of the settings this game is best searched with; empty: `default`

    form: ClassVar[str] = ""  # which form of a game this is, where networks want to see it in several

    text_is_lossy: ClassVar[bool] = False  # the text of a position leaves out its past, as a chess FEN does
    perft_settings: ClassVar[Mapping[str, Any]] = {}  # settings under which published move counts hold

    _rules: ClassVar[Rules]

    def __init__(self, *unnamed: Any, **settings: Any) -> None:
        cls = type(self)
        _check_class(cls)
        if unnamed:
            example = f", as in {name}={self.settings[name]}" if (name := next(iter(self.settings), "")) else ""
            raise SettingsError(f"{self.title} got {unnamed[0]!r:.80}; give its settings by name{example}")
        unknown = [key for key in settings if key not in self.settings]
        if unknown:
            known = ", ".join(self.settings) or "none"
            hint = did_you_mean(unknown[0], self.settings)
            raise SettingsError(f"{self.title}: no setting '{unknown[0]}' (there are: {known}){hint}")
        self.values = {key: _convert(self, key, settings.get(key, default)) for key, default in self.settings.items()}
        self.check_settings()

    # What a subclass may say in plain Python: how people read and write the game.

    def check_settings(self) -> None:
        """Raise `SettingsError` when `self.values` can't be played."""

    def action_to_text(self, state: Any, action: int) -> str:
        return str(action)

    def action_from_text(self, state: Any, text: str) -> int:
        """The legal action that is written so; actions compare by their text, ignoring spaces, and case if need be."""
        wanted, position = text.strip(), self.position_of(state)
        names = {action: self.action_to_text(state, action) for action in position.actions()}
        found = [action for action, name in names.items() if name == wanted]
        found = found or [action for action, name in names.items() if name.lower() == wanted.lower()]
        if len(found) == 1:
            return found[0]
        if found:
            numbers = ", ".join(map(str, found))
            raise ActionError(
                f"{self.title}: '{text}' is written for several actions ({numbers}) in {position.text}; give each a "
                f"text of its own in action_to_text, or name one by its number where numbers are taken"
            )
        raise ActionError(
            f"{self.title}: '{text}' is not a legal action in {position.text} (legal: {_shorten(list(names.values()))})"
        )

    def state_to_text(self, state: Any) -> str:
        """The fields of the record: `stones=21 turn=0`."""
        return " ".join(f"{n}={_field_text(state[n])}" for n in self.dtype.names or ())

    def state_from_text(self, state: Any, text: str) -> None:
        """Fill `state`, which arrives as the initial state, from a text; raise `PositionError` when it can't be."""
        for part in text.split():
            key, equals, value = part.partition("=")
            if not equals or key not in (self.dtype.names or ()):
                raise PositionError(
                    f"{self.title}: can't read '{part}' in position '{text}'; expected fields as in "
                    f"'{self.state_to_text(state)}'"
                )
            try:
                state[key] = _read_field(self.dtype[key], value)
            except (ValueError, OverflowError):
                expected = _expected(self.dtype[key])
                raise PositionError(
                    f"{self.title}: can't read '{part}' in position '{text}', expected {expected}"
                ) from None

    def draw(self, state: Any) -> str:
        """The position as SVG; without a drawing of its own, its text."""
        lines = self.state_to_text(state).splitlines() or [""]
        width = 16 + 8 * max(len(line) for line in lines)
        rows = "".join(f'<text x="8" y="{20 + 18 * i}">{html.escape(t)}</text>' for i, t in enumerate(lines))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {12 + 18 * len(lines)}" '
            f'width="{width}" font-family="monospace" font-size="13">{rows}</svg>'
        )

    def show(self, state: Any) -> str:
        """The position for a terminal, several lines if that reads better."""
        return self.state_to_text(state)

    def paint(self, state: Any) -> list[tuple[str, str]]:
        """The same in pieces, each with a style such as "bold red", for terminals that have colours."""
        return [(self.show(state), "")]

    def symmetries(self) -> list[tuple[Any, Any]]:
        """The ways to turn and mirror a position that change nothing, for training: index arrays of the planes, flat,
        and of the policy, such that `planes.ravel()[i]` and `policy[j]` belong together. Without the position itself.
        """
        return []

    def score(self, state: Any) -> float | None:
        """What people count, where the state knows it; None: what the first player has got since the start."""
        return None

    # What everybody else asks a game.

    @property
    def title(self) -> str:
        return self.name or type(self).__name__

    @property
    def dtype(self) -> np.dtype[Any]:
        dtype: np.dtype[Any] = np.dtype(self.state)
        return dtype

    @cached_property
    def keyed_bytes(self) -> Any:
        """255 for each byte of a state that belongs to its key, 0 for the others."""
        mask = np.zeros(self.dtype.itemsize, np.uint8)
        for name, (field, offset, *_) in (self.dtype.fields or {}).items():
            mask[offset : offset + field.itemsize] = 0 if name in self.unkeyed else 255
        return mask

    @property
    def range(self) -> tuple[float, float] | None:
        if self.value_range == "default":
            return (-1.0, 1.0) if self.players > 1 else None
        return self.value_range  # type: ignore[return-value]

    @property
    def sums_to(self) -> float | None:
        if self.returns_sum == "default":
            return 0.0 if self.players == 2 else None
        if self.returns_sum is not None and not isinstance(self.returns_sum, int | float):
            raise GameError(
                f"{self.title}.returns_sum is {self.returns_sum!r:.80}, expected a number, or None: it varies"
            )
        return self.returns_sum

    @property
    def one_value_tells_all(self) -> bool:
        """Whether what the player who moves gets tells what everybody gets."""
        return self.players == 1 or (self.players == 2 and self.sums_to is not None)

    def has(self, rule: str) -> bool:
        return rule in self.rules.functions

    @cached_property
    def rules(self) -> Rules:
        """The compiled functions, shared by all instances of the class."""
        cls = type(self)
        if "_rules" not in cls.__dict__:
            functions = {n: f for n in (*REQUIRED, *OPTIONAL) if (f := _function(cls, n)) is not None}
            cls._rules = Rules(functions, self.dtype, self.players, self.max_actions, self.title, tuple(self.planes))
        return cls._rules

    def rules_table(self, guided: bool = False, wanted: tuple[str, ...] = ()) -> Any:
        """The addresses for a kernel; a rule that can't be compiled is a `GameError` in our words."""
        try:
            return self.rules.table(guided, wanted)
        except RuleCompileError as error:
            raise GameError(
                f"{self.title}.{error.rule} can't be compiled, at {error.file}:{error.line}: {error.reason} "
                f"(rules may use what Numba compiles: numbers, arrays, loops, the fields of `state`; "
                f"NUMBA_DISABLE_JIT=1 runs them as plain Python)"
            ) from error

    def position(self, text: str | None = None) -> "Position":
        """The initial position, or the one that `text` describes."""
        if not isinstance(text, str | None):
            raise PositionError(f"{self.title}: position is {text!r:.80}, expected its text, or None for the start")
        buffer = np.zeros(self.dtype.itemsize, np.uint8)
        state = self.rules.view(buffer)
        for key, value in self.values.items():
            state[key] = value
        self._set_up(state)
        if text is not None and text.strip():
            self.state_from_text(state, text.strip())
        return Position(self, buffer, way=(text, ()))

    def _set_up(self, state: Any) -> None:
        rule = self.rules.functions["initial_state"]
        with np.errstate(over="ignore"):
            if self.rules.guard:
                call_python(f"{self.title}.initial_state", rule, state)
            else:
                rule(state)

    def in_form(self, form: str) -> "Game":
        """This game in the form that a network was made for; most games have one only."""
        return self

    def adopt(self, position: "Position") -> "Position":
        """A position of another form of this game as one of this; any other as it is."""
        return position

    def position_of(self, state: Any) -> "Position":
        """A position from a record that the caller holds; the record is copied."""
        if isinstance(state, Position):
            return state
        return Position(self, np.frombuffer(np.asarray(state, self.dtype).tobytes(), np.uint8).copy())

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which compiles or loads the rules itself."""
        return {key: value for key, value in self.__dict__.items() if key != "rules"}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.values.items())})"

    def own_action(self, state: Any, action: int) -> Any:
        """The action with a number as the game itself has it; only Python objects have others than numbers."""
        return action

    def action_number(self, state: Any, action: Any) -> int:
        """The number of an action, from its text or its number."""
        if isinstance(action, str):
            return int(self.action_from_text(state, action))
        if not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise ActionError(f"{self.title}: {action!r} is no action, expected its text or its number")
        return int(action)

    # For games made of Python objects, whose states and randomness live outside the record; see `playout.game.wrap`.

    keeps_objects: ClassVar[bool] = False  # states are objects outside the record, which no file can hold
    position_class: ClassVar["type[Position] | None"] = None  # what `Position(game, …)` makes; None: a plain one

    def entering(self) -> contextlib.AbstractContextManager[Any]:
        """Around every call of compiled code."""
        return contextlib.nullcontext()

    def interrupt(self, thread: int, reason: str) -> bool:
        """End a Python method of the game that runs in a thread, by its identity; whether there was one."""
        return False

    def recording(self) -> "contextlib.AbstractContextManager[Playouts | None]":
        """Around a step: the list that playouts are recorded in; None where the kernel records them."""
        return contextlib.nullcontext()

    def check_can_play_out(self, depth: int, guided: bool) -> None:
        """Raise `SettingsError` where playouts can't be cut off after `depth` actions (0: never), or not be guided."""

    def check_can_share(self) -> None:
        """Raise `SettingsError` where positions have no keys, so that no graph can be searched."""

    def check_can_save(self) -> None:
        """Raise `FileError` where a tree of this game can't be read back."""

    def text_to_save(self, state: Any) -> str | None:
        """What tells in a file at which object a search began; None where the state itself is written."""
        return None

    def new_random(self, seed: int) -> Any:
        """A search's own source of randomness outside the kernel."""

    def using_random(
        self, source: Any, overdue: Callable[[], str | None] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Around a run: such a source is in use meanwhile, and a method that does not return is interrupted when
        `overdue` gives a reason."""
        return contextlib.nullcontext()

    def searched_by(self, search: Any) -> None:
        """A search begins; `forget_unused` asks it for its `kept_states`."""

    def forget_unused(self) -> None:
        """Let go of all objects that no search needs any more."""

    def told(self) -> list[tuple[str, str, Any]]:
        """The last values that methods told, the newest first: which method, of which object, and the numbers of the
        players (None: not known)."""
        return []

    def take_error(self) -> BaseException:
        """The exception that a Python function raised under compiled code."""
        return GameError(f"{self.title}: a rule failed")


Way = tuple[str | None, tuple[int, ...]]  # the text that a position was read from, and the actions since
Playouts = list[tuple[tuple[str, ...], tuple["Position", ...], tuple[float, ...]]]  # actions, positions after, returns


class Position:
    """A state of a game that can be asked and played on from; playing returns a new one."""

    def __new__(cls, game: Any = None, *_: Any, **__: Any) -> "Position":
        """A game may have a class of its own for its positions."""
        kind: type[Position] = getattr(game, "position_class", None) or cls
        return object.__new__(kind)

    def __init__(self, game: Game, buffer: Any, rewards: Any = None, way: "Way | None" = None) -> None:
        self.game, self.buffer = game, buffer
        self.rewards = np.zeros(game.players) if rewards is None else rewards  # what the last action brought
        self.way = way  # how it came about, where that is known: a state may have forgotten

    @property
    def state(self) -> Any:
        """The record, as the rules see it."""
        return self.game.rules.view(self.buffer)

    @cached_property
    def _table(self) -> Any:
        return self.game.rules_table()

    @cached_property
    def player(self) -> int:
        """Who moves: 0, 1, …, or `CHANCE` or `TERMINAL`."""
        player = int(self._ask("current_player", core.current_player))
        known = player == TERMINAL or 0 <= player < self.game.players
        if not known and not (player == CHANCE and self.game.has("chance_outcomes")):
            raise GameError(wrong_player(self.game, player, f" in {place_of(self)}"))
        return player

    def __getstate__(self) -> dict[str, Any]:
        """For another process: without the addresses of this one."""
        return {key: value for key, value in self.__dict__.items() if key != "_table"}

    @property
    def is_terminal(self) -> bool:
        return self.player == TERMINAL

    def actions(self) -> list[int]:
        """The legal actions, or the possible outcomes where chance moves; none at the end."""
        if self.player == TERMINAL:
            return []
        if self.player == CHANCE:
            return [action for action, _ in self.outcomes()]
        found = np.zeros(self.game.rules.room, np.int32)
        count = int(self._ask("legal_actions", core.legal_actions, found))
        return [int(a) for a in found[: self._counted(count, "legal_actions")]]

    def outcomes(self) -> list[tuple[int, float]]:
        """Chance's outcomes with their probabilities."""
        if self.player != CHANCE:
            return []
        found, weights = np.zeros(self.game.rules.room, np.int32), np.zeros(self.game.rules.room)
        count = int(self._ask("chance_outcomes", core.chance_outcomes, found, weights))
        self._counted(count, "chance_outcomes")
        return [(int(a), float(w)) for a, w in zip(found[:count], weights[:count], strict=True)]

    def priors(self) -> list[tuple[int, float]]:
        """The legal actions with the game's own priors, which it must have."""
        actions = self.actions()
        given, weights = np.zeros(self.game.rules.room, np.int32), np.zeros(self.game.rules.room)
        given[: len(actions)] = actions
        table = self.game.rules_table(wanted=("priors",))
        with rules_may_raise(self.game, "priors", self):
            core.priors(table, self.buffer, given, len(actions), weights)
        return list(zip(actions, weights[: len(actions)].tolist(), strict=True))

    def evaluate(self) -> Any:
        """The game's own static value for each player, which it must have."""
        values = np.zeros(self.game.players)
        table = self.game.rules_table(wanted=("evaluate",))
        with rules_may_raise(self.game, "evaluate", self):
            core.evaluate(table, self.buffer, values)
        return values

    def observe(self, player: int | None = None) -> Any:
        """What a network sees from a player's side, by default from that of the one who moves."""
        if not self.game.has("observe"):
            raise GameError(
                f"{self.game.title} has nothing that a network could see: define `observe(state, player, planes)`, "
                f"`planes` (its shape) and `policy_size`"
            )
        flat = np.zeros(self.game.planes, np.float32).ravel()
        with rules_may_raise(self.game, "observe", self):
            table = self.game.rules_table(wanted=("observe",))
            core.observe(table, self.buffer, max(0, self.player) if player is None else player, flat)
        return flat.reshape(self.game.planes)

    def action_index(self, action: int) -> int:
        """Where a network's policy has an action."""
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

    def play(self, action: Any) -> "Position":
        """The position after a legal action (or outcome), given by its number or its text."""
        number = self.action(action)
        self.check_legal(number)
        way = None if self.way is None else (self.way[0], (*self.way[1], number))
        after = Position(self.game, self.buffer.copy(), way=way)
        with rules_may_raise(self.game, "apply", self, number):
            core.apply(self._table, after.buffer, number, after.rewards)
        return after

    def check_legal(self, action: int) -> None:
        """Raise `ActionError` for a number that is not a legal action's."""
        legal = self.actions()
        if action not in legal:
            texts = {a: self.game.action_to_text(self.state, a) for a in legal}
            names = [str(a) if str(a) == text else f"{a} or '{text}'" for a, text in texts.items()]
            what = f"action {action} is not legal in {self.text or 'the start'}"
            raise ActionError(f"{self.game.title}: {what} (legal: {_shorten(names) if names else 'none, it is over'})")

    def _ask(self, rule: str, kernel: Callable[..., Any], *arguments: Any) -> Any:
        with rules_may_raise(self.game, rule, self):
            return kernel(self._table, self.buffer, *arguments)

    def action(self, action: Any) -> int:
        """The number of an action, from its text, its number, or the action itself where that is a Python object."""
        return self.game.action_number(self.state, action)

    def own_action(self, action: int) -> Any:
        """The action with a number as the game itself has it: of a Python object its own action (the `Node` kind: the
        child), otherwise the number."""
        return self.game.own_action(self.state, action)

    def action_text(self, action: int) -> str:
        return self.game.action_to_text(self.state, action)

    @property
    def text(self) -> str:
        return self.game.state_to_text(self.state)

    def show(self) -> str:
        return self.game.show(self.state)

    def draw(self) -> str:
        return self.game.draw(self.state)

    def _repr_svg_(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<{self.game.title} {self.text or 'start'}>"

    def _counted(self, count: int, rule: str) -> int:
        if 0 < count <= self.game.max_actions:
            return count
        raise GameError(wrong_count(self.game, rule, count, f" in {place_of(self)}"))


def _function(cls: type[Game], name: str) -> Callable[..., Any] | None:
    """A rule as a plain function, with or without @staticmethod; None where the class has none."""
    found = inspect.getattr_static(cls, name, None)
    found = getattr(found, "__func__", found)
    function: Callable[..., Any] | None = getattr(found, "py_func", found)
    return function


def _check_class(cls: type[Game]) -> None:
    """Everything that can be wrong with the class itself, each named with what to write."""
    name = cls.name or cls.__name__
    for attribute, example in (
        ("players", "players = 2"),
        ("max_actions", "max_actions = 9"),
        ("state", "state = np.dtype([…])"),
    ):
        if not hasattr(cls, attribute):
            raise GameError(f"{name} has no '{attribute}'; add `{example}` to the class")
    for attribute in ("players", "max_actions"):
        value = getattr(cls, attribute)
        most = {"players": 127, "max_actions": 65535}[attribute]  # the tree keeps them in one byte and in two
        if not isinstance(value, int) or not 1 <= value <= most:
            raise GameError(f"{name}.{attribute} is {value!r}, expected a whole number from 1 to {most}")
    try:
        dtype = np.dtype(cls.state)
    except TypeError as error:
        raise GameError(f"{name}.state is {cls.state!r}, expected a NumPy record dtype ({error})") from None
    if not dtype.names or dtype.hasobject:
        raise GameError(f"{name}.state is {dtype}, expected a NumPy dtype with named fields of numbers")
    for field in dtype.names:
        if hasattr(np.record, field):
            raise GameError(
                f"{name}.state has a field '{field}', and NumPy records have an attribute of that name, which "
                f"uncompiled rules would see instead; call it something else, as in '{field}_'"
            )
    for rule, call in (REQUIRED | OPTIONAL).items():
        function = _function(cls, rule)
        if function is None:
            if rule in REQUIRED:
                raise GameError(f"{name} has no '{rule}'; define `@staticmethod def {call}` in the class")
            continue
        if not callable(function):
            raise GameError(f"{name}.{rule} is {function!r}, expected a function `{call}`")
        given = list(inspect.signature(function).parameters)
        if len(given) != call.count(",") + 1:
            raise GameError(f"{name}.{rule} takes ({', '.join(given)}), expected `{call}`, without self")
    if _function(cls, "observe") is not None:
        shape = cls.planes
        if not isinstance(shape, tuple) or not shape or not all(isinstance(n, int) and n > 0 for n in shape):
            raise GameError(f"{name}.planes is {shape!r}, expected the shape of what `observe` fills, as in (3, 6, 7)")
        if not isinstance(cls.policy_size, int) or cls.policy_size < 1:
            raise GameError(
                f"{name}.policy_size is {cls.policy_size!r}, expected how many answers a policy has: one more than "
                f"the largest action, or than the largest index that `action_index` gives"
            )
    for key in cls.settings:
        if key not in dtype.names:
            raise GameError(f"{name}: setting '{key}' is no field of the state; add it to `state` for the rules")
    for field in cls.unkeyed:
        if field not in dtype.names:
            raise GameError(
                f"{name}: '{field}' in unkeyed is no field of the state (there are: {', '.join(dtype.names)})"
            )
    limits = cls.value_range
    if limits not in (None, "default") and not (
        isinstance(limits, tuple) and len(limits) == 2 and limits[0] < limits[1]
    ):
        raise GameError(f"{name}.value_range is {limits!r}, expected (least, most) or None")


def _convert(game: Game, key: str, value: Any) -> Any:
    """A setting, given as a value or as the command line's text, in the shape of its field."""
    field = game.dtype[key]
    kind = "a whole number" if np.issubdtype(field.base, np.integer) else "a number"
    expected = f"{kind}" if not field.shape else f"up to {field.shape[0]} numbers as in 1,2,3"
    parts = value.split(",") if isinstance(value, str) else value
    numbers = list(parts) if isinstance(parts, Sequence | np.ndarray) else [parts]
    counted = np.issubdtype(field.base, np.integer)
    try:
        found = [(whole_text(n) if counted else float(n)) if isinstance(n, str) else plain(n) for n in numbers]
        if any((int(n) if counted else float(n)) != n for n in found) or not found:
            raise ValueError
        if len(found) > (field.shape[0] if field.shape else 1):
            raise ValueError
        if field.base.kind in "iu":
            limits = np.iinfo(field.base)
            if any(not limits.min <= n <= limits.max for n in found):
                raise ValueError
            found = [int(n) for n in found]
    except (ValueError, TypeError, OverflowError):
        raise SettingsError(f"{game.title}: setting '{key}' is {value!r}, expected {expected}") from None
    if not field.shape:
        return found[0]
    return tuple(found) + (0,) * (field.shape[0] - len(found))


def _read_field(field: np.dtype[Any], text: str) -> Any:
    """What `_field_text` wrote; `ValueError` or `OverflowError` where it does not fit into the field."""
    readers: dict[str, Callable[[str], Any]] = {"b": BOOLEANS.index, "f": float}
    read = readers.get(field.base.kind, whole_text)
    return np.array([read(part) for part in text.split(",")], field.base).reshape(field.shape)


def _expected(field: np.dtype[Any]) -> str:
    """What may stand for a field in a text."""
    kind, count = field.base.kind, math.prod(field.shape)
    numbers = {"b": "True or False", "f": "a number"}.get(kind, "a whole number")
    if kind in "iu":
        numbers += f" from {np.iinfo(field.base).min} to {np.iinfo(field.base).max}"
    return numbers if not field.shape else f"{count} values with commas between them, each {numbers}"


def _field_text(value: Any) -> str:
    return ",".join(str(v) for v in np.asarray(value).ravel().tolist())


def _shorten(names: list[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f", … {len(names) - most} more" if len(names) > most else "")
