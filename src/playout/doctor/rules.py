"""The doctor for games whose rules are functions of a record: plays at random and checks what every rule does."""

import contextlib
import math
import random
import time
from collections import Counter
from typing import Any

import numpy as np

from playout.core.draws import DRAWN
from playout.core.jit import COMPILED
from playout.core.rules import CHANCE, TERMINAL
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.errors import GameError
from playout.game import REQUIRED, Game
from playout.game.faults import room_for_features

from .ask import RuleAsker
from .compare import RuleAnswer, as_buffer, whole
from .findings import GameCounts, Report, numbers
from .mistakes import MISTAKES
from .notes import CLOSE, BrokenOffError, Moves, Notes, Returns
from .outside import random_source, written_globals
from .speed import measure_speed
from .texts import Texts

PLAIN_POSITIONS = 1000  # positions that are checked uncompiled, …
PLAIN_SECONDS = 4.0  # … or fewer, if the rules are slow as plain Python
DRAWS = 3  # actions that are drawn in a position
OBSERVED_POSITIONS = 1000  # positions whose observation is checked: large observations are slow
FIRST_GAMES, FIRST_SECONDS = 3, 1.0  # played uncompiled first, to see whether the rules are safe to run compiled
UNFINISHED_GAMES = 3  # stop after this many games without an end


