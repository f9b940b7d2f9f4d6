"""Gymnasium's environments as games: how they are copied, what chance may show, and what is refused."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from benchmarks.environments import blackjack

import playout as po
from tests.adapters import odd_environments as odd

SMALL = {"simulations": 60}


def ready(env: Any, seed: int = 0) -> Any:
    env.reset(seed=seed)
    return env


def exact_lake(slippery: bool, steps: int, discount: float) -> list[list[float]]:
    """The optimal values of FrozenLake by steps left and state: value iteration over Gymnasium's own table."""
    table = gym.make("FrozenLake-v1", is_slippery=slippery).unwrapped.P  # type: ignore[attr-defined]
    values = [[0.0] * len(table)]
    for _ in range(steps):
        last = values[-1]
        values.append(
            [
                max(sum(p * (r + discount * last[s] * (not end)) for p, s, r, end in table[state][a]) for a in range(4))
                for state in range(len(table))
            ]
        )
    return values


@pytest.mark.parametrize("name", ["CartPole-v1", "FrozenLake-v1", "Taxi-v4", "CliffWalking-v1", "Blackjack-v1"])
def test_an_environment_is_searched_and_not_changed(name: str) -> None:
    env, twin = ready(gym.make(name), 3), ready(gym.make(name), 3)
    game = po.from_gymnasium(env, horizon=20)
    assert game.copies.startswith("attributes: ")
    assert "µs a copy" in game.copies
    result = po.Search(game, seed=1).run(**SMALL)
    assert result.best_action in range(env.action_space.start, env.action_space.start + env.action_space.n)
    for _ in range(3):  # its generator included
        assert str(env.step(1)) == str(twin.step(1))


@pytest.mark.parametrize("way", ["attributes", "deepcopy", "replay"])
def test_each_way_of_copying_gives_the_same_search(way: str) -> None:
    results = []
    for copies in ("attributes", way):
        game = po.from_gymnasium(ready(gym.make("CartPole-v1"), 5), copies=copies)
        assert game.copies.startswith(copies)
        results.append(po.Search(game, seed=1).run(simulations=30))
    assert [a.visits for a in results[0].actions] == [a.visits for a in results[1].actions]
    assert results[0].value == results[1].value


def test_the_environments_own_interface_is_taken_where_attributes_fail() -> None:
    env = ready(odd.KeepsState())
    env.step(1)
    game = po.from_gymnasium(env, horizon=8)
    assert game.copies.startswith("interface: the environment's own get_state() and set_state()")
    assert po.Search(game, seed=1).run(simulations=200).best_action == 1


def test_actions_are_replayed_where_nothing_else_works() -> None:
    native = ready(odd.Native())
    game = po.from_gymnasium(native, horizon=8)
    assert game.copies.startswith("replay: ")
    assert po.Search(game, seed=1).run(simulations=200).best_action == 1
    assert native.move(0) == 0  # it stands where it stood
    env = ready(gym.make("FrozenLake-v1"), 4)
    for action in (2, 1):
        env.step(action)
    game = po.from_gymnasium(env, copies="replay", history=[2, 1], horizon=10)
    assert po.Search(game, seed=1).run(**SMALL).best_action in range(4)
    with pytest.raises(po.GameError, match=r"replay: the attribute '.*' of the copy differs"):
        po.from_gymnasium(env, copies="replay", history=[2])


def test_the_same_seed_gives_the_same_tree_and_a_step_is_a_run() -> None:
    game = po.from_gymnasium(ready(gym.make("FrozenLake-v1"), 1))
    first, again = po.Search(game, seed=3), po.Search(game, seed=3)
    visits = [a.visits for a in first.run(simulations=40).actions]
    for _ in range(40):
        step = again.step()
    assert [a.visits for a in again.result().actions] == visits
    assert step is not None


