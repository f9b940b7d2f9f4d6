"""`playout play`: whole sessions, with the person's lines from a pipe."""

import io

import pytest

from playout.cli import main
from playout.cli.play import HELP, TerminalGame
from playout.settings import Settings

DICE = '''
import numpy as np
import playout as po

class Dice(po.Game):
    """Roll (1) or stop (0); a six loses everything."""
    players = 1
    max_actions = 6
    state = np.dtype([("total", np.int32), ("rolling", np.int8), ("over", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        if state.over:
            return po.TERMINAL
        return po.CHANCE if state.rolling else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(6):
            actions[i] = i + 1
            probabilities[i] = 1 / 6
        return 6

    @staticmethod
    def apply(state, action, rewards):
        if state.rolling:
            state.rolling = 0
            state.total += action
            if action == 6:
                state.total = 0
                state.over = 1
        elif action == 1:
            state.rolling = 1
        else:
            rewards[0] = state.total
            state.over = 1

    def action_to_text(self, state, action):
        return f"[b{action}]" if state.rolling else ("stop", "roll")[action]


class Three(po.Game):
    """Three players take one or two of six stones; who takes the last one wins all."""
    players = 3
    max_actions = 2
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])
    value_range = (0.0, 1.0)
    returns_sum = 1.0

    @staticmethod
    def initial_state(state):
        state.stones = 6

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 1, 2
        return min(2, state.stones)

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn] = 1.0
        state.turn = (state.turn + 1) % 3
'''


@pytest.fixture
def session(monkeypatch, capsys):
    """Play with these lines as the person's; what was printed. It always ends well."""

    def call(arguments: str, *lines: str, seed: int = 1) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = main(["play", *arguments.split(), "-n", "60", "--seed", str(seed)])
        out, error = capsys.readouterr()
        assert (code, error) == (0, "")
        return out

    return call


@pytest.fixture
def own_games(tmp_path):
    path = tmp_path / "own_games.py"
    path.write_text(DICE)
    return path


def boards(out: str) -> list[str]:
    """The tic-tac-toe boards in the order drawn, free cells as points."""
    rows = [line for line in out.splitlines() if line.count(" | ") == 2]
    cells = ["".join("." if c.isdigit() else c for c in row.replace("|", " ").split()) for row in rows]
    return ["/".join(cells[i : i + 3]) for i in range(0, len(cells) - 2, 3)]


def test_a_move_is_played_and_answered(session):
    out = session("tictactoe", "5")
    assert boards(out)[:2] == [".../.../...", ".../.X./..."]
    assert sum(c == "O" for c in boards(out)[2]) == 1
    assert "The search plays " in out
    assert "60 simulations" in out
    assert out.endswith("Your move> \nGoodbye.\n")


def test_the_search_begins_where_the_person_has_the_second_side(session):
    out = session("tictactoe --side 2")
    assert out.index("The search plays") < out.index("Your move>")
    assert sum(c == "X" for c in boards(out)[1]) == 1


def test_an_illegal_line_gets_one_line_and_asks_again(session):
    out = session("tictactoe", "9", "castle", "9", "")
    assert "'castle' is not legal in" in out
    assert "cell 9 is taken" in out
    assert out.count("help lists the commands") == 2
    assert out.count("Your move>") == 5
    assert "did you mean 'resign'?" in session("tictactoe", "resgin")


def test_undo_takes_back_the_move_and_its_answer(session):
    out = session("tictactoe", "undo", "5", "undo", "1")
    assert "There is nothing to take back." in out
    assert boards(out)[3] == ".../.../..."
    assert boards(out)[4] == "X../.../..."


def test_undo_with_both_sides_takes_back_one_move(session):
    out = session("tictactoe --side both", "5", "1", "undo")
    assert boards(out)[-1] == ".../.X./..."
    assert "Player 1> undo" in out
    assert out.endswith("Player 2> \nGoodbye.\n")


def test_the_temperature_counts_the_moves_of_the_game_after_undo(session, monkeypatch):
    """A new tree is grown after `undo`; the game goes on with the move numbers it had."""
    seen = []
    monkeypatch.setattr(Settings, "temperature_at", lambda self, moves: seen.append(moves) or 0.0)
    session("connect4", "4", "4", "undo", "3", "quit")
    assert seen == [1, 3, 3]


def test_hint_moves_board_and_help(session):
    out = session("tictactoe X.O/.X./..O --side 2", "help", "quit")
    assert all(f"  {word}" in out for word in HELP)
    assert set(HELP) == {name.removeprefix("do_") for name in dir(TerminalGame) if name.startswith("do_")}
    out = session("tictactoe X.O/.X./..O", "moves", "hint", "board", "explain", "quit")
    assert "Your move> moves\n2, 4, 6, 7, 8\n" in out
    assert "Hint: 6  (proven: draw)" in out
    assert "next best: " in out
    assert boards(out) == ["X.O/.X./..O"] * 2
    assert "the search chooses 6" in out


def test_explain_is_about_the_last_thought(session):
    out = session("tictactoe", "explain", "5", "explain")
    assert "has not thought about a move yet" in out
    assert "legal actions the search chooses" in out


