"""Generated searches: speed and regret beside treequest, the Game of 24, the choice of generators, and kill -9.

`python -m benchmarks.generate [speed|regret|game24|generators|kill] …` prints each as a table; without a name, all.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from .measure import Check, Options, Row, rate

ROOT = Path(__file__).parents[1]
CALLS = 200
TIMES_TREEQUEST = 20.0


def _refinement(kind: str) -> Any:
    """A known model of refinement: a first answer scores around 0.3, a refined one around its parent."""
    draw = random.Random()

    def generate(parent: float | None) -> tuple[float, float]:
        base = 0.3 if parent is None else parent
        if kind == "gaussian":
            score = min(1.0, max(0.0, draw.gauss(base - 0.02, 0.1)))
        else:
            mean = min(0.98, max(0.02, base - 0.02))
            score = draw.betavariate(20 * mean, 20 * (1 - mean))
        return score, score

    generate.seed = draw.seed  # type: ignore[attr-defined]
    return generate


def ours(generate: Any, policy: Any, calls: int, seed: int) -> float:
    """The best score of a search of ours."""
    import playout as po

    generate.seed(seed)
    best = po.GeneratedSearch(generate, policy=policy, seed=seed, exhausted=10**6).run(calls).best
    return 0.0 if best is None or best.score is None else best.score


def theirs(generate: Any, kind: str, calls: int, seed: int) -> float:
    """The best score of treequest's AB-MCTS-A, its tree changed in place."""
    from treequest import ABMCTSA

    generate.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  # treequest draws from the global generator
    algorithm: Any = ABMCTSA(dist_type=kind)  # type: ignore[arg-type]
    state = algorithm.init_tree()
    for _ in range(calls):
        state = algorithm.step(state, {"generate": generate}, inplace=True)
    return max(score for _, score in algorithm.get_state_score_pairs(state))


def best_of_n(generate: Any, calls: int, seed: int) -> float:
    """The best of independent first answers."""
    generate.seed(seed)
    return max(generate(None)[1] for _ in range(calls))


def speed(quick: bool) -> None:
    """Processor time for each node."""
    print("AB-MCTS-A, a generator that answers at once: microseconds of processor time a node")
    sizes = (100, 300) if quick else (1_000, 10_000)
    ours(_refinement("gaussian"), "abmcts", 50, 1)  # imports and caches, before the clock runs
    theirs(_refinement("gaussian"), "gaussian", 50, 1)
    for kind in ("gaussian", "beta"):
        for calls in sizes:
            times = {}
            for name in ("playout", "treequest"):
                if name == "treequest" and calls > 1_000:
                    continue
                generate = _refinement(kind)
                began = time.process_time()
                if name == "playout":
                    from playout import ABMCTS

                    ours(generate, ABMCTS(kind=kind), calls, 1)
                else:
                    theirs(generate, kind, calls, 1)
                times[name] = (time.process_time() - began) / calls * 1e6
            ratio = f", {times['treequest'] / times['playout']:.0f}x" if "treequest" in times else ""
            print(
                f"  {kind}, {calls:,} nodes: " + ", ".join(f"{n} {t:,.0f}" for n, t in times.items()) + ratio,
                flush=True,
            )


def measure(options: Options) -> list[Row]:
    """Nodes a second beside treequest, for the report of all benchmarks."""
    calls = options.pick(1_000, 100)
    row = Row(f"AB-MCTS-A, {calls:,} generated nodes", "nodes/s")
    theirs(_refinement("gaussian"), "gaussian", 10, 1)
    row.peers["treequest"] = rate(calls, lambda: theirs(_refinement("gaussian"), "gaussian", calls, 1))
    if not options.peers_only:
        ours(_refinement("gaussian"), "abmcts", 10, 1)
        row.ours = rate(calls, lambda: ours(_refinement("gaussian"), "abmcts", calls, 1))
        row.checks.append(Check("x treequest", row.ours / row.peers["treequest"], TIMES_TREEQUEST))
    return [row]


def regret(quick: bool, repeats: int) -> None:
    """How far from the best possible score the best found is."""
    import playout as po

    print(f"regret (1 - best score) after {CALLS} calls, mean of {repeats} and its standard error")
    for kind in ("gaussian", "beta"):
        generate = _refinement(kind)
        ways: dict[str, Any] = {
            "playout ABMCTS": lambda seed, g=generate, k=kind: ours(g, po.ABMCTS(kind=k), CALLS, seed),
            "playout Widening": lambda seed, g=generate: ours(g, "widening", CALLS, seed),
            "playout Spend": lambda seed, g=generate: ours(g, "spend", CALLS, seed),
            "treequest ABMCTSA": lambda seed, g=generate, k=kind: theirs(g, k, CALLS, seed),
            "best of n": lambda seed, g=generate: best_of_n(g, CALLS, seed),
        }
        for name, way in ways.items():
            found = 1.0 - np.array([way(seed) for seed in range(repeats)])
            print(f"  {kind}, {name}: {found.mean():.4f} ± {found.std() / repeats**0.5:.4f}", flush=True)


