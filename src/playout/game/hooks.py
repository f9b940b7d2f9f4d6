"""What a search asks of every game but only wrapped Python objects need: their states and randomness live in Python.

A compiled game keeps everything in its record, so all of this does nothing there. `playout.game.wrap` overrides it.
"""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from .position import Playouts, Position


class ObjectHooks:
    """The hooks of wrapped Python objects, with the defaults of compiled games."""

    keeps_objects: ClassVar[bool] = False  # states are Python objects outside the record, which files can't hold
    sampled: ClassVar[bool] = False  # probabilities are estimated from samples, so nothing can be proven
    position_class: ClassVar["type[Position] | None"] = None  # what `Position(game, …)` makes; None: a plain one

    def entering(self) -> contextlib.AbstractContextManager[Any]:
        """Around every call of compiled code."""
        return contextlib.nullcontext()

    def interrupt(self, thread: int, reason: str) -> bool:
        """End a Python method of the game that runs in a thread, given by its identity; returns whether one ran."""
        return False

    def recording(self) -> "contextlib.AbstractContextManager[Playouts | None]":
        """Around a step: the list that playouts are recorded in; None where the kernel records them."""
        return contextlib.nullcontext()

    def check_can_play_out(self, depth: int, guided: bool) -> None:
        """Raise `SettingsError` where playouts can't be cut off after `depth` actions (0: never) or guided."""

    def check_can_share(self) -> None:
        """Raise `SettingsError` where positions have no keys, so that a graph can't be searched."""

    def check_can_save(self) -> None:
        """Raise `FileError` where a tree of this game could not be read back."""

    def text_to_save(self, state: np.record) -> str | None:
        """What identifies, in a file, the object that a search began at; None where the state itself is written."""
        return None

    def new_random(self, seed: int) -> Any:
        """A search's own source of randomness outside the kernel."""

    def using_random(
        self, source: Any, overdue: Callable[[], str | None] | None = None
    ) -> contextlib.AbstractContextManager[None]:
        """Around a run: use this source meanwhile, and interrupt a method that does not return when `overdue` gives a
        reason."""
        return contextlib.nullcontext()

    def searched_by(self, search: Any, check_keys: bool) -> None:
        """A search begins; `forget_unused` asks it for its `kept_states`. `check_keys`: it compares equal objects."""

    def forget_unused(self) -> None:
        """Release all objects that no search needs any more."""

    def told(self) -> list[tuple[str, str, Any]]:
        """The last values that methods gave, newest first: which method, of which object, and the numbers of the
        players (None: not known)."""
        return []