def test_resigning_ends_the_game_and_can_be_taken_back(session):
    out = session("tictactoe", "5", "resign", "undo", "resign", "5", "new", "quit")
    assert out.count("You resign; the search wins.") == 2
    assert "The game is over; '5' is none of: undo" in out
    assert boards(out)[-2] == boards(out)[-3]  # the resignation alone is taken back
    assert boards(out)[-1] == ".../.../..."
    assert out.endswith("Goodbye.\n")


def test_the_end_is_announced(session):
    assert "\nYou win.\nAgain? new, undo or quit> " in session("tictactoe XX./OO./...", "3")
    assert "\nThe search wins.\n" in session("tictactoe XX./OO./...", "9")
    assert "\nA draw.\n" in session("tictactoe XOX/XOO/OX.", "9")
    assert "\nPlayer 1 wins.\n" in session("tictactoe XX./OO./... --side both", "3")
    out = session("tictactoe XX./OO./...", "3", "undo", "quit")
    assert boards(out)[-1] == "XX./OO./..."


def test_a_game_of_the_search_with_itself_ends_by_itself(session):
    out = session("tictactoe --side none")
    assert "for player 1, plays" in out
    assert "Your move" not in out
    assert out.splitlines()[-1] in ("A draw.", "Player 1 wins.", "Player 2 wins.")


def test_the_same_seed_gives_the_same_game(session):
    assert session("tictactoe --side none") == session("tictactoe --side none")


def test_the_only_move_needs_no_thought(session):
    assert "(the only move)" in session("tictactoe XOX/XOO/OX. --side 2")


def test_one_player_plays_with_hints_and_can_let_the_search_go_on(session):
    out = session("target_sum 6/3", "3", "auto", "quit")
    assert "The search, for you, plays 1" in out
    assert "The end, with 1." in out
    out = session("target_sum", "resign")
    assert "You give up, with 0 so far." in out


def test_chance_is_drawn_by_the_seed(session, own_games):
    out = session(f"{own_games}:Dice", "roll", "roll", "roll")
    assert "Chance: [b" in out  # taken for text, not for a style
    assert out == session(f"{own_games}:Dice", "roll", "roll", "roll")
    drawn = {session(f"{own_games}:Dice", "roll", seed=seed).split("Chance: ")[1][:4] for seed in range(20)}
    assert len(drawn) > 3


def test_undo_goes_back_behind_chance(session, own_games):
    out = session(f"{own_games}:Dice", "roll", "undo", "stop")
    assert "The end, with 0." in out


def test_three_players(session, own_games):
    out = session(f"{own_games}:Three --side 2", "resign")
    assert "The search, for player 1, plays" in out
    assert "You give up." in out
    out = session(f"{own_games}:Three --side all", "2", "2", "2")
    assert "Player 3 wins (0 : 0 : 1)." in out


def test_ctrl_c_ends_politely(session, monkeypatch):
    def interrupted(prompt: str = "") -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupted)
    assert session("tictactoe").endswith("\nGoodbye.\n")


def test_the_search_keeps_its_tree_from_move_to_move(session, monkeypatch):
    reused = []
    think = TerminalGame.ponder

    def ponder(self, what):
        result = think(self, what)
        reused.append(result.visits - result.simulations)
        return result

    monkeypatch.setattr(TerminalGame, "ponder", ponder)
    session("connect4", "4", "4", "4")
    assert reused[0] == 0
    assert max(reused[1:]) > 0


def test_suika_is_played_with_the_fruit_that_chance_draws(session):
    out = session("suika --preset suika", "3", "hint", "4", "quit")
    assert out.count("Chance: ") == 2
    assert out.count("warning line") == 3  # drawn once for a drop and what chance adds
    assert "Hint: " in out
    assert "\x1b[" not in out  # no colours in a pipe


def test_2048_takes_words_and_letters(session):
    out = session("game2048", "left", "r", "sideways", "quit")
    assert out.count("Chance: ") == 2
    assert "'sideways' is not legal in" in out


@pytest.mark.parametrize("words", ["--watch", "--side none"])
def test_watching_is_the_search_playing_by_itself(session, words):
    out = session(f"suika --set columns=3 --set rows=3 --set line=2 --preset suika {words}")
    assert "Your move" not in out
    assert "The search plays " in out
    final = [line for line in out.splitlines() if "score" in line][-1]
    assert f"The end, with {final.split('score ')[1].split(',')[0]}." in out  # the score, not the reward


def test_watching_draws_in_place_and_in_colour_on_a_terminal(monkeypatch, capsys):
    from rich.console import Console

    out = io.StringIO()
    terminal = Console(file=out, force_terminal=True, color_system="truecolor", width=80, height=40, _environ={})
    monkeypatch.setattr("playout.cli.play.console", lambda: terminal)
    size = ["--set", "columns=2", "--set", "rows=3", "--set", "line=2"]
    assert main(["play", "suika", *size, "--watch", "-n", "20", "--seed", "1"]) == 0
    text = out.getvalue()
    assert "\x1b[1A" in text  # the cursor goes back up
    assert "48;2;" in text  # a fruit's own background
    assert text.rstrip().splitlines()[-1].count("The end, with") == 1
    assert "\x1b[?25h" in text  # the cursor is there again
