"""Ways to copy the state of an environment: its attributes, its own interface, deepcopy, or a replay from its seed.

Each takes the state out of the environment (`take`) and puts it into a simulator (`put`), a second instance. Which of
them works is found out by trial (`adapters/trials.py`). Random generators are never copied.
"""

import copy
import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .generators import GENERATORS, find_generators, is_space

MISSING = ...  # an attribute that is not there
ATOMS = frozenset({int, float, complex, str, bytes, bool, type(None), type(MISSING)})
INTERFACES = (("get_state", "set_state"), ("clone_state", "restore_state"), ("save_state", "load_state"))
UNKEYED = ("lastaction", "_np_random_seed")  # Gymnasium's own: for drawing, and the seed of the last reset
LINKS = ("env", "aec_env")  # how a wrapper calls the environment below it
OPAQUE = b"opaque"  # the fingerprint of what can't be written down


def fingerprint(value: Any) -> bytes:
    """Bytes that are equal only for equal contents, as far as these can be written down."""
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception:  # noqa: BLE001  # anything may be raised by the value's own code
        held = getattr(value, "__dict__", None)
        return OPAQUE if held is None else b"".join(fingerprint(part) for part in held.values())


class _WithoutGenerators(pickle.Pickler):
    """Writes everything but generators."""

    def persistent_id(self, value: Any) -> str | None:
        return "generator" if isinstance(value, GENERATORS) else None


def keyed_bytes(value: Any) -> bytes:
    """Like `fingerprint`, the same whatever the state of generators inside."""
    into = io.BytesIO()
    try:
        _WithoutGenerators(into, pickle.HIGHEST_PROTOCOL).dump(value)
    except Exception:  # noqa: BLE001  # as in `fingerprint`
        return fingerprint(value)
    return into.getvalue()


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same contents, apart from generators."""
    if keyed_bytes(one) == keyed_bytes(other):
        return True
    try:
        return bool(np.array_equal(one, other)) if isinstance(one, np.ndarray) else bool(one == other)
    except Exception:  # noqa: BLE001  # the values' own __eq__
        return False


def is_fixed(name: str, value: Any) -> bool:
    """Whether an attribute is never part of a state: links between wrappers, spaces, generators."""
    if name in LINKS or isinstance(value, GENERATORS) or is_space(value):
        return True
    return isinstance(value, dict) and bool(value) and all(is_space(space) for space in value.values())


def copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy; like `copy.deepcopy`, but quick for plain containers and plain objects. `memo` keeps references to
    one object shared, and says what is not to be copied."""
    kind: Any = type(value)
    if kind in ATOMS:
        return value
    if (known := memo.get(id(value))) is not None:
        return known
    new: Any
    if kind is np.ndarray and not value.dtype.hasobject:
        new = value.copy()
    elif kind is tuple:
        return tuple([copied(part, memo) for part in value])
    elif kind is list:
        new = [part if type(part) in ATOMS else copied(part, memo) for part in value]
    elif kind is dict:
        new = {name: part if type(part) in ATOMS else copied(part, memo) for name, part in value.items()}
    elif _is_plain(kind):
        new = kind.__new__(kind)
        memo[id(value)] = new
        for name, part in value.__dict__.items():
            new.__dict__[name] = part if type(part) in ATOMS else copied(part, memo)
        return new
    else:
        return copy.deepcopy(value, memo)
    memo[id(value)] = new
    return new


_plain: dict[type, bool] = {}


def _is_plain(kind: type) -> bool:
    """Whether all that objects of a class hold is their `__dict__`, and copying it needs no code of theirs."""
    if (known := _plain.get(kind)) is None:
        hooks = ("__deepcopy__", "__copy__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__slots__")
        own = "__getstate__" in {name for k in kind.__mro__ if k is not object for name in vars(k)}
        inner = any(k.__flags__ & (1 << 9) == 0 for k in kind.__mro__ if k is not object)  # a class not made in Python
        reduced = any(
            name in vars(k) for k in kind.__mro__ if k is not object for name in ("__reduce__", "__reduce_ex__")
        )
        known = _plain[kind] = not (inner or own or reduced or any(hasattr(kind, hook) for hook in hooks))
    return known


class StateCopies:
    """One way to copy. `sim` is the environment that is stepped; `layers_of` lists its wrappers from the outside in."""

    name: str
    means: str  # in words

    def __init__(self, sim: Any, layers_of: Callable[[Any], list[Any]]) -> None:
        self.sim, self.layers_of = sim, layers_of
        self.generators: list[Any] = []

    def find_generators(self) -> None:
        self.generators = self.generators_in(self.sim)

    def generators_in(self, env: Any) -> list[Any]:
        """The generators of an environment, in the order of the simulator's."""
        return find_generators(self.layers_of(env))

    def take(self, env: Any) -> Any:
        """The state of the real environment."""
        raise NotImplementedError

    def save(self) -> Any:
        """The state of the simulator."""
        raise NotImplementedError

    def put(self, state: Any) -> None:
        """Bring the simulator into a state; the state may be put again later."""
        raise NotImplementedError

    def key(self, state: Any) -> bytes:
        """Bytes that are equal only for equal states."""
        return fingerprint(state)

    def note(self, seed: int | None, action: Any) -> None:
        """The simulator was stepped, after its generators were set to `seed` (None: they were not)."""

    def check(self) -> str:
        """What shows that the simulator is no longer what was tested; "" if nothing does."""
        return ""


