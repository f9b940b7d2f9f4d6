"""A game's own settings are its default: every front end takes them, and Python's `Search` does on request."""

import json

import pytest

import playout as po
from playout import games
from playout.arena import read_spec
from playout.cli import main
from playout.core.jit import COMPILED
from playout.settings import PRESETS, preset_for
from tests.game.objects import Stones
from tests.games.toy_games import GuidedNim, Nim

FEW = "200" if COMPILED else "20"


class Guided(GuidedNim):
    preset = "guided"


class Misspelt(Nim):
    preset = "texbook"


class Unsuited(Nim):
    preset = "chess-classic"


def answer(capsys, *arguments):
    code = main([*arguments, "--json"])
    out, error = capsys.readouterr()
    assert (code, error) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("name", games.names())
def test_every_built_in_game_can_be_searched_with_its_preset(name):
    game = games.load(name)
    own = preset_for(game)
    assert own == (type(game).preset or "default")
    assert po.Search(game, "best", seed=1).settings == po.preset(own)
    assert po.Search(game, "best", seed=1).run(20).best is not None


def test_some_games_name_a_preset_of_their_own():
    assert {name: preset_for(games.load(name)) for name in games.names()} == {
        "chess": "chess",
        "connect4": "connect4",
        "suika": "suika",
        "game2048": "game2048",
        "jobshop": "default",
        "knapsack": "default",
        "othello": "othello",
        "samegame": "default",
        "target_sum": "default",
        "tictactoe": "default",
        "tsp": "default",
    }


def test_python_searches_plainly_until_it_is_asked_for_the_best():
    game = games.load("chess")
    assert po.Search(game).settings == po.Settings()
    assert po.Search(game, "default").settings == po.Settings()
    assert po.Search(game, "best").settings == po.preset("chess")


def test_a_game_of_a_users_own_names_a_preset():
    assert po.Search(Guided(), "best").settings == po.preset("guided")
    assert po.Search(Nim(), "best").settings == po.Settings()


def test_a_wrapped_object_names_a_preset():
    class Own(Stones):
        preset = "textbook"

    assert po.Search(po.wrap(Own(7)), "best").settings == po.preset("textbook")
    assert po.Search(po.wrap(Own(7), preset="stepwise"), "best").settings == po.preset("stepwise")
    assert po.Search(po.wrap(Stones(7)), "best").settings == po.Settings()


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (
            Misspelt,
            f"Misspelt.preset is 'texbook', expected the name of a preset (there are: {', '.join(PRESETS)}); did",
        ),
        (
            Unsuited,
            "Unsuited.preset is 'chess-classic', and that can't be: Unsuited has no static value: define `evaluate",
        ),
    ],
    ids=["misspelt", "unsuited"],
)
def test_a_preset_that_cannot_be_is_named_in_one_line(game, message, capsys):
    with pytest.raises(po.GameError) as caught:
        po.Search(game(), "best")
    assert message in str(caught.value)
    with pytest.raises(po.GameError) as caught:
        po.check_game(game(), games=1)
    assert message in str(caught.value)
    assert po.Search(game()).run(5).best is not None
    for command in ("analyze", "doctor"):
        code = main([command, f"tests.settings.test_best:{game.__name__}"])
        out, error = capsys.readouterr()
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert message in error


def test_the_command_line_searches_with_the_games_own_preset(capsys):
    plain = answer(capsys, "analyze", "chess", "-n", FEW, "--preset", "default")
    own = answer(capsys, "analyze", "chess", "-n", FEW)
    named = answer(capsys, "analyze", "chess", "-n", FEW, "--preset", "chess")
    changed = answer(capsys, "analyze", "chess", "-n", FEW, "--option", "c=3")
    assert [found["settings"] for found in (plain, own, named, changed)] == ["default", "chess", "chess", "chess,c=3"]
    assert own["actions"] == named["actions"]
    assert len({action["prior"] for action in plain["actions"]}) == 1 < len({a["prior"] for a in own["actions"]})
    assert answer(capsys, "analyze", "tictactoe", "-n", FEW)["settings"] == "default"
    assert answer(capsys, "analyze", "tictactoe", "-n", FEW, "--preset", "best")["settings"] == "default"


def test_the_analysis_of_chess_recommends_a_sound_opening(capsys):
    """Random playouts recommend g2g4 or b2b4 as often as not."""
    found = answer(capsys, "analyze", "chess", "-n", "20000" if COMPILED else "200")
    assert found["best"] in {"e2e4", "d2d4", "c2c4", "g1f3", "b1c3", "e2e3", "d2d3", "g2g3"}


def test_evaluate_plays_with_the_games_own_preset(capsys):
    small = ("--set", "columns=3", "--set", "rows=4", "--set", "line=3", "--games", "1", "-n", "5", "--workers", "1")
    assert answer(capsys, "evaluate", "suika", *small)["players"][0]["player"] == "suika"
    assert answer(capsys, "evaluate", "suika", *small, "--option", "c=2")["players"][0]["player"] == "suika,c=2"
    assert answer(capsys, "evaluate", "suika", *small, "--preset", "flat")["players"][0]["player"] == "flat"


def test_players_of_the_arena_without_a_preset_have_the_games_own():
    chess = games.load("chess")
    assert read_spec("n=5", chess).settings == po.preset("chess")
    assert read_spec("c=3,n=5", chess).settings == po.preset("chess", policy=po.PUCT(3.0))
    assert read_spec("mine=best,n=5", chess).settings == po.preset("chess")
    assert read_spec("default,n=5", chess).settings == po.Settings()
    assert read_spec("n=5", Nim()).settings == po.Settings()
    with pytest.raises(po.SettingsError, match=r"player 'n=5': Misspelt.preset is 'texbook'"):
        read_spec("n=5", Misspelt())


def test_lists_say_which_preset_a_game_has(capsys):
    rows = answer(capsys, "games")["games"]
    own = {row["game"]: row["preset"] for row in rows}
    assert own == {name: preset_for(games.load(name)) for name in games.names()}
    assert answer(capsys, "settings")["games"] == own
    assert main(["settings"]) == 0
    assert "chess uses chess" in capsys.readouterr().out
    assert main(["games", "chess"]) == 0
    assert "Preset: chess" in capsys.readouterr().out
