"""Other people's environments: `python -m benchmarks.environments` prints the tables of docs/environments.md.

Episodes are played in the real environments, planned step by step through `po.act`. Means have 95% intervals; where the
transition table is public, the exact optimum with the time limit comes from value iteration over it.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Z = 1.96


@dataclass(frozen=True)
class Plan:
    """How an environment is played: simulations a step, episodes, the discount, what is passed to make and to act."""

    name: str
    simulations: int
    episodes: int
    discount: float = 1.0
    make: tuple[tuple[str, Any], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()


PLANS = (
    Plan("CartPole-v1", 100, 20),
    Plan("FrozenLake-v1", 50, 400, 0.99),
    Plan("FrozenLake-v1", 50, 100, 0.99, (("map_name", "8x8"),)),
    Plan("FrozenLake-v1", 50, 5, 1.0, (("is_slippery", False),)),
    Plan("Taxi-v4", 50, 100),
    Plan("CliffWalking-v1", 50, 20),
    Plan("CliffWalkingSlippery-v1", 50, 20, 0.99),
    Plan("Blackjack-v1", 100, 2000),
    Plan("Blackjack-v1", 100, 1000, 1.0, (("sab", False), ("natural", True))),
    Plan("Acrobot-v1", 50, 3, 1.0, (), (("horizon", 50),)),
    Plan("MountainCar-v0", 100, 3),
    Plan("CartPole-v0", 100, 5),
)


def optimum(env: Any, discount: float, limit: int) -> float | None:
    """The exact value of the best play from the start, with the time limit; None without a public table."""
    inner = env.unwrapped
    if type(inner).__name__ == "BlackjackEnv":
        return blackjack(bool(inner.natural), bool(inner.sab))
    table = getattr(inner, "P", None)
    if table is None:
        return None
    values = [0.0] * len(table)
    for _ in range(limit):
        values = [
            max(
                sum(p * (r + discount * values[s] * (not end)) for p, s, r, end in outs)
                for outs in table[state].values()
            )
            for state in range(len(table))
        ]
    return float(sum(weight * value for weight, value in zip(inner.initial_state_distrib, values, strict=True)))


def blackjack(natural: bool, sab: bool) -> float:
    """The exact value of blackjack with an infinite deck, by Gymnasium's rules."""
    cards = {card: (4 if card == 10 else 1) / 13 for card in range(1, 11)}

    def total(hard: int, ace: bool) -> int:
        return hard + 10 if ace and hard + 10 <= 21 else hard

    ends: dict[tuple[int, bool], dict[int, float]] = {}

    def dealer(hard: int, ace: bool) -> dict[int, float]:
        if (hard, ace) not in ends:
            now = total(hard, ace)
            found: dict[int, float] = {}
            if now >= 17:
                found[now if now <= 21 else 0] = 1.0
            else:
                for card, p in cards.items():
                    for end, q in dealer(hard + card, ace or card == 1).items():
                        found[end] = found.get(end, 0.0) + p * q
            ends[hard, ace] = found
        return ends[hard, ace]

    def shown(card: int, score: int, is_natural: bool) -> float:
        worth = 0.0
        for second, p in cards.items():
            theirs = {card, second} == {1, 10}
            for end, q in dealer(card + second, 1 in (card, second)).items():
                result = float(score > end) - float(score < end)
                if sab and is_natural and not theirs:
                    result = 1.0
                elif not sab and natural and is_natural and result == 1.0:
                    result = 1.5
                worth += p * q * result
        return worth

    def best(hard: int, ace: bool, card: int, is_natural: bool, known: dict[tuple[int, bool], float]) -> float:
        if hard > 21:
            return -1.0
        if is_natural or (hard, ace) not in known:
            hit = sum(p * best(hard + c, ace or c == 1, card, False, known) for c, p in cards.items())
            worth = max(hit, shown(card, total(hard, ace), is_natural))
            if is_natural:
                return worth
            known[hard, ace] = worth
        return known[hard, ace]

    value = 0.0
    for card, p in cards.items():
        known: dict[tuple[int, bool], float] = {}
        for one, q in cards.items():
            for two, r in cards.items():
                value += p * q * r * best(one + two, 1 in (one, two), card, {one, two} == {1, 10}, known)
    return value


def interval(values: list[float]) -> str:
    error = Z * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    return f"{statistics.mean(values):.3f} ± {error:.3f}"


