"""The pure-Python libraries, each searching the game object of objects.py through an adapter that only renames.

An adapter adds as little work as it can, so that a library's figure is its own: positions that libraries pass around
are the object itself under other method names, and where a library wants a game it can change and copy, the copy
shares the position (which never changes).

Each `Search` takes a position and a number of simulations, and returns the square the library would play and the
simulations it did. Exploration constants are the libraries' own.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .dictionary import Direct, Walking
from .objects import TicTacToe, square_between


class Answer(NamedTuple):
    square: int
    simulations: int


Search = Callable[[TicTacToe, int], Answer]


@dataclass(frozen=True)
class Library:
    name: str
    search: Search
    package: str | None = None  # what has to be installed

    def missing(self) -> str | None:
        """Why it can't be measured, or None."""
        if self.package is None:
            return None
        try:
            importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return f"{self.package} is not installed: not measured"
        return None


def dictionary(kind: type[Walking]) -> Search:
    def search(position: TicTacToe, simulations: int) -> Answer:
        tree = kind()
        for _ in range(simulations):
            tree.simulate(position)
        return Answer(square_between(position, tree.choose(position)), simulations)

    return search


class CamelCase(TicTacToe):
    """For `mcts`. A reward there is one number, and every player wants it large: so it is given for the root's player,
    and the library's opponent helps."""

    __slots__ = ()
    getPossibleActions = TicTacToe.squares  # the names are the library's
    takeAction = TicTacToe.place
    isTerminal = TicTacToe.is_terminal

    def getReward(self) -> int:
        return self.winner


class CamelCaseNoughts(CamelCase):
    """The same where noughts are to move at the root."""

    __slots__ = ()

    def getReward(self) -> int:
        return -self.winner


def search_mcts(position: TicTacToe, simulations: int) -> Answer:
    # Another library installs a package of the same name, which hides this module from `import`.
    files = importlib.metadata.files("mcts") or []
    path = next(file for file in files if file.name == "mcts.py").locate()
    spec = importlib.util.spec_from_file_location("mcts_module", str(path))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    adapter = CamelCase if position.turn == 1 else CamelCaseNoughts
    return Answer(module.mcts(iterationLimit=simulations).search(adapter(*position)), simulations)


class SnakeCase(TicTacToe):
    """For `monte-carlo-tree-search`, whose rewards are for the player called 1."""

    __slots__ = ()
    get_possible_actions = TicTacToe.squares
    take_action = TicTacToe.place

    def get_current_player(self) -> int:
        return self.turn

    def get_reward(self) -> int:
        return self.winner


def search_monte_carlo_tree_search(position: TicTacToe, simulations: int) -> Answer:
    from mcts.searcher.mcts import MCTS

    return Answer(MCTS(iteration_limit=simulations).search(SnakeCase(*position)), simulations)


class TwoPlayers(TicTacToe):
    """For `mctspy`."""

    __slots__ = ()
    get_legal_actions = TicTacToe.squares
    move = TicTacToe.place
    is_game_over = TicTacToe.is_terminal

    @property
    def next_to_move(self) -> int:
        return self.turn

    @property
    def game_result(self) -> int | None:
        return self.winner if self.terminal else None


def search_mctspy(position: TicTacToe, simulations: int) -> Answer:
    from mctspy.tree.nodes import TwoPlayersGameMonteCarloTreeSearchNode
    from mctspy.tree.search import MonteCarloTreeSearch

    root = TwoPlayersGameMonteCarloTreeSearchNode(TwoPlayers(*position))
    best = MonteCarloTreeSearch(root).best_action(simulations)
    return Answer(square_between(position, best.state), simulations)


def search_imparaai(position: TicTacToe, simulations: int) -> Answer:
    from montecarlo.montecarlo import MonteCarlo
    from montecarlo.node import Node

    def node_of(state: TicTacToe) -> Any:
        node = Node(state)
        node.player_number = state.turn
        return node

    def find_children(node: Any, _: Any) -> None:
        if not node.state.terminal:
            node.add_children([node_of(node.state.place(square)) for square in node.state.squares()])

    def evaluate(node: Any, _: Any) -> int | None:
        return node.state.winner * position.turn if node.state.terminal else None

    tree = MonteCarlo(node_of(position))
    tree.child_finder = find_children
    tree.node_evaluator = evaluate
    # One of its expansions plays out every child of a node; at the end of a game it does nothing at all, again and
    # again. So what counts is the playouts that reached the root, and expansions stop when they no longer do.
    while tree.root_node.visits < simulations:
        before = tree.root_node.visits
        tree.simulate(100)
        if tree.root_node.visits == before:
            break
    return Answer(square_between(position, tree.make_choice().state), tree.root_node.visits)


class Stateful:
    """For `mcts-simple`: a game changed in place. Its players are 0 and 1, and both are named as winners of a draw."""

    __slots__ = ("position",)

    def __init__(self, position: TicTacToe) -> None:
        self.position = position

    def __deepcopy__(self, _: object) -> Stateful:
        return Stateful(self.position)

    def get_state(self) -> tuple[int, ...]:
        return self.position.board

    def number_of_players(self) -> int:
        return 2

    def current_player(self) -> int:
        return 0 if self.position.turn == 1 else 1

    def possible_actions(self) -> list[int]:
        return self.position.squares()

    def take_action(self, action: int) -> None:
        self.position = self.position.place(action)

    def has_outcome(self) -> bool:
        return self.position.terminal

    def winner(self) -> list[int]:
        return [0, 1] if self.position.winner == 0 else [0 if self.position.winner == 1 else 1]


def search_mcts_simple(position: TicTacToe, simulations: int) -> Answer:
    from mcts_simple import UCT

    tree = UCT(Stateful(position))
    for _ in range(simulations):
        tree.step()  # what self_play() repeats, without its progress bar
    return Answer(tree.root.choose_best_action(training=False), simulations)


WALKING = Library("dictionary, as known", dictionary(Walking))
DIRECT = Library("dictionary, mended", dictionary(Direct))
LIBRARIES = (
    Library("imparaai-montecarlo", search_imparaai, "imparaai-montecarlo"),
    Library("mcts", search_mcts, "mcts"),
    Library("mcts-simple", search_mcts_simple, "mcts-simple"),
    Library("mctspy", search_mctspy, "mctspy"),
    Library("monte-carlo-tree-search", search_monte_carlo_tree_search, "monte-carlo-tree-search"),
)
