"""The doctor for games made of Python objects: plays at random and checks what every method does.

An object must not change when a method is called, and must give the same answer again. So everything that it holds is
compared before and after each call, and each action is played twice.
"""

import contextlib
import copy
import random
import time
from collections.abc import Iterator
from itertools import islice
from typing import Any

from playout.common.raised import described
from playout.core.rules import CHANCE, TERMINAL
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.errors import GameError, PlayoutError
from playout.game import Game
from playout.game.wrap import wrap
from playout.game.wrap.checks import own_text

from .answers import ObjectAnswers, has_equality
from .findings import GameCounts, Report
from .mistakes import MISTAKES
from .notes import BrokenOffError, Moves, Notes, Returns
from .object_mistakes import OBJECT_MISTAKES
from .picture import Picture
from .speed import measure_speed

PICTURE_SECONDS = 5.0  # after this time no more pictures are taken, and only answers are checked
UNFINISHED_GAMES = 3  # stop after this many games without an end
KEPT = 1000  # objects of a game, and equal ones, that are kept for messages: they may be large
ENDS = {repr(None), repr(TERMINAL)}
KINDS = (("current_player", "legal_actions", "play"), ("find_children", "find_random_child", "is_terminal", "reward"))


def looks_like_a_game(obj: Any) -> bool:
    """Whether an object has the methods that `po.wrap` needs."""
    return not isinstance(obj, type) and any(all(callable(getattr(obj, n, None)) for n in kind) for kind in KINDS)


def wrapped(obj: Any) -> Game:
    """The game of an object; a `GameError` if its methods raise at once."""
    try:
        return wrap(obj)
    except PlayoutError:
        raise
    except Exception as error:
        raise GameError(f"wrap({type(obj).__name__}) raised {described(error)} at the first position") from error