class RulesDoctor:
    """Checks one game."""

    def __init__(self, game: Game, seed: int, max_length: int, watchdog: Watchdog) -> None:
        self.game, self.seed, self.max_length, self.rng = game, seed, max_length, random.Random(seed)
        self.notes = Notes(game, watchdog, MISTAKES)
        self.notes.text, self.notes.action_text = self._text, self._action_text
        self.asker, self.returns = RuleAsker(game, self.notes), Returns(self.notes)
        self.texts = Texts(game, self.notes, self.asker)
        self.rules = self.asker.plain
        self.hashes: dict[int, tuple[bytes, Any]] = {}
        self.counts, self.plain_positions, self.plain_seconds = GameCounts(), 0, 0.0
        self.looks_at_ends = True
        self.only_until = math.inf  # when the first uncompiled look ends

    def examine(self, games: int) -> Report:
        """Play the games and report."""
        if COMPILED and not self._is_dangerous():
            self.asker.compile()
            with contextlib.suppress(GameError):  # noted later, where the rule is called
                self.game.rules_table()  # outside the watchdog: compiling takes longer than a rule may
        self._look_outside()
        self._play_games(games)
        if len(self.counts.lengths) >= 10 and not any(any(returns) for returns in self.returns.results):
            self.notes.note("no-rewards", "apply", level="warning", value=len(self.counts.lengths))
        for rule in self.rules:
            self.asker.blame_globals(rule)  # a method of the game may have changed them
        speed = measure_speed(self.notes, self.seed) if self.asker.compiled else None
        return self.returns.report(self.counts, self.plain_positions, speed)

    def _look_outside(self) -> None:
        """Check what the code of the rules refers to, besides the state."""
        for rule, function in self.game.rules.functions.items():
            if found := random_source(function):
                self.asker.random_rules.add(rule)
                self.notes.note("hidden-randomness", rule, how=f"uses {found}")
            if not self.asker.blame_globals(rule):
                for name, how in written_globals(function):
                    self.notes.note("frozen-global", rule, level="warning", kind=name, name=name, how=how)

    def _is_dangerous(self) -> bool:
        """Whether rules write outside of their buffers or never return; such rules are not run compiled."""
        first = RulesDoctor(self.game, self.seed, self.max_length, self.notes.watchdog)
        first.only_until = time.perf_counter() + FIRST_SECONDS
        first._play_games(FIRST_GAMES)
        return bool(first.asker.dangerous or first.asker.hanging)

    # One game.

    def _play_games(self, games: int) -> None:
        needed = (*REQUIRED, "chance_outcomes")
        while self.counts.games < games and self.counts.unfinished < UNFINISHED_GAMES:
            if any(rule in self.asker.hanging for rule in needed) or (self.asker.unsafe and not self._plain_few()):
                break
            self.counts.games += 1
            with contextlib.suppress(BrokenOffError):
                self._play()

    def _play(self) -> None:
        path = Moves()
        buffer = self._start()
        while True:
            plain, began = self._plain_left(), time.perf_counter()
            self.counts.positions += 1
            self.plain_positions += plain
            actions, moved = self._move(buffer, plain)
            self.plain_seconds += time.perf_counter() - began if plain else 0.0
            if self.only_until == math.inf:
                self.texts.look(buffer, actions)
            elif time.perf_counter() > self.only_until:
                return
            if moved is None:
                break
            path.append((buffer, *moved[:2]))
            buffer = moved[2]
            if len(path) >= self.max_length:
                self.counts.unfinished += 1
                self.notes.note("never-ends", "current_player", buffer, most=self.max_length)
                return
        self.counts.lengths.append(len(path))
        self.returns.add(path, "apply")

    def _plain_few(self) -> bool:
        return self.plain_positions < PLAIN_POSITIONS and self.plain_seconds < PLAIN_SECONDS

    def _plain_left(self) -> bool:
        return self._plain_few() or not self.asker.compiled

    def _start(self) -> Any:
        buffer = np.zeros(self.game.dtype.itemsize, np.uint8)
        state = self.game.rules.view(buffer)
        self.game.fill_settings(state)
        return as_buffer(self.asker.ask("initial_state", buffer, self._plain_left()).after)

    def _move(self, buffer: Any, plain: bool) -> tuple[list[int], tuple[int, tuple[float, ...], Any] | None]:
        """Check a position and play: the actions and, unless the game is over, (action, rewards, next state)."""
        player, weights = self._player(buffer, plain), None
        if player == TERMINAL:
            if plain and self.looks_at_ends:
                self._look_at_end(buffer)
            return [], None
        if self.game.draws and (player != CHANCE or "chance_outcomes" not in self.rules):
            actions = self._drawn(buffer, player, plain)
        elif player == CHANCE:
            actions, weights = self._outcomes(buffer, plain)
        else:
            actions = self._counted("legal_actions", self.asker.ask("legal_actions", buffer, plain), buffer)
            self.counts.branching.append(len(actions))
        for rule, look in (
            ("priors", self._look_at_priors),
            ("playout_action", self._look_at_playout_action),
            ("chance_action", self._look_at_chance_action),
            ("evaluate", self._look_at_value),
            ("hash", self._look_at_hash),
            ("observe", self._look_at_observation),
            ("features", self._look_at_features),
            ("action_code", self._look_at_codes),
        ):
            asked = rule in ("evaluate", "hash", "features") or (player == CHANCE) == (rule == "chance_action")
            there = rule in self.rules or (rule == "action_code" and self.game.action_codes)
            if there and asked and rule not in self.asker.hanging:
                with contextlib.suppress(BrokenOffError):  # games can go on without this rule
                    look(buffer, player, actions, plain)
        action = self.rng.choices(actions, weights)[0]
        return actions, (action, *self._apply(buffer, action, plain))

    # The rules, one by one.

    def _player(self, buffer: Any, plain: bool) -> int:
        rule = "current_player"
        value, last = self.asker.ask(rule, buffer, plain).value, self.game.players - 1
        if not (whole(value) and (0 <= value <= last or value in (CHANCE, TERMINAL))):
            self.notes.fail("no-such-player", rule, buffer, value=value, last=last)
        if value == CHANCE and "chance_outcomes" not in self.rules and not self.game.draws:
            self.notes.fail("no-chance-outcomes", rule, buffer)
        return int(value)

    def _drawn(self, buffer: Any, player: int, plain: bool) -> list[int]:
        """The actions that are listed, and a few that `sample_action` draws."""
        actions = list[int]()
        if player != CHANCE and self.game.rules.lists:
            answer = self.asker.ask("legal_actions", buffer, plain)
            actions += self._counted("legal_actions", answer, buffer) if answer.value else []
        for number in (self.rng.randrange(DRAWN, 2 * DRAWN) for _ in range(DRAWS)):
            row = self.asker.ask("sample_action", buffer, plain, number).written[0]
            if not all(math.isfinite(value) for value in row):
                self.notes.fail("bad-draw", "sample_action", buffer, values=numbers(row))
            actions.append(number)
        if player != CHANCE:
            self.counts.branching.append(len(actions))
        return actions

    def _outcomes(self, buffer: Any, plain: bool) -> tuple[list[int], list[float]]:
        rule = "chance_outcomes"
        answer = self.asker.ask(rule, buffer, plain)
        outcomes, weights = self._counted(rule, answer, buffer), list(answer.written[1])
        for outcome, weight in zip(outcomes, weights, strict=True):
            if not 0 <= weight < math.inf:
                self.notes.fail("bad-probability", rule, buffer, outcome, value=outcome, weight=weight)
        total = math.fsum(weights)
        if abs(total - 1) > CLOSE:
            self.notes.note("chance-sum", rule, buffer, total=total, values=numbers(weights))
        return outcomes, weights if total > 0 else [1.0] * len(outcomes)

    def _counted(self, rule: str, answer: RuleAnswer, buffer: Any) -> list[int]:
        """The actions that a rule listed, if they are valid."""
        count = answer.value
        if not whole(count) or count < 0:
            self.notes.fail("bad-count", rule, buffer, value=count)
        if count == 0:
            self.notes.fail("no-actions", rule, buffer)
        if count > self.game.max_actions:
            self.asker.unsafe.add(rule)
            self.notes.fail("too-many-actions", rule, buffer, value=count, most=self.game.max_actions)
        actions = [int(action) for action in answer.written[0]]
        for action in actions:
            if not -(2**31) < action < 2**31:
                self.notes.fail("action-too-large", rule, buffer, value=action)
        for action, times in Counter(actions).items():
            if times > 1:
                self.notes.note("action-twice", rule, buffer, action, values=numbers(actions))
                break
        return actions

    def _apply(self, buffer: Any, action: int, plain: bool) -> tuple[tuple[float, ...], Any]:
        answer = self.asker.ask("apply", buffer, plain, action)
        rewards = answer.written[0]
        if not all(math.isfinite(reward) for reward in rewards):
            self.notes.fail("bad-reward", "apply", buffer, action, values=numbers(rewards))
        if answer.after == buffer.tobytes() and not any(rewards):
            level = "error" if self.game.players > 1 else "warning"  # in a one-player game, walking into a wall is fine
            self.notes.note("nothing-happens", "apply", buffer, action, level=level)
        return rewards, as_buffer(answer.after)

    def _look_at_end(self, buffer: Any) -> None:
        """Check that the game can't go on: legal_actions may list actions at the end, but they must not lead on."""
        call = self.asker.call
        try:
            listed = call(self.rules, "legal_actions", buffer)
            for action in listed.written[0]:
                after = as_buffer(call(self.rules, "apply", buffer, int(action)).after)
                player = call(self.rules, "current_player", after).value
                if player != TERMINAL:
                    who = "chance" if player == CHANCE else f"player {player}"
                    self.notes.note("end-goes-on", "current_player", buffer, int(action), value=who)
                    return
        except NeverReturnedError:
            self.looks_at_ends = False
        except Exception:  # noqa: BLE001  # at the end, the rules may raise
            pass

    def _look_at_priors(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        weights = self.asker.ask("priors", buffer, plain, actions).written[0]
        for action, weight in zip(actions, weights, strict=True):
            if not 0 <= weight < math.inf:
                self.notes.fail("bad-priors", "priors", buffer, action, value=weight, whom="an action")
        if not any(weights):
            self.notes.note("bad-priors", "priors", buffer, value=0, whom="every action")

    def _look_at_playout_action(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self.asker.ask("playout_action", buffer, plain, actions).value
        if not whole(value) or value not in actions:
            self.notes.note("bad-playout-action", "playout_action", buffer, value=value, values=numbers(actions))

    def _look_at_chance_action(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self.asker.ask("chance_action", buffer, plain).value
        if not whole(value) or value not in actions:
            self.notes.note("bad-chance-action", "chance_action", buffer, value=value, values=numbers(actions))

    def _look_at_value(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        self.returns.look_at_value("evaluate", buffer, self.asker.ask("evaluate", buffer, plain).written[0])

    def _look_at_hash(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        value = self.asker.ask("hash", buffer, plain).value
        if not whole(value):
            self.notes.fail("bad-hash", "hash", buffer, value=value)
        what = (player, sorted(actions))
        other, seen = self.hashes.setdefault(int(value) % 2**64, (buffer.tobytes(), what))
        if seen != what:
            self.notes.note("hash-collides", "hash", buffer, other=self.notes.position_text(as_buffer(other)))

    def _look_at_observation(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        if self.counts.positions > OBSERVED_POSITIONS:
            return
        for value in self.asker.ask("observe", buffer, plain, player).written[0]:
            if not math.isfinite(value):
                self.notes.fail("bad-observation", "observe", buffer, value=value)
        self._look_at_indices(buffer, actions, plain)

    def _look_at_features(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        if self.counts.positions > OBSERVED_POSITIONS:
            return
        answer, most = self.asker.ask("features", buffer, plain, max(0, player)), room_for_features(self.game)
        if not whole(answer.value) or not 0 <= answer.value <= most:
            self.notes.fail("bad-feature-count", "features", buffer, value=answer.value, most=most)
        for value in answer.written[0]:
            if not 0 <= value < self.game.feature_count:
                self.notes.fail("bad-feature", "features", buffer, value=value, last=self.game.feature_count - 1)
        if player != CHANCE and "observe" not in self.rules:
            self._look_at_indices(buffer, actions, plain)

    def _look_at_indices(self, buffer: Any, actions: list[int], plain: bool) -> None:
        places: dict[int, int] = {}
        for action in actions:
            at: Any = action
            if "action_index" in self.rules:
                at = self.asker.ask("action_index", buffer, plain, action).value
            if not whole(at) or not 0 <= at < self.game.policy_size:
                self.notes.fail("bad-index", "action_index", buffer, action, value=at, last=self.game.policy_size - 1)
            if places.setdefault(int(at), action) != action:
                other = self.notes.action_name(buffer, places[int(at)])
                self.notes.fail("index-twice", "action_index", buffer, action, value=at, other=other)

    def _look_at_codes(self, buffer: Any, player: int, actions: list[int], plain: bool) -> None:
        codes = self.game.action_codes
        for action in actions:
            code: Any = action
            if "action_code" in self.rules:
                code = self.asker.ask("action_code", buffer, plain, action).value
            if not whole(code) or (codes and not 0 <= code < codes):
                expected = f"0 to action_codes - 1 = {codes - 1}" if codes else "a whole number"
                self.notes.fail("bad-code", "action_code", buffer, action, value=code, expected=expected)

    # Positions and actions in messages.

    def _text(self, buffer: Any) -> str:
        """The game's own text, or its fields if that fails."""
        with contextlib.suppress(Exception):
            text = self.game.state_to_text(self.game.rules.view(buffer.copy()))
            if isinstance(text, str):
                return text
        return Game.state_to_text(self.game, self.game.rules.view(buffer.copy()))

    def _action_text(self, buffer: Any, action: int) -> str:
        given: Any = self.asker.row(buffer, action) if self.game.draws and action >= DRAWN else action
        text = self.game.action_to_text(self.game.rules.view(buffer.copy()), given)
        return f"{text} ({action})" if isinstance(text, str) and text != str(action) else str(action)
