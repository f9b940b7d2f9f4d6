"""Two searches that keep their tree in dictionaries keyed by position, written here from scratch.

`Walking` is built the way the well-known short implementation is: to find children not yet expanded it subtracts the
dictionary's keys from a set, and Python does that by walking over all the keys, the whole tree at each step down.
`Direct` asks the dictionary about each child instead. Nothing else differs, so their ratio is the cost of that line.
"""

from __future__ import annotations

import math
from collections import defaultdict

from .objects import TicTacToe


class Walking:
    """Selection computes `children[node] - children.keys()`."""

    def __init__(self, exploration: float = 1.0) -> None:
        self.exploration = exploration
        self.children: dict[TicTacToe, set[TicTacToe]] = {}  # of the expanded positions
        self.visits: defaultdict[TicTacToe, int] = defaultdict(int)
        self.total: defaultdict[TicTacToe, float] = defaultdict(float)  # for the player who moved into the position

    def unexpanded(self, node: TicTacToe) -> set[TicTacToe]:
        return self.children[node] - self.children.keys()

    def simulate(self, root: TicTacToe) -> None:
        path = self.select(root)
        leaf = path[-1]
        if leaf not in self.children:
            self.children[leaf] = leaf.find_children()
        self.back_up(path, self.play_out(leaf))

    def select(self, node: TicTacToe) -> list[TicTacToe]:
        path = [node]
        while self.children.get(node):  # expanded, and not the end
            unexpanded = self.unexpanded(node)
            if unexpanded:
                path.append(unexpanded.pop())
                break
            node = self.best_by_bound(node)
            path.append(node)
        return path

    def best_by_bound(self, node: TicTacToe) -> TicTacToe:
        log_visits = math.log(self.visits[node])

        def bound(child: TicTacToe) -> float:
            visits = self.visits[child]
            return self.total[child] / visits + self.exploration * math.sqrt(log_visits / visits)

        return max(self.children[node], key=bound)

    @staticmethod
    def play_out(node: TicTacToe) -> float:
        """The return of the player who moved into `node`."""
        opponent_moves = True
        while not node.is_terminal():
            child = node.find_random_child()
            assert child is not None
            node = child
            opponent_moves = not opponent_moves
        return 1 - node.reward() if opponent_moves else node.reward()

    def back_up(self, path: list[TicTacToe], reward: float) -> None:
        for node in reversed(path):
            self.visits[node] += 1
            self.total[node] += reward
            reward = 1 - reward

    def choose(self, root: TicTacToe) -> TicTacToe:
        """The child with the highest mean."""
        visited = [child for child in self.children[root] if self.visits[child]]
        return max(visited, key=lambda child: self.total[child] / self.visits[child])


class Direct(Walking):
    """The same search with the walk mended."""

    def unexpanded(self, node: TicTacToe) -> set[TicTacToe]:
        return {child for child in self.children[node] if child not in self.children}
