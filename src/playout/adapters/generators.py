"""Random generators inside an environment: found wherever they hang, and set to a state of the search's choice.

A search that copied them would see the future of the environment's chance.
"""

import random
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from playout.game import Game, Position

GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
ATOMS = (int, float, complex, str, bytes, bool, type(None), type, np.generic, np.ndarray, np.dtype)
CODE = (ModuleType, FunctionType, MethodType, BuiltinFunctionType)
MOST_VISITED = 100_000  # objects that are looked at; a transition table has some ten thousand
WORD = (1 << 64) - 1


def is_space(value: Any) -> bool:
    """Whether a value is one of Gymnasium's spaces: each has a generator of its own, for `sample()` only."""
    return any(kind.__module__.startswith("gymnasium.spaces") for kind in type(value).__mro__)


def parts_of(value: Any) -> Iterator[Any]:
    """What an object holds."""
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from value
    elif not isinstance(value, Game | Position):  # ours: nothing in them draws random numbers
        held = getattr(value, "__dict__", None)
        yield from held.values() if isinstance(held, dict) else ()
        for kind in type(value).__mro__:
            names = kind.__dict__.get("__slots__", ())
            for name in (names,) if isinstance(names, str) else names:
                if hasattr(value, name):
                    yield getattr(value, name)


def find_generators(roots: Iterable[Any]) -> list[Any]:
    """Every generator that can be reached from these objects, each once, in an order that equal objects share."""
    seen: dict[int, Any] = {}
    found: list[Any] = []
    waiting = list(roots)
    while waiting and len(seen) < MOST_VISITED:
        value = waiting.pop(0)
        if isinstance(value, (*ATOMS, *CODE)) or id(value) in seen or is_space(value):
            continue
        seen[id(value)] = value
        if isinstance(value, GENERATORS):
            found.append(value)
        else:
            waiting.extend(parts_of(value))
    return found


def reseed(generators: list[Any], seed: int) -> None:
    """Set generators to states that follow from a seed of 64 bits."""
    for generator in generators:
        seed = mixed(seed)
        if isinstance(generator, np.random.Generator):
            bits = generator.bit_generator
            if type(bits) is np.random.PCG64:  # ten times as fast as seeding a new one
                words: Any = {"state": (seed << 64) | mixed(seed), "inc": (mixed(seed + 1) << 1) | 1}
                bits.state = {"bit_generator": "PCG64", "state": words, "has_uint32": 0, "uinteger": 0}
            else:
                bits.state = type(bits)(seed).state
        elif isinstance(generator, np.random.RandomState):
            generator.seed(seed & 0xFFFFFFFF)
        else:
            generator.seed(seed)


def mixed(number: int) -> int:
    """A well mixed number of 64 bits (SplitMix64).

    >>> hex(mixed(0))
    '0xe220a8397b1dcdaf'
    """
    z = (number + 0x9E3779B97F4A7C15) & WORD
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


def state_of(generators: list[Any]) -> str:
    """The state of generators, to see whether any was used."""
    return repr(
        [
            g.getstate()
            if isinstance(g, random.Random)
            else g.get_state()
            if isinstance(g, np.random.RandomState)
            else g.bit_generator.state
            for g in generators
        ]
    )
