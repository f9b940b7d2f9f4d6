"""`check_game`: play a game at random, uncompiled and compiled, and say what is wrong with its rules.

Every rule is asked twice on copies of the same state, with its buffers filled differently, and once compiled; what a
rule may not do (change the state, leave a place unwritten, answer differently) shows in the comparison.
"""

import contextlib
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from types import CodeType, FunctionType, ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np

from .core.jit import COMPILED
from .core.rules import CHANCE, TERMINAL, RuleCompileError
from .core.tree import PLAYOUT_ACTIONS
from .errors import GameError, PlayoutError, SettingsError
from .faults import described, rule_origin
from .findings import MISTAKES, Finding, Report, numbers
from .game import REQUIRED, Game
from .settings import preset_for

__all__ = ["Finding", "Report", "check_game"]

PLAIN_POSITIONS = 1000  # so many positions are looked at uncompiled, …
PLAIN_SECONDS = 4.0  # … or fewer, when the rules are slow as plain Python
TEXT_POSITIONS = 150  # so many have their texts and drawing looked at, …
TEXT_SECONDS = 2.0  # … or fewer
TEXT_ACTIONS = 40  # of a position are written and read again
UNFINISHED_GAMES = 3  # after so many games without an end, no more are played
SPEED_SECONDS = 0.2
ROOM = 4096  # past max_actions: a rule that writes too much is caught, not obeyed
CLOSE = 1e-6
PLAYING = ("current_player", "legal_actions", "chance_outcomes")


def check_game(game: Game, games: int = 100, seed: int = 0, max_length: int = 10_000) -> Report:
    """Play `games` random games of up to `max_length` actions and report what is wrong with the rules.

    Errors that the rules raise become findings. A class that can't be a game at all is a `GameError`, as ever.

    >>> import playout as po
    >>> check_game(po.games.load("tictactoe"), games=5).ok
    True
    """
    if not isinstance(game, Game):
        hint = f"{game.__name__}()" if isinstance(game, type) else "a Game"
        raise GameError(f"check_game got {game!r}, expected {hint}")
    if game.keeps_objects:
        raise GameError(f"check_game got {game!r}, a wrapped object; expected a Game with rules of its own to look at")
    preset_for(game)
    for name, value in (("games", games), ("max_length", max_length)):
        if not isinstance(value, int) or value < 1:
            raise SettingsError(f"{name} is {value!r}, expected a whole number of at least 1")
    doctor = _Doctor(game, seed, max_length)
    with np.errstate(all="ignore"):  # compiled numbers wrap and divide silently; so must these
        doctor.examine(games)
        return doctor.report()


class _BrokenOffError(Exception):
    """This game can't be played on; why is noted."""


@dataclass
class _Answer:
    """What a rule did: what it returned, what it wrote, and the state afterwards."""

    value: Any
    written: tuple[tuple[Any, ...], ...]
    after: bytes


_Moves = list[tuple[Any, int, tuple[float, ...]]]  # of a game: each state, the action played there, and its rewards


