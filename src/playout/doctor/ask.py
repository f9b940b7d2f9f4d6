"""Calls one rule on one position: uncompiled, guarded and compiled, with its buffers filled differently each time.

Comparing the answers shows what a rule must not do: change the state, write outside of its buffers, leave an entry
unwritten, give another answer the second time, never return.
"""

import contextlib
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.core.compile_errors import RuleCompileError
from playout.core.copies import Copies
from playout.core.draws import DRAWN, fill_row
from playout.core.recorder import BUFFERS, LISTED, Recorder, StateGuard, guarded
from playout.core.watch import RuleInterrupted, watched
from playout.core.watchdog import NeverReturnedError
from playout.game import REQUIRED, Game
from playout.game.faults import room_for_features

from .compare import RuleAnswer, contrast, differences, equal, plain_value, same, whole
from .notes import Notes
from .outside import changed_globals

ROOM = 4096  # entries behind each buffer of a compiled rule, to detect writes past its end
# The contents of buffers that a rule has to fill: actions, and numbers. Two of each, to find unwritten entries.
INT_FILLS, FLOAT_FILLS = (-77_777, -11_111), (math.nan, 0.25)
BEHIND_INT, BEHIND_FLOAT = -55_555, -7.0e77  # the contents of that room

# Rules whose buffers may hold anything when they are called; `rewards` and `planes` arrive zeroed.
FILLED = ("legal_actions", "chance_outcomes", "priors", "evaluate", "features")
COUNTED = ("legal_actions", "chance_outcomes", "features")  # they return how many entries they wrote
ROWS = ("features", "sample_action")  # rules whose `out` does not have an entry for each action
LIMITS = dict.fromkeys(LISTED, "max_actions") | {"rewards": "one per player", "values": "one per player"}


def _holds_numbers(rule: str, name: str) -> bool:
    """Whether a buffer holds actions or features, which are whole numbers."""
    return name == "actions" or rule == "features"


