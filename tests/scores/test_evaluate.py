"""`playout evaluate` and the scores behind it: the same luck for everybody, honest intervals, pictures."""

import json
import math
import signal
import subprocess
import sys
import time
from xml.etree import ElementTree

import pytest

import playout as po
from playout import games
from playout.cli import main
from playout.report.show import scores_svg
from playout.scores import Evaluation, ScoredGame, Scores, bin_edges, evaluate, half_width
from tests.games.toy_games import Nim
from tests.processes import started

SMALL = {"columns": 3, "rows": 5, "line": 4}


def scores(name, *values):
    return Scores(name, tuple(ScoredGame(0, i, float(v), 10, 0.5, "") for i, v in enumerate(values)))


def test_figures_of_known_scores():
    found = scores("one", 1, 2, 3, 4, 10)
    assert (found.mean, found.quartiles, found.moves, found.seconds) == (4.0, (2.0, 3.0, 4.0), 10.0, 0.05)
    assert found.deviation == pytest.approx(math.sqrt(50 / 4))
    assert found.error == pytest.approx(4.604095 * math.sqrt(50 / 4) / math.sqrt(5), rel=1e-5)  # t of 4
    assert math.isnan(half_width([3.0]))


def test_the_lead_is_taken_game_by_game():
    """Luck that all share does not widen the interval."""
    first, second = scores("first", 10, 200, 3000), scores("second", 11, 201, 3001)
    assert second.lead(first) == (1.0, 0.0)
    assert second.error > 1000


@pytest.mark.parametrize(
    ("values", "edges"),
    [
        ([], []),
        ([5.0], [5.0, 6.0]),
        ([0.0, 1.0], [0.0, 0.1]),
        ([1234.0, 60321.0], [0.0, 5000.0]),
        ([-3.5, 4.0], [-3.5, -3.0]),
    ],
)
def test_bins_are_round_and_hold_everything(values, edges):
    found = bin_edges(values)
    assert found[:2] == pytest.approx(edges)
    assert len(found) <= 18
    for value in values:
        assert found[0] <= value < found[-1]


def test_players_meet_the_same_luck():
    """Two that play alike score alike; another seed is another luck."""
    game = games.load("suika", **SMALL)
    found = evaluate(game, ["one=greedy", "two=greedy", "random"], games=4, workers=1, seed=5)
    one, two, other = found.scores
    assert [r.score for r in one.records] == [r.score for r in two.records]
    assert [r.end for r in one.records] == [r.end for r in two.records]
    assert [r.score for r in one.records] != [r.score for r in other.records]
    again = evaluate(game, ["greedy"], games=4, workers=1, seed=6).scores[0]
    assert [r.score for r in again.records] != [r.score for r in one.records]


def test_the_score_is_the_games_own_and_not_the_reward():
    """The search's reward has a penalty for losing, the score has not."""
    record = evaluate(games.load("suika", **SMALL), ["random"], games=1, workers=1).scores[0].records[0]
    assert record.score >= 0
    assert record.end.split()[-1] == f"{record.score:g}" or record.score == 0


def test_the_search_does_better_than_chance():
    game = games.load("target_sum")
    found = evaluate(game, ["default,n=100", "random"], games=6, workers=1)
    assert found.scores[0].mean == 1.0 > found.scores[1].mean


def test_games_that_do_not_end_count_as_they_stand():
    found = evaluate(games.load("game2048"), ["random"], games=2, workers=1, max_moves=5)
    assert [record.moves for record in found.scores[0].records] == [5, 5]


@pytest.mark.compiled_only
def test_processes_play_what_one_process_plays():
    game = games.load("suika", **SMALL)
    one = evaluate(game, ["suika,n=20", "greedy"], games=3, workers=1, seed=2)
    two = evaluate(game, ["suika,n=20", "greedy"], games=3, workers=2, seed=2)
    ends = [[[r.end for r in s.records] for s in found.scores] for found in (one, two)]
    assert ends[0] == ends[1]


def test_mistakes_are_told():
    suika = games.load("suika")
    with pytest.raises(
        po.SettingsError, match="connect4 has 2 players, and scores are for one; `playout arena connect4"
    ):
        evaluate(games.load("connect4"), ["random"])
    with pytest.raises(po.SettingsError, match="games is 0, expected a whole number of at least 1"):
        evaluate(suika, ["random"], games=0)
    with pytest.raises(po.SettingsError, match="workers is -1"):
        evaluate(suika, ["random"], workers=-1)
    with pytest.raises(po.SettingsError, match="player 'greedy': game2048 has no priors to be greedy by"):
        evaluate(games.load("game2048"), ["greedy"])
    with pytest.raises(po.PositionError, match="row 1 has 3 cells"):
        evaluate(suika, ["random"], position="...")


def test_ctrl_c_keeps_the_games_that_are_finished():
    done = []

    def progress(found):
        if found.scores[0].records:
            raise KeyboardInterrupt

    found = evaluate(
        games.load("suika", **SMALL),
        ["random"],
        games=5,
        workers=1,
        progress=progress,
        interrupted=lambda: done.append(1),
    )
    assert (len(found.scores[0].records), done) == (1, [1])
    with pytest.raises(KeyboardInterrupt):
        evaluate(games.load("suika", **SMALL), ["random"], games=5, workers=1, progress=progress)


