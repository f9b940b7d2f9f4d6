"""Games made of Python objects: `po.wrap(obj)` gives a `Game` on the same tree and the same search.

Two kinds of object are understood, each holding one position and never changed by a call:

- `current_player()`, `legal_actions()`, `play(action)` (returns the next object), `returns()` (one number a player,
  asked at the end). The game is over when `current_player()` is None or negative, or when there are no legal actions.
  Optional: `evaluate()` (a value for each player), `priors()` (a weight for each legal action), and
  `chance_outcomes()` (pairs of outcome and probability) where `current_player()` is `po.CHANCE`.
- the `Node` of many tutorials: `find_children()`, `find_random_child()`, `is_terminal()`, `reward()`. Two players take
  turns, and `reward()` is for the one to move at the end, from 0 to 1; or one player, with `players=1`.

The state that the kernel sees is the number of a slot in which the object lies, and the addresses of the callbacks.
"""

import contextlib
import gc
import random
import signal
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .core.callback import FAILED, CallbackError, call_back, make_callback, read_float, read_int
from .core.rules import CHANCE, TERMINAL
from .errors import FileError, GameError, PositionError, SettingsError
from .game import Game, Position

PLAY_KIND = ("current_player", "legal_actions", "play", "returns")
NODE_KIND = ("find_children", "find_random_child", "is_terminal", "reward")
_one_at_a_time = threading.RLock()  # `random` and the garbage collector belong to the whole process
NO_FULL_COLLECTION = 1 << 30
CALLBACKS = ("on_apply", "on_actions", "on_playout", "on_evaluate", "on_priors", "on_key")


# The rules, compiled once for all objects.


def _initial_state(state):
    state.slot = 0


def _current_player(state):
    return state.player


def _legal_actions(state, actions):
    count = call_back(state.on_actions, state.slot, 0)
    if count == FAILED:
        raise CallbackError
    for i in range(min(count, actions.shape[0])):
        actions[i] = read_int(state.ints, i)
    return count


def _chance_outcomes(state, actions, probabilities):
    count = call_back(state.on_actions, state.slot, 0)
    if count == FAILED:
        raise CallbackError
    for i in range(min(count, actions.shape[0])):
        actions[i] = read_int(state.ints, i)
        probabilities[i] = read_float(state.floats, i)
    return count


def _apply(state, action, rewards):
    slot = call_back(state.on_apply, state.slot, action)
    if slot == FAILED:
        raise CallbackError
    state.slot = slot
    state.player = read_int(state.ints, 0)
    if state.player == TERMINAL:
        for p in range(rewards.shape[0]):
            rewards[p] = read_float(state.floats, p)


def _playout(state, actions, weights, rewards, returns, rng, trace, limit, discount):
    """The whole playout in one call; what comes at its end is discounted by its length."""
    length = call_back(state.on_playout, state.slot, limit)
    if length == FAILED:
        raise CallbackError
    scale = discount**length
    for p in range(returns.shape[0]):
        returns[p] += scale * read_float(state.floats, p)
    return length


def _evaluate(state, values):
    if call_back(state.on_evaluate, state.slot, 0) == FAILED:
        raise CallbackError
    for p in range(values.shape[0]):
        values[p] = read_float(state.floats, p)


def _priors(state, actions, count, out):
    if call_back(state.on_priors, state.slot, count) == FAILED:
        raise CallbackError
    for i in range(count):
        out[i] = read_float(state.floats, i)


def _hash(state):
    key = call_back(state.on_key, state.slot, 0)
    if key == FAILED:
        raise CallbackError
    return np.uint64(key)


class Randomness:
    """A search's own random numbers for what happens in Python, the global generator of `random` included."""

    def __init__(self, seed: int) -> None:
        self.own = random.Random(seed)
        self.shared = random.Random(seed + 1).getstate()


