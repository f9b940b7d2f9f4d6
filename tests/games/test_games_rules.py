"""The rules of the built-in games against OpenSpiel's, against published counts, and by hand."""

import random
import re

import numpy as np
import pyspiel
import pytest

from playout import games
from playout.core import rules as core
from playout.core.jit import COMPILED
from playout.game import TERMINAL, Game, Position
from tests.oracles.solved import connect4, tictactoe

SPIEL = {"tictactoe": "tic_tac_toe", "connect4": "connect_four", "othello": "othello"}
RANDOM_GAMES = {"tictactoe": (5000, 300), "connect4": (3000, 100), "othello": (2000, 20)}  # compiled, uncompiled


def random_position(game: Game, seed: int, most: int = 200) -> Position:
    """A position after up to `most` random moves."""
    choose = random.Random(seed)
    position = game.position()
    for _ in range(choose.randint(0, most)):
        if position.is_terminal:
            break
        position = position.play(choose.choice(position.actions()))
    return position


# Against OpenSpiel


@pytest.mark.parametrize("name", SPIEL)
def test_rules_agree_with_openspiel_over_random_games(name):
    game, choose = games.load(name), random.Random(7)
    theirs_game = pyspiel.load_game(SPIEL[name])
    table, start = game.rules_table(), game.position().buffer
    actions, rewards, returns = np.zeros(game.max_actions, np.int32), np.zeros(2), np.zeros(2)
    for _ in range(RANDOM_GAMES[name][0 if COMPILED else 1]):
        theirs, state = theirs_game.new_initial_state(), start.copy()
        returns[:] = 0.0
        while True:
            assert core.current_player(table, state) == int(theirs.current_player()), str(theirs)
            assert returns.tolist() == theirs.returns(), str(theirs)
            if theirs.is_terminal():
                break
            legal = theirs.legal_actions()
            assert actions[: core.legal_actions(table, state, actions)].tolist() == legal, str(theirs)
            action = choose.choice(legal)
            theirs.apply_action(action)
            core.apply(table, state, action, rewards)
            returns += rewards


@pytest.mark.reference
@pytest.mark.parametrize("name", SPIEL)
def test_rules_agree_with_openspiel_playthrough(name, reference):
    file = reference / "openspiel_playthroughs" / f"{SPIEL[name]}.txt"
    position, returns, seen = games.load(name).position(), np.zeros(2), 0
    for block in re.split(r"^# State \d+$", file.read_text(), flags=re.MULTILINE)[1:]:
        facts = dict(re.findall(r"^(\w+)\(\) = (.*)$", block, re.MULTILINE))
        if facts:  # the states in the middle of a playthrough are not all written out
            seen += 1
            assert position.player == int(facts["CurrentPlayer"])
            assert position.is_terminal == (facts["IsTerminal"] == "True")
            assert returns.tolist() == [float(r) for r in re.findall(r"-?\d+", facts["Returns"])]
            if not position.is_terminal:
                assert position.actions() == [int(a) for a in re.findall(r"\d+", facts["LegalActions"])]
            if name == "othello" and not position.is_terminal:
                texts = [position.action_text(action) for action in position.actions()]
                assert texts == re.findall(r'"([^"]+)"', facts["StringLegalActions"])
        if found := re.search(r"^action: (\d+)$", block, re.MULTILINE):
            position = position.play(int(found[1]))
            returns += position.rewards
    assert position.is_terminal
    assert seen > 3


# Counted by others

# Tic-tac-toe: 9 · 8 · 7 … until somebody can have won at move 5, then less the games that ended; the last are the
# well-known 127,872 games of full length. Othello: Aart Bik, "Perft for Reversi" (aartbik.com/MISC/reversi.html), with
# the first passes at depth 9. Connect four: powers of 7 until a column is full, 7**7 - 7; depth 8 was counted with
# OpenSpiel. OpenSpiel confirmed all of them to the last; the next test repeats it for the smaller ones.
PERFT = {
    "tictactoe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    "connect4": [7, 49, 343, 2401, 16807, 117649, 823536, 5673234],
    "othello": [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288],
}
MOST = 10**8 if COMPILED else 20_000


