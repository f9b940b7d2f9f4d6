"""What a network over sparse inputs learns from: the positions of lessons as lists of numbers, one after the other.

Positions with the same active inputs are one position to such a network: only the first is kept. Which positions are
held out follows from a hash of these inputs, so that it never changes. Positions that the game's symmetries turn into
each other share this hash, and are held out together: learning turns positions.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from playout.core.inputs import list_inputs
from playout.errors import FileError, GameError
from playout.game import Game, Position
from playout.game.faults import place_of, room_for_features, rules_may_raise, wrong_features

from .lessons import Lesson
from .turns import feature_turns

HASHES = 1 << 32


@dataclass(frozen=True)
class Ragged:
    """Lists of different lengths in one array: `flat` [F], and where each begins and ends, `bounds` [N + 1]."""

    flat: Any
    bounds: Any

    def rows(self, chosen: Any) -> tuple[Any, Any]:
        """The entries of the chosen lists, one after the other, and how many each has.

        >>> Ragged(np.array([1, 2, 3, 4]), np.array([0, 1, 3, 4])).rows(np.array([1, 0]))
        (array([2, 3, 1]), array([2, 1]))
        """
        counts = self.bounds[chosen + 1] - self.bounds[chosen]
        firsts = np.cumsum(counts) - counts
        places = np.repeat(self.bounds[chosen] - firsts, counts) + np.arange(int(counts.sum()))
        return self.flat[places], counts


@dataclass(frozen=True)
class Inputs:
    """N positions to learn from."""

    features: Ragged  # int32: the active inputs
    indices: Ragged  # int32: the legal actions, as indices of the policy
    targets: Ragged  # float32: the share of each legal action
    values: Any  # [N] float32: the value to learn, from -1 to 1 for the player who moves
    hashes: Any  # [N] uint64: of the active inputs
    orbits: Any  # [N] uint64: the same for all positions that symmetries turn into each other
    # What the network builds on, of the game's `evaluate` and `priors` (`core/fast.py`); zeros where it builds on none.
    base_values: Any  # [N] float32
    base_priors: Ragged  # float32: of each legal action

    def __len__(self) -> int:
        return len(self.values)

    def split(self, held_out: float) -> tuple[Any, Any]:
        """The numbers of the positions that are learnt from, and of those that are held out."""
        held = (self.orbits % np.uint64(HASHES)).astype(np.float64) < held_out * HASHES
        return np.flatnonzero(~held), np.flatnonzero(held)


class InputsBuilder:
    """Collects the positions of lessons, each once. `result` is the share of the game's result in the value.

    With `base` the game's own value and priors are listed as well, for a network that builds on them. `turns` says
    where the game's symmetries move its features; see `feature_turns`, which is asked if it is left out.
    """

    def __init__(self, game: Game, result: float, turns: Any = None, base: bool = False) -> None:
        self.game, self.result = game, result
        self.asked = tuple(rule for rule in ("evaluate", "priors") if base and game.has(rule))
        self._turns = feature_turns(game)[0] if turns is None else turns
        self.known: set[int] = set()
        self.labelled = 0
        self._lists: dict[str, list[Any]] = {"features": [], "indices": [], "targets": [], "base_priors": []}
        self._values: list[float] = []
        self._base_values: list[float] = []
        self._hashes: list[int] = []
        self._orbits: list[int] = []
        room, players = game.rules.room, game.players
        self._table = game.rules_table(wanted=("features", "action_index", *self.asked))
        self._scratch = (
            np.zeros(room_for_features(game), np.int32),
            np.zeros(room, np.int32),
            np.zeros(room),
            np.zeros(players),
        )

    def __len__(self) -> int:
        return len(self._values)

    def add(self, lessons: Iterable[Lesson], where: object = "lessons") -> None:
        """Add the labelled positions that are new; `FileError` names `where` if the rules refuse what was played.

        Then none is added.
        """
        listed = [self._listed(lesson, f"{where}: game {number + 1}") for number, lesson in enumerate(lessons)]
        for positions in listed:
            self.labelled += len(positions)
            for position in positions:
                self._keep(*position)

    def _listed(self, lesson: Lesson, where: str) -> list[tuple[Any, ...]]:
        """The labelled positions of a game, as `_keep` takes them."""
        game, total, labelled = self.game, len(lesson.actions), len(lesson.labels)
        counts = np.zeros(total, np.int64)
        for ply, label in lesson.labels.items():
            counts[ply] = len(label.actions)
        ordered = [lesson.labels[ply] for ply in sorted(lesson.labels)]
        choices = np.array([a for label in ordered for a in label.actions], np.int64)
        shares = np.array([w for label in ordered for w in label.weights], np.float64)
        features = np.zeros(labelled * room_for_features(game) + 1, np.int32)
        indices, targets = (
            np.zeros(labelled * game.max_actions + 1, np.int32),
            np.zeros(labelled * game.max_actions + 1),
        )
        base_values, base_priors = np.zeros(total), np.zeros(len(targets))
        low, high = game.range or (-1.0, 1.0)
        half = (high - low) / 2 if "evaluate" in self.asked else 0.0
        base = ((low + high) / 2, half, base_values, "priors" in self.asked, base_priors)
        feature_ends, ends = np.zeros(total, np.int64), np.zeros(total, np.int64)
        players, gained = np.zeros(total, np.int64), np.zeros((total, game.players))
        state, actions = game.position().buffer.copy(), np.array(lesson.actions, np.int64)
        lists = (features, feature_ends, indices, targets, ends)
        with rules_may_raise(game, state=state):
            played, wrong = list_inputs(
                self._table,
                state,
                game.has("action_index"),
                game.feature_count,
                actions,
                counts,
                choices,
                shares,
                *lists,
                base,
                (*self._scratch, players, gained),
            )
        if wrong:
            place = place_of(Position(game, state))
            raise GameError(wrong_features(game, int(feature_ends[played]), self._scratch[0], f" in {place}"))
        if played < total:
            raise FileError(
                f"{where}: {game.title} refuses action {played + 1} of {total}, or what the teacher chose there; the "
                f"rules have changed, or the file: choose another folder, or remove the file to label it again"
            )
        self._check_numbers("action_index", indices[: ends[-1] if total else 0], "policy_size")
        worth = self._worth(lesson, players, gained, Position(game, state).is_terminal)
        positions = []
        for ply in sorted(lesson.labels):
            first = slice(feature_ends[ply - 1] if ply else 0, feature_ends[ply])
            second = slice(ends[ply - 1] if ply else 0, ends[ply])
            listed = (np.sort(features[first]), indices[second], targets[second], base_priors[second])
            positions.append((*listed, worth[ply], base_values[ply]))
        return positions

    def _check_numbers(self, rule: str, found: Any, limit: str) -> None:
        most = getattr(self.game, limit)
        if len(found) and not 0 <= found.min() <= found.max() < most:
            raise GameError(
                f"{self.game.title}.{rule} gives {found.min()} to {found.max()}, expected 0 to {limit} - 1 = {most - 1}"
            )

    def _keep(
        self, features: Any, indices: Any, targets: Any, base_priors: Any, value: float, base_value: float
    ) -> None:
        """Add a position by its sorted features, its legal actions, their targets and its value, unless it is known."""
        key = _hash(features)
        if key in self.known:
            return
        self.known.add(key)
        self._lists["features"].append(features)
        self._lists["indices"].append(indices)
        self._lists["targets"].append(targets.astype(np.float32))
        self._lists["base_priors"].append(base_priors.astype(np.float32))
        self._values.append(value)
        self._base_values.append(base_value)
        self._hashes.append(key)
        self._orbits.append(key if len(self._turns) == 1 else self._orbit(features))

    def _orbit(self, features: Any) -> int:
        """The hash of the least of the sorted lists that symmetries turn the features into."""
        return _hash(np.array(min(np.sort(self._turns[:, features], axis=1).tolist()), np.int32))

    def _worth(self, lesson: Lesson, players: Any, gained: Any, over: bool) -> dict[int, float]:
        """The value to learn in each labelled position: the teacher's, blended with how the game went on.

        Where another action than the teacher's best was played, how the game went on tells of that action only: the
        teacher's value counts instead, for this position and for those before it. So it does at the end of a game that
        was stopped.
        """
        low, high = self.game.range or (-1.0, 1.0)
        middle, half = (low + high) / 2, (high - low) / 2
        found: dict[int, float] = {}
        after: Any = np.zeros(self.game.players) if over else None
        for ply in range(len(lesson.actions) - 1, -1, -1):
            label, player = lesson.labels.get(ply), int(players[ply])
            if label is None:
                after = None if after is None else after + gained[ply]
                continue
            if after is None or lesson.actions[ply] != label.best:
                own = middle + half * label.value
                after = np.full(self.game.players, (self.game.sums_to or 0.0) - own)
                after[player] = own
            else:
                after = after + gained[ply]
            went = min(1.0, max(-1.0, (float(after[player]) - middle) / half))
            found[ply] = label.value + self.result * (went - label.value)
        return found

    def inputs(self) -> Inputs:
        """All positions so far."""
        kinds = {"features": np.int32, "indices": np.int32, "targets": np.float32, "base_priors": np.float32}
        lists = {}
        for name, entries in self._lists.items():
            bounds = np.concatenate([[0], np.cumsum([len(e) for e in entries], dtype=np.int64)]).astype(np.int64)
            lists[name] = Ragged(np.concatenate([np.zeros(0, kinds[name]), *entries]), bounds)
        hashes, orbits = (np.array(found, np.uint64) for found in (self._hashes, self._orbits))
        values, base_values = np.array(self._values, np.float32), np.array(self._base_values, np.float32)
        return Inputs(**lists, values=values, base_values=base_values, hashes=hashes, orbits=orbits)


def _hash(features: Any) -> int:
    return int.from_bytes(hashlib.blake2b(features.tobytes(), digest_size=8).digest(), "little")