def _example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "generate" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def game24(quick: bool, hands: int) -> None:
    """Hands solved by budget."""
    game = _example("game_of_24")
    every = itertools.combinations_with_replacement(range(1, 14), 4)
    solvable = [hand for hand in every if game.solvable(tuple(sorted(map(str, hand))))]
    print(f"Game of 24: {len(solvable):,} solvable hands; solved of {hands}, proposer right 40%, judge wrong 20%")
    chosen = random.Random(1).sample(solvable, hands)
    budgets = (8, 64) if quick else (8, 32, 128, 512)
    print("  calls: " + " ".join(f"{calls:>5}" for calls in budgets))
    for policy in ("abmcts", "widening", "halving", "gumbel", "spend"):
        row = []
        for calls in budgets:
            solved = 0
            for seed, hand in enumerate(chosen):
                found = game.search(tuple(map(str, hand)), policy, seed=seed)
                found.run(calls)
                end = game.answer(found)
                solved += end is not None and end[0] == ("24",)
            row.append(solved)
        print(f"  {policy}: " + " ".join(f"{solved:>5}" for solved in row), flush=True)


def generators(repeats: int) -> None:
    """The share of calls that the good generator gets."""
    import playout as po

    example = _example("three_generators")
    shares = []
    for seed in range(repeats):
        models = {name: example.model(mean) for name, mean in example.MEANS.items()}
        shares.append(po.GeneratedSearch(models, seed=seed).run(100).generators["good"].calls)
    print(
        f"three generators, 100 calls, {repeats} seeds: {np.mean(shares):.1f}% of the calls to the good one", flush=True
    )


def _kill_and_resume(folder: Path, at_once: int, kills: int, seed: int) -> int:
    """Kill a search at random moments, then let it end; how often it was killed while it ran."""
    from tests.generate.test_ledger import CALLS as WANTED
    from tests.generate.test_ledger import paid, pay, start

    draw, killed = random.Random(seed), 0
    for _ in range(kills):
        before, wanted = len(paid(folder)), draw.randint(0, max(1, WANTED // kills))
        until = time.monotonic() + 300
        with start(folder, at_once) as process:
            try:
                while process.poll() is None and len(paid(folder)) - before < wanted and time.monotonic() < until:
                    time.sleep(0.001)
                time.sleep(draw.random() * 0.01)
            finally:
                process.kill()
        killed += process.returncode == -signal.SIGKILL
    if (status := pay(folder, at_once)) != 0:
        raise SystemExit(f"the search that goes on from {folder} ended with status {status}")
    return killed


def kill(kills: int) -> None:
    """Kill a search with paid calls at random moments, and compare its ledger with what was paid for."""
    from collections import Counter

    from tests.generate.test_ledger import CALLS as WANTED
    from tests.generate.test_ledger import paid

    from playout.generate.ledger import Ledger

    killed = twice = lost = 0
    began = time.monotonic()
    seed = 0
    while killed < kills:
        seed += 1
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            killed += _kill_and_resume(folder, 1 + 3 * (seed % 2), kills=min(5, kills - killed), seed=seed)
            ledger = Ledger(folder / "ledger.db", {}, reading=True)
            rows, bill = ledger.rows(), Counter(paid(folder))
            ledger.close()
            wrong = [r for r in rows if r.status != "answered" or r.cost != 0.25 or bill[r.key] > r.attempts]
            lost += len(wrong) + (len(rows) != WANTED) + len(set(bill) - {row.key for row in rows})
            twice += sum(bill.values()) - len(bill)
    print(
        f"kill -9: {killed} kills in {seed} searches of {WANTED} calls, {time.monotonic() - began:.0f} s; wrong "
        f"entries of the ledger: {lost}; answers that were in flight and paid for again: {twice}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", choices=["speed", "regret", "game24", "generators", "kill", []], metavar="PART"
    )
    parser.add_argument("--quick", action="store_true", help="small budgets: whether it works")
    parser.add_argument("--repeats", type=int, default=500, help="searches for the regret of each way")
    parser.add_argument("--hands", type=int, default=100, help="hands of the Game of 24")
    parser.add_argument("--kills", type=int, default=100)
    given = parser.parse_args()
    parts = given.parts or ["speed", "regret", "game24", "generators", "kill"]
    sys.path.insert(0, str(ROOT))
    if "speed" in parts:
        speed(given.quick)
    if "regret" in parts:
        regret(given.quick, 3 if given.quick else given.repeats)
    if "game24" in parts:
        game24(given.quick, 5 if given.quick else given.hands)
    if "generators" in parts:
        generators(3 if given.quick else 50)
    if "kill" in parts:
        kill(2 if given.quick else given.kills)


if __name__ == "__main__":
    main()