class _Doctor:
    def __init__(self, game: Game, seed: int, max_length: int) -> None:
        self.game, self.max_length, self.rng = game, max_length, random.Random(seed)
        self.plain: dict[str, Callable[..., Any]] = game.rules.functions
        self.compiled: dict[str, Callable[..., Any]] = {}
        self.room = game.max_actions + max(ROOM, game.max_actions)
        self.findings: dict[tuple[str, str, str], Finding] = {}
        self.unsafe: set[str] = set()  # rules that failed uncompiled: compiled, they might write anywhere
        self.random_rules: set[str] = set()
        self.hashes: dict[int, tuple[bytes, Any]] = {}
        self.sums: set[float] = set()
        self.texts: set[bytes] = set()
        self.games = self.positions = self.plain_positions = self.unfinished = 0
        self.plain_seconds = self.text_seconds = 0.0
        self.lengths: list[int] = []
        self.branching: list[int] = []
        self.results: Counter[tuple[float, ...]] = Counter()
        self.speed: float | None = None

    # The whole.

    def examine(self, games: int) -> None:
        self._compile()
        for rule, function in self.plain.items():
            if found := _random_source(function, set()):
                self.random_rules.add(rule)
                self._note("hidden-randomness", rule, how=f"uses {found}")
        for _ in range(games):
            if self.unfinished >= UNFINISHED_GAMES or (self.unsafe and not self._plain_left()):
                break
            self.games += 1
            with contextlib.suppress(_BrokenOffError):
                self._play()
        if len(self.lengths) >= 10 and not any(any(returns) for returns in self.results):
            self._note("no-rewards", "apply", level="warning", value=len(self.lengths))
        if self.compiled and all(finding.level != "error" for finding in self.findings.values()):
            self.speed = self._measure_speed()

    def report(self) -> Report:
        instead = f"{next(iter(self.sums)):g}" if len(self.sums) == 1 else "None"
        findings = [replace(f, fix=f.fix.replace("{instead}", instead)) for f in self.findings.values()]
        return Report(
            game=self.game.title,
            findings=tuple(sorted(findings, key=lambda finding: finding.level)),
            games=self.games,
            positions=self.positions,
            positions_uncompiled=self.plain_positions,
            length=_spread(self.lengths),
            branching=_spread(self.branching),
            max_actions=self.game.max_actions,
            players=self.game.players,
            results=tuple(sorted(self.results.items(), key=lambda item: (-item[1], item[0]))),
            playouts_per_second=self.speed,
        )

    def _compile(self) -> None:
        if not COMPILED:
            return
        for rule in self.plain:
            try:
                self.compiled[rule] = self.game.rules._dispatcher(rule)
            except RuleCompileError as error:
                self._note("not-compiled", rule, place=f"{error.file}:{error.line}", reason=error.reason)
        if any(rule in self.plain and rule not in self.compiled for rule in (*REQUIRED, "chance_outcomes")):
            self.compiled = {}

    def _measure_speed(self) -> float | None:
        """Compiled playouts a second near the start, in one thread: a simulation of very many playouts."""
        from .search import Search
        from .settings import Rollouts, Settings

        count, spent, speed = 1, 0.0, None
        with contextlib.suppress(PlayoutError):
            position = self.game.position()
            while position.player == CHANCE:
                position = position.play(position.actions()[0])
            while not position.is_terminal and spent < SPEED_SECONDS:  # the first round may compile
                search = Search(self.game, Settings(evaluator=Rollouts(n=count), solver=False), position=position)
                began = time.perf_counter()
                search.run(simulations=1)
                now = time.perf_counter() - began
                if not search.tree.counters[PLAYOUT_ACTIONS]:
                    break  # the first action ends the game
                spent, speed = (now, count / now) if count > 1 else (0.0, None)
                count *= 8
        return speed

    # One game.

    def _play(self) -> None:
        buffer, path = self._start(), _Moves()
        while True:
            plain, began = self._plain_left(), time.perf_counter()
            self.positions += 1
            self.plain_positions += plain
            actions, moved = self._move(buffer, plain)
            self.plain_seconds += time.perf_counter() - began if plain else 0.0
            self._look_at_texts(buffer, actions)
            if moved is None:
                break
            path.append((buffer, *moved[:2]))
            buffer = moved[2]
            if len(path) >= self.max_length:
                self.unfinished += 1
                self._note("never-ends", "current_player", buffer, most=self.max_length)
                return
        self.lengths.append(len(path))
        self._add_up(path)

    def _plain_left(self) -> bool:
        few = self.plain_positions < PLAIN_POSITIONS and self.plain_seconds < PLAIN_SECONDS
        return few or not self.compiled

    def _start(self) -> Any:
        buffer = np.zeros(self.game.dtype.itemsize, np.uint8)
        state = self.game.rules.view(buffer)
        for key, value in self.game.values.items():
            state[key] = value
        return _buffer(self._ask("initial_state", buffer, self._plain_left()).after)

    def _move(self, buffer: Any, plain: bool) -> tuple[list[int], tuple[int, tuple[float, ...], Any] | None]:
        """Look at a position and play: the actions and, unless it is over, (action, rewards, next state)."""
        player, weights = self._player(buffer, plain), None
        if player == TERMINAL:
            if plain:
                self._look_at_end(buffer)
            return [], None
        if player == CHANCE:
            actions, weights = self._outcomes(buffer, plain)
        else:
            actions = self._counted("legal_actions", self._ask("legal_actions", buffer, plain), buffer)
            self.branching.append(len(actions))
        for rule, look in (
            ("priors", self._look_at_priors),
            ("playout_action", self._look_at_playout_action),
            ("chance_action", self._look_at_chance_action),
            ("evaluate", self._look_at_value),
            ("hash", self._look_at_hash),
            ("observe", self._look_at_observation),
        ):
            asked = rule in ("evaluate", "hash") or (player == CHANCE) == (rule == "chance_action")
            if rule in self.plain and asked:
                with contextlib.suppress(_BrokenOffError):  # the game can be played without it
                    look(buffer, player, actions, plain)
        action = self.rng.choices(actions, weights)[0]
        return actions, (action, *self._apply(buffer, action, plain))

    # The rules, one by one.

    def _player(self, buffer: Any, plain: bool) -> int:
        rule = "current_player"
        value, last = self._ask(rule, buffer, plain).value, self.game.players - 1
        if not (_whole(value) and (0 <= value <= last or value in (CHANCE, TERMINAL))):
            self._fail("no-such-player", rule, buffer, value=value, last=last)
        if value == CHANCE and "chance_outcomes" not in self.plain:
            self._fail("no-chance-outcomes", rule, buffer)
        return int(value)

    def _outcomes(self, buffer: Any, plain: bool) -> tuple[list[int], list[float]]:
        rule = "chance_outcomes"
        answer = self._ask(rule, buffer, plain)
        outcomes, weights = self._counted(rule, answer, buffer), list(answer.written[1])
        for outcome, weight in zip(outcomes, weights, strict=True):
            if not 0 <= weight < math.inf:
                self._fail("bad-probability", rule, buffer, outcome, value=outcome, weight=weight)
        total = math.fsum(weights)
        if abs(total - 1) > CLOSE:
            self._note("chance-sum", rule, buffer, total=total, values=numbers(weights))
        return outcomes, weights if total > 0 else [1.0] * len(outcomes)

    def _counted(self, rule: str, answer: _Answer, buffer: Any) -> list[int]:
        """The actions that a rule listed, if their number and they themselves can be right."""
        count = answer.value
        if not _whole(count) or count < 0:
            self._fail("bad-count", rule, buffer, value=count)
        if count == 0:
            self._fail("no-actions", rule, buffer)
        if count > self.game.max_actions:
            self.unsafe.add(rule)
            self._fail("too-many-actions", rule, buffer, value=count, most=self.game.max_actions)
        actions = [int(action) for action in answer.written[0]]
        for action in actions:
            if not -(2**31) < action < 2**31:
                self._fail("action-too-large", rule, buffer, value=action)
        for action, times in Counter(actions).items():
            if times > 1:
                self._note("action-twice", rule, buffer, action, values=numbers(actions))
                break
        return actions

    def _apply(self, buffer: Any, action: int, plain: bool) -> tuple[tuple[float, ...], Any]:
        answer = self._ask("apply", buffer, plain, action)
        rewards = answer.written[0]
        if not all(math.isfinite(reward) for reward in rewards):
            self._fail("bad-reward", "apply", buffer, action, values=numbers(rewards))
        if answer.after == buffer.tobytes() and not any(rewards):
            level = "error" if self.game.players > 1 else "warning"  # a lone walker may bump into a wall
            self._note("nothing-happens", "apply", buffer, action, level=level)
        return rewards, _buffer(answer.after)

    def _look_at_end(self, buffer: Any) -> None:
        """At the end legal_actions is never asked, and may list anything; but an end that can be left is none."""
        with contextlib.suppress(Exception):  # rules may raise where they need not answer
            listed = self._call(self.plain, "legal_actions", buffer)
            for action in listed.written[0][: self.game.max_actions]:
                after = _buffer(self._call(self.plain, "apply", buffer, int(action)).after)
                player = self._call(self.plain, "current_player", after).value
                if player != TERMINAL:
                    who = "chance" if player == CHANCE else f"player {player}"
                    self._note("end-goes-on", "current_player", buffer, int(action), value=who)
                    return

    def _look_at_priors(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        weights = self._ask("priors", buffer, plain, actions).written[0]
        for action, weight in zip(actions, weights, strict=True):
            if not 0 <= weight < math.inf:
                self._fail("bad-priors", "priors", buffer, action, value=weight, whom="an action")
        if not any(weights):
            self._note("bad-priors", "priors", buffer, value=0, whom="every action")

    def _look_at_playout_action(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self._ask("playout_action", buffer, plain, actions).value
        if not _whole(value) or value not in actions:
            self._note("bad-playout-action", "playout_action", buffer, value=value, values=numbers(actions))

    def _look_at_chance_action(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self._ask("chance_action", buffer, plain).value
        if not _whole(value) or value not in actions:
            self._note("bad-chance-action", "chance_action", buffer, value=value, values=numbers(actions))

    def _look_at_value(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        least, most = self.game.range or (-math.inf, math.inf)
        for value in self._ask("evaluate", buffer, plain).written[0]:
            if not (least - CLOSE <= value <= most + CLOSE and math.isfinite(value)):
                self._fail("bad-value", "evaluate", buffer, value=value, least=least, most=most)

    def _look_at_hash(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self._ask("hash", buffer, plain).value
        if not _whole(value):
            self._fail("bad-hash", "hash", buffer, value=value)
        what = (player, sorted(actions))
        other, seen = self.hashes.setdefault(int(value) % 2**64, (buffer.tobytes(), what))
        if seen != what:
            self._note("hash-collides", "hash", buffer, other=self._text(_buffer(other)))

    def _look_at_observation(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        for value in self._ask("observe", buffer, plain, player).written[0]:
            if not math.isfinite(value):
                self._fail("bad-observation", "observe", buffer, value=value)
        places: dict[int, int] = {}
        for action in actions:
            at: Any = action
            if "action_index" in self.plain:
                at = self._ask("action_index", buffer, plain, action).value
            if not _whole(at) or not 0 <= at < self.game.policy_size:
                self._fail("bad-index", "action_index", buffer, action, value=at, last=self.game.policy_size - 1)
            if places.setdefault(int(at), action) != action:
                other = self._action_name(buffer, places[int(at)])
                self._fail("index-twice", "action_index", buffer, action, value=at, other=other)

    def _add_up(self, path: _Moves) -> None:
        """The returns from each position on. Of those that are wrong, the last position is named: it says most."""
        returns = list(accumulate((np.asarray(rewards) for *_, rewards in reversed(path)), np.add))
        if not returns:
            return
        self.results[tuple(round(float(value), 9) + 0.0 for value in returns[-1])] += 1
        self.sums.update(round(float(values.sum()), 6) + 0.0 for values in returns)
        (least, most), expected = self.game.range or (-math.inf, math.inf), self.game.sums_to
        close = CLOSE * max(1.0, *(abs(float(value)) for value in returns[-1]))
        for (buffer, action, _), values in zip(reversed(path), returns, strict=True):
            total, shown = float(values.sum()), numbers(values.tolist())
            if expected is not None and abs(total - expected) > close:
                facts: dict[str, Any] = {"total": total, "expected": expected, "instead": "{instead}"}
                self._note("returns-sum", "apply", buffer, action, values=shown, **facts)
                break
            if values.min() < least - close or values.max() > most + close:
                self._note("value-range", "apply", buffer, action, values=shown, least=least, most=most)
                break

    # Texts and drawings: plain Python, methods of the game.

    def _look_at_texts(self, buffer: Any, actions: list[int]) -> None:
        key, began = buffer.tobytes(), time.perf_counter()
        if key in self.texts or len(self.texts) >= TEXT_POSITIONS or self.text_seconds > TEXT_SECONDS:
            return
        self.texts.add(key)
        with contextlib.suppress(_BrokenOffError):
            self._look_at_action_texts(buffer, list(dict.fromkeys(actions)))
        with contextlib.suppress(_BrokenOffError):
            self._look_at_state_text(buffer)
        with contextlib.suppress(_BrokenOffError):
            self._look_at_drawing(buffer)
        self.text_seconds += time.perf_counter() - began

    def _look_at_action_texts(self, buffer: Any, actions: list[int]) -> None:
        texts: dict[str, int] = {}
        for action in actions:
            text = self._method("action_to_text", buffer, action)
            if not isinstance(text, str):
                self._fail("not-a-text", "action_to_text", buffer, action, value=text)
            if texts.setdefault(text, action) != action:
                facts = {"text": text, "other": texts[text], "value": action}
                self._note("action-text-twice", "action_to_text", buffer, action, **facts)
        if (COMPILED and not self.compiled) or any(rule in PLAYING for _, rule, _ in self.findings):
            return  # reading a text asks the compiled rules what is legal, and their mistakes are noted already
        for text, action in list(texts.items())[:TEXT_ACTIONS]:
            try:
                again = self._method("action_from_text", buffer, text)
                how = f"reads '{text}' as {again!r}" if again != action else ""
            except PlayoutError as error:
                how = f"refuses '{text}' ({_shorten(str(error), 160)})"
            if how:
                self._note("action-text", "action_from_text", buffer, action, how=how, value=action)

    def _look_at_state_text(self, buffer: Any) -> None:
        text, level = self._method("state_to_text", buffer), "error"
        if not isinstance(text, str):
            self._fail("not-a-text", "state_to_text", buffer, value=text)
        try:
            again = self._method("state_from_text", buffer, text)
        except PlayoutError as error:
            how = f"refuses '{_shorten(text)}' ({_shorten(str(error), 160)})"
        else:
            if again == buffer.tobytes():
                return
            how = f"reads another state ({self._differences(buffer.tobytes(), again)}) from '{_shorten(text)}'"
            if self._outlook(buffer) == self._outlook(_buffer(again)):  # a history, say, that a text need not hold
                if self.game.text_is_lossy:
                    return
                level = "warning"
        self._note("state-text", "state_from_text", buffer, level=level, how=how)

    def _outlook(self, buffer: Any) -> Any:
        """What can be seen of a state from outside: its text, who moves, and the actions."""
        with contextlib.suppress(Exception):
            player = self._call(self.plain, "current_player", buffer).value
            rule = "chance_outcomes" if player == CHANCE else "legal_actions"
            actions = () if player == TERMINAL else self._call(self.plain, rule, buffer).written
            return self.game.state_to_text(self.game.rules.view(buffer.copy())), player, actions
        return buffer.tobytes()

    def _look_at_drawing(self, buffer: Any) -> None:
        drawing, how = self._method("draw", buffer), "no text, expected SVG"
        if isinstance(drawing, str):
            try:
                tag = ElementTree.fromstring(drawing).tag.rpartition("}")[2]
                how = "" if tag == "svg" else f"a <{tag}>, expected <svg …>"
            except ElementTree.ParseError as error:
                how = f"SVG that can't be read: {error}"
        if how:
            self._note("bad-drawing", "draw", buffer, how=how)
        if not isinstance(shown := self._method("show", buffer), str):
            self._fail("not-a-text", "show", buffer, value=shown)

    def _method(self, rule: str, buffer: Any, *given: Any) -> Any:
        """Call a method of the game on a copy of the state; for `state_from_text`, the bytes of the state it reads."""
        copy = buffer.copy()
        try:
            if rule == "state_from_text":
                return self.game.position(*given).buffer.tobytes()
            return getattr(self.game, rule)(self.game.rules.view(copy), *given)
        except PlayoutError:
            raise
        except Exception as error:  # noqa: BLE001  # a user's method may raise anything
            self._raised("raises", rule, error, buffer, given[0] if rule == "action_to_text" else None)
        finally:
            self._look_for_changes(rule, buffer, copy.tobytes())

    # Asking a rule.

    def _ask(self, rule: str, buffer: Any, plain: bool, *given: Any) -> _Answer:
        """Ask a rule twice, and compiled too if `plain` comes first; what must not be is noted."""
        action = given[0] if rule == "apply" else None
        functions = self.plain if plain or rule not in self.compiled else self.compiled
        answers: list[_Answer] = []
        for among, fill in ((functions, 0), (functions, 1), (self.compiled, 0)):
            if len(answers) == 2 and (among is functions or rule not in among or rule in self.random_rules):
                break
            try:
                answers.append(self._call(among, rule, buffer, *given, fill=fill))
            except Exception as error:  # noqa: BLE001  # a user's rule may raise anything
                self.unsafe.add(rule)
                self._raised("action-refused" if rule == "apply" else "raises", rule, error, buffer, action)
        if rule not in ("apply", "initial_state"):
            self._look_for_changes(rule, buffer, answers[0].after)
        if not _equal(*answers[:2]):
            self._differs(rule, buffer, action, *answers[:2])
        elif len(answers) == 3 and not _equal(answers[0], answers[2]) and self._is_sound(rule, answers[0]):
            contrast = self._contrast(answers[0], answers[2], "uncompiled", "compiled")
            self._note("compiled-differs", rule, buffer, action, contrast=contrast)
        return answers[0]

    def _call(self, functions: dict[str, Any], rule: str, buffer: Any, *given: Any, fill: int = 0) -> _Answer:
        """One call on a copy of the state; where buffers arrive with anything in them, `fill` chooses what."""
        state, players = buffer.copy(), self.game.players
        # Uncompiled, actions go into 64 bits, so that one that does not fit into 32 is seen.
        actions = np.full(self.room, -7 * fill, np.int64 if functions is self.plain else np.int32)
        weights, rewards = np.full(self.room, 0.25 * fill), np.zeros(players + ROOM)[:players]
        rng = np.full(1, self.positions, np.uint64)
        arguments: tuple[Any, ...] = ()
        written: tuple[Any, ...] = ()
        if rule == "legal_actions":
            arguments = written = (actions,)
        elif rule == "chance_outcomes":
            arguments = written = (actions, weights)
        elif rule == "apply":
            arguments, written = (*given, rewards), (rewards,)
        elif rule == "evaluate":
            arguments = written = (rewards,)
        elif rule == "chance_action":
            arguments = (rng,)
        elif rule == "action_index":
            arguments = given
        elif rule == "observe":
            planes = np.zeros(self.game.planes, np.float32)
            arguments, written = (*given, planes if functions is self.plain else planes.ravel()), (planes.ravel(),)
        elif rule in ("priors", "playout_action"):
            actions[: len(given[0])] = given[0]
            arguments = (actions, len(given[0]), weights if rule == "priors" else rng)
            written = (weights,) if rule == "priors" else ()
        value = functions[rule](self.game.rules.view(state), *arguments)
        if rule in ("apply", "evaluate", "priors", "observe", "initial_state"):
            value = None  # compiled, whatever they return is dropped
        elif _whole(value):
            value = int(value) % 2**64 if rule == "hash" else int(value)  # -1 and 2^64 - 1 are the same 64 bits
        elif value is not None and not isinstance(value, float):
            value = _shorten(repr(value), 40)
        used = len(given[0]) if rule == "priors" else players
        if rule in ("legal_actions", "chance_outcomes"):
            used = max(0, int(value)) if _whole(value) else 0
        elif rule == "observe":
            used = len(written[0])
        return _Answer(value, tuple(tuple(part[:used].tolist()) for part in written), state.tobytes())

    def _look_for_changes(self, rule: str, buffer: Any, after: bytes) -> None:
        if after != buffer.tobytes():
            self._note("changes-state", rule, buffer, contrast=self._differences(buffer.tobytes(), after))

    def _is_sound(self, rule: str, answer: _Answer) -> bool:
        """Whether an answer is worth a comparison; otherwise it gets a finding of its own."""
        if rule in ("legal_actions", "chance_outcomes"):
            few = _whole(answer.value) and answer.value <= self.game.max_actions
            return few and all(abs(action) < 2**31 for action in answer.written[0])
        return answer.value is None or _whole(answer.value)

    def _differs(self, rule: str, buffer: Any, action: int | None, first: _Answer, second: _Answer) -> None:
        """Asked twice, a rule answered differently: by chance, or where it left what was in the buffer."""
        pairs = [
            (name, a, b)
            for name, one, two in zip(
                ("out",) if rule == "priors" else ("actions", "probabilities"),
                first.written,
                second.written,
                strict=False,
            )
            for a, b in zip(one, two, strict=False)
            if not _same(a, b)
        ]
        left = [name for name, a, b in pairs if a == 0 and b == (-7 if name == "actions" else 0.25)]
        listing = rule in ("legal_actions", "chance_outcomes", "priors")
        if listing and left and len(left) == len(pairs) and first.value == second.value:
            self._note("not-written", rule, buffer, action, name=left[0])
        elif rule not in self.random_rules:
            self.random_rules.add(rule)
            how = f"answers differently when asked again ({self._contrast(first, second, 'first', 'then')})"
            self._note("hidden-randomness", rule, buffer, action, how=how)

    def _contrast(self, one: _Answer, two: _Answer, first: str, second: str) -> str:
        if not _same(one.value, two.value):
            return f"{first} {one.value}, {second} {two.value}"
        for a, b in zip(one.written, two.written, strict=True):
            if not all(_same(x, y) for x, y in zip(a, b, strict=False)):
                return f"{first} {numbers(a)}, {second} {numbers(b)}"
        return self._differences(one.after, two.after, first, second)

    def _differences(self, one: bytes, two: bytes, first: str = "before", second: str = "after") -> str:
        """The fields in which two states differ, with both values of the first."""
        a, b = self.game.rules.view(_buffer(one)), self.game.rules.view(_buffer(two))
        names = [name for name in self.game.dtype.names or () if a[name].tobytes() != b[name].tobytes()]
        if not names:
            return "in bytes that belong to no field"
        x, y = np.ravel(a[names[0]]), np.ravel(b[names[0]])
        at = next((i for i in range(x.size) if x[i] != y[i]), 0)
        place = names[0] + (f".flat[{at}]" if x.size > 1 else "")
        rest = f"; also {', '.join(names[1:])}" if len(names) > 1 else ""
        return f"{place}: {first} {x[at]}, {second} {y[at]}{rest}"

    # Noting.

    def _raised(self, code: str, rule: str, error: BaseException, buffer: Any, action: int | None) -> None:
        _, place = rule_origin(self.game, error)
        where = None if rule == "initial_state" else buffer
        self._fail(code, rule, where, action, kind=place, error=described(error), place=place)

    def _fail(self, *arguments: Any, **facts: Any) -> None:
        self._note(*arguments, **facts)
        raise _BrokenOffError from None

    def _note(
        self,
        code: str,
        rule: str,
        buffer: Any = None,
        action: int | None = None,
        *,
        level: str = "error",
        kind: str = "",
        **facts: Any,
    ) -> None:
        key = (code, rule, kind)
        if key in self.findings:
            self.findings[key] = replace(self.findings[key], count=self.findings[key].count + 1)
            return
        what, cause, fix = (text.format(**facts) for text in MISTAKES[code])
        position = "" if buffer is None else self._text(buffer)
        named = "" if action is None or buffer is None else self._action_name(buffer, action)
        self.findings[key] = Finding(code, rule, what, cause, fix, position, named, level)

    def _text(self, buffer: Any) -> str:
        """A position for a message, also where the game's own text fails."""
        for write in (self.game.state_to_text, lambda state: Game.state_to_text(self.game, state)):
            with contextlib.suppress(Exception):
                text = write(self.game.rules.view(buffer.copy()))
                if isinstance(text, str):
                    return _shorten(text) or "the start"
        return "?"

    def _action_name(self, buffer: Any, action: int) -> str:
        with contextlib.suppress(Exception):
            text = self.game.action_to_text(self.game.rules.view(buffer.copy()), action)
            if isinstance(text, str) and text != str(action):
                return f"{_shorten(text)} ({action})"
        return str(action)


def _random_source(function: Any, seen: set[int]) -> str:
    """The source of randomness that a function's code, or that of a helper it calls, refers to; "" if none."""
    function = getattr(function, "py_func", function)
    if not isinstance(function, FunctionType) or id(function) in seen:
        return ""
    seen.add(id(function))
    names = set(_names(function.__code__))
    values = [function.__globals__[name] for name in sorted(names) if name in function.__globals__]
    for value in (*values, *(cell.cell_contents for cell in function.__closure__ or ())):
        if isinstance(value, ModuleType):
            if value.__name__ in ("random", "numpy.random", "secrets"):
                return f"the module {value.__name__}"
            if value is np and "random" in names:
                return "np.random"
        elif isinstance(getattr(value, "__self__", value), random.Random | np.random.Generator | np.random.RandomState):
            return f"the random generator behind {getattr(value, '__name__', 'a global')}"
        elif found := _random_source(value, seen):
            return found
    return ""


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _buffer(data: bytes) -> Any:
    return np.frombuffer(data, np.uint8).copy()


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer | np.bool_)


def _same(a: Any, b: Any) -> bool:
    """Equal, or so near that only the order of compiled additions can tell them apart."""
    if isinstance(a, float | np.floating) and isinstance(b, float | np.floating):
        return bool((math.isnan(a) and math.isnan(b)) or a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12))
    return bool(a == b)


def _equal(one: _Answer, two: _Answer) -> bool:
    return (
        _same(one.value, two.value)
        and one.after == two.after
        and all(
            len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
            for a, b in zip(one.written, two.written, strict=True)
        )
    )


def _spread(values: list[int]) -> tuple[int, float, int]:
    return (min(values), sum(values) / len(values), max(values)) if values else (0, 0.0, 0)


def _shorten(text: str, most: int = 100) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
