"""The two kinds of object: who moves, the actions, the rewards and a playout, by the methods of each kind."""

from collections.abc import Sequence
from typing import Any

from playout.core.rules import CHANCE, TERMINAL
from playout.errors import FileError, PlayoutError

from . import checks
from .checks import LARGEST
from .game import Move, ObjectGame

PLAY_KIND = ("current_player", "legal_actions", "play")  # and `returns` or `rewards`
NODE_KIND = ("find_children", "find_random_child", "is_terminal", "reward")


class PlayGame(ObjectGame):
    """Objects with `current_player`, `legal_actions`, `play`, and `returns` or `rewards`."""

    methods = PLAY_KIND

    def player_at(self, obj: Any, mover: int | None) -> int:
        player = obj.current_player()
        if type(player) is not int or not 0 <= player < self.players:
            player = checks.player(obj, player, self.players, self.has("chance_outcomes"))
        if player < 0:
            return player
        actions = obj.legal_actions()
        if type(actions) is not list and type(actions) is not tuple:
            actions = checks.listed(obj, "legal_actions()", actions)
        if not actions:
            raise checks.no_actions(obj, actions, player)
        return player

    def list_actions(self, slot: int) -> list[Any]:
        obj = self.objects[slot]
        if self.players_in[slot] == CHANCE:
            names, self.probabilities[slot] = checks.outcomes(obj, obj.chance_outcomes())
            return names
        return checks.listed(obj, "legal_actions()", obj.legal_actions())

    def number(self, slot: int, names: list[Any]) -> Sequence[int]:
        call = "chance_outcomes()" if self.players_in[slot] == CHANCE else "legal_actions()"
        return checks.numbering(self.objects[slot], call, names, self.max_actions)

    def child_of(self, slot: int, action: int) -> Any:
        obj = self.objects[slot]
        name = self._names[slot][self._numbers[slot].index(action)]
        after = obj.play(name)
        checks.moved_on(obj, name, after)
        if type(after) not in self._known_types:
            self.check_type(after, f"play({checks.shown(name)})", obj)
        return after

    def rewards_of(self, obj: Any, mover: int) -> Sequence[float]:
        call = "rewards" if self.rewarded else "returns"
        numbers = checks.numbers(obj, f"{call}()", getattr(obj, call)(), self.players)
        self._told = (f"{call}()", obj, None if self.rewarded else numbers)
        return numbers

    def answers_of(self, obj: Any) -> dict[str, Any]:
        player = self.player_at(obj, None)
        answers: dict[str, Any] = {"current_player()": player}
        if player == CHANCE:
            names, weights = checks.outcomes(obj, obj.chance_outcomes())
            answers["chance_outcomes()"] = dict(zip(map(checks.key_of, names), weights, strict=True))
        elif player != TERMINAL:
            answers["legal_actions()"] = set(map(checks.key_of, self.options_of(obj)))
        elif not self.rewarded:  # rewards belong to the step that led here
            answers["returns()"] = list(checks.numbers(obj, "returns()", obj.returns(), self.players))
        return answers

    def options_of(self, obj: Any) -> list[Any]:
        player = self.player_at(obj, None)
        if player == CHANCE:
            return checks.outcomes(obj, obj.chance_outcomes())[0]
        return [] if player == TERMINAL else checks.listed(obj, "legal_actions()", obj.legal_actions())

    def after(self, obj: Any, action: Any) -> Any:
        return obj.play(action)

    def numbers_drawn(self, obj: Any, drawn: list[Any]) -> list[int] | None:
        line, call = list[int](), "legal_actions()"
        for at in drawn:
            names = checks.listed(obj, call, obj.legal_actions())
            if at >= len(names):
                return None
            line.append(checks.numbering(obj, call, names, self.max_actions)[at])
            obj = obj.play(names[at])
        return line

    def play_out(self, slot: int, limit: int) -> int:
        discount, obj, random, record = self._floats[0], self.objects[slot], self.random, self._record
        draw, scale, last, in_place = random.random, 1.0, TERMINAL, self.in_place
        drawn: list[int] | None = [] if self._remembers else None
        total = [0.0] * self.players if self.rewarded else None
        if in_place:
            obj = obj.mutable_copy()
            if self.finishes and record is None and drawn is None:
                return self._finish(obj, limit, discount)
        moves: list[Move] = []
        before = action = None
        actions: Any = ()
        player: Any = 0
        try:
            for length in range(limit):  # noqa: B007  # the length is needed after the loop
                player = obj.current_player()
                if player is None or player < 0:
                    player = checks.player(obj, player, self.players, self.has("chance_outcomes"))
                    if player == TERMINAL:
                        break
                    actions, weights = checks.outcomes(obj, obj.chance_outcomes())
                    at = random.choices(range(len(actions)), weights)[0]
                else:
                    actions = obj.legal_actions()
                    if type(actions) is not list and type(actions) is not tuple:
                        actions = checks.listed(obj, "legal_actions()", actions)
                    if not actions:
                        raise checks.no_actions(obj, actions, player)
                    at = int(draw() * len(actions))
                if drawn is not None:
                    drawn.append(at)
                before, action = obj, actions[at]
                if in_place:
                    if record is not None:
                        before = obj.mutable_copy()
                    obj.step(action)
                else:
                    obj = obj.play(action)
                    if obj is before:
                        checks.moved_on(obj, action, obj)
                if total is not None:
                    brought = obj.rewards()
                    if not _are_plain(brought, self.players):
                        brought = checks.numbers(obj, "rewards()", brought, self.players)
                    for p, value in enumerate(brought):
                        total[p] += scale * value
                    scale *= discount
                if record is not None:
                    call = "chance_outcomes()" if player == CHANCE else "legal_actions()"
                    number = checks.numbering(before, call, list(actions), self.max_actions)[at]
                    moves.append(Move(before, player, self.described(action, number, before)))
            else:
                length, last = limit, self.player_at(obj, None)
        except PlayoutError:
            raise
        except Exception:
            # Look for the likely cause: what `play` returned, who moves, and the actions before it.
            if type(obj) not in self._known_types:
                self.check_type(obj, f"play({checks.shown(action)})", before)
            checks.player(obj, player, self.players, has_chance=True)
            if before is not None:
                checks.numbering(before, "legal_actions()", list(actions), self.max_actions)
            raise
        if drawn is not None:
            self._last = slot, drawn, last == TERMINAL
        values: Any = None
        if total is not None:
            self._told = ("rewards()", obj, None)
        if last != TERMINAL:  # cut off
            values = self.value_of(obj) if self.has("evaluate") else None
        elif total is None:
            values = obj.returns()
            if not _are_plain(values, self.players):
                values = checks.numbers(obj, "returns()", values, self.players)
            self._told = ("returns()", obj, values)
        if total is None and discount != 1.0:
            scale = _scale_at(discount, length, last == TERMINAL)
        floats = self._floats
        for p in range(self.players):
            value = 0.0 if values is None else scale * values[p]
            floats[p] = value if total is None else total[p] + value
        if record is not None:
            self.note_playout(moves, obj.mutable_copy() if in_place else obj, last)
        return length

    def _finish(self, obj: Any, limit: int, discount: float) -> int:
        """A playout by the object's own `finish(draw, limit, discount)`; rewards after a cut-off count as 0."""
        returns, length = obj.finish(self.random.random, limit, discount)
        if not _are_plain(returns, self.players):
            returns = checks.numbers(obj, "rewards()", returns, self.players)
        self._told = ("rewards()", obj, None)
        for p, value in enumerate(returns):
            self._floats[p] = value
        return int(length)