class RuleAsker:
    """Calls the rules of one game, and notes what they must not do."""

    def __init__(self, game: Game, notes: Notes) -> None:
        self.game, self.notes, self.watchdog = game, notes, notes.watchdog
        copies = Copies(lambda copied: copied)  # compiled helpers become plain Python, too
        self.plain: dict[str, Callable[..., Any]] = {
            rule: copies.of(function) for rule, function in game.rules.functions.items()
        }
        self.compiled: dict[str, Callable[..., Any]] = {}
        self.guard = StateGuard(game.rules.record)
        self.unsafe: set[str] = set()  # rules that failed uncompiled
        self.dangerous: set[str] = set()  # rules that wrote outside of their buffers
        self.hanging: set[str] = set()  # rules that did not return
        self.random_rules: set[str] = set()
        self.asked = 0

    def compile(self) -> None:
        """Compile all rules; if one that the search needs can't be compiled, none is used compiled."""
        for rule in self.plain:
            try:
                self.compiled[rule] = self.game.rules.compiled(rule)
            except RuleCompileError as error:
                self.notes.note("not-compiled", rule, place=f"{error.file}:{error.line}", reason=error.reason)
        if any(rule in self.plain and rule not in self.compiled for rule in (*REQUIRED, "chance_outcomes")):
            self.compiled = {}

    def ask(self, rule: str, buffer: Any, plain: bool, *given: Any) -> RuleAnswer:
        """Call a rule twice; with `plain`, uncompiled first and then compiled. Differences are noted."""
        action = given[0] if rule == "apply" else None
        self.asked += 1
        if not plain and rule in self.compiled:
            first = self._safely(self.compiled, rule, buffer, *given)
            second = self._safely(self.compiled, rule, buffer, *given, fill=1)
        else:
            first = self._safely(self.plain, rule, buffer, *given)
            observed = self._guarded(rule, buffer, *given)
            if observed is not None and equal(first, observed):
                second = observed
            else:  # make sure that the difference does not come from the guard
                second = self._safely(self.plain, rule, buffer, *given, fill=1)
        if rule not in ("apply", "initial_state"):
            self.look_for_changes(rule, buffer, first.after)
        if first.actions_changed:
            self.notes.note("changes-actions", rule, buffer)
        if not equal(first, second):
            self._differs(rule, buffer, action, given, first, second, plain)
        elif plain and rule in self.compiled and rule not in self.random_rules:
            third = self._safely(self.compiled, rule, buffer, *given)
            if not equal(first, third) and self._is_sound(rule, first) and not self.blame_globals(rule):
                how = contrast(self.game, first, third, "uncompiled", "compiled")
                self.notes.note("compiled-differs", rule, buffer, action, contrast=how)
        return first

    def blame_globals(self, rule: str) -> bool:
        """Whether globals have changed since the rule was compiled; if so, it is noted."""
        changed = list(changed_globals(self.game.rules, rule))
        if changed and not self.notes.has("frozen-global", rule, "changed"):
            self.notes.note("frozen-global", rule, kind="changed", name=changed[0][0], how=changed[0][1])
        return bool(changed)

    def _safely(self, functions: dict[str, Any], rule: str, buffer: Any, *given: Any, fill: int = 0) -> RuleAnswer:
        """Call a rule; an exception is noted and ends the game."""
        where, action = None if rule == "initial_state" else buffer, given[0] if rule == "apply" else None
        try:
            return self.call(functions, rule, buffer, *given, fill=fill)
        except NeverReturnedError as error:
            self.hanging.add(rule)
            self.notes.raised(rule, error, where, action)
        except Exception as error:  # noqa: BLE001  # a user's rule may raise anything
            self.unsafe.add(rule)
            if isinstance(error, IndexError):
                self._guarded(rule, buffer, *given)  # notes how far it went, and ends the game too
            self.notes.raised(rule, error, where, action, "action-refused" if rule == "apply" else "raises")
        raise AssertionError("`raised` always raises")

    def _guarded(self, rule: str, buffer: Any, *given: Any) -> RuleAnswer | None:
        """Call a rule uncompiled on guarded arrays and note writes outside of them; None if it raises."""
        recorder, answer = Recorder(), None
        with contextlib.suppress(Exception, NeverReturnedError):
            answer = self.call(self.plain, rule, buffer, *given, fill=1, recorder=recorder)
        where, action = None if rule == "initial_state" else buffer, given[0] if rule == "apply" else None
        for name, index in recorder.negative.items():
            level = "error" if name in LISTED else "warning"  # in the others, the last entry may be what is meant
            text = f"{name}[{', '.join(map(str, index))}]"
            self.notes.note("negative-index", rule, where, action, level=level, kind=name, text=text)
        for name, outside in recorder.outside.items():
            self.unsafe.add(rule)
            self.dangerous.add(rule)
            count: Any = answer.value if answer else None
            if name in ("actions", "probabilities") and whole(count) and count > self.game.max_actions:
                self.notes.fail("too-many-actions", rule, where, value=count, most=self.game.max_actions)
            self._wrote_outside(rule, where, action, name, outside.most, outside.first, outside.shape)
        return answer

    def _wrote_outside(
        self, rule: str, where: Any, action: Any, name: str, most: int, first: tuple[int, ...], shape: tuple[int, ...]
    ) -> None:
        if len(shape) == 1 and first[0] >= 0:
            limit = f" ({LIMITS[name]})" if name in LIMITS and rule not in ROWS else ""
            how = f"writes {most:,} entries of `{name}`, which has {shape[0]:,}{limit}"
        else:
            how = f"writes `{name}[{', '.join(map(str, first))}]`, but the shape of `{name}` is {shape}"
        self.notes.fail("past-end", rule, where, action, kind=name, how=how)

    def call(
        self,
        functions: dict[str, Any],
        rule: str,
        buffer: Any,
        *given: Any,
        fill: int = 0,
        recorder: Recorder | None = None,
    ) -> RuleAnswer:
        """Call a rule once on a copy of the state; `fill` selects what its buffers contain."""
        compiled, state = functions is not self.plain, buffer.copy()
        names = BUFFERS.get(rule, ())
        whole_buffers = [self._buffer(rule, name, fill, compiled) for name in names]
        buffers = [
            part[:size].reshape(self.game.planes if name == "planes" and not compiled else size)
            for name, (part, size) in zip(names, whole_buffers, strict=True)
        ]
        passed = buffers if recorder is None else [guarded(b, recorder, n) for n, b in zip(names, buffers, strict=True)]
        arguments, listed = (*given, *passed), None
        if rule in ("priors", "playout_action"):
            listed = np.full(self.game.max_actions, INT_FILLS[fill], np.int32)
            listed[: len(given[0])] = given[0]
            before = listed.copy()
            arguments = (listed, len(given[0]), *passed)
        if rule == "sample_action":
            arguments = (np.full(1, given[0], np.uint64), *passed)
        if rule == "apply" and self.game.draws:
            arguments = (self.row(buffer, given[0]), *passed)
        if rule in ("playout_action", "chance_action"):
            arguments = (*arguments, np.full(1, self.asked, np.uint64))
        view = self.game.rules.view(state) if recorder is None else self.guard.view(state, recorder)
        if compiled:
            value = self._call_compiled(functions[rule], view, *arguments)
            self._look_behind(rule, buffer, given, names, whole_buffers)
        else:
            value = self.watchdog.call(functions[rule], view, *arguments)
        value = plain_value(rule, value)
        used = len(given[0]) if rule == "priors" else None
        if rule in COUNTED:
            used = max(0, int(value)) if whole(value) else 0
        written = tuple(tuple(part.ravel()[:used].tolist()) for part in buffers)
        return RuleAnswer(value, written, state.tobytes(), listed is not None and not np.array_equal(listed, before))

    def row(self, buffer: Any, action: int) -> Any:
        """The numbers of an action in a game that draws its actions."""
        row, rng = np.zeros(self.game.action_width), np.zeros(1, np.uint64)
        fill_row(len(row), action, row, rng)
        if action >= DRAWN:
            with np.errstate(over="ignore"):
                self.watchdog.call(self.plain["sample_action"], self.game.rules.view(buffer.copy()), rng, row)
        return row

    def _call_compiled(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a compiled rule, whose loops ask from time to time whether to stop."""
        if not self.game.rules.guard:  # they don't ask
            return function(*arguments)
        until = list[float]()  # read only when a loop asks: reading the clock takes longer than most rules

        def too_long() -> str | None:
            now = time.thread_time()
            if not until:
                until.append(now + self.watchdog.seconds)
            return "too long" if now > until[0] else None

        with watched(too_long) as watch:
            try:
                return function(*arguments)
            except RuleInterrupted as error:
                if watch.ctrl_c:
                    raise KeyboardInterrupt from None
                raise NeverReturnedError().with_traceback(error.__traceback__) from None

    def _buffer(self, rule: str, name: str, fill: int, compiled: bool) -> tuple[Any, int]:
        """A buffer, and the length that the rule may use; for a compiled rule, with room behind it."""
        size = {"planes": math.prod(self.game.planes)}.get(name, self.game.players)
        size = self.game.max_actions if name in LISTED else size
        size = room_for_features(self.game) if rule == "features" else size
        size = self.game.action_width if rule == "sample_action" else size
        room = size + (ROOM if compiled else 0)
        if _holds_numbers(rule, name):
            # Uncompiled, actions have 64 bits, to detect those that do not fit into 32.
            buffer = np.full(room, BEHIND_INT, np.int32 if compiled else np.int64)
            buffer[:size] = INT_FILLS[fill]
        else:
            buffer = np.full(room, BEHIND_FLOAT, np.float32 if name == "planes" else np.float64)
            zeroed = name in ("rewards", "planes") or rule == "sample_action"
            buffer[:size] = 0.0 if zeroed else FLOAT_FILLS[fill]
        return buffer, size

    def _look_behind(self, rule: str, buffer: Any, given: Any, names: Any, buffers: list[tuple[Any, int]]) -> None:
        """Note what a compiled rule wrote behind its buffers."""
        action = given[0] if rule == "apply" else None
        for name, (part, size) in zip(names, buffers, strict=True):
            behind = part[size:]
            filled = BEHIND_INT if _holds_numbers(rule, name) else BEHIND_FLOAT
            changed = np.flatnonzero(behind != behind.dtype.type(filled))
            if changed.size:
                self.unsafe.add(rule)
                self._wrote_outside(rule, buffer, action, name, size + int(changed[-1]) + 1, (size,), (size,))

    def look_for_changes(self, rule: str, buffer: Any, after: bytes) -> None:
        """Note that a rule changed the state."""
        if after != buffer.tobytes():
            self.notes.note("changes-state", rule, buffer, contrast=differences(self.game, buffer.tobytes(), after))

    def _is_sound(self, rule: str, answer: RuleAnswer) -> bool:
        """Whether an answer is valid enough to be compared; otherwise it gets a finding of its own."""
        if rule in COUNTED:
            most = room_for_features(self.game) if rule == "features" else self.game.max_actions
            few = whole(answer.value) and answer.value <= most
            return few and all(abs(action) < 2**31 for action in answer.written[0])
        return answer.value is None or whole(answer.value)

    def _differs(
        self, rule: str, buffer: Any, action: Any, given: Any, first: RuleAnswer, second: RuleAnswer, plain: bool
    ) -> None:
        """Note why two calls of a rule differ: hidden randomness, or old values in a buffer."""
        if rule in self.random_rules:
            return
        functions = self.plain if plain or rule not in self.compiled else self.compiled
        again = [(self._safely(functions, rule, buffer, *given, fill=fill), fill) for fill in (0, 1, 0, 1)]
        if rule in FILLED and all(equal(answer, (first, second)[fill]) for answer, fill in again):
            name, how = BUFFERS[rule][0], "uses the old values in `{}`"
            for part, one, two in zip(BUFFERS[rule], first.written, second.written, strict=True):
                fills = INT_FILLS if _holds_numbers(rule, part) else FLOAT_FILLS
                left = [i for i, pair in enumerate(zip(one, two, strict=False)) if same(pair[0], fills[0])]
                left = [i for i in left if same(two[i], fills[1])]
                if left:
                    name, how = part, f"leaves `{{}}[{left[0]}]` unwritten"
                    break
            wanted = (
                "`values[player]` for every player" if name == "values" else f"`{name}[i]` for every i below the count"
            )
            self.notes.fail("not-written", rule, buffer, action, how=how.format(name), wanted=wanted)
        self.random_rules.add(rule)
        how = f"gives another answer the second time ({contrast(self.game, first, second, 'first', 'then')})"
        self.notes.note("hidden-randomness", rule, buffer, action, how=how)
