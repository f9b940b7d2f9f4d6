"""A game as a user writes it: one class, its state a NumPy record, its rules functions of that record."""

import html
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from playout.common.arguments import did_you_mean
from playout.core.compile_errors import RuleCompileError
from playout.core.compile_rules import Rules
from playout.core.references import is_proven
from playout.core.rules import CHANCE, TERMINAL
from playout.errors import ActionError, GameError, PositionError, SettingsError

from .checks import (
    OPTIONAL,
    REQUIRED,
    check_class,
    expected_text,
    field_text,
    read_field,
    rule_of,
    setting_value,
    shorten,
    with_files,
)
from .drawn import MARK, drawn_action, row_text
from .faults import call_method, call_python
from .hooks import ObjectHooks
from .position import Position

__all__ = ["CHANCE", "TERMINAL", "Game", "Symmetry"]

METHODS = (  # in plain Python, of a state
    "action_to_text",
    "action_from_text",
    "state_to_text",
    "state_from_text",
    "show",
    "paint",
    "draw",
    "score",
)
Symmetry = tuple[NDArray[np.int64], NDArray[np.int64]]  # index arrays of the flattened planes, and of the policy


class Game(ObjectHooks):
    """The base class of every game: one class, with its state as a NumPy record and its rules as functions of it.

    Rules are static methods in the subset of Python that Numba compiles; the same functions run uncompiled with
    NUMBA_DISABLE_JIT=1. They read and write fields of the record, `state.stones -= 1`. `po.check_game(MyGame())` plays
    the game at random and reports mistakes. docs/games.md says what each rule may rely on.

    Facts that every game sets, as class attributes:
        players: the number of players, 1 to 127.
        max_actions: the most legal actions, or outcomes of chance, in any state; up to 65535.
        state: the dtype of a state, named fields of numbers.

    Rules that every game defines:
        initial_state(state): fill the state, which arrives zeroed but for the settings.
        current_player(state): return 0 to players - 1, `po.CHANCE`, or `po.TERMINAL` when the game is over.
        legal_actions(state, actions): write the legal actions, whole numbers, into `actions`; return their number.
        apply(state, action, rewards): change the state, and write what each player gets into `rewards`, which arrives
            zeroed.

    Optional rules:
        chance_outcomes(state, actions, probabilities): where chance moves, write the outcomes and their probabilities;
            return their number.
        chance_action(state, rng): draw one outcome; faster in playouts than listing all of them.
        priors(state, actions, count, out): write a weight of at least 0 for each of `actions[:count]` into `out`: a
            heuristic policy for PUCT, widening and guided playouts.
        evaluate(state, values): write a static value for every player into `values`.
        playout_action(state, actions, count, rng): return the action that a guided playout takes.
        hash(state): return the transposition key, a uint64; by default a hash of the keyed fields.
        observe(state, player, planes): fill what a network sees from a player's side; `planes` arrives zeroed.
        features(state, player, out): write the active inputs of a network inside the loop (docs/networks.md) as a
            player sees them, numbers from 0 to feature_count - 1, into `out`; return how many.
        is_known(state): return whether `evaluate` and `priors` alone decide here, because the game knows this position
            better than a network that builds on them.
        action_index(state, action): return the index of an action in a network's policy; by default its number.
        action_code(state, action): return what playouts that learn remember an action by, in any position; by default
            its number.
        sample_action(state, rng, out): draw an action, `action_width` numbers, into `out`, which arrives zeroed; where
            chance moves and there is no `chance_outcomes`, draw an outcome. It stands beside `legal_actions` or in its
            place, and `apply` gets the numbers: `action[0]`, …; docs/continuous.md.
        playout(state, actions, weights, rewards, returns, rng, trace, limit, discount): a whole playout, for games that
            can't be played out action by action; adds to `returns` and returns the length.

    Optional facts:
        name: how files, messages and the command line call the game; by default the name of the class.
        version: raise it when the rules change, so that old search files are refused.
        settings: the names of the settings with their defaults; each is a field of the state, filled before
            `initial_state`, or of the constants, and a keyword argument of the class: `TargetSum(target=21)`. One whose
            default is a text is no field: `fill_constants` and the other methods read it in `self.values`.
        constants: the dtype of a record beside the state, the same in every position of a game: rules read its fields
            as those of `state`, and can't change them. For large tables; other values compile nothing again.
        files: names under which the content of a file can be given for a setting that is a text: `{"file": "cities"}`.
        value_range: the least and the most that a player can still get from any state on; None: not known. By default
            (-1, 1) for two or more players, and None for one.
        returns_sum: what all players together can still get from any state on; None: it varies. By default 0 for two
            players, and None otherwise.
        keep_states: store the state at each node instead of replaying the actions from the root; for a costly `apply`.
        unkeyed: fields that nothing later depends on, such as the score so far; the key leaves them out.
        planes, policy_size: the shape of `planes` in `observe`, and the length of a network's policy.
        feature_count: how many inputs `features` knows.
        action_codes: how many codes there are: `action_code` gives 0 to action_codes - 1. By default any number is a
            code, of which the lowest twelve bits count.
        action_width: how many numbers `sample_action` writes. `max_actions` is then the most children of a node.
        preset: the name of the settings that this game is best searched with; by default `default`.
        form: which form of a game this is, where different networks see it differently.
        player_names: what people call the players, one text for each: `("White", "Black")`; by default they are
            numbered from 1.
        text_is_lossy: whether the text of a position leaves out its past, as a chess FEN does.
        perft_settings: the settings under which published move counts hold.

    Optional methods, plain Python:
        action_to_text(state, action), action_from_text(state, text): how people write actions. For a drawn action,
            `action` is its row, and what follows the `@` in its text is added and read by the game itself.
        state_to_text(state), state_from_text(state, text): how people write positions.
        show(state), paint(state), draw(state): a position for a terminal, the same with colours, and as SVG.
        score(state): the score that people count, where the state holds it.
        symmetries(): the rotations and reflections of a position, for training.
        check_settings(): raise `po.SettingsError` where `self.values` can't be played.
        fill_constants(constants): fill the constants, which arrive zeroed but for the settings.
    """

    name: ClassVar[str] = ""
    version: ClassVar[int] = 1
    players: ClassVar[int]
    max_actions: ClassVar[int]
    state: ClassVar[DTypeLike]
    settings: ClassVar[Mapping[str, Any]] = {}
    constants: ClassVar[DTypeLike | None] = None
    files: ClassVar[Mapping[str, str]] = {}
    value_range: ClassVar[tuple[float, float] | str | None] = "default"
    returns_sum: ClassVar[float | str | None] = "default"
    keep_states: ClassVar[bool] = False
    unkeyed: ClassVar[tuple[str, ...]] = ()
    planes: ClassVar[tuple[int, ...]] = ()
    policy_size: ClassVar[int] = 0
    feature_count: ClassVar[int] = 0
    action_codes: ClassVar[int] = 0
    action_width: ClassVar[int] = 0
    preset: ClassVar[str] = ""
    form: ClassVar[str] = ""
    player_names: ClassVar[tuple[str, ...]] = ()
    text_is_lossy: ClassVar[bool] = False
    perft_settings: ClassVar[Mapping[str, Any]] = {}

    values: dict[str, Any]  # the settings of this game
    _rules: ClassVar[Rules]

    def __init__(self, *unnamed: Any, **settings: Any) -> None:
        cls = type(self)
        check_class(cls)
        if unnamed:
            example = f", as in {name}={self.settings[name]}" if (name := next(iter(self.settings), "")) else ""
            raise SettingsError(f"{self.title} got {unnamed[0]!r:.80}; give its settings by name{example}")
        known = [*self.settings, *self.files]
        unknown = [key for key in settings if key not in known]
        if unknown:
            hint = did_you_mean(unknown[0], known)
            raise SettingsError(
                f"{self.title}: no setting '{unknown[0]}' (there are: {', '.join(known) or 'none'}){hint}"
            )
        settings = with_files(self, settings)
        self.values = {
            key: setting_value(self, key, settings.get(key, default)) for key, default in self.settings.items()
        }
        self.check_settings()

    # Optional, in plain Python: how people read and write the game.

    def check_settings(self) -> None:
        """Raise `SettingsError` when `self.values` can't be played."""

    def fill_constants(self, constants: np.record) -> None:
        """Fill the constants from `self.values`; they arrive zeroed, but the fields of settings are filled."""

    def action_to_text(self, state: np.record, action: Any) -> str:
        """The text of an action, given by its number; of a drawn one, the text of its row."""
        return row_text(action) if isinstance(action, np.ndarray) else str(action)

    def action_from_text(self, state: np.record, text: str) -> int:
        """The legal action with this text, ignoring spaces around it, and case where no text matches exactly."""
        wanted, position = text.strip(), self.position_of(state)
        names = {action: position.action_text(action) for action in position.actions()}
        found = [action for action, name in names.items() if name == wanted]
        found = found or [action for action, name in names.items() if name.lower() == wanted.lower()]
        if len(found) == 1:
            return found[0]
        if found:
            numbers = ", ".join(map(str, found))
            raise ActionError(
                f"{self.title}: '{text}' is the text of several actions ({numbers}) in {position.text}; give each its "
                f"own text in action_to_text, or give the number where numbers are accepted"
            )
        raise ActionError(
            f"{self.title}: '{text}' is not a legal action in {position.text} (legal: {shorten(list(names.values()))})"
        )

    def state_to_text(self, state: np.record) -> str:
        """The fields of the record: `stones=21 turn=0`."""
        return " ".join(f"{n}={field_text(state[n])}" for n in self.dtype.names or ())

    def state_from_text(self, state: np.record, text: str) -> None:
        """Fill `state`, which arrives as the initial state, from a text; raise `PositionError` where it is wrong."""
        for part in text.split():
            key, equals, value = part.partition("=")
            if not equals or key not in (self.dtype.names or ()):
                raise PositionError(
                    f"{self.title}: can't read '{part}' in position '{text}'; expected fields as in "
                    f"'{self.state_to_text(state)}'"
                )
            try:
                state[key] = read_field(self.dtype[key], value)
            except (ValueError, OverflowError):
                expected = expected_text(self.dtype[key])
                raise PositionError(
                    f"{self.title}: can't read '{part}' in position '{text}', expected {expected}"
                ) from None

    def draw(self, state: np.record) -> str:
        """The position as SVG; by default its text."""
        lines = self.state_to_text(state).splitlines() or [""]
        width = 16 + 8 * max(len(line) for line in lines)
        rows = "".join(f'<text x="8" y="{20 + 18 * i}">{html.escape(t)}</text>' for i, t in enumerate(lines))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {12 + 18 * len(lines)}" '
            f'width="{width}" font-family="monospace" font-size="13">{rows}</svg>'
        )

    def show(self, state: np.record) -> str:
        """The position for a terminal, on as many lines as it needs."""
        return self.state_to_text(state)

    def paint(self, state: np.record) -> list[tuple[str, str]]:
        """The same in pieces, each with a style such as "bold red", for terminals with colours."""
        return [(self.show(state), "")]

    def symmetries(self) -> list[Symmetry]:
        """The rotations and reflections that leave the game unchanged, for training, without the identity: pairs of
        index arrays (i, j) such that `planes.ravel()[i]` and `policy[j]` are the same position, transformed.
        """
        return []

    def score(self, state: np.record) -> float | None:
        """The score that people count, where the state holds it; None: the rewards of the first player so far."""
        return None

    # What the rest of Playout asks.

    @property
    def title(self) -> str:
        """How messages call the game."""
        return self.name or type(self).__name__

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of a state."""
        dtype: np.dtype[Any] = np.dtype(self.state)
        return dtype

    @cached_property
    def keyed_bytes(self) -> NDArray[np.uint8]:
        """255 for each byte of a state that is part of its key, 0 for the others."""
        mask = np.zeros(self.dtype.itemsize, np.uint8)
        for name, (field, offset, *_) in (self.dtype.fields or {}).items():
            mask[offset : offset + field.itemsize] = 0 if name in self.unkeyed else 255
        return mask

    @property
    def range(self) -> tuple[float, float] | None:
        """`value_range`, with the default filled in."""
        if self.value_range == "default":
            return (-1.0, 1.0) if self.players > 1 else None
        return self.value_range  # type: ignore[return-value]

    @property
    def sums_to(self) -> float | None:
        """`returns_sum`, with the default filled in."""
        if self.returns_sum == "default":
            return 0.0 if self.players == 2 else None
        if self.returns_sum is not None and not isinstance(self.returns_sum, int | float):
            raise GameError(
                f"{self.title}.returns_sum is {self.returns_sum!r:.80}, expected a number, or None: it varies"
            )
        return self.returns_sum

    @property
    def one_value_tells_all(self) -> bool:
        """Whether the value for one player determines the values of all."""
        return self.players == 1 or (self.players == 2 and self.sums_to is not None)

    @property
    def draws(self) -> bool:
        """Whether actions are drawn by `sample_action`."""
        return self.action_width > 0

    def has(self, rule: str) -> bool:
        """Whether the game defines a rule."""
        return rule in self.rules.functions

    @cached_property
    def rules(self) -> Rules:
        """The compiled functions, shared by all instances of the class, with the constants of this one."""
        cls = type(self)
        if "_rules" not in cls.__dict__:
            functions = {n: f for n in (*REQUIRED, *OPTIONAL) if (f := rule_of(cls, n)) is not None}
            facts = (self.players, self.max_actions, tuple(self.planes), self.action_codes)
            layout = None if self.constants is None else np.dtype(self.constants)
            cls._rules = Rules(functions, self.dtype, *facts, layout, self.action_width)
        return cls._rules if self.constants is None else cls._rules.with_constants(self._filled_constants())

    def _filled_constants(self) -> NDArray[Any]:
        buffer = np.zeros(1, np.dtype((np.record, np.dtype(self.constants))))
        self.fill_settings(buffer[0])
        self.fill_constants(buffer[0])
        return buffer

    def fill_settings(self, record: np.record) -> None:
        """Fill the fields of a state, or of the constants, that are settings."""
        for key in record.dtype.names or ():
            if not isinstance(self.settings.get(key, ""), str):
                record[key] = self.values[key]

    def check_has_codes(self, what: str) -> None:
        """Raise `SettingsError` where actions have no codes that are the same in every position; `what` needs them."""
        if self.draws:
            raise SettingsError(
                f"{self.title} draws its actions, of which hardly any comes twice, so that {what} has nothing to "
                f"remember; leave {what} off"
            )
        if self.keeps_objects:
            raise SettingsError(
                f"{self.title} is made of Python objects, whose actions are numbered separately in each position, so "
                f"that {what} can't tell which is which; write it as a po.Game, or leave {what} off"
            )
        if self.has("playout"):
            raise SettingsError(
                f"{self.title} plays whole playouts in a rule of its own, whose actions {what} can't see; remove "
                f"`playout`, or leave {what} off"
            )

    def check_has_features(self, network: str) -> None:
        """Raise `SettingsError` where a network inside the search has nothing to see."""
        if self.keeps_objects:
            raise SettingsError(
                f"{self.title} is made of Python objects, which '{network}' can't see from inside the search; write it "
                f"as a po.Game with `features`"
            )
        if not self.has("features"):
            raise SettingsError(
                f"{self.title} has nothing that '{network}' could see from inside the search: define `features(state, "
                f"player, out)`, `feature_count` and `policy_size`"
            )

    def rules_table(self, guided: bool = False, wanted: tuple[str, ...] = (), network: Any = None) -> Any:
        """The addresses of the rules for a kernel (uncompiled: the rules); `GameError` says which can't be compiled.

        With the facts of a `network` (`core/fast.py`), `evaluate` and `priors` are its answers.
        """
        try:
            table = self.rules.table(guided, wanted)
            return table if network is None else self.rules.with_network(table, network)
        except RuleCompileError as error:
            raise GameError(
                f"{self.title}.{error.rule} can't be compiled, at {error.file}:{error.line}: {error.reason} "
                f"(rules may use what Numba compiles: numbers, arrays, loops, the fields of `state`; "
                f"NUMBA_DISABLE_JIT=1 runs them as plain Python)"
            ) from error

    def position(self, text: str | None = None) -> Position:
        """The initial position, or the one that `text` describes."""
        if not isinstance(text, str | None):
            raise PositionError(f"{self.title}: position is {text!r:.80}, expected its text, or None for the start")
        buffer = np.zeros(self.dtype.itemsize, np.uint8)
        state = self.rules.view(buffer)
        self.fill_settings(state)
        self._set_up(state)
        if text is not None and text.strip():
            self.call_method("state_from_text", state, text.strip())
        return Position(self, buffer, way=(text, ()))

    def _set_up(self, state: np.record) -> None:
        rule = self.rules.functions["initial_state"]
        with np.errstate(over="ignore"):
            if self.rules.guard:
                call_python(f"{self.title}.initial_state", rule, state)
            else:
                rule(state)

    def call_method(self, name: str, state: np.record, *arguments: Any) -> Any:
        """Call one of the methods in plain Python; where a user wrote any of them, it is interrupted if it hangs."""
        method = getattr(self, name)
        if not self._has_own_methods:
            return method(state, *arguments)
        given = f" for {arguments[0]!r:.80}" if arguments else ""
        return call_method(
            self.title, method, lambda: f"{given} in {Game.state_to_text(self, state)}", state, *arguments
        )

    @cached_property
    def _has_own_methods(self) -> bool:
        return self.rules.guard and not all(is_proven(getattr(self, name)) for name in METHODS)

    def in_form(self, form: str) -> "Game":
        """This game in the form that a network was made for; most games have only one."""
        return self

    def adopt(self, position: Position) -> Position:
        """A position of another form of this game as one of this game; any other is returned unchanged."""
        return position

    def position_of(self, state: np.record | Position) -> Position:
        """The position of a record, which is copied."""
        if isinstance(state, Position):
            return state
        return Position(self, np.frombuffer(np.asarray(state, self.dtype).tobytes(), np.uint8).copy())

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which compiles or loads the rules itself."""
        return {key: value for key, value in self.__dict__.items() if key != "rules"}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.values.items())})"

    def own_action(self, state: np.record, action: int) -> Any:
        """The action with this number as the game itself has it; it differs only for wrapped Python objects."""
        return action

    def action_number(self, state: np.record, action: object) -> int:
        """The number of an action, from its text or its number."""
        if isinstance(action, str) and self.draws and (MARK in action or not self.rules.lists):
            return drawn_action(self.position_of(state), action)
        if isinstance(action, str):
            return int(self.call_method("action_from_text", state, action))
        if not isinstance(action, int | np.integer) or isinstance(action, bool):
            raise ActionError(f"{self.title}: {action!r} is not an action, expected its text or its number")
        return int(action)

    def take_error(self) -> BaseException:
        """The exception that a Python function raised under compiled code."""
        return GameError(f"{self.title}: a rule failed")
