"""Suika: merges, cascades and gravity as drawn grids and against a slow reference; chance; texts; what can't be."""

import collections
import random
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playout as po
from playout import games
from playout.core.jit import COMPILED
from playout.games.suika import Suika
from playout.games.suika import text as notation
from tests.sizes import examples

EXAMPLES = settings(max_examples=examples(200), deadline=None)
SMALL = {"columns": 4, "rows": 7, "line": 5, "kinds": 6, "drops": (0.25, 0.25, 0.25, 0.25)}

# The whole game again, slow and readable: a grid of cells, the floor first, a full scan for each merge.


def fall(grid):
    """Gravity, for every column."""
    for column in grid:
        kinds = [kind for kind in column if kind]
        column[:] = kinds + [0] * (len(column) - len(kinds))


def first_pair(grid, kinds):
    """Columns from the left, each from the floor up: with the one above, then with the one to the right."""
    for c in range(len(grid)):
        for r in range(len(grid[c])):
            kind = grid[c][r]
            if kind in (0, kinds):
                continue
            if r + 1 < len(grid[c]) and grid[c][r + 1] == kind:
                return (c, r), (c, r + 1)
            if c + 1 < len(grid) and grid[c + 1][r] == kind:
                return (c + 1, r), (c, r)
    return None


def drop(grid, column, kind, kinds, last):
    """Play a drop in the grid; the points."""
    grid[column][-1] = kind
    fall(grid)
    points = 0
    while (pair := first_pair(grid, kinds)) is not None:
        (grows, goes), made = pair, 0
        made = grid[grows[0]][grows[1]] + 1
        grid[grows[0]][grows[1]], grid[goes[0]][goes[1]] = made, 0
        points += last if made == kinds else made
        fall(grid)
    return points


def as_grid(state, rows):
    return [column + [0] * (rows - len(column)) for column in notation.cells(state)]


def drawn(text):
    """A grid as it is drawn in a test, in the text of a position."""
    return "/".join("".join(line.split()) for line in text.strip().splitlines())


def after(before, hand, column, **given_settings):
    """Draw the grid after a drop, with the points and whether it is over."""
    game = Suika(**{**SMALL, **given_settings})
    position = game.position(f"{drawn(before)} {hand},1").play(column)
    return position.text.split()[0], int(position.state.score), bool(position.state.over)


@pytest.mark.parametrize(
    ("hand", "column", "before", "wanted", "points"),
    [
        pytest.param(2, 2, ". . 3 .\n4 . 1 3", ". . 3 .\n4 2 1 3", 0, id="nothing touches"),
        pytest.param(2, 2, ". . 3 .\n4 . 2 1", "4 . 4 1", 3 + 4, id="the picture in the source"),
        pytest.param(1, 1, "1 . . .", "2 . . .", 2, id="two in a column merge at the lower"),
        pytest.param(1, 2, "1 . . .", ". 2 . .", 2, id="two in a row merge at the right, the new one right"),
        pytest.param(1, 1, ". 1 . .", ". 2 . .", 2, id="two in a row merge at the right, the new one left"),
        pytest.param(1, 2, "1 . 1 .", ". 2 1 .", 2, id="of three in a row, the left two"),
        pytest.param(1, 2, "3 . . .\n1 . 4 .", "3 2 4 .", 2, id="what stood on the left one falls"),
        pytest.param(1, 2, "5 . 3 .\n4 . 2 .\n1 . 1 3", ". . 3 .\n5 . 2 .\n4 2 1 3", 2, id="a whole column falls"),
        pytest.param(1, 2, "2 . . .\n1 . 4 .", ". 3 4 .", 2 + 3, id="what falls beside an equal one merges"),
        pytest.param(2, 2, "4 . . .\n3 . . .\n2 . 3 .", ". 5 3 .", 3 + 4 + 5, id="the left before the right"),
        pytest.param(1, 3, "1 . . .\n2 . 1 .\n3 . 2 4", "1 . . .\n2 . . .\n3 . 3 4", 2 + 3, id="down a column"),
        pytest.param(2, 2, ". . 5 .\n. . 4 .\n. . 3 .\n4 . 2 .", "4 . 6 .", 3 + 4 + 5 + 100, id="to the last kind"),
        pytest.param(4, 2, "5 . . .\n4 . 5 1", ". 6 5 1", 5 + 100, id="the last kind brings 100"),
        pytest.param(3, 1, "4 6 . .\n3 6 6 .", "3 . . .\n4 6 . .\n3 6 6 .", 0, id="two of the last kind stay"),
    ],
)
def test_merges_cascades_and_gravity_as_drawn(hand, column, before, wanted, points):
    assert after(before, hand, column) == (drawn(wanted), points, False)


