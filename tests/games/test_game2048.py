"""2048: sliding by drawn rows and against OpenSpiel, published counts of positions, chance, texts, values."""

import collections
import csv
import random
from xml.etree import ElementTree

import numpy as np
import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playout as po
from playout import games
from playout.core.jit import COMPILED
from playout.games.game2048 import board as rules
from tests.sizes import examples

EXAMPLES = settings(max_examples=examples(200), deadline=None)
TILES = st.sampled_from([0, 0, 0, 2, 2, 4, 4, 8, 16, 32768])


def slid(row):
    """A row slid to the left, the slow way: the tiles, and the points."""
    tiles, made, points = [tile for tile in row if tile], [], 0
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile < 32768:
            tiles.pop(0)
            tile *= 2
            points += tile
        made.append(tile)
    return made + [0] * (len(row) - len(made)), points


def moved(rows, name):
    """The whole board by the slow way."""
    if name in ("up", "down"):
        turned, points = moved([list(row) for row in zip(*rows, strict=True)], {"up": "left", "down": "right"}[name])
        return [list(row) for row in zip(*turned, strict=True)], points
    found = [slid(row if name == "left" else row[::-1]) for row in rows]
    return [row if name == "left" else row[::-1] for row, _ in found], sum(points for _, points in found)


def text_of(rows):
    return "/".join(",".join(map(str, row)) for row in rows)


@pytest.mark.parametrize(
    ("before", "after", "points"),
    [
        ("2,0,2,4", "4,4,0,0", 4),
        ("2,2,2,2", "4,4,0,0", 8),
        ("4,2,2,0", "4,4,0,0", 4),
        ("2,2,4,8", "4,4,8,0", 4),
        ("0,4,0,2", "4,2,0,0", 0),
        ("2,2,2,0", "4,2,0,0", 4),
        ("1024,1024,2,2", "2048,4,0,0", 2052),
        ("16384,0,0,16384", "32768,0,0,0", 32768),
        ("32768,32768,2,2", "32768,32768,4,0", 4),  # there is no larger one
    ],
)
def test_a_row_slides_and_merges_once(before, after, points):
    empty = "/0,0,0,0" * 3
    position = games.load("game2048").position(before + empty)
    left = position.play(position.action("left"))
    assert left.text.split()[0] == after + empty
    assert (list(left.rewards), left.player) == ([float(points)], po.CHANCE)


@EXAMPLES
@given(st.integers(2, 4).flatmap(lambda n: st.lists(st.lists(TILES, min_size=n, max_size=n), min_size=n, max_size=n)))
def test_every_direction_agrees_with_the_slow_way(rows):
    game = games.load("game2048", side=len(rows))
    if sum(tile > 0 for row in rows for tile in row) < 2:
        return
    position = game.position(text_of(rows))
    wanted = {name: moved(rows, name) for name in rules.NAMES if moved(rows, name)[0] != rows}
    assert {position.action_text(action) for action in position.actions()} == set(wanted)
    for name, (board, points) in wanted.items():
        after = position.play(position.action(name))
        assert after.text.split()[0] == text_of(board)
        assert (after.rewards[0], after.state.score) == (points, points)
    assert position.is_terminal == (not wanted)


def reachable(game):
    """All boards before a move by the sum of their tiles, beginning with two tiles put by chance."""
    start = game.position("0," * (game.values["side"] ** 2))
    layers = collections.defaultdict(set)
    waiting = [start]
    seen = {start.text}
    while waiting:
        position = waiting.pop()
        if position.player >= 0:  # the published counts leave out where nothing moves
            tiles = [int(n) for n in position.text.split()[0].replace("/", ",").split(",")]
            layers[sum(tiles)].add(position.text.split()[0])
        for action in position.actions():
            after = position.play(action)
            after.state.score = 0
            key = after.text
            if key not in seen and sum(int(n) for n in key.split()[0].replace("/", ",").split(",")) <= LAST_LAYER:
                seen.add(key)
                waiting.append(after)
    return {total: len(boards) for total, boards in layers.items()}


LAST_LAYER = 14 if COMPILED else 8


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param((2, {4: 6, 6: 16, 8: 18, 10: 28, 12: 32, 14: 32}), id="2 x 2"),
        pytest.param((3, {4: 36, 6: 132, 8: 274, 10: 554, 12: 1004, 14: 1620}), id="3 x 3"),
    ],
)
def test_as_many_boards_can_be_reached_as_published(counts):
    side, wanted = counts
    found = reachable(games.load("game2048", side=side))
    assert found == {total: count for total, count in wanted.items() if total <= LAST_LAYER}