class ObjectGame(Game):
    """What `wrap` returns. Actions that are whole numbers keep them; others are numbered in the order they come."""

    name = "object"
    players = 2
    max_actions = 1
    keep_states = True
    keeps_objects = True
    state = np.dtype([(n, np.int64) for n in ("slot", "player", "floats", "ints", *CALLBACKS)])
    initial_state = staticmethod(_initial_state)
    current_player = staticmethod(_current_player)
    legal_actions = staticmethod(_legal_actions)
    apply = staticmethod(_apply)
    playout = staticmethod(_playout)
    hash = staticmethod(_hash)

    def __init__(self, obj: Any, describe: Callable[[Any], str] | None) -> None:
        super().__init__()
        self.object, self._describe = obj, describe
        # A slot is a number in these lists. Lists of plain things rather than an object for each position: a hundred
        # thousand objects more would keep Python's garbage collector busy for half of the time.
        self._objects: list[Any] = []  # None: free
        self._players: list[int] = []
        self._names: list[Any] = []  # the legal actions as the object gives them; `Node` kind: the children themselves
        self._numbers: list[Any] = []  # the same as the kernel numbers them; None until somebody asks
        self._children: list[Any] = []  # slots by number of the action; None while there are none
        self._free: list[int] = []
        self._keys: dict[Any, int] = {}  # graph search: equal objects with the same player to move share a number
        self._keys_given = 0
        self._searches: weakref.WeakSet[Any] = weakref.WeakSet()
        self._error: BaseException | None = None
        self._random = Randomness(0).own
        # Where callbacks leave what they found; a memoryview is written twice as fast as an array.
        self._float_array = np.zeros(max(self.players, self.max_actions))
        self._int_array = np.zeros(self.max_actions + 1, np.int32)
        self._floats, self._ints = memoryview(self._float_array.data), memoryview(self._int_array.data)
        functions = (self._apply, self._actions, self.play_out, self._evaluate, self._priors, self._key)
        self._keep = [make_callback(self._caught(f)) for f in functions]
        self._start = self._new_slot(obj, self.player_at(obj, None))

    # What the kinds differ in.

    def player_at(self, obj: Any, mover: int | None) -> int:
        raise NotImplementedError

    def list_actions(self, slot: int) -> list[Any]:
        raise NotImplementedError

    def child_of(self, slot: int, action: int) -> Any:
        raise NotImplementedError

    def returns_of(self, obj: Any, player: int) -> Any:
        raise NotImplementedError

    def play_out(self, slot: int, limit: int) -> int:
        raise NotImplementedError

    # What the kernel calls.

    def _caught(self, function: Callable[[int, int], int]) -> Callable[[int, int], int]:
        """An exception can't travel through compiled code: it is kept, and raised again after the kernel."""

        def call(first: int, second: int) -> int:
            if self._error is not None:  # Ctrl-C came between two calls
                return FAILED
            try:
                return function(first, second)
            except BaseException as error:  # noqa: BLE001  # Ctrl-C too: it is raised again in `take_error`
                self._error = error
                return FAILED

        return call

    def take_error(self) -> BaseException:
        error, self._error = self._error, None
        return error or GameError("a Python function called from the search has failed")

    def _apply(self, slot: int, action: int) -> int:
        children, mover = self._children[slot], self._players[slot]
        child = None if children is None else children.get(action)
        if child is None:
            if self._numbers[slot] is None:
                self._list(slot)
            obj = self.child_of(slot, action)
            player = self.player_at(obj, mover)
            child = self._new_slot(obj, player)
            if children is None:
                self._children[slot] = {action: child}
            else:
                children[action] = child
        else:
            player = self._players[child]
        self._ints[0] = player
        if player == TERMINAL:
            for p, value in enumerate(self.returns_of(self._objects[child], mover)):
                self._floats[p] = value
        return child

    def _actions(self, slot: int, _: int) -> int:
        if self._numbers[slot] is None:
            self._list(slot)
        numbers = self._numbers[slot]
        if len(numbers) <= self.max_actions:
            self._int_array[: len(numbers)] = numbers
            if self._players[slot] == CHANCE:
                self._float_array[: len(numbers)] = [p for _, p in self._objects[slot].chance_outcomes()]
        return len(numbers)

    def _evaluate(self, slot: int, _: int) -> int:
        self._float_array[: self.players] = self._objects[slot].evaluate()
        return 0

    def _priors(self, slot: int, count: int) -> int:
        self._float_array[:count] = list(self._objects[slot].priors())
        return 0

    def _key(self, slot: int, _: int) -> int:
        key = self._keys.get(same := (self._players[slot], self._objects[slot]))
        if key is None:
            self._keys_given += 1
            key = self._keys[same] = self._keys_given
        return key

    def check_can_share(self) -> None:
        kind: Any = type(self.object)
        if kind.__hash__ is None or kind.__hash__ is object.__hash__ or kind.__eq__ is object.__eq__:
            raise SettingsError(
                f"{self.title}: transpositions need objects that are equal where positions are; give {kind.__name__} "
                f"an __eq__ and a __hash__ (a frozen dataclass has both), or leave transpositions off"
            )

    def _list(self, slot: int) -> None:
        names = self.list_actions(slot)
        whole = all(type(n) is int and -(2**31) < n < 2**31 for n in names) and len(set(names)) == len(names)
        self._names[slot], self._numbers[slot] = names, names if whole else range(len(names))

    def _new_slot(self, obj: Any, player: int) -> int:
        if self._free:
            slot = self._free.pop()
            self._objects[slot], self._players[slot] = obj, player
            return slot
        self._objects.append(obj)
        self._players.append(player)
        self._names.append(None)
        self._numbers.append(None)
        self._children.append(None)
        return len(self._objects) - 1

    # What the rest of Playout asks.

    def position(self, text: str | None = None) -> Position:
        if text is not None and text.strip():
            raise PositionError(
                f"{self.title}: a position can't be read from text ('{text}'); wrap the object you want"
            )
        buffer = np.zeros(self.dtype.itemsize, np.uint8)
        state = self.rules.view(buffer)
        state["slot"], state["player"] = self._start, self._players[self._start]
        state["floats"], state["ints"] = self._float_array.ctypes.data, self._int_array.ctypes.data
        for name, (_, address) in zip(CALLBACKS, self._keep, strict=True):
            state[name] = address
        return Position(self, buffer)

    def object_at(self, position: Position) -> Any:
        """The Python object of a position."""
        return self._objects[self._slot_of(position.state)]

    def _slot_of(self, state: Any) -> int:
        slot = int(state["slot"])
        if not slot < len(self._objects) or self._objects[slot] is None:
            raise PositionError(f"{self.title}: that position was let go when the search moved on")
        return slot

    def action_to_text(self, state: Any, action: int) -> str:
        slot = self._slot_of(state)
        if self._numbers[slot] is None:
            self._list(slot)
        numbers = self._numbers[slot]
        name = self._names[slot][numbers.index(action)] if action in numbers else action
        return self._describe(name) if self._describe else _short(name, action)

    def state_to_text(self, state: Any) -> str:
        return _short(self._objects[self._slot_of(state)], int(state["slot"]))

    def show(self, state: Any) -> str:
        obj = self._objects[self._slot_of(state)]
        return str(obj.to_pretty_string()) if hasattr(obj, "to_pretty_string") else str(obj)

    def new_random(self, seed: int) -> Any:
        return Randomness(seed)

    @contextlib.contextmanager
    def using_random(self, source: Any) -> Iterator[None]:
        """Meanwhile, `random` and our own generator are this search's; afterwards `random` is as it was.

        Full garbage collections wait too: one goes through everything that is imported and takes as long as thousands
        of simulations, and new positions would start one again and again. Young garbage is collected as ever.
        """
        with _one_at_a_time, self._noting_interrupts():
            before, own, thresholds = random.getstate(), self._random, gc.get_threshold()
            random.setstate(source.shared)
            self._random = source.own
            gc.set_threshold(thresholds[0], thresholds[1], NO_FULL_COLLECTION)
            try:
                yield
            finally:
                gc.set_threshold(*thresholds)
                source.shared, self._random = random.getstate(), own
                random.setstate(before)

    @contextlib.contextmanager
    def _noting_interrupts(self) -> Iterator[None]:
        """Ctrl-C is kept for the next call to the object: raised under compiled code, it would be lost. A second one
        goes where it always goes."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.getsignal(signal.SIGINT)

        def note(number: int, frame: Any) -> None:
            if self._error is None:
                self._error = KeyboardInterrupt()
            elif callable(before):
                before(number, frame)

        if not callable(before):
            yield
            return
        signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
            if isinstance(self._error, KeyboardInterrupt):
                self._error = None
                raise KeyboardInterrupt

    def searched_by(self, search: Any) -> None:
        self._searches.add(search)

    def forget_unused(self) -> None:
        states = np.vstack([search.kept_states() for search in self._searches])
        kept = {self._start, *states.view(self.dtype)["slot"].ravel().tolist()}
        leaves = {child for slot in kept for child in (self._children[slot] or {}).values()}
        for slot in range(len(self._objects)):
            if self._objects[slot] is not None and slot not in kept and slot not in leaves:
                self._objects[slot] = self._names[slot] = self._numbers[slot] = self._children[slot] = None
                self._free.append(slot)
        if self._keys:
            alive = {(p, o) for p, o in zip(self._players, self._objects, strict=True) if o is not None}
            self._keys = {same: key for same, key in self._keys.items() if same in alive}
        for slot in kept | leaves:
            children = self._children[slot]
            if children and any(self._objects[child] is None for child in children.values()):
                self._children[slot] = {a: c for a, c in children.items() if self._objects[c] is not None}

    def __repr__(self) -> str:
        return f"wrap({_short(self.object, 0)})"


class _PlayGame(ObjectGame):
    """Objects with `current_player`, `legal_actions`, `play` and `returns`."""

    def player_at(self, obj: Any, mover: int | None) -> int:
        player = obj.current_player()
        if player is None or (player < 0 and player != CHANCE):
            return TERMINAL
        if player == CHANCE:
            return CHANCE
        if not player < self.players:
            raise GameError(
                f"current_player() is {player!r}, expected 0 to {self.players - 1}; say players= in po.wrap"
            )
        return int(player) if obj.legal_actions() else TERMINAL

    def list_actions(self, slot: int) -> list[Any]:
        if self._players[slot] == CHANCE:
            return [outcome for outcome, _ in self._objects[slot].chance_outcomes()]
        return list(self._objects[slot].legal_actions())

    def child_of(self, slot: int, action: int) -> Any:
        after = self._objects[slot].play(self._names[slot][self._numbers[slot].index(action)])
        if after is None:
            raise GameError("play(action) returned None, expected the next state; it must not change the object itself")
        return after

    def returns_of(self, obj: Any, player: int) -> Any:
        returns = obj.returns()
        if np.ndim(returns) == 0:
            returns = [returns]
        if len(returns) != self.players:
            raise GameError(f"returns() gave {len(returns)} numbers, expected {self.players}, one for each player")
        return returns

    def play_out(self, slot: int, limit: int) -> int:
        obj, draw = self._objects[slot], self._random.random
        length = 0
        while length < limit:
            player = obj.current_player()
            if player is None or player < 0:
                if player != CHANCE:
                    break
                outcomes = obj.chance_outcomes()
                names, weights = [o for o, _ in outcomes], [p for _, p in outcomes]
                obj = obj.play(self._random.choices(names, weights)[0])
            else:
                actions = obj.legal_actions()
                if not actions:
                    break
                if not isinstance(actions, list | tuple):
                    actions = list(actions)
                obj = obj.play(actions[int(draw() * len(actions))])
            length += 1
        else:
            if self.player_at(obj, None) != TERMINAL:  # cut off: its static value, or nothing
                self._float_array[: self.players] = obj.evaluate() if hasattr(obj, "evaluate") else 0.0
                return length
        self._float_array[: self.players] = self.returns_of(obj, 0)
        return length


class _NodeGame(ObjectGame):
    """Objects with `find_children`, `find_random_child`, `is_terminal` and `reward`."""

    def player_at(self, obj: Any, mover: int | None) -> int:
        if obj.is_terminal():
            return TERMINAL
        return 0 if mover is None or self.players == 1 else 1 - mover

    def _list(self, slot: int) -> None:
        self._names[slot] = list(self._objects[slot].find_children())
        self._numbers[slot] = range(len(self._names[slot]))

    def child_of(self, slot: int, action: int) -> Any:
        return self._names[slot][action]

    def check_can_save(self) -> None:
        if isinstance(self.object.find_children(), set | frozenset):
            raise FileError(
                f"{self.title}: find_children() gives a set, whose order changes from one process to the next, so a "
                f"saved tree could not be read back; let it return a list"
            )

    def returns_of(self, obj: Any, player: int) -> Any:
        """`reward()` is for the player to move at the end: the other one than `player`, who moved last."""
        reward = float(obj.reward())
        if self.players == 1:
            return (reward,)
        return (1.0 - reward, reward) if player == 0 else (reward, 1.0 - reward)

    def play_out(self, slot: int, limit: int) -> int:
        node, length = self._objects[slot], 0
        while not node.is_terminal():
            if length == limit:
                unknown = 0.5 if self.players == 2 else 0.0
                self._float_array[: self.players] = node.evaluate() if hasattr(node, "evaluate") else unknown
                return length
            node = node.find_random_child()
            length += 1
        reward = node.reward()
        if self.players == 1:
            self._floats[0] = reward
        else:
            mover = (self._players[slot] + length) & 1
            self._floats[mover], self._floats[1 - mover] = reward, 1.0 - reward
        return length


def wrap(
    obj: Any,
    *,
    players: int | None = None,
    max_actions: int = 1024,
    value_range: tuple[float, float] | str | None = "default",
    returns_sum: float | str | None = "default",
    describe: Callable[[Any], str] | None = None,
    preset: str | None = None,
) -> ObjectGame:
    """A game made of a Python object that holds a position, of either kind; the object is where a search begins.

    `players` is taken from the object's `players` or from the length of `returns()` if it is not given (the `Node`
    kind: two). `describe` turns an action (the `Node` kind: a child) into text. `preset` names the settings it is best
    searched with; if it is not given, the object's own `preset` does.
    """
    play_kind = all(callable(getattr(obj, n, None)) for n in PLAY_KIND)
    node_kind = all(callable(getattr(obj, n, None)) for n in NODE_KIND)
    if isinstance(obj, type):
        raise GameError(f"wrap got the class {obj.__name__}, expected an object of it: po.wrap({obj.__name__}(…))")
    if not play_kind and not node_kind:
        best = max((PLAY_KIND, NODE_KIND), key=lambda kind: sum(hasattr(obj, n) for n in kind))
        missing = ", ".join(f"{n}()" for n in best if not callable(getattr(obj, n, None)))
        raise GameError(f"wrap can't use a {type(obj).__name__}: it has no {missing} (expected {', '.join(best)})")
    if players is None:
        players = _players_of(obj) if play_kind else 2
    if not isinstance(players, int) or players < 1 or (not play_kind and players > 2):
        raise GameError(
            f"wrap got players={players!r}, expected {'a whole number of at least 1' if play_kind else '1 or 2'}"
        )
    if not isinstance(max_actions, int) or not 1 <= max_actions < 2**16:
        raise GameError(f"wrap got max_actions={max_actions!r}, expected a whole number from 1 to 65535")
    if not play_kind and players == 2:
        value_range = (0.0, 1.0) if value_range == "default" else value_range
        returns_sum = 1.0 if returns_sum == "default" else returns_sum
    parts: dict[str, Any] = {
        "name": type(obj).__name__,
        "players": players,
        "max_actions": max_actions,
        "value_range": value_range,
        "returns_sum": returns_sum,
        "preset": getattr(obj, "preset", "") if preset is None else preset,
    }
    if callable(getattr(obj, "evaluate", None)):
        parts["evaluate"] = staticmethod(_evaluate)
    if callable(getattr(obj, "priors", None)):
        parts["priors"] = staticmethod(_priors)
    if callable(getattr(obj, "chance_outcomes", None)):
        parts["chance_outcomes"] = staticmethod(_chance_outcomes)
    kind = _PlayGame if play_kind else _NodeGame
    return type(f"Wrapped{type(obj).__name__}", (kind,), parts)(obj, describe)  # type: ignore[no-any-return]


def _players_of(obj: Any) -> int:
    given = getattr(obj, "players", None)
    if isinstance(given, int):
        return given
    try:
        returns = obj.returns()
        return 1 if np.ndim(returns) == 0 else len(returns)
    except Exception as error:  # noqa: BLE001  # many objects refuse to say before the end
        raise GameError(
            f"wrap can't tell the number of players ({type(error).__name__}: {error}); say po.wrap(obj, players=2)"
        ) from None


def _short(value: Any, number: int) -> str:
    """An object in one line, or its number where that would be too long."""
    text = " ".join(str(value).split())
    return text if 0 < len(text) <= 60 else f"#{number}"
