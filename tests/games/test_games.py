"""Finding games, and how people read and write the built-in ones: texts, drawings, and every mistake's message."""

import json
import random
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import playout as po
from playout import games
from playout.core.jit import COMPILED

BUILT_IN = ["connect4", "game2048", "othello", "suika", "target_sum", "tictactoe"]
START = "---------------------------OX------XO--------------------------- X"
EXAMPLES = settings(max_examples=100 if COMPILED else 15, deadline=None)


def refusal(error, function, *arguments, **named) -> str:
    """The message of the error that a call raises, on one line."""
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    message = str(caught.value)
    assert "\n" not in message
    return message


# Found by name


def test_built_in_games_are_found_by_name_and_described():
    assert set(BUILT_IN) <= set(games.names())
    for name in games.names():
        assert games.find(name).name == name
        assert 20 < len(games.describe(name)) < 100
    assert repr(games.load("TicTacToe")) == "TicTacToe()"


def test_import_and_names_load_no_game():
    code = (
        "import sys, playout; from playout import games; games.names(); games.describe('othello');"
        "print([n for n in games.names() if f'playout.games.{n}' in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


def test_unknown_name_is_told_with_a_suggestion():
    message = refusal(po.GameError, games.load, "conect4")
    assert message.startswith("no game 'conect4' (there are: chess, connect4, ")
    assert message.endswith("did you mean 'connect4'?")
    assert "did you mean 'tictactoe'?" in refusal(po.GameError, games.load, "tic-tac-toe")
    assert "did you mean" not in refusal(po.GameError, games.load, "zzz")
    assert "no game 'zzz'" in refusal(po.GameError, games.describe, "zzz")
    for nothing in ("", ":", "x:", ":X"):
        refusal(po.GameError, games.load, nothing)


def test_unknown_setting_is_told():
    assert "no setting 'targt'" in refusal(po.SettingsError, games.load, "target_sum", targt=3)


# Found by file and module

COUNTER = """
import numpy as np
import playout as po
{more}
class Counter(po.Game):
    players = 1
    max_actions = 1
    state = np.dtype([("left", np.int32)])

    @staticmethod
    def initial_state(state):
        state.left = {left}

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.left == 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 0
        return 1

    @staticmethod
    def apply(state, action, rewards):
        state.left -= 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's folder, the current one; what they import is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def test_file_is_loaded_from_its_path_with_its_folder_importable(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "how_many_left.py").write_text("LEFT = 3\n")
    path = folder / "sub" / "counter_in_file.py"
    path.write_text(COUNTER.format(more="import how_many_left", left="how_many_left.LEFT"))
    game = games.load("sub/counter_in_file.py:Counter")
    assert int(game.position().state.left) == 3
    assert game.position().play(0).text == "left=2"
    assert int(games.load(f"{path}:Counter").position().state.left) == 3


def test_edited_file_is_read_anew(folder):
    path = folder / "counter_edited.py"
    path.write_text(COUNTER.format(more="", left=1))
    assert games.load("counter_edited.py:Counter").position().text == "left=1"
    path.write_text(COUNTER.format(more="# longer, so that the cached bytecode is not taken", left=2))
    assert games.load("counter_edited.py:Counter").position().text == "left=2"


def test_file_named_like_another_module_does_not_replace_it(folder):
    (folder / "random.py").write_text(COUNTER.format(more="", left=1))
    assert games.load("random.py:Counter").position().text == "left=1"
    assert sys.modules["random"] is random


def test_module_is_found_in_the_current_folder_and_in_packages(folder):
    (folder / "counter_module.py").write_text(COUNTER.format(more="", left=4))
    assert games.load("counter_module:Counter").position().text == "left=4"
    (folder / "counter_package").mkdir()
    (folder / "counter_package" / "__init__.py").write_text("")
    (folder / "counter_package" / "inner.py").write_text(COUNTER.format(more="", left=5))
    assert games.load("counter_package.inner:Counter").position().text == "left=5"
    assert games.load("playout.games.othello:Othello").name == "othello"


def test_missing_file_module_and_class_are_told(folder):
    (folder / "counter.py").write_text(COUNTER.format(more="VALUE = 3\nclass Other: pass\n", left=1))
    assert refusal(po.GameError, games.load, "no.py:X") == f"can't load 'no.py:X': {folder / 'no.py'} does not exist"
    assert "is a folder" in refusal(po.GameError, games.load, f"{folder}:X")
    assert "there is no module 'nowhere_to_be_found'" in refusal(po.GameError, games.load, "nowhere_to_be_found:X")
    assert "write counter.py:Class" in refusal(po.GameError, games.load, "counter.py")
    assert refusal(po.GameError, games.load, "counter.py:Conter") == (
        "no 'Conter' in counter.py (there: Counter); did you mean counter.py:Counter?"
    )
    assert "counter.py:VALUE is a int, expected a class" in refusal(po.GameError, games.load, "counter.py:VALUE")
    assert "Other is not derived from playout.Game" in refusal(po.GameError, games.load, "counter.py:Other")
    assert "Game is not derived" in refusal(po.GameError, games.load, "playout:Game")


def test_errors_inside_a_users_file_name_the_file_and_the_line(folder):
    cases = {
        "x = 1\ny = 1 / 0\n": ":2: ZeroDivisionError: division by zero",
        "import nothing_of_this_name\n": ":1: ModuleNotFoundError: No module named 'nothing_of_this_name'",
        "x = 1\n\ndef f(:\n": ":3: syntax error: ",
        "def f():\n    raise ValueError('a\\nb')\nf()\n": ":2: ValueError: a b",
        "import sys\nsys.exit(3)\n": ":2: SystemExit: 3",
    }
    for number, (source, expected) in enumerate(cases.items()):
        name = f"broken_{number}"
        path = folder / f"{name}.py"
        path.write_text(source)
        for spec in (f"{name}.py:X", f"{name}:X"):
            message = refusal(po.GameError, games.load, spec)
            assert message.startswith(f"can't load '{spec}': {path}{expected}"), message
        assert name not in sys.modules


# Texts: there and back, and one literal value of each


@st.composite
def positions(draw, name):
    """A random position; for target_sum with random settings."""
    game = games.load(name)
    if name == "target_sum":
        numbers = draw(st.lists(st.integers(1, 12), min_size=1, max_size=16, unique=True).map(tuple))
        game = games.load(name, target=draw(st.integers(1, 40)), moves=draw(st.integers(1, 9)), numbers=numbers)
    choose, position = draw(st.randoms(use_true_random=False)), game.position()
    for _ in range(draw(st.integers(0, 62 if COMPILED else 20))):
        if position.is_terminal:
            break
        position = position.play(choose.choice(position.actions()))
    return position


@pytest.mark.parametrize("name", BUILT_IN)
def test_texts_come_back_as_the_same_record(name):
    @EXAMPLES
    @given(positions(name))
    def check(position):
        game = position.game
        again = game.position(position.text)
        assert again.buffer.tobytes() == position.buffer.tobytes()
        assert game.position(position.text.lower()).text == position.text
        for action in position.actions():
            text = position.action_text(action)
            assert position.action(text) == position.action(f" {text.upper()} ") == action
        assert len(position.show().splitlines()) > 1

    check()


def test_texts_of_actions():
    assert games.load("tictactoe").position().action_text(0) == "1"
    assert games.load("connect4").position().action_text(6) == "7"
    othello = games.load("othello").position()
    assert [othello.action_text(a) for a in (0, 7, 37, 56, 63, 64)] == ["a1", "h1", "f5", "a8", "h8", "pass"]
    assert othello.action("F5") == 37
    target_sum = games.load("target_sum").position()
    assert target_sum.action_text(3) == "3"
    assert target_sum.action("+3") == target_sum.action("3") == 3


def test_tictactoe_texts():
    game = games.load("tictactoe")
    assert game.position().text == ".../.../..."
    assert game.position("5,1,9").text == "O../.X./..X"
    for same in ("519", "5 1 9", "5, 1, 9", "o../.x./..x", "O--/-X-/--X", "O...X...X", "O__ _X_ __X"):
        assert game.position(same).text == "O../.X./..X"
    assert game.position("X.O/.X./...").player == 1
    assert game.position("XXX/OO./...").is_terminal
    assert game.position("XXX/XOO/XOO").is_terminal  # two rows at once, by the stone in the corner
    assert game.position("X.O/.X./...").show() == (
        " X | 2 | O \n---+---+---\n 4 | X | 6 \n---+---+---\n 7 | 8 | 9 \nO to move"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("X.O/.X.", "can't read position 'X.O/.X.', expected three rows of X, O and ."),
        ("X.O/.Z./...", "can't read position 'X.O/.Z./...'"),
        ("hello", "can't read position 'hello'"),
        ("XX./.../...", "position 'XX./.../...' is impossible: 2 X and 0 O; X begins"),
        ("O../.../...", "is impossible: 0 X and 1 O"),
        ("XXX/OOO/...", "is impossible: both sides have three in a row"),
        ("XXX/OO./O..", "is impossible: O moved after X had won"),
        ("OOO/XX./XX.", "is impossible: X moved after O had won"),
        ("5,1,5", "can't play '5,1,5', move 3: '5' is not legal in O../.X./...: cell 5 is taken (legal: 2, 3, 4,"),
        ("5,0", "move 2: '0' is not legal in .../.X./...: expected a cell, 1 to 9"),
        ("5,10", "move 2: '10' is not legal"),
        ("1,4,2,5,3,6", "move 6: '6' is not legal in XXX/OO./...: the game is over"),
        ("5,a", "can't read moves '5,a', expected cells 1 to 9 as in 5,1,9"),
    ],
)
def test_tictactoe_refuses_what_cannot_be(text, message):
    assert f"tictactoe: {message}".split(": ", 1)[1] in refusal(
        po.PositionError, games.load("tictactoe").position, text
    )


def test_connect4_texts():
    game = games.load("connect4")
    assert game.position().text == ""
    assert game.position("").buffer.tobytes() == game.position().buffer.tobytes()
    drawn = "......./......./......./...X.../...OX../...XO.."
    assert game.position("44455").buffer.tobytes() == game.position("4 4, 4 5 5").buffer.tobytes()
    assert game.position("44455").show() == (
        ".  .  .  .  .  .  .\n.  .  .  .  .  .  .\n.  .  .  .  .  .  .\n.  .  .  X  .  .  .\n"
        ".  .  .  O  X  .  .\n.  .  .  X  O  .  .\n1  2  3  4  5  6  7\nO to move"
    )
    assert game.position(drawn).buffer.tobytes() == game.position("44455").buffer.tobytes()
    assert game.position(drawn.replace(".", "-").replace("/", "\n").lower()).text == game.position("44455").text
    assert game.position("1122334").is_terminal


def test_connect4_text_of_a_won_board_ends_with_the_win():
    game = games.load("connect4")
    # X: 1 3 4 and at last 2, the only stone of the row with none on top; any other order would go on after the win.
    position = game.position("1133442")
    assert position.is_terminal
    assert position.text.endswith("2")
    assert game.position(position.text).buffer.tobytes() == position.buffer.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "4444444",
            "can't play '4444444', move 7: '4' is not legal in 444444: column 4 is full (legal: 1, 2, 3, 5, 6, 7)",
        ),
        ("448", "can't play '448', move 3: '8' is not legal in 44: expected a column, 1 to 7"),
        ("8", "move 1: '8' is not legal in the empty board"),
        ("44x", "can't read moves '44x', expected columns 1 to 7 as in 44455"),
        ("11223344", "move 8: '4' is not legal in 1122334: the game is over"),
        ("hello", "can't read position 'hello', expected columns 1 to 7 as in 44455, or six rows"),
        ("......./..XO...", "can't read position '......./..XO...'"),
        ("......./......./......./......./..X..../.......", "is impossible: a stone in column 3 floats"),
        ("......./......./......./......./......./..XX...", "is impossible: 2 X and 0 O; X begins"),
        ("......./......./......./......./OOOO.../XXXX...", "is impossible: both sides have four in a row"),
        ("......./......./......./......./OOO..../XXXX..O", "is impossible: O moved after X had won"),
        ("......./......./......./......./XXX..../OOOO.XX", "is impossible: X moved after O had won"),
        ("......./......./......./......./X....../O......", "is impossible: no order of moves, X and O in turn"),
        ("......./......./......./......./OOOOOO./XXXXXXX", "is impossible: both"),
    ],
)
def test_connect4_refuses_what_cannot_be(text, message):
    assert message in refusal(po.PositionError, games.load("connect4").position, text)


def test_connect4_refuses_two_fours_that_no_one_stone_completes():
    rows = "......./......./X....../XOO..../XOO.O../XOOXXXX"
    message = refusal(po.PositionError, games.load("connect4").position, rows)
    assert "is impossible: no order of moves, X and O in turn, leads to it" in message


def test_othello_texts():
    game = games.load("othello")
    assert game.position().text == START
    assert game.position(START).buffer.tobytes() == game.position().buffer.tobytes()
    after = game.position("f5d6c3")
    # d6 turns d5, c3 turns d4.
    assert after.text == "------------------X--------XX------OXX-----O-------------------- O"
    assert after.buffer.tobytes() == game.position("F5 D6, c3").buffer.tobytes()
    assert game.position("f5").text == "---------------------------OX------XXX-------------------------- O"
    board = START.split(maxsplit=1)[0]
    for same in (START.lower(), START.replace("-", "."), f"{board}X", START + ";", START + "; F5:+0; C4:+0;"):
        assert game.position(same).text == START
    assert game.position("/".join(board[i : i + 8] for i in range(0, 64, 8)) + " X").text == START
    lines = game.position().show().splitlines()
    assert lines[0] == "  a b c d e f g h"
    assert lines[3:5] == ["3 . . . * . . . .", "4 . . * O X . . ."]
    assert lines[-1] == "X 2, O 2; X to move"


def test_othello_passes_may_be_left_out():
    game = games.load("othello")
    position, written, short = game.position(), [], []
    for seed in range(200 if COMPILED else 5):
        choose, position, written, short = random.Random(seed), game.position(), [], []
        while not position.is_terminal:
            action = choose.choice(position.actions())
            written.append(position.action_text(action))
            if action != 64:
                short.append(written[-1])
            position = position.play(action)
        if len(short) < len(written):
            break
    assert len(short) < len(written) or not COMPILED
    for text in ("".join(short), "".join(written), " ".join(written), "".join(written).replace("pass", "--")):
        assert game.position(text).buffer.tobytes() == position.buffer.tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f5f5", f"can't play 'f5f5', move 2: 'f5' is not legal in {START[:35]}XXX"),
        ("f5f5", ": the square is taken (legal: f4, d6, f6)"),
        ("a1", f"can't play 'a1', move 1: 'a1' is not legal in {START}: it turns no disc (legal: d3, c4, f5, e6)"),
        ("f5pass", "move 2: 'pass' is not legal"),
        ("f5pass", ": there are other moves (legal: f4, d6, f6)"),
        ("f5z9", "can't read moves 'f5z9', expected squares a1 to h8 and passes as in f5d6c3"),
        ("hello", "can't read moves 'hello'"),
        ("-XO", "can't read position '-XO' (3 characters), expected 64 squares of X, O and -"),
        (START[:-2], "(64 characters)"),
        (START.replace("OX", "QX"), "('Q' at 28)"),
        (START.replace("OX", "-X"), "is impossible: d4, e4, d5 and e5 hold discs from the start on"),
    ],
)
def test_othello_refuses_what_cannot_be(text, message):
    assert message in refusal(po.PositionError, games.load("othello").position, text)


def test_target_sum_texts():
    game = games.load("target_sum")
    assert game.position().text == "0/0"
    position = game.position("6/3")
    assert (int(position.state.total), int(position.state.made)) == (6, 3)
    assert position.text == game.position().play(3).play(2).play(1).text == "6/3"
    assert position.show() == "6 of 10 after 3 moves, 4 moves left\nnumbers: 1 2 3"
    assert game.position("10/4").show().startswith("10 of 10 after 4 moves, hit")
    assert game.position("7/7").show().startswith("7 of 10 after 7 moves, out of moves")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("15", "can't read position '15', expected sum/moves, the moves made so far, as in 5/2"),
        ("-1/2", "can't read position '-1/2'"),
        ("1/1/1", "can't read position '1/1/1'"),
        ("9/8", "position '9/8' is impossible: 8 moves made, but there are only 7"),
        ("4/1", "is impossible: 1 numbers out of 1, 2, 3 don't add up to 4"),
        ("2/3", "is impossible: 3 numbers"),
        ("0/1", "is impossible: 1 numbers"),
        ("13/5", "don't add up to 13 with all but the last below the target, 10"),
    ],
)
def test_target_sum_refuses_what_cannot_be(text, message):
    assert message in refusal(po.PositionError, games.load("target_sum").position, text)


def test_target_sum_refuses_sums_between_the_reachable_ones():
    game = games.load("target_sum", target=21, numbers=(3, 9))
    assert game.position("12/2").text == "12/2"
    assert "is impossible" in refusal(po.PositionError, game.position, "10/2")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"target": 0}, "setting 'target' is 0, expected 1 to 1000000000"),
        ({"target": -5}, "setting 'target' is -5"),
        ({"target": "many"}, "setting 'target' is 'many', expected a whole number"),
        ({"target": 2.5}, "setting 'target' is 2.5"),
        ({"moves": 0}, "setting 'moves' is 0, expected 1 to"),
        ({"numbers": ()}, "setting 'numbers' is ()"),
        ({"numbers": 0}, "setting 'numbers' has no number above 0"),
        ({"numbers": (1, -2)}, "setting 'numbers' has -2, expected numbers from 1"),
        ({"numbers": (1, 0, 2)}, "setting 'numbers' has 0"),
        ({"numbers": (3, 1, 3)}, "setting 'numbers' has 3 twice, expected different numbers"),
        ({"numbers": tuple(range(1, 18))}, "expected up to 16 numbers"),
    ],
)
def test_target_sum_refuses_settings_that_cannot_be_played(given, message):
    assert message in refusal(po.SettingsError, games.load, "target_sum", **given)


def test_a_setting_may_be_any_number_or_sequence_that_fits_and_is_kept_as_pythons_own():
    expected = games.load("target_sum", target=1000, numbers=(1, 2, 3)).values
    for target, numbers in ((1e3, range(1, 4)), (np.int64(1000), np.array([1, 2, 3])), ("1e3", "1,2,3")):
        values = games.load("target_sum", target=target, numbers=numbers).values
        assert values == expected
        assert json.loads(json.dumps(values))["target"] == 1000
        assert {type(n) for n in (values["target"], *values["numbers"])} == {int}


@pytest.mark.parametrize(
    ("name", "position", "text", "message"),
    [
        ("tictactoe", "5,1", "5", "'5' is not legal in O../.X./...: cell 5 is taken (legal: 2, 3, 4, 6, 7, 8, 9)"),
        ("tictactoe", "", "b2", "'b2' is not legal in .../.../...: expected a cell, 1 to 9 (legal: 1, 2,"),
        ("connect4", "", "9", "'9' is not legal in the empty board: expected a column, 1 to 7 (legal: 1, 2, 3, 4,"),
        ("connect4", "1122334", "4", "'4' is not legal in 1122334: the game is over"),
        (
            "othello",
            "",
            "z9",
            f"'z9' is not legal in {START}: expected a square, a1 to h8, or pass (legal: d3, c4, f5,",
        ),
        ("target_sum", "3/1", "12", "'12' is not legal in 3/1: it is not one of the numbers (legal: 1, 2, 3)"),
        ("target_sum", "", "five", "'five' is not legal in 0/0: expected one of the numbers"),
        ("target_sum", "10/4", "3", "'3' is not legal in 10/4: the game is over"),
    ],
)
def test_actions_are_refused_with_the_position_and_what_is_legal(name, position, text, message):
    at = games.load(name).position(position)
    assert f"{name}: {message}" in refusal(po.ActionError, at.action, text)


# Drawings


@pytest.mark.parametrize("name", BUILT_IN)
def test_drawings_are_well_formed_svg_inside_their_box(name):
    game = games.load(name)
    for seed in range(30 if COMPILED else 3):
        choose, position = random.Random(seed), game.position()
        for _ in range(choose.randint(0, 60)):
            if not position.is_terminal:
                position = position.play(choose.choice(position.actions()))
        root = ElementTree.fromstring(position.draw())
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        _, _, width, height = (float(n) for n in root.attrib["viewBox"].split())
        for part in root.iter():
            for key, most in (("x", width), ("cx", width), ("x2", width), ("y", height), ("cy", height)):
                assert 0 <= float(part.attrib.get(key, 0)) <= most


def test_drawings_show_stones_and_the_winning_line():
    def circles(text: str, **wanted: str) -> int:
        root = ElementTree.fromstring(games.load("connect4").position(text).draw())
        found = root.iter("{http://www.w3.org/2000/svg}circle")
        return sum(all(c.attrib[key] == value for key, value in wanted.items()) for c in found)

    assert circles("112233", fill="#d9534f") == 3
    assert circles("112233", **{"stroke-width": "4"}) == 0
    assert circles("1122334", **{"stroke-width": "4"}) == 4
    svg = games.load("tictactoe").position("1,4,2,5,3").draw()
    assert svg.count("<path") == 3
    assert svg.count("#f2b632") == 1
    assert games.load("othello").position().draw().count("<circle") == 8  # four discs, four moves


def test_empty_text_of_a_start_is_written_so_that_it_can_be_read():
    start = games.load("connect4").position()
    assert repr(start) == "<connect4 start>"
    assert "action 9 is not legal in the start (legal: 0 or '1', 1 or '2'" in refusal(po.ActionError, start.play, 9)


def test_field_named_like_an_attribute_of_numpy_records_is_refused():
    class Adder(po.Game):
        players, max_actions, state = 1, 1, [("sum", "i4")]

    assert "Adder.state has a field 'sum', and NumPy records have an attribute" in refusal(po.GameError, Adder)