TOWER = "2 . . .\n1 . . .\n3 . . .\n2 . . .\n4 . . ."


def test_a_fruit_that_stays_above_the_line_ends_the_game_and_one_that_merges_does_not():
    assert after(TOWER, 3, 1) == (drawn("3 . . .\n" + TOWER), 0, True)
    assert after(TOWER, 2, 1) == (drawn(TOWER.replace("2 . . .\n1", "3 . . .\n1")), 3, False)
    assert after(TOWER, 3, 2) == (drawn(TOWER.replace("4 . . .", "4 3 . .")), 0, False)


def test_the_reward_has_the_penalty_and_the_score_has_not():
    game = Suika(**SMALL, lost_penalty=70)
    lost = game.position(f"{drawn(TOWER)} 3,1 12").play(1)
    assert lost.is_terminal
    assert list(lost.rewards) == [-70.0]
    assert game.score(lost.state) == 12
    merged = game.position(".1.. 1,1 12").play(1)
    assert list(merged.rewards) == [2.0]
    assert game.score(merged.state) == 14


@EXAMPLES
@given(st.data())
def test_random_play_agrees_with_the_reference(data):
    """Every drop, by the compiled (or plain) rules and by the slow scan; grids are small, so that much merges."""
    rows = data.draw(st.integers(2, 16), "rows")
    kinds = data.draw(st.integers(2, 15), "kinds")
    dropped = data.draw(st.integers(1, min(kinds, 8)), "dropped")
    game = Suika(
        columns=data.draw(st.integers(1, 16), "columns"),
        rows=rows,
        line=data.draw(st.integers(1, rows - 1), "line"),
        kinds=kinds,
        visible=data.draw(st.integers(0, 4), "visible"),
        drops=(1 / dropped,) * dropped,
        last=50,
    )
    choose = data.draw(st.randoms(use_true_random=False))
    position, score = game.position(), 0
    for _ in range(400 if COMPILED else 60):
        if position.is_terminal:
            break
        if position.player == po.CHANCE:
            action = choose.choice(position.actions())
            waiting = [*notation.queue(position.state), action]
            position = position.play(action)
            assert notation.queue(position.state) == waiting
            continue
        state = position.state
        height, hand = int(state.line) + 1, notation.queue(state)[0]
        grid = as_grid(state, height)
        action = choose.randint(1, int(state.columns))
        points = drop(grid, action - 1, hand, kinds, 50)
        score += points
        lost = any(column[-1] for column in grid)
        position = position.play(action)
        assert as_grid(position.state, height) == grid
        assert position.is_terminal == lost
        assert (position.state.score, position.rewards[0]) == (score, points - 100.0 * lost)
        again = game.position(position.text)
        assert again.buffer.tobytes() == position.buffer.tobytes()


# Chance


def test_chance_gives_the_probabilities_that_were_set():
    game = games.load("suika", drops="0.5,0,0.5", visible=2)
    position = game.position(".......... 3,1")
    assert position.outcomes() == [(1, 0.5), (3, 0.5)]
    assert game.position().text == ".......... 1,1,1"
    assert games.load("suika", drops="0,1").position().text == ".......... 2,2"


def likely(counts, probabilities):
    """Whether counts agree with probabilities, by chi-squared: five deviations above what is expected are too many."""
    total, free = sum(counts.values()), len(probabilities) - 1
    found = sum((counts[k] - total * p) ** 2 / (total * p) for k, p in probabilities.items())
    return found < free + 5 * (2 * free) ** 0.5 + 5


def test_fruit_comes_as_often_as_it_should_in_the_tree_and_in_playouts():
    game = games.load("suika", drops=(0.4, 0.3, 0.2, 0.1))
    wanted = {1: 0.4, 2: 0.3, 3: 0.2, 4: 0.1}
    search = po.Search(game, po.Settings(evaluator=po.Rollouts(depth=20)), seed=3)
    search.run(20_000 if COMPILED else 500)
    first = max(search.root.children, key=lambda node: node.visits)
    assert likely({node.action: node.visits for node in first.children}, wanted)
    seen = collections.Counter()
    for _ in range(200 if COMPILED else 40):
        step = search.step()
        position = game.position(step.leaf)
        for text in step.playouts[0].actions if step.playouts else ():
            if position.player == po.CHANCE:
                seen[int(text)] += 1
            position = position.play(position.action(text))
    assert sum(seen.values()) > 300
    assert likely(seen, wanted)


# The heuristic