class ObjectDoctor:
    """Checks one game of objects."""

    def __init__(self, game: Game, seed: int, max_length: int, watchdog: Watchdog) -> None:
        self.game, self.max_length, self.rng = game, max_length, random.Random(seed)
        self.start: Any = game.object  # type: ignore[attr-defined]
        self.plays = callable(getattr(self.start, "play", None)) and callable(
            getattr(self.start, "current_player", None)
        )
        self.step = "play" if self.plays else "find_children"
        self.rewarded = self.plays and callable(getattr(self.start, "rewards", None))
        self.notes = Notes(game, watchdog, MISTAKES | OBJECT_MISTAKES)
        self.notes.text, self.notes.action_text = self._text, self._action_text
        self.returns, self.answers = Returns(self.notes), ObjectAnswers(game, self.notes)
        self.seed, self.picture_seconds = seed, 0.0
        self.equals: dict[Any, tuple[Any, Any]] = {}
        self.hanging: set[str] = set()
        self.counts = GameCounts()

    def examine(self, games: int) -> Report:
        """Play the games and report."""
        before = random.getstate()
        random.seed(self.seed)
        try:
            for _ in range(games):
                if self.counts.unfinished >= UNFINISHED_GAMES or self.hanging:
                    break
                self.counts.games += 1
                with contextlib.suppress(BrokenOffError):
                    self._play()
        finally:
            random.setstate(before)
        if len(self.counts.lengths) >= 10 and not any(any(returns) for returns in self.returns.results):
            rule = "rewards" if self.rewarded else "returns" if self.plays else "reward"
            self.notes.note("no-rewards", rule, level="warning", value=len(self.counts.lengths))
        speed = measure_speed(self.notes, self.seed)
        return self.returns.report(self.counts, None, speed)

    def _fresh(self) -> Any:
        """A copy of the first object, since one that changes itself would spoil the next game."""
        with contextlib.suppress(Exception):  # some objects can't be copied
            return copy.deepcopy(self.start)
        return self.start

    # One game.

    def _play(self) -> None:
        path, obj, mover = Moves(), self._fresh(), None
        while True:
            self.counts.positions += 1
            self._look_at_equals(obj, mover)
            player, actions, weights = self._position(obj, mover)
            self._look_at_texts(obj, actions)
            if player == TERMINAL:
                break
            if player != CHANCE:
                self.counts.branching.append(len(actions))
                self._look_at_options(obj, actions)
            action = self.rng.choices(range(len(actions)), weights)[0]
            child = self._child(obj, actions[action])
            rewards = self._rewards(child, player)
            path.append((obj, actions[action], rewards))
            if len(path) > KEPT:
                path[-1 - KEPT] = (None, *path[-1 - KEPT][1:])
            obj, mover = child, player
            if len(path) >= self.max_length:
                self.counts.unfinished += 1
                self.notes.note(
                    "never-ends", "current_player" if self.plays else "is_terminal", obj, most=self.max_length
                )
                return
        self.counts.lengths.append(len(path))
        self.returns.add(path, "rewards" if self.rewarded else "returns" if self.plays else "reward")

    def _position(self, obj: Any, mover: int | None) -> tuple[int, list[Any], list[float] | None]:
        """Who moves, what can be played, and the probabilities if chance moves."""
        if not self.plays:
            if self.answers.ended(obj, self._ask(obj, "is_terminal")):
                return TERMINAL, [], None
            children = self.answers.listed(obj, "find_children", self._ask(obj, "find_children"))
            player = 0 if mover is None or self.game.players == 1 else 1 - mover
            return player, children, None
        player = self.answers.player(obj, self._ask(obj, "current_player"))
        if player == CHANCE:
            return player, *self.answers.outcomes(obj, self._ask(obj, "chance_outcomes"))
        if player == TERMINAL:
            return player, [], None
        return player, self.answers.listed(obj, "legal_actions", self._ask(obj, "legal_actions")), None

    def _look_at_texts(self, obj: Any, actions: list[Any]) -> None:
        """Check the text of an object, and those that `describe` gives its actions."""
        describe = getattr(self.game, "_describe", None)
        rules: list[tuple[str, Any, list[Any]]] = [("__str__", str, [obj])]
        if describe is not None:
            rules.append(("describe", describe, actions))
        for rule, write, values in rules:
            with contextlib.suppress(BrokenOffError):
                for value in values:
                    try:
                        text = self.notes.watchdog.call(write, value)
                    except (Exception, NeverReturnedError) as error:  # noqa: BLE001  # a user's function may raise anything
                        self.notes.raised(rule, error, obj)
                    if not isinstance(text, str):
                        self.notes.fail("not-a-text", rule, obj, value=text)

    def _look_at_options(self, obj: Any, actions: list[Any]) -> None:
        """Check the optional methods."""
        for rule in ("evaluate", "priors"):
            if callable(getattr(obj, rule, None)) and self.game.has(rule):
                with contextlib.suppress(BrokenOffError):
                    if rule == "evaluate":
                        values = self.answers.numbers(obj, rule, self._ask(obj, rule))
                        self.returns.look_at_value(rule, obj, values)
                    else:
                        self.answers.priors(obj, self._ask(obj, rule), actions)
        if not self.plays:
            with contextlib.suppress(BrokenOffError):
                self.answers.random_child(obj, self._ask(obj, "find_random_child"), actions)

    def _rewards(self, child: Any, mover: int) -> tuple[float, ...]:
        """The rewards of the step to `child`: from `rewards()`, or at the end from `returns()` or `reward()`."""
        nothing = (0.0,) * self.game.players
        if self.rewarded:
            return self.answers.numbers(child, "rewards", self._ask(child, "rewards"))
        if self.plays:
            if self.answers.player(child, self._ask(child, "current_player")) != TERMINAL:
                return nothing
            return self.answers.numbers(child, "returns", self._ask(child, "returns"))
        if not self.answers.ended(child, self._ask(child, "is_terminal")):
            return nothing
        reward = self.answers.numbers(child, "reward", self._ask(child, "reward"), one=True)[0]
        if self.game.players == 1:
            return (reward,)
        return (1.0 - reward, reward) if mover == 0 else (reward, 1.0 - reward)

    # What a call must not do.

    def _pictures_left(self) -> bool:
        return self.picture_seconds < PICTURE_SECONDS

    def _picture(self, obj: Any, without: Any = None) -> Picture:
        began = time.perf_counter()
        try:
            return Picture(obj, without)
        finally:
            self.picture_seconds += time.perf_counter() - began

    def _ask(self, obj: Any, method: str, *given: Any, pure: bool = True) -> Any:
        """Call a method of an object; exceptions and changes are noted."""
        action = given[0] if given else None
        before = self._picture(obj) if pure and self._pictures_left() else None
        text = "" if before is None else self.notes.position_text(obj)
        try:
            found = self.notes.watchdog.call(self._answer, obj, method, *given)
        except (Exception, NeverReturnedError) as error:  # noqa: BLE001  # a user's method may raise anything
            if isinstance(error, NeverReturnedError):
                self.hanging.add(method)
            self.notes.raised(method, error, obj, action, "action-refused" if method == "play" else "raises")
        if before is not None and (changed := before.change(self._picture(obj))):
            self.notes.fail("changes-object", method, obj, action, position=text, contrast=changed[1])
        return found

    def _answer(self, obj: Any, method: str, *given: Any) -> Any:
        """What a method returns; a generator is run here, under the watchdog."""
        answer = getattr(obj, method)(*given)
        return list(islice(answer, self.game.max_actions + 1)) if isinstance(answer, Iterator | range) else answer

    def _child(self, obj: Any, action: Any) -> Any:
        """The object after an action, which is played twice: both must be equal, and `obj` must not change."""
        if not self.plays:
            self._look_at_child(obj, action, action)
            if self._pictures_left():
                self._look_at_children(obj)
            return action
        if not self._pictures_left():
            child = self._ask(obj, "play", action)
            self._look_at_child(obj, action, child)
            return child
        said = self._answers_of(obj)  # before the picture, since an answer may be cached in the object
        before, text, random_before = self._picture(obj), self.notes.position_text(obj), random.getstate()
        child = self._ask(obj, "play", action, pure=False)
        self._look_at_child(obj, action, child)
        after = self._picture(obj)
        if changed := before.change(after):
            facts: dict[str, Any] = {"position": text, "contrast": changed[1]}
            if shared := before.shared(self._picture(child), changed[0]):
                self.notes.fail("shared-container", "play", obj, action, name=shared[0], kind_=shared[1], **facts)
            self.notes.fail("changes-object", "play", obj, action, **facts)
        if contrast := before.class_change(after):
            level = "warning" if said == self._answers_of(obj) else "error"
            self.notes.note("class-state", "play", obj, action, level=level, position=text, contrast=contrast)
            if level == "error":
                raise BrokenOffError
        answered = self._answers_of(child)
        again = self._ask(obj, "play", action, pure=False)
        self._look_at_new_attributes(obj, action, text, before, after, said)
        if not self._alike(child, again, answered, obj):
            random.setstate(random_before)
            first = self._ask(obj, "play", action, pure=False)
            random.setstate(random_before)
            seeded = self._alike(first, self._ask(obj, "play", action, pure=False), self._answers_of(first), obj)
            self._note_randomness("play", obj, action, child, again, seeded)
        self._look_at_hash(obj, action, child, again)
        return child

    def _look_at_new_attributes(
        self, obj: Any, action: Any, text: str, before: Picture, after: Picture, said: tuple[Any, ...]
    ) -> None:
        """Check what appeared in an object while an action was played from it twice.

        If it stayed the same the second time and no answer changed, it may be a cache, and the finding is a warning.
        """
        changed = after.change(self._picture(obj))
        contrast = before.appeared(after, obj) or (changed[1] if changed else "")
        if not contrast:
            return
        level = "error" if changed or said != self._answers_of(obj) else "warning"
        self.notes.note("changes-object", "play", obj, action, level=level, position=text, contrast=contrast)
        if level == "error":
            raise BrokenOffError

    def _look_at_child(self, obj: Any, action: Any, child: Any) -> None:
        wanted = KINDS[0] if self.plays else KINDS[1]
        missing = [name for name in wanted if not callable(getattr(child, name, None))]
        if child is obj:
            self.notes.fail("returns-itself", self.step, obj, action if self.plays else None)
        if missing:
            facts = {"value": "None" if child is None else f"a {type(child).__name__}", "missing": f"{missing[0]}()"}
            self.notes.fail("no-object", self.step, obj, action if self.plays else None, **facts)

    def _look_at_children(self, obj: Any) -> None:
        """Check that `find_children` gives the same children again, in any order."""
        one, two = (
            sorted(repr(self._picture(child, obj).parts) for child in self._ask(obj, "find_children")) for _ in range(2)
        )
        if one != two:
            how = "gives other children the second time"
            self.notes.note("hidden-randomness", "find_children", obj, how=how)

    def _answers_of(self, obj: Any) -> tuple[Any, ...]:
        """What the methods of an object return."""
        found: list[Any] = []
        for name in ("current_player", "legal_actions", "is_terminal"):
            with contextlib.suppress(Exception, NeverReturnedError):
                answer = self.notes.watchdog.call(self._answer, obj, name)
                found.append((name, repr(list(answer) if name == "legal_actions" else answer)))
        with contextlib.suppress(Exception):
            found.append(("text", own_text(obj)))
        return tuple(found)

    def _alike(self, one: Any, two: Any, answered: tuple[Any, ...], parent: Any) -> bool:
        if has_equality(one):
            with contextlib.suppress(Exception):
                if one == two:
                    return True
        return answered == self._answers_of(two) and not self._picture(one, parent).contrast(self._picture(two, parent))

    def _note_randomness(self, method: str, obj: Any, action: Any, one: Any, two: Any, seeded: bool) -> None:
        contrast = self._picture(one, obj).contrast(self._picture(two, obj)) or "not equal"
        source = "by `random`" if seeded else "not by `random`, which a search can seed"
        how = f"leads to another object the second time ({contrast}; {source})"
        harmless = seeded or self._answers_of(one) == self._answers_of(two)  # a search sees no difference
        self.notes.note("hidden-randomness", method, obj, action, level="warning" if harmless else "error", how=how)

    # Equality, which a search with transpositions uses.

    def _look_at_hash(self, obj: Any, action: Any, one: Any, two: Any) -> None:
        if not has_equality(one) or type(one).__hash__ is None:
            return
        with contextlib.suppress(Exception):
            if one == two and hash(one) != hash(two):
                self.notes.note("hash-differs", "__hash__", obj, action)

    def _look_at_equals(self, obj: Any, mover: int | None) -> None:
        if not has_equality(obj) or type(obj).__hash__ is None:
            return
        with contextlib.suppress(Exception):
            what = self._answers_of(obj)[:2]
            key = (mover if not self.plays else None, obj)
            if len(self.equals) < KEPT:
                self.equals.setdefault(key, (obj, what))
            other, seen = self.equals.get(key, (obj, what))
            if seen[:1] == what[:1] and seen != what:  # the same player, but other actions
                self.notes.note("equal-differs", "__eq__", obj, other=self.notes.position_text(other))
            elif self.plays and seen[:1] != what[:1] and ENDS.isdisjoint((seen[0][1], what[0][1])):
                facts = {"other": self.notes.position_text(other), "value": seen[0][1]}
                self.notes.note("equal-turns", "__eq__", obj, level="warning", **facts)

    # Positions and actions in messages.

    def _text(self, obj: Any) -> str:
        return own_text(obj) or f"a {type(obj).__name__}"

    def _action_text(self, obj: Any, action: Any) -> str:
        describe = getattr(self.game, "_describe", None)
        return str(describe(action)) if describe else str(action)