def test_chance_is_sampled_by_its_frequency_and_never_from_the_environments_own_generator() -> None:
    env = ready(gym.make("FrozenLake-v1"), 1)
    game = po.from_gymnasium(env, samples=400)
    position = game.position().play(2)
    weights = [weight for _, weight in position.outcomes()]
    # From cell 0, going right leads to 0, 1 and 4, each with 1/3; five standard errors of 400 draws.
    assert len(weights) == 3
    assert max(abs(w - 1 / 3) for w in weights) < 5 * np.sqrt(2 / 9 / 400)
    other = po.from_gymnasium(ready(gym.make("FrozenLake-v1"), 2), samples=400)  # another generator, the same samples
    assert [w for _, w in other.position().play(2).outcomes()] == weights
    assert not po.Search(game, po.Settings(solver=True), seed=1).run(**SMALL).proven  # samples prove nothing


def test_a_generator_deep_inside_is_reseeded_too() -> None:
    env = ready(odd.OwnGenerator())
    game = po.from_gymnasium(env, horizon=10)
    assert "chance is sampled" in game.copies
    weights = [weight for _, weight in game.position().play(1).outcomes()]
    assert sorted(weights) != [1.0]
    assert len(weights) == 2


def test_play_on_the_lake_is_no_better_than_the_best() -> None:
    optimum = exact_lake(True, 100, 0.99)[100][0]
    env, returns = gym.make("FrozenLake-v1"), []
    for episode in range(12):
        env.reset(seed=episode)
        for step in range(100):  # noqa: B007  # the length is needed after the loop
            action = po.act(env, simulations=60, discount=0.99, seed=episode)
            _, reward, ended, cut, _ = env.step(action)
            if ended or cut:
                break
        returns.append(float(reward) * 0.99**step)
    error = np.std(returns) / np.sqrt(len(returns))
    assert np.mean(returns) <= optimum + 4 * error + 1e-9
    assert np.mean(returns) > 0.0  # random play reaches the goal in one of 70 episodes


@pytest.mark.reference
def test_the_exact_values_of_the_lake_are_those_of_the_reference(reference: Path) -> None:
    known = json.loads((reference / "gym_toy_text" / "optimal_values.json").read_text())
    value = known["FrozenLake-v1{'map_name': '4x4', 'is_slippery': True}gamma0.99"]["V"][0]
    assert exact_lake(True, 3000, 0.99)[3000][0] == pytest.approx(value)


def dealt(total: int, ace: bool, chances: dict[int, float], p: float = 1.0) -> dict[int, float]:
    """How likely the dealer, who draws from an infinite deck up to 17, ends with which total; 0 is above 21."""
    shown = total + 10 if ace and total + 10 <= 21 else total
    if shown >= 17:
        end = shown if shown <= 21 else 0
        chances[end] = chances.get(end, 0.0) + p
        return chances
    for card in range(1, 11):
        dealt(total + card, ace or card == 1, chances, p * (4 if card == 10 else 1) / 13)
    return chances


def test_the_dealers_hidden_card_is_redrawn() -> None:
    """Stand on 20 against a ten: the exact value is the same whatever card lies face down."""
    values = []
    for hidden in (10, 5):
        env = ready(gym.make("Blackjack-v1"))
        env.unwrapped.player, env.unwrapped.dealer = [10, 10], [10, hidden]
        result = po.Search(po.from_gymnasium(env, samples=400), seed=1).run(simulations=300)
        assert result.best_action == 0
        values.append(next(a.value for a in result.actions if a.action == 0))
    assert values[0] == values[1]
    chances = dealt(10, False, {})
    exact = 1.0 - chances[20] - 2.0 * chances[21]
    # The deviation of a result is below 1; four standard errors of the 400 samples, and as much for the visits.
    assert values[0] == pytest.approx(exact, abs=0.3)


