"""A bandit with a continuous arm: one number from 0 to 1 is chosen, and the reward is highest at an unknown place.

`sample_action` draws actions where they can't be listed. The search widens: it compares the actions drawn so far, and
draws another one whenever a node was visited often enough.
"""

import math

import numpy as np

import playout as po


class Bandit(po.Game):
    """Choose x from 0 to 1; the reward has two peaks, the higher one near 0.867."""

    players = 1
    max_actions = 256
    action_width = 1
    value_range = (0.0, 1.0)
    state = np.dtype([("x", np.float64), ("over", np.int8)])

    @staticmethod
    def initial_state(state):
        state.over = 0

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.over else 0

    @staticmethod
    def sample_action(state, rng, out):
        out[0] = po.random(rng)

    @staticmethod
    def apply(state, action, rewards):
        state.x, state.over = action[0], 1
        rewards[0] = 0.5 * (math.sin(13.0 * action[0]) * math.sin(27.0 * action[0]) + 1.0)


def reward(x: float) -> float:
    """The reward of an action, by the rules themselves."""
    rewards = np.zeros(1)
    Bandit.apply(np.zeros(1, np.dtype((np.record, Bandit.state)))[0], [x], rewards)
    return float(rewards[0])


BEST = max(reward(i / 1e5) for i in range(10**5))


SETTINGS = po.Settings(policy=po.UCT(0.5), expansion=po.Widening(alpha=0.7), normalise=True, solver=False)


def main() -> None:
    """Search with 2,000 samples and say how far the answer is from the best there is."""
    search = po.Search(Bandit(), SETTINGS, seed=1)
    result = search.run(simulations=2000)
    x = float(search.position.row(search.position.action(result.best))[0])
    print(f"best {result.best}: x = {x:.4f}, reward {reward(x):.4f} of {BEST:.4f}")
    print(f"{len(result.actions)} actions were drawn; regret {100 * (BEST - reward(x)) / BEST:.2f}%")


if __name__ == "__main__":
    main()
