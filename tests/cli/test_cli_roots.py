"""`--roots`: several trees from the command line, in JSON, in words, and what is refused."""

import json

import pytest

from playout.cli import main
from playout.search import forest_run


def analysed(capsys, *arguments):
    assert main(["analyze", "connect4", "444", "-n", "2001", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_what_each_tree_found_and_does_not_depend_on_the_cores(capsys, monkeypatch):
    found = []
    for cores in (1, 2):
        monkeypatch.setattr(forest_run, "cores", lambda cores=cores: cores)
        found.append(analysed(capsys, "--roots", "4", "--seed", "7"))
        del found[-1]["seconds"], found[-1]["simulations_per_second"]
    assert found[0] == found[1]
    trees = found[0]["trees"]
    assert [tree["simulations"] for tree in trees] == [501, 500, 500, 500]
    assert trees[0]["seed"] == found[0]["seed"] == 7
    assert found[0]["settings"] == "connect4,roots=4"
    for tree in trees:
        alone = analysed(capsys, "-n", str(tree["simulations"]), "--seed", str(tree["seed"]))
        assert (alone["best"], alone["value"]) == (tree["best"], tree["value"])


def test_the_summary_and_the_explanation_name_the_trees(capsys):
    assert main(["analyze", "connect4", "-n", "300", "--roots", "3", "--explain"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "303 positions of 3 trees" in out
    assert "3 trees searched independently" in out


def test_the_search_plays_with_several_roots(capsys):
    assert main(["play", "tictactoe", "--watch", "-n", "60", "--roots", "2", "--seed", "1"]) == 0
    assert "draw" in capsys.readouterr().out.lower()


def test_players_of_the_arena_may_have_several_roots(capsys):
    players = ["both=default,roots=2,n=20", "one=default,n=20"]
    options = ["--games", "2", "--concurrency", "1", "--db", "none", "--json"]
    assert main(["arena", "tictactoe", *players, *options]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--roots", "0"], "roots is 0, expected a whole number of at least 1 and at most 256"),
        (["--roots", "10000"], "roots is 10000, expected a whole number of at least 1 and at most 256"),
        (["--roots", "two"], "'two' is not a whole number"),
        (["--roots", "2", "--option", "roots=3"], "--roots 2 and --option roots=3: give one of them"),
        (["--roots", "2", "--option", "root=gumbel"], "Gumbel() plans the simulations of one tree"),
        (["--roots", "4", "--bytes", "100"], "limit bytes is 100, too small for 4 roots of tictactoe"),
    ],
)
def test_what_can_not_be_is_refused_in_one_line(arguments, reason, capsys):
    assert main(["analyze", "tictactoe", "-n", "10", *arguments]) == 2
    error = capsys.readouterr().err
    assert reason in error
    assert error.count("\n") == 1
