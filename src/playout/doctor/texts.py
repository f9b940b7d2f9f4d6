"""Checks a game's text forms and drawings, which are methods in plain Python."""

import contextlib
import time
from typing import Any
from xml.etree import ElementTree

from playout.core.draws import DRAWN
from playout.core.jit import COMPILED
from playout.core.rules import CHANCE, TERMINAL
from playout.core.watchdog import NeverReturnedError
from playout.errors import PlayoutError
from playout.game import Game

from .ask import RuleAsker
from .compare import as_buffer, differences
from .notes import BrokenOffError, Notes, shorten

TEXT_POSITIONS, TEXT_SECONDS = 150, 2.0  # stop checking after this many positions, or this time
TEXT_ACTIONS = 40  # actions of a position that are written and read back
PLAYING = ("current_player", "legal_actions", "chance_outcomes")


class Texts:
    """Checks text forms and drawings of positions, each position once."""

    def __init__(self, game: Game, notes: Notes, asker: RuleAsker) -> None:
        self.game, self.notes, self.asker = game, notes, asker
        self.seen: set[bytes] = set()
        self.seconds = 0.0

    def look(self, buffer: Any, actions: list[int]) -> None:
        """Check the texts and the drawing of one position."""
        key, began = buffer.tobytes(), time.perf_counter()
        if key in self.seen or len(self.seen) >= TEXT_POSITIONS or self.seconds > TEXT_SECONDS:
            return
        self.seen.add(key)
        with contextlib.suppress(BrokenOffError):
            self._look_at_actions(buffer, list(dict.fromkeys(actions)))
        with contextlib.suppress(BrokenOffError):
            self._look_at_state(buffer)
        with contextlib.suppress(BrokenOffError):
            self._look_at_drawing(buffer)
        self.seconds += time.perf_counter() - began

    def _look_at_actions(self, buffer: Any, actions: list[int]) -> None:
        texts: dict[str, int] = {}
        twice: set[str] = set()  # noted already, so not read back
        for action in actions:
            drawn = self.game.draws and action >= DRAWN
            text = self._method("action_to_text", buffer, self.asker.row(buffer, action) if drawn else action)
            if not isinstance(text, str):
                self.notes.fail("not-a-text", "action_to_text", buffer, action, value=text)
            if drawn:  # what is read back is the number behind the text
                continue
            if texts.setdefault(text, action) != action:
                twice.add(text)
                facts = {"text": text, "other": texts[text], "value": action}
                self.notes.note("action-text-twice", "action_to_text", buffer, action, **facts)
        if (COMPILED and not self.asker.compiled) or any(rule in PLAYING for _, rule, _ in self.notes.findings):
            return  # reading a text calls these compiled rules
        readable = [(text, action) for text, action in texts.items() if text not in twice]
        for text, action in readable[:TEXT_ACTIONS]:
            try:
                again = self._method("action_from_text", buffer, text)
                how = f"reads '{text}' as {again!r}" if again != action else ""
            except PlayoutError as error:
                how = f"refuses '{text}' ({shorten(str(error), 160)})"
            if how:
                self.notes.note("action-text", "action_from_text", buffer, action, how=how, value=action)

    def _look_at_state(self, buffer: Any) -> None:
        text, level = self._method("state_to_text", buffer), "error"
        if not isinstance(text, str):
            self.notes.fail("not-a-text", "state_to_text", buffer, value=text)
        try:
            again = self._method("state_from_text", buffer, text)
        except PlayoutError as error:
            how = f"refuses '{shorten(text)}' ({shorten(str(error), 160)})"
        else:
            if again == buffer.tobytes():
                return
            how = f"reads another state ({differences(self.game, buffer.tobytes(), again)}) from '{shorten(text)}'"
            if self._outlook(buffer) == self._outlook(
                as_buffer(again)
            ):  # such as a history, which the text may leave out
                if self.game.text_is_lossy:
                    return
                level = "warning"
        self.notes.note("state-text", "state_from_text", buffer, level=level, how=how)

    def _outlook(self, buffer: Any) -> Any:
        """What a state looks like from outside: its text, who moves, and the actions."""
        rules, call = self.asker.plain, self.asker.call
        with contextlib.suppress(Exception, NeverReturnedError):
            player = call(rules, "current_player", buffer).value
            rule = "chance_outcomes" if player == CHANCE else "legal_actions"
            actions = () if player == TERMINAL else call(rules, rule, buffer).written
            return self.game.state_to_text(self.game.rules.view(buffer.copy())), player, actions
        return buffer.tobytes()

    def _look_at_drawing(self, buffer: Any) -> None:
        drawing, how = self._method("draw", buffer), "no string, expected SVG"
        if isinstance(drawing, str):
            try:
                tag = ElementTree.fromstring(drawing).tag.rpartition("}")[2]
                how = "" if tag == "svg" else f"a <{tag}>, expected <svg …>"
            except ElementTree.ParseError as error:
                how = f"SVG that can't be read: {error}"
        if how:
            self.notes.note("bad-drawing", "draw", buffer, how=how)
        if not isinstance(shown := self._method("show", buffer), str):
            self.notes.fail("not-a-text", "show", buffer, value=shown)

    def _method(self, rule: str, buffer: Any, *given: Any) -> Any:
        """Call a method of the game on a copy of the state; `state_from_text` gives the bytes of the state it reads."""
        if rule in self.asker.hanging:
            raise BrokenOffError
        copy, call = buffer.copy(), self.notes.watchdog.call
        try:
            if rule == "state_from_text":
                return call(self.game.position, *given).buffer.tobytes()
            return call(getattr(self.game, rule), self.game.rules.view(copy), *given)
        except PlayoutError:
            raise
        except (Exception, NeverReturnedError) as error:  # noqa: BLE001  # a user's method may raise anything
            if isinstance(error, NeverReturnedError):
                self.asker.hanging.add(rule)
            self.notes.raised(rule, error, buffer, given[0] if rule == "action_to_text" else None)
        finally:
            self.asker.look_for_changes(rule, buffer, copy.tobytes())