def _scale_at(discount: float, length: int, ended: bool) -> float:
    """What a value counts after `length` steps: returns come with the last step, a static value after it.

    >>> _scale_at(0.5, 3, True), _scale_at(0.5, 3, False)
    (0.25, 0.125)
    """
    return discount ** max(0, length - 1 if ended else length)


def _are_plain(values: Any, players: int) -> bool:
    """Whether returns are a list of finite Python numbers, as most objects give them; a quick check."""
    if (type(values) is not list and type(values) is not tuple) or len(values) != players:
        return False
    for value in values:
        if (type(value) is not float and type(value) is not int) or not -LARGEST <= value <= LARGEST:
            return False
    return True


class NodeGame(ObjectGame):
    """Objects with `find_children`, `find_random_child`, `is_terminal` and `reward`."""

    methods = NODE_KIND

    def player_at(self, obj: Any, mover: int | None) -> int:
        ended = obj.is_terminal()
        if ended is not False and checks.finished(obj, ended):
            return TERMINAL
        return 0 if mover is None or self.players == 1 else 1 - mover

    def list_actions(self, slot: int) -> list[Any]:
        obj = self.objects[slot]
        children = checks.listed(obj, "find_children()", obj.find_children())
        if not self._known_types.issuperset(map(type, children)):
            for child in children:
                self.check_type(child, "find_children()", obj)
        return children

    def number(self, slot: int, names: list[Any]) -> Sequence[int]:
        if 0 < len(names) <= self.max_actions:  # equal children are allowed: moves may transpose
            return range(len(names))
        return checks.numbering(self.objects[slot], "find_children()", list(range(len(names))), self.max_actions)

    def child_of(self, slot: int, action: int) -> Any:
        return self._names[slot][action]

    def check_can_save(self) -> None:
        if isinstance(self.object.find_children(), set | frozenset):
            raise FileError(
                f"{self.title}: find_children() returns a set, whose order changes from one process to the next, so a "
                f"saved tree could not be read back; return a list"
            )

    def rewards_of(self, obj: Any, mover: int) -> Sequence[float]:
        """`reward()` is for the player to move at the end, not for `mover`."""
        reward = checks.numbers(obj, "reward()", obj.reward(), 1)[0]
        self._told = ("reward()", obj, None)
        if self.players == 1:
            return (reward,)
        return (1.0 - reward, reward) if mover == 0 else (reward, 1.0 - reward)

    def answers_of(self, obj: Any) -> dict[str, Any]:
        ended = checks.finished(obj, obj.is_terminal())
        if ended:
            return {"is_terminal()": ended, "reward()": list(checks.numbers(obj, "reward()", obj.reward(), 1))}
        return {"is_terminal()": ended, "find_children()": set(self.options_of(obj))}

    def options_of(self, obj: Any) -> list[Any]:
        if obj.is_terminal():
            return []
        return checks.listed(obj, "find_children()", obj.find_children())

    def after(self, obj: Any, action: Any) -> Any:
        return next(child for child in self.options_of(obj) if child == action)

    def numbers_drawn(self, obj: Any, drawn: list[Any]) -> list[int] | None:
        line = list[int]()
        for child in drawn:
            children = self.options_of(obj)
            if child not in children:  # they don't compare equal, or it was not one of them
                return None
            line.append(children.index(child))
            obj = child
        return line

    def play_out(self, slot: int, limit: int) -> int:
        discount, node, record = self._floats[0], self.objects[slot], self._record
        first, last = self.players_in[slot], TERMINAL
        drawn: list[Any] | None = [] if self._remembers else None
        moves: list[Move] = []
        before = node
        try:
            for length in range(limit):
                if node.is_terminal():
                    break
                before = node
                node = node.find_random_child()
                if drawn is not None:
                    drawn.append(node)
                if record is not None:
                    player = first if self.players == 1 else (first + length) & 1
                    moves.append(Move(before, player, self.described(node, None, before)))
            else:
                length = limit
                if not node.is_terminal():
                    last = first if self.players == 1 else (first + length) & 1
        except AttributeError:
            if type(node) not in self._known_types:
                self.check_type(node, "find_random_child()", before)
            raise
        if drawn is not None:
            self._last = slot, drawn, last == TERMINAL
        floats = self._floats
        scale = 1.0 if discount == 1.0 else _scale_at(discount, length, last == TERMINAL)
        if last != TERMINAL:
            if self.has("evaluate"):
                for p, value in enumerate(self.value_of(node)):
                    floats[p] = scale * value
        else:
            reward = node.reward()
            self._told = ("reward()", node, None)
            if type(reward) is not float or not -LARGEST <= reward <= LARGEST:
                reward = checks.numbers(node, "reward()", reward, 1)[0]
            if self.players == 1:
                floats[0] = scale * reward
            else:
                mover = (first + length) & 1
                floats[mover], floats[1 - mover] = scale * reward, scale * (1.0 - reward)
        if record is not None:
            self.note_playout(moves, node, last)
        return length