def test_one_player_by_itself_a_games_name_and_a_random_seed_are_taken():
    found = evaluate("target_sum", "random", games=2.0, workers=1, seed=None)
    again = evaluate("target_sum", ["random"], games=2, workers=1, seed=found.seed)
    assert [r.end for r in found.scores[0].records] == [r.end for r in again.scores[0].records]


# The command


def run(capsys, *arguments):
    code = main(["evaluate", *arguments])
    out, error = capsys.readouterr()
    return code, out, error


def small(*arguments):
    given = [part for key, value in SMALL.items() for part in ("--set", f"{key}={value}")]
    return ("suika", *given, "--workers", "1", *arguments)


def test_the_command_prints_a_table_and_a_histogram_for_each(capsys, tmp_path):
    drawing = tmp_path / "scores.svg"
    players = ("--player", "greedy", "--player", "chance=random")
    code, out, error = run(capsys, *small("--games", "5", *players, "--svg", str(drawing)))
    assert (code, error) == (0, "")
    assert out.startswith("suika: 10 games, seed 0\n")
    assert "±99%" in out
    assert "lead" in out
    assert out.count("█") > 5
    texts = [part.text for part in ElementTree.fromstring(drawing.read_text()).iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("chance: ") for text in texts)


class Dust(Nim):
    """Nim for one player, who gets a thousandth of the stones taken by each move, squared."""

    players = 1
    value_range = None

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else 0

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        rewards[0] = 0.001 * action * action


def test_small_scores_are_printed_with_the_digits_that_count(capsys):
    code, out, _ = run(capsys, f"{__name__}:Dust", "--player", "random", "--games", "8", "--workers", "1", "--json")
    values = [record["score"] for record in json.loads(out)["players"][0]["records"]]
    assert code == 0
    assert max(values) < 0.1  # 21 stones in threes give 0.063
    _, out, _ = run(capsys, f"{__name__}:Dust", "--player", "random", "--games", "8", "--workers", "1")
    cells = dict(zip(out.splitlines()[1].split(), out.splitlines()[2].split(), strict=False))
    assert float(cells["mean"]) == pytest.approx(sum(values) / 8, abs=0.0005)
    assert float(cells["±99%"]) > 0
    bounds = [tuple(map(float, line.split()[:3:2])) for line in out.splitlines()[4:]]
    assert all(low < high for low, high in bounds)
    assert bounds[0][0] <= min(values)
    assert max(values) < bounds[-1][1]


def test_a_preset_with_options_is_one_player(capsys):
    code, out, _ = run(capsys, *small("--games", "2", "--preset", "suika", "--option", "c=2", "-n", "10", "--json"))
    found = json.loads(out)
    assert code == 0
    assert [player["player"] for player in found["players"]] == ["suika,c=2"]
    assert (found["wanted"], found["players"][0]["games"], found["confidence"]) == (2, 2, 0.99)
    assert sum(found["players"][0]["histogram"]) == 2
    assert found["players"][0]["lead"] == {"mean": 0.0, "error": 0.0}


def test_the_command_tells_mistakes_in_one_line(capsys):
    code, out, error = run(capsys, "othello", "--games", "2")
    assert (code, out) == (2, "")
    assert error == (
        "playout: othello has 2 players, and scores are for one; `playout arena othello …` plays matches between "
        "players\n"
    )
    _, _, error = run(capsys, *small("--player", "greedy", "--preset", "suika"))
    assert "--player says how to search, and so do --preset and --option" in error
    _, _, error = run(capsys, *small("--player", "gredy"))
    assert "no preset 'gredy'" in error
    code, _, error = run(capsys, *small("--player", "random", "--games", "1", "--svg", "/nowhere/at/all.svg"))
    assert (code, "--svg /nowhere/at/all.svg: can't write there: there is no folder" in error) == (2, True)


def test_nothing_is_played_where_the_game_is_over(capsys):
    code, out, error = run(capsys, *small("--player", "random", "--games", "1", "--position", "1../2../1../2../1.. 1"))
    assert (code, out) == (2, "")
    assert "the game is over in" in error


@pytest.mark.compiled_only
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process there")
def test_ctrl_c_reports_what_is_done(tmp_path):
    game, loaded = tmp_path / "watched.py", tmp_path / "loaded"
    note = f"with open({str(loaded)!r}, 'a') as file:\n    file.write('x')\n"
    game.write_text(f"from playout.games.suika import Suika\n\nclass Watched(Suika): pass\n\n{note}")
    command = [sys.executable, "-m", "playout", "evaluate", f"{game}:Watched", "--player", "random"]
    command += ["--games", "1000000", "--workers", "2"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not loaded.exists() or loaded.stat().st_size < 3:  # here and in both workers
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    assert (process.returncode, error) == (130, "")
    assert " of 1000000 games" in out or "no game was finished" in out


def test_the_drawing_of_nothing_is_a_drawing():
    svg = scores_svg(Evaluation("suika", 3, 0, (Scores("a<b", ()),)))
    assert "no game was finished" in svg
    ElementTree.fromstring(svg)
