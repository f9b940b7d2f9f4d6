"""A recorded game listed as inputs of a network: the same as asking each position."""

import hashlib

import numpy as np
import pytest

import playout as po
from playout.errors import FileError
from playout.training.inputs import InputsBuilder
from playout.training.lessons import Lesson
from playout.training.teacher import Label
from tests.evaluators.sparse import game_knows


def random_lesson(game: po.Game, seed: int, most: int = 30) -> Lesson:
    """A game of random play, in which all positions but every third are labelled with two actions or one."""
    random, lesson, position = np.random.default_rng(seed), Lesson(), game.position()
    while not position.is_terminal and len(lesson.actions) < most:
        actions = position.actions()
        chosen = random.permutation(actions)[:2].tolist()
        if len(lesson.actions) % 3 != 2:
            weights = (0.75, 0.25) if len(chosen) == 2 else (1.0,)
            value = round(float(random.uniform(-1, 1)), 3)
            lesson.labels[len(lesson.actions)] = Label(value, tuple(chosen), weights)
        action = chosen[0]
        lesson.actions.append(action)
        position = position.play(action)
    return lesson


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "chess"])
def test_a_recorded_game_is_listed_as_its_positions_say(name: str) -> None:
    game = po.games.load(name)
    lesson = random_lesson(game, seed=3)
    builder = InputsBuilder(game, result=0.0)
    builder.add([lesson])
    inputs, position, row = builder.inputs(), game.position(), 0
    for ply, action in enumerate(lesson.actions):
        if ply in lesson.labels:
            label, one = lesson.labels[ply], np.array([row])
            features = sorted(position.features())
            assert inputs.features.rows(one)[0].tolist() == features
            legal = position.actions()
            assert inputs.indices.rows(one)[0].tolist() == [position.action_index(a) for a in legal]
            shares = dict(zip(label.actions, label.weights, strict=True))
            assert inputs.targets.rows(one)[0].tolist() == [shares.get(a, 0.0) for a in legal]
            assert inputs.values[row] == np.float32(label.value)
            digest = hashlib.blake2b(np.array(features, "<i4").tobytes(), digest_size=8).digest()
            assert int(inputs.hashes[row]) == int.from_bytes(digest, "little")
            row += 1
        position = position.play(action)
    assert row == len(inputs) == builder.labelled


@pytest.mark.parametrize("name", ["connect4", "chess"])
def test_what_the_game_knows_is_listed_for_a_network_that_builds_on_it(name: str) -> None:
    game = po.games.load(name)
    lesson = random_lesson(game, seed=3, most=5)
    builder = InputsBuilder(game, result=0.0, base=True)
    builder.add([lesson])
    inputs, position, row = builder.inputs(), game.position(), 0
    for ply, action in enumerate(lesson.actions):
        if ply in lesson.labels:
            static, priors = game_knows(position)
            assert np.tanh(inputs.base_values[row]) == pytest.approx(static[position.player], abs=1e-5)
            shares = np.maximum(np.array(priors) / sum(priors), 1e-4)
            assert np.exp(inputs.base_priors.rows(np.array([row]))[0]) == pytest.approx(shares, rel=1e-5)
            row += 1
        position = position.play(action)
    assert row == len(inputs) > 2


def test_a_position_is_kept_once_and_its_first_label_counts() -> None:
    game = po.games.load("tictactoe")
    builder = InputsBuilder(game, result=0.0)
    one, other = (Lesson([4, 0], {0: Label(value, (4,), (1.0,))}) for value in (0.5, -0.5))
    builder.add([one, other])
    assert builder.labelled == 2
    assert builder.inputs().values.tolist() == [0.5]


def test_an_action_that_the_rules_refuse_is_named() -> None:
    game = po.games.load("tictactoe")
    with pytest.raises(FileError, match="part 7: game 2: tictactoe refuses action 2 of 2"):
        InputsBuilder(game, 0.0).add([Lesson([4, 0], {}), Lesson([4, 4], {})], "part 7")
    with pytest.raises(FileError, match="refuses action 1 of 1, or what the teacher chose there"):
        InputsBuilder(game, 0.0).add([Lesson([4], {0: Label(0.0, (9,), (1.0,))})])


def test_the_value_is_the_teachers_blended_with_how_the_game_went_on() -> None:
    """X takes the first row; O's second move was not the teacher's choice, so that nothing before it counts the win."""
    game = po.games.load("tictactoe")
    lesson = Lesson([0, 3, 1, 4, 2], {})
    best = {0: 0, 1: 3, 2: 1, 3: 2, 4: 2}
    values = {0: 0.2, 1: -0.4, 2: 0.6, 3: 0.0, 4: 1.0}
    lesson.labels = {ply: Label(values[ply], (best[ply],), (1.0,)) for ply in best}
    builder = InputsBuilder(game, result=0.5)
    builder.add([lesson])
    # Ply 4 won; ply 3 strayed from a draw, 0.0 for O, which is what plies 0 to 2 led to.
    expected = [0.1, -0.2, 0.3, 0.0, 1.0]
    assert np.allclose(builder.inputs().values, expected)


def test_held_out_positions_stay_held_out_when_there_are_more() -> None:
    game = po.games.load("connect4")
    few, many = InputsBuilder(game, 0.0), InputsBuilder(game, 0.0)
    lessons = [random_lesson(game, seed) for seed in range(12)]
    few.add(lessons[6:])
    many.add(lessons)
    held = [set(i.hashes[i.split(0.3)[1]].tolist()) for i in (few.inputs(), many.inputs())]
    learnt = [set(i.hashes[i.split(0.3)[0]].tolist()) for i in (few.inputs(), many.inputs())]
    assert held[0] <= held[1]
    assert learnt[0] <= learnt[1]
    assert 0.1 < len(held[1]) / len(many) < 0.5