def test_priors_are_the_softmax_of_the_heuristic():
    import math

    game = games.load("suika", columns=4, rows=6, line=4, kinds=6, drops=(0.5, 0.5), temperature=2.0)
    #       column 1 has an equal one to the right of where it lands; 2 has it below; 3 is full; 4 has nothing
    position = game.position("..3./..1./..2./.13. 1,2")
    near = [1 - abs(c - 2.5) / 2.5 for c in (1, 2, 3, 4)]
    scores = [
        5 + 2 * near[0] - 0,
        5 + 2 * near[1] - 3 * 1 / 4,
        2 * near[2] - 3 - 10,
        2 * near[3] - 0,
    ]
    weights = [math.exp(score / 2.0) for score in scores]
    found = position.priors()
    assert [action for action, _ in found] == [1, 2, 3, 4]
    assert [prior for _, prior in found] == pytest.approx([w / sum(weights) for w in weights])


def test_a_full_column_is_no_overflow_where_the_fruit_would_merge():
    game = games.load("suika", columns=2, rows=4, line=2, drops=(0.5, 0.5))
    full, merging = (dict(game.position(f"{top}./3. 1,2").priors())[1] for top in "21")
    assert merging > 0.5 > full


def test_the_value_of_a_cut_off_playout_is_the_score_less_the_height():
    game = games.load("suika", columns=2, rows=3, line=2, height_penalty=8.0)
    settings_ = po.Settings(evaluator=po.Static(), solver=False)
    assert po.Search(game, settings_, position="12 3,1", seed=1).run(1).value == -8.0 * 3 / 4
    assert po.Search(game, settings_, position="12 1,1", seed=1).run(50).stats(1).value == pytest.approx(2 - 4, abs=4)


def test_a_cut_off_playout_is_charged_for_the_share_filled_the_highest_column_or_both():
    def value(**penalties):
        game = games.load("suika", columns=2, rows=5, line=4, **penalties)
        search = po.Search(game, po.Settings(evaluator=po.Static(), solver=False), position="3./1. 2,1", seed=1)
        return {s.action: s.value for s in search.run(2).actions}  # 2 more on the tower of 2, or beside it

    assert value(height_penalty=8.0, highest_penalty=0.0) == {1: -8.0 * 3 / 8, 2: -8.0 * 3 / 8}
    assert value(height_penalty=0.0, highest_penalty=8.0) == {1: -8.0 * 3 / 4, 2: -8.0 * 2 / 4}
    assert value(height_penalty=8.0, highest_penalty=8.0) == {1: -8.0 * 9 / 8, 2: -8.0 * 7 / 8}


def test_playouts_of_the_preset_are_cut_at_fifty_drops():
    game = games.load("suika")
    step = po.Search(game, "suika", seed=1).step()
    assert len(step.playouts[0].actions) == 100
    assert step.returns[0] < 100 * 10


# Keys


def test_the_key_is_about_cells_hand_and_next_and_not_about_the_score():
    game = games.load("suika", visible=2)

    def key(text):
        return int(game.rules.functions["hash"](game.position(text).state))

    texts = [
        f"{grid} {queue}" for grid in ("12........", "21........", "1.2.......") for queue in ("1,2,3", "2,1,3", "1,2")
    ]
    assert len({key(text) for text in texts}) == len(texts)
    assert key("12........ 1,2,3") == key("12........ 1,2,3 77")
    one, other = game.position(".......... 1,3,1"), game.position(".......... 3,1,1")
    one = one.play(2).play(4).play(5)
    other = other.play(5).play(4).play(2)
    assert one.text == other.text
    assert game.rules.functions["hash"](one.state) == game.rules.functions["hash"](other.state)


# Texts and drawings


