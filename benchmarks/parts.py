"""A user's policy against the built-in one of the same formula: speed, the tree, and what compiling it costs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from .measure import Check, Contender, Options, Row, interleave, rate

SIMULATIONS = 500_000
AS_FAST, SECONDS = 0.9, 3.0  # of the built-in policy's speed at least; to compile a new policy at most
COPY = """
import time
import playout as po
from playout.core.lookup import inverse_root, root_log

class {name}(po.Policy):
    c: float = 1.4

    @staticmethod
    def prepare(policy, node, rng):
        return policy.c * root_log(node.visits)

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + shared * inverse_root(edge.visits)
"""
COMPILE = (
    COPY
    + """
game = po.games.load("connect4")
po.Search(game).run(10)
began = time.perf_counter()
po.Search(game, po.Settings(policy={name}())).run(10)
print(time.perf_counter() - began)
"""
)


def measure(options: Options) -> list[Row]:
    return [] if options.peers_only else [*speed(options), compiling(options)]


def speed(options: Options) -> list[Row]:
    """The same tree for the same seed, and how long it takes."""
    import playout as po

    scope: dict[str, type[po.Policy]] = {"__name__": "benchmarks.parts"}  # type: ignore[dict-item]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "copy.py"
        file.write_text(COPY.format(name="Copy"), encoding="utf-8")
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
        game, simulations = po.games.load("connect4"), options.pick(SIMULATIONS, 5_000)
        policies = {"a copy": scope["Copy"](), "built-in": po.UCT()}
        found, trees = {}, {}

        def run(name: str) -> float:
            search = po.Search(game, po.Settings(policy=policies[name]), seed=1)
            search.run(10)
            speed = rate(simulations, lambda: search.run(simulations))
            trees[name] = [(node.path, node.visits) for node in search.root.walk(depth=4)]
            return speed

        found = interleave([Contender(name, lambda name=name: run(name)) for name in policies], options.pick(10, 2))
    row = Row(f"connect4, a user's copy of UCT, {simulations:,} simulations", "simulations/s", ours=found["a copy"])
    row.peers["the built-in UCT"] = found["built-in"]
    row.checks.append(Check("of the built-in's", found["a copy"] / found["built-in"], AS_FAST))
    if trees["a copy"] != trees["built-in"]:
        row.notes.append("the two trees differ, though the formulas are the same")
        row.checks.append(Check("equal trees", 0.0, 1.0))
    return [row]


def compiling(options: Options) -> Row:
    """Seconds for the first search with a policy that was never compiled, where everything else was."""
    times = []
    for number in range(options.pick(3, 1)):
        code = COMPILE.format(name=f"New{number}")
        with tempfile.TemporaryDirectory() as folder:  # another file is another policy: nothing is found on disk
            file = Path(folder) / "new.py"
            file.write_text(code, encoding="utf-8")
            answer = subprocess.run([sys.executable, str(file)], check=True, capture_output=True, text=True)
        times.append(float(answer.stdout))
    row = Row("a new policy, first search, all else compiled", "s", ours=min(times))
    row.checks.append(Check("s", min(times), SECONDS, at_most=True))
    return row
