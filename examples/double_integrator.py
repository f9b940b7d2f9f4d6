"""A cart on a rail: choose a force from -1 to 1 at each of 20 steps, and bring the cart to rest at 0.

The control is a number, not one of a list: `sample_action` draws it. With `noise`, chance pushes the cart after each
step; its pushes are drawn by `sample_action` as well, and the search widens over both (double progressive widening).
"""

import numpy as np

import playout as po

STEP = 0.5  # seconds
POSITION, SPEED, FORCE = 1.0, 0.1, 0.1  # what each costs, squared


class DoubleIntegrator(po.Game):
    """Bring a cart to rest at 0; the reward of a step is minus x² + 0.1 v² + 0.1 u²."""

    players = 1
    max_actions = 512
    action_width = 1
    keep_states = True
    settings = {"steps": 20, "start": -2.62, "noise": 0.0}  # noqa: RUF012
    state = np.dtype(
        [
            ("x", np.float64),
            ("v", np.float64),
            ("left", np.int32),
            ("pushed", np.int8),  # whether chance has to push the cart now
            ("steps", np.int32),
            ("start", np.float64),
            ("noise", np.float64),
        ]
    )

    @staticmethod
    def initial_state(state):
        state.x, state.left = state.start, state.steps

    @staticmethod
    def current_player(state):
        if state.pushed:
            return po.CHANCE
        return po.TERMINAL if state.left == 0 else 0

    @staticmethod
    def sample_action(state, rng, out):
        if state.pushed:
            out[0] = po.normal(rng)
        else:  # a third of the draws are full force, one way or the other
            out[0] = min(1.0, max(-1.0, 3.0 * po.random(rng) - 1.5))

    @staticmethod
    def apply(state, action, rewards):
        if state.pushed:
            state.v += state.noise * action[0]
            state.pushed = 0
            return
        force = action[0]
        state.x += STEP * state.v + 0.5 * STEP * STEP * force
        state.v += STEP * force
        state.left -= 1
        rewards[0] = -(POSITION * state.x * state.x + SPEED * state.v * state.v + FORCE * force * force)
        state.pushed = state.noise > 0.0 and state.left > 0

    @staticmethod
    def evaluate(state, values):
        """Minus the cost of going on with a hand-made control: a spring and a damper."""
        x, v, total = state.x, state.v, 0.0
        for _ in range(state.left):
            force = min(1.0, max(-1.0, -0.3 * x - 0.5 * v))
            x += STEP * v + 0.5 * STEP * STEP * force
            v += STEP * force
            total -= POSITION * x * x + SPEED * v * v + FORCE * force * force
        values[0] = total


def clipped_lqr(game: DoubleIntegrator) -> list[np.ndarray]:
    """The gains of the best linear control for each step, by Riccati's recursion; it knows no limit of the force."""
    move, push = np.array([[1.0, STEP], [0.0, 1.0]]), np.array([[0.5 * STEP * STEP], [STEP]])
    cost, force = np.diag([POSITION, SPEED]), np.array([[FORCE]])
    ahead, gains = np.zeros((2, 2)), []
    for _ in range(game.values["steps"]):
        after = cost + ahead
        gain = np.linalg.solve(force + push.T @ after @ push, push.T @ after @ move)
        gains.append(gain)
        ahead = move.T @ after @ (move - push @ gain)
    return gains[::-1]


def play_linear(game: DoubleIntegrator, seed: int = 0) -> float:
    """The return of that control, clipped to what the cart can do."""
    gains, state, pushes = clipped_lqr(game), game.position().state, np.random.default_rng(seed)
    total = 0.0
    for gain in gains:
        rewards = np.zeros(1)
        force = float(np.clip(-(gain @ [state.x, state.v])[0], -1.0, 1.0))
        DoubleIntegrator.apply(state, [force], rewards)
        total += rewards[0]
        if state.pushed:
            DoubleIntegrator.apply(state, [pushes.normal()], rewards)
    return total


def play_search(game: DoubleIntegrator, simulations: int, settings: po.Settings, seed: int = 0) -> float:
    """The return of a search with this many simulations for each move."""
    search, pushes = po.Search(game, settings, seed=seed), np.random.default_rng(seed)
    total = 0.0
    while not search.position.is_terminal:
        if search.position.player == po.CHANCE:
            action = search.position.drawn(pushes.random())
        else:
            action = search.run(simulations=simulations).best
        search.play(action)
        total += float(search.position.rewards[0])
    return total


SETTINGS = po.Settings(
    policy=po.UCT(0.3),
    backup=po.Best(),  # without noise the best return counts; with noise, take the mean
    evaluator=po.Static(),
    expansion=po.Widening(k=2.0),
    outcomes=po.Widening(k=1.0, alpha=0.25),
    normalise=True,
    solver=False,
    answer="value",
)


def main() -> None:
    """Compare a search with the clipped linear control."""
    game = DoubleIntegrator()
    print(f"hand-made control          {float(game.position().evaluate()[0]):7.2f}")
    print(f"clipped LQR                {play_linear(game):7.2f}")
    print(f"1,000 simulations a move   {play_search(game, 1000, SETTINGS):7.2f}")


if __name__ == "__main__":
    main()
