"""Lessons: games of varied play whose positions a teacher labels, and the files that hold them.

A file has the games of one part, as actions from the start: the rules play them again, so that a file of another game
is noticed, and the inputs of a network are made when it learns. The games of a part depend on the seed and on its
number alone, if the teacher answers the same each time: with one thread, and a limit of simulations or nodes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from playout.errors import FileError
from playout.game import CHANCE, Game, Position
from playout.play.chance import draw_outcome, seed_of

from .replay import DamagedError, packed, read_arrays, reason, unpacked, write_arrays
from .teacher import Label, Teacher

FORMAT = 1
DECIDED = 0.98  # the value beyond which a game counts as decided
# The arrays of a part: T actions in all, chance's included, of G games; C labelled actions.
ARRAYS = {
    "lengths": np.int32,  # [G] actions of each game
    "actions": np.int32,  # [T]
    "values": np.float32,  # [T] of the position before each action, for the player who moves; NaN: not labelled
    "counts": np.uint16,  # [T] how many actions the teacher weighs there
    "choices": np.int32,  # [C] these actions
    "weights": np.float32,  # [C] their shares; they sum to one in each position
}


@dataclass(frozen=True)
class Variety:
    """How lessons are played. They begin at random, and then follow the teacher, with random actions in between."""

    openings: int = 8  # the most random actions that a game begins with
    stray: float = 0.1  # the share of later actions that are random
    drawn: int = 12  # actions after the opening that are drawn by the teacher's weights; then its best is played
    decided: int = 8  # positions in a row with a value beyond 0.98 after which a game is stopped; 0: none
    max_moves: int = 400  # after which a game is stopped


@dataclass
class Lesson:
    """A game of a lesson: its actions from the start, and the labels of positions by the number of their action."""

    actions: list[int] = field(default_factory=list)
    labels: dict[int, Label] = field(default_factory=dict)


class _Lessons:
    """Plays the games of one part."""

    def __init__(self, game: Game, teacher: Teacher, variety: Variety, seed: int) -> None:
        self.game, self.teacher, self.variety = game, teacher, variety
        self.random = np.random.default_rng(seed)

    def play(self) -> Lesson:
        variety, lesson, position = self.variety, Lesson(), self.game.position()
        opening = int(self.random.integers(variety.openings + 1))
        moves, decided = 0, 0
        begun = False
        while not position.is_terminal and moves < variety.max_moves:
            if position.player == CHANCE:
                action = draw_outcome(position, self.random)
            elif moves < opening:
                action = self.any_action(position)
            else:
                if not begun:
                    self.teacher.new_game(position, int(self.random.integers(2**62)))
                    begun = True
                label = self.teacher.label(position)
                lesson.labels[len(lesson.actions)] = label
                action = self.choice(position, label, moves - opening)
                decided = decided + 1 if abs(label.value) > DECIDED else 0
                if variety.decided and decided >= variety.decided:
                    moves = variety.max_moves
            moves += position.player != CHANCE
            lesson.actions.append(action)
            position = position.play(action)
            if begun:
                self.teacher.played(action)
        return lesson

    def any_action(self, position: Position) -> int:
        actions = position.actions()
        return actions[int(self.random.integers(len(actions)))]

    def choice(self, position: Position, label: Label, moves: int) -> int:
        if self.random.random() < self.variety.stray:
            return self.any_action(position)
        if moves < self.variety.drawn and len(label.actions) > 1:
            return label.actions[int(self.random.choice(len(label.actions), p=label.weights))]
        return label.best


def play_lessons(game: Game, teacher: Teacher, variety: Variety, games: int, seed: int, part: int) -> list[Lesson]:
    """The games of one part."""
    first = games * part
    return [_Lessons(game, teacher, variety, seed_of(seed, "lesson", first + i)).play() for i in range(games)]


# Files.


def part_path(folder: Path, part: int) -> Path:
    """The file of a part."""
    return folder / f"{part:06d}.npz"


def write_part(path: Path, lessons: list[Lesson], about: Mapping[str, Any]) -> None:
    """Write the lessons of a part, whole or not at all."""
    write_arrays(path, {**_arrays(lessons), "about": packed({"format": FORMAT, **about})})


def _arrays(lessons: list[Lesson]) -> dict[str, Any]:
    total = sum(len(lesson.actions) for lesson in lessons)
    values, counts = np.full(total, np.nan, np.float32), np.zeros(total, np.uint16)
    choices, weights, at = list[int](), list[float](), 0
    for lesson in lessons:
        for number in sorted(lesson.labels):
            label = lesson.labels[number]
            values[at + number], counts[at + number] = label.value, len(label.actions)
            choices += label.actions
            weights += label.weights
        at += len(lesson.actions)
    return {
        "lengths": np.array([len(lesson.actions) for lesson in lessons], np.int32),
        "actions": np.array([a for lesson in lessons for a in lesson.actions], np.int32),
        "values": values,
        "counts": counts,
        "choices": np.array(choices, np.int32),
        "weights": np.array(weights, np.float32),
    }


def read_part(path: Path, about: Mapping[str, Any]) -> list[Lesson]:
    """The lessons of a part; `DamagedError` where the file is damaged.

    Any other `FileError`: it can't be read, or is not of the training that `about` describes, and may be good.
    """
    found = read_arrays(path)
    try:
        said = unpacked(found["about"])
        for key, value in {"format": FORMAT, **about}.items():
            if not isinstance(said, dict) or said.get(key) != value:
                came = said.get(key) if isinstance(said, dict) else said
                raise ValueError(f"{key} is {came!r:.80}, expected {value!r:.80}")
    except (KeyError, ValueError, RecursionError) as error:
        raise FileError(
            f"{path}: is not a part of this training ({reason(error)}); choose another folder, or move the file away"
        ) from None
    try:
        _check_arrays(found)
        return _lessons(found)
    except (KeyError, ValueError) as error:
        raise DamagedError(f"{path}: is damaged ({reason(error)})") from None


def _check_arrays(found: Mapping[str, Any]) -> None:
    for name, kind in ARRAYS.items():
        if found[name].ndim != 1 or found[name].dtype != kind:
            raise ValueError(f"{name} is {found[name].dtype}{list(found[name].shape)}, expected {np.dtype(kind)}[N]")
    total, chosen = len(found["actions"]), int(found["counts"].sum(dtype=np.int64))
    for name, size in (("values", total), ("counts", total), ("choices", chosen), ("weights", chosen)):
        if len(found[name]) != size:
            raise ValueError(f"{name} has {len(found[name])} entries, expected {size}")
    if (found["lengths"] < 0).any() or int(found["lengths"].sum(dtype=np.int64)) != total:
        raise ValueError(f"lengths add up to {found['lengths'].sum(dtype=np.int64)}, expected {total}")
    labelled = ~np.isnan(found["values"])
    if not (np.abs(found["values"][labelled]) <= 1.0).all() or ((found["counts"] > 0) != labelled).any():
        raise ValueError("values are not all from -1 to 1, with a weighed action each")
    ends = np.cumsum(found["counts"], dtype=np.int64)
    sums = np.diff(np.concatenate([[0.0], np.cumsum(found["weights"], dtype=np.float64)])[np.r_[0, ends]])
    if not (found["weights"] >= 0).all() or not np.allclose(sums[labelled], 1.0, atol=1e-4):
        raise ValueError("the weights of a position don't sum to 1")


def _lessons(found: Mapping[str, Any]) -> list[Lesson]:
    lessons, at, chosen = list[Lesson](), 0, 0
    actions, values, counts = found["actions"].tolist(), found["values"].tolist(), found["counts"].tolist()
    choices, weights = found["choices"].tolist(), found["weights"].tolist()
    for length in found["lengths"].tolist():
        labels: dict[int, Label] = {}
        for number in range(length):
            count = counts[at + number]
            if not math.isnan(values[at + number]):
                end = chosen + count
                labels[number] = Label(values[at + number], tuple(choices[chosen:end]), tuple(weights[chosen:end]))
                chosen = end
        lessons.append(Lesson(actions[at : at + length], labels))
        at += length
    return lessons