def test_play_at_blackjack_is_as_good_as_the_best_and_no_better() -> None:
    env, returns = gym.make("Blackjack-v1"), []
    for hand in range(300):
        env.reset(seed=hand)
        over = False
        while not over:
            _, reward, ended, cut, _ = env.step(po.act(env, simulations=20, samples=64, seed=hand))
            over = ended or cut
        returns.append(float(reward))
    # A search that saw the next cards gained 0.25 a hand when it was tried; random play loses 0.39.
    error = np.std(returns) / np.sqrt(len(returns))
    assert np.mean(returns) == pytest.approx(blackjack(natural=False, sab=True), abs=4 * error)


def test_playouts_stop_short_of_where_random_play_fails_by_itself() -> None:
    game = po.from_gymnasium(ready(gym.make("CartPole-v1")))
    depth = game.object.world.depth
    assert 8 <= depth <= 14  # random play balances the pole for 22 steps
    assert game.copies.endswith(f"playouts of {depth} steps")
    step = po.Search(game, "control", seed=1).step()
    assert step.playouts[0].returns[0] <= depth
    # The end of Acrobot is its goal, and random play seldom reaches it.
    assert po.from_gymnasium(ready(gym.make("Acrobot-v1")), horizon=20).object.world.depth is None


@pytest.mark.reference
@pytest.mark.parametrize("seed", range(3))
def test_cart_and_pole_are_balanced_to_the_time_limit(seed: int) -> None:
    env = ready(gym.make("CartPole-v1"), seed)
    for _ in range(500):
        _, _, fell, _, _ = env.step(po.act(env, simulations=100))
        assert not fell


def test_time_limits_are_part_of_the_position() -> None:
    env = ready(gym.make("FrozenLake-v1", is_slippery=False, max_episode_steps=6))
    game = po.from_gymnasium(env)
    best = [[a.value for a in po.Search(game, "environment", seed=1).run(simulations=300).actions]]
    env.step(0)  # a step lost: six were just enough
    game = po.from_gymnasium(env)
    best.append([a.value for a in po.Search(game, "environment", seed=1).run(simulations=300).actions])
    assert max(best[0]) > 0.5
    assert max(best[1]) == 0.0


def test_a_discount_counts_from_where_the_search_begins() -> None:
    env = ready(odd.Corridor(3))
    result = po.Search(po.from_gymnasium(env, discount=0.5, horizon=5), seed=1).run(simulations=500)
    assert result.proven == pytest.approx(0.25)  # the reward comes with the third step: 0.5^2
    env.step(1)
    result = po.Search(po.from_gymnasium(env, discount=0.5, horizon=5), seed=1).run(simulations=500)
    assert result.proven == pytest.approx(0.5)


def test_masks_say_what_is_legal() -> None:
    env = odd.Masked(3)
    env.reset()
    game = po.from_gymnasium(env, info={"action_mask": np.array([0, 1])})
    assert game.position().actions() == [1]
    assert po.act(env, simulations=10, info={"action_mask": np.array([0, 1])}) == 1


def test_all_actions_are_legal_again_after_a_step_without_a_mask() -> None:
    game = po.from_gymnasium(ready(odd.MaskedOnce()), horizon=5)
    assert game.position().play(1).actions() == [0, 1]


def test_actions_of_several_parts_come_back_as_the_environment_wants_them() -> None:
    env = ready(odd.TwoDials())
    action = po.act(env, simulations=300, horizon=6)
    assert env.action_space.contains(action)
    assert action.tolist() == [1, 2]
    assert "[1, 2]" in [a.text for a in po.Search(po.from_gymnasium(env, horizon=4)).run(simulations=50).actions]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (odd.Uncopyable, "Uncopyable can't be copied, so it can't be searched; attributes.*there can be only one"),
        (odd.GlobalRandom, "draws from the global generators"),
        (odd.Hides, "hides part of its state: .*redraw="),
        (odd.ChangesSpace, r"^ChangesSpace: the action space was Discrete\(2\) and is Discrete\(3\) after step"),
        (odd.Raises, r"^Raises: step\(1\) failed: RuntimeError: the floor"),
        (odd.NanReward, r"^NanReward: step\([01]\) returned the reward nan, expected a finite number"),
        (odd.MaskedOut, "^MaskedOut: the action mask allows no action; if the episode is over"),
        (lambda: gym.make("Pendulum-v1"), "the actions are continuous"),
        (lambda: "CartPole-v1", "from_gymnasium got .*CartPole-v1.*, expected a gymnasium.Env"),
    ],
    ids=["uncopyable", "global", "hidden", "space", "raises", "reward", "mask", "continuous", "text"],
)
def test_what_can_not_be_searched_is_refused_with_the_reason(make: Any, message: str) -> None:
    env = make()
    if not isinstance(env, str):
        env.reset(seed=1)
    with pytest.raises(po.GameError, match=message) as raised:
        po.from_gymnasium(env)
    assert "\n" not in str(raised.value)


