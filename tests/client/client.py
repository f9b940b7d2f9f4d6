"""A client of the public interface with full type annotations. `test_client` checks it with mypy and runs it."""

from typing import Any, reveal_type

import numpy as np
from numpy.typing import NDArray

import playout as po


class Nim(po.Game):
    """Take one to three stones; whoever takes the last one wins."""

    players = 2
    max_actions = 3
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])

    @staticmethod
    def initial_state(state: Any) -> None:
        state.stones = 21

    @staticmethod
    def current_player(state: Any) -> int:
        return po.TERMINAL if state.stones == 0 else int(state.turn)

    @staticmethod
    def legal_actions(state: Any, actions: NDArray[np.int32]) -> int:
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return int(count)

    @staticmethod
    def apply(state: Any, action: int, rewards: NDArray[np.float64]) -> None:
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


class EpsilonGreedy(po.Policy):
    """Usually the child with the highest value, sometimes a random one."""

    epsilon: float = 0.1

    @staticmethod
    def score(policy: Any, node: Any, edge: Any, shared: float, rng: NDArray[np.uint64]) -> float:
        return po.random(rng) if po.random(rng) < policy.epsilon else float(edge.value)


class Stones:
    """Nim as a Python object."""

    def __init__(self, stones: int = 5, turn: int = 0) -> None:
        self.stones, self.turn = stones, turn

    def current_player(self) -> int | None:
        return self.turn if self.stones else None

    def legal_actions(self) -> list[int]:
        return list(range(1, min(3, self.stones) + 1))

    def play(self, action: int) -> "Stones":
        return Stones(self.stones - action, 1 - self.turn)

    def returns(self) -> list[float]:
        return [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]

    def __str__(self) -> str:
        return f"{self.stones} stones, player {self.turn}"


def games() -> None:
    game, position = Nim(), Nim().position()
    reveal_type(game)  # E: Nim
    reveal_type(position)  # E: Position
    reveal_type(position.player)  # E: int
    reveal_type(position.actions())  # E: list[int]
    reveal_type(position.play(1))  # E: Position
    reveal_type(position.text)  # E: str
    reveal_type(po.games.load("tictactoe"))  # E: Game
    reveal_type(po.games.names())  # E: list[str]
    reveal_type(po.wrap(Stones()))  # E: ObjectGame


def settings() -> None:
    made = po.Settings(policy=po.PUCT(c=2.0), evaluator=po.Rollouts(n=2), solver=False)
    reveal_type(made)  # E: Settings
    reveal_type(made.policy)  # E: Policy
    reveal_type(made.backup)  # E: Backup
    reveal_type(made.solver)  # E: bool
    reveal_type(made.replace(discount=0.5))  # E: Settings
    reveal_type(po.preset("textbook"))  # E: Settings
    reveal_type(po.UCT(c=1.0).c)  # E: float
    reveal_type(EpsilonGreedy(epsilon=0.2).epsilon)  # E: float


def searches() -> None:
    search = po.Search(Nim(), po.Settings(policy=EpsilonGreedy()), seed=1)
    reveal_type(search)  # E: Search
    result = search.run(simulations=50)
    reveal_type(result)  # E: Result
    reveal_type(result.best)  # E: int | None
    reveal_type(result.best_text)  # E: str | None
    reveal_type(result.value)  # E: float
    reveal_type(result.line)  # E: tuple[int, ...]
    reveal_type(result.actions[0])  # E: ActionStats
    reveal_type(result.actions[0].visits)  # E: int
    reveal_type(result.actions[0].value)  # E: float | None
    reveal_type(result.explain())  # E: str
    reveal_type(search.step())  # E: Step
    root = search.root
    reveal_type(root)  # E: Node
    reveal_type(root.visits)  # E: int
    reveal_type(root.children[0])  # E: Node
    reveal_type(root.svg())  # E: str
    reveal_type(search.position)  # E: Position
    reveal_type(search.play("1"))  # E: Position


def asking() -> None:
    search = po.Search(Nim(), po.Settings(evaluator=po.Outside()), seed=1)
    leaves = search.ask(2)
    reveal_type(leaves)  # E: list[Leaf]
    for leaf in leaves:
        reveal_type(leaf.actions)  # E: tuple[int, ...]
        search.tell(leaf, 0.0)


def checks() -> None:
    report = po.check_game(Nim(), games=2)
    reveal_type(report)  # E: Report
    reveal_type(report.ok)  # E: bool
    reveal_type(report.findings)  # E: tuple[Finding, ...]
    part = po.check_part(po.UCT())
    reveal_type(part)  # E: PartReport
    reveal_type(part.findings)  # E: tuple[Finding, ...]


def randomness() -> None:
    rng = np.array([1], np.uint64)
    reveal_type(po.random(rng))  # E: float
    reveal_type(po.normal(rng))  # E: float
    reveal_type(po.random_below(rng, 6))  # E: int


if __name__ == "__main__":
    games()
    settings()
    searches()
    asking()
    checks()
    randomness()