def perft(position: Position, depth: int) -> int:
    game = position.game
    states = np.zeros((depth + 1, game.dtype.itemsize), np.uint8)
    states[0] = position.buffer
    actions, weights = np.zeros((depth + 1, game.max_actions), np.int32), np.zeros(game.max_actions)
    counts, at = np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64)
    rewards = np.zeros(game.players)
    return int(core.perft(game.rules_table(), states, actions, weights, rewards, counts, at, depth))


@pytest.mark.parametrize("name", PERFT)
def test_perft_is_what_others_counted(name):
    position = games.load(name).position()
    for depth, nodes in enumerate(PERFT[name], start=1):
        if nodes <= MOST:
            assert perft(position, depth) == nodes, f"depth {depth}"


@pytest.mark.parametrize("name", SPIEL)
def test_perft_agrees_with_openspiel(name):

    def count(state, depth):
        if state.is_terminal() or depth == 1:
            return len(state.legal_actions())
        return sum(count(state.child(action), depth - 1) for action in state.legal_actions())

    start = pyspiel.load_game(SPIEL[name]).new_initial_state()
    for depth, nodes in enumerate(PERFT[name], start=1):
        if nodes <= (150_000 if COMPILED else 3100):
            assert count(start, depth) == nodes, f"depth {depth}"


@pytest.mark.compiled_only
def test_tictactoe_games_add_up_to_the_known_results():
    """255,168 games: X wins 131,184, O wins 77,904, 46,080 draws; here by position, with each one's number of games."""
    game = games.load("tictactoe")
    level, ended = {game.position().buffer.tobytes(): (game.position(), 1)}, {(1, -1): 0, (-1, 1): 0, (0, 0): 0}
    while level:
        below: dict[bytes, tuple[Position, int]] = {}
        for position, ways in level.values():
            for action in position.actions():
                child = position.play(action)
                if child.is_terminal:
                    ended[tuple(child.rewards.astype(int).tolist())] += ways
                else:
                    key = child.buffer.tobytes()
                    below[key] = (child, ways + (below[key][1] if key in below else 0))
        level = below
    assert ended == {(1, -1): 131184, (-1, 1): 77904, (0, 0): 46080}


def test_tictactoe_positions_are_those_of_the_full_solution():
    rows, game = list(tictactoe().values()), games.load("tictactoe")
    for known in rows if COMPILED else rows[::50]:
        position = game.position(known.board)
        assert position.text.replace("/", "") == known.board
        assert position.is_terminal == known.is_over
        assert "XO"[int(position.state.ply) % 2] == known.to_move
        if position.is_terminal:
            assert (known.value == -1) == ("has won" in position.show())
        else:
            assert position.player == "XO".index(known.to_move)


@pytest.mark.reference
def test_othello_moves_are_those_of_the_endgame_problems(reference):
    """Each problem lists some or all moves of the side to move, with their scores."""
    lines = (reference / "othello" / "fforum-1-19.obf").read_text().splitlines()
    game, checked = games.load("othello"), 0
    for line in lines:
        if line.strip() and not line.startswith("%"):
            position = game.position(line.partition(";")[0])
            legal = {position.action_text(action) for action in position.actions()}
            assert {move.lower() for move in re.findall(r"([A-H][1-8]):", line)} <= legal
            checked += 1
    assert checked >= 19


def test_connect4_solver_positions_are_all_legal():
    rows, game = connect4(), games.load("connect4")
    for known in rows if COMPILED else rows[::20]:
        position = game.position(known.moves)
        assert not position.is_terminal
        assert int(position.state.ply) == len(known.moves)
        assert position.actions() == list(known.results)


# By hand


def test_tictactoe_rewards_the_winner_and_a_draw_is_nothing():
    game = games.load("tictactoe")
    assert game.position("1,4,2,5").play(2).rewards.tolist() == [1.0, -1.0]  # X: 1 2 3
    assert game.position("1,4,2,5,9").play(5).rewards.tolist() == [-1.0, 1.0]  # O: 4 5 6
    draw = game.position("1,2,3,5,4,6,8,7").play(8)
    assert draw.is_terminal
    assert draw.rewards.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("moves", "last", "rewards"),
    [
        ("112233", 4, [1, -1]),  # a row
        ("121212", 1, [1, -1]),  # a column
        ("7121212", 1, [-1, 1]),  # a column, for O
        ("1223343447", 4, [1, -1]),  # a diagonal upwards
        ("7665545441", 4, [1, -1]),  # and downwards
    ],
)
def test_connect4_finds_four_in_each_direction(moves, last, rewards):
    before = games.load("connect4").position(moves)
    after = before.play(last - 1)
    assert not before.is_terminal
    assert after.is_terminal
    assert after.rewards.tolist() == rewards


