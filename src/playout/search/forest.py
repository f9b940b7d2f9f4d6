"""The trees of one search: one, or as many independent ones as the setting `roots` says."""

import hashlib
from collections.abc import Collection, Sequence
from typing import NamedTuple

from playout.core.tree import POSITIONS, used_bytes
from playout.errors import PositionError, SettingsError
from playout.evaluators import Evaluator
from playout.evaluators.fast import LoopFacts, fast_facts
from playout.game import Game, Position
from playout.settings import Settings, is_outside

from .history import History
from .limits import Limits
from .roots import restrict
from .runner import Runner

SEED_BYTES = 6  # of a derived seed: a number that JSON readers keep exactly


class GrownTree(NamedTuple):
    """One tree of a search: what grows it, and what was done to it."""

    runner: Runner
    past: History


def seeds_of(seed: int, roots: int) -> list[int]:
    """The seeds of the trees: the first tree has the search's own, the others have seeds derived from it.

    >>> seeds_of(0, 3) == [0, *seeds_of(0, 4)[1:3]], len(set(seeds_of(0, 256) + seeds_of(1, 256)))
    (True, 512)
    """
    digests = (hashlib.sha256(repr((seed, "root", number)).encode()).digest() for number in range(1, roots))
    return [seed, *(int.from_bytes(digest[:SEED_BYTES], "big") for digest in digests)]


def value_sources(settings: Settings, game: Game) -> tuple[Evaluator | None, LoopFacts | None, Game]:
    """What evaluates from outside the compiled loop, or the network inside it; and the game in the form it sees."""
    if not is_outside(settings.evaluator):
        return None, fast_facts(settings.evaluator, game), game
    evaluator = Evaluator(settings.evaluator, game)
    return evaluator, None, evaluator.game


def start_position(game: Game, position: str | Position | None) -> Position:
    """The position that a search of `game` begins at."""
    if isinstance(position, Position):
        position = game.adopt(position)
    if not isinstance(position, Position | str | None):
        raise PositionError(f"Search got position {position!r}, expected a text or a Position of {game.title}")
    if isinstance(position, Position) and type(position.game) is not type(game):
        raise PositionError(f"Search got a position of {position.game.title}, expected one of {game.title}")
    return position if isinstance(position, Position) else game.position(position)


def planted(
    runner: Runner, start: Position, evaluator: Evaluator | None, only: Collection[int | str] | int | str | None
) -> GrownTree:
    """A tree whose root is `start`, with the actions in `only`."""
    past = History(runner, start)
    runner.plant(start, runner.seed)
    past.begin()
    if not runner.absent_parts():  # a file may name some that are not at hand
        runner.rules = runner.with_parts(shown=False)
    if evaluator is not None:
        runner.attach(evaluator)
    if only is not None:
        restrict(runner, only)
        past.begin_with_tree()
    return GrownTree(runner, past)


def check_single(trees: Sequence[GrownTree], what: str) -> None:
    """Refuse what works on one tree only."""
    if len(trees) > 1:
        raise SettingsError(f"{what}: this search grows {len(trees)} trees, expected one; make it with roots=1")


# Dividing limits.


def filled_up(total: int, have: Sequence[int]) -> list[int]:
    """Divide `total` so that all have as much in the end, as far as it goes; the first ones get the remainder.

    >>> filled_up(10, [0, 0, 0, 0]), filled_up(10, [3, 3, 2, 2]), filled_up(3, [9, 0, 1])
    ([3, 3, 2, 2], [2, 2, 3, 3], [0, 2, 1])
    """
    low, high = 0, total + max(have)
    while low < high:  # the highest level that is reached
        level = (low + high + 1) // 2
        if sum(max(0, level - had) for had in have) <= total:
            low = level
        else:
            high = level - 1
    found = [max(0, low - had) for had in have]
    rest = total - sum(found)
    for i, had in enumerate(have):
        if rest and had <= low:
            found[i] += 1
            rest -= 1
    return found


def divided(limits: Limits, trees: Sequence[GrownTree]) -> list[Limits | None]:
    """The limits of each tree; None: it gets nothing to do.

    Simulations, positions and bytes are totals: simulations go first to the trees that have the fewest, the others are
    divided evenly, the remainder to the first trees. The seconds are for all trees together.
    """
    done = [tree.runner.simulations for tree in trees]
    simulations = None if limits.simulations is None else filled_up(limits.simulations, done)
    nodes = None if limits.nodes is None else filled_up(limits.nodes, [0] * len(trees))
    sizes = None if limits.bytes is None else filled_up(limits.bytes, [0] * len(trees))
    found = list[Limits | None]()
    for i in range(len(trees)):
        given = [None if share is None else share[i] for share in (simulations, nodes, sizes)]
        found.append(None if 0 in given else Limits(given[0], limits.seconds, given[1], given[2]))
    return found


# Sizes.


def positions_in(trees: Sequence[GrownTree]) -> int:
    """The positions in all trees."""
    return sum(int(tree.runner.tree.counters[POSITIONS]) for tree in trees)


def bytes_of(trees: Sequence[GrownTree]) -> int:
    """The memory that all trees use."""
    return sum(used_bytes(tree.runner.tree) for tree in trees)