@pytest.mark.reference
def test_the_published_counts_are_those_of_the_file(reference):
    with (reference / "twenty48" / "layers_reachable.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["board_size"] == "3" and row["max_exponent"] == "10"]
    found = {int(row["layer_sum"]): int(row["num_states"]) for row in rows}
    assert [found[total] for total in (4, 6, 8, 10, 12, 14)] == [36, 132, 274, 554, 1004, 1620]


def test_games_agree_with_open_spiel():
    theirs_game = pyspiel.load_game("2048(max_tile=32768)")
    names = ("up", "right", "down", "left")
    game = games.load("game2048")
    for seed in range(20 if COMPILED else 2):
        choose, theirs = random.Random(seed), theirs_game.new_initial_state()
        while theirs.is_chance_node():
            theirs.apply_action(choose.choices(*zip(*theirs.chance_outcomes(), strict=True))[0])
        position, total = game.position(text_of(tiles(theirs))), 0.0
        while not theirs.is_terminal():
            # OpenSpiel 1.6 leaves out moves that only merge at the edge (0 0 4 4 to the right); all others are there.
            assert {names[a] for a in theirs.legal_actions()} <= {position.action_text(a) for a in position.actions()}
            action = choose.choice(theirs.legal_actions())
            position = position.play(position.action(names[action]))
            theirs.apply_action(action)
            total += position.rewards[0]
            assert total == theirs.returns()[0]
            before = tiles(theirs)
            ours = {position.action_text(a): p for a, p in position.outcomes()}
            assert len(ours) == len(theirs.chance_outcomes())
            theirs.apply_action(choose.choices(*zip(*theirs.chance_outcomes(), strict=True))[0])
            after = tiles(theirs)
            ((r, c),) = [(r, c) for r in range(4) for c in range(4) if before[r][c] != after[r][c]]
            name = f"{'abcd'[c]}{r + 1}={after[r][c]}"
            assert ours[name] == pytest.approx((0.9 if after[r][c] == 2 else 0.1) / (len(ours) / 2))
            position = position.play(position.action(name))
            assert position.text.split()[0] == text_of(after)


def tiles(theirs):
    """OpenSpiel's board, out of its text."""
    return [[int(n) for n in line.split()] for line in str(theirs).strip().splitlines()[:4]]


def test_tiles_come_as_often_as_they_should_in_the_tree_and_in_playouts():
    game = games.load("game2048", fours=0.25)
    search = po.Search(game, po.Settings(evaluator=po.Rollouts(depth=40)), seed=1)
    search.run(30_000 if COMPILED else 500)
    first = max(search.root.children, key=lambda node: node.visits)
    probabilities = dict(first.position.outcomes())
    assert sum(probabilities.values()) == pytest.approx(1.0)
    chi = sum((n.visits - first.visits * n.prior) ** 2 / (first.visits * n.prior) for n in first.children)
    assert chi < len(probabilities) + 5 * (2 * len(probabilities)) ** 0.5
    fours = total = 0
    for _ in range(200 if COMPILED else 20):
        step = search.step()
        drawn = [text for playout in step.playouts for text in playout.actions if "=" in text]
        fours, total = fours + sum(text.endswith("=4") for text in drawn), total + len(drawn)
    assert abs(fours - 0.25 * total) < 5 * (0.25 * 0.75 * total) ** 0.5


def test_a_target_ends_the_game():
    game = games.load("game2048", target=8)
    position = game.position("4,4,0,0/0,0,0,0/0,0,0,0/0,0,0,0")
    won = position.play(position.action("l"))
    assert (won.is_terminal, won.rewards[0], "won" in won.show()) == (True, 8.0, True)
    assert not position.play(position.action("d")).is_terminal
    assert game.position("8,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2").is_terminal


def test_the_static_value_likes_order():
    game = games.load("game2048")

    def value(text):
        values = np.zeros(1)
        with np.errstate(over="ignore"):
            game.rules.functions["evaluate"](game.position(text).state, values)
        return values[0]

    good = "64,32,16,8/0,0,0,0/0,0,0,0/0,0,0,0"
    assert value(good) > value("32,64,16,8/0,0,0,0/0,0,0,0/0,0,0,0")  # the corner, and one direction
    assert value(good) > value("64,8,32,16/0,0,0,0/0,0,0,0/0,0,0,0")  # smooth and in order
    assert value(good) > value("64,32,16,8/2,2,2,2/0,0,0,0/0,0,0,0")  # room
    assert value("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2") == 0.0  # the end: nothing more to come


# Texts and drawings


def test_texts():
    game = games.load("game2048")
    start = game.position()
    assert start.text == "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2"
    left = start.play(start.action("L"))
    assert left.text == "2,0,0,0/0,0,0,0/0,0,0,0/2,0,0,0 +"
    assert game.position(left.text).buffer.tobytes() == left.buffer.tobytes()
    assert left.action_text(left.action("B3=4")) == "b3=4"
    assert left.play(left.action("b3=4")).text == "2,0,0,0/0,0,0,0/0,4,0,0/2,0,0,0"
    again = game.position("2 0 0 0  0 0 0 0  0 0 0 0  0 0 0 2  132")
    assert again.text == "2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2 132"
    empty = game.position("0," * 16)
    assert (empty.player, len(empty.outcomes())) == (po.CHANCE, 32)
    assert empty.play(3).play(16).text == "4,0,0,2/0,0,0,0/0,0,0,0/0,0,0,0"


@EXAMPLES
@given(st.randoms(use_true_random=False), st.integers(2, 4))
def test_texts_come_back_as_the_same_record(choose, side):
    game = games.load("game2048", side=side, target=64)
    position = game.position()
    for _ in range(choose.randint(0, 80)):
        if position.is_terminal:
            break
        position = position.play(choose.choice(position.actions()))
    assert game.position(position.text).buffer.tobytes() == position.buffer.tobytes()
    for action in position.actions():
        assert position.action(position.action_text(action)) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2,4", "can't read position '2,4' (2 numbers), expected 16 tiles, row by row, 0 where there is none"),
        ("x" + ",0" * 15, "('x' is not a number)"),
        ("3" + ",0" * 15, "has 3 at a1, expected 0 or a tile, 2, 4, … 32768"),
        ("0,0,0,0/0,65536,0,0/0,0,0,0/0,0,0,0", "has 65536 at b2"),
        ("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2 +", "has no empty cell for the tile that is to come"),
    ],
)
def test_what_cannot_be_is_refused(text, message):
    with pytest.raises(po.PositionError) as caught:
        games.load("game2048").position(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"side": 5}, "setting 'side' is 5, expected 2 to 4"),
        ({"side": 0}, "setting 'side' is 0, expected 2 to 4"),
        ({"fours": 1.5}, "setting 'fours' is 1.5, expected a probability from 0 to below 1"),
        ({"target": 100}, "setting 'target' is 100, expected a tile from 4 to 32768, or 0 for none"),
        ({"scale": "inf"}, "setting 'scale' is inf, expected a finite number"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(given, message):
    with pytest.raises(po.SettingsError) as caught:
        games.load("game2048", **given)
    assert message in str(caught.value)


def test_moves_that_cannot_be_are_refused():
    position = games.load("game2048").position("2,0,0,0/4,0,0,0/2,0,0,0/4,0,0,0")
    with pytest.raises(po.ActionError, match=r"'left' is not legal in .*: nothing would move \(legal: right\)"):
        position.action("left")
    with pytest.raises(po.ActionError, match="expected left, right, up or down"):
        position.action("north")
    with pytest.raises(po.ActionError, match="the game is over"):
        games.load("game2048").position("2,4,2,4/4,2,4,2/2,4,2,4/4,2,4,2").action("u")


def test_drawings():
    game = games.load("game2048")
    position = game.position("2,4,8,16/32,64,128,256/512,1024,2048,4096/8192,16384,32768,0 7")
    root = ElementTree.fromstring(position.draw())
    texts = [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "score 7"
    assert texts[1:] == [str(2**i) for i in range(1, 16)]
    assert "".join(piece for piece, _ in game.paint(position.state)) == position.show()


def test_the_key_is_about_the_board_and_not_about_the_score():
    game = games.load("game2048")

    def key(text):
        with np.errstate(over="ignore"):
            return int(game.rules.functions["hash"](game.position(text).state))

    board = "2,4,0,0/0,0,0,0/0,0,0,0/0,0,0,0"
    assert key(board) == key(f"{board} 44")
    assert len({key(board), key(f"{board} +"), key("4,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0")}) == 3


@pytest.mark.parametrize(
    "text", ["2,0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2", "2,2,2,2,4/4,4,4/8,8,8,8/0,0,0,0", "2/2,2,2,4,4,4,4,8,8,8,8,0,0,0,0"]
)
def test_rows_of_the_wrong_length_are_refused(text):
    with pytest.raises(po.PositionError, match=r"row \d has \d+ tiles"):
        po.games.load("game2048").position(text)


@pytest.mark.parametrize("name", ["game2048", "suika"])
def test_an_open_loop_shows_its_answers(name):
    """Its lines are the action alone: what chance does between two actions is not in its tree."""
    result = po.Search(po.games.load(name), po.Settings(open_loop=True), seed=1).run(200 if COMPILED else 20)
    assert all(len(stats.line) == 1 for stats in result.actions)
    assert result.best_text in result.explain()
    assert result.best_text in str(result)