class Attributes(StateCopies):
    """The attributes that change are copied; those that never did in the trials are shared, and checked later on."""

    name = "attributes"

    def __init__(self, sim: Any, layers_of: Callable[[Any], list[Any]], changing: Sequence[tuple[int, str]]) -> None:
        super().__init__(sim, layers_of)
        self.changing = tuple(changing)
        self.keyed = [at for at, (_, name) in enumerate(changing) if name not in UNKEYED]
        layers = layers_of(sim)
        self.places = [(vars(layers[i]), name) for i, name in self.changing]
        held = [(vars(layer), i, name) for i, layer in enumerate(layers) for name in vars(layer)]
        self.constant = [(d, n) for d, i, n in held if (i, n) not in set(changing) and not is_fixed(n, d[n])]
        self.before = self._constants()
        # A walk through a transition table takes long, so later ones leave out the attributes that hold no generator.
        self.holders = [(i, name) for _, i, name in held if find_generators([vars(layers[i])[name]])]
        self.nested = bool(set(self.holders) & set(self.changing))
        total = len(self.constant) + len(self.places)
        self.means = f"{len(self.places)} of {total} attributes are copied"

    def _memo(self) -> dict[int, Any]:
        memo = {id(generator): generator for generator in self.generators}
        for layer in self.layers_of(self.sim):
            memo[id(layer)] = layer
        return memo

    def key(self, state: Any) -> bytes:
        values = [state[i] for i in self.keyed]
        return keyed_bytes(values) if self.nested else fingerprint(values)

    def find_generators(self) -> None:
        super().find_generators()
        self.memo = self._memo()

    def generators_in(self, env: Any) -> list[Any]:
        layers = self.layers_of(env)
        return find_generators([vars(layers[i]).get(name) for i, name in self.holders])

    def take(self, env: Any) -> Any:
        layers = self.layers_of(env)
        memo = {id(layer): own for layer, own in zip(layers, self.layers_of(self.sim), strict=True)}
        memo.update({id(g): own for g, own in zip(self.generators_in(env), self.generators, strict=False)})
        return tuple([copied(vars(layers[i]).get(name, MISSING), memo) for i, name in self.changing])

    def save(self) -> Any:
        memo: dict[int, Any] = {}
        values = []
        for held, name in self.places:
            value = held.get(name, MISSING)
            if type(value) not in ATOMS:
                value = copied(value, memo or self._fresh(memo))
            values.append(value)
        return tuple(values)

    def _fresh(self, memo: dict[int, Any]) -> dict[int, Any]:
        memo.update(self.memo)
        return memo

    def put(self, state: Any) -> None:
        memo: dict[int, Any] = {}
        for (held, name), value in zip(self.places, state, strict=True):
            if value is MISSING:
                held.pop(name, None)
            else:
                held[name] = value if type(value) in ATOMS else copied(value, memo or self._fresh(memo))

    def _constants(self) -> list[bytes]:
        return [fingerprint(held.get(name)) for held, name in self.constant]

    def check(self) -> str:
        names = [name for (_, name), a, b in zip(self.constant, self.before, self._constants(), strict=True) if a != b]
        if not names:
            return ""
        return (
            f"the attribute '{names[0]}' changes now and then, and did not when the environment was tried; give "
            f"copies='deepcopy'"
        )


class Interface(StateCopies):
    """The environment's own methods, such as `get_state()` and `set_state(state)`."""

    name = "interface"

    def __init__(self, sim: Any, layers_of: Callable[[Any], list[Any]], methods: tuple[str, str]) -> None:
        super().__init__(sim, layers_of)
        self.get, self.set = methods
        self.means = f"the environment's own {self.get}() and {self.set}()"

    def take(self, env: Any) -> Any:
        return copy.deepcopy(getattr(self.layers_of(env)[-1], self.get)())

    def save(self) -> Any:
        return self.take(self.sim)

    def put(self, state: Any) -> None:
        getattr(self.layers_of(self.sim)[-1], self.set)(copy.deepcopy(state))


class Deepcopy(StateCopies):
    """The whole environment, by `copy.deepcopy`."""

    name = "deepcopy"
    means = "the whole environment is copied"

    def take(self, env: Any) -> Any:
        layers = self.layers_of(env)
        memo = {id(g): own for g, own in zip(self.generators_in(env), self.generators, strict=False)}
        return copy.deepcopy(layers[0], memo)

    def save(self) -> Any:
        return self.take(self.sim)

    def put(self, state: Any) -> None:
        self.sim = copy.deepcopy(state, {id(g): g for g in self.generators})

    def key(self, state: Any) -> bytes:
        layers = self.layers_of(state)
        held = [(n, v) for layer in layers for n, v in vars(layer).items() if not is_fixed(n, v)]
        return b"".join(keyed_bytes(value) for _, value in held)


class ReplayCopies(StateCopies):
    """The actions since the last reset are played again, each with the generators set as they were."""

    name = "replay"
    means = "the actions since the reset are played again"

    def __init__(
        self,
        sim: Any,
        layers_of: Callable[[Any], list[Any]],
        history: Sequence[Any],
        again: Callable[[Sequence[tuple[int | None, Any]]], None],
    ) -> None:
        super().__init__(sim, layers_of)
        self.again = again  # resets the simulator and plays these actions
        self.history: tuple[tuple[int | None, Any], ...] = tuple((None, action) for action in history)
        self.played = self.history

    def take(self, env: Any) -> Any:
        return self.history

    def save(self) -> Any:
        return self.played

    def put(self, state: Any) -> None:
        self.played = ()
        self.again(state)
        self.played = state

    def note(self, seed: int | None, action: Any) -> None:
        self.played = (*self.played, (seed, action))