def test_an_environment_that_was_not_reset_is_refused() -> None:
    with pytest.raises(po.GameError, match=r"FrozenLake-v1 was not reset; call env.reset\(seed=…\) first"):
        po.from_gymnasium(gym.make("FrozenLake-v1"))


def test_nan_is_refused_where_it_comes() -> None:
    with pytest.raises(po.GameError, match="an observation with NaN"):
        po.Search(po.from_gymnasium(ready(odd.NanSeen()), horizon=5)).run(simulations=10)


def test_an_environment_without_an_end_is_searched_to_its_horizon() -> None:
    result = po.Search(po.from_gymnasium(ready(odd.NeverEnds()), horizon=3), seed=1).run(simulations=500)
    assert (result.best_action, result.proven) == (1, 3.0)


def test_hidden_state_may_be_searched_on_purpose() -> None:
    env = ready(odd.Hides())
    assert po.act(env, simulations=50, redraw=False) == env.coin


def test_act_takes_what_it_knows_and_says_what_it_does_not() -> None:
    with pytest.raises(po.GameError, match="act got no limit"):
        po.act(ready(odd.Corridor()))
    with pytest.raises(po.GameError, match="act got 3, expected an environment"):
        po.act(3, simulations=5)
    with pytest.raises(po.SettingsError, match=r"act has no 'discont' .*did you mean 'discount'"):
        po.act(ready(odd.Corridor()), simulations=5, discont=0.9)


def test_gym_env_passes_the_checker_of_gymnasium() -> None:
    from gymnasium.utils.env_checker import check_env

    for name in ("target_sum", "game2048"):
        env = po.gym_env(name)
        check_env(env, skip_render_check=True)
        _, info = env.reset(seed=1)
        _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert info["action_mask"].sum() > 0
    with pytest.raises(po.GameError, match="a game for 2 players"):
        po.gym_env("tictactoe")


def test_gym_env_refuses_wrong_arguments_and_actions() -> None:
    with pytest.raises(po.SettingsError, match="gym_env got render_mode='human', expected 'ansi' or None"):
        po.gym_env("target_sum", render_mode="human")
    with pytest.raises(po.SettingsError, match="pettingzoo_env got illegal_reward=nan, expected a finite number"):
        po.pettingzoo_env("tictactoe", illegal_reward=float("nan"))
    env = po.gym_env("target_sum")
    env.reset(seed=1)
    for action in (0.7, "x", None):
        with pytest.raises(po.GameError, match=r"target_sum: step got .*, expected an action: a whole number"):
            env.step(action)
    assert env.step(np.array(1))[2:4] == env.step(np.int64(1))[2:4] == (False, False)


def test_our_game_as_an_environment_is_searched_as_well() -> None:
    env = po.gym_env(po.games.load("target_sum", target=6, moves=2, numbers="1,2,3"))
    _, info = env.reset(seed=1)
    ours = po.Search(po.games.load("target_sum", target=6, moves=2, numbers="1,2,3"), seed=1).run(simulations=500)
    theirs = po.Search(po.from_gymnasium(env, info=info), seed=1).run(simulations=500)
    assert theirs.proven == ours.proven
