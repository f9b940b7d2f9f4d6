"""The game loop, what it plays on, and what counts as a move."""

from functools import partial

import pytest

import playout as po
from playout.play.chance import draw_outcome
from playout.play.clock import Clocks
from playout.play.loop import Playthrough, play_game
from playout.play.players import SearchPlayer
from playout.play.source import GameSource
from playout.play.spec import read_spec
from tests.games.toy_games import Dice, Nim


class Script:
    """Actions in order; None where there is no answer yet."""

    def __init__(self, *actions: int | None) -> None:
        self.actions = list(actions)

    def __call__(self, position: po.Position) -> int | None:
        return self.actions.pop(0)


def test_chance_draws_and_players_choose_until_the_end() -> None:
    game = Playthrough(Dice().position())
    play_game(game, Script(1, 0, 1, 0), Script(3, 1))
    assert game.position.is_terminal
    assert game.actions == [1, 3, 0, 1, 1, 0]
    assert game.action_texts == ["1", "3", "0", "1", "1", "0"]
    assert game.moves == 4  # outcomes of chance are not moves
    assert game.returns == [1.0, -1.0]  # 3 and 1 points against 1 and 1


def test_a_player_without_an_answer_is_asked_again() -> None:
    game = Playthrough(Nim(stones=4).position())
    play_game(game, Script(None, 3, None, None, 1), Script())
    assert game.actions == [3, 1]


def test_the_loop_stops_before_chance_too() -> None:
    game = Playthrough(Dice().position())
    play_game(game, Script(1), Script(), lambda: game.moves >= 1)
    assert game.actions == [1]
    assert game.position.player == po.CHANCE


def test_a_search_can_be_played_on() -> None:
    search = po.Search(Dice())
    play_game(search, Script(1, 0, 1, 0), Script(3, 1))
    assert search.position.is_terminal
    assert search.result().moves == 4


def test_the_moves_of_an_opening_are_moves() -> None:
    game = Playthrough(Dice().position())
    game.play_opening([1, 0, 0])
    assert (game.opening, game.moves) == (3, 2)


def test_the_temperature_of_a_player_counts_the_moves_of_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr(po.Settings, "temperature_at", lambda self, moves: seen.append(moves) or 0.0)
    player, game = SearchPlayer(read_spec("default,n=5"), Dice()), Playthrough(Dice().position())
    game.play_opening([1, 0])
    player.new_game(game.position, 1)
    clocks = Clocks(None, 2)
    play_game(game, lambda position: player.choose(game, clocks), partial(draw_outcome, source=LeastSource()))
    assert seen == [1, 2, 3]


class LeastSource:
    def random(self) -> float:
        return 0.0


def test_a_source_loads_a_game_by_name_or_gives_the_game_itself() -> None:
    nim = Nim(stones=5)
    assert GameSource.of(nim, None, "here").load() is nim
    assert GameSource.of("connect4", None, "here").load().title == "connect4"
    with pytest.raises(po.GameError, match="here got 7, expected a Game, a game's name"):
        GameSource.of(7, None, "here")  # type: ignore[arg-type]
