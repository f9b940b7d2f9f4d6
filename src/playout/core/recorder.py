"""Arrays and states that record what a rule writes outside their bounds.

NumPy raises at an index past the end; these let the rule go on, so that the doctor can say how far it went. They also
record an index below zero, which NumPy and Numba both count from the end.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# The output arrays of each rule.
BUFFERS = {
    "legal_actions": ("actions",),
    "chance_outcomes": ("actions", "probabilities"),
    "apply": ("rewards",),
    "priors": ("out",),
    "evaluate": ("values",),
    "observe": ("planes",),
    "features": ("out",),
    "sample_action": ("out",),
}
LISTED = ("actions", "probabilities", "out")  # with one entry for each action


@dataclass
class OutsideWrites:
    """Writes outside one array: how many, the index of the first one, and how far they went."""

    shape: tuple[int, ...]
    first: tuple[int, ...]
    writes: int = 0
    most: int = 0  # the largest first index, plus one


@dataclass
class Recorder:
    """What a rule wrote outside its arrays, by the name of the array, and the indices below zero."""

    writes: Counter[str] = field(default_factory=Counter)  # all of them
    outside: dict[str, OutsideWrites] = field(default_factory=dict)
    negative: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def note(self, name: str, index: tuple[int, ...], shape: tuple[int, ...]) -> bool:
        """Record a write; returns whether it is outside."""
        self.writes[name] += 1
        if any(not -size <= at < size for at, size in zip(index, shape, strict=False)):
            noted = self.outside.setdefault(name, OutsideWrites(shape, index))
            noted.writes += 1
            noted.most = max(noted.most, index[0] + 1)
            return True
        if any(at < 0 for at in index):
            self.negative.setdefault(name, index)
        return False


class GuardedArray(np.ndarray[Any, Any]):
    """An array that reports writes outside it to a recorder, and drops them. So do its views."""

    recorder: Recorder | None
    name: str

    def __array_finalize__(self, obj: Any) -> None:
        self.recorder, self.name = getattr(obj, "recorder", None), getattr(obj, "name", "")

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Results computed from it are plain arrays or numbers, as they would be without the guard."""
        plain = np.asarray(array)
        return plain[()] if return_scalar or plain.ndim == 0 else plain

    def __setitem__(self, index: Any, value: Any) -> None:
        places = index if isinstance(index, tuple) else (index,)
        whole = all(isinstance(at, int | np.integer) and not isinstance(at, bool) for at in places)
        if self.recorder is not None and whole and len(places) <= self.ndim:
            name = self.name if self.base is not None else f"a copy of {self.name}"
            if self.recorder.note(name, tuple(int(at) for at in places), self.shape):
                return
        super().__setitem__(index, value)


def guarded(array: Any, recorder: Recorder, name: str) -> Any:
    """A view of an array that reports writes outside it to `recorder`."""
    found = array.view(GuardedArray)
    found.recorder, found.name = recorder, name
    return found


class StateGuard:
    """Turns the bytes of a game's states into records whose arrays are guarded."""

    def __init__(self, record: np.dtype[Any]) -> None:
        guard = self

        class GuardedRecord(record.type):  # type: ignore[misc,name-defined]  # NumPy's record, or one with constants
            def __getattribute__(self, name: str) -> Any:
                return guard.field(super().__getattribute__(name), name)

            def __getitem__(self, name: Any) -> Any:
                return guard.field(super().__getitem__(name), name)

        self.recorder = Recorder()
        self.record = np.dtype((GuardedRecord, record))

    def view(self, buffer: Any, recorder: Recorder) -> Any:
        self.recorder = recorder
        return buffer.view(self.record)[0]

    def field(self, value: Any, name: Any) -> Any:
        return guarded(value, self.recorder, f"state.{name}") if type(value) is np.ndarray else value
