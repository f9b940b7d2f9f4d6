"""The matches of a training: a network against plain UCT or against another network."""

from collections.abc import Callable
from typing import Any

from playout.game import Game
from playout.play.openings import NoOpeningError, Opening, RandomOpenings
from playout.play.referee import MatchSetup, Referee, schedule
from playout.play.solo import Soloist, SoloSetup
from playout.play.source import GameSource
from playout.play.spec import SEARCH, Spec
from playout.policies import PUCT, Parent
from playout.settings import Settings

from .network_kind import kind_of
from .recipe import Recipe

MATCH_BATCH = 8  # leaves of one search in a match

# A function from planes [B, *planes] to policies and values, or the file of a fast network.
Opened = Callable[[Any], tuple[Any, Any]] | str


def network_settings(network: Opened, recipe: Recipe) -> Settings:
    """The search of a network at full strength, as in the preset `network`."""
    evaluator = kind_of(recipe).evaluator(network, MATCH_BATCH)
    return Settings(policy=PUCT(1.25, growth=1.0), evaluator=evaluator, unvisited=Parent())


def match_scores(
    game: Game, recipe: Recipe, network: Opened, rival: Opened | int, seed: int, first: int, count: int
) -> list[float]:
    """The scores (1, 0.5, 0) of a network against another one, or against plain UCT with `rival` simulations, from
    `count` openings of a match, each from every seat (of one player: in two games), the first of them `first`."""
    ours = Spec("network", SEARCH, network_settings(network, recipe), recipe.simulations)
    if isinstance(rival, int):
        theirs = Spec("uct", SEARCH, Settings(), rival)
    else:
        theirs = Spec("rival", SEARCH, network_settings(rival, recipe), recipe.simulations)
    if game.players == 1:
        return _solo_scores(game, recipe, (ours, theirs), range(2 * first, 2 * (first + count)), seed)
    players = [ours] + [theirs] * (game.players - 1)
    referee = Referee(game, MatchSetup(GameSource(game), players, seed, max_moves=recipe.max_moves))
    openings = _openings(game, recipe.plies, seed, first + count)
    records = [
        referee.play(scheduled, openings[scheduled.opening])
        for scheduled in schedule([tuple(range(game.players))], len(openings))[first * game.players :]
    ]
    return [record.score(record.players.index(0), record.players.index(1)) for record in records]


def _solo_scores(game: Game, recipe: Recipe, players: tuple[Spec, Spec], numbers: range, seed: int) -> list[float]:
    """Where there is one player, both play the same games, and the higher score wins."""
    soloist = Soloist(SoloSetup(GameSource(game), players, seed, recipe.max_moves))
    ours, theirs = ([soloist.play(player, number).score for number in numbers] for player in (0, 1))
    return [0.5 if a == b else float(a > b) for a, b in zip(ours, theirs, strict=True)]


def _openings(game: Game, plies: int, seed: int, count: int) -> list[Opening]:
    """Random openings; the start itself where random plies end the game."""
    try:
        found = RandomOpenings(game, plies, seed)
        return [found[number] for number in range(count)]
    except NoOpeningError:
        return [Opening("")] * count
