"""Refine a program against unit tests. The simulated proposer changes one token of the parent at random.

    python examples/generate/program.py

With PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY set, a language model rewrites the program instead. Only the
expression is taken from it, and only if it is made of the tokens below: nothing else is ever run.
"""

import random
import re
from typing import Any

import playout as po
from playout.common.chat import ChatModel

TOKENS = ["a", "b", "c", "1", "2", "+", "-", "*", "max", "min"]
START = "a + b * c"
ARGUMENTS = [(1, 2, 3), (4, 0, 2), (-3, 5, 1), (2, 2, 2), (0, 7, -4), (5, -5, 5)]
TARGET = "max(a, b) + 2 * c"
CALLS = 1000


def tests_of(target: str) -> list[tuple[tuple[int, int, int], int]]:
    """What the target gives for the arguments above."""
    return [(given, run(target, given)) for given in ARGUMENTS]


def run(program: str, given: tuple[int, int, int]) -> int:
    """The value of an expression of the tokens above."""
    if not re.fullmatch(r"(?:max|min|[abc12+\-*(), ])*", program):
        raise ValueError("a token that is not allowed")
    names = dict(zip("abc", given, strict=True), max=max, min=min, __builtins__={})
    return int(eval(program, names))


def score(program: str, tests: Any) -> float | None:
    """The share of the tests that pass, with a little for each that is near; None: not a program."""
    total = 0.0
    for given, wanted in tests:
        try:
            found = run(program, given)
        except Exception:  # noqa: BLE001  # a mutated program may raise anything
            return None
        total += 1.0 if found == wanted else 0.5 / (1.0 + abs(found - wanted))
    return total / len(tests)


def mutated(program: str, draw: random.Random) -> str:
    """A program with one part replaced, wrapped or added to."""
    parts = re.findall(r"max|min|[abc12]|[+\-*(),]", program)
    leaves = [i for i, part in enumerate(parts) if part in "abc12"]
    signs = [i for i, part in enumerate(parts) if part in "+-*"]
    kind = draw.randrange(4)
    i = draw.choice(leaves)
    leaf = draw.choice("abc12")
    if kind == 0:
        parts[i] = leaf
    elif kind == 1 and signs:
        parts[draw.choice(signs)] = draw.choice("+-*")
    elif kind == 2:
        parts[i] = f"{draw.choice(['max', 'min'])} ( {parts[i]} , {leaf} )"
    else:
        return f"( {' '.join(parts)} ) {draw.choice('+-*')} {leaf}"
    return " ".join(parts)


def generator(tests: Any) -> Any:
    """The proposer: simulated, or the model that the environment names."""
    if ChatModel().is_on:

        def read(text: str, parent: str) -> Any:
            program = text.strip().strip("`").splitlines()[-1]
            found = score(program, tests)
            return (program, found) if found is not None else (parent, score(parent, tests))

        return po.proposer(
            lambda parent: (
                f"Improve the Python expression {parent!r} of a, b and c so that it gives {tests}. Use only "
                f"{' '.join(TOKENS)} and brackets. Answer with the expression alone."
            ),
            read,
        )

    def mutate(parent: str, call: po.Call) -> Any:
        draw = random.Random(call.seed)
        for _ in range(20):
            program = mutated(parent, draw)
            found = score(program, tests)
            if found is not None and len(program) < 120:
                return po.Answer(program, found, cost=0.01)
        return po.Answer(parent, score(parent, tests), cost=0.01)

    return mutate


def main(calls: int = CALLS, seed: int = 1) -> po.GeneratedResult:
    tests = tests_of(TARGET)
    result = po.GeneratedSearch(generator(tests), START, seed=seed).run(calls, target=1.0)
    assert result.best is not None
    print(
        f"{result.best.state}: {result.best.score:.3f} of the tests after {result.calls} calls, cost {result.cost:.2f}"
    )
    return result


if __name__ == "__main__":
    main()
