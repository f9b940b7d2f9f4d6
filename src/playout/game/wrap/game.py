"""`ObjectGame`: objects in numbered slots; compiled rules know them by their numbers."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np

from playout.core.callback import make_callback
from playout.core.rules import CHANCE, TERMINAL
from playout.errors import ActionError, GameError, PositionError, SettingsError
from playout.game.game import Game
from playout.game.position import Playouts, Position

from . import checks, kernel
from .checks import shown
from .equal import check_equal
from .position import ObjectPosition
from .running import Running, one_at_a_time

BLOCK = 1024  # slots are added in blocks of this size
RECORDED = 10_000  # after this many positions of recorded playouts, unused objects are released


class Living:
    """The things added that are still referenced elsewhere; other threads may add to them meanwhile."""

    def __init__(self) -> None:
        self._refs: dict[int, weakref.ref[Any]] = {}

    def add(self, thing: Any) -> None:
        key, refs = id(thing), self._refs
        refs[key] = weakref.ref(thing, lambda _: refs.pop(key, None))

    def __iter__(self) -> Iterator[Any]:
        return iter([thing for ref in list(self._refs.values()) if (thing := ref()) is not None])


class Move(NamedTuple):
    """One step of a recorded playout: the object it began at, who moved, and the text of the action."""

    obj: Any
    player: int
    text: str


class ObjectGame(Running, Game):
    """What `wrap` returns. Actions that are whole numbers keep them; others are numbered in the order listed."""

    name = "object"
    players = 2
    max_actions = 1
    keep_states = True
    keeps_objects = True
    position_class = ObjectPosition
    rewarded: ClassVar[bool] = False  # `rewards()` says what each step brought
    describes_actions: ClassVar[bool] = False  # `action_text(action)` says how an action reads
    in_place: ClassVar[bool] = False  # playouts change one `mutable_copy()` by `step(action)`
    finishes: ClassVar[bool] = False  # and that copy has `finish`, which plays to the end in one call
    copies: str = ""  # an environment: how its state is copied, what that costs, and whether chance is sampled
    state = kernel.STATE
    initial_state = staticmethod(kernel.initial_state)
    current_player = staticmethod(kernel.current_player)
    legal_actions = staticmethod(kernel.legal_actions)
    apply = staticmethod(kernel.apply)
    playout = staticmethod(kernel.playout)
    hash = staticmethod(kernel.hash_key)
    unkeyed = ("slot",)  # equal objects in two slots are one position

    source: tuple[Callable[..., Game], tuple[Any, ...]] | None = (
        None  # how to make it again, as `__reduce__` returns it
    )

    def __init__(self, obj: Any, describe: Callable[[Any], str] | None) -> None:
        super().__init__()
        self.object, self._describe = obj, describe
        self._first_text = checks.own_text(obj)  # before any method is called, since one may change the object
        # A slot is an index into these lists. There are lists instead of one object for each position, since a hundred
        # thousand more objects would keep Python's garbage collector busy half of the time.
        self.objects: list[Any] = []  # None: free
        self.players_in: list[int] = []
        self.rewards_in: list[Any] = []  # what the step that led there brought; None: nothing
        self._names: list[Any] = []  # the legal actions as the object gives them; `Node` kind: the children themselves
        self._numbers: list[Any] = []  # their numbers in the kernel; None until they are needed
        self._children: list[Any] = []  # slots by number of the action; None while there are none
        self._free: list[int] = []
        self.probabilities: dict[int, list[float]] = {}  # of the outcomes, by slot, where chance moves
        self._keys: dict[Any, int] = {}  # graph search: equal objects with the same player to move share a number
        self._keys_given = 0
        self._first_of: dict[int, Any] | None = None  # the first object of each key, where a search compares them
        self.searches, self.positions = Living(), Living()
        self.sweeping = threading.RLock()
        self._known_types: set[type] = set()
        # Which method gave the last value, of which object, and the numbers (None: not known); the same for `evaluate`.
        self._told: tuple[str, Any, Any] | None = None
        self._estimate: tuple[str, Any, Any] | None = None
        self._record: list[Any] | None = None
        self._recorded = 0
        # One player without chance: where the last playout began, what it drew, and whether it came to the end.
        self._remembers = self.players == 1 and not self.has("chance_outcomes")
        self._last: tuple[int, list[Any], bool] = (0, [], False)
        self._line: list[int] = []
        # Where callbacks leave their results; a memoryview is written twice as fast as an array.
        self._float_array = np.zeros(max(self.players, self.max_actions))
        self._int_array = np.zeros(self.max_actions + 1, np.int32)
        self._floats: Any = memoryview(self._float_array.data)
        self._ints: Any = memoryview(self._int_array.data)
        functions = (self._apply, self._actions, self._play_out, self._evaluate, self._priors, self._key)
        self._keep = [make_callback(self.caught(f)) for f in functions]
        self.check_type(obj, "po.wrap", obj)
        self._start = self._new_slot(obj, self.player_at(obj, None), None)

    # Where the two kinds of object differ.

    methods: ClassVar[tuple[str, ...]]

    def player_at(self, obj: Any, mover: int | None) -> int:
        raise NotImplementedError

    def list_actions(self, slot: int) -> list[Any]:
        raise NotImplementedError

    def number(self, slot: int, names: list[Any]) -> Sequence[int]:
        raise NotImplementedError

    def child_of(self, slot: int, action: int) -> Any:
        raise NotImplementedError

    def rewards_of(self, obj: Any, mover: int) -> Sequence[float]:
        """The rewards of the step by `mover` that led to an object, one number for each player."""
        raise NotImplementedError

    def numbers_drawn(self, obj: Any, drawn: list[Any]) -> list[int] | None:
        """The numbers of the actions that a playout from an object drew; None where they can't be told."""
        raise NotImplementedError

    def answers_of(self, obj: Any) -> dict[str, Any]:
        """The answers that must be the same for equal objects, by method; numbers in lists."""
        raise NotImplementedError

    def options_of(self, obj: Any) -> list[Any]:
        """The actions or outcomes at an object; none at the end."""
        raise NotImplementedError

    def after(self, obj: Any, action: Any) -> Any:
        """The object after an action, one of the `options_of` an equal object."""
        raise NotImplementedError

    def play_out(self, slot: int, limit: int) -> int:
        """Leave the return of a playout in `_floats`, which holds the discount at first; returns its length."""
        raise NotImplementedError

    # Slots.

    def _new_slot(self, obj: Any, player: int, rewards: Any) -> int:
        try:
            slot = self._free.pop()
        except IndexError:
            slot = self._more_slots()
        self.objects[slot] = obj
        self.players_in[slot] = player
        self.rewards_in[slot] = rewards
        return slot

    def _more_slots(self) -> int:
        """Add slots. Several threads may ask, so the lists grow before a slot is handed out."""
        with self.sweeping:
            first = len(self.objects)
            self.players_in.extend([TERMINAL] * BLOCK)
            for values in (self._children, self._numbers, self._names, self.rewards_in, self.objects):
                values.extend([None] * BLOCK)
            self._free.extend(range(first + BLOCK - 1, first, -1))
            return first

    def slot_of(self, state: Any) -> int:
        slot = int(state["slot"])
        if not 0 <= slot < len(self.objects) or self.objects[slot] is None or state["on_apply"] != self._keep[0][1]:
            raise PositionError(f"{self.title}: that is not a position of this object, or it has been released")
        return slot

    def state_in(self, slot: int) -> Any:
        """The bytes of the state that refers to a slot."""
        buffer = np.zeros(self.dtype.itemsize, np.uint8)
        state = self.rules.view(buffer)
        state["slot"], state["player"] = slot, self.players_in[slot]
        state["floats"], state["ints"] = self._float_array.ctypes.data, self._int_array.ctypes.data
        for name, (_, address) in zip(kernel.CALLBACKS, self._keep, strict=True):
            state[name] = address
        return buffer

    def child(self, slot: int, action: int) -> int:
        """The slot after an action."""
        children = self._children[slot]
        child: int | None = None if children is None else children.get(action)
        return self._new_child(slot, action) if child is None else child

    def _new_child(self, slot: int, action: int) -> int:
        """Play an action for the first time, and check the object that it leads to."""
        if self._numbers[slot] is None:
            self.numbers_in(slot)
        mover = self.players_in[slot]
        obj = self.child_of(slot, action)
        player = self.player_at(obj, mover)
        rewards = self.rewards_of(obj, mover) if player == TERMINAL or self.rewarded else None
        child = self._new_slot(obj, player, rewards)
        if self._children[slot] is None:
            self._children[slot] = {action: child}
        else:
            self._children[slot][action] = child
        return child

    def numbers_in(self, slot: int) -> Sequence[int]:
        numbers: Sequence[int] | None = self._numbers[slot]
        if numbers is None:
            names = self.list_actions(slot)
            numbers = self.number(slot, names)
            self._names[slot], self._numbers[slot] = names, numbers
        return numbers

    def priors_in(self, slot: int) -> list[float]:
        self.numbers_in(slot)
        obj = self.objects[slot]
        return checks.weights(obj, obj.priors(), self._names[slot])

    def check_type(self, obj: Any, call: str, before: Any) -> None:
        """Refuse what `call` returned if it lacks a method; each type is checked once."""
        missing = [f"{n}()" for n in self.methods if not callable(getattr(obj, n, None))]
        if missing or isinstance(obj, type):
            expected = f"an object with {', '.join(f'{n}()' for n in self.methods)}"
            if obj is None:
                expected += "; it must return the next state and not change the object itself"
            elif type(obj) is not type(before) and len(missing) < len(self.methods):
                expected += f"; it has no {', '.join(missing)}"
            raise checks.refused(before, call, obj, expected)
        self._known_types.add(type(obj))

    # What the kernel calls.

    def _apply(self, slot: int, action: int) -> int:
        children = self._children[slot]
        child: int | None = None if children is None else children.get(action)
        if child is None:
            child = self._new_child(slot, action)
        self._ints[0] = self.players_in[child]
        rewards = self.rewards_in[child]
        self._ints[1] = rewards is not None
        if rewards is not None:
            for p, value in enumerate(rewards):
                self._floats[p] = value
        return child

    def _actions(self, slot: int, _: int) -> int:
        numbers = self.numbers_in(slot)
        self._int_array[: len(numbers)] = numbers
        if self.players_in[slot] == CHANCE:
            self._float_array[: len(numbers)] = self.probabilities[slot]
        return len(numbers)

    def _evaluate(self, slot: int, _: int) -> int:
        self._float_array[: self.players] = self.value_of(self.objects[slot])
        return 0

    def _priors(self, slot: int, count: int) -> int:
        self._float_array[:count] = self.priors_in(slot)
        return 0

    def _key(self, slot: int, _: int) -> int:
        key = self._keys.get(same := (self.players_in[slot], self.objects[slot]))
        if key is None:
            self._keys_given += 1
            key = self._keys[same] = self._keys_given
        if self._first_of is not None and (first := self._first_of.setdefault(key, same[1])) is not same[1]:
            check_equal(self, first, same[1])
        return key

    def _play_out(self, slot: int, limit: int) -> int:
        return self.play_out(slot, limit) if limit >= 0 else self._tell_line(slot)

    def _tell_line(self, index: int) -> int:
        """Leave the number of an action of the last playout; at ALL_ACTIONS, find them all and return how many."""
        if index != kernel.ALL_ACTIONS:
            self._ints[0] = self._line[index]
            return 0
        slot, drawn, ended = self._last
        line = self.numbers_drawn(self.objects[slot], drawn) if ended else None
        if line is None:
            return kernel.UNTOLD
        self._line = line
        return len(line)

    def told(self) -> list[tuple[str, str, Any]]:
        last = [told for told in (self._told, self._estimate) if told is not None]
        return [(call, f" at {shown(obj)}", numbers) for call, obj, numbers in last]

    def value_of(self, obj: Any) -> Sequence[float]:
        values = checks.numbers(obj, "evaluate()", obj.evaluate(), self.players)
        self._told = self._estimate = ("evaluate()", obj, values)
        return values

    # Playouts are recorded while a search takes a step.

    @contextmanager
    def recording(self) -> Iterator[Playouts]:
        if self._recorded > RECORDED:
            self.forget_unused()
            self._recorded = 0
        self._record = []
        try:
            yield self._record
        finally:
            self._record = None

    def note_playout(self, moves: list[Move], last: Any, player: int) -> None:
        """Record a playout that has just ended, with the returns it left in `_floats`."""
        assert self._record is not None
        after = [*((move.obj, move.player) for move in moves[1:]), (last, player)] if moves else []
        slots = [self._new_slot(obj, player, None) for obj, player in after]
        self._recorded += len(slots)
        positions = tuple(ObjectPosition(self, self.state_in(slot)) for slot in slots)
        texts = tuple(move.text for move in moves)
        self._record.append((texts, positions, tuple(self._float_array[: self.players].tolist())))

    # What the rest of Playout asks.

    def position(self, text: str | None = None) -> Position:
        if text is not None and text.strip():
            raise PositionError(
                f"{self.title}: a position can't be read from text ('{text}'); wrap the object you want"
            )
        return ObjectPosition(self, self.state_in(self._start), way=(None, ()))

    def object_at(self, position: Position) -> Any:
        """The Python object of a position; it must not be changed."""
        if not isinstance(position, ObjectPosition) or position.game is not self:
            raise PositionError(f"{self.title}: object_at got {position!r}, expected a position of this game")
        return position.object

    def own_action(self, state: Any, action: int) -> Any:
        slot = self.slot_of(state)
        numbers = self.numbers_in(slot)
        if action not in numbers:
            raise ActionError(f"{self.title}: {action!r} is not the number of a legal action at {self._text(slot)}")
        return self._names[slot][numbers.index(action)]

    def action_number(self, state: Any, action: Any) -> int:
        slot = self.slot_of(state)
        if self.players_in[slot] != TERMINAL:
            numbers = self.numbers_in(slot)
            if isinstance(action, int | np.integer) and not isinstance(action, bool) and action in numbers:
                return int(action)
            for number, name in zip(numbers, self._names[slot], strict=True):
                if name is action or _equal(name, action):
                    return number
        if isinstance(action, str):
            return self.action_from_text(state, action)
        names = ", ".join(self.action_to_text(state, n) for n in self.position_of(state).actions()[:12])
        raise ActionError(
            f"{self.title}: {shown(action, 80, repr)} is not legal at {self._text(slot)} (legal: {names or 'none'})"
        )

    def action_to_text(self, state: Any, action: int) -> str:
        slot = self.slot_of(state)
        numbers = self.numbers_in(slot)
        name = self._names[slot][numbers.index(action)] if action in numbers else action
        return self.described(name, action, self.objects[slot])

    def described(self, name: Any, number: int | None, obj: Any) -> str:
        """An action's text at an object: what `describe` or the object's `action_text` returns, or its own; a long one
        is cut, or replaced by its number."""
        if self._describe is None and self.describes_actions:
            text = obj.action_text(name)
            return text if isinstance(text, str) and text else shown(name)
        if self._describe is not None:
            text = self._describe(name)
            if not isinstance(text, str):
                raise GameError(
                    f"{self.title}: describe returned {checks.got(text)} for {shown(name)}, expected a text"
                )
            return text
        return shown(name) if number is None else _short(name, number)

    def state_to_text(self, state: Any) -> str:
        return self._text(self.slot_of(state))

    def _text(self, slot: int) -> str:
        return _short(self.objects[slot], slot)

    def show(self, state: Any) -> str:
        obj = self.objects[self.slot_of(state)]
        return str(obj.to_pretty_string()) if hasattr(obj, "to_pretty_string") else str(obj)

    def text_to_save(self, state: Any) -> str | None:
        slot = self.slot_of(state)
        return self._first_text if slot == self._start else checks.own_text(self.objects[slot])

    def check_can_share(self) -> None:
        kind: Any = type(self.object)
        if kind.__hash__ is None or kind.__hash__ is object.__hash__ or kind.__eq__ is object.__eq__:
            raise SettingsError(
                f"{self.title}: transpositions need objects that compare equal where positions are the same; give "
                f"{kind.__name__} an __eq__ and a __hash__ (a frozen dataclass has both), or leave transpositions off"
            )

    def check_can_play_out(self, depth: int, guided: bool) -> None:
        if guided:
            raise SettingsError(
                f"{self.title}: playouts of Python objects are not guided by priors(); leave guided off"
                + ("" if "find_random_child" not in self.methods else " and let find_random_child() choose")
            )
        if depth and not self.rewarded and not self.has("evaluate"):
            raise SettingsError(
                f"{self.title}: a playout cut off after {depth} actions has no value, since returns() and reward() "
                f"give that of the end; give {type(self.object).__name__} an evaluate() (a value for each player)"
                + ("" if "find_children" in self.methods else " or rewards() (what each step brings)")
                + ", or leave the depth off"
            )

    def searched_by(self, search: Any, check_keys: bool) -> None:
        self.searches.add(search)
        if check_keys and self._first_of is None:
            self._first_of = {}

    def forget_unused(self) -> None:
        if not one_at_a_time.acquire(blocking=False):
            return  # a running search may hold objects that are not visible yet; the next move releases them
        try:
            with self.sweeping:
                self._sweep()
        finally:
            one_at_a_time.release()

    def _sweep(self) -> None:
        kept = {self._start, *(position.slot for position in self.positions)}
        for search in self.searches:
            kept.update(search.kept_states().view(self.dtype)["slot"].ravel().tolist())
        leaves = {child for slot in kept for child in (self._children[slot] or {}).values()}
        for slot in range(len(self.objects)):
            if self.objects[slot] is not None and slot not in kept and slot not in leaves:
                self.objects[slot] = self._names[slot] = self._numbers[slot] = self._children[slot] = None
                self.rewards_in[slot] = None
                self.probabilities.pop(slot, None)
                self._free.append(slot)
        if self._keys:
            alive = {(p, o) for p, o in zip(self.players_in, self.objects, strict=True) if o is not None}
            self._keys = {same: key for same, key in self._keys.items() if same in alive}
            if self._first_of is not None:
                self._first_of = {key: same[1] for same, key in self._keys.items()}
        for slot in kept | leaves:
            children = self._children[slot]
            if children and any(self.objects[child] is None for child in children.values()):
                self._children[slot] = {a: c for a, c in children.items() if self.objects[c] is not None}

    def became(
        self,
        spec: str,
        settings: Mapping[str, Any],
        values: Mapping[str, Any],
        again: Callable[[str, dict[str, Any]], Game],
    ) -> None:
        """Note what the object was made from: the spec, and the arguments as far as files can hold them."""
        cls = type(self)
        cls.settings = {name: default for name, default in settings.items() if _can_be_kept(default)}
        self.values = {name: values[name] for name in cls.settings}
        self.source = (again, (spec, dict(values)))

    def __reduce__(self) -> Any:
        """For another process, which makes the object again."""
        if self.source is None:
            raise TypeError(f"{self.title}: a Python object can't leave its process; load it by file.py:name")
        self.check_can_save()
        return self.source

    def __repr__(self) -> str:
        return f"wrap({_short(self.object, 0)})"


def _can_be_kept(value: Any) -> bool:
    return isinstance(value, int | float | str) or (isinstance(value, tuple) and all(map(_can_be_kept, value)))


def _short(value: Any, number: int) -> str:
    """An object in one line, or its number where the text is too long."""
    text = " ".join(str(value).split())
    return text if 0 < len(text) <= checks.WORDS else f"#{number}"


def _equal(name: Any, action: Any) -> bool:
    """Whether a legal action is the one given; arrays are equal as wholes."""
    try:
        return bool(name == action)
    except Exception:  # noqa: BLE001  # an array has no truth value; other types may raise anything
        return isinstance(name, np.ndarray) and np.array_equal(name, action)