def play(plan: Plan, share: float, stop: float, first: int) -> str:
    """Play a plan's episodes, or `share` of them, until `stop`, with seeds from `first` on; a row of the table."""
    import gymnasium as gym

    import playout as po

    env = gym.make(plan.name, **dict(plan.make))
    returns: list[float] = []
    steps, began = 0, time.perf_counter()
    for episode in range(max(2, round(plan.episodes * share))):
        _, info = env.reset(seed=first + episode)
        total, scale, over, before = 0.0, 1.0, False, steps
        while not over:
            action = po.act(
                env, simulations=plan.simulations, seed=steps, info=info, discount=plan.discount, **dict(plan.options)
            )
            _, reward, ended, cut, info = env.step(action)
            total, scale, steps, over = total + scale * float(reward), scale * plan.discount, steps + 1, ended or cut
            if time.perf_counter() > stop:
                break
        if not over:
            steps = before if returns else steps
            break
        returns.append(total)
    seconds = (time.perf_counter() - began) / max(1, steps)
    limit = env.spec.max_episode_steps if env.spec and env.spec.max_episode_steps else 200
    best = optimum(env, plan.discount, limit)
    name = plan.name + "".join(f", {key}={value}" for key, value in plan.make)
    told = interval(returns) if returns else "no episode ended in time"
    return (
        f"| {name} | {plan.simulations} | {plan.discount:g} | {len(returns)} | {told} | "
        f"{'' if best is None else f'{best:.3f}'} | {1000 * seconds:.0f} |"
    )


def beat_random(games: int, simulations: int, stop: float) -> str:
    """Connect four of PettingZoo against the random agent, taking turns to begin."""
    env = connect_four()
    won = played = 0
    import playout as po

    for game in range(games):
        env.reset(seed=game)
        draw, ours = random.Random(game), f"player_{game % 2}"
        while not any(env.terminations.values()) and time.perf_counter() < stop:
            agent = env.agent_selection
            legal = [i for i, fits in enumerate(env.observe(agent)["action_mask"]) if fits]
            env.step(po.act(env, simulations=simulations, seed=game) if agent == ours else draw.choice(legal))
        if not any(env.terminations.values()):
            break
        played += 1
        won += env.rewards[ours] > 0
    return f"PettingZoo connect four, {simulations} simulations a move: {won} of {played} against the random agent"


def connect_four() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import connect_four_v3
    return connect_four_v3.env()


def speeds(rounds: int) -> list[str]:
    """Simulations a second on connect four, in turns: our search and OpenSpiel's Python search on its own states."""
    import numpy as np
    import pyspiel
    from open_spiel.python.algorithms import mcts

    import playout as po

    game = pyspiel.load_game("connect_four")
    simulations = 2000

    def ours() -> None:
        po.Search(po.from_openspiel(game), po.Settings(solver=False), seed=1).run(simulations)

    def theirs() -> None:
        evaluator = mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))
        bot = mcts.MCTSBot(game, 1.4, simulations, evaluator, solve=False, random_state=np.random.RandomState(1))
        bot.mcts_search(game.new_initial_state())

    env = connect_four()
    env.reset(seed=1)
    wrapped = po.from_pettingzoo(env)

    def zoo() -> None:
        po.Search(wrapped, po.Settings(solver=False), seed=1).run(simulations // 4)

    def rate(run: Callable[[], None], count: int) -> float:
        began = time.perf_counter()
        run()
        return count / (time.perf_counter() - began)

    ours()
    found: dict[str, list[float]] = {"ours": [], "theirs": [], "zoo": []}
    for _ in range(rounds):
        found["ours"].append(rate(ours, simulations))
        found["theirs"].append(rate(theirs, simulations))
        found["zoo"].append(rate(zoo, simulations // 4))
    best = {name: max(values) for name, values in found.items()}
    return [
        f"connect four on OpenSpiel's states: {best['ours']:,.0f} simulations/s, OpenSpiel's Python MCTS "
        f"{best['theirs']:,.0f}, ratio {best['ours'] / best['theirs']:.2f}",
        f"connect four of PettingZoo: {best['zoo']:,.0f} simulations/s ({wrapped.copies})",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.environments", description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the episodes and games that are played")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for each environment, at most")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first episode")
    parser.add_argument("--only", action="append", help="environments, `speed` or `connect_four`")
    arguments = parser.parse_args()
    print("| environment | simulations a step | discount | episodes | mean return | exact optimum | ms a step |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for plan in PLANS:
        if not arguments.only or plan.name in arguments.only:
            print(play(plan, arguments.share, time.perf_counter() + arguments.seconds, arguments.first), flush=True)
    if not arguments.only or "speed" in arguments.only:
        print("\n".join(speeds(5)), flush=True)
    if not arguments.only or "connect_four" in arguments.only:
        print(beat_random(max(1, round(100 * arguments.share)), 200, time.perf_counter() + arguments.seconds))


if __name__ == "__main__":
    main()