def test_connect4_line_does_not_run_over_the_edge():
    # X at the top of column 1 (rows 4, 5 and 6) and at the bottom of column 2: neighbours as numbers, not on the board.
    position = games.load("connect4").position("21716116171")
    assert position.show().startswith("X  .  .  .  .  .  .\nX  .  .  .  .  .  .\nX  .  .")
    assert not position.is_terminal


def test_othello_passes_only_when_there_is_no_move_and_ends_when_both_have_none():
    game = games.load("othello")
    # X can't move: no O disc has an X behind it. O can: over b1 … to a1's row.
    squares = list("-" * 64)
    for square in (27, 28, 35, 36, 34):
        squares[square] = "O"
    squares[33] = "X"  # b5: X O O O: the run c5 d5 e5 is open at f5
    position = game.position("".join(squares) + " O")
    assert [position.action_text(a) for a in position.actions()] == ["a5"]
    after = position.play(position.action("a5"))
    assert after.is_terminal  # no X is left
    assert after.rewards.tolist() == [-1.0, 1.0]
    other = game.position("".join(squares) + " X")
    assert [other.action_text(a) for a in other.actions()] == ["f5"]


def test_othello_pass_gives_the_turn_back_and_turns_nothing():
    game = games.load("othello")
    squares = list("-" * 64)
    for square, disc in ((27, "O"), (28, "O"), (35, "O"), (36, "O"), (0, "O"), (1, "X")):
        squares[square] = disc  # O's c1 takes b1; X has nothing
    position = game.position("".join(squares) + " X")
    assert position.actions() == [64]
    assert position.action_text(64) == "pass"
    passed = position.play(64)
    assert passed.player == 1
    assert passed.text == position.text[:-1] + "O"
    assert [passed.action_text(a) for a in passed.actions()] == ["c1"]


def test_othello_static_value_counts_corners_and_moves():
    squares = list("-" * 64)
    for square, disc in ((27, "O"), (28, "O"), (35, "O"), (36, "O"), (0, "X"), (1, "O"), (54, "O")):
        squares[square] = disc  # X has the corner a1 (10) and a move, c1 (1); O has none, and g7 gives h8 away (5)
    for side in "XO":
        position = games.load("othello").position("".join(squares) + f" {side}")
        assert position.evaluate() == pytest.approx((16 / 36, -16 / 36))
    assert not games.load("othello").position().evaluate().any()


def test_othello_random_games_pass_and_end_by_the_rules():
    """A pass is never one of several moves, two never follow each other, and a full or stuck board is the end."""
    game, passes = games.load("othello"), 0
    for seed in range(40 if COMPILED else 1):
        choose, position, passed = random.Random(seed), game.position(), False
        while not position.is_terminal:
            actions = position.actions()
            if 64 in actions:
                assert actions == [64]
                assert not passed
                passes += 1
            passed = actions == [64]
            position = position.play(choose.choice(actions))
        discs = [position.text[:64].count(side) for side in "XO"]
        assert position.rewards[0] == np.sign(discs[0] - discs[1]) == -position.rewards[1]
    assert passes > 0 or not COMPILED


def test_target_sum_pays_for_a_hit_for_too_far_and_for_too_long():
    game = games.load("target_sum", target=10, moves=3, numbers=range(1, 10))
    assert game.position("1/1").play(9).rewards.tolist() == [1.0]
    assert game.position("9/1").play(2).rewards.tolist() == [-1.0]
    assert game.position("2/2").play(3).rewards.tolist() == [-0.5]
    assert game.position("2/2").play(8).rewards.tolist() == [1.0]  # the last move may hit
    assert game.position("2/1").play(3).rewards.tolist() == [0.0]
    for text in ("10/2", "11/2", "5/3"):
        assert game.position(text).player == TERMINAL
        assert game.position(text).actions() == []


