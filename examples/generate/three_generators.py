"""Three generators of different quality: the search learns which to ask.

python examples/generate/three_generators.py
"""

import random
from typing import Any

import playout as po

CALLS = 100
MEANS = {"good": 0.8, "fair": 0.5, "bad": 0.2}


def model(mean: float) -> Any:
    """A simulated model whose answers score around `mean`."""

    def generate(parent: Any, call: po.Call) -> po.Answer:
        score = random.Random(call.seed).gauss(mean, 0.15)
        return po.Answer(f"answer {call.number}", min(1.0, max(0.0, score)), cost=0.01)

    return generate


def main(calls: int = CALLS, seed: int = 1) -> po.GeneratedResult:
    result = po.GeneratedSearch({name: model(mean) for name, mean in MEANS.items()}, seed=seed).run(calls)
    print(result)
    return result


if __name__ == "__main__":
    main()
