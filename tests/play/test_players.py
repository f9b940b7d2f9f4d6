"""Players as they are written, clocks, and openings."""

import itertools
import sys
from pathlib import Path

import pytest

import playout as po
from playout.play.clock import Clock, seconds_for_move
from playout.play.openings import RandomOpenings, read_openings, replay
from playout.play.spec import read_spec


def test_players_are_read() -> None:
    assert read_spec("textbook,n=1e3").simulations == 1000
    assert read_spec("policy=puct,c=2,t=0.5").settings == po.Settings(policy=po.PUCT(2.0))
    mine = read_spec("mine=default,n=7")
    assert (mine.name, mine.simulations, mine.kind) == ("mine", 7, "search")
    assert read_spec("random").kind == "random"
    assert read_spec("c=random").name == "c"
    uci = read_spec(f"sf=uci:{sys.executable} -u x.py?Skill Level=3&A=b%2Cc,n=10,t=0.5")
    assert uci.command == (sys.executable, "-u", "x.py")
    assert uci.options == (("Skill Level", "3"), ("A", "b,c"))
    assert (uci.name, uci.simulations, uci.seconds) == ("sf", 10, 0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("random,n=5", "random takes no settings"),
        ("=random", "has no name"),
        ("nonsense", "no preset 'nonsense'"),
        ("default,c", "'c' is not NAME=VALUE"),
        ("c=x", "c is 'x', expected a number"),
        ("default,n=0", "n is '0'"),
        ("default,t=-1", "t is '-1'"),
        ("default,n=1,n=2", "'n' is given twice"),
        ("default,speed=2", "no such setting"),
        ("uci:", "no command"),
        ("uci:no-such-engine", "there is no program 'no-such-engine'"),
        (f"uci:{sys.executable}?Hash", "'Hash' is not an option"),
    ],
)
def test_mistakes_in_players_are_named(text: str, message: str) -> None:
    with pytest.raises(po.SettingsError, match=message):
        read_spec(text)


@pytest.mark.parametrize("text", ["", "x", "0", "1+", "1+x", "-1", "1.2.3"])
def test_mistakes_in_clocks_are_named(text: str) -> None:
    with pytest.raises(po.SettingsError, match="expected seconds"):
        Clock.read(text)


def test_a_move_never_takes_all_of_the_clock() -> None:
    for left, increment in itertools.product((0.01, 0.1, 1.0, 60.0), (0.0, 0.05, 5.0)):
        assert seconds_for_move(left, increment) <= left / 2


# Openings.


def test_random_openings_are_new_unfinished_and_the_same_again() -> None:
    game = po.games.load("connect4")
    found = [RandomOpenings(game, 3, seed=5)[i] for i in range(20)]
    assert found[6] == RandomOpenings(game, 3, seed=5)[6]
    assert found != [RandomOpenings(game, 3, seed=6)[i] for i in range(20)]
    positions = [replay(game, opening) for opening in found]
    assert len({p.text for p in positions}) == 20
    assert not any(p.is_terminal for p in positions)


def test_openings_from_files(tmp_path: Path) -> None:
    game = po.games.load("chess")
    file = tmp_path / "some.epd"
    file.write_text('# some\n\n8/8/8/8/8/k7/8/K6R w - - bm Rh2; id "a";\n8/8/8/8/8/k7/8/K6R b - - 3 40\n')
    found = read_openings(game, file)
    assert [o.start for o in found] == ["8/8/8/8/8/k7/8/K6R w - -", "8/8/8/8/8/k7/8/K6R b - - 3 40"]
    games = tmp_path / "some.pgn"
    games.write_text('[Event "x"]\n\n1. e4 e5 2. Nf3 *\n\n[Event "y"]\n\n1. d4 *\n')
    found = read_openings(game, games)
    assert [len(o.moves) for o in found] == [3, 1]
    assert [len(o.moves) for o in read_openings(game, games, 2)] == [2, 1]
    other = tmp_path / "lines.txt"
    other.write_text("44\n4455\n")
    assert [o.start for o in read_openings(po.games.load("connect4"), other)] == ["44", "4455"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has none"),
        ("8/8 w - -\n", "line 1: .*2 ranks"),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1\n", "line 1: the game is over"),
    ],
)
def test_mistakes_in_openings_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "some.epd"
    file.write_text(text)
    with pytest.raises(po.FileError, match=message):
        read_openings(po.games.load("chess"), file)
    with pytest.raises(po.FileError, match="can't read it"):
        read_openings(po.games.load("chess"), tmp_path / "missing")
