"""Nim: the first game of the tutorial, with a search. `python examples/nim.py`, `playout play examples/nim.py:Nim`."""

import numpy as np

import playout as po


class Nim(po.Game):
    """Take one to three stones; whoever takes the last one wins."""

    players = 2
    max_actions = 3
    state = np.dtype([("stones", np.int32), ("turn", np.int8)])
    settings = {"stones": 13}  # noqa: RUF012  # read when the class is made

    @staticmethod
    def initial_state(state):
        state.turn = 0  # `stones` is filled from the settings

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.stones == 0 else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


if __name__ == "__main__":
    for stones in range(1, 14):
        result = po.Search(Nim(stones=stones), seed=1).run(5_000)
        print(f"{stones:2} stones: take {result.best_text}, proven {result.proven:+.0f}")