def test_texts():
    game = games.load("suika")
    start = game.position()
    assert start.text == ".......... 1,1"
    assert start.play(3).text == "..1....... 1"
    assert start.play(3).play(2).text == "..1....... 1,2"
    assert start.play(3).play(2).play(3).text == "..2....... 2 2"
    assert game.position("........../..a....... 5,4 99").text == "..a....... 5,4 99"
    assert game.position("..A.......").player == po.CHANCE
    assert [start.action_text(action) for action in start.actions()] == [str(c) for c in range(1, 11)]
    assert [start.play(1).action_text(action) for action in start.play(1).actions()] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("..x.......", "can't read position '..x.......': 'x' in column 3, row 1; the kinds are 1 to a, and . is"),
        ("..b.......", "'b' in column 3, row 1; the kinds are 1 to a"),
        ("...", "row 1 has 3 cells, and there are 10 columns"),
        ("........../1.", "row 1 has 2 cells"),
        ("..3......./.1........ 1,1", "the 3 in column 3, row 2 floats, with nothing below it (rows count from the"),
        (".11....... 1,1", "the fruits 1 in column 2, row 1 and column 3, row 1 touch and would have merged"),
        (".1......../.1........ 1,1", "the fruits 1 in column 2, row 1 and column 2, row 2 touch"),
        ("/".join(["1.........", "2........."] * 8), "column 1 is 16 high, and the warning line is above row 14; only"),
        ("/".join(["1.3.......", "2.4......."] * 7 + ["1.3......."]), "column 1 is 15 high, and the warning line"),
        (".......... 6,1", "'6' in hand or next; fruits that are dropped are 1, 2, 3, 4, 5"),
        (".......... 0,1", "'0' in hand or next"),
        (".......... 1,1,1", "3 fruits in hand and next, and there are at most 2"),
        (".......... 1,1 -3", "the score is '-3', expected a whole number"),
        (".......... 1,1 3 4", "4 parts; expected rows from the top with / between, the fruit in hand and the next"),
    ],
)
def test_what_cannot_be_is_refused_with_the_place(text, message):
    with pytest.raises(po.PositionError) as caught:
        games.load("suika").position(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"columns": 0}, "setting 'columns' is 0, expected 1 to 16"),
        ({"columns": 17}, "setting 'columns' is 17, expected 1 to 16"),
        ({"rows": 1}, "setting 'rows' is 1, expected 2 to 16"),
        ({"line": 16}, "setting 'line' is 16, expected 1 to 15, below the top row"),
        ({"line": 0}, "setting 'line' is 0, expected 1 to 15"),
        ({"kinds": 1}, "setting 'kinds' is 1, expected 2 to 15"),
        ({"visible": 5}, "setting 'visible' is 5, expected 0 to 4"),
        ({"drops": "0.5,0.4"}, "the probabilities of setting 'drops' sum to 0.9, expected 1"),
        ({"drops": "1.5,-0.5"}, "setting 'drops' has 1.5, expected probabilities from 0 to 1"),
        ({"drops": "nan"}, "setting 'drops' is 'nan', expected up to 8 numbers"),
        ({"kinds": 3}, "setting 'drops' has more than 3 probabilities, one for each kind"),
        ({"temperature": 0.0}, "setting 'temperature' is 0.0, expected at least 0.05"),
        ({"height": "inf"}, "setting 'height' is inf, expected 0 to"),
        ({"highest_penalty": -1.0}, "setting 'highest_penalty' is -1.0, expected 0 to"),
        ({"lost_penalty": -1.0}, "setting 'lost_penalty' is -1.0, expected 0 to"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(given, message):
    with pytest.raises(po.SettingsError) as caught:
        games.load("suika", **given)
    assert message in str(caught.value)


def test_a_lost_position_is_over_and_says_so():
    game = Suika(**SMALL)
    lost = game.position(f"{drawn('3 . . .' + chr(10) + TOWER)} 2 31")
    assert lost.is_terminal
    assert lost.text.endswith(" 2 31")
    with pytest.raises(po.PlayoutError, match="over"):
        po.Search(game, "suika", position=lost, seed=1).run(10)
    with pytest.raises(po.ActionError, match="the game is over"):
        lost.action("3")
    with pytest.raises(po.PositionError, match=r"2 fruits after the end, where none is in hand, .* at most 1"):
        game.position(f"{lost.text.split()[0]} 2,2")


def test_columns_are_asked_for():
    with pytest.raises(po.ActionError, match=r"'11' is not legal in .*: expected a column, 1 to 10 \(legal: 1, 2,"):
        games.load("suika").position().action("11")


def test_the_drawings_have_every_fruit_once():
    game = games.load("suika")
    position = game.position("1........./3.5....... 2,4 7")
    root = ElementTree.fromstring(position.draw())
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 3 + 2
    assert "score 7" in position.show()
    assert "".join(text for text, _ in game.paint(position.state)) == position.show()
    styles = {text: style for text, style in game.paint(position.state) if style.startswith("bold ")}
    assert {" 1", " 3", " 5", " 2", " 4"} <= set(styles)


def test_any_size_is_searched_without_compiling_again():
    for given_ in (
        {},
        {"columns": 3, "rows": 4, "line": 3},
        {"kinds": 12, "visible": 0},
        {"columns": 16, "visible": 4},
    ):
        search = po.Search(games.load("suika", **given_), "suika", seed=random.Random(1).randint(0, 9))
        result = search.run(60 if COMPILED else 15)
        assert result.best in range(1, 17)