def test_target_sum_plays_by_its_settings_without_compiling_again():
    small = games.load("target_sum", target="7", moves="4", numbers="5,2")  # as the command line gives them
    assert small.position().actions() == [5, 2]
    assert small.position().play(2).play(5).rewards.tolist() == [1.0]
    other = games.load("target_sum")
    assert other.rules is small.rules
    assert other.position().actions() == [1, 2, 3]


def test_target_sum_does_not_overflow_at_its_limits():
    game = games.load("target_sum", target=10**9, moves=10**9, numbers=(10**9 - 1, 10**9))
    position = game.position().play(10**9 - 1).play(10**9)
    assert position.rewards.tolist() == [-1.0]
    assert position.text == "1999999999/2"


# Heuristics


def heuristics(position: Position) -> tuple[list[float], list[float]]:
    game = position.game
    table = game.rules_table(wanted=("priors", "evaluate"))
    actions, out, values = np.zeros(game.max_actions, np.int32), np.zeros(game.max_actions), np.zeros(game.players)
    count = core.legal_actions(table, position.buffer, actions)
    core.priors(table, position.buffer, actions, count, out)
    core.evaluate(table, position.buffer, values)
    return out[:count].tolist(), values.tolist()


@pytest.mark.parametrize("name", ["connect4", "target_sum"])
def test_priors_sum_to_one_and_values_stay_in_range(name):
    game = games.load(name)
    for seed in range(200 if COMPILED else 20):
        position = random_position(game, seed, 40)
        if not position.is_terminal:
            before = position.buffer.tobytes()
            priors, values = heuristics(position)
            assert sum(priors) == pytest.approx(1.0)
            assert all(p > 0 for p in priors)
            assert all(-1.0 <= v <= 1.0 for v in values)
            assert name != "connect4" or sum(values) == 0.0
            assert position.buffer.tobytes() == before


def best(position: Position) -> int:
    priors, _ = heuristics(position)
    return position.actions()[int(np.argmax(priors))]


def test_connect4_priors_see_wins_blocks_and_what_a_stone_lifts():
    game = games.load("connect4")
    assert best(game.position()) == 3  # the centre
    assert best(game.position("112233")) == 3  # X completes 1 2 3 4
    assert best(game.position("1122337")) == 3  # O blocks X's 4
    # O has 1, 2 and 3 of the second row; whoever fills 4 at the bottom hands it the fourth.
    rows = "......./......./......./X....../OOO..../XXO.XOX"
    priors, values = heuristics(game.position(rows))
    assert priors[3] == min(priors)
    assert values[0] < 0 < values[1]


def test_connect4_evaluate_knows_a_win_in_one_and_a_double_threat():
    game = games.load("connect4")
    assert heuristics(game.position("112233"))[1] == [0.95, -0.95]  # X moves and wins
    assert heuristics(game.position("37475"))[1] == [0.95, -0.95]  # O moves; 3 4 5 is open on both sides
    assert heuristics(game.position())[1] == [0.0, 0.0]


def test_connect4_hash_differs_for_every_position():
    game = games.load("connect4")
    seen: dict[int, bytes] = {}
    for seed in range(500 if COMPILED else 50):
        position = random_position(game, seed, 42)
        with np.errstate(over="ignore"):
            key = int(game.rules.functions["hash"](position.state))
        assert seen.setdefault(key, position.buffer.tobytes()) == position.buffer.tobytes()
    assert len(seen) > 20


def test_target_sum_heuristics_by_hand():
    game = games.load("target_sum", target=10, moves=3, numbers=(2, 5, 9))
    assert heuristics(game.position("5/1"))[1] == [1.0]  # 5 hits
    assert heuristics(game.position("9/1"))[1] == [-1.0]  # 2 is too much
    assert heuristics(game.position("4/2"))[1] == [0.0]  # one move left, 6 to go: within 9, but no number hits
    assert heuristics(game.position("2/1"))[1] == [0.0]
    far = games.load("target_sum", target=21, moves=2, numbers=(2, 5, 9))
    assert heuristics(far.position())[1] == [-0.5]  # 18 at most
    # 5 of 10, one move made: 2 leaves 3, within reach of the last move; 5 hits; 9 goes too far.
    assert heuristics(game.position("5/1"))[0] == pytest.approx([1 / 101.01, 100 / 101.01, 0.01 / 101.01])
