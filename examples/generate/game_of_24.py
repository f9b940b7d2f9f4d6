"""The Game of 24: reach 24 from four numbers, each used once. A proposer suggests steps, a judge scores what is left.

    python examples/generate/game_of_24.py 4 5 6 10

Both are simulated and err at given rates. With PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY set, a language
model proposes and judges instead.
"""

import itertools
import random
import re
import sys
from fractions import Fraction
from functools import cache
from typing import Any

import playout as po
from playout.common.chat import ChatModel

Numbers = tuple[str, ...]  # fractions as texts, sorted
State = tuple[Numbers, tuple[str, ...]]  # what is left, and the steps so far
CALLS = 128


def steps(numbers: Numbers) -> list[tuple[Numbers, str]]:
    """All steps from some numbers: what is left, and the step as a text."""
    found = {}
    for i, j in itertools.permutations(range(len(numbers)), 2):
        a, b = Fraction(numbers[i]), Fraction(numbers[j])
        rest = [numbers[k] for k in range(len(numbers)) if k not in (i, j)]
        results = [("-", a - b), *([("/", a / b)] if b else []), *([("+", a + b), ("*", a * b)] if i < j else [])]
        for sign, result in results:
            found[tuple(sorted([*rest, str(result)]))] = f"{a} {sign} {b} = {result}"
    return list(found.items())


@cache
def solvable(numbers: Numbers) -> bool:
    """Whether 24 can still be reached."""
    if len(numbers) == 1:
        return Fraction(numbers[0]) == 24
    return any(solvable(left) for left, _ in steps(numbers))


def simulated(right: float, wrong: float, seed: int = 0) -> tuple[Any, Any]:
    """A proposer that takes a step of a solution with probability `right`, otherwise any; and a judge that is wrong
    about an unfinished state with probability `wrong`, always in the same way; 24 itself it recognises."""

    def propose(parent: State, call: po.Call) -> po.Answer:
        draw = random.Random(call.seed)
        known = steps(parent[0])
        good = [step for step in known if solvable(step[0])]
        left, step = draw.choice(good if good and draw.random() < right else known)
        return po.Answer((left, (*parent[1], step)), cost=1.0)

    def judge(state: State) -> po.Answer:
        draw = random.Random(f"{seed} {state[0]}")
        fair = solvable(state[0])
        if len(state[0]) > 1:
            fair = fair != (draw.random() < wrong)
        score = draw.gauss(0.8 if fair else 0.2, 0.1) if len(state[0]) > 1 else float(fair)
        return po.Answer(state, min(1.0, max(0.0, score)), cost=1.0)

    return propose, judge


def asked() -> tuple[Any, Any]:
    """The same by the language model that the environment names."""

    def read(text: str, parent: State) -> State | None:
        said = re.sub(r"\s", "", text.splitlines()[-1])
        for left, step in steps(parent[0]):
            if said == step.replace(" ", ""):
                return left, (*parent[1], step)
        raise ValueError(f"not a step from {' '.join(parent[0])}: {text[:60]!r}")

    return (
        po.proposer(
            lambda parent: (
                f"Numbers: {' '.join(parent[0])}. Combine two of them by + - * / on the way to 24. Answer with "
                f"one line such as 4 * 6 = 24, nothing else."
            ),
            read,
        ),
        po.judge(
            lambda state: f"Can 24 be made of {' '.join(state[0])}, each used once? Answer from 0 (no) to 1 (yes)."
        ),
    )


def search(hand: Numbers, policy: Any = "halving", seed: int = 1, right: float = 0.4, wrong: float = 0.2) -> Any:
    """A search for one hand."""
    propose, judge = asked() if ChatModel().is_on else simulated(right, wrong, seed)
    root = (tuple(sorted(hand)), ())
    return po.GeneratedSearch(
        propose,
        root,
        evaluate=judge,
        policy=policy,
        is_final=lambda state: len(state[0]) == 1,
        key=lambda state: state[0],
        seed=seed,
    )


def answer(found: po.GeneratedSearch) -> State | None:
    """The end that the judge believes in most, by its scores of all states on the way there."""
    ends = [node for node in found.nodes.values() if node.final]
    best = max(ends, key=lambda node: sum(one.score or 0.0 for one in node.line), default=None)
    return None if best is None else best.state


def main() -> None:
    hand = tuple(sys.argv[1:]) or ("4", "5", "6", "10")
    found = search(hand)
    result = found.run(CALLS)
    end = answer(found)
    print(f"{' '.join(hand)}: {result.calls} calls, {result.nodes} states")
    print("no answer" if end is None else "; ".join(end[1]))
    print("right" if end is not None and end[0] == ("24",) else "wrong")


if __name__ == "__main__":
    main()
